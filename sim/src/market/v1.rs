//! V1 tokens and Emperors: a few old tokens of a factory that no longer creates any, and the bids of
//! the two days.
use alloy::primitives::{Address, U256};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::{ITokenFactory, IUniswapV2Router02};

use super::accounts::{Account, PlannedCall};
use super::calls::call;
use super::file::{AuctionDay, LaunchOutcome};
use super::plan::{
    Action, DURATION, FIRST_TRADE_AFTER, Featured, Plan, PlannedV1, Portion, Step, V1Trade, any_trader,
    slot_after, trade_time,
};
use super::rng::SeededRng;
use crate::state::token::DAY;
use slipway_math::exponential::TARGET;

const CREATE_GAS: u64 = 5_500_000;
const CLOSE_GAS: u64 = 80_000;
const BUY_GAS: u64 = 2_500_000;
/// The buy that fills a curve also moves the token to its pair.
const LAST_BUY_GAS: u64 = 3_000_000;
const SELL_GAS: u64 = 400_000;
const PAIR_GAS: u64 = 300_000;
/// The calls that create the tokens and then close the factory, as in every market.
///
/// Clause: CH-V1-CLOSED
pub(crate) fn creation(factory: Address, tokens: &[PlannedV1]) -> Vec<PlannedCall> {
    let create = |token: &PlannedV1| {
        let input = ITokenFactory::createTokenCall {
            name: token.name.clone(),
            symbol: token.symbol.clone(),
            description: token.description.clone(),
            imageUrl: token.image_url.clone(),
        };
        call(token.creator, factory, U256::ZERO, CREATE_GAS, input)
    };
    let close = call(Account::Owner, factory, U256::ZERO, CLOSE_GAS, ITokenFactory::closeCreationCall {});
    tokens.iter().map(create).chain([close]).collect()
}

pub(crate) fn buy(factory: Address, actor: Account, token: Address, quote: U256) -> PlannedCall {
    let gas = if quote > U256::from(TARGET) { LAST_BUY_GAS } else { BUY_GAS };
    let input = ITokenFactory::buyCall { token, minTokensOut: U256::ZERO };
    call(actor, factory, quote, gas, input)
}

pub(crate) fn sell(factory: Address, actor: Account, token: Address, amount: u128) -> PlannedCall {
    let input = ITokenFactory::sellCall { token, tokenAmount: U256::from(amount), minEthOut: U256::ZERO };
    call(actor, factory, U256::ZERO, SELL_GAS, input)
}

/// A trade in the pair of a token; `path` begins with the input, and native coin is paid or received.
pub(crate) fn pair_trade(
    router: Address,
    actor: Account,
    to: Address,
    path: Vec<Address>,
    amount: U256,
    buys: bool,
) -> PlannedCall {
    let (amount_out_min, deadline) = (U256::ZERO, U256::MAX);
    if buys {
        let input = IUniswapV2Router02::swapExactETHForTokensCall {
            amountOutMin: amount_out_min,
            path,
            to,
            deadline,
        };
        return call(actor, router, amount, PAIR_GAS, input);
    }
    let input = IUniswapV2Router02::swapExactTokensForETHCall {
        amountIn: amount,
        amountOutMin: amount_out_min,
        path,
        to,
        deadline,
    };
    call(actor, router, U256::ZERO, PAIR_GAS, input)
}

/// A won day of the auction; its token and account are drawn if absent.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlannedDay {
    pub(super) day: AuctionDay,
    pub(super) token: Option<Featured>,
    pub(super) bidder: Option<Account>,
}

/// Adds the drawn trades of the V1 tokens, and the bids, to the plan of a chain.
pub(super) fn add(plan: &mut Plan, seed: u64, days: &[PlannedDay]) {
    const PURPOSE: u64 = ChainId::PRIMARY.0 * 1_000 + 1;
    let mut rng = SeededRng::new(seed, PURPOSE);
    let drawn: Vec<_> = plan.v1.iter().map(|token| token.outcome).enumerate().collect();
    for (index, outcome) in drawn {
        trades(&mut rng, plan, index, outcome.unwrap_or(LaunchOutcome::New));
    }
    bids(&mut rng, plan, days);
    plan.steps.sort_by_key(|step| step.at);
}

