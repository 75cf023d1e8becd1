//! The local platform in a build without it: nothing starts, and the error states what to pass or install instead.
use std::convert::Infallible;

use slipway_defects::http::{Addresses, Proxies};
use slipway_scenarios::Target;
use slipway_scenarios::target::RatePolicy;

use crate::arguments::PlatformArguments;
use crate::error::CommandError;

#[derive(Clone, Debug)]
pub(crate) enum Front {
    /// The seeded defects of the command line.
    Defects,
    /// Proxies for a drill.
    Drill,
}

impl Front {
    /// The proxies that the command line requires.
    #[expect(clippy::unnecessary_wraps, reason = "the build with a platform refuses unknown defects here")]
    pub(crate) fn of(_arguments: &PlatformArguments) -> Result<Self, CommandError> {
        Ok(Self::Defects)
    }
}

/// Never exists in this build.
pub(crate) struct LocalPlatform(Infallible);

/// Always fails in this build.
#[expect(clippy::unused_async, reason = "the build with a platform waits here")]
pub(crate) async fn start_for_checks(
    _arguments: &PlatformArguments,
    _front: Front,
) -> Result<LocalPlatform, CommandError> {
    Err(CommandError::NoPlatform)
}

impl LocalPlatform {
    pub(crate) fn own_addresses(&self) -> Addresses {
        match self.0 {}
    }

    pub(crate) fn proxies(&self) -> Option<&Proxies> {
        match self.0 {}
    }

    pub(crate) fn lasting_addresses(&self) -> Vec<(String, String)> {
        match self.0 {}
    }

    #[expect(clippy::unused_async, reason = "the build with a platform waits here")]
    pub(crate) async fn alive<T>(
        &self,
        _work: impl Future<Output = Result<T, CommandError>>,
    ) -> Result<T, CommandError> {
        match self.0 {}
    }

    pub(crate) fn target(&self, _rate_policy: RatePolicy) -> Result<Target, CommandError> {
        match self.0 {}
    }

    #[expect(clippy::unused_async, reason = "the build with a platform waits here")]
    pub(crate) async fn stop(self) {
        match self.0 {}
    }
}
