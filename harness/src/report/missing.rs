//! Failures with one cause: an endpoint that the target does not have.
use std::collections::BTreeMap;

use slipway_scenarios::client::message::ABSENT;

use super::events::{Exchange, ExchangeKind, Verdict, Word};

/// The failed checks of endpoints that are not there: by method and path, and by status.
pub(super) type Missing<'r> = BTreeMap<(String, u16), Vec<&'r Verdict>>;

/// The failed checks of each endpoint that never answered anything else, if it failed several: by method, path and status.
pub(super) fn missing<'r>(
    verdicts: &'r [Verdict],
    exchanges: &'r BTreeMap<String, Vec<Exchange>>,
) -> Missing<'r> {
    let mut found = BTreeMap::<_, Vec<_>>::new();
    for verdict in verdicts.iter().filter(|verdict| verdict.verdict == Word::Failed) {
        let shows = verdict.failure.as_ref().and_then(|failure| failure.exchange);
        let mut made = exchanges.get(&verdict.check).into_iter().flatten();
        if let Some(answered) = made.find(|exchange| Some(exchange.number) == shows).and_then(answered) {
            found.entry(answered).or_default().push(verdict);
        }
    }
    let all = exchanges.values().flatten().filter_map(answered);
    let others: Vec<_> = all.filter(|(_, status)| !ABSENT.contains(status)).collect();
    found.retain(|(endpoint, status), verdicts| {
        let is_there = others.iter().any(|(other, _)| other == endpoint);
        verdicts.len() > 1 && ABSENT.contains(status) && !is_there
    });
    found
}

/// The endpoint that an exchange asked, and the status of its answer.
fn answered(exchange: &Exchange) -> Option<(String, u16)> {
    let (method, address) = exchange.request.head.split_once(' ')?;
    let (_, behind) = address.split_once("://")?;
    let path = behind.split('?').next()?.find('/').map_or("/", |at| &behind[at..]);
    let path = path.split('?').next()?;
    let status = exchange.response.as_ref()?.head.split(' ').next()?.parse().ok()?;
    (exchange.kind == ExchangeKind::Http).then(|| (format!("{method} {path}"), status))
}
