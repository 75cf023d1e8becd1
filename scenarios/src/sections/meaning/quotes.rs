//! Quotes in answers that other checks received: amounts, bounds and rates follow from the request and the reserves.
use std::collections::BTreeMap;
use std::str::FromStr;

use num_bigint::BigInt;
use num_traits::Zero as _;

use super::FIG_RATES;
use super::exchange::{NATIVE, ShownExchange};
use crate::answers::reads::QUOTE;
use crate::client::kept::{Seen, Service};
use crate::model::figure::decimal;
use crate::model::verdict::Differences;
use crate::prelude::*;
use crate::sections::swap::calldata::is_the_quoted_trade;

/// Whether an answer is a successful quote.
pub(super) fn is_quote(seen: &Seen) -> bool {
    seen.service == Service::Swap && seen.path == QUOTE && seen.response.code() == 200
}

/// A successful quote with its request.
struct Given<'q> {
    shown: &'q ShownExchange<'q>,
    trial: &'q Trial<'q>,
    response: &'q Response,
    /// Every parameter that is not empty.
    asked: BTreeMap<String, String>,
    body: Value,
}

impl ShownExchange<'_> {
    /// Each quote is right by the reserves, or is right when it is requested again.
    pub(super) async fn hold(&self, quotes: &[Seen]) -> Verdict {
        for seen in quotes {
            if !self.tells(seen) {
                let again = self.trial.request(seen.response.request.clone()).await?;
                if again.code() == 200 {
                    self.given(&self.trial, &again)?.holds()?;
                }
            }
        }
        Ok(())
    }

    /// Whether a quote is right by the reserves.
    fn tells(&self, seen: &Seen) -> bool {
        let differences = Differences::default();
        let trial = self.trial.collecting(&differences);
        let verdict = self.given(&trial, &seen.response).and_then(|quote| quote.holds());
        verdict.is_ok() && differences.into_inner().is_empty()
    }

    /// Judges the bounds that the requested slippage leaves, rounded against the trader.
    pub(super) fn bounds(&self, trial: &Trial<'_>, response: &Response) -> Verdict {
        self.given(trial, response)?.bounds(trial)
    }

    fn given<'q>(&'q self, trial: &'q Trial<'q>, response: &'q Response) -> Verdict<Given<'q>> {
        let pairs = response.request.url.query_pairs();
        let asked = pairs.map(|(name, value)| (name.into_owned(), value.trim().to_owned()));
        let asked = asked.filter(|(_, value)| !value.is_empty()).collect();
        Ok(Given { shown: self, trial, response, asked, body: trial.ok_json(response)? })
    }

    pub(super) fn traded(&self, token: Address) -> Address {
        if token == NATIVE { self.ledger.wrapped } else { token }
    }
}

