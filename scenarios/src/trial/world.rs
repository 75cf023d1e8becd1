//! The world of a check: the clients of one target, and one seed.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use alloy::primitives::{Address, U256};
use tokio::sync::{Mutex, OnceCell};
use url::Url;

use crate::client::account::Account;
use crate::client::chain::Chain;
use crate::client::control::Control;
use crate::client::http::Http;
use crate::client::kept::Audit;
use crate::client::message::{Request, Response};
use crate::client::record::Recorder;
use crate::client::stdio::Stdio;
use crate::model::conventions::Conventions;
use crate::model::seed::Choices;
use crate::model::target::{Need, PRIMARY, SECOND, Target};
use crate::model::verdict::{Inconclusive, Stop};
use crate::trial::manners::Manners;
use crate::truth::ledger::FoldedAt;

/// How often, and at what interval, an answer that lags behind the chain is requested again.
const ASKS: usize = 120;
const PACE: Duration = Duration::from_millis(250);

/// The clients of one target; requesting one that the target lacks skips the check.
#[derive(Clone, Debug)]
pub struct World {
    target: Target,
    /// The seed of everything that a check generates.
    seed: u64,
    http: Http,
    chains: BTreeMap<u64, Chain>,
    /// The deployments that the ledger has folded so far.
    pub(crate) folded: Arc<Mutex<FoldedAt>>,
    conventions: Arc<OnceCell<Conventions>>,
    /// The formats that its tool server accepts, once they are known.
    pub(crate) manners: Arc<OnceCell<Arc<Manners>>>,
    recorder: Option<Arc<dyn Recorder>>,
    audit: Option<Arc<Audit>>,
    /// The parts that the check has requested and the target lacks.
    lacking: Arc<parking_lot::Mutex<BTreeSet<Need>>>,
}

impl World {
    /// Creates a world around a target; `seed` decides everything that a check generates.
    pub fn new(target: Target, seed: u64) -> Result<Self, Inconclusive> {
        let http = Http::within(
            target.rate_policy.clone(),
            target.control_url.clone(),
            target.control_token.clone(),
        )?;
        let chain = |(id, url): (&u64, &Url)| (*id, Chain::new(http.clone(), url.clone(), *id));
        let chains = target.rpc_urls.iter().map(chain).collect();
        Ok(Self {
            chains,
            target,
            seed,
            http,
            folded: Arc::default(),
            conventions: Arc::default(),
            manners: Arc::default(),
            recorder: None,
            audit: None,
            lacking: Arc::default(),
        })
    }

    /// Returns the world with recorded exchanges.
    pub fn recorded(&self, recorder: Arc<dyn Recorder>) -> Self {
        let http = self.http.recorded(Arc::clone(&recorder));
        Self { recorder: Some(recorder), ..self.asking(http) }
    }

    /// Returns the world with answers kept from now on, for the checks that judge them together.
    pub fn audited(&self) -> Self {
        let audit = Arc::new(Audit::new(&self.target));
        let http = self.http.audited(Arc::clone(&audit));
        Self { audit: Some(audit), ..self.asking(http) }
    }

    /// Returns the world in which checks that only read share their reads.
    pub fn sharing_reads(&self) -> Self {
        self.asking(self.http.sharing())
    }

    /// Returns the world for another check.
    pub(crate) fn for_another(&self) -> Self {
        Self { lacking: Arc::default(), ..self.asking(self.http.for_another()) }
    }

    /// Returns the world without shared reads.
    pub(crate) fn alone(&self) -> Self {
        self.asking(self.http.alone())
    }

    /// Returns the world over another HTTP client.
    fn asking(&self, http: Http) -> Self {
        let chains = self.chains.iter().map(|(id, chain)| (*id, chain.by(http.clone()))).collect();
        Self { chains, http, ..self.clone() }
    }

    /// Returns the kept answers, if answers are kept.
    pub(crate) fn audit(&self) -> Option<&Audit> {
        self.audit.as_deref()
    }

