//! Trades the way a client does: quoted by the contracts' own previews, with the calls that execute the quote. This module sends and signs
//! nothing.
use alloy::primitives::aliases::{U48, U160};
use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use slipway_contracts::bindings::{
    CaptchaAuth, IAllowanceTransfer, IERC20, ILaunchHook, ITokenFactory, IUniswapV2Router02 as Router,
    IV4Quoter,
};
use slipway_contracts::decode;

use super::{Engine, EngineError};
use crate::chain::ChainError;
use crate::event::Side;
use crate::pool_calls::{self, Swap, pool_key};
use crate::state::token::{Launch, Pool, Token, Version};

/// Default slippage in basis points: the maximum by which the output may fall below the quote before the trade fails.
pub(crate) const SLIPPAGE_BPS: u16 = 100;
/// Validity of a trade in a pair, seconds.
const VALID_FOR: u64 = 20 * 60;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TradeMarket {
    pub chain_id: u64,
    pub launch: std::sync::Arc<Launch>,
    /// The token's pool or pair once it graduated.
    pub pool: Option<Pool>,
}

impl TradeMarket {
    /// The market of a launched token, as of now.
    pub(crate) fn of(token: &Token) -> Self {
        Self { chain_id: token.birth.chain_id, launch: token.launch.clone(), pool: token.pool }
    }

