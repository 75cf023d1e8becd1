//! Trades a graduated token in its pool as a client does: quoted by the quoter, traded through the universal router, paying and receiving
//! the native coin. `docs/how-to/trading.md` is the same as a how-to.
use alloy::primitives::aliases::{U48, U160};
use alloy::primitives::{Bytes, address};
use alloy::sol_types::{SolCall, SolValue};

use super::graduation::pool_key;
use super::launch_fixture::{LaunchFixture, Launched};
use crate::client::chain::gas_of;
use crate::client::wire::{ExactInputSingle, Permits, PoolKey, Pools, QuoteExactSingleParams, Token};
use crate::model::conventions::unnamed;
use crate::prelude::*;
use crate::truth::reference::integer;

/// Commands and actions of the universal router.
const WRAP_NATIVE: u8 = 0x0b;
const UNWRAP_WRAPPED: u8 = 0x0c;
const POOL_SWAP: u8 = 0x10;
const SWAP_EXACT_IN_SINGLE: u8 = 0x06;
const SETTLE: u8 = 0x0b;
const TAKE: u8 = 0x0e;
const TAKE_ALL: u8 = 0x0f;
/// The caller and the router itself as recipients.
const THE_CALLER: U256 = U256::ONE;
const ROUTER_ITSELF: u64 = 2;
/// Takes the full amount that the pool owes.
const ALL_OWED: U256 = U256::ZERO;

/// Permit2, which has the same address on every chain.
const PERMIT2: Address = address!("0x000000000022D473030F116dDEE9F6B43aC78BA3");

/// A trade in the pool, with the input and the quoter's output.
struct Trade {
    key: PoolKey,
    paid: Address,
    bought: Address,
    units: U256,
    quoted: U256,
}

/// Buys with native value and sells half of the tokens: both move exactly the quoted amounts.
pub(super) async fn trades_both_ways(
    fixture: &LaunchFixture<'_>,
    trader: &Account,
    launched: &Launched,
) -> Verdict {
    let key = pool_key(fixture, launched.token).await?;
    let wrapped = if key.currency0 == launched.token { key.currency1 } else { key.currency0 };
    let spent = ether(1) / U256::from(50);
    let buy = quoted(fixture, &key, wrapped, launched.token, spent).await?;
    let bought = buys(fixture, trader, buy).await?;
    let sell = quoted(fixture, &key, launched.token, wrapped, bought / U256::from(2)).await?;
    sells(fixture, trader, sell).await
}

async fn quoted(
    fixture: &LaunchFixture<'_>,
    key: &PoolKey,
    paid: Address,
    bought: Address,
    units: U256,
) -> Verdict<Trade> {
    let request = Pools::quoteExactInputSingleCall {
        params: QuoteExactSingleParams {
            poolKey: key.clone(),
            zeroForOne: key.currency0 == paid,
            exactAmount: units.to(),
            hookData: Bytes::new(),
        },
    };
    let quoted = fixture.read_from(quoter(fixture)?, &request).await?.amountOut;
    Ok(Trade { key: key.clone(), paid, bought, units, quoted })
}

fn quoter(fixture: &LaunchFixture<'_>) -> Verdict<Address> {
    let declared = fixture.target().conventions.quoter;
    declared.or_else(|| fixture.part("quoter")).ok_or_else(|| unnamed("V4 quoter", "quoter"))
}

fn router(fixture: &LaunchFixture<'_>) -> Verdict<Address> {
    let declared = fixture.target().conventions.router;
    declared.or_else(|| fixture.part("universalRouter")).ok_or_else(|| unnamed("Universal Router", "router"))
}

