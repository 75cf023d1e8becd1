//! Periods and credit of the referral programme: until which minute an event counts, and which referrer a trade is credited to.

use super::referral::{PERIODS, Story};
use crate::prelude::*;
use crate::sections::chain::{ETHER, ether, plain_launch};

/// Seconds before the end of a period at which the clock is stopped; the story is read a minute later.
const BEFORE: u64 = 150;

/// A launch and a purchase count in each period up to its length, and no longer.
pub(super) async fn edges(trial: &Trial<'_>) -> Verdict {
    let mut choices = trial.choices("meaning-periods");
    let mut story = Story::begin(trial, "meaning-periods-referrer").await?;
    let coded = trial.account(PRIMARY, &mut choices, ether(3)).await?;
    let params = plain_launch(&mut choices, ether(1), 50_000, 5_000);
    let launched = story.fixture.launch(&coded, &params, Some(&story.code), U256::from(ETHER / 50)).await?;
    story.created(&launched.receipt, coded.address()).await?;
    story.traded(&launched.receipt, coded.address()).await?;
    let done = story.latest();
    for length in PERIODS.into_iter().filter_map(|(_, length)| length) {
        for second in [done + length - BEFORE, done + length + 1] {
            story.control.reach(second).await?;
            story.judge().await?;
        }
    }
    Ok(())
}

/// A registration outweighs the code that a call names, sales earn as purchases do, and a trade without a code of an unregistered wallet earns no points.
pub(super) async fn credit(trial: &Trial<'_>) -> Verdict {
    let mut choices = trial.choices("meaning-credit");
    let mut story = Story::begin(trial, "meaning-credit-referrer").await?;
    let other = Story::begin(trial, "meaning-credit-other").await?;
    let registered = trial.account(PRIMARY, &mut choices, ether(9)).await?;
    let coded = trial.account(PRIMARY, &mut choices, ether(9)).await?;
    let (wallet, code) = (registered.address(), other.code.clone());
    story.register(wallet).await?;
    // What happens in the second of a registration may count or not.
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
