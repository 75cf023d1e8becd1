//! Launches for tokenised stocks: a few per stock, traded by a few accounts, which receive shares first.
use alloy::primitives::{Address, U256};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::IMintableToken;
use slipway_contracts::deploy::QuoteAsset;

use super::accounts::{Account, PlannedCall};
use super::calls::call;
use super::exchange::units;
use super::file::DrawRow;
use super::plan::{Action, Plan};
use super::rng::SeededRng;

/// Number of creators, and of traders, that hold shares.
pub(crate) const CREATORS: usize = 4;
pub(crate) const TRADERS: usize = 8;
/// Each holder's balance of each asset, in units of 10^18 whatever the asset's precision, since limits are in units too.
const GIVEN: u64 = 100_000;
const MINT_GAS: u64 = 120_000;

/// Adds the drawn launches for quote assets, given by their index, to the plan of a chain.
pub(crate) fn add(plan: &mut Plan, seed: u64, drawn: &[(usize, &DrawRow)]) {
    const PURPOSE: u64 = ChainId::SECOND.0 * 1_000 + 1;
    let mut rng = SeededRng::new(seed, PURPOSE);
    for &(asset, row) in drawn {
        for outcome in row.each() {
            let (index, first_step) = (plan.launches.len(), plan.steps.len());
            plan.add(&mut rng, outcome, &format!("stock-{asset}"), |launch| {
                launch.quote = Some(asset);
                launch.creator = Account::Creator(index % CREATORS);
            });
            for step in &mut plan.steps[first_step..] {
                confine(&mut step.action);
            }
        }
    }
    plan.steps.sort_by_key(|step| step.at);
}

/// Restricts an action to accounts that hold shares.
fn confine(action: &mut Action) {
    if let Action::Buy { trader: Account::Trader(trader), .. }
    | Action::Sell { trader: Account::Trader(trader), .. }
    | Action::PoolBuy { trader: Account::Trader(trader), .. }
    | Action::PoolSell { trader: Account::Trader(trader), .. } = action
    {
        *trader %= TRADERS;
    }
}

/// The calls that send shares of every asset to the holders.
pub(crate) fn endow(assets: &[QuoteAsset], holders: &[Address]) -> Vec<PlannedCall> {
    let mint = |asset: &QuoteAsset, &to: &Address| {
        let input = IMintableToken::mintCall { to, amount: units(GIVEN, 18) };
        call(Account::Owner, asset.address, U256::ZERO, MINT_GAS, input)
    };
    assets.iter().flat_map(|asset| holders.iter().map(move |holder| mint(asset, holder))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::file::{DrawRow, MarketFile};
    use super::super::outcomes;
    use super::super::plan::{Action, plan};
    use super::{Account, ChainId, TRADERS, add};

    #[test]
    fn every_asset_has_launches_traded_by_holders() {
        let file = MarketFile::usual();
        let drawn: Vec<(usize, &DrawRow)> =
            (0..).zip(file.draw.iter().filter(|row| row.quote.is_some())).collect();
        for seed in 0..20 {
            let native = outcomes(&file, ChainId::SECOND.0);
            let mut planned = plan(seed, ChainId::SECOND.0, native, 1_772_625_600, false);
            let native = planned.launches.len();
            add(&mut planned, seed, &drawn);
            let quotes: Vec<_> = planned.launches[native..].iter().map(|launch| launch.quote).collect();
            assert_eq!(quotes, [0, 0, 0, 1, 1, 1, 2, 2, 2].map(Some));
            assert!(planned.steps.is_sorted_by_key(|step| step.at));
            for step in &planned.steps {
                if let Action::Buy { launch, trader, .. } = step.action {
                    let holds = matches!(trader, Account::Trader(number) if number < TRADERS);
                    assert!(launch < native || holds, "seed {seed}");
                }
            }
        }
    }
}
