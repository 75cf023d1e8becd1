//! The ledger against the slow reference models, on logs that they generate.
use std::collections::BTreeMap;

use alloy::primitives::aliases::{U24, U96, U160};
use alloy::primitives::{Address, B256, LogData, U256};
use alloy::rpc::types::Log;
use alloy::sol_types::SolEvent;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Zero;
use proptest::prelude::*;

use super::deployments::Deployment;
use super::fold::{ChainReading, pool_price};
use super::launch::Side;
use crate::expect::bounds::Bounds;
use crate::expect::figure::Figure;
use crate::reference::curve::{Curve, Position, fees};
use crate::reference::{amount, integer};
use crate::wire::{LaunchConfig, LaunchHook, Pools, Token, TradeAmounts, TradePrice};

const HOOK: Address = Address::repeat_byte(0x11);
const TOKEN: Address = Address::repeat_byte(0x22);
const CREATOR: Address = Address::repeat_byte(0x33);
const MANAGER: Address = Address::repeat_byte(0x44);
const START: u64 = 1_000_000;

fn units(value: &BigInt) -> U256 {
    amount(value).expect("amounts of the reference are amounts")
}

fn deployment() -> Deployment {
    Deployment {
        chain_id: 57_073,
        hook: HOOK,
        is_v1: false,
        pool_manager: Some(MANAGER),
        state_view: None,
        start_block: 0,
    }
}

/// A chain of logs, one block a second.
#[derive(Default)]
struct Chain {
    hook: Vec<Log>,
    transfers: Vec<Log>,
    pools: Vec<Log>,
    next: u64,
}

impl Chain {
    fn log(&mut self, address: Address, data: LogData) -> Log {
        self.next += 1;
        Log {
            inner: alloy::primitives::Log { address, data },
            block_number: Some(self.next),
            block_timestamp: Some(START + self.next * 60),
            transaction_hash: Some(B256::with_last_byte(1)),
            log_index: Some(0),
            ..Log::default()
        }
    }

    fn emit(&mut self, event: &impl SolEvent) {
        let log = self.log(HOOK, event.encode_log_data());
        self.hook.push(log);
    }

    fn transfer(&mut self, from: Address, to: Address, amount: &BigInt) {
        let event = Token::Transfer { from, to, amount: units(amount) };
        let log = self.log(TOKEN, event.encode_log_data());
        self.transfers.push(log);
    }

    fn created(&mut self, curve: &Curve) {
        let id = U256::ONE;
        let target = U96::from(units(&curve.target));
        self.emit(&LaunchHook::LaunchCreated {
            launchId: id,
            creator: CREATOR,
            token: TOKEN,
            targetRaise: target,
        });
        self.emit(&LaunchHook::LaunchMetadata {
            launchId: id,
            name: "N\u{e4}me".into(),
            ticker: "T".into(),
            description: "d".into(),
            imageUrl: "i".into(),
            messenger: String::new(),
            microblog: "m".into(),
            website: String::new(),
        });
        self.transfer(Address::ZERO, HOOK, &crate::reference::curve::total_supply());
    }

    fn trade(
        &mut self,
        curve: &Curve,
        side: Side,
        trader: Address,
        gross: &BigInt,
        tokens: &BigInt,
        sold: &BigInt,
    ) {
        let split = fees(gross, &BigInt::from(5_000));
        let price = TradePrice {
            priceAfter: units(&curve.price_of_whole_token(sold)),
            marketCap: units(&curve.market_cap(sold)),
        };
        let amounts = TradeAmounts {
            ethAmount: units(gross),
            tokenAmount: units(tokens),
            fee: units(&(split.protocol + split.creator + split.buyback)),
        };
        let kind = u8::from(side == Side::Sell);
        let (id, refund) = (U256::ONE, U256::ZERO);
        self.emit(&LaunchHook::Trade { launchId: id, trader, tradeType: kind, price, amounts, refund });
        let (from, to) = if side == Side::Buy { (HOOK, trader) } else { (trader, HOOK) };
        self.transfer(from, to, tokens);
    }