    /// The pair of the native coin and a token without a launch.
    pub(crate) fn pair(chain_id: u64, token: Address, pair: Address) -> Self {
        let launch = Launch { token, ..Launch::default() };
        Self { chain_id, launch: launch.into(), pool: Some(Pool::Pair(pair)) }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TradeOrder {
    /// Units paid: quote asset for a purchase, token for a sale.
    pub paid: U256,
    pub received: U256,
    /// Units of the offer that are refunded.
    pub refund: U256,
    /// Fees in units of the quote asset, if the preview returns them.
    pub fee: Option<U256>,
    /// Minimum output that the calls accept.
    pub minimum: U256,
    pub calls: Vec<TradeCall>,
}

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct TradeCall {
    pub to: Address,
    pub data: Bytes,
    /// Native coins sent with the call, in wei.
    pub value: U256,
}

fn call(to: Address, value: U256, input: &impl SolCall) -> TradeCall {
    TradeCall { to, data: input.abi_encode().into(), value }
}

fn approve(token: Address, spender: Address, amount: U256) -> TradeCall {
    call(token, U256::ZERO, &IERC20::approveCall { spender, amount })
}

/// The result of a preview: input, output, refund, fee.
struct Preview {
    paid: U256,
    received: U256,
    refund: U256,
    fee: Option<U256>,
}

impl Preview {
    /// The order that tolerates `slippage` basis points less.
    fn order(self, slippage: u16, calls: impl FnOnce(U256) -> Vec<TradeCall>) -> TradeOrder {
        let Self { paid, received, refund, fee } = self;
        let minimum = received - received * U256::from(slippage.min(10_000)) / U256::from(10_000);
        TradeOrder { paid, received, refund, fee, minimum, calls: calls(minimum) }
    }
}

impl Engine {
    /// Quotes a trade of `units` (offered quote units, or token units to sell) for `trader` by preview, with calls that tolerate `slippage`
    /// basis points less.
    pub async fn trade_order(
        &self,
        market: &TradeMarket,
        side: Side,
        units: U256,
        trader: Address,
        auth: CaptchaAuth,
        slippage: u16,
    ) -> Result<TradeOrder, EngineError> {
        // No asset has more units than this, and the contracts' types are no larger.
        if units.bit_len() > 128 {
            return Err(EngineError::AmountTooLarge);
        }
        match (market.launch.version, market.pool) {
            (_, Some(Pool::Managed(_))) => self.pool_trade(market, side, units, slippage).await,
            (_, Some(Pool::Pair(_))) => self.pair_trade(market, side, units, trader, slippage).await,
            (Version::V2, None) => self.curve_trade(market, side, units, auth, slippage).await,
            (Version::V1, None) => self.v1_trade(market, side, units, slippage).await,
        }
    }

    async fn curve_trade(
        &self,
        market: &TradeMarket,
        side: Side,
        units: U256,
        auth: CaptchaAuth,
        slippage: u16,
    ) -> Result<TradeOrder, EngineError> {
        let refused = |error| refused(market.chain_id, error);
        let (chain, _) = self.chain(market.chain_id)?;
        let Launch { hook: address, launch_id, token, quote_asset, .. } = *market.launch;
        let (hook, launch) = (ILaunchHook::new(address, chain.provider()), U256::from(launch_id));
        if side == Side::Sell {
            let preview = hook.previewSell(launch, units.to()).call().await.map_err(refused)?;
            let fee = preview.protocolFee + preview.creatorFee + preview.buybackFee;
            let preview =
                Preview { paid: units, received: preview.netPayout, refund: U256::ZERO, fee: Some(fee) };
            return Ok(preview.order(slippage, |minimum| {
                let sell = ILaunchHook::sellCall {
                    launchId: launch,
                    tokenAmount: units.to(),
                    minEthOut: minimum,
                    auth,
                };
                vec![approve(token, address, units), call(address, U256::ZERO, &sell)]
            }));
        }
        let preview = hook.previewBuy(launch, units).call().await.map_err(refused)?;
        let preview =
            Preview { paid: preview.cost, received: preview.tokensOut, refund: preview.refund, fee: None };
        Ok(preview.order(slippage, |minimum| {
            if quote_asset.is_zero() {
                let buy = ILaunchHook::buyCall { launchId: launch, minTokensOut: minimum, auth };
                return vec![call(address, units, &buy)];
            }
            let buy = ILaunchHook::buyWithQuoteCall {
                launchId: launch,
                quoteAmount: units,
                minTokensOut: minimum,
                auth,
                referralCode: String::new(),
            };
            vec![approve(quote_asset, address, units), call(address, U256::ZERO, &buy)]
        }))
    }

    async fn v1_trade(
        &self,
        market: &TradeMarket,
        side: Side,
        units: U256,
        slippage: u16,
    ) -> Result<TradeOrder, EngineError> {
        let refused = |error| refused(market.chain_id, error);
        let (chain, _) = self.chain(market.chain_id)?;
        let (address, token) = (market.launch.hook, market.launch.token);
        let factory = ITokenFactory::new(address, chain.provider());
        if side == Side::Sell {
            let preview = factory.previewSell(token, units).call().await.map_err(refused)?;
            let preview =
                Preview { paid: units, received: preview.payout, refund: U256::ZERO, fee: Some(preview.fee) };
            return Ok(preview.order(slippage, |minimum| {
                let sell = ITokenFactory::sellCall { token, tokenAmount: units, minEthOut: minimum };
                vec![approve(token, address, units), call(address, U256::ZERO, &sell)]
            }));
        }
        let preview = factory.previewBuy(token, units).call().await.map_err(refused)?;
        let preview =
            Preview { paid: preview.cost, received: preview.tokensOut, refund: preview.refund, fee: None };
        Ok(preview.order(slippage, |minimum| {
            vec![call(address, units, &ITokenFactory::buyCall { token, minTokensOut: minimum })]
        }))
    }

    async fn pool_trade(
        &self,
        market: &TradeMarket,
        side: Side,
        units: U256,
        slippage: u16,
    ) -> Result<TradeOrder, EngineError> {
        let refused = |error| refused(market.chain_id, error);
        let (chain, deployment) = self.chain(market.chain_id)?;
        let contract = |name| deployment.contract(name).unwrap_or_default();
        let (permit2, router) = (contract("Permit2"), contract("UniversalRouter"));
        let Launch { hook, token, quote_asset, .. } = *market.launch;
        let is_native = quote_asset.is_zero();
        let quote = if is_native { contract("WETH9") } else { quote_asset };
        let (paid, bought) = if side == Side::Buy { (quote, token) } else { (token, quote) };
        let params = IV4Quoter::QuoteExactSingleParams {
            poolKey: pool_key(hook, paid, bought),
            zeroForOne: paid < bought,
            exactAmount: units.to(),
            hookData: Bytes::new(),
        };
        let quoter = IV4Quoter::new(contract("V4Quoter"), chain.provider());
        let quoted = quoter.quoteExactInputSingle(params).call().await.map_err(refused)?;
        let preview = Preview { paid: units, received: quoted.amountOut, refund: U256::ZERO, fee: None };
        Ok(preview.order(slippage, |minimum| {
            let swap = Swap {
                hook,
                paid,
                bought,
                amount: units,
                minimum,
                from_caller: !(is_native && side == Side::Buy),
                into_router: is_native && side == Side::Sell,
            };
            if !swap.from_caller {
                let commands = vec![pool_calls::wrap(units), swap.command()];
                return vec![call(router, units, &pool_calls::execute(commands))];
            }
            let permit = IAllowanceTransfer::approveCall {
                token: paid,
                spender: router,
                amount: U160::from(units),
                expiration: U48::MAX,
            };
            let mut commands = vec![swap.command()];
            if swap.into_router {
                commands.push(pool_calls::unwrap(minimum));
            }
            vec![
                approve(paid, permit2, units),
                call(permit2, U256::ZERO, &permit),
                call(router, U256::ZERO, &pool_calls::execute(commands)),
            ]
        }))
    }

    async fn pair_trade(
        &self,
        market: &TradeMarket,
        side: Side,
        units: U256,
        trader: Address,
        slippage: u16,
    ) -> Result<TradeOrder, EngineError> {
        let refused = |error| refused(market.chain_id, error);
        let (chain, deployment) = self.chain(market.chain_id)?;
        let contract = |name| deployment.contract(name).unwrap_or_default();
        let (router, wrapped, token) =
            (contract("UniswapV2Router02"), contract("WETH9"), market.launch.token);
        let path = if side == Side::Buy { vec![wrapped, token] } else { vec![token, wrapped] };
        let contract = Router::new(router, chain.provider());
        let amounts = contract.getAmountsOut(units, path.clone()).call().await.map_err(refused)?;
        let received = amounts.last().copied().unwrap_or_default();
        let deadline = U256::from(self.clock().now() + VALID_FOR);
        let preview = Preview { paid: units, received, refund: U256::ZERO, fee: None };
        Ok(preview.order(slippage, |minimum| {
            if side == Side::Buy {
                let buy =
                    Router::swapExactETHForTokensCall { amountOutMin: minimum, path, to: trader, deadline };
                return vec![call(router, units, &buy)];
            }
            let sell = Router::swapExactTokensForETHCall {
                amountIn: units,
                amountOutMin: minimum,
                path,
                to: trader,
                deadline,
            };
            vec![approve(token, router, units), call(router, U256::ZERO, &sell)]
        }))
    }
}

/// The reason why a preview failed: the contract's error, or that the chain did not respond.
fn refused(chain_id: u64, error: alloy::contract::Error) -> EngineError {
    let reverted = error.as_revert_data().and_then(|data| decode::error(&data));
    match error {
        alloy::contract::Error::TransportError(source) => match source.as_error_resp() {
            Some(answer) => EngineError::refused(reverted, || answer.message.to_string()),
            None => ChainError::Call { chain_id, method: "eth_call", source }.into(),
        },
        other => EngineError::refused(reverted, || other.to_string()),
    }
}
