//! Proves the checks of a target: a seeded defect that no check catches is a fault of the checks, and so is a check that no defect fails.
use std::collections::BTreeMap;
use std::sync::Arc;

use futures::future::try_join_all;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use slipway_defects::http::{Addresses, HostHeader, Listeners, Ports, Proxies};
use slipway_defects::variants::{Variant, has_no_control_plane};
use slipway_defects::{Defect, Layer};
use slipway_scenarios::target::RatePolicy;
use slipway_scenarios::{Check, Lane, Target, World, checks};
use url::Url;

use crate::error::{CommandError, Fatal};
use crate::local::LocalPlatform;
use crate::progress::Progress;
use crate::proof::{Kill, Witness};
use crate::runner::{self, Finished, MakeRecorder, Outcome, Rules};
use crate::tool_server::wrapped;

/// The drill's own control: no defect, so it must be reported as missed. Drilled only when selected.
pub(crate) const CONTROL: Defect = Defect {
    id: "control",
    layer: Layer::Rest,
    summary: "Nothing is broken; the drill must say that nothing was noticed.",
    clauses: &["LIST-COUNT"],
    file: file!(),
    line: line!(),
};

/// Which checks are run against a defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Breadth {
    /// Those of the clauses that it declares: whether it is caught.
    Concerned,
    /// All: also whether it fails a clause that it does not declare.
    Every,
}

/// Something that this target cannot prove, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NotProven {
    /// A check.
    pub(crate) id: String,
    pub(crate) reason: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DefectEntry {
    pub(crate) id: String,
    pub(crate) clauses: Vec<String>,
    /// Checks that failed for a clause that the defect declares.
    pub(crate) caught_by: Vec<Kill>,
    /// Declared clauses that no check failed, although all of their checks ran.
    pub(crate) missed: Vec<String>,
    /// Declared clauses without evidence either way.
    pub(crate) not_proven: Vec<OpenClause>,
    /// Checks that failed for a clause that the defect does not declare.
    pub(crate) undeclared: Vec<Kill>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OpenClause {
    pub(crate) clause: String,
    pub(crate) reason: String,
}

#[derive(Debug, thiserror::Error)]
#[error("the defect {id:?} cannot be switched: {reason}")]
pub(crate) struct SwitchError {
    id: String,
    reason: String,
}

impl Fatal for SwitchError {}

#[derive(Debug)]
pub(crate) struct Drill {
    pub(crate) rows: Vec<DefectEntry>,
    /// Checks that were not green although no defect was on, with their reasons; they prove nothing.
    pub(crate) not_green: Vec<NotProven>,
    /// Checks of these defects that prove nothing here.
    pub(crate) unusable: Vec<NotProven>,
}

/// A target with proxies in front of it.
pub(crate) struct Subject<'a> {
    /// The target as checks see it: through the proxies, its RPCs directly.
    target: Target,
    /// The clients of that target, shared by the defects of its HTTP services.
    world: Arc<World>,
    proxies: &'a Proxies,
    /// Addresses of the local platform, each with the one that records contain in its place.
    addresses: Vec<(String, String)>,
    seed: u64,
    /// The most disruptive lane that may run.
    most: Lane,
}

impl<'a> Subject<'a> {
    pub(crate) fn local(
        platform: &'a LocalPlatform,
        seed: u64,
        rate_policy: RatePolicy,
    ) -> Result<Self, CommandError> {
        let proxies = platform.proxies().expect("it was started for a drill");
        let subject = Self::new(platform.target(rate_policy)?, proxies, seed, Lane::Exclusive)?;
        Ok(Self { addresses: platform.lasting_addresses(), ..subject })
    }

    pub(crate) fn external(
        target: &Target,
        proxies: &'a Proxies,
        seed: u64,
        most: Lane,
    ) -> Result<Self, CommandError> {
        Self::new(behind(target, proxies), proxies, seed, most)
    }

    fn new(target: Target, proxies: &'a Proxies, seed: u64, most: Lane) -> Result<Self, CommandError> {
        let world = Arc::new(World::new(target.clone(), seed)?);
        Ok(Self { target, world, proxies, addresses: Vec::new(), seed, most })
    }

