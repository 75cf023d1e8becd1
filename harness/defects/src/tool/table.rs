//! The seeded defects of the tool server, each with the clause it breaks.
use hyper::StatusCode;
use serde_json::{Value, json};

use super::arguments::{
    clamp, cut_description, default, drop_referral, exchange, lift_raise, nearest_snipe, referral_shape,
    shorten, start_now, whole_gain, without_dollar, without_image,
};
use super::effect::NamesEffect::{OneIsEnough, Public, Resolve};
use super::effect::{Effect, EffectRow, RpcEffect, Scope, row};
use super::environment as variables;
use super::flow::Flow::{
    AwaitSecondLaunch, AwaitService, Banner, ChainTime, DropCancellations, DropMalformed, HoldReceipt,
    LogSettings, Panic, Queue, ReadAll, RefuseOlderVersions, SendAgain,
};
use super::links::{self, address, is_local_six, is_mapped, is_private, is_shared, is_translated};
use super::results;
use super::service::replace;
use crate::http::exchange::remove;
use crate::json::times;
use Effect::{
    Afterthought, Arguments, Capabilities, Environment, Error, Flow, Names, Query, Refusal, Result,
    Row as RowOf, Rpc, Tools,
};
use RpcEffect::{Again, FirstAnswer, Parameters, Record, Twice, Unbound};

