//! What a referral does on the chain, and what its referrer earns by it, to the last wei.

use alloy::rpc::types::TransactionReceipt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};
use parking_lot::Mutex;

use super::{Programme, stranger};
use crate::expect::figure::{Figure, decimal_text};
use crate::prelude::*;
use crate::reference::points;
use crate::sections::chain::launch_fixture::{LaunchFixture, Launched, plain_launch};
use crate::wire::LaunchHook;

/// One reward to be earned: who acts, for which referrer, and where.
struct Scene<'a> {
    programme: Programme<'a>,
    fixture: LaunchFixture<'a>,
    referrer: Address,
    code: String,
    actor: Account,
    /// How many times our points a reward of each kind is worth: 1 where points themselves are judged, else what the
    /// first reward of the kind shows.
    worth: Mutex<[Option<BigRational>; 3]>,
}

impl<'a> Scene<'a> {
    async fn open(trial: &Trial<'a>) -> Verdict<Self> {
        let programme = Programme::open(trial)?;
        let referrer = stranger(trial, "reward-referrer").address();
        Ok(Self {
            code: programme.code_text(referrer).await?,
            fixture: LaunchFixture::open(trial, PRIMARY).await?,
            referrer,
            actor: trial.account(PRIMARY, &mut trial.choices("reward-actor"), ether(9)).await?,
            worth: Mutex::new([(); 3].map(|()| judges_points(trial).then(BigRational::one))),
            programme,
        })
    }

    async fn launch(&self, code: Option<&str>) -> Verdict<Launched> {
        let mut choices = self.programme.trial.choices("reward-launch");
        let params = plain_launch(&mut choices, ether(1), 50_000, 5_000);
        self.fixture.launch(&self.actor, &params, code, U256::ZERO).await
    }

    /// What our points of a kind are worth. A first reward must be worth something.
    fn worth(&self, kind: usize, ours: &BigRational, shown: &Figure) -> Verdict<BigRational> {
        let mut worth = self.worth.lock();
        if !ours.is_zero() && worth[kind].is_none() {
            let first = shown.value() / ours;
            let names = "a reward of more than nothing";
            self.programme.trial.require_or(
                "the first reward of its kind",
                first.is_positive(),
                names,
                || shown.text().to_owned(),
            )?;
            worth[kind] = Some(first);
        }
        Ok(worth[kind].clone().map_or_else(BigRational::zero, |worth| worth * ours))
    }

    /// The stats show for each kind of action what is expected, once the block is seen.
    async fn earned(&self, receipt: &TransactionReceipt, expected: [&BigRational; 3]) -> Verdict {
        self.programme.trial.settled(PRIMARY, receipt.block_number.unwrap_or_default()).await?;
        self.programme.next_minute().await?;
        let (response, body) = self.programme.stats(self.referrer, "all").await?;
        let names = ["points_from_trading", "points_from_token_creation", "points_from_milestones"];
        let mut exact = Vec::new();
        for (kind, (name, ours)) in names.into_iter().zip(expected).enumerate() {
            let shown = self.programme.trial.number(&response, &body["stats"], name)?;
            exact.push((name, self.worth(kind, ours, &shown)?));
        }
        let total: BigRational = exact.iter().map(|(_, points)| points).sum();
        exact.push(("total_points_earned", total.clone()));
        for (name, exact) in &exact {
            let shown = self.programme.trial.number(&response, &body["stats"], name)?;
            let same = self.same_points(&shown, exact);
            self.programme.trial.require_or(
                &response,
                same,
                &format!("{name} = {}", decimal_text(exact)),
                || format!("{name} = {}", shown.text()),
            )?;
        }
        self.reported(&response, &body, &total)
    }

    /// The activity adds up to the same, and the only referral is the actor.
    fn reported(&self, response: &Response, body: &Value, total: &BigRational) -> Verdict {
        let mut sum = BigRational::zero();
        for one in body["recent_activity"].as_array().into_iter().flatten() {
            sum += self.programme.trial.number(response, one, "points_earned")?.value();
        }
        let top = body["top_referrals"][0]["address"].as_str();
        let acted = top.and_then(|text| text.parse::<Address>().ok()) == Some(self.actor.address());
        let sum = Figure::of(sum);
        if acted && self.same_points(&sum, total) {
            return Ok(());
        }
        Err(self.programme.trial.failure(
            response,
            format!("activity of {} worth {}", self.actor.address(), decimal_text(total)),
            response.excerpt(),
        ))
    }

    /// Whether points are those expected: to their last digit, or, where they were worked out from points that were
    /// shown, to the sixth.
    fn same_points(&self, shown: &Figure, expected: &BigRational) -> bool {
        let off = (shown.value() - expected).abs();
        points::shows(shown, expected)
            || (!judges_points(&self.programme.trial)
                && off * BigRational::from_integer(1_000_000.into()) < expected.abs())
    }

    /// Points of the referrer for the trades of a transaction.
    fn of_trades(&self, receipt: &TransactionReceipt) -> BigRational {
        let trades = self.fixture.events::<LaunchHook::Trade>(receipt);
        let volume = trades.iter().map(|trade| trade.amounts.ethAmount).sum();
        points::tenth(&points::of_volume(volume))
    }
}

/// Whether the number of points for an ether and for a launch is judged, which is a choice.
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
    let launched = scene.launch(None).await?;
    let code = scene.code.to_lowercase();
    let by_code = scene.fixture.buy_with_code(&scene.actor, launched.id, &code).await?;
    let first = scene.of_trades(&by_code);
    scene.earned(&by_code, [&first, &none, &none]).await?;
    // Without a code and a registration no referrer earns.
    let unnamed = scene.fixture.buy(&scene.actor, launched.id, U256::from(ETHER / 9)).await?;
    scene.earned(&unnamed, [&first, &none, &none]).await?;
    scene.programme.must_register(&scene.code, scene.actor.address()).await?;
    let registered = scene.fixture.buy(&scene.actor, launched.id, U256::from(ETHER / 11)).await?;
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
    let launched = scene.launch(None).await?;
    let bought = scene.fixture.buy(&scene.actor, launched.id, U256::from(ETHER / 5)).await?;
    scene.programme.trial.settled(PRIMARY, bought.block_number.unwrap_or_default()).await?;
    scene.programme.control.advance(5).await?;
    scene.programme.must_register(&scene.code, scene.actor.address()).await?;
    let held = scene.fixture.tokens_of(launched.token, scene.actor.address()).await?;
    let sold = scene.fixture.sell(&scene.actor, &launched, held / U256::from(3)).await?;
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
    let bonus = points::tenth(&points::of_creations(1));
    let by_code = scene.launch(Some(&scene.code)).await?;
    scene.earned(&by_code.receipt, [&none, &bonus, &none]).await?;
    let unnamed = scene.launch(None).await?;
    scene.earned(&unnamed.receipt, [&none, &bonus, &none]).await?;
    scene.programme.must_register(&scene.referrer.to_string(), scene.actor.address()).await?;
    let registered = scene.launch(None).await?;
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
    let bonus = points::tenth(&points::of_creations(1));
    let launched = scene.launch(Some(&scene.code)).await?;
    scene.earned(&launched.receipt, [&none, &bonus, &none]).await?;
    let other = trial.account(PRIMARY, &mut trial.choices("reward-other"), ether(3)).await?;
    let filled = scene.fixture.buy(&other, launched.id, ether(2)).await?;
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
