//! The call in a built transaction, decoded by the published ABI of the Uniswap v2 router.
use std::collections::{BTreeMap, BTreeSet};

use alloy::primitives::{Bytes, U64};
use alloy::sol_types::{SolCall as _, SolValue};

use super::market::{NATIVE, SwapFixture, asks, built_for};
use super::routes::{reachable, small};
use crate::client::chain::{Chain, Simulated};
use crate::client::wire::{Exchange, Token};
use crate::prelude::*;
use crate::truth::reference::part;

/// Latest acceptable deadline, in seconds from now.
const LATEST: u64 = 24 * 60 * 60;
/// Blocks whose senders are considered as users.
const BLOCKS: u64 = 50;
/// Least balance of a user, in wei.
const HELD: u64 = 100_000_000_000_000_000;
/// The `slippage` of queries: a percent, none at all, which is a bound too, and no parameter.
const SLIPPAGES: [Option<&str>; 3] = [Some("100"), Some("0"), None];

clause! {
    QUOTE_CALL = "QUOTE-CALL" (S73, S74, S77, S81, S84):
        "The call of a built transaction is the quoted trade: path, amount and bound as quoted, paid to the user, within the gas that it names, and the router of a quote is a contract.";
    check!("swap-quote-call" [Read; Swap, PrimaryChain] each_built(|_, _, _| Ok(())):
        "built calls, decoded and simulated, are the quoted trade for the user, run with the gas they name, and their deadlines are ahead");
    check!("swap-quote-call-of-tokens" [Exclusive; Swap, PrimaryChain, Accounts] super::transactions::sales_are_the_quoted_trade:
        "built calls that sell a token, decoded, are the quoted trade for the user");
}

clause! {
    QUOTE_DEADLINE = "QUOTE-DEADLINE" (choice S84): "The call of a built transaction is valid for at most a day.";
    check!("swap-quote-deadline" [Read; Swap, PrimaryChain] each_built(valid_for_a_day):
        "the deadlines of built calls are within a day");
}

/// A decoded call of any of the router's swap functions.
struct RouterCall {
    exact_input: bool,
    /// The most that is taken; `None` if that is the transaction's value.
    input: Option<U256>,
    /// The least that is paid.
    output: U256,
    path: Vec<Address>,
    to: Address,
    deadline: U256,
}

/// Requests built transactions for a user that holds the native coin, and judges each.
async fn each_built(trial: &Trial<'_>, judge: fn(&Trial<'_>, &Response, u64) -> Verdict) -> Verdict {
    let market = SwapFixture::open(trial).await?;
    let user = rich_user(trial, market.chain).await?;
    let (mut judged, mut routers) = (0, BTreeSet::from([market.router]));
    let tokens = reachable(&market, &mut trial.choices("calldata"))?;
    // For most users a sale of the wrapped coin builds no transaction; if it does, it must not spend the native coin.
    let sides = tokens.iter().flat_map(|token| [(NATIVE, *token), (market.wrapped, *token)]);
    for (from, token) in sides {
        let input = part(&small(&market, from, token), 1_000);
        let plain = market.ask_in(from, token, &input).await?.json().unwrap_or_default();
        let output = plain["amountOut"].as_str().unwrap_or("1").to_owned();
        let now = market.chain.head().await?.header.timestamp;
        for (given, units) in [("amount", input.to_string()), ("amountOut", output)] {
            for slippage in SLIPPAGES {
                let mut query = built_for(&asks(from, token, given, &units), user);
                query.extend(slippage.map(|slippage| param("slippage", slippage)));
                let response = market.ask(&query).await?;
                let body = response.json().unwrap_or_default();
                let router: Option<Address> = parsed(&body["metadata"]["routerAddress"]);
                if let Some(router) = router.filter(|router| routers.insert(*router)) {
                    let code = market.chain.code(router).await?;
                    let expected = "a router that is a contract";
                    let seen = || format!("no code at {router}");
                    trial.by(&QUOTE_CALL).require_or(&response, !code.is_empty(), expected, seen)?;
                }
                if response.code() == 200 && body["transaction"].is_object() {
                    is_the_quoted_trade(trial, &response, market.wrapped, Some(now))?;
                    moves_what_is_quoted(trial, &market, &response, (from, token)).await?;
                    runs_with_its_gas(trial, market.chain, &response).await?;
                    judge(trial, &response, now)?;
                    judged += 1;
                }
            }
        }
    }
    need_material(judged != 0, "no quote builds a transaction for an account of the chain")
}

