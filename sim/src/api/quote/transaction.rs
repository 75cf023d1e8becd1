//! The router call that executes a quote: it moves the quoted amounts, or fails at the quote's bound.
use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use schemars::JsonSchema;
use serde::Serialize;
use slipway_contracts::bindings::IUniswapV2Router02 as Router;

use super::{NATIVE, QuoteAnswer, QuoteRequest, SwapApi};
use crate::api::refusal::Refusal;
use crate::api::schema::{self, AddressText, Units};
use crate::chain::ChainError;
use slipway_math::exchange::Quote;

/// Validity of a transaction, in seconds after the quote.
const VALID_FOR: u64 = 20 * 60;
/// Maximum gas of a trade through the router: anybody's token contract may be on the route, and an estimate executes it some twenty times.
const MOST_GAS: u64 = 5_000_000;

// A transaction to sign.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "Transaction")]
pub(crate) struct SwapTransaction {
    pub from: AddressText,
    pub to: AddressText,
    pub data: schema::Bytes,
    pub value: Units,
    gas_price: Units<u128>,
    // The estimate plus a fifth, since the first trade of a pair in a block writes more.
    pub gas: Units<u64>,
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
        answer: &QuoteAnswer,
    ) -> Result<SwapTransaction, Refusal> {
        let terms = terms(quote, answer);
        let deadline = U256::from(self.now() + VALID_FOR);
        let (data, value) = encode(request, terms, quote.path().to_vec(), user, deadline);
        let to = self.venue.router;
        let estimate = self.chain.estimate_gas(user, to, data.clone(), value, MOST_GAS);
        let (estimate, gas_price) = tokio::try_join!(estimate, self.chain.gas_price()).map_err(no_gas)?;
        Ok(SwapTransaction {
            from: AddressText(user),
            to: AddressText(to),
            data: schema::Bytes(data),
            value: Units(value),
            gas_price: Units(gas_price),
            gas: Units(estimate.saturating_add(estimate / 5)),
        })
    }
}

/// The amounts that bound the router; without slippage, the quote itself.
///
/// The router may charge a few units more than the least input of an exact output. If the slippage does not cover
/// them, the call offers the least input instead, which buys the same.
fn terms(quote: &Quote, answer: &QuoteAnswer) -> Terms {
    let (amount_in, amount_out) = (answer.amount_in.0, answer.amount_out.0);
    let covers = |most: &Units| quote.router_charge_up().is_some_and(|charge| U256::from(charge) <= most.0);
    match (answer.minimum_amount_out, answer.maximum_amount_in.filter(covers)) {
        (Some(Units(minimum_out)), _) => Terms::ExactIn { amount_in, minimum_out },
        (None, Some(Units(maximum_in))) => Terms::ExactOut { amount_out, maximum_in },
        (None, None) => Terms::ExactIn { amount_in, minimum_out: amount_out },
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
