//! Codes, registrations, stats and the leaderboard.
use num_rational::BigRational;
use num_traits::Zero;

use super::boards::{self, rows_of};
use super::{PERIODS, Programme, STATS};
use crate::answers::reads::spellings;
use crate::answers::refusals;
use crate::model::bounds::Bounds;
use crate::model::figure::Figure;
use crate::model::moment;
use crate::prelude::*;
use crate::sections::leaderboard::ranked;
use crate::sections::meaning::FIG_REF;
use crate::sections::service::values::SVC_TIME_ZONE;
use crate::truth::reference::points;

/// Most listed entries of recent activity and of top referrals.
const RECENT: usize = 20;
const TOP: usize = 10;

clause! {
    REF_CODE = "REF-CODE" (S64, S200, S293): "The code is created once and never changes.";
    check!("referral-code-once" [Exclusive; Rest, Control] code_is_made_once:
        "asks for the codes of two wallets again and later");
}
pub(super) async fn code_is_made_once(trial: &Trial<'_>) -> Verdict {
    let programme = Programme::open(trial).await?;
    let [one, two] = ["code-one", "code-two"].map(|label| programme.stranger(label).address());
    let (made, first) = programme.code(one).await?;
    let text = first["code"].as_str().unwrap_or_default();
    let created = first["created_at"].as_str().and_then(moment::nanoseconds);
    // The clock is read in whole seconds.
    let next = i128::from(trial.control()?.now().await? + 1) * 1_000_000_000;
    let counts = ["total_referrals", "active_referrals", "total_points_earned"];
    let whole = !text.is_empty()
        && created.is_some_and(|created| created < next)
        && counts.iter().all(|name| first[*name].is_number());
    trial.require(&made, whole, "a code record with its five fields")?;
    programme.trial.control()?.advance(3_601).await?;
    let (again, second) = programme.code(one).await?;
    trial.require_equal(&again, "the record asked for again", &first, &second)?;
    let (other, third) = programme.code(two).await?;
    trial.require(&other, third["code"] != first["code"], "a different code")
}

clause! {
    REF_REG = "REF-REG" (choice S7, S70, S202):
        "Registering sets the referrer; unknown codes, oneself and a second registration are refused.";
    check!("referral-register" [Exclusive; Rest, Control] registration:
        "registers with a code and an address, and tries what must not pass");
}
pub(super) async fn registration(trial: &Trial<'_>) -> Verdict {
    let programme = Programme::open(trial).await?;
    let [owner, one, two, three] =
        ["reg-owner", "reg-one", "reg-two", "reg-three"].map(|label| programme.stranger(label).address());
    let code = programme.code_text(owner).await?;
    for (wallet, code) in [(one, code.clone()), (two, owner.to_string())] {
        let (response, body) = programme.must_register(&code, wallet).await?;
        let referrer = parsed(&body["referrer"]);
        trial.require_equal(&response, "referrer", &Some(owner), &referrer)?;
        let result = body["success"] == json!(true) && body["message"].is_string();
        trial.require(&response, result, "success and a message")?;
    }
    let (response, body) = programme.stats(owner, "all").await?;
    trial.require_equal(&response, "total_referrals", &json!(2), &body["stats"]["total_referrals"])?;
    let wallet = three.to_string();
    for (body, status, cause) in [
        (json!({ "referral_code": code }), 400, "referral-wallet"),
        (json!({ "wallet_address": wallet }), 400, "referral-code"),
        (json!({ "referral_code": "", "wallet_address": wallet }), 400, "referral-code"),
        (json!({ "referral_code": 7, "wallet_address": wallet }), 400, "referral-code"),
        (json!({ "referral_code": code, "wallet_address": "0x12" }), 400, "referral-wallet"),
        (json!({ "referral_code": code, "wallet_address": null }), 400, "referral-wallet"),
        (super::registration("REF-NOBODYXX", three), 404, "referral-code-unknown"),
        (super::registration(&code, owner), 400, "referral-self"),
        (super::registration(&owner.to_string(), owner), 400, "referral-self"),
        (super::registration(&code, one), 409, "referral-registered"),
        (super::registration(&three.to_string(), one), 409, "referral-registered"),
    ] {
        programme.next_minute().await?;
        programme.trial.refused(&programme.register(&body).await?, status, &[cause]).await?;
    }
    Ok(())
}

