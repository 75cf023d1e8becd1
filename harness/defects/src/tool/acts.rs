//! The acts that rows of the tool server name, each with its effects on the stages of a session.
use serde_json::{Value, json};

use super::arguments::{
    ascii_code, cut_description, drop_referral, lift_raise, near_starts, nearest_snipe, referral_shape,
    short_protections, shorten, start_now, whole_gain, without_dollar, without_image,
};
use super::effect::NamesEffect::{OneIsEnough, Public, Resolve};
use super::effect::{Effect, RpcEffect, Scope, ToolAct};
use super::environment as variables;
use super::flow::Flow::{
    AwaitSecondLaunch, AwaitService, Banner, ChainTime, Chatter, DropCancellations, DropMalformed,
    HoldReceipt, LogSettings, Paged, Panic, Queue, ReadAll, RefuseOlderVersions, SendAgain, Spelt,
};
use super::links::{self, address, is_local_six, is_mapped, is_private, is_shared, is_translated};
use super::results::{self, each_tool};
use crate::http::exchange::remove;
use Effect::{
    Afterthought, Answer, Arguments, Environment, Error, Flow, Names, Refusal, Result, Row as RowOf, Rpc,
    Tools,
};
use RpcEffect::{Again, FirstAnswer, Record, Twice, Unbound};

/// The act of this name.
pub(crate) fn named(name: &str) -> Option<&'static ToolAct> {
    ACTS.iter().find(|act| act.name == name)
}

#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    ACTS.iter().map(|act| act.name)
}

const fn act(name: &'static str, effects: &'static [Effect]) -> ToolAct {
    ToolAct { name, effects }
}

