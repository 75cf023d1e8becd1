//! The referral programme: a scripted sequence of registrations, codes, launches and trades, and every resulting point, count, time and
//! rank.
use std::collections::{BTreeMap, BTreeSet};

use alloy::rpc::types::TransactionReceipt;
use num_rational::BigRational;

use super::timed::is_timed;
use crate::answers::reads::{LEADERBOARD, REFERRAL_STATS, REFERRERS};
use crate::client::control::Control;
use crate::client::wire::LaunchHook;
use crate::model::bounds::Bounds;
use crate::model::figure::Figure;
use crate::model::moment;
use crate::model::shown::readable;
use crate::prelude::*;
use crate::sections::chain::launch_fixture::{LaunchFixture, plain_launch};
use crate::sections::leaderboard::ranked;
use crate::truth::ledger::Ledger;
use crate::truth::ledger::launch::Trade;
use crate::truth::reference::amount;
use crate::truth::reference::points::{self, referral_code};

const CODE: &str = "/api/referral/code";
const REGISTER: &str = "/api/referral/register";
const DAY: u64 = 86_400;
/// Periods with their lengths in seconds.
const PERIODS: [(&str, Option<u64>); 4] =
    [("24h", Some(DAY)), ("7d", Some(7 * DAY)), ("30d", Some(30 * DAY)), ("all", None)];

/// Seconds before the end of a period at which the clock is stopped; the figures are read a minute later.
const BEFORE: u64 = 150;

/// An event that earned the referrer points.
#[derive(Clone, Debug)]
struct Earning {
    time: u64,
    kind: &'static str,
    wallet: Address,
    points: BigRational,
}

/// A row of recent activity.
struct Reported<'r> {
    time: i128,
    kind: &'r Value,
    wallet: Option<Address>,
    points: Option<Figure>,
}

impl<'r> Reported<'r> {
    fn by(row: &'r Value) -> Self {
        Self {
            time: row["timestamp"].as_str().and_then(moment::seconds).unwrap_or_default(),
            kind: &row["type"],
            wallet: parsed(&row["referral_address"]),
            points: Figure::parse(&row["points_earned"].to_string()),
        }
    }

    /// Whether the row is this event; the points are only computed if everything else matches.
    fn is_that(&self, kind: &str, wallet: Address, time: u64, points: impl Fn() -> BigRational) -> bool {
        i128::from(time) == self.time
            && self.wallet == Some(wallet)
            && self.kind == kind
            && self.points.as_ref().is_some_and(|shown| points::shows(shown, &points()))
    }
}

/// The activity so far of one wallet's referrals.
struct Story<'a> {
    trial: Trial<'a>,
    control: Control,
    fixture: LaunchFixture<'a>,
    referrer: Address,
    code: String,
    /// The first and last second in which the code can have been created.
    code_made: (u64, u64),
    earnings: Vec<Earning>,
    /// The first and last second in which each referral can have joined.
    joined: BTreeMap<Address, (u64, u64)>,
}

/// Judges points, counts, times and ranks by the events and registrations.
pub(super) async fn programme(trial: &Trial<'_>) -> Verdict {
    trial.undone(whole_story(trial)).await
}

