//! The player carries out the steps of a play on a platform, one after the other, as a client.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Address, U64, U256};
use reqwest::Method;
use serde_json::{Value, json};

use super::check::MOST_BLOCKS;
use super::file::{Act, EffectTable, FaultTable, StepRow};
use super::refusal::{Halt, Refusal};
use super::trade::Launched;
use crate::answers::members::parsed;
use crate::answers::reads::{get, param};
use crate::client::account::Account;
use crate::client::control::Control;
use crate::client::message::{Request, Response};
use crate::client::paths::{CAPABILITIES, CHAT};
use crate::model::conventions::undeclared;
use crate::model::target::CHAINS;
use crate::model::verdict::{Inconclusive, Stop};
use crate::sections::chat::draft;
use crate::trial::world::World;
use crate::truth::reference::ether;

/// Ether that each account drawn from the seed gets on each chain.
const ALLOWANCE: u64 = 100;

/// An unfulfilled expectation of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The expectation.
    pub expected: String,
    /// The actual value.
    pub actual: String,
}

/// Plays steps on one platform.
#[derive(Debug)]
pub struct Player {
    pub(super) world: World,
    control: Control,
    /// Accounts of the ready line by name.
    accounts: BTreeMap<String, u8>,
    /// The contract that takes launches, by chain.
    pub(super) hooks: BTreeMap<u64, Address>,
    /// Tokens by the names that steps give them.
    pub(super) tokens: BTreeMap<String, Launched>,
    /// Ids of checkpoints by name, each with the tokens known at that time.
    checkpoints: BTreeMap<String, (String, BTreeMap<String, Launched>)>,
    /// Names of the faults that the play ordered.
    faults: BTreeSet<String>,
}

impl Player {
    /// Creates a player on the platform of a world, with these named accounts of the ready line.
    ///
    /// # Errors
    /// Fails if the platform does not answer, or has no control plane.
    pub async fn new(world: World, accounts: BTreeMap<String, u8>) -> Result<Self, Inconclusive> {
        let lost = |stop| match stop {
            Stop::Inconclusive(error) => error,
            Stop::Skipped(reason) => Inconclusive::NoMaterial { reason },
            Stop::Failed(failure) => Inconclusive::Harness { reason: failure.actual },
        };
        let control = world.control().map_err(lost)?;
        let rest = world.rest().map_err(lost)?.clone();
        let mut hooks = BTreeMap::new();
        // Read before the first step, because its faults could hit this request.
        for chain_id in CHAINS.into_iter().filter(|chain| world.chain(*chain).is_ok()) {
            let request = get(&rest, CAPABILITIES, &[param("chainId", chain_id.to_string())]);
            let body = world.http().send(request).await?.json().unwrap_or_default();
            hooks.extend(parsed(&body["activeCreationDeployment"]["hook"]).map(|hook| (chain_id, hook)));
        }
        let (tokens, checkpoints, faults) = Default::default();
        Ok(Self { world, control, accounts, hooks, tokens, checkpoints, faults })
    }

    /// Plays a step and returns a description of the result, or the mismatch. A refusal that the step expects is a success.
    ///
    /// # Errors
    /// Fails if the platform does not answer.
    pub async fn play(&mut self, step: &StepRow) -> Result<Result<String, Mismatch>, Inconclusive> {
        let done = match step.acts().next() {
            Some((_, act)) => self.act(step, act).await,
            None => Ok(String::new()),
        };
        Ok(match (done, &step.fails) {
            (Ok(result), None) => Ok(result),
            (Ok(result), Some(named)) => {
                Err(Mismatch { expected: format!("a refusal: {named}"), actual: result })
            }
            (Err(Halt::Refused(refusal)), Some(named)) if refusal.is(named) => {
                Ok(format!("refused: {}", refusal.text))
            }
            (Err(Halt::Refused(refusal)), named) => {
                let expected = match named {
                    Some(named) => format!("a refusal: {named}"),
                    None => "no refusal".to_owned(),
                };
                Err(Mismatch { expected, actual: refusal.text })
            }
            (Err(Halt::Differs(mismatch)), _) => Err(mismatch),
            (Err(Halt::Lost(error)), _) => return Err(error),
        })
    }