const ACTS: &[ToolAct] = &[
    act("version_refused", &[Flow(RefuseOlderVersions)]),
    act("error_bare", &[Error(|result, _| remove(result, "content"))]),
    act("anti_snipe", &[Arguments(nearest_snipe)]),
    act("start_past", &[Flow(ChainTime), Rpc(Record), Arguments(start_now)]),
    act("key_fallback", &[Environment(variables::fall_back_to_raw)]),
    act("log_raw", &[Flow(LogSettings)]),
    act(
        "error_structured",
        &[Error(|result, _| {
            result["structuredContent"] = json!({ "message": result["content"][0]["text"] });
        })],
    ),
    act("advice_missing", &[Error(results::without_advice)]),
    act("name_length", &[Arguments(|launch| shorten(launch, "name", 48))]),
    act("ticker_length", &[Arguments(|launch| shorten(launch, "ticker", 12))]),
    act("ticker_dollar", &[Arguments(without_dollar)]),
    act("description_length", &[Arguments(|launch| shorten(launch, "description", 500))]),
    act("referral_shape", &[Arguments(referral_shape)]),
    act(
        "writes_open",
        &[Environment(|environment| {
            if environment.get(variables::WRITES).is_some() {
                environment.set(variables::WRITES, "true");
            }
        })],
    ),
    act("prebuy_raise", &[Arguments(lift_raise)]),
    act(
        "chain_unchecked",
        &[
            Rpc(RpcEffect::Result("eth_chainId", |id| *id = json!("0xdef1"))),
            Rpc(RpcEffect::Result("net_version", |id| *id = json!("57073"))),
        ],
    ),
    act("chain_unbound", &[Rpc(Unbound)]),
    act(
        "chain_once",
        &[Rpc(FirstAnswer("eth_chainId", Scope::Call)), Rpc(FirstAnswer("net_version", Scope::Call))],
    ),
    act("nonce_twice", &[Rpc(Twice("eth_getTransactionCount"))]),
    act("receipt_endless", &[Rpc(Record), Flow(HoldReceipt)]),
    act("broadcast_twice", &[Rpc(Record), Flow(SendAgain)]),
    act("broadcast_again", &[Rpc(Again("eth_sendRawTransaction"))]),
    act("referral_dropped", &[Arguments(drop_referral)]),
    act("link_explorer", &[Result(results::token_as_hash)]),
    act("preview_confirm", &[Afterthought(results::unconfirmed_preview)]),
    act("preview_anxious", &[Result(results::needless_warning)]),
    act(
        "wallet_panics",
        &[
            Flow(Panic),
            Refusal(|call, _| {
                (call.tool == "wallet_info").then(|| {
                    "the tool failed inside the tool server. Next: report it with the log.".to_owned()
                })
            }),
        ],
    ),
    act("status_progress", &[Result(results::half_progress)]),
    act("recent_raw", &[RowOf(Clone::clone_from)]),
    act("recent_links", &[RowOf(results::link_of_row)]),
    act("recent_clip", &[RowOf(results::long_texts)]),
    act("recent_marks", &[RowOf(results::marked_texts)]),
    act("recent_endless", &[Flow(ReadAll)]),
    act("recent_patient", &[Flow(AwaitService)]),
    act("url_scheme", &[Arguments(links::any_scheme)]),
    act("url_credentials", &[Arguments(links::without_credentials)]),
    act("url_reserved", &[Arguments(links::reserved)]),
    act("url_dot", &[Arguments(links::reserved_with_dot)]),
    act("url_lookalike", &[Arguments(links::reserved_in_disguise)]),
    act("url_address", &[Arguments(|launch| address(launch, is_private)), Names(Public(is_private))]),
    act("url_unresolved", &[Names(Resolve)]),
    act("url_mixed", &[Names(OneIsEnough)]),
    act("url_remembered", &[Arguments(links::remembered)]),
    act("url_shared", &[Arguments(|launch| address(launch, is_shared)), Names(Public(is_shared))]),
    act("url_local6", &[Arguments(|launch| address(launch, is_local_six)), Names(Public(is_local_six))]),
    act("url_mapped", &[Arguments(|launch| address(launch, is_mapped)), Names(Public(is_mapped))]),
    act(
        "url_translated",
        &[Arguments(|launch| address(launch, is_translated)), Names(Public(is_translated))],
    ),
    act("key_mode", &[Environment(|environment| variables::accept_readable(environment, false))]),
    act("key_link", &[Environment(|environment| variables::accept_readable(environment, true))]),
    act(
        "key_raw_first",
        &[Environment(|environment| {
            if environment.get(variables::KEY).is_some() {
                environment.remove(variables::KEY_FILE);
            }
        })],
    ),
    act("rpc_userinfo", &[Environment(variables::rpc_without_userinfo)]),
    act(
        "rpc_query",
        &[Environment(|environment| environment.change_url(variables::RPC_URL, |url| url.set_query(None)))],
    ),
    act(
        "rpc_fragment",
        &[Environment(|environment| {
            environment.change_url(variables::RPC_URL, |url| url.set_fragment(None));
        })],
    ),
    act(
        "base_path",
        &[Environment(|environment| environment.change_url(variables::BASE_URL, |url| url.set_path("/")))],
    ),
    act(
        "base_elsewhere",
        &[Environment(variables::base_elsewhere), Error(results::service_failures_are_results)],
    ),
    act("names_only", &[Arguments(links::names_only)]),
    act(
        "recent_lean",
        &[RowOf(|row, _| row.retain(|name, _| !results::TEXTS_AND_LINKS.contains(&name.as_str())))],
    ),
    act(
        "recent_in_other_words",
        &[
            Tools(loose_output),
            RowOf(|row, _| {
                *row = std::mem::take(row)
                    .into_iter()
                    .map(|(name, value)| (format!("its_{name}"), value))
                    .collect();
            }),
        ],
    ),
    act("short_protections", &[Arguments(short_protections)]),
    act("codes_beyond_ascii", &[Arguments(ascii_code)]),
    act("near_starts", &[Arguments(near_starts)]),
    act(
        "preview_in_other_words",
        &[
            Tools(loose_output),
            Result(|tool, result| {
                if tool == "preview_launch" {
                    *result = json!({ "feeMath": result["feeMath"], "onChain": { "split": result["params"]["creatorFeeSplitBps"] } });
                }
            }),
        ],
    ),
    act("progress_in_percent", &[Tools(loose_output), Result(results::progress_in_percent)]),
    act("keys_with_prefix", &[Environment(variables::keys_with_prefix)]),
    act(
        "secrets_shown",
        &[Error(|result, secrets| results::change_text(result, |text| format!("{text}{}", secrets.shown())))],
    ),
    act(
        "short_keys_shown",
        &[Error(|result, secrets| {
            results::change_text(result, |text| format!("{text} {}", secrets.short_pieces()));
        })],
    ),
    act(
        "escapes_unread",
        &[Error(|result, secrets| {
            results::change_text(result, |text| format!("{text} {}", secrets.escaped()));
        })],
    ),
    act("read_needs_writes", &[Refusal(results::reading_disabled)]),
    act("garbage_ignored", &[Flow(DropMalformed)]),
    act("stdout_banner", &[Flow(Banner)]),
    act(
        "launches_race",
        &[Rpc(FirstAnswer("eth_getTransactionCount", Scope::OverlappingLaunches)), Flow(AwaitSecondLaunch)],
    ),
    act("calls_queue", &[Flow(Queue)]),
    act("cancel_deaf", &[Rpc(Record), Flow(DropCancellations)]),
    act("sent_nonce", &[Rpc(FirstAnswer("eth_getTransactionCount", Scope::Session))]),
    act("image_dropped", &[Arguments(without_image)]),
    act("description_cut", &[Arguments(|launch| cut_description(launch, 200))]),
    act("gain_whole", &[Arguments(whole_gain)]),
    act("recent_figures", &[RowOf(results::double_cap)]),
    act(
        "results_as_text",
        &[
            Tools(results::without_output),
            Answer(|method, message| {
                if method == "tools/call" {
                    message
                        .get_mut("result")
                        .into_iter()
                        .for_each(|result| remove(result, "structuredContent"));
                }
            }),
        ],
    ),
    act("refusals_as_protocol_errors", &[Answer(as_protocol_error)]),
    act("text_of_another_chain", &[Answer(text_of_another_chain)]),
    act("more_content", &[Answer(with_more_content)]),
    act(
        "log_notifications",
        &[
            Answer(|method, message| {
                greeting(method, message, |result| result["capabilities"]["logging"] = json!({}));
            }),
            Flow(Chatter),
        ],
    ),
    act("tools_paged", &[Flow(Paged)]),
    act("json_spelling", &[Flow(Spelt)]),
    act(
        "preview_without_warnings",
        &[
            Tools(loose_output),
            Result(|tool, result| {
                if tool == "preview_launch" {
                    remove(result, "warnings");
                }
            }),
        ],
    ),
    act(
        "status_without_launches",
        &[
            Tools(loose_output),
            Result(|tool, result| {
                if tool == "launch_status" {
                    remove(result, "sentLaunches");
                }
            }),
        ],
    ),
    act(
        "status_lean",
        &[
            Tools(loose_output),
            Result(|tool, result| {
                if tool == "launch_status" {
                    *result = json!({ "launchId": result["launchId"], "fundingProgress": result["fundingProgress"] });
                }
            }),
        ],
    ),
    act(
        "past_starts_are_now",
        &[Flow(ChainTime), Rpc(Record), Arguments(start_now), Arguments(nearest_snipe)],
    ),
];

