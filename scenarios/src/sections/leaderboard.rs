//! `GET /api/leaderboard`: its limit, ranks, and points recomputed from the chains.
use super::meaning::leaders::own_points;
use crate::answers::reads::LEADERBOARD;
use crate::answers::refusals;
use crate::model::figure::Figure;
use crate::model::moment;
use crate::prelude::*;
use crate::truth::market::Market;
use crate::truth::reference::points;

section! {
    LEAD_SHAPE, LEAD_LIMIT,
}

async fn board(trial: &Trial<'_>, query: &[(&'static str, String)]) -> Verdict<(Response, Vec<Value>)> {
    let (response, body) = trial.read_json(LEADERBOARD, query).await?;
    let updated = body["updated_at"].as_str().and_then(moment::nanoseconds);
    match (body["leaderboard"].as_array(), updated) {
        (Some(rows), Some(_)) => Ok((response.clone(), rows.clone())),
        _ => Err(trial.failure(&response, "leaderboard and updated_at", response.excerpt())),
    }
}

clause! {
    LEAD_SHAPE = "LEAD-SHAPE" (choice S6, S166, S167):
        "Rows are ranked from 1 without a gap, points never increase, and limit is respected.";
    check!("leaderboard-ranks" [Read; Rest] ranks:
        "reads the board with every kind of limit and looks at its ranks and sums");
    check!("leaderboard-points" [Exclusive; Rest, PrimaryChain, SecondChain] own_points on Ledger:
        "recomputes every wallet's own points from the trades and launches on both chains");
}
async fn ranks(trial: &Trial<'_>) -> Verdict {
    let (_, whole) = board(trial, &[param("limit", "100")]).await?;
    for (limit, most) in [(None, 50), (Some("1"), 1), (Some("7"), 7), (Some("100"), 100)] {
        let query: Vec<_> = limit.iter().map(|limit| param("limit", *limit)).collect();
        let (response, rows) = board(trial, &query).await?;
        let least = most.min(whole.len());
        let fits = (least..=most).contains(&rows.len());
        let expected = format!("{least} to {most} rows");
        trial.require_or(&response, fits, &expected, || format!("{} rows", rows.len()))?;
        if most == 1 {
            trial.require(&response, rows.len() == 1, "a first row")?;
        }
        ranked(trial, &response, &rows, "points")?;
        for row in &rows {
            trial.part(adds_up(trial, &response, row))?;
        }
    }
    trial.refuses_each(refusals::LEADERS, &[]).await
}

fn adds_up(trial: &Trial<'_>, response: &Response, row: &Value) -> Verdict {
    let total = trial.number(response, row, "points")?;
    let parts = ["trading_points", "creation_points", "referral_points"];
    let parts: Vec<Figure> =
        parts.iter().map(|name| trial.number(response, row, name)).collect::<Verdict<_>>()?;
    let sum = parts.iter().map(Figure::value).sum();
    let adds_up = points::shows(&total, &sum);
    trial.require_or(response, adds_up, "points that are the sum of their parts", || row.to_string())
}

clause! {
    LEAD_LIMIT = "LEAD-LIMIT" (S166, S167): "If tokens are traded, the leaderboard is not empty; limit bounds its rows.";
    check!("leaderboard-limit" [Read; Rest] limited on Market:
        "asks for one row and for two, whatever the shape of the answer");
}
async fn limited(trial: &Trial<'_>, market: &Market) -> Verdict {
    let (response, whole) = trial.read_json(LEADERBOARD, &[]).await?;
    let traded = market.tokens().any(|token| token.trades > Figure::whole(0));
    let empty = is_empty(&whole);
    trial.require(&response, !empty || !traded, "points or rankings where tokens are traded")?;
    for most in [1, 2] {
        let (response, body) = trial.read_json(LEADERBOARD, &[param("limit", most.to_string())]).await?;
        // The member that holds the rows has no fixed name: it is the only array of objects.
        if let [rows] = *arrays_of_objects(&body) {
            let fits = rows.len() <= most;
            trial.require_or(&response, fits, &format!("at most {most} rows"), || {
                format!("{} rows", rows.len())
            })?;
        }
    }
    Ok(())
}

/// Whether a board has no row: nothing, or beside single values only lists and objects of nothing.
fn is_empty(value: &Value) -> bool {
    let parts: Vec<&Value> = match value {
        Value::Array(items) => items.iter().collect(),
        Value::Object(members) => members.values().collect(),
        _ => return true,
    };
    let mut nested = parts.iter().filter(|part| part.is_array() || part.is_object()).peekable();
    if nested.peek().is_some() { nested.all(|part| is_empty(part)) } else { parts.is_empty() }
}

/// Returns the outermost arrays of objects.
fn arrays_of_objects(value: &Value) -> Vec<&Vec<Value>> {
    match value {
        Value::Array(items) if items.iter().any(Value::is_object) => vec![items],
        Value::Array(items) => items.iter().flat_map(arrays_of_objects).collect(),
        Value::Object(members) => members.values().flat_map(arrays_of_objects).collect(),
        _ => Vec::new(),
    }
}

/// Rows are ranked from 1 without a gap, and points never rise. Ties may share a rank; the next rank is then that of its position, or one
/// higher.
pub(super) fn ranked(trial: &Trial<'_>, response: &Response, rows: &[Value], points: &str) -> Verdict {
    let mut last: Option<Figure> = None;
    let mut before = 0;
    for (row, place) in rows.iter().zip(1_u64..) {
        let Some(earned) = trial.part(trial.number(response, row, points))? else { continue };
        let rank = row["rank"].as_u64();
        let shared = last.as_ref() == Some(&earned) && rank == Some(before);
        let fits = shared || rank == Some(place) || rank == Some(before + 1);
        trial.require_or(response, fits, &format!("rank = {place}"), || row.to_string())?;
        before = rank.unwrap_or(place);
        let falls = last.is_none_or(|last| earned <= last);
        trial.require_or(response, falls, "no more points than the row before", || row.to_string())?;
        last = Some(earned);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_board_without_rows_is_empty_in_any_shape() {
        for (body, empty) in [
            (json!([]), true),
            (json!({}), true),
            (json!({ "leaderboard": [], "updated_at": "2026-03-04T11:00:00Z" }), true),
            (json!({ "data": { "rows": [], "total": 0 } }), true),
            (json!(["0x01", "0x02"]), false),
            (json!({ "0x01": 5 }), false),
            (json!({ "leaderboard": [{ "rank": 1 }], "you": [] }), false),
            (json!({ "data": { "rows": [{ "points": 1 }] } }), false),
        ] {
            assert_eq!(is_empty(&body), empty, "{body}");
        }
    }
}
