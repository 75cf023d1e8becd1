//! Events as the contracts would emit them, scripted for tests: the curve determines every amount.
use std::sync::Arc;

use alloy::primitives::{Address, B256, U256};
use slipway_contracts::ChainId;

use super::{Ground, State};
use crate::event::{Event, EventKind, Metadata, Side};
use slipway_math::curve::{Curve, Position};

/// The hook of both chains.
pub(crate) const HOOK: Address = Address::repeat_byte(0x11);
/// The pool manager of both chains.
pub(crate) const POOL_MANAGER: Address = Address::repeat_byte(0x22);
/// The wrapped native coin of both chains; in the middle of the address range, so that pools have both orientations.
pub(crate) const WRAPPED: Address = Address::repeat_byte(0x80);
/// A router that swaps in pools on behalf of others.
pub(crate) const ROUTER: Address = Address::repeat_byte(0x33);
/// One ether in wei.
pub(crate) const ETHER: u128 = 1_000_000_000_000_000_000;

#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) chain_id: u64,
    pub(crate) token: Address,
    pub(crate) creator: Address,
    pub(crate) at: u64,
    pub(crate) metadata: Metadata,
    pub(crate) target_raise: u128,
    pub(crate) gain_bps: u32,
}

impl Plan {
    /// A launch on the primary chain, identified by its number.
    pub(crate) fn numbered(number: u8, at: u64) -> Self {
        let mut token = [0x30; 20];
        token[0] = number.wrapping_mul(67);
        token[19] = number;
        Self {
            chain_id: ChainId::PRIMARY.0,
            token: token.into(),
            creator: Address::repeat_byte(0xc0),
            at,
            metadata: Metadata {
                name: format!("Token {number}"),
                ticker: format!("TK{number}"),
                description: format!("The launch with number {number}"),
                image_url: format!("https://images.invalid/{number}.png"),
                ..Metadata::default()
            },
            target_raise: 2 * ETHER,
            gain_bps: 50_000,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) plan: Plan,
    pub(crate) launch_id: u64,
    pub(crate) curve: Curve,
    pub(crate) position: Position,
    pub(crate) finalized: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Script {
    pub(crate) events: Vec<Event>,
    pub(crate) launches: Vec<Written>,
}

impl Script {
    /// An empty state with the contracts that every script uses.
    pub(crate) fn empty_state() -> State {
        let ground = Ground { wrapped_native: WRAPPED, pool_manager: POOL_MANAGER, quote_assets: Vec::new() };
        State::new([(ChainId::PRIMARY.0, ground.clone()), (ChainId::SECOND.0, ground)].into())
    }

    pub(crate) fn state(&self) -> State {
        let mut state = Self::empty_state();
        self.events.iter().for_each(|event| state.apply(event));
        state
    }

    pub(crate) fn push(&mut self, chain_id: u64, at: u64, emitter: Address, kind: EventKind) {
        let number = self.events.len() as u64;
        self.events.push(Event {
            chain_id,
            block: number / 8,
            timestamp: at,
            transaction: B256::with_last_byte(u8::try_from(number % 251).unwrap()),
            log_index: number % 8,
            emitter,
            kind,
        });
    }

    /// Adds a launch; returns its number in the script.
    pub(crate) fn launch(&mut self, plan: Plan) -> usize {
        let launch_id = self.launches.len() as u64 + 1;
        let curve = Curve::new(plan.target_raise, plan.gain_bps).unwrap();
        let (chain_id, at, token) = (plan.chain_id, plan.at, plan.token);
        let supply = U256::from(super::token::SUPPLY);
        let mint = EventKind::Transfer { from: Address::ZERO, to: HOOK, amount: supply };
        self.push(chain_id, at, token, mint);
        let (creator, target_raise) = (plan.creator, plan.target_raise);
        self.push(chain_id, at, HOOK, EventKind::LaunchCreated { launch_id, creator, token, target_raise });
        let metadata = Arc::new(plan.metadata.clone());
        self.push(chain_id, at, HOOK, EventKind::LaunchMetadata { launch_id, metadata });
        self.push(
            chain_id,
            at,
            HOOK,
            EventKind::LaunchConfigured {
                launch_id,
                quote_asset: Address::ZERO,
                sale_supply: curve.sale_supply(),
                liquidity_supply: curve.liquidity_supply(),
                gain_bps: plan.gain_bps,
                creator_fee_split_bps: 5_000,
                anti_snipe_duration: 0,
                launch_time: at,
            },
        );
        let position = Position::default();
        self.launches.push(Written { plan, launch_id, curve, position, finalized: false });
        self.launches.len() - 1
    }

    /// Adds a buy of `gross` wei, and the graduation if it fills the curve.
    pub(crate) fn buy(&mut self, number: usize, trader: Address, gross: u128, at: u64) {
        let Written { plan, launch_id, curve, position, .. } = self.launches[number].clone();
        let bought = curve.buy(position, gross, 5_000);
        self.trade(
            number,
            trader,
            Side::Buy,
            [bought.cost, bought.tokens_out, bought.fees.total(), bought.refund],
            bought.position_after,
            at,
        );
        let amount = U256::from(bought.tokens_out);
        self.push(plan.chain_id, at, plan.token, EventKind::Transfer { from: HOOK, to: trader, amount });
        if bought.finalizes {
            self.launches[number].finalized = true;
            let quote_seeded = U256::from(plan.target_raise);
            let tokens_seeded = U256::from(curve.liquidity_supply());
            let amount = tokens_seeded;
            self.push(
                plan.chain_id,
                at,
                plan.token,
                EventKind::Transfer { from: HOOK, to: POOL_MANAGER, amount },
            );
            let kind = EventKind::LaunchFinalized {
                launch_id,
                pool_id: pool_of(plan.token),
                quote_seeded,
                tokens_seeded,
            };
            self.push(plan.chain_id, at, HOOK, kind);
        }
    }

    pub(crate) fn sell(&mut self, number: usize, trader: Address, tokens: u128, at: u64) {
        let Written { plan, curve, position, .. } = self.launches[number].clone();
        let sold = curve.sell(position, tokens, 5_000).unwrap();
        self.trade(
            number,
            trader,
            Side::Sell,
            [sold.gross, tokens, sold.fees.total(), 0],
            sold.position_after,
            at,
        );
        let amount = U256::from(tokens);
        self.push(plan.chain_id, at, plan.token, EventKind::Transfer { from: trader, to: HOOK, amount });
    }

    fn trade(
        &mut self,
        number: usize,
        trader: Address,
        side: Side,
        amounts: [u128; 4],
        after: Position,
        at: u64,
    ) {
        let [quote_amount, token_amount, fee, refund] = amounts.map(U256::from);
        let Written { plan, launch_id, curve, .. } = self.launches[number].clone();
        self.launches[number].position = after;
        let (price_after, market_cap) = (curve.price_down(after.sold), curve.market_cap_down(after.sold));
        let kind = EventKind::Trade {
            launch_id,
            trader,
            side,
            price_after,
            market_cap,
            quote_amount,
            token_amount,
            fee,
            refund,
        };
        self.push(plan.chain_id, at, HOOK, kind);
    }

    /// Adds a swap in the pool of a graduated launch that leaves its price at `wei_per_token`.
    pub(crate) fn swap(&mut self, number: usize, side: Side, quote: u128, wei_per_token: u128, at: u64) {
        self.swap_by(ROUTER, number, side, quote, wei_per_token, at);
    }

    /// Adds a buyback from the pool of a graduated launch: the hook's own swap, and the burn.
    pub(crate) fn buy_back_from_pool(&mut self, number: usize, quote: u128, wei_per_token: u128, at: u64) {
        self.swap_by(HOOK, number, Side::Buy, quote, wei_per_token, at);
        let Written { plan, launch_id, .. } = &self.launches[number];
        let (chain_id, kind) = (
            plan.chain_id,
            EventKind::BuybackExecuted {
                launch_id: *launch_id,
                quote_amount: U256::from(quote),
                tokens_burned: U256::from(quote * ETHER / wei_per_token),
                from_pool: true,
            },
        );
        self.push(chain_id, at, HOOK, kind);
    }

    fn swap_by(
        &mut self,
        sender: Address,
        number: usize,
        side: Side,
        quote: u128,
        wei_per_token: u128,
        at: u64,
    ) {
        let Written { plan, .. } = self.launches[number].clone();
        let tokens = i128::try_from(quote * ETHER / wei_per_token).unwrap();
        let quote = i128::try_from(quote).unwrap();
        let (token_amount, quote_amount) = match side {
            Side::Buy => (tokens, -quote),
            Side::Sell => (-tokens, quote),
        };
        let root = U256::from(wei_per_token).root(2);
        let (amount0, amount1, sqrt_price_x96) = if plan.token < WRAPPED {
            (token_amount, quote_amount, (root << 96) / U256::from(1_000_000_000))
        } else {
            (quote_amount, token_amount, (U256::from(1_000_000_000) << 96) / root)
        };
        let pool_id = pool_of(plan.token);
        self.push(
            plan.chain_id,
            at,
            POOL_MANAGER,
            EventKind::PoolSwap { pool_id, sender, amount0, amount1, sqrt_price_x96 },
        );
    }
}

pub(crate) fn pool_of(token: Address) -> B256 {
    token.into_word()
}