#[rustfmt::skip]
pub(super) const ROWS: &[(&str, EffectRow)] = &[
    ("MCP-FORM", row("mcp-version-refused", "peers of older protocol versions are refused", &[Flow(RefuseOlderVersions)])),
    ("MCP-FORM", row("mcp-error-bare", "errors have no content", &[Error(|result, _| remove(result, "content"))])),
    ("MCP-STRICT", row("mcp-anti-snipe", "any anti-snipe duration passes", &[Arguments(nearest_snipe)])),
    ("MCP-STRICT", row("mcp-start-past", "a start in the past passes", &[Flow(ChainTime), Rpc(Record), Arguments(start_now)])),
    ("MCP-STRICT", row("mcp-key-fallback", "the raw key is used where a key file cannot be", &[Environment(variables::fall_back_to_raw)])),
    ("MCP-QUIET", row("mcp-log-raw", "the log is not redacted", &[Flow(LogSettings)])),
    ("MCP-TOOLS", row("mcp-tool-missing", "wallet_info is not listed", &[Tools(results::without_wallet)])),
    ("MCP-HINTS", row("mcp-schema-unbounded", "input schemas state no bounds", &[Tools(results::without_bounds)])),
    ("MCP-HINTS", row("mcp-hints-missing", "no tool declares whether it only reads", &[Tools(results::without_hints)])),
    ("MCP-HINTS", row("mcp-output-unstated", "tools state no output schemas", &[Tools(results::without_output)])),
    ("MCP-HINTS", row("mcp-output-untrue", "the wallet's chain id is a text, against its schema", &[Result(|tool, result| if tool == "wallet_info" && result["chainId"].is_number() { result["chainId"] = json!(result["chainId"].to_string()) })])),
    ("MCP-HINTS", row("mcp-error-structured", "errors have structured content, against the schema of the output", &[Error(|result, _| result["structuredContent"] = json!({ "message": result["content"][0]["text"] }))])),
    ("MCP-HINTS", row("mcp-advice-missing", "errors do not name the next step", &[Error(results::without_advice)])),
    ("MCP-LAUNCH-ARGS", row("mcp-name-length", "names of any length pass", &[Arguments(|launch| shorten(launch, "name", 48))])),
    ("MCP-LAUNCH-ARGS", row("mcp-ticker-length", "tickers of any length pass", &[Arguments(|launch| shorten(launch, "ticker", 12))])),
    ("MCP-LAUNCH-ARGS", row("mcp-ticker-dollar", "tickers may hold a dollar sign", &[Arguments(without_dollar)])),
    ("MCP-LAUNCH-ARGS", row("mcp-description-length", "descriptions of any length pass", &[Arguments(|launch| shorten(launch, "description", 500))])),
    // What is above the range is above the cap as well, and another clause.
    ("MCP-LAUNCH-ARGS", row("mcp-raise-range", "any target raise passes", &[Arguments(|launch| clamp(launch, "targetRaiseEth", 1, u32::MAX))])),
    ("MCP-LAUNCH-ARGS", row("mcp-gain-range", "any gain multiplier passes", &[Arguments(|launch| clamp(launch, "curveGainMultiplier", 1, 21))])),
    ("MCP-LAUNCH-ARGS", row("mcp-split-range", "any fee split passes", &[Arguments(|launch| clamp(launch, "creatorFeeSplitBps", 0, 10_000))])),
    ("MCP-LAUNCH-ARGS", row("mcp-referral-shape", "any referral code passes", &[Arguments(referral_shape)])),
    ("MCP-DEFAULTS", row("mcp-default-gain", "the default gain multiplier is 5", &[Arguments(|launch| default(launch, "curveGainMultiplier", json!(5)))])),
    ("MCP-DEFAULTS", row("mcp-default-split", "the default fee split is 10000", &[Arguments(|launch| default(launch, "creatorFeeSplitBps", json!(10_000)))])),
    ("MCP-DEFAULTS", row("mcp-default-snipe", "launches are protected for 20 seconds by default", &[Arguments(|launch| default(launch, "antiSnipeSeconds", json!(20)))])),
    ("MCP-DEFAULTS", row("mcp-default-prebuy", "a hundredth of an ether is bought by default", &[Arguments(|launch| default(launch, "prebuyEth", json!(0.01)))])),
    ("MCP-WRITES", row("mcp-writes-open", "launches pass while writes are off", &[Environment(|environment| if environment.get(variables::WRITES).is_some() { environment.set(variables::WRITES, "true") })])),
    ("MCP-CAP-PREBUY", row("mcp-prebuy-cap", "the prebuy cap is ignored", &[Environment(|environment| environment.set("SERVICE_MCP_MAX_PREBUY_ETH", "1000000"))])),
    ("MCP-CAP-PREBUY", row("mcp-prebuy-raise", "a prebuy may exceed the raise", &[Arguments(lift_raise)])),
    ("MCP-CAP-RAISE", row("mcp-raise-cap", "the raise cap is ignored", &[Environment(|environment| environment.set("SERVICE_MCP_MAX_RAISE_ETH", "1000000"))])),
    ("MCP-CAP-GAS", row("mcp-gas-cap", "the gas price cap is ignored", &[Environment(|environment| environment.set("SERVICE_MCP_MAX_GAS_GWEI", "1000000"))])),
    ("MCP-CHAIN-ID", row("mcp-chain-unchecked", "any chain is signed for", &[Rpc(RpcEffect::Result("eth_chainId", |id| *id = json!("0xdef1"))), Rpc(RpcEffect::Result("net_version", |id| *id = json!("57073")))])),
    ("MCP-CHAIN-ID", row("mcp-chain-unbound", "transactions do not name their chain", &[Rpc(Unbound)])),
    ("MCP-CHAIN-ID", row("mcp-chain-once", "the chain is not asked again before the signature", &[Rpc(FirstAnswer("eth_chainId", Scope::Call)), Rpc(FirstAnswer("net_version", Scope::Call))])),
    ("MCP-NONCE", row("mcp-nonce-latest", "pending transactions are not counted", &[Rpc(Parameters("eth_getTransactionCount", |parameters| parameters[1] = json!("latest")))])),
    ("MCP-NONCE", row("mcp-nonce-twice", "the pending count is asked again and the later answer used", &[Rpc(Twice("eth_getTransactionCount"))])),
    ("MCP-RECEIPT", row("mcp-receipt-endless", "the receipt is awaited too long", &[Rpc(Record), Flow(HoldReceipt)])),
    ("MCP-RECEIPT", row("mcp-broadcast-twice", "the transaction is sent twice", &[Rpc(Record), Flow(SendAgain)])),
    ("MCP-RECEIPT", row("mcp-broadcast-again", "a transaction without an answer is sent once more", &[Rpc(Again("eth_sendRawTransaction"))])),
    ("MCP-REFERRAL", row("mcp-referral-dropped", "referral codes are forgotten", &[Arguments(drop_referral)])),
    ("MCP-RESULT", row("mcp-result-token", "the result names another token", &[Result(|tool, result| if tool == "launch_token" { result["tokenAddress"] = json!(format!("0x{}", "11".repeat(20))) })])),
    ("MCP-RESULT", row("mcp-result-urls", "the trade address is another site's", &[Result(|tool, result| if tool == "launch_token" { result["tradeUrl"] = json!("https://elsewhere.dev/trade") })])),
    ("MCP-LINKS", row("mcp-link-trade", "the trade address leads to no page", &[Result(results::dead_trade_link)])),
    ("MCP-LINKS", row("mcp-link-explorer", "the explorer address names the token", &[Result(results::token_as_hash)])),
    ("MCP-PREVIEW", row("mcp-preview-fees", "previewed creator earnings are doubled", &[Result(|tool, result| results::change_preview(tool, result, "creatorEarningsAsPctOfVolume", |percent| times(percent, 2.0)))])),
    ("MCP-PREVIEW", row("mcp-preview-gain", "the previewed gain is a basis point too high", &[Result(results::higher_gain)])),
    ("MCP-PREVIEW", row("mcp-preview-variable", "the variable fee is reported as a share of all volume", &[Result(|tool, result| results::change_preview(tool, result, "variableFeePctOfAfterProtocol", |percent| *percent = json!(1)))])),
    ("MCP-PREVIEW", row("mcp-preview-call", "the previewed call is not the one that is sent", &[Result(results::longer_call)])),
    ("MCP-PREVIEW", row("mcp-preview-confirm", "a preview must be confirmed", &[Afterthought(results::unconfirmed_preview)])),
    ("MCP-PREVIEW-REAL", row("mcp-preview-silent", "a preview never warns", &[Result(|tool, result| results::change_preview(tool, result, "warnings", |warnings| *warnings = json!([])))])),
    ("MCP-PREVIEW-REAL", row("mcp-preview-blind", "a preview does not ask the contract whether it would refuse the launch", &[Result(results::no_revert_warning)])),
    ("MCP-PREVIEW-REAL", row("mcp-preview-vague", "a warning does not name its subject", &[Result(|tool, result| { results::change_preview(tool, result, "warnings", |warnings| { for warning in warnings.as_array_mut().into_iter().flatten() { warning["message"] = json!("the launch may fail"); } }); })])),
    ("MCP-PREVIEW-REAL", row("mcp-preview-anxious", "a preview warns where nothing speaks against the launch", &[Result(results::needless_warning)])),
    ("MCP-WALLET", row("mcp-wallet-balance", "the balance is one ether too high", &[Rpc(RpcEffect::Result("eth_getBalance", results::an_ether_more))])),
    ("MCP-WALLET", row("mcp-wallet-panics", "wallet_info panics with the RPC's address in its message", &[Flow(Panic), Refusal(|call, _| (call.tool == "wallet_info").then(|| "the tool failed inside the tool server. Next: report it with the log.".to_owned()))])),
    ("MCP-STATUS", row("mcp-status-progress", "progress is reported halved", &[Result(results::half_progress)])),
    ("MCP-RECENT", row("mcp-recent-raw", "rows of the service pass unread", &[RowOf(Clone::clone_from)])),
    ("MCP-RECENT", row("mcp-recent-links", "links of the service are not judged", &[RowOf(results::link_of_row)])),
    ("MCP-RECENT", row("mcp-recent-clip", "texts of the service are not clipped", &[RowOf(results::long_texts)])),
    ("MCP-RECENT", row("mcp-recent-marks", "controls and bidirectional marks pass", &[RowOf(results::marked_texts)])),
    ("MCP-RECENT-BOUNDS", row("mcp-recent-endless", "answers of any size are read to their end", &[Flow(ReadAll)])),
    ("MCP-RECENT-BOUNDS", row("mcp-recent-patient", "a slow service is waited for too long", &[Flow(AwaitService)])),
    ("MCP-URL-SCHEME", row("mcp-url-scheme", "any scheme passes", &[Arguments(links::any_scheme)])),
    ("MCP-URL-SCHEME", row("mcp-url-credentials", "credentials in links pass", &[Arguments(links::without_credentials)])),
    ("MCP-URL-HOST", row("mcp-url-reserved", "reserved host endings pass", &[Arguments(links::reserved)])),
    ("MCP-URL-HOST", row("mcp-url-dot", "a final dot hides a reserved ending", &[Arguments(links::reserved_with_dot)])),
    ("MCP-URL-HOST", row("mcp-url-lookalike", "reserved endings are compared as written", &[Arguments(links::reserved_in_disguise)])),
    ("MCP-URL-IP", row("mcp-url-address", "private addresses pass", &[Arguments(|launch| address(launch, is_private)), Names(Public(is_private))])),
    ("MCP-URL-IP", row("mcp-url-unresolved", "hosts that do not resolve pass", &[Names(Resolve)])),
    ("MCP-URL-IP", row("mcp-url-mixed", "one public address among others is enough", &[Names(OneIsEnough)])),
    ("MCP-URL-IP", row("mcp-url-remembered", "a link judged once is never judged again", &[Arguments(links::remembered)])),
    ("MCP-URL-IP", row("mcp-url-shared", "carrier-grade NAT counts as public", &[Arguments(|launch| address(launch, is_shared)), Names(Public(is_shared))])),
    ("MCP-URL-IP", row("mcp-url-local6", "unique-local and link-local IPv6 count as public", &[Arguments(|launch| address(launch, is_local_six)), Names(Public(is_local_six))])),
    ("MCP-URL-IP", row("mcp-url-mapped", "mapped IPv4 counts as public", &[Arguments(|launch| address(launch, is_mapped)), Names(Public(is_mapped))])),
    ("MCP-URL-IP", row("mcp-url-translated", "NAT64 counts as public", &[Arguments(|launch| address(launch, is_translated)), Names(Public(is_translated))])),
    ("MCP-KEY-FILE", row("mcp-key-mode", "a readable key file is accepted", &[Environment(|environment| variables::accept_readable(environment, false))])),
    ("MCP-KEY-FILE", row("mcp-key-link", "a link to a readable key file is followed", &[Environment(|environment| variables::accept_readable(environment, true))])),
    ("MCP-KEY-FILE", row("mcp-key-raw-first", "the raw key comes before the file", &[Environment(|environment| if environment.get(variables::KEY).is_some() { environment.remove(variables::KEY_FILE); })])),
    ("MCP-RPC-URL", row("mcp-rpc-userinfo", "an RPC address may hold a password", &[Environment(variables::rpc_without_userinfo)])),
    ("MCP-RPC-URL", row("mcp-rpc-query", "an RPC address may hold a query", &[Environment(|environment| environment.change_url(variables::RPC_URL, |url| url.set_query(None)))])),
    ("MCP-RPC-URL", row("mcp-rpc-fragment", "an RPC address may hold a fragment", &[Environment(|environment| environment.change_url(variables::RPC_URL, |url| url.set_fragment(None)))])),
    ("MCP-BASE-URL", row("mcp-base-path", "the base URL may hold a path", &[Environment(|environment| environment.change_url(variables::BASE_URL, |url| url.set_path("/")))])),
    ("MCP-SECRETS", row("mcp-secrets-shown", "nothing is redacted", &[Error(|result, secrets| results::change_text(result, |text| format!("{text}{}", secrets.shown())))])),
    ("MCP-SECRETS", row("mcp-short-keys-shown", "keys of a few characters in the RPC's path are not redacted", &[Error(|result, secrets| results::change_text(result, |text| format!("{text} {}", secrets.short_pieces())))])),
    ("MCP-SECRETS", row("mcp-escapes-unread", "secrets behind escapes are not seen", &[Error(|result, secrets| results::change_text(result, |text| format!("{text} {}", secrets.escaped())))])),
    ("MCP-READ-ONLY", row("mcp-read-needs-writes", "read-only tools refuse while writes are off", &[Refusal(results::reading_disabled)])),
    ("MCP-PROTO", row("mcp-garbage-ignored", "malformed messages get no answer", &[Flow(DropMalformed)])),
    ("MCP-PROTO", row("mcp-stdout-banner", "a greeting is printed on stdout", &[Flow(Banner)])),
    ("MCP-PROTO", row("mcp-launches-race", "launches at the same time do not take turns", &[Rpc(FirstAnswer("eth_getTransactionCount", Scope::OverlappingLaunches)), Flow(AwaitSecondLaunch)])),
    ("MCP-PROTO", row("mcp-calls-queue", "a call waits until the one before is done", &[Flow(Queue)])),
    ("MCP-PROTO", row("mcp-cancel-deaf", "a cancelled call goes on", &[Rpc(Record), Flow(DropCancellations)])),
    ("MCP-SENT", row("mcp-sent-nonce", "a launch takes the nonce of a cancelled one", &[Rpc(FirstAnswer("eth_getTransactionCount", Scope::Session))])),
    ("MCP-SENT", row("mcp-sent-unlisted", "sent launches are not listed", &[Result(|tool, result| if tool == "launch_status" && result["sentLaunches"].is_array() { result["sentLaunches"] = json!([]) })])),
    ("MCP-SENT", row("mcp-sent-unlogged", "sent launches are not logged", &[Environment(|environment| environment.set("RUST_LOG", "off"))])),
    ("MCP-CONFIRM", row("mcp-confirm-ignored", "launches need no confirmation", &[Arguments(|launch| _ = launch.arguments.insert("confirm".to_owned(), json!("YES")))])),
    ("MCP-CALL", row("mcp-texts-swapped", "messenger and website change places", &[Arguments(|launch| exchange(launch, "messenger", "website"))])),
    ("MCP-CALL", row("mcp-image-dropped", "the image's path is lost", &[Arguments(without_image)])),
    ("MCP-CALL", row("mcp-description-cut", "200 characters of a description are kept", &[Arguments(|launch| cut_description(launch, 200))])),
    ("MCP-GAIN", row("mcp-gain-whole", "gain multipliers are rounded down", &[Arguments(whole_gain)])),
    ("MCP-PRECHECK", row("mcp-capabilities-chain", "the chain of the capabilities is not compared", &[Capabilities(|_, body| replace(body, "/chainId", json!(57_073)))])),
    ("MCP-PRECHECK", row("mcp-creation-closed", "launches go on while creation is closed", &[Capabilities(|_, body| replace(body, "/flags/create", json!(true)))])),
    ("MCP-PRECHECK", row("mcp-deployment-inactive", "a deployment that is not active is launched on", &[Capabilities(|_, body| replace(body, "/activeCreationDeployment/status", json!("active")))])),
    ("MCP-PRECHECK", row("mcp-capabilities-failed", "the status of the capabilities is not looked at", &[Capabilities(|status, _| *status = StatusCode::OK)])),
    ("MCP-PRECHECK", row("mcp-precheck-status-first", "the status of the deployment is looked at before the flag", &[Capabilities(open_unless_active)])),
    ("MCP-PRECHECK", row("mcp-precheck-chain-last", "the chain of the capabilities is compared after flag and status", &[Capabilities(right_chain_unless_open)])),
    ("MCP-RECENT", row("mcp-recent-chain", "launches of no chain in particular are asked for", &[Query(|query| query.retain(|(name, _)| name != "chainId"))])),
    ("MCP-RECENT", row("mcp-recent-figures", "market caps of launches are doubled", &[RowOf(results::double_cap)])),
    ("MCP-RECENT-ARGS", row("mcp-recent-first-page", "offsets are ignored", &[Query(|query| query.retain(|(name, _)| name != "offset"))])),
    ("MCP-RECENT-ARGS", row("mcp-recent-ten-rows", "ten launches are asked for, whatever the limit", &[Query(ten_rows)])),
    ("MCP-STATUS-FIGURES", row("mcp-status-target", "a target raise has a digit more", &[Result(results::larger_target)])),
    ("MCP-STATUS-FIGURES", row("mcp-status-live", "every launch is live", &[Result(|tool, result| if tool == "launch_status" && result["status"].is_string() { result["status"] = json!("live") })])),
];

fn open_unless_active(_: &mut StatusCode, body: &mut Value) {
    if body["activeCreationDeployment"]["status"] != json!("active") {
        replace(body, "/flags/create", json!(true));
    }
}

fn right_chain_unless_open(_: &mut StatusCode, body: &mut Value) {
    let closed = body["flags"]["create"] == json!(false);
    if closed || body["activeCreationDeployment"]["status"] != json!("active") {
        replace(body, "/chainId", json!(57_073));
    }
}

fn ten_rows(query: &mut Vec<(String, String)>) {
    query.retain(|(name, _)| name != "limit");
    query.push(("limit".to_owned(), "10".to_owned()));
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
