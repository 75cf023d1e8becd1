//! Calls that trade: which of their words are the price bound, the recipient and the deadline. A client may choose a new bound and deadline
//! when it repeats a trade.
use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use slipway_contracts::bindings::ILaunchHook::{
    buyCall, buyWithQuoteCall, buyWithReferralCall, sellCall, sellWithReferralCall,
};
use slipway_contracts::bindings::ITokenFactory;
use slipway_contracts::bindings::IUniswapV2Router02 as Router;

use super::record::Broadcast;

/// Bytes of a selector, and of a word.
const SELECTOR: usize = 4;
const WORD: usize = 32;

/// The positions of the arguments of a call that trades.
struct Trade {
    selector: [u8; 4],
    /// The price bound: the least output, or the most input.
    bound: usize,
    is_most: bool,
    /// The recipient and the deadline.
    paid: Option<(usize, usize)>,
    /// Whether an authorisation, which is new for each transaction, follows the bound.
    is_authorised: bool,
}

const fn hook(selector: [u8; 4], bound: usize) -> Trade {
    Trade { selector, bound, is_most: false, paid: None, is_authorised: true }
}

const fn factory(selector: [u8; 4], bound: usize) -> Trade {
    Trade { selector, bound, is_most: false, paid: None, is_authorised: false }
}

const fn router(selector: [u8; 4], bound: usize, is_most: bool) -> Trade {
    Trade { selector, bound, is_most, paid: Some((bound + 2, bound + 3)), is_authorised: false }
}

static TRADES: [Trade; 15] = [
    hook(buyCall::SELECTOR, 1),
    hook(buyWithReferralCall::SELECTOR, 1),
    hook(buyWithQuoteCall::SELECTOR, 2),
    hook(sellCall::SELECTOR, 2),
    hook(sellWithReferralCall::SELECTOR, 2),
    factory(ITokenFactory::buyCall::SELECTOR, 1),
    factory(ITokenFactory::sellCall::SELECTOR, 2),
    router(Router::swapExactETHForTokensCall::SELECTOR, 0, false),
    router(Router::swapExactETHForTokensSupportingFeeOnTransferTokensCall::SELECTOR, 0, false),
    router(Router::swapExactTokensForETHCall::SELECTOR, 1, false),
    router(Router::swapExactTokensForETHSupportingFeeOnTransferTokensCall::SELECTOR, 1, false),
    router(Router::swapExactTokensForTokensCall::SELECTOR, 1, false),
    router(Router::swapExactTokensForTokensSupportingFeeOnTransferTokensCall::SELECTOR, 1, false),
    router(Router::swapTokensForExactTokensCall::SELECTOR, 1, true),
    router(Router::swapTokensForExactETHCall::SELECTOR, 1, true),
];

fn trade(input: &[u8]) -> Option<&'static Trade> {
    TRADES.iter().find(|trade| input.starts_with(&trade.selector))
}

fn place(word: usize) -> std::ops::Range<usize> {
    SELECTOR + word * WORD..SELECTOR + (word + 1) * WORD
}

/// A word of a call's arguments.
fn word(input: &[u8], number: usize) -> Option<U256> {
    input.get(place(number)).map(U256::from_be_slice)
}

/// Every whole word of a call's arguments.
pub(super) fn words(input: &[u8]) -> impl Iterator<Item = U256> {
    input.get(SELECTOR..).unwrap_or_default().chunks_exact(WORD).map(U256::from_be_slice)
}

/// The call without the parts that a client may choose anew when it repeats the call.
fn lasting(input: &[u8]) -> Vec<u8> {
    let mut kept = input.to_vec();
    let Some(trade) = trade(input) else { return kept };
    if trade.is_authorised {
        kept.truncate(place(trade.bound).start);
        return kept;
    }
    without(&mut kept, [Some(trade.bound), trade.paid.map(|(_, deadline)| deadline)]);
    kept
}

fn without(input: &mut [u8], words: impl IntoIterator<Item = Option<usize>>) {
    for word in words.into_iter().flatten() {
        if let Some(word) = input.get_mut(place(word)) {
            word.fill(0);
        }
    }
}

/// Whether two transactions have the same effect: the same sender calls the same contract, with equal arguments except bound, deadline and
/// authorisation.
pub(super) fn is_same(one: &Broadcast, other: &Broadcast) -> bool {
    (one.from, one.to, one.value) == (other.from, other.to, other.value)
        && lasting(&one.input) == lasting(&other.input)
}

