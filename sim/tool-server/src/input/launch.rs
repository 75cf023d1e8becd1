//! The arguments of a launch as one request.
use crate::decimal::Wei;
use alloy::primitives::U256;
use alloy::primitives::Uint;
use slipway_contracts::bindings::CreateLaunchParams;

use super::declared::{
    ANTI_SNIPE, CREATOR_FEE_SPLIT, DESCRIPTION, GAIN_MULTIPLIER, IMAGE_URL, MESSENGER, MICROBLOG, NAME,
    PREBUY, REFERRAL_CODE, START, TARGET_RAISE, TICKER, WEBSITE,
};
use super::{ArgumentError, CallArguments};

/// A launch as the chain will store it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LaunchRequest {
    pub(crate) parameters: CreateLaunchParams,
    pub(crate) prebuy: Wei,
    /// `None` means the function without a referral code.
    pub(crate) referral_code: Option<String>,
}

impl LaunchRequest {
    /// Reads the arguments and checks every declared bound; rules that need configuration, network or clock are not
    /// checked here.
    pub(crate) fn read(call: &CallArguments) -> Result<Self, ArgumentError> {
        let narrow = "the declared range fits";
        let parameters = CreateLaunchParams {
            name: NAME.read(call)?,
            ticker: TICKER.read(call)?,
            description: DESCRIPTION.read(call)?,
            imageUrl: IMAGE_URL.read(call)?,
            messenger: MESSENGER.read(call)?,
            microblog: MICROBLOG.read(call)?,
            website: WEBSITE.read(call)?,
            creatorFeeSplitBps: CREATOR_FEE_SPLIT.read(call)?.try_into().expect(narrow),
            // A multiplier of 1 is no gain.
            gainBps: u32::try_from(GAIN_MULTIPLIER.read(call)? - 10_000).expect(narrow),
            targetRaise: Uint::from(TARGET_RAISE.read(call)?),
            antiSnipeDuration: ANTI_SNIPE.read(call)?.try_into().expect(narrow),
            startTime: START.read(call)?,
        };
        let referral_code = REFERRAL_CODE.read(call)?;
        Ok(Self {
            parameters,
            prebuy: Wei(U256::from(PREBUY.read(call)?)),
            referral_code: Some(referral_code).filter(|code| !code.is_empty()),
        })
    }

    pub(crate) fn raise(&self) -> Wei {
        Wei(U256::from(self.parameters.targetRaise))
    }

    /// The links of the launch by argument, without absent ones.
    pub(crate) fn links(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let parameters = &self.parameters;
        let image = std::iter::once((IMAGE_URL.name, parameters.imageUrl.as_str()));
        let others = [
            (MESSENGER.name, parameters.messenger.as_str()),
            (MICROBLOG.name, parameters.microblog.as_str()),
            (WEBSITE.name, parameters.website.as_str()),
        ];
        image.chain(others.into_iter().filter(|(_, link)| !link.is_empty()))
    }

    /// Every text that becomes public, by argument.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let parameters = &self.parameters;
        let texts = [
            (NAME.name, parameters.name.as_str()),
            (TICKER.name, &parameters.ticker),
            (DESCRIPTION.name, &parameters.description),
            (REFERRAL_CODE.name, self.referral_code.as_deref().unwrap_or_default()),
        ];
        texts.into_iter().chain(self.links())
    }
}
