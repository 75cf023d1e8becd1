//! A full page of an owner, with tokens that are launched for it.
use super::{MOST, length, of, page as page_of};
use crate::prelude::*;
use crate::sections::chain::launch_fixture::LaunchFixture;

/// Launches one token more than a page holds.
pub(super) async fn page(trial: &Trial<'_>) -> Verdict {
    let control = trial.control().ok();
    // The launches are reverted if the target supports it.
    let mut checkpoint = None;
    if let Some(control) = &control {
        checkpoint = Some(control.checkpoint().await?);
    }
    let verdict = of_many(trial).await;
    if let (Some(control), Some(checkpoint)) = (&control, &checkpoint) {
        trial.reverted(control, checkpoint).await?;
    }
    verdict
}

async fn of_many(trial: &Trial<'_>) -> Verdict {
    let hook = LaunchFixture::open(trial, PRIMARY).await?;
    let mut choices = trial.choices("owner-full");
    let owner = trial.account(PRIMARY, &mut choices, ether(20)).await?;
    let mut block = 0;
    for _ in 0..=MOST {
        let launched = hook.launch_plain(&owner, &mut choices, (ether(1), 60_000, 5_000), U256::ZERO).await?;
        block = launched.receipt.block_number.unwrap_or_default();
    }
    trial.settled(PRIMARY, block).await?;
    for (number, rows) in [("1", MOST), ("2", 1)] {
        let query = of(owner.address(), [param("limit", MOST.to_string()), param("page", number)]);
        let (response, page) = page_of(trial, &query).await?;
        let what = format!("tokens on page {number} of 101");
        trial.require_equal(&response, &what, &rows, &length(&page.tokens))?;
    }
    Ok(())
}
