//! The calls of the control plane; each fails when it cannot be reached or refuses. Made from the OpenAPI document of the control plane; a test of the tree makes it again.
use serde::Deserialize;
use serde_json::Value;

use crate::client::{Control, ControlError, answers, calls};

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

calls! {
    /// Whether both nodes and the store answer.
    get_ready() -> GetReady
        = Get "/_sim/ready", query();
    /// The time, Unix seconds.
    get_clock() -> GetClock
        = Get "/_sim/clock", query();
    /// Moves the clock forward by some seconds.
    advance_clock(seconds: u64) -> AdvanceClock
        = Post "/_sim/clock/advance", query(), body(seconds);
    /// Moves the clock forward to a time.
    set_clock(timestamp: u64) -> SetClock
        = Post "/_sim/clock/set", query(), body(timestamp);
    /// The checkpoints to which a revert can return.
    list_checkpoints() -> ListCheckpoints
        = Get "/_sim/checkpoints", query();
    /// Remembers everything as it is now.
    create_checkpoint(name: Option<&str>) -> CreateCheckpoint
        = Post "/_sim/checkpoints", query(), body(name);
    /// Goes back to a checkpoint, as often as wanted; later ones end.
    revert_to_checkpoint(id: u64) -> RevertToCheckpoint
        = Post "/_sim/checkpoints/{id}/revert", query();
    /// Writes everything into a file that `slipway up --import` begins with.
    export_state(file: Option<&str>) -> ExportState
        = Post "/_sim/export", query(), body(file);
    /// Answers once a block is indexed.
    wait_until_indexed(chain_id: u64, block: u64) -> WaitUntilIndexed
        = Get "/_sim/indexed", query(chain_id, block);
    /// The funded accounts with what they have, in wei by chain id.
    list_accounts() -> ListAccounts
        = Get "/_sim/accounts", query();
    /// Has a funded account launch a token.
    #[expect(clippy::too_many_arguments, reason = "the call has as many members")]
    launch_token(name: &str, ticker: &str, target_raise: &str, chain_id: Option<u64>, account: Option<&str>, description: Option<&str>, prebuy: Option<&str>, anti_snipe_duration: Option<u64>) -> LaunchToken
        = Post "/_sim/launches", query(), body(name, ticker, target_raise, chain_id, account, description, prebuy, anti_snipe_duration);
    /// Has a funded account trade a token.
    trade_token(token: &str, side: &str, amount: &str, chain_id: Option<u64>, account: Option<&str>) -> TradeToken
        = Post "/_sim/trades", query(), body(token, side, amount, chain_id, account);
    /// Has a funded account buy what is left on a curve.
    graduate_token(address: &str, chain_id: Option<u64>, account: Option<&str>) -> GraduateToken
        = Post "/_sim/tokens/{address}/graduate", query(), body(chain_id, account);
    /// A bearer token that speaks for a wallet.
    issue_bearer(address: &str) -> IssueBearer
        = Post "/_sim/bearers", query(), body(address);
    /// A captcha token, valid once.
    mint_captcha(ttl_seconds: Option<u64>) -> MintCaptcha
        = Post "/_sim/captchas", query(), body(ttl_seconds);
    /// The contracts' CaptchaAuth for one trader and one launch.
    sign_captcha_auth(chain_id: u64, trader: &str, launch_id: u64, hook: Option<&str>) -> SignCaptchaAuth
        = Post "/_sim/captcha-auths", query(), body(chain_id, trader, launch_id, hook);
    /// Hides a token from the usual lists.
    disable_token(address: &str) -> DisableToken
        = Put "/_sim/tokens/{address}/disabled", query();
    /// Shows a token in the usual lists again.
    enable_token(address: &str) -> EnableToken
        = Delete "/_sim/tokens/{address}/disabled", query();
    /// Pauses the creation of launches by a hook.
    pause_creation(chain_id: u64, hook: Option<&str>) -> PauseCreation
        = Put "/_sim/creation-paused", query(chain_id, hook);
    /// Resumes the creation of launches by a hook.
    resume_creation(chain_id: u64, hook: Option<&str>) -> ResumeCreation
        = Delete "/_sim/creation-paused", query(chain_id, hook);
    /// The answered requests, with the rule that refused each refused one.
    get_journal(after: Option<u64>, request_id: Option<&str>) -> GetJournal
        = Get "/_sim/journal", query(after, request_id);
    /// The faults by name, and those that have hit nothing yet.
    list_faults() -> ListFaults
        = Get "/_sim/faults", query();
    /// A fault with what came of it.
    get_fault(name: &str) -> GetFault
        = Get "/_sim/faults/{name}", query();
    /// Orders a fault, in place of one of the same name.
    #[expect(clippy::too_many_arguments, reason = "the call has as many members")]
    set_fault(name: &str, path: &str, effect: &Value, service: Option<&str>, method: Option<&str>, nth: Option<u64>, times: Option<u64>) -> SetFault
        = Put "/_sim/faults/{name}", query(), body(path, effect, service, method, nth, times);
    /// Takes a fault back.
    remove_fault(name: &str) -> RemoveFault
        = Delete "/_sim/faults/{name}", query();
}
