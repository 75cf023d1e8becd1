//! The calls of the control plane; each fails when it cannot be reached or refuses. Made from the OpenAPI document of the control plane; a test of the tree makes it again.
use serde::Deserialize;
use serde_json::Value;

use crate::client::{Control, ControlError, answers};

answers! {
    /// Answer of [`Control::get_ready`].
    GetReady { ready: bool, chains: Vec<u64> }
    /// Answer of [`Control::get_clock`].
    GetClock { now: u64 }
    /// Answer of [`Control::advance_clock`].
    AdvanceClock { now: u64 }
    /// Answer of [`Control::set_clock`].
    SetClock { now: u64 }
    /// Answer of [`Control::list_checkpoints`].
    ListCheckpoints { checkpoints: Vec<Value>, imported: Vec<Value> }
    /// Answer of [`Control::create_checkpoint`].
    CreateCheckpoint { id: u64 }
    /// Answer of [`Control::revert_to_checkpoint`].
    RevertToCheckpoint { id: u64 }
    /// Answer of [`Control::export_state`].
    ExportState { file: String, bytes: u64 }
    /// Answer of [`Control::wait_until_indexed`].
    WaitUntilIndexed { chain_id: u64, block: u64 }
    /// Answer of [`Control::list_accounts`].
    ListAccounts { accounts: Vec<Value> }
    /// Answer of [`Control::launch_token`].
    LaunchToken { token: String, transaction_hash: String, block: u64 }
    /// Answer of [`Control::trade_token`].
    TradeToken { token: String, transaction_hash: String, block: u64 }
    /// Answer of [`Control::graduate_token`].
    GraduateToken { token: String, transaction_hash: String, block: u64 }
    /// Answer of [`Control::issue_bearer`].
    IssueBearer { token: String }
    /// Answer of [`Control::mint_captcha`].
    MintCaptcha { token: String, expires_at: u64 }
    /// Answer of [`Control::sign_captcha_auth`].
    SignCaptchaAuth { deadline: u64, nonce: String, signature: String }
    /// Answer of [`Control::disable_token`].
    DisableToken { token: String, disabled: bool }
    /// Answer of [`Control::enable_token`].
    EnableToken { token: String, disabled: bool }
    /// Answer of [`Control::pause_creation`].
    PauseCreation { chain_id: u64, hook: String, paused: bool, block: u64 }
    /// Answer of [`Control::resume_creation`].
    ResumeCreation { chain_id: u64, hook: String, paused: bool, block: u64 }
    /// Answer of [`Control::get_journal`].
    GetJournal { entries: Vec<Value>, last: u64, dropped: bool }
    /// Answer of [`Control::list_faults`].
    ListFaults { faults: Value, unused: Vec<String> }
    /// Answer of [`Control::get_fault`].
    GetFault { service: Option<String>, method: Option<String>, path: String, nth: u64, times: u64, effect: Value, matched: u64, hits: u64 }
    /// Answer of [`Control::set_fault`].
    SetFault { service: Option<String>, method: Option<String>, path: String, nth: u64, times: u64, effect: Value, matched: u64, hits: u64 }
    /// Answer of [`Control::remove_fault`].
    RemoveFault { service: Option<String>, method: Option<String>, path: String, nth: u64, times: u64, effect: Value, matched: u64, hits: u64 }
}

impl Control {
    /// Whether both nodes and the store answer.
    pub fn get_ready(&self) -> Result<GetReady, ControlError> {
        self.call(minreq::Method::Get, "/_sim/ready", &[], None)
    }

    /// The time, Unix seconds.
    pub fn get_clock(&self) -> Result<GetClock, ControlError> {
        self.call(minreq::Method::Get, "/_sim/clock", &[], None)
    }

    /// Moves the clock forward by some seconds.
    pub fn advance_clock(&self, seconds: u64) -> Result<AdvanceClock, ControlError> {
        self.call(
            minreq::Method::Post,
            "/_sim/clock/advance",
            &[],
            Some(&[("seconds", Some(Value::from(seconds)))]),
        )
    }