/// Wraps the value, swaps it and takes the tokens; returns the received amount.
async fn buys(fixture: &LaunchFixture<'_>, trader: &Account, trade: Trade) -> Verdict<U256> {
    let held = fixture.tokens_of(trade.bought, trader.address()).await?;
    let wrap = (U256::from(ROUTER_ITSELF), trade.units).abi_encode_params();
    let swap = trade.swap(false, TAKE_ALL, (trade.bought, trade.quoted).abi_encode_params());
    let call = execute(&[(WRAP_NATIVE, wrap.into()), (POOL_SWAP, swap)]);
    let router = router(fixture)?;
    sent(fixture, trader, router, trade.units, &call).await?;
    let came = fixture.tokens_of(trade.bought, trader.address()).await? - held;
    let reproduce = fixture.cast(router, Some(trader.address()), trade.units, &call);
    fixture.agree(&reproduce, &[("tokens from the pool", integer(trade.quoted), integer(came))])?;
    Ok(came)
}

/// Approves the router, swaps the tokens, and unwraps what the pool pays.
async fn sells(fixture: &LaunchFixture<'_>, trader: &Account, trade: Trade) -> Verdict {
    let (router, permit2) = (router(fixture)?, fixture.part("permit2").unwrap_or(PERMIT2));
    let approve = Token::approveCall { spender: permit2, amount: trade.units };
    let permit = Permits::approveCall {
        token: trade.paid,
        spender: router,
        amount: U160::from(trade.units),
        expiration: U48::MAX,
    };
    sent(fixture, trader, trade.paid, U256::ZERO, &approve).await?;
    sent(fixture, trader, permit2, U256::ZERO, &permit).await?;
    let before = fixture.chain.balance(trader.address()).await?;
    let take = (trade.bought, Address::with_last_byte(2), ALL_OWED).abi_encode_params();
    let unwrap = (THE_CALLER, trade.quoted).abi_encode_params();
    let swap = trade.swap(true, TAKE, take);
    let call = execute(&[(POOL_SWAP, swap), (UNWRAP_WRAPPED, unwrap.into())]);
    let gas = sent(fixture, trader, router, U256::ZERO, &call).await?;
    let came = integer(fixture.chain.balance(trader.address()).await?) + integer(gas) - integer(before);
    let reproduce = fixture.cast(router, Some(trader.address()), U256::ZERO, &call);
    fixture.agree(&reproduce, &[("native asset from the pool", integer(trade.quoted), came)])
}

impl Trade {
    /// Builds the router's swap: the input is settled by the user or the router, the output taken as requested.
    fn swap(&self, from_user: bool, take: u8, taken: Vec<u8>) -> Bytes {
        let swap = ExactInputSingle {
            poolKey: self.key.clone(),
            zeroForOne: self.key.currency0 == self.paid,
            amountIn: self.units.to(),
            amountOutMinimum: self.quoted.to(),
            hookData: Bytes::new(),
        };
        let parameters: Vec<Bytes> = vec![
            swap.abi_encode().into(),
            (self.paid, self.units, from_user).abi_encode_params().into(),
            taken.into(),
        ];
        let actions = Bytes::from(vec![SWAP_EXACT_IN_SINGLE, SETTLE, take]);
        (actions, parameters).abi_encode_params().into()
    }
}

fn execute(commands: &[(u8, Bytes)]) -> Pools::executeCall {
    let (commands, inputs): (Vec<u8>, Vec<Bytes>) = commands.iter().cloned().unzip();
    Pools::executeCall { commands: commands.into(), inputs, deadline: U256::MAX }
}

/// Sends a call, which must succeed; returns its gas cost.
async fn sent<C: SolCall>(
    fixture: &LaunchFixture<'_>,
    trader: &Account,
    to: Address,
    value: U256,
    call: &C,
) -> Verdict<U256> {
    let outcome = fixture.chain.transact(trader, to, value, call).await?;
    outcome.success().map(gas_of).ok_or_else(|| {
        let reproduce = fixture.cast(to, Some(trader.address()), value, call);
        fixture.failure(&reproduce, format!("{} is taken", C::SIGNATURE), outcome.describe())
    })
}