/// Judges the transaction of a quote if it calls the router by the published ABI. `now` is the chain's time if the quote is fresh.
pub(in crate::sections) fn is_the_quoted_trade(
    trial: &Trial<'_>,
    response: &Response,
    wrapped: Address,
    now: Option<u64>,
) -> Verdict {
    let trial = trial.by(&QUOTE_CALL);
    let asked: BTreeMap<String, String> = response.request.url.query_pairs().into_owned().collect();
    let body = response.json().unwrap_or_default();
    let Some(call) = decoded(&body) else { return Ok(()) };
    let traded = |token: Address| if token == NATIVE { wrapped } else { token };
    let user = asked.get("userAddress").and_then(|text| text.trim().parse().ok());
    trial.require_equal(response, "recipient of the call", &user, &Some(call.to))?;
    let path = body["path"].as_array().into_iter().flatten();
    let path: Vec<Address> = path.filter_map(parsed).map(traded).collect();
    trial.require_equal(response, "path of the call", &path, &call.path)?;
    let units = |name: &str| parsed::<U256>(&body[name]);
    let (input, output) = (units("amountIn").unwrap_or_default(), units("amountOut").unwrap_or_default());
    let value = parsed::<U256>(&body["transaction"]["value"]);
    let of_native = asked.get("tokenIn").and_then(|text| text.trim().parse().ok()) == Some(NATIVE);
    let taken = call.input.or(value).unwrap_or_default();
    let expected = if of_native { taken } else { U256::ZERO };
    trial.require_equal(response, "value of the transaction", &Some(expected), &value)?;
    if asked.get("amount").is_some_and(|text| !text.trim().is_empty()) {
        let stated = (call.exact_input, taken);
        trial.require_equal(response, "the call takes an exact input of", &(true, input), &stated)?;
        let least = units("minimumAmountOut");
        let bound = least.map_or(call.output <= output, |least| call.output == least);
        let expected = format!("the call pays at least {}", least.unwrap_or(output));
        trial.require_or(response, bound, &expected, || call.output.to_string())?;
    } else {
        let most = units("maximumAmountIn").unwrap_or(input);
        let bound = if call.exact_input { taken <= most } else { taken == most };
        trial.require_or(response, bound, &format!("the call takes at most {most}"), || taken.to_string())?;
        trial.require_equal(response, "the call pays at least", &output, &call.output)?;
    }
    let ahead = now.is_none_or(|now| call.deadline >= U256::from(now));
    trial.require_or(response, ahead, "a deadline that is ahead", || call.deadline.to_string())
}

/// A simulated call of any contract moves the user's balances as quoted. Judges nothing if the node cannot simulate, or if the call no
/// longer succeeds.
async fn moves_what_is_quoted(
    trial: &Trial<'_>,
    market: &SwapFixture<'_>,
    response: &Response,
    (from, to): (Address, Address),
) -> Verdict {
    let trial = trial.by(&QUOTE_CALL);
    let body = response.json().unwrap_or_default();
    let built = &body["transaction"];
    let (Some(user), Some(called), Some(value)) =
        (parsed::<Address>(&built["from"]), parsed::<Address>(&built["to"]), parsed::<U256>(&built["value"]))
    else {
        return Ok(());
    };
    let input: Bytes = parsed(&built["data"]).unwrap_or_default();
    let watched = [market.traded(from), market.traded(to)];
    let balance = |token: Address| {
        let input = Token::balanceOfCall { account: user }.abi_encode().into();
        Simulated { from: user, to: token, value: U256::ZERO, input }
    };
    let trade = Simulated { from: user, to: called, value, input };
    let calls: Vec<Simulated> =
        watched.map(balance).into_iter().chain([trade]).chain(watched.map(balance)).collect();
    let answers = market.chain.simulate(&calls).await?.unwrap_or_default();
    let word =
        |at: usize| -> Option<U256> { U256::try_from_be_slice(answers.get(at)?.as_deref()?.get(..32)?) };
    let (Some(before), Some(after)) = (word(0).zip(word(1)), word(3).zip(word(4))) else { return Ok(()) };
    if answers.get(2).is_none_or(Option::is_none) {
        return Ok(());
    }
    let units = |name: &str| parsed::<U256>(&body[name]);
    let (left, came) = (before.0.saturating_sub(after.0), after.1.saturating_sub(before.1));
    let most = units("maximumAmountIn").or(units("amountIn")).unwrap_or_default();
    let (of_coin, of_token) = if from == NATIVE { (value, left) } else { (left, value) };
    let expected = format!("at most {most} is spent, and only of tokenIn");
    let fits = of_coin <= most && !of_coin.is_zero() && of_token.is_zero();
    trial.require_or(response, fits, &expected, || format!("{left} of the token and {value} wei leave"))?;
    let least =
        units("minimumAmountOut").or(units("maximumAmountIn").and(units("amountOut"))).unwrap_or_default();
    trial.require_or(response, came >= least, &format!("at least {least} comes"), || came.to_string())
}

