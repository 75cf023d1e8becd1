//! A target behind proxies, where changes are applied and checks run.
use std::sync::Arc;

use slipway_defects::http::{Addresses, HostHeader, Listeners, Ports, Proxies};
use slipway_defects::variants::has_no_control_plane;
use slipway_defects::{Defect, Layer};
use slipway_scenarios::model::target::RatePolicy;
use slipway_scenarios::{Check, Lane, Outcome, Target, World};
use url::Url;

use super::change::Change;
use super::result::Baseline;
use crate::error::{CommandError, Fatal};
use crate::run::runner::{self, Checkpoint, Finished, MakeRecorder, Rules};
use crate::target::local::LocalPlatform;
use crate::target::tool_server::wrapped;

#[derive(Debug, thiserror::Error)]
#[error("the defect {id:?} cannot be switched: {reason}")]
struct SwitchError {
    id: &'static str,
    reason: String,
}

impl Fatal for SwitchError {}

/// A target with proxies in front of it.
pub(crate) struct Subject<'a> {
    /// The target for checks: through the proxies, its RPCs directly.
    target: Target,
    /// The clients of that target, shared by the changes that [keep them](Change::keeps_clients).
    world: Arc<World>,
    proxies: &'a Proxies,
    seed: u64,
    /// The most disruptive lane that may run.
    most: Lane,
}

impl<'a> Subject<'a> {
    /// The local platform behind its own proxies.
    pub(crate) fn local(
        platform: &'a LocalPlatform,
        seed: u64,
        rate_policy: RatePolicy,
    ) -> Result<Self, CommandError> {
        let proxies = platform.proxies().expect("it was started for a drill");
        Self::new(platform.target(rate_policy)?, proxies, seed, Lane::Exclusive)
    }

    /// A target behind these proxies.
    pub(crate) fn proxied(
        target: &Target,
        proxies: &'a Proxies,
        seed: u64,
        most: Lane,
    ) -> Result<Self, CommandError> {
        Self::new(through_proxies(target, proxies), proxies, seed, most)
    }

    fn new(target: Target, proxies: &'a Proxies, seed: u64, most: Lane) -> Result<Self, CommandError> {
        let world = Arc::new(World::new(target.clone(), seed)?);
        Ok(Self { target, world, proxies, seed, most })
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed
    }

    /// Takes a checkpoint of the whole platform, if it offers checkpoints.
    pub(super) async fn checkpoint(&self) -> Option<Checkpoint> {
        Checkpoint::take(&self.world).await
    }