    async fn run(
        &self,
        target: Target,
        chosen: &[&'static Check],
        recorder: Option<MakeRecorder<'_>>,
    ) -> Result<Vec<Finished>, CommandError> {
        Ok(self.run_in(&Arc::new(World::new(target, self.seed)?), chosen, recorder).await)
    }

    pub(crate) fn target(&self) -> &Target {
        &self.target
    }

    pub(crate) fn world(&self) -> &Arc<World> {
        &self.world
    }

    pub(crate) fn addresses(&self) -> &[(String, String)] {
        &self.addresses
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    async fn run_in(
        &self,
        world: &Arc<World>,
        chosen: &[&'static Check],
        recorder: Option<MakeRecorder<'_>>,
    ) -> Vec<Finished> {
        let rules = Rules { most: self.most, strict: true, on_finished: &|_| {}, recorder };
        runner::run(world, chosen, &rules).await
    }

    /// Runs the checks with no defect on.
    async fn baseline(
        &self,
        involved: &[&'static Check],
        witness: Option<&mut Witness>,
    ) -> Result<Baseline, CommandError> {
        let Some(witness) = witness else { return self.sound(involved, None).await };
        let recording = witness.recording(&self.target, involved)?;
        let recorder = |check: &'static Check| Some(recording.of(check.id));
        let baseline = self.sound(involved, Some(&recorder)).await?;
        witness.sound(&recording)?;
        Ok(baseline)
    }

    /// Runs the checks with nothing changed.
    pub(crate) async fn sound(
        &self,
        involved: &[&'static Check],
        recorder: Option<MakeRecorder<'_>>,
    ) -> Result<Baseline, CommandError> {
        Ok(Baseline::of(&self.run(self.target.clone(), involved, recorder).await?))
    }

    /// Runs the checks with a defect on; a witness records those that it has no proof of.
    async fn watched(
        &self,
        defect: &Defect,
        chosen: &[&'static Check],
        witness: Option<&mut Witness>,
    ) -> Result<Result<Vec<Finished>, String>, CommandError> {
        let Some(witness) = witness.filter(|witness| chosen.iter().any(|check| witness.lacks(check, defect)))
        else {
            return self.run_with(defect, chosen, None).await;
        };
        // A check of all answers requests some itself if no other check did, as here but not in the baseline.
        let of_all = |check: &&'static Check| check.after_all && witness.lacks(check, defect);
        let of_all: Vec<&'static Check> = chosen.iter().copied().filter(of_all).collect();
        if !of_all.is_empty() {
            self.baseline(&of_all, Some(&mut *witness)).await?;
        }
        let recording = witness.recording(&self.target, chosen)?;
        let recorder = |check: &'static Check| witness.lacks(check, defect).then(|| recording.of(check.id));
        let ran = self.run_with(defect, chosen, Some(&recorder)).await?;
        if let Ok(finished) = &ran {
            witness.broken(defect, finished, &recording)?;
        }
        Ok(ran)
    }

    /// Runs the checks with a defect on, or returns the reason why this target cannot have it.
    async fn run_with(
        &self,
        defect: &Defect,
        chosen: &[&'static Check],
        recorder: Option<MakeRecorder<'_>>,
    ) -> Result<Result<Vec<Finished>, String>, CommandError> {
        let mut target = self.target.clone();
        match defect.layer {
            _ if defect.id == CONTROL.id => return Ok(Ok(self.run(target, chosen, recorder).await?)),
            Layer::ToolServer => {
                let Some(command) = &target.tool_server else { return Ok(Err(lacks("a tool server"))) };
                target.tool_server = Some(wrapped(command, &[defect.id])?);
                return Ok(Ok(self.run(target, chosen, recorder).await?));
            }
            Layer::Rest if target.base_url.is_none() => return Ok(Err(lacks("the REST service"))),
            Layer::Swap if target.swap_url.is_none() => return Ok(Err(lacks("the swap service"))),
            Layer::Node if target.rpc_urls.is_empty() => return Ok(Err(lacks("an RPC"))),
            Layer::Chain if self.most < Lane::Exclusive => {
                let reason = "it changes contracts, and only the read lane was allowed (--lane write)";
                return Ok(Err(reason.to_owned()));
            }
            Layer::Node => target.rpc_urls.clone_from(&self.proxies.addresses().rpc),
            Layer::Rest | Layer::Swap | Layer::Chain => {}
        }
        if let Err(error) = self.proxies.switch(defect, true).await {
            return Ok(Err(error.to_string()));
        }
        let finished = match defect.layer {
            Layer::Rest | Layer::Swap => Ok(self.run_in(&self.world, chosen, recorder).await),
            // Values read from sound contracts and nodes do not apply to these.
            Layer::Node | Layer::Chain | Layer::ToolServer => self.run(target, chosen, recorder).await,
        };
        self.proxies
            .switch(defect, false)
            .await
            .map_err(|error| SwitchError { id: defect.id.to_owned(), reason: error.to_string() })?;
        Ok(Ok(finished?))
    }
}

impl Subject<'_> {
    /// Runs the checks with these variants in force; differences in choices are not failures.
    pub(crate) async fn run_varied(
        &self,
        variants: &[&'static Variant],
        chosen: &[&'static Check],
    ) -> Result<Vec<Finished>, CommandError> {
        let mut target = self.target.clone();
        let of = |layer| variants.iter().filter(move |variant| variant.layers.contains(&layer));
        let of_tool_server: Vec<&str> = of(Layer::ToolServer).map(|variant| variant.id).collect();
        if let Some(command) = target.tool_server.as_ref().filter(|_| !of_tool_server.is_empty()) {
            target.tool_server = Some(wrapped(command, &of_tool_server)?);
        }
        if variants.iter().copied().any(has_no_control_plane) {
            target.control_url = None;
        }
        if of(Layer::Node).next().is_some() {
            target.rpc_urls.clone_from(&self.proxies.addresses().rpc);
        }
        let world = Arc::new(World::new(target, self.seed)?);
        let rules = Rules { most: self.most, strict: false, on_finished: &|_| {}, recorder: None };
        self.proxies.vary(variants);
        let finished = runner::run(&world, chosen, &rules).await;
        self.proxies.vary(&[]);
        Ok(finished)
    }

    /// Runs the checks with a defect on that is not a variant.
    pub(crate) async fn run_broken(
        &self,
        defect: &Defect,
        chosen: &[&'static Check],
    ) -> Result<Vec<Finished>, CommandError> {
        let ran = self.run_with(defect, chosen, None).await?;
        Ok(ran.map_err(|reason| SwitchError { id: defect.id.to_owned(), reason })?)
    }
}

/// An external target as checks see it through proxies; its RPCs stay as they are.
pub(crate) fn behind(target: &Target, proxies: &Proxies) -> Target {
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

fn lacks(part: &str) -> String {
    format!("the target has not been given {part}")
}

pub(crate) async fn in_front_of(target: &Target) -> Result<Proxies, CommandError> {
    let addresses = Addresses {
        rest: target.base_url.clone(),
        swap: target.swap_url.clone(),
        control: target.control_url.clone(),
        rpc: target.rpc_urls.clone(),
    };
    stand_before(addresses).await
}

/// Proxies in front of services at these addresses, on new ports.
pub(crate) async fn stand_before(addresses: Addresses) -> Result<Proxies, CommandError> {
    let listeners = Listeners::bind(Ports::free(&addresses).with_rpc(&addresses)).await?;
    Ok(listeners.start(addresses, HostHeader::Service, slipway_defects::Defects::default()).await?)
}

/// Drills `defects`; `whole` means that these are all there are, so that unproven checks can be listed. A witness records what happens.
/// Defects whose checks only read run in parallel, one on each of the further subjects.
pub(crate) async fn drill(
    defects: &[&Defect],
    subject: &Subject<'_>,
    further: &[Subject<'_>],
    whole: bool,
    breadth: Breadth,
    mut witness: Option<&mut Witness>,
) -> Result<Drill, CommandError> {
    let involved: Vec<&'static Check> =
        checks().filter(|check| whole || defects.iter().any(|defect| breadth.takes(check, defect))).collect();
    let baseline = subject.baseline(&involved, witness.as_deref_mut()).await?;
    let progress = Progress::new(defects.len());
    let chosen = |defect: &Defect| -> Vec<&'static Check> {
        let usable = |check: &&'static Check| breadth.takes(check, defect) && baseline.is_usable(check);
        involved.iter().copied().filter(usable).collect()
    };
    // A witness needs a fixed order.
    let beside = if witness.is_some() { &[] } else { further };
    let quiet = |defect: &Defect| {
        let chosen = chosen(defect);
        // All subjects share the contracts of a chain.
        defect.layer != Layer::Chain
            && !chosen.is_empty()
            && chosen.iter().all(|check| check.lane == Lane::Read && !check.after_all)
    };
    let (quiet, alone): (Vec<usize>, Vec<usize>) =
        (0..defects.len()).partition(|at| !beside.is_empty() && quiet(defects[*at]));
    let next = Mutex::new(quiet.into_iter());
    let drilled = beside.iter().map(|subject| async {
        let mut rows = Vec::new();
        loop {
            let at = next.lock().next();
            let Some(at) = at else { return Ok::<_, CommandError>(rows) };
            let defect = defects[at];
            rows.push((at, row(defect, subject.watched(defect, &chosen(defect), None).await?, &baseline)));
            progress.step(defect.id);
        }
    });
    let mut rows: BTreeMap<usize, DefectEntry> = try_join_all(drilled).await?.into_iter().flatten().collect();
    for at in alone {
        let (defect, chosen) = (defects[at], chosen(defects[at]));
        let ran = if chosen.is_empty() {
            // A defect that no check could catch is not switched on.
            Ok(Vec::new())
        } else {
            subject.watched(defect, &chosen, witness.as_deref_mut()).await?
        };
        rows.insert(at, row(defect, ran, &baseline));
        progress.step(defect.id);
    }
    progress.clear();
    let unusable = baseline.unusable.into_iter().map(|(id, reason)| NotProven { id: id.to_owned(), reason });
    Ok(Drill {
        rows: rows.into_values().collect(),
        unusable: unusable.collect(),
        not_green: baseline.not_green,
    })
}

impl Breadth {
    fn takes(self, check: &Check, defect: &Defect) -> bool {
        self == Self::Every || defect.clauses.contains(&check.clause.id)
    }
}

/// The results of the checks with no defect on.
pub(crate) struct Baseline {
    /// Checks that prove nothing here, and why.
    unusable: BTreeMap<&'static str, String>,
    /// Those of them that ran.
    pub(crate) not_green: Vec<NotProven>,
}

impl Baseline {
    pub(crate) fn is_usable(&self, check: &Check) -> bool {
        !self.unusable.contains_key(check.id)
    }

    fn of(finished: &[Finished]) -> Self {
        let (mut unusable, mut not_green) = (BTreeMap::new(), Vec::new());
        for item in finished {
            let id = item.check.id;
            match &item.outcome {
                Outcome::Passed => {}
                Outcome::Skipped(reason) => _ = unusable.insert(id, reason.clone()),
                other => {
                    unusable.insert(id, format!("{id} does not pass without a defect"));
                    not_green.push(NotProven { id: id.to_owned(), reason: format!("{other:?}") });
                }
            }
        }
        Self { unusable, not_green }
    }
}

fn row(defect: &Defect, ran: Result<Vec<Finished>, String>, baseline: &Baseline) -> DefectEntry {
    let owned = |id: &&str| (*id).to_owned();
    let mut row = DefectEntry {
        id: defect.id.to_owned(),
        clauses: defect.clauses.iter().map(owned).collect(),
        ..DefectEntry::default()
    };
    let finished = match ran {
        Ok(finished) => finished,
        Err(reason) => {
            let open = |clause| OpenClause { clause: owned(clause), reason: reason.clone() };
            row.not_proven = defect.clauses.iter().map(open).collect();
            return row;
        }
    };
    for item in &finished {
        let Outcome::Failed(failure) = &item.outcome else { continue };
        let kill = Kill { check: item.check.id.to_owned(), clause: failure.clause.to_owned() };
        // The checks of all answers fail under nearly every defect, so no defect need declare them.
        let is_of_all = || checks().any(|check| check.after_all && check.clause.id == failure.clause);
        if defect.clauses.contains(&failure.clause) {
            row.caught_by.push(kill);
        } else if !is_of_all() {
            row.undeclared.push(kill);
        }
    }
    for clause in defect.clauses.iter().filter(|id| row.caught_by.iter().all(|kill| kill.clause != **id)) {
        match open_question(clause, &finished, baseline) {
            Some(reason) => row.not_proven.push(OpenClause { clause: owned(clause), reason }),
            None => row.missed.push(owned(clause)),
        }
    }
    row
}

/// Why a clause that no check failed is undecided: a check of it did not run, or reached no verdict.
fn open_question(clause: &str, finished: &[Finished], baseline: &Baseline) -> Option<String> {
    checks().filter(|check| check.clause.id == clause).find_map(|check| {
        let ran = finished.iter().find(|item| item.check.id == check.id);
        match ran.map(|item| &item.outcome) {
            Some(Outcome::Skipped(reason) | Outcome::Inconclusive(reason)) => Some(reason.clone()),
            Some(_) => None,
            None => baseline.unusable.get(check.id).cloned(),
        }
    })
}