async fn whole_story(trial: &Trial<'_>) -> Verdict {
    let mut choices = trial.new_choices("meaning-referral").await?;
    let mut story = Story::begin(trial, "meaning-referrer").await?;
    let registered = trial.account(PRIMARY, &mut choices, ether(9)).await?;
    let coded = trial.account(PRIMARY, &mut choices, ether(9)).await?;
    let other = trial.account(PRIMARY, &mut choices, ether(9)).await?;
    // One referral is attributed by the code in its calls.
    let params = plain_launch(&mut choices, ether(1), 50_000, 5_000);
    let launched = story.fixture.launch(&coded, &params, Some(&story.code), U256::from(ETHER / 50)).await?;
    story.created(&launched.receipt, coded.address()).await?;
    story.traded(&launched.receipt, coded.address()).await?;
    let bought = story.fixture.buy_with_code(&coded, launched.id, &story.code).await?;
    story.traded(&bought, coded.address()).await?;
    story.judge().await?;
    // Ten days later another wallet registers: from then on its activity counts, whatever code it names.
    story.control.advance(10 * DAY).await?;
    story.register(registered.address()).await?;
    let own =
        story.fixture.launch_plain(&registered, &mut choices, (ether(1), 0, 10_000), U256::ZERO).await?;
    story.created(&own.receipt, registered.address()).await?;
    let bought = story.fixture.buy(&registered, own.id, U256::from(ETHER / 11)).await?;
    story.traded(&bought, registered.address()).await?;
    let held = story.fixture.tokens_of(own.token, registered.address()).await?;
    let sold = story.fixture.sell(&registered, &own, held / U256::from(3)).await?;
    story.traded(&sold, registered.address()).await?;
    let (record, _) = story.code_record().await?;
    // A curve that somebody else fills is a milestone of its creator.
    let filled = story.fixture.buy(&other, own.id, ether(2)).await?;
    story.milestone(&filled, registered.address()).await?;
    trial.require_or(&record, story.earnings.len() >= 7, "seven events", || readable(&story.earnings))?;
    story.judge().await?;
    // The shortest period ends while the longer ones continue.
    story.control.advance(2 * DAY).await?;
    story.judge().await
}

/// A launch and a purchase count in each period for the period's length, and no longer.
pub(super) async fn edges(trial: &Trial<'_>) -> Verdict {
    trial.undone(ends_of_periods(trial)).await
}

async fn ends_of_periods(trial: &Trial<'_>) -> Verdict {
    let mut choices = trial.new_choices("meaning-periods").await?;
    let mut story = Story::begin(trial, "meaning-periods-referrer").await?;
    let coded = trial.account(PRIMARY, &mut choices, ether(3)).await?;
    let params = plain_launch(&mut choices, ether(1), 50_000, 5_000);
    let launched = story.fixture.launch(&coded, &params, Some(&story.code), U256::from(ETHER / 50)).await?;
    story.created(&launched.receipt, coded.address()).await?;
    story.traded(&launched.receipt, coded.address()).await?;
    let done = story.earnings.iter().map(|earning| earning.time).max().unwrap_or_default();
    for length in PERIODS.into_iter().filter_map(|(_, length)| length) {
        for second in [done + length - BEFORE, done + length + 1] {
            story.control.reach(second).await?;
            story.judge().await?;
        }
    }
    Ok(())
}

/// A registration takes precedence over the code in a call, sales earn like purchases, and a trade of an unregistered wallet without a code
/// earns nothing.
pub(super) async fn credit(trial: &Trial<'_>) -> Verdict {
    let mut choices = trial.new_choices("meaning-credit").await?;
    let mut story = Story::begin(trial, "meaning-credit-referrer").await?;
    let other = Story::begin(trial, "meaning-credit-other").await?;
    let registered = trial.account(PRIMARY, &mut choices, ether(9)).await?;
    let coded = trial.account(PRIMARY, &mut choices, ether(9)).await?;
    let (wallet, code) = (registered.address(), other.code.clone());
    story.register(wallet).await?;
    // An event in the second of a registration may or may not count.
    story.control.advance(5).await?;
    let params = plain_launch(&mut choices, ether(2), 50_000, 5_000);
    let launched = story.fixture.launch(&registered, &params, Some(&code), U256::ZERO).await?;
    story.created(&launched.receipt, wallet).await?;
    // The other wallet never registered.
    for (account, code) in [(&registered, code), (&coded, story.code.clone())] {
        let wallet = account.address();
        let bought = story.fixture.buy_with_code(account, launched.id, &code).await?;
        story.traded(&bought, wallet).await?;
        let third = story.fixture.tokens_of(launched.token, wallet).await? / U256::from(3);
        let sold = story.fixture.sell_with_code(account, &launched, third, &code).await?;
        story.traded(&sold, wallet).await?;
    }
    let third = story.fixture.tokens_of(launched.token, coded.address()).await? / U256::from(2);
    story.fixture.sell(&coded, &launched, third).await?;
    story.judge().await?;
    other.judge().await
}