    /// Returns the number of the exchange that ended last, if exchanges are recorded.
    pub(crate) fn last_exchange(&self) -> Option<u64> {
        self.recorder.as_ref()?.last()
    }

    /// Marks a signature as public: its account was made up by a check.
    pub(crate) fn reveal(&self, text: &str) {
        if let Some(recorder) = &self.recorder {
            recorder.reveal(text);
        }
    }

    /// Returns the target as given by the caller.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Returns the raw HTTP client, for any address.
    pub fn http(&self) -> &Http {
        &self.http
    }

    /// Whether the target offers a part that a check would judge with; records it if the target lacks it.
    pub(crate) fn has(&self, need: Need) -> bool {
        self.given(need, self.offers(need).then_some(())).is_ok()
    }

    /// Returns the parts that the check has requested and the target lacks.
    pub(crate) fn lacking(&self) -> Vec<Need> {
        self.lacking.lock().iter().copied().collect()
    }

    /// Whether the target offers a need of a check.
    pub fn offers(&self, need: Need) -> bool {
        let target = &self.target;
        match need {
            Need::Rest => target.base_url.is_some(),
            Need::LaunchHook => target.base_url.is_some() || target.conventions.hook.is_some(),
            Need::Swap => target.swap_url.is_some(),
            Need::PrimaryChain => target.rpc_urls.contains_key(&PRIMARY),
            Need::SecondChain => target.rpc_urls.contains_key(&SECOND),
            Need::Accounts => !target.private_keys.is_empty(),
            Need::Control => target.control_url.is_some(),
            Need::ToolServer => target.tool_server.is_some(),
        }
    }

    /// Returns the address of the REST service.
    pub fn rest(&self) -> Result<&Url, Stop> {
        self.given(Need::Rest, self.target.base_url.as_ref())
    }

    /// Returns the address of the swap service.
    pub fn swap(&self) -> Result<&Url, Stop> {
        self.given(Need::Swap, self.target.swap_url.as_ref())
    }

    /// Returns the client of a chain.
    pub fn chain(&self, chain_id: u64) -> Result<&Chain, Stop> {
        let need = if chain_id == SECOND { Need::SecondChain } else { Need::PrimaryChain };
        self.given(need, self.chains.get(&chain_id))
    }

    /// Returns the client of the control plane.
    pub fn control(&self) -> Result<Control, Stop> {
        self.given(Need::Control, self.controlled())
    }

    /// Reverts the platform to a checkpoint, its chains included.
    pub(crate) async fn reverted(&self, control: &Control, checkpoint: &str) -> Result<(), Inconclusive> {
        control.revert(checkpoint).await?;
        self.chains.values().for_each(Chain::rolled_back);
        Ok(())
    }

    /// Like [`World::control`] for uses that judge nothing: does not record that the target lacks it.
    fn controlled(&self) -> Option<Control> {
        let origin = self.target.control_url.clone()?;
        Some(Control::new(self.http.clone(), origin, self.target.control_token.clone()))
    }

    /// Returns how the target fills the gaps of the interface: as its file declares, else as its control plane does.
    pub(crate) async fn conventions(&self) -> Result<&Conventions, Stop> {
        let read = async || {
            let declared = self.target.conventions.clone();
            let Some(control) = self.controlled() else { return Ok(declared) };
            Ok::<_, Inconclusive>(declared.or(&control.conventions().await?))
        };
        Ok(self.conventions.get_or_try_init(read).await?)
    }

    /// Returns a fresh captcha token: printed by the target's declared command, else minted by its control plane.
    pub(crate) async fn captcha(&self) -> Result<String, Stop> {
        match &self.target.conventions.captcha {
            Some(command) => Ok(command.printed(None).await?),
            None => Ok(self.control()?.captcha().await?),
        }
    }

