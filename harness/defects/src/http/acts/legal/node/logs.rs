//! Acts that limit log requests by blocks or by results, with the error texts of several providers.
use hyper::StatusCode;
use serde_json::{Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::calls::{calls, each_answer, method, number, quantity, refuse, send_along, taken_out};
use crate::http::exchange::{ProxiedResponse, RequestParts};

pub(in crate::http::acts) const ACTS: &[Act] = &[
    act!(Before height_for_logs),
    act!(After logs_of_50_blocks),
    act!(After logs_of_500_blocks),
    act!(After logs_of_2000_blocks),
    act!(After logs_of_10000_blocks),
    act!(After logs_of_200_results),
];

/// The id of the added call that reads the chain's height.
const HEIGHT: &str = "height for logs";

fn height_for_logs(_: &Context<'_>, request: &mut RequestParts) {
    if calls(request, |method| method == "eth_getLogs") {
        send_along(request, HEIGHT, "eth_blockNumber", &json!([]));
    }
}

/// The first and last block of a filter; `None` if it names one block by its hash.
fn range(call: &Value, height: u64) -> Option<(u64, u64)> {
    let filter = &call["params"][0];
    let block = |name: &str| match filter[name].as_str() {
        Some("earliest") => 0,
        Some(_) => number(&filter[name]).unwrap_or(height),
        None => height,
    };
    filter["blockHash"].is_null().then(|| (block("fromBlock"), block("toBlock")))
}

/// Refuses ranges of more than `limit` blocks.
fn limited(
    sent: &RequestParts,
    response: &mut ProxiedResponse,
    most: u64,
    refuse: fn(&mut Value, (u64, u64)),
) {
    let Some(height) = taken_out(sent, response, HEIGHT).as_ref().and_then(number) else {
        return;
    };
    each_answer(sent, response, |call, answer| {
        if method(call) == "eth_getLogs"
            && let Some((first, last)) = range(call, height)
            && last.saturating_sub(first) >= most
        {
            refuse(answer, (first, first + most - 1));
        }
    });
}

fn logs_of_50_blocks(context: &Context<'_>, response: &mut ProxiedResponse) {
    limited(context.sent, response, 50, |answer, _| {
        refuse(answer, -32602, "eth_getLogs is limited to a range of 50 blocks");
    });
}

fn logs_of_500_blocks(context: &Context<'_>, response: &mut ProxiedResponse) {
    limited(context.sent, response, 500, |answer, _| refuse(answer, -32000, "block range too large"));
}

fn logs_of_2000_blocks(context: &Context<'_>, response: &mut ProxiedResponse) {
    limited(context.sent, response, 2_000, suggest);
}

fn suggest(answer: &mut Value, (first, last): (u64, u64)) {
    refuse(answer, -32005, &format!("exceeds the range of 2000 blocks, try [{first:#x}, {last:#x}]"));
    answer["error"]["data"] = json!({ "from": quantity(first), "to": quantity(last) });
}

fn logs_of_10000_blocks(context: &Context<'_>, response: &mut ProxiedResponse) {
    limited(context.sent, response, 10_000, |answer, _| {
        refuse(answer, -32600, "exceeds the maximum block range of 10000");
    });
    if response.body["error"]["code"] == -32600 {
        response.status = StatusCode::BAD_REQUEST;
    }
}

fn logs_of_200_results(context: &Context<'_>, response: &mut ProxiedResponse) {
    each_answer(context.sent, response, |call, answer| {
        let logs = answer["result"].as_array().filter(|_| method(call) == "eth_getLogs");
        let Some(logs) = logs.filter(|logs| logs.len() > 200) else { return };
        let blocks = logs.iter().filter_map(|log| number(&log["blockNumber"]));
        let (first, last) =
            blocks.fold((u64::MAX, 0), |(first, last), block| (first.min(block), last.max(block)));
        if first < last {
            let half = first + (last - first) / 2;
            let text = format!(
                "query returned more than 200 results. Try with this block range [{first:#x}, {half:#x}]."
            );
            refuse(answer, -32005, &text);
        }
    });
}