impl<'a> Story<'a> {
    /// Begins the story: a new wallet, picked by the seed and this label, has its code.
    async fn begin(trial: &Trial<'a>, label: &str) -> Verdict<Self> {
        let control = trial.control()?;
        let fixture = LaunchFixture::open(trial, PRIMARY).await?;
        let referrer = Account::fresh(&mut trial.new_choices(label).await?).address();
        control.advance(60).await?;
        let before = control.now().await?;
        let mut story = Self {
            trial: *trial,
            control,
            fixture,
            referrer,
            code: String::new(),
            code_made: (before, before),
            earnings: Vec::new(),
            joined: BTreeMap::new(),
        };
        let (response, body) = story.code_record().await?;
        story.code_made.1 = story.control.now().await?;
        story.code = body["code"].as_str().unwrap_or_default().to_owned();
        trial.require_equal(&response, "code", &referral_code(referrer), &story.code)?;
        Ok(story)
    }

    async fn code_record(&self) -> Verdict<(Response, Value)> {
        let header = self.trial.bearer(self.referrer).await?;
        let request = get(self.trial.rest()?, CODE, &[]).header("authorization", &header);
        self.trial.with_json(self.trial.request(request).await?)
    }

    async fn register(&mut self, wallet: Address) -> Verdict {
        let before = self.control.now().await?;
        let body = json!({ "referral_code": self.code, "wallet_address": wallet.to_string() });
        let (response, body) = self
            .trial
            .with_json(self.trial.request(Request::post_json(self.trial.rest()?, REGISTER, &body)).await?)?;
        self.trial.require_equal(&response, "success", &json!(true), &body["success"])?;
        let reported = parsed(&body["referrer"]);
        self.trial.require_equal(&response, "referrer", &Some(self.referrer), &reported)?;
        self.joined.insert(wallet, (before, self.control.now().await?));
        Ok(())
    }

    async fn did(
        &mut self,
        kind: &'static str,
        receipt: &TransactionReceipt,
        wallet: Address,
        points: BigRational,
    ) -> Verdict {
        let time = self.fixture.chain.time_of(receipt).await?;
        self.trial.settled(PRIMARY, receipt.block_number.unwrap_or_default()).await?;
        self.joined.entry(wallet).or_insert((time, time));
        self.earnings.push(Earning { time, kind, wallet, points });
        Ok(())
    }

    /// Records a launch that earns points for the referrer.
    async fn created(&mut self, receipt: &TransactionReceipt, wallet: Address) -> Verdict {
        self.did("token_creation", receipt, wallet, points::tenth(&points::of_creations(1))).await
    }

    /// Records trades that earn points for the referrer.
    async fn traded(&mut self, receipt: &TransactionReceipt, wallet: Address) -> Verdict {
        for trade in self.fixture.events::<LaunchHook::Trade>(receipt) {
            let earned = points::tenth(&points::of_volume(trade.amounts.ethAmount));
            self.did("trade", receipt, wallet, earned).await?;
        }
        Ok(())
    }

    async fn milestone(&mut self, receipt: &TransactionReceipt, wallet: Address) -> Verdict {
        self.fixture.only_event::<LaunchHook::LaunchFinalized>(receipt)?;
        self.did("milestone", receipt, wallet, points::of_milestone()).await
    }