fn trades(rng: &mut SeededRng, plan: &mut Plan, token: usize, outcome: LaunchOutcome) {
    let (count, percent) = match outcome {
        LaunchOutcome::New => return,
        LaunchOutcome::Early => (4, rng.between(5, 20)),
        LaunchOutcome::Half => (10, rng.between(45, 60)),
        LaunchOutcome::Nearly | LaunchOutcome::Graduated => (8, rng.between(80, 90)),
    };
    let (start, end) = (plan.end - DURATION, plan.end);
    let full = end - DURATION / 3;
    let last = if outcome == LaunchOutcome::Graduated { full } else { end };
    let mut times: Vec<u64> =
        (0..count).map(|_| trade_time(rng, start, last, outcome == LaunchOutcome::Half)).collect();
    times.sort_unstable();
    let quote = U256::from(TARGET) * U256::from(percent) / U256::from(100 * count);
    let mut push = |at, trader, trade| {
        plan.steps.push(Step { at, action: Action::V1 { token, trader, trade } });
    };
    let mut holders = Vec::new();
    for at in times {
        let trader = any_trader(rng);
        push(at, trader, V1Trade::Buy { quote });
        if !holders.is_empty() && rng.happens(35) {
            let portion = Portion::Share(rng.between(500, 5_000));
            push(at, *rng.one_of(&holders), V1Trade::Sell { portion });
        }
        holders.push(trader);
    }
    if outcome != LaunchOutcome::Graduated {
        return;
    }
    let full = slot_after(full + FIRST_TRADE_AFTER, end);
    let quote = U256::from(TARGET) * U256::from(2);
    push(full, any_trader(rng), V1Trade::Buy { quote });
    let mut times: Vec<u64> = (0..6).map(|_| trade_time(rng, full, end, true)).collect();
    times.sort_unstable();
    for at in times {
        if rng.happens(60) {
            let quote = U256::from(TARGET) * U256::from(rng.between(2, 40)) / U256::from(1_000);
            push(at, any_trader(rng), V1Trade::PairBuy { quote });
        } else {
            let portion = Portion::Share(rng.between(500, 3_000));
            push(at, *rng.one_of(&holders), V1Trade::PairSell { portion });
        }
    }
}

/// Adds one bid for each won day, in the epoch before it.
fn bids(rng: &mut SeededRng, plan: &mut Plan, days: &[PlannedDay]) {
    let today = plan.end / DAY * DAY;
    // If an epoch began before the market, only the rest of it counts.
    let earliest = plan.end - DURATION + FIRST_TRADE_AFTER;
    let mut time = |day: AuctionDay| match day {
        AuctionDay::Yesterday => (today - DAY - rng.between(60 * 60, 11 * 60 * 60)).max(earliest),
        AuctionDay::Today => today - rng.between(60 * 60, 11 * 60 * 60),
        AuctionDay::Tomorrow => plan.end,
    };
    let times: Vec<u64> = days.iter().map(|row| time(row.day)).collect();
    for (row, at) in days.iter().zip(times) {
        let is_half = |&launch: &usize| plan.launches[launch].outcome == Some(LaunchOutcome::Half);
        let launched = plan.steps.iter().filter(|step| step.at < at).filter_map(|step| match step.action {
            Action::Launch { launch } => Some(launch),
            _ => None,
        });
        let known: Vec<usize> = launched.filter(is_half).collect();
        let token = row.token.unwrap_or_else(|| {
            // There may be no launch by then, but there are V1 tokens.
            if known.is_empty() { Featured::V1(0) } else { Featured::Launch(*rng.one_of(&known)) }
        });
        let trader = row.bidder.unwrap_or_else(|| any_trader(rng));
        plan.steps.push(Step { at, action: Action::Bid { token, trader } });
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::MarketFile;
    use super::super::plan::{Action, Featured, Plan};
    use super::super::schedule;
    use super::{ChainId, DAY, DURATION};

    const NOON: u64 = 1_772_625_600;

    fn planned(seed: u64, end: u64) -> Plan {
        schedule(&MarketFile::usual(), false, seed, ChainId::PRIMARY, end).unwrap().plan
    }

    #[test]
    fn recent_epochs_are_won_by_known_tokens() {
        // A platform that follows the host's clock has a market that can end at any hour of the day.
        let hours = (0..24).map(|hour| NOON / DAY * DAY + hour * 60 * 60);
        for (seed, end) in hours.flat_map(|end| (0..20).map(move |seed| (seed, end))) {
            let planned = planned(seed, end);
            let bids: Vec<_> = planned
                .steps
                .iter()
                .filter_map(|step| match step.action {
                    Action::Bid { token, .. } => Some((step.at, token)),
                    _ => None,
                })
                .collect();
            let today = end / DAY;
            assert_eq!(bids.iter().map(|(at, _)| at / DAY).collect::<Vec<_>>(), [today - 2, today - 1]);
            assert!(
                planned.steps.iter().all(|step| (end - DURATION..=end).contains(&step.at)),
                "seed {seed}"
            );
            if let Featured::Launch(winner) = bids[1].1 {
                let launched = Action::Launch { launch: winner };
                let created = planned.steps.iter().find(|step| step.action == launched);
                assert!(created.unwrap().at < bids[1].0, "seed {seed}");
            }
        }
    }
}
