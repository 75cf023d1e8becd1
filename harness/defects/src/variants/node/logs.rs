//! Limits of requests for logs, by blocks and by results, refused in the words of several providers.
use hyper::StatusCode;
use serde_json::{Value, json};

use super::calls::{calls, each_answer, method, number, quantity, refuse, send_along, taken_out};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation::{Anywhere, Lie};
use crate::variants::Ground::Standard;
use crate::variants::{VariantRow, variant};

const LIMITS: crate::variants::Ground =
    Standard("EIP-1474, error -32005: limit exceeded; execution API, eth_getLogs");

#[rustfmt::skip]
pub(super) const ROWS: &[VariantRow] = &[
    variant!(Node, "node-logs-of-50-blocks", LIMITS, "logs of more than 50 blocks are refused as invalid parameters", Lie(height_along, |sent, response| limited(sent, response, 50, |answer, _| refuse(answer, -32602, "eth_getLogs is limited to a range of 50 blocks")))),
    variant!(Node, "node-logs-of-500-blocks", LIMITS, "logs of more than 500 blocks are refused as a range that is too large", Lie(height_along, |sent, response| limited(sent, response, 500, |answer, _| refuse(answer, -32000, "block range too large")))),
    variant!(Node, "node-logs-of-2000-blocks", LIMITS, "logs of more than 2,000 blocks are refused with the range that would be answered", Lie(height_along, |sent, response| limited(sent, response, 2_000, suggest))),
    variant!(Node, "node-logs-of-10000-blocks", LIMITS, "logs of more than 10,000 blocks are refused with status 400", Lie(height_along, too_many_blocks)),
    variant!(Node, "node-logs-of-200-results", LIMITS, "more than 200 logs of several blocks are refused with a smaller range", Anywhere(too_many_results)),
];

/// The call that is sent along to learn the height of the chain.
const HEIGHT: &str = "height for logs";

fn height_along(request: &mut RequestParts) {
    if calls(request, |method| method == "eth_getLogs") {
        send_along(request, HEIGHT, "eth_blockNumber", &json!([]));
    }
}

/// The first and the last block of a filter; none where it names one block by its hash.
fn range(call: &Value, height: u64) -> Option<(u64, u64)> {
    let filter = &call["params"][0];
    let block = |name: &str| match filter[name].as_str() {
        Some("earliest") => 0,
        Some(_) => number(&filter[name]).unwrap_or(height),
        None => height,
    };
    filter["blockHash"].is_null().then(|| (block("fromBlock"), block("toBlock")))
}

/// Refuses ranges of more blocks than a limit.
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

fn suggest(answer: &mut Value, (first, last): (u64, u64)) {
    refuse(answer, -32005, &format!("exceeds the range of 2000 blocks, try [{first:#x}, {last:#x}]"));
    answer["error"]["data"] = json!({ "from": quantity(first), "to": quantity(last) });
}

fn too_many_blocks(sent: &RequestParts, response: &mut ProxiedResponse) {
    limited(sent, response, 10_000, |answer, _| {
        refuse(answer, -32600, "exceeds the maximum block range of 10000");
    });
    if response.body["error"]["code"] == -32600 {
        response.status = StatusCode::BAD_REQUEST;
    }
}

fn too_many_results(sent: &RequestParts, response: &mut ProxiedResponse) {
    each_answer(sent, response, |call, answer| {
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
