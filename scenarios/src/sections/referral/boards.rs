//! The leaderboard for any caller: rows and ranks, limits and periods.
use std::collections::{BTreeMap, BTreeSet};

use super::{BOARD, PERIODS};
use crate::model::figure::Figure;
use crate::prelude::*;

/// The limited periods.
const ENDING: [&str; 3] = ["24h", "7d", "30d"];
/// Seconds after which every limited period is over.
pub(super) const LONGEST: u64 = 30 * 86_400 + 60;
/// Most rows of an answer.
const MOST: usize = 100;

/// The rules for every platform and any caller: at most ten rows by default, as many as requested, never more than 100, and four periods; a
/// longer period has no fewer points for any wallet.
pub(super) async fn public(trial: &Trial<'_>) -> Verdict {
    let (response, default) = rows_of(trial, &[]).await?;
    trial.require(&response, default.len() <= 10, "at most ten rows by default")?;
    let (response, most) = rows_of(trial, &[param("limit", "100")]).await?;
    let fits = most.len() <= MOST && default.len() == most.len().min(10);
    trial.require(&response, fits, "at most 100 rows, and ten of them by default")?;
    let (response, two) = rows_of(trial, &[param("limit", "2")]).await?;
    trial.require_equal(&response, "rows of limit 2", &most.len().min(2), &two.len())?;
    for beyond in ["101", "1000"] {
        let response = trial.read(BOARD, &[param("limit", beyond)]).await?;
        if response.status.is_success() {
            let rows = rows_in(trial, &response)?;
            trial.require(&response, rows.len() <= MOST, "a refusal, or at most 100 rows")?;
        }
    }
    let mut shorter: Option<(&str, BTreeMap<Address, Figure>)> = None;
    // Shortest first: points of a period are still in the next longer one a moment later.
    for period in PERIODS {
        let (response, points) = points_over(trial, period).await?;
        for (wallet, earned) in shorter.iter().flat_map(|(_, points)| points) {
            let whole = points.get(wallet).map_or(points.len() >= MOST, |all| all >= earned);
            let name = shorter.as_ref().map_or("", |(name, _)| name);
            let expected = format!("no fewer points of {wallet} over {period} than over {name}");
            trial.require_or(&response, whole, &expected, || {
                let over = points.get(wallet).map_or("none", Figure::text);
                format!("{over} over {period}, {} over {name}", earned.text())
            })?;
        }
        shorter = Some((period, points));
    }
    Ok(())
}

/// Returns the points of every wallet on the board over a period.
async fn points_over(trial: &Trial<'_>, period: &str) -> Verdict<(Response, BTreeMap<Address, Figure>)> {
    points_of(trial, &[param("period", period)]).await
}

async fn points_of(trial: &Trial<'_>, period: &Params) -> Verdict<(Response, BTreeMap<Address, Figure>)> {
    let (response, rows) = rows_of(trial, &[period, &[param("limit", "100")]].concat()).await?;
    let of_row = |row: &Value| {
        let wallet = parsed(&row["address"]).unwrap_or_default();
        Ok((wallet, trial.number(&response, row, "points_earned")?))
    };
    let points = rows.iter().map(of_row).collect::<Verdict<_>>()?;
    Ok((response, points))
}

/// Points leave the period in which they were earned, and remain in the period of all time.
pub(super) async fn ages(trial: &Trial<'_>) -> Verdict {
    let control = trial.control()?;
    let checkpoint = control.checkpoint().await?;
    let verdict = leaves_its_period(trial).await;
    trial.reverted(&control, &checkpoint).await?;
    verdict
}

async fn leaves_its_period(trial: &Trial<'_>) -> Verdict {
    let mut before = Vec::new();
    for period in ENDING {
        before.push((period, points_over(trial, period).await?.1));
    }
    // Points of a period are in each longer one.
    let earned = before.iter().find_map(|(_, points)| {
        let best = points.iter().max_by_key(|(_, points)| *points)?;
        (*best.1 > Figure::whole(0)).then_some(*best.0)
    });
    let wallet = earned.ok_or_else(|| no_material("nobody earned by referrals within thirty days"))?;
    let (_, ever) = points_over(trial, "all").await?;
    trial.control()?.advance(LONGEST).await?;
    for (period, points) in before {
        let Some(earned) = points.get(&wallet).filter(|points| **points > Figure::whole(0)) else { continue };
        let (response, after) = points_over(trial, period).await?;
        let left = after.get(&wallet).cloned().unwrap_or_else(|| Figure::whole(0));
        let expected = format!("fewer points of {wallet} over {period} once they are older");
        trial.require_or(&response, left < *earned, &expected, || left.text().to_owned())?;
    }
    for period in [&[param("period", "all")][..], &[]] {
        let (response, still) = points_of(trial, period).await?;
        let kept = ever.get(&wallet).is_none_or(|ever| still.get(&wallet).is_some_and(|still| still >= ever));
        trial.require(
            &response,
            kept,
            &format!("the points of {wallet} in those of all time, the default"),
        )?;
    }
    Ok(())
}

/// Returns the rows of the leaderboard.
pub(super) async fn rows_of(trial: &Trial<'_>, query: &Params) -> Verdict<(Response, Vec<Value>)> {
    let response = trial.read(BOARD, query).await?;
    let rows = rows_in(trial, &response)?;
    Ok((response, rows))
}

/// Returns the rows of an answer, each with its fields, in the order of their ranks.
fn rows_in(trial: &Trial<'_>, response: &Response) -> Verdict<Vec<Value>> {
    let body = trial.ok_json(response)?;
    let (Some(rows), true) = (body["leaderboard"].as_array(), body["updated_at"].is_string()) else {
        return Err(trial.failure(response, "leaderboard and updated_at", response.excerpt()));
    };
    let mut last: Option<(Figure, Figure)> = None;
    let mut met = BTreeSet::new();
    let mut codes = BTreeSet::new();
    for row in rows {
        let wallet = parsed::<Address>(&row["address"]);
        let named = wallet.is_some() && row["referral_code"].is_string();
        let counted = ["rank", "total_referrals", "points_earned"].iter().all(|name| row[*name].is_number());
        trial.require_or(response, named && counted, "a row with its five fields", || row.to_string())?;
        trial.require_or(response, met.insert(wallet), "each wallet once", || format!("again {row}"))?;
        // A registration finds the referrer by its code, so whoever has referrals has one that nobody else has.
        let code = row["referral_code"].as_str().filter(|code| !code.is_empty());
        let own = code.map_or(row["total_referrals"] == json!(0), |code| codes.insert(code));
        trial.require_or(response, own, "a referral_code that is the wallet's alone", || row.to_string())?;
        let number = |name: &str| trial.number(response, row, name);
        let (rank, points) = (number("rank")?, number("points_earned")?);
        // Wallets with equal points may share a rank.
        let follows = last.is_none_or(|(before, more)| {
            (points < more && rank > before) || (points == more && rank >= before)
        });
        trial.require_or(response, follows, "a rank after that of more points", || row.to_string())?;
        last = Some((rank, points));
    }
    Ok(rows.clone())
}