    /// Moves the clock forward to a time.
    pub fn set_clock(&self, timestamp: u64) -> Result<SetClock, ControlError> {
        self.call(
            minreq::Method::Post,
            "/_sim/clock/set",
            &[],
            Some(&[("timestamp", Some(Value::from(timestamp)))]),
        )
    }

    /// The checkpoints to which a revert can return.
    pub fn list_checkpoints(&self) -> Result<ListCheckpoints, ControlError> {
        self.call(minreq::Method::Get, "/_sim/checkpoints", &[], None)
    }

    /// Remembers everything as it is now.
    pub fn create_checkpoint(&self, name: Option<&str>) -> Result<CreateCheckpoint, ControlError> {
        self.call(minreq::Method::Post, "/_sim/checkpoints", &[], Some(&[("name", name.map(Value::from))]))
    }

    /// Goes back to a checkpoint, as often as wanted; later ones end.
    pub fn revert_to_checkpoint(&self, id: u64) -> Result<RevertToCheckpoint, ControlError> {
        self.call(minreq::Method::Post, &format!("/_sim/checkpoints/{id}/revert"), &[], None)
    }

    /// Writes everything into a file that `slipway up --import` begins with.
    pub fn export_state(&self, file: Option<&str>) -> Result<ExportState, ControlError> {
        self.call(minreq::Method::Post, "/_sim/export", &[], Some(&[("file", file.map(Value::from))]))
    }

    /// Answers once a block is indexed.
    pub fn wait_until_indexed(&self, chain_id: u64, block: u64) -> Result<WaitUntilIndexed, ControlError> {
        self.call(
            minreq::Method::Get,
            "/_sim/indexed",
            &[("chainId", Some(Value::from(chain_id))), ("block", Some(Value::from(block)))],
            None,
        )
    }

    /// The funded accounts with what they have, in wei by chain id.
    pub fn list_accounts(&self) -> Result<ListAccounts, ControlError> {
        self.call(minreq::Method::Get, "/_sim/accounts", &[], None)
    }

    /// Has a funded account launch a token.
    #[expect(clippy::too_many_arguments, reason = "the call has as many members")]
    pub fn launch_token(
        &self,
        name: &str,
        ticker: &str,
        target_raise: &str,
        chain_id: Option<u64>,
        account: Option<&str>,
        description: Option<&str>,
        prebuy: Option<&str>,
        anti_snipe_duration: Option<u64>,
    ) -> Result<LaunchToken, ControlError> {
        self.call(
            minreq::Method::Post,
            "/_sim/launches",
            &[],
            Some(&[
                ("name", Some(Value::from(name))),
                ("ticker", Some(Value::from(ticker))),
                ("targetRaise", Some(Value::from(target_raise))),
                ("chainId", chain_id.map(Value::from)),
                ("account", account.map(Value::from)),
                ("description", description.map(Value::from)),
                ("prebuy", prebuy.map(Value::from)),
                ("antiSnipeDuration", anti_snipe_duration.map(Value::from)),
            ]),
        )
    }

    /// Has a funded account trade a token.
    pub fn trade_token(
        &self,
        token: &str,
        side: &str,
        amount: &str,
        chain_id: Option<u64>,
        account: Option<&str>,
    ) -> Result<TradeToken, ControlError> {
        self.call(
            minreq::Method::Post,
            "/_sim/trades",
            &[],
            Some(&[
                ("token", Some(Value::from(token))),
                ("side", Some(Value::from(side))),
                ("amount", Some(Value::from(amount))),
                ("chainId", chain_id.map(Value::from)),
                ("account", account.map(Value::from)),
            ]),
        )
    }

    /// Has a funded account buy what is left on a curve.
    pub fn graduate_token(
        &self,
        address: &str,
        chain_id: Option<u64>,
        account: Option<&str>,
    ) -> Result<GraduateToken, ControlError> {
        self.call(
            minreq::Method::Post,
            &format!("/_sim/tokens/{address}/graduate"),
            &[],
            Some(&[("chainId", chain_id.map(Value::from)), ("account", account.map(Value::from))]),
        )
    }

    /// A bearer token that speaks for a wallet.
    pub fn issue_bearer(&self, address: &str) -> Result<IssueBearer, ControlError> {
        self.call(
            minreq::Method::Post,
            "/_sim/bearers",
            &[],
            Some(&[("address", Some(Value::from(address)))]),
        )
    }