    /// Returns the header with a wallet's bearer token, from the target's declared command, else from its control plane.
    pub(crate) async fn bearer(&self, wallet: Address) -> Result<String, Stop> {
        let token = match &self.target.conventions.bearer {
            Some(command) => command.printed(Some(wallet)).await?,
            None => self.control()?.bearer(wallet).await?,
        };
        if let Some(recorder) = &self.recorder {
            recorder.conceal(&token);
        }
        Ok(format!("Bearer {token}"))
    }

    /// Starts the tool server with these variables of the interface.
    pub(crate) fn spawn_tool_server(&self, variables: &[(&str, &str)]) -> Result<Stdio, Stop> {
        let command = self.given(Need::ToolServer, self.target.tool_server.as_ref())?;
        let mut stdio = Stdio::spawn_within(command, variables, self.http.bounds())?;
        if let Some(recorder) = &self.recorder {
            conceal_keys(&**recorder, variables);
        }
        stdio.recorder.clone_from(&self.recorder);
        stdio.audit.clone_from(&self.audit);
        Ok(stdio)
    }

    /// Returns choices that depend only on the seed and the label.
    pub fn choices(&self, label: &str) -> Choices {
        Choices::new(self.seed, label)
    }

    /// Returns the account that pays for the checks.
    pub(crate) fn payer(&self) -> Result<Account, Stop> {
        Ok(Account::lent(self.given(Need::Accounts, self.target.private_keys.first())?)?)
    }

    /// Returns a new account of a check on a chain, which holds at least `wei`.
    pub async fn account(&self, chain_id: u64, choices: &mut Choices, wei: U256) -> Result<Account, Stop> {
        let account = Account::fresh(choices);
        let payer = self.payer()?;
        self.chain(chain_id)?.fund(&payer, account.address(), wei).await?;
        Ok(account)
    }

    /// Waits until the service has seen a block; if the target does not report that, waits for the longest tolerated lag.
    pub async fn settled(&self, chain_id: u64, block: u64) -> Result<(), Stop> {
        if !self.reported(chain_id, block).await? {
            self.http.settle().await;
        }
        Ok(())
    }

    fn given<T>(&self, need: Need, part: Option<T>) -> Result<T, Stop> {
        part.ok_or_else(|| {
            self.lacking.lock().insert(need);
            Stop::Skipped(need.reason_to_skip())
        })
    }

    /// Waits until the target reports that the service has seen a block; `false` if it reports no such thing.
    async fn reported(&self, chain_id: u64, block: u64) -> Result<bool, Stop> {
        let Some(control) = self.controlled() else { return Ok(false) };
        match control.indexed(chain_id, block).await {
            Err(Inconclusive::NoCall { .. }) => Ok(false),
            indexed => Ok(indexed.map(|()| true)?),
        }
    }

    /// Returns the answer after a block has been seen: sent once if the target reports that, else repeated until accepted, a bounded number
    /// of times. Returns the last answer even if it was not accepted.
    pub(crate) async fn request_settled(
        &self,
        chain_id: u64,
        block: u64,
        request: &Request,
        accept: impl Fn(&Response) -> bool,
    ) -> Result<Response, Stop> {
        if self.reported(chain_id, block).await? {
            return Ok(self.http.send(request.clone()).await?);
        }
        let mut pace = tokio::time::interval(PACE);
        for _ in 1..ASKS {
            let response = self.http.send(request.clone()).await?;
            if accept(&response) {
                return Ok(response);
            }
            pace.tick().await;
        }
        Ok(self.http.send(request.clone()).await?)
    }
}

/// Keeps the keys of a tool server out of every record.
fn conceal_keys(recorder: &dyn Recorder, variables: &[(&str, &str)]) {
    for (name, value) in variables {
        match *name {
            "SERVICE_MCP_PRIVATE_KEY" => recorder.conceal(value.trim()),
            "SERVICE_MCP_PRIVATE_KEY_FILE" => {
                // A file that cannot be read holds no secret that the server could leak.
                if let Ok(text) = slipway_contracts::read_text(value.as_ref(), slipway_contracts::WRITTEN) {
                    recorder.conceal(text.trim());
                }
            }
            _ => {}
        }
    }
}
