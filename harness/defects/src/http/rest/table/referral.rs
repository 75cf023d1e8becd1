//! Defects of the referral programme and of the leaderboard.
use hyper::StatusCode;
use hyper::header::AUTHORIZATION;

use super::super::{referral, requests};
use crate::http::exchange::remove;
use crate::http::mutation::Mutation::{InformedExchange, InformedResponse, Request, Response};
use crate::http::mutation::Need::Clock;
use crate::http::mutation::{MutationRow, row};

const CODE: &str = "/api/referral/code";
const STATS: &str = "/api/referral/stats";
const REGISTER: &str = "/api/referral/register";
const BOARD: &str = "/api/referral/leaderboard";
const LEADERBOARD: &str = "/api/leaderboard";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "ref-any-bearer", &["REF-CREDENTIAL"], "a bearer token that was never issued is accepted", Response(CODE, referral::any_bearer)),
    row!(Rest, "ref-missing-400", &["REF-CREDENTIAL"], "a missing credential is 400", Response(STATS, |request, response| if response.status == StatusCode::UNAUTHORIZED && !request.headers().contains_key(AUTHORIZATION) { response.refuse(StatusCode::BAD_REQUEST, "an Authorization header is required") })),
    row!(Rest, "ref-anonymous", &["REF-AUTH"], "a code is answered without a credential", Response(CODE, |request, response| if response.status == StatusCode::UNAUTHORIZED && !request.headers().contains_key(AUTHORIZATION) { referral::code(response) })),
    row!(Rest, "ref-code-made-again", &["REF-CODE"], "created_at of a code is the time of asking", InformedResponse(CODE, Clock, referral::created_now)),
    row!(Rest, "ref-code-unlimited", &["REF-CODE-RATE"], "codes are returned however often they are requested", Response(CODE, referral::unlimited)),
    row!(Rest, "ref-stats-unlimited", &["REF-READ-RATE"], "stats are returned however often they are read", Response(STATS, referral::unlimited)),
    row!(Rest, "ref-board-no-retry", &["SVC-LIMITS"], "the leaderboard's limit refuses without Retry-After", Response(BOARD, |_, response| if response.status == StatusCode::TOO_MANY_REQUESTS { response.headers.remove("retry-after"); })),
    row!(Rest, "ref-register-unlimited", &["REF-REG-RATE"], "an address registers as often as it wants", Response(REGISTER, referral::unlimited)),
    row!(Rest, "ref-stats-uncoded", &["REF-STATS"], "stats do not contain the code", Response(STATS, |_, response| remove(&mut response.body, "referral_code"))),
    row!(Rest, "ref-total-no-launches", &["FIG-REF"], "total_points_earned leaves launches out", Response(STATS, referral::total_without_creations)),
    row!(Rest, "ref-period-any", &["REF-BAD"], "an unknown period is taken for all", Request(STATS, |request| if request.get("period").is_some_and(|period| !["24h", "7d", "30d", "all"].contains(&period)) { request.drop("period"); })),
    row!(Rest, "ref-address-404", &["REF-STATS-ADDR"], "a wallet without referrals is 404", Response(STATS, referral::nobody_is_unknown)),
    row!(Rest, "ref-oneself", &["REF-REG"], "a wallet may be its own referrer", Response(REGISTER, |request, response| if response.body["error"].to_string().contains("own referrer") { referral::registered(request, response) })),
    row!(Rest, "ref-register-again", &["REF-REG"], "a wallet may register again", Response(REGISTER, |request, response| if response.status == StatusCode::CONFLICT { referral::registered(request, response) })),
    row!(Rest, "ref-board-rank-zero", &["REF-LEAD"], "ranks of referrers begin at 0", Response(BOARD, referral::rank_from_zero)),
    row!(Rest, "ref-board-clamped", &["REF-BAD"], "a limit above 100 is taken for 100", Request(BOARD, |request| requests::clamp(request, 100))),
    row!(Rest, "ref-board-all-time", &["REF-LEAD"], "the leaderboard is that of all time for every period", Request(BOARD, |request| request.drop("period"))),
    row!(Rest, "ref-month-of-all", &["FIG-PERIODS"], "the stats of 30d are those of all time", Request(STATS, |request| request.replace("period", "30d", "all"))),
    row!(Rest, "ref-board-month-of-all", &["FIG-PERIODS"], "the leaderboard of 30d is that of all time", Request(BOARD, |request| request.replace("period", "30d", "all"))),
    row!(Rest, "ref-day-short", &["FIG-PERIODS"], "the stats of 24h leave out the last of its hours", InformedResponse(STATS, Clock, |facts, request, response| referral::shorten("24h", 23, facts, request, response))),
    row!(Rest, "ref-week-short", &["FIG-PERIODS"], "the stats of 7d leave out the last of its hours", InformedResponse(STATS, Clock, |facts, request, response| referral::shorten("7d", 7 * 24 - 1, facts, request, response))),
    row!(Rest, "ref-month-short", &["FIG-PERIODS"], "the stats of 30d leave out the last of its hours", InformedResponse(STATS, Clock, |facts, request, response| referral::shorten("30d", 30 * 24 - 1, facts, request, response))),
    row!(Rest, "ref-day-long", &["FIG-PERIODS"], "the stats of 24h count two days", InformedExchange(STATS, Clock, |request| request.replace("period", "24h", "7d"), referral::a_day_longer)),
    row!(Rest, "ref-week-long", &["FIG-PERIODS"], "the stats of 7d count eight days", InformedExchange(STATS, Clock, |request| request.replace("period", "7d", "30d"), referral::a_day_longer)),
    row!(Rest, "ref-month-long", &["FIG-PERIODS"], "the stats of 30d count 31 days", InformedExchange(STATS, Clock, |request| request.replace("period", "30d", "all"), referral::a_day_longer)),
    row!(Rest, "ref-board-day-of-week", &["FIG-PERIODS"], "the leaderboard of 24h is that of a week", Request(BOARD, |request| request.replace("period", "24h", "7d"))),
    row!(Rest, "ref-board-week-of-month", &["FIG-PERIODS"], "the leaderboard of 7d is that of a month", Request(BOARD, |request| request.replace("period", "7d", "30d"))),
    row!(Rest, "ref-registration-lost", &["FIG-CREDIT", "FIG-REF"], "a registration is confirmed and made for another wallet", Request(REGISTER, referral::another_wallet)),
    row!(Rest, "ref-later-trades-unpaid", &["FIG-CREDIT", "FIG-REF"], "a referral earns by its first trade alone", Response(STATS, referral::first_trades)),
    row!(Rest, "ref-board-bare", &["REF-LEAD"], "the leaderboard of referrers is a bare array", Response(BOARD, |_, response| if response.is_ok() { response.body = response.body["leaderboard"].clone() })),
    row!(Rest, "ref-trades-net", &["REF-POINTS"], "trades earn by their volume less fees", Response(STATS, |_, response| referral::scale(response, "points_from_trading", 0.98))),
    row!(Rest, "ref-creation-whole", &["REF-POINTS"], "a launch earns its referrer all of its points", Response(STATS, |_, response| referral::scale(response, "points_from_token_creation", 10.0))),
    row!(Rest, "ref-trades-unpaid", &["REF-REWARD-BUY", "REF-REWARD-SELL"], "trades of a referral earn nothing", Response(STATS, |_, response| referral::scale(response, "points_from_trading", 0.0))),
    row!(Rest, "ref-creation-unpaid", &["REF-REWARD-CREATE"], "launches of a referral earn nothing", Response(STATS, |_, response| referral::scale(response, "points_from_token_creation", 0.0))),
    row!(Rest, "ref-milestone-tenth", &["REF-REWARD-MILESTONE"], "a milestone earns a tenth", Response(STATS, |_, response| referral::scale(response, "points_from_milestones", 0.1))),

    row!(Rest, "lead-rank-zero", &["LEAD-SHAPE"], "ranks begin at 0", Response(LEADERBOARD, referral::rank_from_zero)),
    row!(Rest, "lead-limit-clamped", &["LEAD-SHAPE"], "a limit above 100 is taken for 100", Request(LEADERBOARD, |request| requests::clamp(request, 100))),
    row!(Rest, "lead-no-referrals", &["LEAD-SHAPE"], "points leave out those of referrals", Response(LEADERBOARD, referral::points_without_referrals)),
    row!(Rest, "lead-volume-net", &["LEAD-SHAPE"], "volume_eth is net of fees", Response(LEADERBOARD, |_, response| referral::rows(response).for_each(|row| referral::multiply(row, "volume_eth", 0.98)))),
];