impl Given<'_> {
    /// Parses a requested parameter.
    fn asked<T: FromStr>(&self, name: &str) -> Option<T> {
        self.asked.get(name)?.parse().ok()
    }

    fn holds(&self) -> Verdict {
        let Self { shown, trial, response, ref body, .. } = *self;
        // Other spellings are left to the checks that send them.
        let sides = self.asked::<Address>("tokenIn").zip(self.asked::<Address>("tokenOut"));
        let Some((from, to)) = sides else { return Ok(()) };
        let (from, to) = (shown.traded(from), shown.traded(to));
        let router = parsed(&body["metadata"]["routerAddress"]);
        trial.require_equal(response, "routerAddress", &Some(shown.ledger.router), &router)?;
        let chosen = trial.by(&FIG_RATES);
        self.bounds(&chosen)?;
        let path = body["path"].as_array().into_iter().flatten().filter_map(parsed);
        let path: Vec<Address> = path.map(|token| shown.traded(token)).collect();
        let ends = path.first().copied().zip(path.last().copied());
        trial.require_equal(response, "both ends of path", &Some((from, to)), &ends)?;
        self.transaction(from == to)?;
        if from == to {
            return self.wrap(&chosen);
        }
        self.amounts(&path)?;
        shown.rates_of(&chosen, response)
    }

    /// Wrapping is one to one and free.
    fn wrap(&self, chosen: &Trial<'_>) -> Verdict {
        let Self { trial, response, ref body, .. } = *self;
        let units = self.asked.get("amount").or_else(|| self.asked.get("amountOut")).map(String::as_str);
        for name in ["amountIn", "amountOut"] {
            trial.require_equal(response, name, &units, &body[name].as_str())?;
        }
        for (name, right) in [("executionRate", "1"), ("spotRate", "1"), ("lpFee", "0")] {
            chosen.require_equal(response, name, &Some(right), &body[name].as_str())?;
        }
        for (name, reported) in
            [("priceImpact", &body["priceImpact"]), ("lpFeePercent", &body["metadata"]["lpFeePercent"])]
        {
            let zero = decimal(reported).is_some_and(|reported| reported.is_zero());
            chosen.require_or(response, zero, &format!("{name} = 0"), || reported.to_string())?;
        }
        Ok(())
    }

    /// Input and output along the path follow from the reserves.
    fn amounts(&self, path: &[Address]) -> Verdict {
        let exchange = &self.shown.ledger.exchange;
        let route = match (self.asked::<BigInt>("amount"), self.asked::<BigInt>("amountOut")) {
            (Some(paid), None) => exchange.forward(path, &paid),
            (None, Some(got)) => exchange.backward(path, &got),
            _ => return Ok(()),
        };
        let right = route.and_then(|amounts| Some((amounts.first()?.clone(), amounts.last()?.clone())));
        let reported = |name: &str| parsed::<BigInt>(&self.body[name]);
        let reported = reported("amountIn").zip(reported("amountOut"));
        // An exact output may cost a unit more than the least input.
        let more = right.as_ref().map(|(input, output)| (input + 1, output.clone()));
        if self.asked.contains_key("amountOut") && more.is_some() && reported == more {
            return Ok(());
        }
        self.trial.require_equal(self.response, "amountIn and amountOut along path", &right, &reported)
    }

    fn bounds(&self, trial: &Trial<'_>) -> Verdict {
        let points: Option<BigInt> = self.asked("slippage");
        if self.asked.contains_key("slippage") != points.is_some() {
            return Ok(());
        }
        let reported = |name: &str| parsed::<BigInt>(&self.body[name]);
        let exact_in = self.asked.contains_key("amount");
        let least = points.as_ref().filter(|_| exact_in).zip(reported("amountOut"));
        let least = least.map(|(points, out)| out * (10_000 - points) / 10_000);
        let most = reported("amountIn").filter(|_| !exact_in);
        let most = most.map(|paid| (paid * (10_000 + points.clone().unwrap_or_default()) + 9_999) / 10_000);
        for (name, right) in [("minimumAmountOut", least), ("maximumAmountIn", most)] {
            let right = right.map_or(Value::Null, |units: BigInt| json!(units.to_string()));
            trial.require_equal(self.response, name, &right, &self.body[name])?;
        }
        Ok(())
    }

    /// A transaction is present exactly if it was requested, from the requesting user and to the router.
    fn transaction(&self, wraps: bool) -> Verdict {
        let Self { shown, trial, response, .. } = *self;
        let wanted = match self.asked.get("buildTx").map(|text| text.to_lowercase()).as_deref() {
            Some("true" | "1") => !wraps,
            None | Some("false" | "0") => false,
            Some(_) => return Ok(()),
        };
        let built = &self.body["transaction"];
        trial.require_equal(response, "transaction is there", &wanted, &built.is_object())?;
        if !wanted {
            return Ok(());
        }
        trial.require_equal(
            response,
            "from",
            &self.asked::<Address>("userAddress"),
            &parsed(&built["from"]),
        )?;
        trial.require_equal(response, "to", &Some(shown.ledger.router), &parsed(&built["to"]))?;
        is_the_quoted_trade(trial, response, shown.ledger.wrapped, None)
    }
}
