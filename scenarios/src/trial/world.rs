//! What is under test: the clients of one target, and one seed.
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

/// How often an answer that lags behind the chain is asked for again, and how long apart.
const ASKS: usize = 120;
const PACE: Duration = Duration::from_millis(250);

/// The clients of one target, made when they are asked for; asking for one the target lacks skips the check.
#[derive(Clone, Debug)]
pub struct World {
    target: Target,
    /// Decides everything a check generates.
    seed: u64,
    http: Http,
    chains: BTreeMap<u64, Chain>,
    /// What the ledger has folded so far.
    pub(crate) folded: Arc<Mutex<FoldedAt>>,
    conventions: Arc<OnceCell<Conventions>>,
    /// How its tool server is spoken to, once that is known.
    pub(crate) manners: Arc<OnceCell<Arc<Manners>>>,
    recorder: Option<Arc<dyn Recorder>>,
    audit: Option<Arc<Audit>>,
    /// What the check has asked for and the target lacks.
    lacking: Arc<parking_lot::Mutex<BTreeSet<Need>>>,
}

impl World {
    /// A world around a target; `seed` decides everything a check generates.
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

    /// The same world, whose exchanges are recorded.
    pub fn recorded(&self, recorder: Arc<dyn Recorder>) -> Self {
        let http = self.http.recorded(Arc::clone(&recorder));
        Self { recorder: Some(recorder), ..self.asking(http) }
    }

    /// The same world, whose answers are kept from now on, for the checks that judge them together.
    pub fn audited(&self) -> Self {
        let audit = Arc::new(Audit::new(&self.target));
        let http = self.http.audited(Arc::clone(&audit));
        Self { audit: Some(audit), ..self.asking(http) }
    }

    /// The same world, in which checks that only read share what they read.
    pub fn sharing_reads(&self) -> Self {
        self.asking(self.http.sharing())
    }

    /// The same world for another check.
    pub(crate) fn for_another(&self) -> Self {
        Self { lacking: Arc::default(), ..self.asking(self.http.for_another()) }
    }

    /// The same world, in which nothing is shared.
    pub(crate) fn alone(&self) -> Self {
        self.asking(self.http.alone())
    }

    /// The same world, asked by another HTTP client.
    fn asking(&self, http: Http) -> Self {
        let chains = self.chains.iter().map(|(id, chain)| (*id, chain.by(http.clone()))).collect();
        Self { chains, http, ..self.clone() }
    }

    /// The answers that were kept, where they are.
    pub(crate) fn audit(&self) -> Option<&Audit> {
        self.audit.as_deref()
    }

    /// The number of the exchange that ended last, where exchanges are recorded.
    pub(crate) fn last_exchange(&self) -> Option<u64> {
        self.recorder.as_ref()?.last()
    }

    /// A signature of an account that a check made up may be shown.
    pub(crate) fn reveal(&self, text: &str) {
        if let Some(recorder) = &self.recorder {
            recorder.reveal(text);
        }
    }

    /// What the caller was given.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// The raw HTTP client, for any address.
    pub fn http(&self) -> &Http {
        &self.http
    }

    /// Whether the target offers a part that a check would judge with; what it lacks is noted.
    pub(crate) fn has(&self, need: Need) -> bool {
        self.given(need, self.offers(need).then_some(())).is_ok()
    }

    /// What the check has asked for and the target lacks.
    pub(crate) fn lacking(&self) -> Vec<Need> {
        self.lacking.lock().iter().copied().collect()
    }

    /// Whether the target offers what a check needs.
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

    /// The address of the REST service.
    pub fn rest(&self) -> Result<&Url, Stop> {
        self.given(Need::Rest, self.target.base_url.as_ref())
    }

    /// The address of the swap service.
    pub fn swap(&self) -> Result<&Url, Stop> {
        self.given(Need::Swap, self.target.swap_url.as_ref())
    }

    /// The client of a chain.
    pub fn chain(&self, chain_id: u64) -> Result<&Chain, Stop> {
        let need = if chain_id == SECOND { Need::SecondChain } else { Need::PrimaryChain };
        self.given(need, self.chains.get(&chain_id))
    }

    /// The client of the control plane.
    pub fn control(&self) -> Result<Control, Stop> {
        self.given(Need::Control, self.controlled())
    }

    /// The same for what is no judgement: that the target lacks it is not noted.
    fn controlled(&self) -> Option<Control> {
        let origin = self.target.control_url.clone()?;
        Some(Control::new(self.http.clone(), origin, self.target.control_token.clone()))
    }

    /// How the target does what the interface leaves open: as its file declares it, else as its control plane does.
    pub(crate) async fn conventions(&self) -> Result<&Conventions, Stop> {
        let read = async || {
            let declared = self.target.conventions.clone();
            let Some(control) = self.controlled() else { return Ok(declared) };
            Ok::<_, Inconclusive>(declared.or(&control.conventions().await?))
        };
        Ok(self.conventions.get_or_try_init(read).await?)
    }

    /// A fresh captcha token: printed by the command that the target declares, else minted by its control plane.
    pub(crate) async fn captcha(&self) -> Result<String, Stop> {
        match &self.target.conventions.captcha {
            Some(command) => Ok(command.printed(None).await?),
            None => Ok(self.control()?.captcha().await?),
        }
    }

    /// The header of a bearer token of a wallet, which comes from where captchas do.
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

    /// Choices that depend on the seed and the label only.
    pub fn choices(&self, label: &str) -> Choices {
        Choices::new(self.seed, label)
    }

    /// The account that pays for what checks do.
    pub(crate) fn payer(&self) -> Result<Account, Stop> {
        Ok(Account::lent(self.given(Need::Accounts, self.target.private_keys.first())?)?)
    }

    /// An account of the check's own on a chain, holding at least `wei`.
    pub async fn account(&self, chain_id: u64, choices: &mut Choices, wei: U256) -> Result<Account, Stop> {
        let account = Account::fresh(choices);
        let payer = self.payer()?;
        self.chain(chain_id)?.fund(&payer, account.address(), wei).await?;
        Ok(account)
    }

    /// Returns when the service has seen a block: where the target does not report that, after a while.
    pub async fn settled(&self, chain_id: u64, block: u64) -> Result<(), Stop> {
        if !self.reported(chain_id, block).await? {
            self.http.settle().await;
        }
        Ok(())
    }

    fn given<T>(&self, need: Need, part: Option<T>) -> Result<T, Stop> {
        part.ok_or_else(|| {
            self.lacking.lock().insert(need);
            Stop::Skipped(need.is_lacking())
        })
    }

    /// Whether the target reported that the service has seen a block, once it has.
    async fn reported(&self, chain_id: u64, block: u64) -> Result<bool, Stop> {
        let Some(control) = self.controlled() else { return Ok(false) };
        match control.indexed(chain_id, block).await {
            Err(Inconclusive::NoCall { .. }) => Ok(false),
            indexed => Ok(indexed.map(|()| true)?),
        }
    }

    /// The answer after a block has been seen: asked once where the target reports that, else until it is accepted, a
    /// bounded number of times. The last answer is returned in any case.
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

/// The keys that a tool server is started with are kept nowhere.
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
