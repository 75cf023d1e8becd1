//! Actions of a referral on the chain, and the referrer's reward for each, to the last wei.

use alloy::rpc::types::TransactionReceipt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use parking_lot::Mutex;

use super::Programme;
use crate::client::wire::LaunchHook;
use crate::model::figure::{Figure, decimal_text};
use crate::prelude::*;
use crate::sections::chain::launch_fixture::{LaunchFixture, Launched, plain_launch};
use crate::sections::meaning::FIG_REF;
use crate::truth::reference::points;

/// The kinds of rewarded actions, as named in the stats.
const KINDS: [&str; 3] = ["points_from_trading", "points_from_token_creation", "points_from_milestones"];

/// The setting of a reward: the referrer, its code, and the accounts that act.
struct Scene<'a> {
    programme: Programme<'a>,
    fixture: LaunchFixture<'a>,
    referrer: Address,
    code: String,
    /// A wallet that was not referred.
    stranger: Account,
    /// The referrer's earlier points of each kind.
    before: [Figure; 3],
    /// The value of a reward of each kind relative to our points: 1 if the points themselves are judged, else taken from the kind's first
    /// reward.
    worth: Mutex<[Option<BigRational>; 3]>,
}

impl<'a> Scene<'a> {
    async fn open(trial: &Trial<'a>) -> Verdict<Self> {
        let programme = Programme::open(trial).await?;
        let referrer = programme.stranger("referrer").address();
        let (response, body) = programme.stats(referrer, "all").await?;
        Ok(Self {
            code: programme.code_text(referrer).await?,
            fixture: LaunchFixture::open(trial, PRIMARY).await?,
            referrer,
            stranger: trial.account(PRIMARY, &mut programme.choices("stranger"), ether(4)).await?,
            before: earned_of_each_kind(trial, &response, &body)?,
            worth: Mutex::new([(); 3].map(|()| judges_points(trial).then(BigRational::one))),
            programme,
        })
    }

    /// Returns a wallet with ether that has not acted yet.
    async fn actor(&self, label: &str) -> Verdict<Account> {
        self.programme.trial.account(PRIMARY, &mut self.programme.choices(label), ether(4)).await
    }

    async fn launch(&self, actor: &Account, code: Option<&str>) -> Verdict<Launched> {
        let mut choices = self.programme.choices("launch");
        let params = plain_launch(&mut choices, ether(1), 50_000, 5_000);
        self.fixture.launch(actor, &params, code, U256::ZERO).await
    }

    /// Converts our points of a kind to the platform's. A first reward must be positive.
    fn worth(&self, kind: usize, ours: &BigRational, shown: &BigRational) -> Verdict<BigRational> {
        let mut worth = self.worth.lock();
        if !ours.is_zero() && worth[kind].is_none() {
            let first = shown / ours;
            let names = "a reward of more than nothing";
            self.programme.trial.require_or(
                "the first reward of its kind",
                first.is_positive(),
                names,
                || in_digits(shown),
            )?;
            worth[kind] = Some(first);
        }
        Ok(worth[kind].clone().map_or_else(BigRational::zero, |worth| worth * ours))
    }

    /// Requires that the stats of each kind have grown by the expected points, once the block is seen.
    async fn earned(&self, receipt: &TransactionReceipt, expected: [&BigRational; 3]) -> Verdict {
        let trial = &self.programme.trial;
        trial.settled(PRIMARY, receipt.block_number.unwrap_or_default()).await?;
        self.programme.next_minute().await?;
        let (response, body) = self.programme.stats(self.referrer, "all").await?;
        let shown = earned_of_each_kind(trial, &response, &body)?;
        let mut total = BigRational::zero();
        for (kind, (name, ours)) in KINDS.into_iter().zip(expected).enumerate() {
            let (before, after) = (&self.before[kind], &shown[kind]);
            let more = after.value() - before.value();
            let exact = self.worth(kind, ours, &more)?;
            let same = self.same_points(&more, &exact, &before.last_place().max(after.last_place()));
            let expected = format!("{name}, {} more than before", in_digits(&exact));
            trial.require_or(&response, same, &expected, || in_digits(&more))?;
            total += exact;
        }
        self.reported(&response, &body, &total)
    }