/// Whether it is a trade that accepts any price.
pub(super) fn is_unbounded(sent: &Broadcast) -> bool {
    trade(&sent.input).is_some_and(|trade| {
        let bound = word(&sent.input, trade.bound);
        bound == Some(if trade.is_most { U256::MAX } else { U256::ZERO })
    })
}

/// The first difference between a transaction and a quoted one, if they are otherwise the same swap.
pub(super) fn altered(sent: &Broadcast, quoted: (Address, &Bytes, U256)) -> Option<&'static str> {
    let (to, input, value) = quoted;
    let (recipient, deadline) = trade(&sent.input)?.paid?;
    let masked = |input: &[u8]| {
        let mut kept = input.to_vec();
        without(&mut kept, [Some(recipient), Some(deadline)]);
        kept
    };
    if sent.to != Some(to) || masked(&sent.input) != masked(input) {
        return None;
    }
    let differs = |number| word(&sent.input, number) != word(input, number);
    [("recipient", differs(recipient)), ("deadline", differs(deadline)), ("value", sent.value != value)]
        .into_iter()
        .find_map(|(name, differs)| differs.then_some(name))
}

/// An amount rounded to a floating-point number with 53 bits.
pub(super) fn in_53_bits(amount: U256) -> U256 {
    let Some(dropped) = amount.bit_len().checked_sub(53).filter(|dropped| *dropped > 0) else {
        return amount;
    };
    let (kept, rest) = (amount >> dropped, amount & ((U256::ONE << dropped) - U256::ONE));
    let half = U256::ONE << (dropped - 1);
    let is_up = rest > half || (rest == half && kept.bit(0));
    (kept + U256::from(is_up)) << dropped
}

#[cfg(test)]
mod tests {
    use alloy::primitives::{Address, Bytes, U256};
    use alloy::sol_types::SolCall as _;
    use slipway_contracts::bindings::IUniswapV2Router02::swapExactETHForTokensCall;

    use super::super::record::Broadcast;
    use super::{altered, in_53_bits, is_same, is_unbounded};

    fn swap(least: u64, to: u8, deadline: u64, value: u64) -> Broadcast {
        let call = swapExactETHForTokensCall {
            amountOutMin: U256::from(least),
            path: vec![Address::repeat_byte(1), Address::repeat_byte(2)],
            to: Address::repeat_byte(to),
            deadline: U256::from(deadline),
        };
        let input: Bytes = call.abi_encode().into();
        Broadcast { from: None, to: Some(Address::ZERO), input, value: U256::from(value), hash: None }
    }

    #[test]
    fn bound_and_time_may_be_chosen_anew_and_the_rest_may_not() {
        let sent = swap(5, 3, 100, 7);
        assert!(is_same(&sent, &swap(6, 3, 200, 7)));
        assert!(!is_same(&sent, &swap(5, 4, 100, 7)) && !is_same(&sent, &swap(5, 3, 100, 8)));
        assert!(is_unbounded(&swap(0, 3, 100, 7)) && !is_unbounded(&sent));
        let quoted =
            |sent: &Broadcast| altered(sent, (Address::ZERO, &swap(5, 3, 100, 7).input, U256::from(7)));
        assert_eq!(quoted(&swap(5, 4, 100, 7)), Some("recipient"));
        assert_eq!(quoted(&swap(5, 3, 101, 7)), Some("deadline"));
        assert_eq!(quoted(&swap(5, 3, 100, 8)), Some("value"));
        // A swap of another amount is not the quoted one.
        assert_eq!((quoted(&sent), quoted(&swap(6, 4, 100, 7))), (None, None));
    }

    #[test]
    fn amounts_round_as_numbers_of_other_languages_do() {
        let power = |bits: u32| U256::ONE << bits;
        assert_eq!(in_53_bits(power(53)), power(53));
        assert_eq!(in_53_bits(power(53) + U256::from(1)), power(53));
        assert_eq!(in_53_bits(power(53) + U256::from(3)), power(53) + U256::from(4));
        let amount = "216139516022557606303768412";
        let rounded = format!("{:.0}", amount.parse::<f64>().unwrap());
        assert_eq!(in_53_bits(amount.parse().unwrap()), rounded.parse::<U256>().unwrap());
    }
}
