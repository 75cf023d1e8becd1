//! The market of every seed reverts nothing, and the simulation finds the steps that would.
use std::collections::BTreeSet;

use alloy::primitives::U256;
use slipway_contracts::ChainId;
use slipway_math::curve::MINIMUM_BUY;

use super::plan::{Action, DURATION, LATE, LATE_SLOT, SLOT, slot_after};
use super::simulation::{Revert, Simulation};
use super::{LaunchOutcome, MOST_LAUNCHES, MarketPlan, Schedule};

/// Noon, the default end of the market, and midnight, for a platform that follows the host's clock.
const ENDS: [u64; 2] = [1_772_625_600, 1_772_582_400];

fn primary(seed: u64, market: &MarketPlan) -> Schedule {
    market.schedule(seed, ChainId::PRIMARY, ENDS[0]).unwrap()
}

/// Simulates the markets of both chains for a seed that end at `end`.
fn played(seed: u64, end: u64) {
    for chain in ChainId::ALL {
        let Schedule { plan, exchange, .. } = MarketPlan::default().schedule(seed, chain, end).unwrap();
        let mut simulation = Simulation::new(&plan, &exchange);
        assert_eq!(simulation.run(), Ok(()));
        for (index, planned) in plan.launches.iter().enumerate() {
            let launched = &simulation.launched[&index];
            let graduates = planned.outcome == Some(LaunchOutcome::Graduated);
            assert_eq!(launched.finalized, graduates, "seed {seed}, chain {chain}, launch {index}");
        }
        for (index, token) in &simulation.v1 {
            let graduates = plan.v1[*index].outcome == Some(LaunchOutcome::Graduated);
            assert_eq!(token.finalized, graduates, "seed {seed}, V1 token {index}");
        }
    }
}

#[test]
fn market_of_every_seed_reverts_nothing() {
    for seed in 0..300 {
        for end in ENDS {
            played(seed, end);
        }
    }
}

#[test]
fn market_of_extreme_seeds_reverts_nothing() {
    for seed in [u64::MAX, u64::MAX - 1, 1 << 63, 1 << 32, u64::from(u32::MAX)] {
        played(seed, ENDS[0]);
    }
}

#[test]
fn largest_market_reverts_nothing() {
    assert_eq!(MarketPlan::of_launches(MOST_LAUNCHES).check(1, ENDS[0]), Ok(()));
}

/// The node hashes the whole state for every block. The default market, whose launches have different times, shows what ten thousand of
/// them would cost otherwise.
#[test]
fn launches_of_a_large_market_share_blocks() {
    // The times of launch steps; the number of other swaps and bids is the same in every market.
    let times = |market: MarketPlan| -> BTreeSet<u64> {
        let plan = primary(3, &market).plan;
        let of_launches = plan.steps.iter().filter(|step| {
            !matches!(step.action, Action::Swap { .. } | Action::V1 { .. } | Action::Bid { .. })
        });
        of_launches.map(|step| step.at).collect()
    };
    let slots = usize::try_from((DURATION - LATE) / SLOT + LATE / LATE_SLOT).unwrap() + 2;
    let is_slot = |&at: &u64| slot_after(at, ENDS[0]) == at;
    let largest = times(MarketPlan::of_launches(MOST_LAUNCHES));
    assert!(largest.iter().all(is_slot) && largest.len() <= slots, "{} times of {slots}", largest.len());
    assert!(!times(MarketPlan::default()).iter().all(is_slot));
}

/// The simulation rejects what the contracts reject.
#[test]
fn simulation_finds_a_purchase_below_the_minimum() {
    let Schedule { mut plan, exchange, .. } = primary(1, &MarketPlan::default());
    let number = plan.steps.iter().position(|step| matches!(step.action, Action::Buy { .. })).unwrap();
    if let Action::Buy { quote, .. } = &mut plan.steps[number].action {
        *quote = U256::from(MINIMUM_BUY - 1);
    }
    assert_eq!(Simulation::new(&plan, &exchange).run(), Err((number, Revert::BelowMinimumBuy)));
}