    async fn act(&mut self, step: &StepRow, act: Act<'_>) -> Result<String, Halt> {
        match act {
            Act::Launch(launch) => self.launch(step, launch).await,
            Act::Buy(amount) => self.buy(step, U256::from(amount.atto())).await,
            Act::Sell(amount) => self.sell(step, U256::from(amount.atto())).await,
            Act::To(percent) => self.trade_to(step, percent).await,
            Act::Chat(text) => self.chat(step, text).await,
            Act::Wait(blocks) => self.mine(step.chain(), blocks).await,
            Act::Height(height) => {
                let reached = self.world.chain(step.chain())?.head().await?.header.number;
                match height.saturating_sub(reached) {
                    missing @ 0..=MOST_BLOCKS => self.mine(step.chain(), missing).await,
                    _ => {
                        let expected = format!("at most {MOST_BLOCKS} blocks up to {height}");
                        Err(Halt::differs(expected, format!("block {reached} is the last")))
                    }
                }
            }
            Act::Jump(span) => {
                let order = json!({ "seconds": span.seconds() });
                let answer = self.order(Method::POST, "/_sim/clock/advance", &order).await?;
                Ok(format!("clock {}", answer["now"]))
            }
            Act::Fault(fault) => {
                let path = format!("/_sim/faults/{}", fault.name());
                self.order(Method::PUT, &path, &ordered(fault)).await?;
                self.faults.insert(fault.name().to_owned());
                Ok(format!("ordered {}", fault.name()))
            }
            Act::ClearFaults => self.clear_faults().await,
            Act::Reorg(depth) => self.reorganise(step.chain(), depth).await,
            Act::Checkpoint(name) => {
                let answer = self.order(Method::POST, "/_sim/checkpoints", &json!({ "name": name })).await?;
                let id = words(&answer["id"]);
                self.checkpoints.insert(name.to_owned(), (id.clone(), self.tokens.clone()));
                Ok(format!("kept as {id}"))
            }
            Act::Revert(name) => {
                let (id, tokens) = self.checkpoints.get(name).cloned().unwrap_or_default();
                self.order(Method::POST, &format!("/_sim/checkpoints/{id}/revert"), &json!({})).await?;
                self.tokens = tokens;
                Ok(format!("back at {id}"))
            }
            Act::Expect(expected) => self.expect(step, expected).await,
        }
    }

    /// Returns the account of a step; funds an account drawn from the seed if it has nothing.
    pub(super) async fn account(&self, step: &StepRow, chain_id: u64) -> Result<Account, Halt> {
        let keys = &self.world.target().private_keys;
        let name = step.by.as_deref().unwrap_or_default();
        if let Some(number) = self.accounts.get(name) {
            let key = keys.get(usize::from(*number)).ok_or_else(|| Inconclusive::NoMaterial {
                reason: format!("the platform has no account {number}, which is {name}"),
            })?;
            return Ok(Account::lent(key)?);
        }
        let account = Account::fresh(&mut self.world.choices(&format!("play {name}")));
        let chain = self.world.chain(chain_id)?;
        if chain.balance(account.address()).await?.is_zero() {
            let key = keys.last().ok_or_else(|| Inconclusive::NoMaterial {
                reason: "the platform has no account that pays for others".to_owned(),
            })?;
            chain.fund(&Account::lent(key)?, account.address(), ether(ALLOWANCE)).await?;
        }
        Ok(account)
    }

    /// Sends a call to the control plane, which must accept it, and returns the answer.
    async fn order(&self, method: Method, path: &str, body: &Value) -> Result<Value, Halt> {
        let response = self.control.order(method, path, body).await?;
        if response.status.is_success() {
            return Ok(response.json().unwrap_or_default());
        }
        Err(Halt::Refused(Refusal::of_answer(&response, None)))
    }