    /// The activity and the total add up to the same points; this is a choice.
    fn reported(&self, response: &Response, body: &Value, total: &BigRational) -> Verdict {
        let trial = self.programme.trial.by_choice(&FIG_REF);
        let mut sum = BigRational::zero();
        for one in body["recent_activity"].as_array().into_iter().flatten() {
            sum += trial.number(response, one, "points_earned")?.value();
        }
        let shown = trial.number(response, &body["stats"], "total_points_earned")?;
        for (what, shown) in [("activity", &sum), ("total_points_earned", shown.value())] {
            let same = self.same_points(shown, total, &BigRational::zero());
            let expected = format!("{what} worth {}", in_digits(total));
            trial.require_or(response, same, &expected, || in_digits(shown))?;
        }
        Ok(())
    }

    /// Whether points equal the expected ones: to the last digit, or, if the expected ones are derived from shown points, to the last place
    /// of those.
    fn same_points(&self, shown: &BigRational, expected: &BigRational, place: &BigRational) -> bool {
        let off = (shown - expected).abs();
        points::shows(&Figure::of(shown.clone()), expected)
            || (!judges_points(&self.programme.trial)
                && (off <= place * BigRational::from_integer(2.into())
                    || off * BigRational::from_integer(1_000_000.into()) < expected.abs()))
    }

    /// Returns the referrer's points for the trades of a transaction.
    fn of_trades(&self, receipt: &TransactionReceipt) -> BigRational {
        let trades = self.fixture.events::<LaunchHook::Trade>(receipt);
        let volume = trades.iter().map(|trade| trade.amounts.ethAmount).sum();
        points::tenth(&points::of_volume(volume))
    }
}

/// Formats points in decimal digits, truncated if they do not end.
fn in_digits(points: &BigRational) -> String {
    decimal_text(points).chars().take(24).collect()
}

/// Reads the points of each kind of action from the stats.
fn earned_of_each_kind(trial: &Trial<'_>, response: &Response, body: &Value) -> Verdict<[Figure; 3]> {
    let [trading, creation, milestones] = KINDS.map(|name| trial.number(response, &body["stats"], name));
    Ok([trading?, creation?, milestones?])
}

/// Whether the number of points per ether and per launch is judged, which is a choice.
fn judges_points(trial: &Trial<'_>) -> bool {
    !trial.check.clause.binding().binds_every_platform()
}

clause! {
    REF_REWARD_BUY = "REF-REWARD-BUY" (S207): "The buys of a referral earn its referrer points by their volume.";
    check!("referral-reward-buy" [Exclusive; Rest, Control, PrimaryChain, Accounts] buys:
        "buys as a registered wallet and by a code, and compares the points with the volumes");
}
pub(super) async fn buys(trial: &Trial<'_>) -> Verdict {
    let scene = Scene::open(trial).await?;
    let none = BigRational::zero();
    let [one, other] = [scene.actor("by-code").await?, scene.actor("registered").await?];
    let launched = scene.launch(&scene.stranger, None).await?;
    let code = scene.code.to_lowercase();
    let by_code = scene.fixture.buy_with_code(&one, launched.id, &code).await?;
    let first = scene.of_trades(&by_code);
    scene.earned(&by_code, [&first, &none, &none]).await?;
    // A wallet without a referrer earns points for nobody. As a choice, neither does a wallet that named a code before but not now.
    let unnamed = if judges_points(trial) { &one } else { &scene.stranger };
    let unnamed = scene.fixture.buy(unnamed, launched.id, U256::from(ETHER / 9)).await?;
    scene.earned(&unnamed, [&first, &none, &none]).await?;
    scene.programme.must_register(&scene.code, other.address()).await?;
    let registered = scene.fixture.buy(&other, launched.id, U256::from(ETHER / 11)).await?;
    let both = &first + scene.of_trades(&registered);
    scene.earned(&registered, [&both, &none, &none]).await
}

