//! Quotes in answers that other checks received: amounts, bounds and rates follow from the request and the reserves.
use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::FIG_RATES;
use super::exchange::{NATIVE, Shown};
use crate::audit::{Seen, Service};
use crate::check::Differences;
use crate::prelude::*;
use crate::sections::swap::is_the_quoted_trade;

/// Whether an answer is a quote that was given.
pub(super) fn is_quote(seen: &Seen) -> bool {
    seen.service == Service::Swap && seen.path == "/api/quote" && seen.response.code() == 200
}

impl Shown<'_> {
    /// Each quote is right by the reserves, or is when it is asked for again.
    pub(super) async fn hold(&self, quotes: &[Seen]) -> Verdict {
        for seen in quotes {
            if !self.tells(seen) {
                let again = self.request(seen.response.request.clone()).await?;
                if again.code() == 200 {
                    self.quote(&self.trial, &again)?;
                }
            }
        }
        Ok(())
    }

    /// Whether a quote is right by the reserves.
    pub(super) fn tells(&self, seen: &Seen) -> bool {
        let differences = Differences::default();
        let verdict = self.quote(&self.trial.collecting(&differences), &seen.response);
        verdict.is_ok() && differences.into_inner().is_empty()
    }

    fn quote(&self, trial: &Trial<'_>, response: &Response) -> Verdict {
        let asked: BTreeMap<String, String> = response.request.url.query_pairs().into_owned().collect();
        let body = trial.ok_json(response)?;
        let side = |name: &str| asked.get(name).and_then(|text| text.trim().parse::<Address>().ok());
        // What was asked in another way is for the checks that ask so.
        let (Some(from), Some(to)) = (side("tokenIn"), side("tokenOut")) else { return Ok(()) };
        let router = parsed(&body["metadata"]["routerAddress"]);
        trial.equal(response, "routerAddress", &Some(self.ledger.router), &router)?;
        let chosen = trial.by(&FIG_RATES);
        self.bounds(&chosen, response)?;
        let wraps = self.traded(from) == self.traded(to);
        let path: Option<Vec<Address>> =
            body["path"].as_array().map(|tokens| tokens.iter().filter_map(parsed).collect());
        let path = path.unwrap_or_default();
        let ends =
            path.first().zip(path.last()).map(|(first, last)| (self.traded(*first), self.traded(*last)));
        trial.equal(response, "both ends of path", &Some((self.traded(from), self.traded(to))), &ends)?;
        self.transaction(trial, response, &asked, &body, wraps)?;
        if wraps {
            return self.wrap(trial, response, &asked, &body);
        }
        self.amounts(trial, response, &asked, &body, &path)?;
        self.rates_of(&chosen, response)
    }

    /// Wrapping is one to one and free.
    fn wrap(
        &self,
        trial: &Trial<'_>,
        response: &Response,
        asked: &BTreeMap<String, String>,
        body: &Value,
    ) -> Verdict {
        let units = asked.get("amount").or_else(|| asked.get("amountOut")).map(|text| text.trim());
        for name in ["amountIn", "amountOut"] {
            trial.equal(response, name, &units, &body[name].as_str())?;
        }
        let chosen = trial.by(&FIG_RATES);
        for (name, right) in [("executionRate", "1"), ("spotRate", "1"), ("lpFee", "0")] {
            chosen.equal(response, name, &Some(right), &body[name].as_str())?;
        }
        for (name, reported) in
            [("priceImpact", &body["priceImpact"]), ("lpFeePercent", &body["metadata"]["lpFeePercent"])]
        {
            let zero = crate::expect::figure::decimal(reported)
                .is_some_and(|reported| reported == BigInt::from(0).into());
            chosen.holds(response, zero, &format!("{name} = 0"), || reported.to_string())?;
        }
        Ok(())
    }

    /// What goes in and comes out along the path, by the reserves.
    fn amounts(
        &self,
        trial: &Trial<'_>,
        response: &Response,
        asked: &BTreeMap<String, String>,
        body: &Value,
        path: &[Address],
    ) -> Verdict {
        let units = |name: &str| asked.get(name).and_then(|text| text.trim().parse::<BigInt>().ok());
        let path: Vec<Address> = path.iter().map(|token| self.traded(*token)).collect();
        let route = match (units("amount"), units("amountOut")) {
            (Some(paid), None) => self.ledger.exchange.forward(&path, &paid),
            (None, Some(got)) => self.ledger.exchange.backward(&path, &got),
            _ => return Ok(()),
        };
        let right = route.map(|route| (route.amount_in().clone(), route.amount_out().clone()));
        let reported = |name: &str| parsed::<BigInt>(&body[name]);
        let reported = reported("amountIn").zip(reported("amountOut"));
        trial.equal(response, "amountIn and amountOut along path", &right, &reported)
    }

    /// What the slippage that was asked for leaves of the amounts, rounded against the trader's bound.
    pub(super) fn bounds(&self, trial: &Trial<'_>, response: &Response) -> Verdict {
        let asked: BTreeMap<String, String> = response.request.url.query_pairs().into_owned().collect();
        let body = response.json().unwrap_or_default();
        let slippage = asked.get("slippage").map(|text| text.trim()).filter(|text| !text.is_empty());
        let points: Option<BigInt> = slippage.and_then(|text| text.parse().ok());
        if slippage.is_some() != points.is_some() {
            return Ok(());
        }
        let reported = |name: &str| parsed::<BigInt>(&body[name]);
        let exact_in = asked.get("amount").is_some_and(|text| !text.trim().is_empty());
        let least = points.as_ref().filter(|_| exact_in).zip(reported("amountOut"));
        let least = least.map(|(points, out)| out * (10_000 - points) / 10_000);
        let zero = BigInt::from(0);
        let most = reported("amountIn").filter(|_| !exact_in);
        let most = most.map(|paid| (paid * (10_000 + points.as_ref().unwrap_or(&zero)) + 9_999) / 10_000);
        for (name, right) in [("minimumAmountOut", least), ("maximumAmountIn", most)] {
            let right = right.map_or(Value::Null, |units: BigInt| json!(units.to_string()));
            trial.equal(response, name, &right, &body[name])?;
        }
        Ok(())
    }

    /// A transaction is there when it was asked for, from the one who asked and to the router.
    fn transaction(
        &self,
        trial: &Trial<'_>,
        response: &Response,
        asked: &BTreeMap<String, String>,
        body: &Value,
        wraps: bool,
    ) -> Verdict {
        let wanted = match asked.get("buildTx").map(|text| text.trim().to_lowercase()).as_deref() {
            Some("true" | "1") => !wraps,
            None | Some("" | "false" | "0") => false,
            Some(_) => return Ok(()),
        };
        let built = &body["transaction"];
        trial.equal(response, "transaction is there", &wanted, &built.is_object())?;
        if !wanted {
            return Ok(());
        }
        let user = asked.get("userAddress").and_then(|text| text.trim().parse::<Address>().ok());
        trial.equal(response, "from", &user, &parsed(&built["from"]))?;
        trial.equal(response, "to", &Some(self.ledger.router), &parsed(&built["to"]))?;
        is_the_quoted_trade(trial, response, self.ledger.wrapped, None)
    }

    fn traded(&self, token: Address) -> Address {
        if token == NATIVE { self.ledger.wrapped } else { token }
    }
}