    /// Judges everything that the programme reports of the referrer for each period, a minute later.
    async fn judge(&self) -> Verdict {
        self.control.advance(61).await?;
        for (period, length) in PERIODS {
            let before = self.control.now().await?;
            let query = [param("address", self.referrer.to_string()), param("period", period)];
            if let Some((response, body)) =
                self.trial.part(self.trial.read_json(REFERRAL_STATS, &query).await)?
            {
                self.stats(&response, &body, before, length)?;
            }
            let query = [param("period", period), param("limit", "100")];
            let read = self.trial.part(self.trial.read_json(REFERRERS, &query).await)?;
            let after = self.control.now().await?;
            if let Some((response, body)) = read {
                self.board(&response, &body, (before, after), length)?;
            }
        }
        let all: Vec<&Earning> = self.earnings.iter().collect();
        // The referrer does nothing itself, so all its points among all wallets are referral points.
        let read = self.trial.part(self.trial.read_json(LEADERBOARD, &[param("limit", "100")]).await)?;
        if let Some((response, body)) = &read
            && let Some(own) = self.own_row(response, body, &all)?
        {
            self.sum(response, own, "referral_points", &all)?;
            self.sum(response, own, "points", &all)?;
        }
        let (response, body) = self.code_record().await?;
        self.trial.require_equal(&response, "code", &json!(self.code), &body["code"])?;
        is_timed(&self.trial, &response, &body["created_at"], "created_at", self.code_made)?;
        self.counts(&response, &body, &all)?;
        self.sum(&response, &body, "total_points_earned", &all)
    }

    /// Returns the events younger than a period; one of exactly that age is excluded.
    fn within(&self, now: u64, length: Option<u64>) -> Vec<&Earning> {
        self.earnings
            .iter()
            .filter(|earning| length.is_none_or(|length| earning.time + length > now))
            .collect()
    }

    fn counts(&self, response: &Response, body: &Value, earnings: &[&Earning]) -> Verdict {
        let active: BTreeSet<Address> = earnings.iter().map(|earning| earning.wallet).collect();
        self.trial.require_equal(
            response,
            "total_referrals",
            &json!(self.joined.len()),
            &body["total_referrals"],
        )?;
        self.trial.require_equal(
            response,
            "active_referrals",
            &json!(active.len()),
            &body["active_referrals"],
        )
    }

    fn sum(&self, response: &Response, body: &Value, name: &str, earnings: &[&Earning]) -> Verdict {
        let exact: BigRational = earnings.iter().map(|earning| &earning.points).sum();
        self.shows_points(response, body, name, exact)
    }

    fn shows_points(&self, response: &Response, body: &Value, name: &str, exact: BigRational) -> Verdict {
        let Some(shown) = self.trial.part(self.trial.number(response, body, name))? else { return Ok(()) };
        let bounds = Bounds::exact(exact);
        let fits = bounds.shown_by(&shown);
        self.trial.require_or(response, fits, &format!("{name} = {bounds}"), || shown.text().to_owned())
    }

    fn stats(&self, response: &Response, body: &Value, now: u64, length: Option<u64>) -> Verdict {
        let earnings = self.within(now, length);
        self.trial.require_equal(response, "referral_code", &json!(self.code), &body["referral_code"])?;
        let stats = &body["stats"];
        self.counts(response, stats, &earnings)?;
        self.sum(response, stats, "total_points_earned", &earnings)?;
        for (name, kind) in [
            ("points_from_trading", "trade"),
            ("points_from_token_creation", "token_creation"),
            ("points_from_milestones", "milestone"),
        ] {
            let of_kind: Vec<&Earning> =
                earnings.iter().copied().filter(|earning| earning.kind == kind).collect();
            self.sum(response, stats, name, &of_kind)?;
        }
        self.activity(response, body, &earnings)?;
        self.top(response, body, &earnings)
    }

    /// The latest events come first; those of one second in any order.
    fn activity(&self, response: &Response, body: &Value, earnings: &[&Earning]) -> Verdict {
        let rows = body["recent_activity"].as_array().cloned().unwrap_or_default();
        self.trial.require_equal(response, "entries of recent_activity", &earnings.len(), &rows.len())?;
        let mut left: Vec<&Earning> = earnings.to_vec();
        let mut last = i128::MAX;
        for row in &rows {
            let event = Reported::by(row);
            self.trial.require_or(response, event.time <= last, "the latest first", || row.to_string())?;
            last = event.time;
            let found = left
                .iter()
                .position(|one| event.is_that(one.kind, one.wallet, one.time, || one.points.clone()));
            match found {
                Some(found) => drop(left.remove(found)),
                None => {
                    let actual = || format!("{row}; the actual events give {}", readable(&left));
                    self.trial.require_or(response, false, "an activity that took place", actual)?;
                }
            }
        }
        Ok(())
    }