clause! {
    REF_REWARD_SELL = "REF-REWARD-SELL" (S208): "The sales of a referral earn its referrer points.";
    check!("referral-reward-sell" [Exclusive; Rest, Control, PrimaryChain, Accounts] sales:
        "sells as a registered wallet and looks for points of the referrer");
}
pub(super) async fn sales(trial: &Trial<'_>) -> Verdict {
    let scene = Scene::open(trial).await?;
    let none = BigRational::zero();
    let actor = scene.actor("registered").await?;
    let launched = scene.launch(&scene.stranger, None).await?;
    let bought = scene.fixture.buy(&actor, launched.id, U256::from(ETHER / 5)).await?;
    scene.programme.trial.settled(PRIMARY, bought.block_number.unwrap_or_default()).await?;
    scene.programme.trial.control()?.advance(5).await?;
    scene.programme.must_register(&scene.code, actor.address()).await?;
    let held = scene.fixture.tokens_of(launched.token, actor.address()).await?;
    let sold = scene.fixture.sell(&actor, &launched, held / U256::from(3)).await?;
    let points = scene.of_trades(&sold);
    scene.earned(&sold, [&points, &none, &none]).await
}

clause! {
    REF_REWARD_CREATE = "REF-REWARD-CREATE" (S209):
        "Each launch of a referral earns its referrer the same points.";
    check!("referral-reward-create" [Exclusive; Rest, Control, PrimaryChain, Accounts] creations:
        "launches by a code and as a registered wallet");
}
pub(super) async fn creations(trial: &Trial<'_>) -> Verdict {
    let scene = Scene::open(trial).await?;
    let none = BigRational::zero();
    let [one, other] = [scene.actor("by-code").await?, scene.actor("registered").await?];
    let bonus = points::tenth(&points::of_creations(1));
    let by_code = scene.launch(&one, Some(&scene.code)).await?;
    scene.earned(&by_code.receipt, [&none, &bonus, &none]).await?;
    let unnamed = if judges_points(trial) { &one } else { &scene.stranger };
    let unnamed = scene.launch(unnamed, None).await?;
    scene.earned(&unnamed.receipt, [&none, &bonus, &none]).await?;
    scene.programme.must_register(&scene.code, other.address()).await?;
    let registered = scene.launch(&other, None).await?;
    let both = points::tenth(&points::of_creations(2));
    scene.earned(&registered.receipt, [&none, &both, &none]).await
}

clause! {
    REF_REWARD_MILESTONE = "REF-REWARD-MILESTONE" (choice S7, S210):
        "A milestone of a referral's token earns the referrer points.";
    check!("referral-reward-milestone" [Exclusive; Rest, Control, PrimaryChain, Accounts] milestones:
        "lets another wallet fill the curve of a referral");
}
pub(super) async fn milestones(trial: &Trial<'_>) -> Verdict {
    let scene = Scene::open(trial).await?;
    let none = BigRational::zero();
    let actor = scene.actor("by-code").await?;
    let bonus = points::tenth(&points::of_creations(1));
    let launched = scene.launch(&actor, Some(&scene.code)).await?;
    scene.earned(&launched.receipt, [&none, &bonus, &none]).await?;
    let filled = scene.fixture.buy(&scene.stranger, launched.id, ether(2)).await?;
    scene.fixture.only_event::<LaunchHook::LaunchFinalized>(&filled)?;
    scene.earned(&filled, [&none, &bonus, &points::of_milestone()]).await
}

clause! {
    REF_POINTS = "REF-POINTS" (choice S207, S208, S209):
        "A referrer earns a tenth of 100 points for each ether and for each launch of a referral.";
    check!("referral-points-of-trades" [Exclusive; Rest, Control, PrimaryChain, Accounts] buys:
        "buys as a registered wallet and by a code, and counts the points to the wei");
    check!("referral-points-of-sales" [Exclusive; Rest, Control, PrimaryChain, Accounts] sales:
        "sells as a registered wallet and counts the points to the wei");
    check!("referral-points-of-launches" [Exclusive; Rest, Control, PrimaryChain, Accounts] creations:
        "launches by a code and as a registered wallet, and counts the points");
}