clause! {
    REF_STATS_ADDR = "REF-STATS-ADDR" (choice S7, S206): "Stats of a wallet can be read by its address.";
    check!("referral-stats-address" [Exclusive; Rest, Control] stats_by_address:
        "reads the same stats by address and by credential");
}
pub(super) async fn stats_by_address(trial: &Trial<'_>) -> Verdict {
    let programme = Programme::open(trial).await?;
    let wallet = best(trial).await?;
    let header = programme.bearer(wallet).await?;
    let own = programme.read_as(STATS, Some(&header)).await?;
    let expected = trial.ok_json(&own)?;
    for spelling in spellings(wallet) {
        let response = trial.read(STATS, &[param("address", spelling)]).await?;
        trial.require_equal(&response, "stats", &expected, &trial.ok_json(&response)?)?;
    }
    let nobody = programme.stranger("stats-nobody").address();
    let (response, body) = programme.stats(nobody, "all").await?;
    let empty = body["stats"]["total_points_earned"] == json!(0)
        && body["stats"]["total_referrals"] == json!(0)
        && body["recent_activity"] == json!([]);
    trial.require(&response, empty, "zeroes for a wallet without referrals")?;
    trial.refuses_each(refusals::REFERRAL_WALLETS, &[]).await
}

clause! {
    REF_STATS = "REF-STATS" (S65, S66, S67, S201, S206):
        "Stats have their shape for each of four periods, by default all time.";
    check!("referral-stats-sums" [Exclusive; Rest, Control] stats_add_up:
        "looks at the stats of the best referrers for each period, and again when all of it is over, and adds them up");
}
pub(super) async fn stats_add_up(trial: &Trial<'_>) -> Verdict {
    let programme = Programme::open(trial).await?;
    let wallet = best(trial).await?;
    let (default, without_period) = programme.stats_with(wallet, &[]).await?;
    let mut least = Figure::whole(0);
    for period in PERIODS {
        let (response, body) = programme.stats(wallet, period).await?;
        let total = sums(trial, &response, &body)?;
        trial.require(&response, total >= least, "no fewer points over a longer period")?;
        least = total;
        if period == "all" {
            trial.require_equal(&default, "stats without a period", &body, &without_period)?;
        }
    }
    trial.require(&default, least > Figure::whole(0), "points of the best referrer")?;
    programme.next_minute().await?;
    let (_, ranked) = board(trial, &[param("limit", "20")]).await?;
    for wallet in ranked.iter().filter_map(|row| parsed(&row["address"])) {
        let (response, body) = programme.stats_with(wallet, &[]).await?;
        sums(trial, &response, &body)?;
    }
    let control = trial.control()?;
    let checkpoint = control.checkpoint().await?;
    let verdict = default_is_all_time(&programme, wallet).await;
    trial.reverted(&control, &checkpoint).await?;
    verdict
}

/// Once all is older than every limited period, stats without a period are those of all time.
async fn default_is_all_time(programme: &Programme<'_>, wallet: Address) -> Verdict {
    programme.trial.control()?.advance(boards::LONGEST).await?;
    let (_, ever) = programme.stats(wallet, "all").await?;
    let (response, default) = programme.stats_with(wallet, &[]).await?;
    programme.trial.require_equal(&response, "stats without a period", &ever, &default)
}

/// Stats are complete; that their sums match their parts and the listed activity is a choice. Returns the total.
fn sums(trial: &Trial<'_>, response: &Response, body: &Value) -> Verdict<Figure> {
    let stats = &body["stats"];
    let part = |name: &str| trial.number(response, stats, name);
    let chosen = trial.by(&FIG_REF);
    let total = part("total_points_earned")?;
    let kinds = [
        ("trade", part("points_from_trading")?),
        ("token_creation", part("points_from_token_creation")?),
        ("milestone", part("points_from_milestones")?),
    ];
    let sum: BigRational = kinds.iter().map(|(_, figure)| figure.value()).sum();
    let agree = |what: &str, figure: &Figure, exact: &BigRational| {
        let expected = format!("{what} = {}", Bounds::exact(exact.clone()));
        chosen.require_or(response, points::shows(figure, exact), &expected, || figure.text().to_owned())
    };
    agree("total_points_earned", &total, &sum)?;
    let (Some(activity), Some(top)) = (body["recent_activity"].as_array(), body["top_referrals"].as_array())
    else {
        return Err(trial.failure(response, "recent_activity and top_referrals", response.excerpt()));
    };
    let mut reported = vec![BigRational::zero(); kinds.len()];
    for one in activity {
        let whole = one["type"].is_string()
            && parsed::<Address>(&one["referral_address"]).is_some()
            && one["timestamp"].is_string();
        trial.require_or(response, whole, "an activity with its four fields", || one.to_string())?;
        zoned(trial, response, &one["timestamp"])?;
        let earned = trial.number(response, one, "points_earned")?;
        match kinds.iter().position(|(kind, _)| one["type"] == *kind) {
            Some(place) => reported[place] += earned.value(),
            None => {
                chosen.require_or(response, false, "a trade, token_creation or milestone", || {
                    one.to_string()
                })?;
            }
        }
    }
    if activity.len() < RECENT {
        for ((kind, figure), reported) in kinds.iter().zip(&reported) {
            agree(&format!("points of {kind}"), figure, reported)?;
        }
    }
    let mut brought = BigRational::zero();
    for one in top {
        let whole = parsed::<Address>(&one["address"]).is_some() && one["joined_at"].is_string();
        zoned(trial, response, &one["joined_at"])?;
        trial.require_or(response, whole, "a referral with its three fields", || one.to_string())?;
        brought += trial.number(response, one, "points_generated")?.value();
    }
    if top.len() < TOP {
        agree("total_points_earned", &total, &brought)?;
    }
    let counts = ["total_referrals", "active_referrals"].map(|name| stats[name].as_u64());
    let [Some(all), Some(active)] = counts else {
        return Err(trial.failure(response, "whole numbers of referrals", response.excerpt()));
    };
    trial.require(response, body["referral_code"].is_string(), "a code")?;
    // Which of the two the period restricts is left open.
    chosen.require(response, active <= all, "no more active referrals than there are")?;
    chosen.require(response, top.len() as u64 == all.min(TOP as u64), "the best referrals, ten at most")?;
    Ok(total)
}

