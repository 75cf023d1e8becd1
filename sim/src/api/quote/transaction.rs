//! The router call that executes a quote: it moves the quoted amounts, or fails at the quote's bound.
use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use slipway_contracts::bindings::IUniswapV2Router02 as Router;

use super::{Bound, NATIVE, QuoteAmount, QuoteRequest, SwapApi};
use crate::api::refusal::Refusal;
use crate::chain::ChainError;
use slipway_math::exchange::Quote;

/// How long a transaction stays valid, in seconds after the quote.
const VALID_FOR: u64 = 20 * 60;

/// The call of the transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SwapCall {
    /// The sender.
    pub from: Address,
    /// The router.
    pub to: Address,
    /// Calldata.
    pub data: Bytes,
    /// Native coin sent along, in wei.
    pub value: U256,
}

/// A transaction to sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SwapTransaction {
    /// The call with its sender.
    pub call: SwapCall,
    /// Wei per gas.
    pub gas_price: u128,
    /// Gas limit: the estimate plus a fifth, since the first trade of a pair in a block writes more.
    pub gas: u64,
}

/// The amounts that bound a router call.
#[derive(Clone, Copy)]
enum Terms {
    ExactIn { amount_in: U256, minimum_out: U256 },
    ExactOut { amount_out: U256, maximum_in: U256 },
}

impl SwapApi {
    pub(super) async fn build(
        &self,
        request: &QuoteRequest,
        user: Address,
        quote: &Quote,
        bound: Option<Bound>,
    ) -> Result<SwapTransaction, Refusal> {
        let terms = terms(request, quote, bound);
        let deadline = U256::from(self.now() + VALID_FOR);
        let (data, value) = encode(request, terms, quote.path().to_vec(), user, deadline);
        let call = SwapCall { from: user, to: self.venue.router, data, value };
        let estimate = self.chain.estimate_gas(user, call.to, call.data.clone(), value);
        let (estimate, gas_price) = tokio::try_join!(estimate, self.chain.gas_price()).map_err(no_gas)?;
        Ok(SwapTransaction { call, gas_price, gas: estimate.saturating_add(estimate / 5) })
    }
}

/// The amounts that bound the router; without slippage, the quote itself.
///
/// The router may charge a few units more than the least input of an exact output. If the slippage does not cover
/// them, the call offers the least input instead, which buys the same.
fn terms(request: &QuoteRequest, quote: &Quote, bound: Option<Bound>) -> Terms {
    let (amount_in, amount_out) = (U256::from(quote.amount_in()), U256::from(quote.amount_out()));
    match (request.amount, bound) {
        (QuoteAmount::In(_), Some(Bound::MinimumOut(minimum_out))) => {
            Terms::ExactIn { amount_in, minimum_out }
        }
        (QuoteAmount::Out(_), Some(Bound::MaximumIn(maximum_in)))
            if quote.router_charge_up().is_some_and(|charge| U256::from(charge) <= maximum_in) =>
        {
            Terms::ExactOut { amount_out, maximum_in }
        }
        _ => Terms::ExactIn { amount_in, minimum_out: amount_out },
    }
}

/// Calldata of the router's method for this kind of trade, and the native coin sent with it.
///
/// Clause: QUOTE-BUILD, QUOTE-CALL, QUOTE-DEADLINE
#[expect(non_snake_case, reason = "the generated calls keep the names of the contract's parameters")]
fn encode(
    request: &QuoteRequest,
    terms: Terms,
    path: Vec<Address>,
    to: Address,
    deadline: U256,
) -> (Bytes, U256) {
    let (native_in, native_out) = (request.token_in == NATIVE, request.token_out == NATIVE);
    let data = match terms {
        Terms::ExactIn { amount_in: amountIn, minimum_out: amountOutMin } => {
            if native_in {
                Router::swapExactETHForTokensCall { amountOutMin, path, to, deadline }.abi_encode()
            } else if native_out {
                Router::swapExactTokensForETHCall { amountIn, amountOutMin, path, to, deadline }.abi_encode()
            } else {
                Router::swapExactTokensForTokensCall { amountIn, amountOutMin, path, to, deadline }
                    .abi_encode()
            }
        }
        Terms::ExactOut { amount_out: amountOut, maximum_in: amountInMax } => {
            if native_in {
                Router::swapETHForExactTokensCall { amountOut, path, to, deadline }.abi_encode()
            } else if native_out {
                Router::swapTokensForExactETHCall { amountOut, amountInMax, path, to, deadline }.abi_encode()
            } else {
                Router::swapTokensForExactTokensCall { amountOut, amountInMax, path, to, deadline }
                    .abi_encode()
            }
        }
    };
    let value = match terms {
        Terms::ExactIn { amount_in, .. } if native_in => amount_in,
        // The router refunds the part that it does not need.
        Terms::ExactOut { maximum_in, .. } if native_in => maximum_in,
        _ => U256::ZERO,
    };
    (data.into(), value)
}

/// Message of the refusal of a transaction that would fail.
pub(crate) const NO_GAS: &str = "gas estimation failed";
/// Message of the refusal while the chain cannot be reached.
pub(crate) const OUT_OF_REACH: &str = "the chain is out of reach";

/// Clause: FIG-GAS, QUOTE-REASON
fn no_gas(error: ChainError) -> Refusal {
    match error.refusal() {
        Some(reason) => Refusal::internal("quote-gas", NO_GAS).with_details(reason),
        None => Refusal::internal("chain-unreachable", OUT_OF_REACH),
    }
}