    fn result(self, curve: &Curve, position: &Position) -> ChainReading {
        let state = LaunchConfig {
            creator: CREATOR,
            token: TOKEN,
            quoteAsset: Address::ZERO,
            saleSupply: units(&curve.sale).to(),
            liquiditySupply: units(&curve.liquidity()).to(),
            sold: units(&position.sold).to(),
            targetRaise: U96::from(units(&curve.target)),
            netContributions: units(&position.net).to(),
            gainBps: units(&curve.gain).to(),
            creatorFeeSplitBps: 5_000,
            antiSnipeDuration: 0,
            launchTime: START,
            finalized: false,
            poolId: B256::ZERO,
        };
        ChainReading {
            logs: self.hook,
            transfers: Some(self.transfers),
            pool_logs: self.pools,
            states: BTreeMap::from([(U256::ONE, state)]),
            ..ChainReading::default()
        }
    }
}

/// What a trader does: buys with so many finney, sells so many percent of what it holds, or somebody buys back.
#[derive(Clone, Debug)]
enum Action {
    Buy(u8, u16),
    Sell(u8, u8),
    BuyBack(u16),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    let action = prop_oneof![
        4 => (0_u8..4, 1_u16..100).prop_map(|(who, finney)| Action::Buy(who, finney)),
        2 => (0_u8..4, 1_u8..=100).prop_map(|(who, percent)| Action::Sell(who, percent)),
        1 => (1_u16..20).prop_map(Action::BuyBack),
    ];
    prop::collection::vec(action, 0..25)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Contributions, tokens sold, balances, volume and counts folded from the logs are those of the model that made them.
    #[test]
    fn the_fold_follows_the_reference_curve(actions in actions(), gain in 0_u32..=200_000, raise in 3_u64..=5) {
        let finney = BigInt::from(10).pow(15);
        let curve = Curve::new(BigInt::from(raise) * BigInt::from(10).pow(18), gain.into());
        let split = BigInt::from(5_000);
        let mut position = Position::start();
        let mut held: BTreeMap<Address, BigInt> = BTreeMap::new();
        let (mut volume, mut buys, mut sells) = (BigInt::zero(), 0, 0);
        let mut chain = Chain::default();
        chain.created(&curve);
        for action in actions {
            match action {
                Action::Buy(who, count) => {
                    let trader = Address::repeat_byte(0x80 + who);
                    let bought = curve.buy(&position, &(&finney * count), &split);
                    position = bought.after.clone();
                    chain.trade(&curve, Side::Buy, trader, &bought.cost, &bought.tokens, &position.sold);
                    *held.entry(trader).or_default() += &bought.tokens;
                    volume += bought.cost;
                    buys += 1;
                }
                Action::Sell(who, percent) => {
                    let trader = Address::repeat_byte(0x80 + who);
                    let tokens: BigInt = held.get(&trader).cloned().unwrap_or_default() * percent / 100;
                    if tokens.is_zero() {
                        continue;
                    }
                    let sold = curve.sell(&position, &tokens, &split);
                    position = sold.after.clone();
                    chain.trade(&curve, Side::Sell, trader, &sold.gross, &tokens, &position.sold);
                    *held.entry(trader).or_default() -= &tokens;
                    volume += sold.gross;
                    sells += 1;
                }
                Action::BuyBack(count) => {
                    let spent = &finney * count;
                    let net = &position.net + &spent;
                    let sold = curve.sold_for(&net);
                    let burned = &sold - &position.sold;
                    position = Position { sold, net };
                    let (id, tokens) = (U256::ONE, units(&burned));
                    let quote = units(&spent);
                    chain.emit(&LaunchHook::BuybackExecuted {
                        launchId: id, caller: CREATOR, quoteAmount: quote, tokensBurned: tokens, fromPool: false,
                    });
                    chain.transfer(HOOK, Address::ZERO, &burned);
                }
            }
        }
        let now = START + chain.next * 60 + 1;
        let folded = chain.result(&curve, &position).fold_hook(&deployment()).unwrap();
        let launch = &folded.launches[0];
        prop_assert_eq!(&launch.sold, &position.sold);
        prop_assert_eq!(&launch.contributions, &position.net);
        prop_assert_eq!(&launch.price, &curve.price(&position.sold));
        let ether = BigRational::new(volume, BigInt::from(10).pow(18));
        prop_assert_eq!(launch.volume(now, 86_400), Bounds::exact(ether));
        prop_assert_eq!(launch.count(now, 86_400, Side::Buy), buys);
        prop_assert_eq!(launch.count(now, 86_400, Side::Sell), sells);
        held.retain(|_, amount| !amount.is_zero());
        prop_assert_eq!(launch.holder_count(), Some(held.len()));
        let shown = Figure::parse(&{
            let wei = curve.price_of_whole_token(&position.sold);
            format!("{wei}e-18")
        }).unwrap();
        prop_assert!(launch.price().shown_by(&shown));
        prop_assert_eq!(&launch.texts.name, "N\u{e4}me");
        // The last mark is the present price, but for the wei that the log cuts off.
        if let Some(mark) = launch.marks.last() {
            let off = &launch.price - &mark.price;
            prop_assert!(off >= BigRational::zero() && off < BigRational::new(1.into(), BigInt::from(10).pow(27)));
        }
    }