    /// Judges the points that each referral brought, most first.
    fn top(&self, response: &Response, body: &Value, earnings: &[&Earning]) -> Verdict {
        let rows = body["top_referrals"].as_array().cloned().unwrap_or_default();
        self.trial.require_equal(response, "entries of top_referrals", &self.joined.len(), &rows.len())?;
        let mut last: Option<BigRational> = None;
        for row in &rows {
            let wallet: Address = parsed(&row["address"]).unwrap_or_default();
            let Some(joined) = self.joined.get(&wallet) else {
                let expected = format!("one of {}", readable(&self.joined.keys()));
                self.trial.require_or(response, false, &expected, || row.to_string())?;
                continue;
            };
            let of_wallet = earnings.iter().filter(|earning| earning.wallet == wallet);
            let earned: BigRational = of_wallet.map(|earning| &earning.points).sum();
            self.shows_points(response, row, "points_generated", earned.clone())?;
            is_timed(&self.trial, response, &row["joined_at"], "joined_at", *joined)?;
            let falls = last.as_ref().is_none_or(|last| earned <= *last);
            self.trial.require_or(response, falls, "the most first", || row.to_string())?;
            last = Some(earned);
        }
        Ok(())
    }

    /// Returns the referrer's row on a board; it may be missing if it earned nothing, or if the board is full.
    fn own_row<'v>(
        &self,
        response: &Response,
        body: &'v Value,
        earnings: &[&Earning],
    ) -> Verdict<Option<&'v Value>> {
        let rows = body["leaderboard"].as_array().map(Vec::as_slice).unwrap_or_default();
        let own = rows.iter().find(|row| parsed(&row["address"]) == Some(self.referrer));
        let fits = own.is_some() || earnings.is_empty() || rows.len() >= 100;
        let expected = format!("a row of {}", self.referrer);
        self.trial.require_or(response, fits, &expected, || response.excerpt())?;
        Ok(own)
    }

    fn board(
        &self,
        response: &Response,
        body: &Value,
        (before, after): (u64, u64),
        length: Option<u64>,
    ) -> Verdict {
        is_timed(&self.trial, response, &body["updated_at"], "updated_at", (before, after))?;
        let rows = body["leaderboard"].as_array().map(Vec::as_slice).unwrap_or_default();
        ranked(&self.trial, response, rows, "points_earned")?;
        let earnings = self.within(before, length);
        let Some(own) = self.own_row(response, body, &earnings)? else { return Ok(()) };
        self.trial.require_equal(response, "referral_code", &json!(self.code), &own["referral_code"])?;
        self.trial.require_equal(
            response,
            "total_referrals",
            &json!(self.joined.len()),
            &own["total_referrals"],
        )?;
        self.sum(response, own, "points_earned", &earnings)
    }
}

/// Each recent activity in an answer is an event of its wallet, with the right points.
pub(super) fn activity_holds(trial: &Trial<'_>, response: &Response, ledger: &Ledger) -> Verdict {
    let body = trial.ok_json(response)?;
    for row in body["recent_activity"].as_array().into_iter().flatten() {
        let event = Reported::by(row);
        let did = ledger.launches.values().filter(|launch| launch.v2.is_some()).any(|launch| {
            let creator = launch.creator;
            let traded = |trade: &Trade| {
                let volume = || amount(&trade.volume).unwrap_or_default();
                let earned = || points::tenth(&points::of_volume(volume()));
                trade.on_curve && event.is_that("trade", trade.trader, trade.at.time, earned)
            };
            event.is_that("token_creation", creator, launch.created.time, || {
                points::tenth(&points::of_creations(1))
            }) || launch
                .graduated
                .is_some_and(|at| event.is_that("milestone", creator, at.time, points::of_milestone))
                || (launch.asset.is_none() && launch.trades.iter().any(traded))
        });
        trial.require_or(response, did, "what the wallet did, with the points for it", || row.to_string())?;
    }
    Ok(())
}
