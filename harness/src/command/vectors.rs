//! `slipway vectors`: cases with exact answers as JSON lines, after a header that names them.
use std::fmt::Write as _;
use std::io::ErrorKind;

use serde_json::json;
use sha2::{Digest as _, Sha256};
use slipway_sim::vectors::{Kind, Questions};

use crate::arguments::{QuoteKind, VectorsArguments};
use crate::error::CommandError;
use crate::exit::Exit;
use crate::output;

impl From<QuoteKind> for Kind {
    fn from(kind: QuoteKind) -> Self {
        match kind {
            QuoteKind::Curve => Self::Curve,
            QuoteKind::Inverse => Self::Inverse,
            QuoteKind::Route => Self::Route,
            QuoteKind::Pool => Self::Pool,
            QuoteKind::V1 => Self::V1,
            QuoteKind::Swap => Self::Swap,
        }
    }
}

pub(super) fn run(arguments: &VectorsArguments) -> Result<Exit, CommandError> {
    let kind: Kind = arguments.kind.into();
    let count = usize::try_from(arguments.count).unwrap_or(usize::MAX);
    let mut cases = String::new();
    for question in Questions::new(kind, arguments.seed).take(count) {
        let _ = writeln!(cases, "{}", question.answered());
    }
    let header = json!({
        "kind": kind.name(),
        "count": arguments.count,
        "seed": arguments.seed,
        "sha256": format!("{:x}", Sha256::digest(&cases)),
    });
    match output::data(&format!("{header}\n{cases}")) {
        // As many cases as the reader wanted, such as `head`.
        Err(CommandError::Output { source }) if source.kind() == ErrorKind::BrokenPipe => {}
        written => written?,
    }
    Ok(Exit::Conformant)
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use slipway_scenarios::reference::{curve, exchange, v1};
    use slipway_sim::vectors::{Kind, Questions};

    const CASES: usize = 300;

    fn cases(kind: Kind) -> impl Iterator<Item = Value> {
        Questions::new(kind, 5).take(CASES).map(|question| question.answered())
    }

    /// An amount as the reference models count.
    fn amount<N: std::str::FromStr<Err: std::fmt::Debug>>(case: &Value, name: &str) -> N {
        let text = case[name].as_str().map(str::to_owned);
        text.unwrap_or_else(|| case[name].to_string()).parse().unwrap()
    }

    #[test]
    fn answers_are_those_of_the_reference_models() {
        for case in cases(Kind::Curve) {
            let curve = curve::Curve::new(amount(&case, "targetRaise"), amount(&case, "gainBps"));
            let at = curve::Position { sold: amount(&case, "sold"), net: amount(&case, "netContributions") };
            let split = amount(&case, "creatorFeeSplitBps");
            if case["operation"] == "buy" {
                let bought = curve.buy(&at, &amount(&case, "amountIn"), &split);
                let found = (amount(&case, "amountOut"), amount(&case, "cost"), amount(&case, "refund"));
                assert_eq!(found, (bought.tokens, bought.cost, bought.refund), "{case}");
            } else {
                let sold = curve.sell(&at, &amount(&case, "amountIn"), &split);
                assert_eq!(sold.payout, amount(&case, "amountOut"), "{case}");
            }
        }
        for case in cases(Kind::Inverse) {
            let curve = curve::Curve::new(amount(&case, "targetRaise"), amount(&case, "gainBps"));
            let at = curve::Position { sold: amount(&case, "sold"), net: amount(&case, "netContributions") };
            let (cost, wanted): (u128, u128) = (amount(&case, "cost"), amount(&case, "amountOut"));
            let buys_enough = |cost: u128| curve.buy(&at, &cost.into(), &0.into()).tokens >= wanted.into();
            assert!(buys_enough(cost) && (cost == 0 || !buys_enough(cost - 1)), "{case}");
        }
        for case in cases(Kind::Route) {
            let through = |paid, hop: &Value| {
                exchange::paid_for(&paid, &amount(hop, "reserveIn"), &amount(hop, "reserveOut"))
            };
            let hops = case["hops"].as_array().unwrap();
            let paid = hops.iter().fold(amount(&case, "amountIn"), through);
            assert_eq!(paid, amount(&case, "amountOut"), "{case}");
        }
        for case in cases(Kind::Swap) {
            let paid = exchange::paid_for(
                &amount(&case, "amountIn"),
                &amount(&case, "reserveIn"),
                &amount(&case, "reserveOut"),
            );
            assert_eq!(paid, amount(&case, "amountOut"), "{case}");
        }
    }

    #[test]
    fn answers_of_the_first_version_are_those_of_its_reference_model() {
        let model = v1::Exponential::default();
        for case in cases(Kind::V1) {
            let at = curve::Position { sold: amount(&case, "sold"), net: amount(&case, "netContributions") };
            if case["operation"] == "buy" {
                let bought = model.buy(&at, &amount(&case, "amountIn"));
                let found = (amount(&case, "amountOut"), amount(&case, "cost"), amount(&case, "refund"));
                assert_eq!(found, (bought.tokens, bought.cost, bought.refund), "{case}");
            } else {
                assert_eq!(model.sell(&at, &amount(&case, "amountIn")).payout, amount(&case, "amountOut"));
            }
        }
    }
}