/// Replaces output schemas with schemas that require nothing, for results without some members.
fn loose_output(tools: &mut Value) {
    each_tool(tools, |tool| {
        if tool["outputSchema"].is_object() {
            tool["outputSchema"] = json!({ "type": "object" });
        }
    });
}

fn as_protocol_error(method: &str, message: &mut Value) {
    if method == "tools/call" && message["result"]["isError"] == json!(true) {
        let text = message["result"]["content"][0]["text"].take();
        *message =
            json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": -32602, "message": text } });
    }
}

fn text_of_another_chain(method: &str, message: &mut Value) {
    if method == "tools/call"
        && let Some(Value::String(text)) = message.pointer_mut("/result/content/0/text")
        && let Ok(mut told) = serde_json::from_str::<Value>(text)
        && told.get("chainId").is_some()
    {
        told["chainId"] = json!(1);
        *text = told.to_string();
    }
}

fn with_more_content(method: &str, message: &mut Value) {
    if method == "tools/call"
        && let Some(content) = message.pointer_mut("/result/content").and_then(Value::as_array_mut)
    {
        content.push(json!({ "type": "text", "text": "That is all.", "annotations": { "audience": ["user"], "priority": 0.1 } }));
        message["result"]["_meta"]["example.dev/took"] = json!(12);
    }
}

/// Changes the result of `initialize`.
fn greeting(method: &str, message: &mut Value, change: fn(&mut Value)) {
    if method == "initialize" && message["result"].is_object() {
        change(&mut message["result"]);
    }
}