    /// Runs the checks with nothing changed; inconclusive ones run again once the others no longer keep the machine busy.
    pub(super) async fn run_baseline(
        &self,
        checks: &[&'static Check],
        recorder: Option<MakeRecorder<'_>>,
    ) -> Baseline {
        let mut finished = self.run(&self.world, checks, true, recorder).await;
        let is_open = |done: &Finished| matches!(done.outcome, Outcome::Inconclusive(_));
        let open: Vec<&'static Check> =
            finished.iter().filter(|done| is_open(done)).map(|done| done.check).collect();
        if !open.is_empty() {
            finished.retain(|done| !is_open(done));
            finished.extend(self.run(&self.world, &open, true, recorder).await);
        }
        Baseline::of(&finished)
    }

    /// Runs the checks with a change applied, or returns the reason why this target cannot have it.
    pub(super) async fn run_changed(
        &self,
        change: Change,
        checks: &[&'static Check],
    ) -> Result<Result<Vec<Finished>, String>, CommandError> {
        if let Some(reason) = change.defect().and_then(|defect| self.lacks(defect)) {
            return Ok(Err(reason));
        }
        let world = self.world_of(change)?;
        let proxied = change.defect().filter(|defect| defect.layer != Layer::ToolServer);
        if let Some(defect) = proxied
            && let Err(error) = self.proxies.switch(defect, true).await
        {
            return Ok(Err(error.to_string()));
        }
        self.proxies.vary(&change.variants());
        // A variant may differ from choices.
        let finished = self.run(&world, checks, change.is_defect(), None).await;
        self.proxies.vary(&[]);
        if let Some(defect) = proxied {
            self.proxies
                .switch(defect, false)
                .await
                .map_err(|error| SwitchError { id: defect.id, reason: error.to_string() })?;
        }
        Ok(Ok(finished))
    }

    async fn run(
        &self,
        world: &Arc<World>,
        checks: &[&'static Check],
        strict: bool,
        recorder: Option<MakeRecorder<'_>>,
    ) -> Vec<Finished> {
        let (most, on_finished) = (self.most, &|_: &_| {});
        let rules = Rules { most, strict, shares_reads: false, unanswered: None, on_finished, recorder };
        runner::run(world, checks, &rules).await
    }

    /// Why this target cannot have a defect.
    fn lacks(&self, defect: &Defect) -> Option<String> {
        let target = &self.target;
        let part = match defect.layer {
            Layer::ToolServer if target.tool_server.is_none() => "a tool server",
            Layer::Rest if target.base_url.is_none() => "the REST service",
            Layer::Swap if target.swap_url.is_none() => "the swap service",
            Layer::Node if target.rpc_urls.is_empty() => "an RPC",
            Layer::Chain if self.most < Lane::Exclusive => {
                let reason = "it changes contracts, and only the read lane was allowed (--lane write)";
                return Some(reason.to_owned());
            }
            _ => return None,
        };
        Some(format!("the target has not been given {part}"))
    }

    /// The clients of the target with a change applied.
    fn world_of(&self, change: Change) -> Result<Arc<World>, CommandError> {
        if change.keeps_clients() {
            return Ok(Arc::clone(&self.world));
        }
        let (defect, variants) = (change.defect(), change.variants());
        let mut target = self.target.clone();
        let of_defect = defect.iter().map(|defect| (defect.id, std::slice::from_ref(&defect.layer)));
        let layers: Vec<(&str, &[Layer])> =
            of_defect.chain(variants.iter().map(|variant| (variant.id, variant.layers))).collect();
        let at = |layer| layers.iter().filter(move |(_, layers)| layers.contains(&layer)).map(|(id, _)| *id);
        let at_tool_server: Vec<&str> = at(Layer::ToolServer).collect();
        if let Some(command) = target.tool_server.as_ref().filter(|_| !at_tool_server.is_empty()) {
            target.tool_server = Some(wrapped(command, &at_tool_server, change.users_file())?);
        }
        if at(Layer::Node).next().is_some() {
            target.rpc_urls.clone_from(&self.proxies.addresses().rpc);
        }
        if variants.into_iter().any(has_no_control_plane) {
            target.control_url = None;
        }
        Ok(Arc::new(World::new(target, self.seed)?))
    }
}

/// The target reached through proxies; its RPCs are reached directly.
fn through_proxies(target: &Target, proxies: &Proxies) -> Target {
    let addresses = proxies.addresses();
    let through = |part: &Option<Url>, proxy: &Option<Url>| match (part, proxy) {
        (Some(part), Some(proxy)) => {
            let mut url = proxy.clone();
            url.set_path(part.path());
            Some(url)
        }
        _ => None,
    };
    Target {
        base_url: through(&target.base_url, &addresses.rest),
        swap_url: through(&target.swap_url, &addresses.swap),
        control_url: through(&target.control_url, &addresses.control),
        ..target.clone()
    }
}

/// Starts proxies in front of a target.
pub(crate) async fn proxies_for_target(target: &Target) -> Result<Proxies, CommandError> {
    start_proxies(Addresses {
        rest: target.base_url.clone(),
        swap: target.swap_url.clone(),
        control: target.control_url.clone(),
        rpc: target.rpc_urls.clone(),
    })
    .await
}

/// Starts proxies in front of services at these addresses, on free ports.
pub(crate) async fn start_proxies(addresses: Addresses) -> Result<Proxies, CommandError> {
    let listeners = Listeners::bind(Ports::free(&addresses).with_rpc(&addresses)).await?;
    Ok(listeners.start(addresses, HostHeader::Service, slipway_defects::Defects::default()).await?)
}