/// A call that runs also runs with the gas that its transaction names.
async fn runs_with_its_gas(trial: &Trial<'_>, chain: &Chain, response: &Response) -> Verdict {
    let trial = trial.by(&QUOTE_CALL);
    let built = &response.json().unwrap_or_default()["transaction"];
    let named = parsed::<U256>(&built["gas"]).zip(parsed::<U256>(&built["value"]));
    let Some((gas, value)) = named else {
        return trial.require_or(response, false, "gas and value as numbers", || built.to_string());
    };
    let free = json!({"from": built["from"], "to": built["to"], "input": built["data"], "value": value});
    let mut limited = free.clone();
    limited["gas"] = json!(gas);
    let call = async |call: &Value| chain.rpc::<Bytes>("eth_call", json!([call, "latest"])).await;
    let Err(first) = call(&limited).await? else { return Ok(()) };
    // What fails with any gas, or only before the state moved on, shows nothing of the gas.
    if call(&free).await?.is_err() || call(&limited).await?.is_ok() {
        return Ok(());
    }
    let expected = format!("a call that runs with {gas} gas, as the transaction names it");
    trial.require_or(response, false, &expected, || first.to_string())
}

fn valid_for_a_day(trial: &Trial<'_>, response: &Response, now: u64) -> Verdict {
    let Some(call) = decoded(&response.json().unwrap_or_default()) else { return Ok(()) };
    let soon = call.deadline <= U256::from(now + LATEST);
    trial.require_or(response, soon, &format!("a deadline until {}", now + LATEST), || {
        call.deadline.to_string()
    })
}

/// Decodes the call in a quote's transaction; `None` if it is not a call of the published router.
fn decoded(body: &Value) -> Option<RouterCall> {
    let data: Bytes = parsed(&body["transaction"]["data"])?;
    let (selector, arguments) = data.split_first_chunk()?;
    let (exact_input, of_native) = match *selector {
        Exchange::swapExactETHForTokensCall::SELECTOR
        | Exchange::swapExactETHForTokensSupportingFeeOnTransferTokensCall::SELECTOR => (true, true),
        Exchange::swapExactTokensForETHCall::SELECTOR
        | Exchange::swapExactTokensForETHSupportingFeeOnTransferTokensCall::SELECTOR
        | Exchange::swapExactTokensForTokensCall::SELECTOR
        | Exchange::swapExactTokensForTokensSupportingFeeOnTransferTokensCall::SELECTOR => (true, false),
        Exchange::swapETHForExactTokensCall::SELECTOR => (false, true),
        Exchange::swapTokensForExactETHCall::SELECTOR | Exchange::swapTokensForExactTokensCall::SELECTOR => {
            (false, false)
        }
        _ => return None,
    };
    if of_native {
        let (output, path, to, deadline) = SolValue::abi_decode_params(arguments).ok()?;
        return Some(RouterCall { exact_input, input: None, output, path, to, deadline });
    }
    let (given, bound, path, to, deadline) = SolValue::abi_decode_params(arguments).ok()?;
    let (input, output) = if exact_input { (given, bound) } else { (bound, given) };
    Some(RouterCall { exact_input, input: Some(input), output, path, to, deadline })
}

/// Returns an account that holds the native coin: the checks' payer if there is one, else a recent sender.
async fn rich_user(trial: &Trial<'_>, chain: &Chain) -> Result<Address, Stop> {
    if let Ok(payer) = trial.payer() {
        return Ok(payer.address());
    }
    let head = chain.head().await?.header.number;
    for number in (head.saturating_sub(BLOCKS)..=head).rev() {
        let block: Value = chain.must("eth_getBlockByNumber", json!([U64::from(number), true])).await?;
        for sent in block["transactions"].as_array().into_iter().flatten() {
            let sender: Option<Address> = parsed(&sent["from"]);
            if let Some(sender) = sender
                && chain.balance(sender).await? >= U256::from(HELD)
            {
                return Ok(sender);
            }
        }
    }
    Err(no_material("no sender of the latest blocks holds the native coin"))
}