    /// A window holds what is younger than it and nothing else; the change is against the last price before it.
    #[test]
    fn window_excludes_its_far_edge(count in 1_usize..20, window in 1_u64..1_000) {
        let curve = Curve::new(BigInt::from(10).pow(18) * 5, 60_000.into());
        let mut position = Position::start();
        let mut chain = Chain::default();
        chain.created(&curve);
        for _ in 0..count {
            let bought = curve.buy(&position, &(BigInt::from(10).pow(15) * 7), &BigInt::from(5_000));
            position = bought.after.clone();
            chain.trade(&curve, Side::Buy, CREATOR, &bought.cost, &bought.tokens, &position.sold);
        }
        let now = START + chain.next * 60;
        let launch = chain.result(&curve, &position).fold_hook(&deployment()).unwrap().launches.remove(0);
        let young = launch.trades.iter().filter(|trade| now - trade.at.time < window).count();
        prop_assert_eq!(launch.count(now, window, Side::Buy), young);
        let before = launch.marks.iter().rev().find(|mark| now - mark.at.time >= window);
        let reference = before.map_or_else(|| curve.price(&BigInt::zero()), |mark| mark.price.clone());
        let exact = (curve.price(&position.sold) / reference - BigRational::from_integer(1.into())) * BigInt::from(100);
        let cut = (exact * BigInt::from(10).pow(8)).trunc().to_integer();
        let shown = Figure::of(BigRational::new(cut, BigInt::from(10).pow(8)));
        prop_assert!(launch.change(now, window).shown_by(&shown) || young == 0);
    }
}

#[test]
fn hook_swaps_move_price_without_counting_as_trades() {
    let curve = Curve::new(BigInt::from(10).pow(18), 50_000.into());
    let mut chain = Chain::default();
    chain.created(&curve);
    let pool = B256::repeat_byte(9);
    chain.emit(&LaunchHook::LaunchFinalized {
        launchId: U256::ONE,
        poolId: pool,
        ethSeeded: U256::ONE,
        tokensSeeded: U256::ONE,
    });
    let sqrt = U160::from(units(&curve.opening_sqrt_price(true)));
    let opened = Pools::Initialize {
        id: pool,
        currency0: TOKEN,
        currency1: Address::repeat_byte(0xee),
        fee: U24::from(1_000),
        tickSpacing: 60.try_into().unwrap(),
        hooks: HOOK,
        sqrtPriceX96: sqrt,
        tick: Default::default(),
    };
    let log = chain.log(MANAGER, opened.encode_log_data());
    chain.pools.push(log);
    for (sender, token, quote) in [(HOOK, 500_i64, -5_i64), (CREATOR, 700, -7), (CREATOR, -900, 9)] {
        let signed = |value: i64| i128::from(value);
        let swap = Pools::Swap {
            id: pool,
            sender,
            amount0: signed(token),
            amount1: signed(quote),
            sqrtPriceX96: sqrt,
            liquidity: 1,
            tick: Default::default(),
            fee: U24::from(1_000),
        };
        let log = chain.log(MANAGER, swap.encode_log_data());
        chain.pools.push(log);
    }
    let mut result = chain.result(&curve, &Position { sold: curve.sale.clone(), net: curve.target.clone() });
    result.pools.insert(pool, U256::from(sqrt));
    let launch = result.fold_hook(&deployment()).unwrap().launches.remove(0);
    let sides: Vec<(Side, BigInt)> =
        launch.trades.iter().map(|trade| (trade.side, trade.volume.clone())).collect();
    assert_eq!(sides, [(Side::Buy, BigInt::from(7)), (Side::Sell, BigInt::from(9))]);
    assert_eq!(launch.marks.len(), 3);
    assert_eq!(launch.progress(), BigRational::from_integer(1.into()));
    assert_eq!(Some(launch.price.clone()), pool_price(&integer(U256::from(sqrt)), true));
}