/// That a time is ISO 8601 is a choice, except for created_at.
fn zoned(trial: &Trial<'_>, response: &Response, time: &Value) -> Verdict {
    let good = time.as_str().is_some_and(moment::has_zone);
    trial.by(&SVC_TIME_ZONE).require_or(response, good, "a time as ISO 8601 with a zone", || time.to_string())
}

clause! {
    REF_LEAD = "REF-LEAD" (S68, S69, S203, S204, S205, S312):
        "The leaderboard has ten rows by default and at most 100, for each of four periods, ranked by points.";
    check!("referral-leaderboard" [Exclusive; Rest, Control] leaderboard:
        "compares each period's ranks with the stats of the ranked");
    check!("referral-leaderboard-public" [Read; Rest; S68, S69, S203, S204, S205, S312] boards::public:
        "reads the board without a credential by default, by limits and by periods, and looks at its rows");
    check!("referral-leaderboard-ages" [Exclusive; Rest, Control; S205] boards::ages:
        "moves the clock until what was earned leaves its period, and returns");
}
pub(super) async fn leaderboard(trial: &Trial<'_>) -> Verdict {
    let programme = Programme::open(trial).await?;
    let (response, rows) = board(trial, &[]).await?;
    let (_, all) = board(trial, &[param("limit", "100"), param("period", "all")]).await?;
    let ten = all.get(..rows.len()) == Some(&*rows) && rows.len() == all.len().min(10);
    trial.require(&response, ten, "the first ten of all time")?;
    let (response, three) = board(trial, &[param("limit", "3")]).await?;
    trial.require(&response, *three == all[..all.len().min(3)], "the first three")?;
    for period in PERIODS {
        programme.next_minute().await?;
        let (response, rows) = board(trial, &[param("limit", "100"), param("period", period)]).await?;
        for row in rows.iter().take(6) {
            let wallet = parsed(&row["address"]).unwrap_or_default();
            let (_, reported) = programme.stats(wallet, period).await?;
            let stats = &reported["stats"];
            let code = format!("referral_code of {wallet} over {period}");
            trial.require_equal(&response, &code, &reported["referral_code"], &row["referral_code"])?;
            // Which figures a shorter period restricts is left open, both on the board and in the stats.
            let figures = if period == "all" { *trial } else { trial.by(&FIG_REF) };
            for (of_row, of_stats) in [
                ("points_earned", &stats["total_points_earned"]),
                ("total_referrals", &stats["total_referrals"]),
            ] {
                let what = format!("{of_row} of {wallet} over {period}");
                figures.require_equal(&response, &what, of_stats, &row[of_row])?;
            }
        }
    }
    Ok(())
}

clause! {
    REF_BAD = "REF-BAD" (choice S201, S204, S205): "An unknown period, and a limit below 1 or above 100, is 400.";
    check!("referral-refusals" [Exclusive; Rest, Control] refusals:
        "sends invalid periods and limits to stats and leaderboard");
}
pub(super) async fn refusals(trial: &Trial<'_>) -> Verdict {
    let wallet = Account::fresh(&mut trial.choices("refused")).address().to_string();
    trial.refuses_each(refusals::REFERRAL_PERIODS, &[param("address", wallet)]).await?;
    trial.refuses_each(refusals::REFERRAL_BOARDS, &[]).await
}

/// Returns the rows of the leaderboard, which must be ranked from 1 without a gap, with points that never rise.
async fn board(trial: &Trial<'_>, query: &Params) -> Verdict<(Response, Vec<Value>)> {
    let (response, rows) = rows_of(trial, query).await?;
    ranked(trial, &response, &rows, "points_earned")?;
    Ok((response, rows))
}

/// Returns the best referrer of all time.
async fn best(trial: &Trial<'_>) -> Verdict<Address> {
    let (_, rows) = board(trial, &[]).await?;
    let first = rows.first().and_then(|row| parsed(&row["address"]));
    first.ok_or_else(|| no_material("no account has earned by referrals yet"))
}