    /// A captcha token, valid once.
    pub fn mint_captcha(&self, ttl_seconds: Option<u64>) -> Result<MintCaptcha, ControlError> {
        self.call(
            minreq::Method::Post,
            "/_sim/captchas",
            &[],
            Some(&[("ttlSeconds", ttl_seconds.map(Value::from))]),
        )
    }

    /// The contracts' CaptchaAuth for one trader and one launch.
    pub fn sign_captcha_auth(
        &self,
        chain_id: u64,
        trader: &str,
        launch_id: u64,
        hook: Option<&str>,
    ) -> Result<SignCaptchaAuth, ControlError> {
        self.call(
            minreq::Method::Post,
            "/_sim/captcha-auths",
            &[],
            Some(&[
                ("chainId", Some(Value::from(chain_id))),
                ("trader", Some(Value::from(trader))),
                ("launchId", Some(Value::from(launch_id))),
                ("hook", hook.map(Value::from)),
            ]),
        )
    }

    /// Hides a token from the usual lists.
    pub fn disable_token(&self, address: &str) -> Result<DisableToken, ControlError> {
        self.call(minreq::Method::Put, &format!("/_sim/tokens/{address}/disabled"), &[], None)
    }

    /// Shows a token in the usual lists again.
    pub fn enable_token(&self, address: &str) -> Result<EnableToken, ControlError> {
        self.call(minreq::Method::Delete, &format!("/_sim/tokens/{address}/disabled"), &[], None)
    }

    /// Pauses the creation of launches by a hook.
    pub fn pause_creation(&self, chain_id: u64, hook: Option<&str>) -> Result<PauseCreation, ControlError> {
        self.call(
            minreq::Method::Put,
            "/_sim/creation-paused",
            &[("chainId", Some(Value::from(chain_id))), ("hook", hook.map(Value::from))],
            None,
        )
    }

    /// Resumes the creation of launches by a hook.
    pub fn resume_creation(&self, chain_id: u64, hook: Option<&str>) -> Result<ResumeCreation, ControlError> {
        self.call(
            minreq::Method::Delete,
            "/_sim/creation-paused",
            &[("chainId", Some(Value::from(chain_id))), ("hook", hook.map(Value::from))],
            None,
        )
    }

    /// The answered requests, with the rule that refused each refused one.
    pub fn get_journal(
        &self,
        after: Option<u64>,
        request_id: Option<&str>,
    ) -> Result<GetJournal, ControlError> {
        self.call(
            minreq::Method::Get,
            "/_sim/journal",
            &[("after", after.map(Value::from)), ("requestId", request_id.map(Value::from))],
            None,
        )
    }

    /// The faults by name, and those that have hit nothing yet.
    pub fn list_faults(&self) -> Result<ListFaults, ControlError> {
        self.call(minreq::Method::Get, "/_sim/faults", &[], None)
    }

    /// A fault with what came of it.
    pub fn get_fault(&self, name: &str) -> Result<GetFault, ControlError> {
        self.call(minreq::Method::Get, &format!("/_sim/faults/{name}"), &[], None)
    }

    /// Orders a fault, in place of one of the same name.
    #[expect(clippy::too_many_arguments, reason = "the call has as many members")]
    pub fn set_fault(
        &self,
        name: &str,
        path: &str,
        effect: &Value,
        service: Option<&str>,
        method: Option<&str>,
        nth: Option<u64>,
        times: Option<u64>,
    ) -> Result<SetFault, ControlError> {
        self.call(
            minreq::Method::Put,
            &format!("/_sim/faults/{name}"),
            &[],
            Some(&[
                ("path", Some(Value::from(path))),
                ("effect", Some(effect.clone())),
                ("service", service.map(Value::from)),
                ("method", method.map(Value::from)),
                ("nth", nth.map(Value::from)),
                ("times", times.map(Value::from)),
            ]),
        )
    }

    /// Takes a fault back.
    pub fn remove_fault(&self, name: &str) -> Result<RemoveFault, ControlError> {
        self.call(minreq::Method::Delete, &format!("/_sim/faults/{name}"), &[], None)
    }
}