    /// Sends a request to a service exactly once, because faults count requests.
    pub(super) async fn asked(&self, request: Request) -> Result<Response, Halt> {
        let response = match self.world.http().send_once(request).await {
            // The service began to answer, or accepted the connection.
            Err(Inconclusive::Unreachable { reason, .. }) => return Err(Halt::Refused(Refusal::cut(reason))),
            Err(dropped @ Inconclusive::Dropped { .. }) => {
                return Err(Halt::Refused(Refusal::cut(dropped.to_string())));
            }
            answered => answered?,
        };
        if response.status.is_success() {
            return Ok(response);
        }
        let entry = self.control.entry_of(&response).await?;
        Err(Halt::Refused(Refusal::of_answer(&response, entry.and_then(|entry| entry.cause))))
    }

    async fn chat(&mut self, step: &StepRow, text: &str) -> Result<String, Halt> {
        let token = self.token(step).await?;
        let sender = self.account(step, token.chain_id).await?;
        let conventions = self.world.conventions().await?;
        let signed = conventions.chat_message.as_ref();
        let signed = signed.ok_or_else(|| undeclared("the text that is signed", "chat-message"))?;
        let header = conventions.operator_header.as_deref();
        let header = header.ok_or_else(|| undeclared("the operator's header", "operator-header"))?;
        let key = self.world.target().operator_key.as_deref().unwrap_or_default();
        let body = draft(signed, token.address, &sender, text, &self.world.captcha().await?)?;
        let request = Request::post_json(self.world.rest()?, CHAT, &body).header(header, key);
        let answer = self.asked(request).await?;
        Ok(format!("message {}", words(&answer.json().unwrap_or_default()["id"])))
    }

    /// Mines empty blocks, and waits until the services show the last one.
    async fn mine(&self, chain_id: u64, blocks: u64) -> Result<String, Halt> {
        if blocks > 0 {
            self.node(chain_id, "anvil_mine", json!([U64::from(blocks)])).await?;
        }
        let head = self.world.chain(chain_id)?.head().await?.header.number;
        self.world.settled(chain_id, head).await?;
        Ok(format!("block {head}"))
    }

    /// Replaces blocks with empty ones, then mines one more: a service that shows this highest block has seen the others.
    async fn reorganise(&self, chain_id: u64, depth: u64) -> Result<String, Halt> {
        self.node(chain_id, "anvil_reorg", json!([depth, []])).await?;
        self.mine(chain_id, 1).await
    }

    async fn node(&self, chain_id: u64, method: &str, parameters: Value) -> Result<Value, Halt> {
        let answer = self.world.chain(chain_id)?.rpc(method, parameters).await?;
        answer.map_err(|error| Halt::Refused(Refusal::of_node(&error)))
    }

    async fn clear_faults(&mut self) -> Result<String, Halt> {
        let mut hits = Vec::new();
        // A revert may restore a cleared fault, so the names are kept.
        for name in &self.faults {
            let response =
                self.control.order(Method::DELETE, &format!("/_sim/faults/{name}"), &json!({})).await?;
            match response.code() {
                404 => {}
                _ if response.status.is_success() => {
                    let hit = response.json().unwrap_or_default()["hits"].as_u64().unwrap_or_default();
                    hits.push(format!("{name} hit {hit}"));
                }
                _ => return Err(Halt::Refused(Refusal::of_answer(&response, None))),
            }
        }
        Ok(if hits.is_empty() { "there was none".to_owned() } else { hits.join(", ") })
    }
}

/// Formats an id, which may be text or a number.
fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Converts a fault to a call of the control plane; absent fields get the defaults there.
fn ordered(fault: &FaultTable) -> Value {
    let EffectTable { status, delay_milliseconds, cut } = &fault.effect;
    let effect = match (status, delay_milliseconds, cut) {
        (Some(status), ..) => json!({ "status": status }),
        (None, Some(delay), _) => json!({ "delayMilliseconds": delay }),
        (None, None, cut) => json!({ "cut": cut }),
    };
    let mut order = json!({ "path": fault.path, "effect": effect });
    for (name, value) in [
        ("service", json!(fault.service)),
        ("method", json!(fault.method)),
        ("nth", json!(fault.nth)),
        ("times", json!(fault.times)),
    ] {
        if !value.is_null() {
            order[name] = value;
        }
    }
    order
}
