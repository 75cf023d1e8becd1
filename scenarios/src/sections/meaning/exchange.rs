//! The exchange: pairs, prices and quotes follow from reserves, decimals and logs; built calls cost the gas that they state.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use alloy::primitives::Bytes;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::quotes::is_quote;
use super::timed::{TimedReads, seconds};
use crate::answers::reads::{LIST, PAIRS, QUOTE, Query, RawRow, figure};
use crate::client::chain::{RpcError, Sending};
use crate::client::kept::Seen;
use crate::model::figure::{Figure, rational};
use crate::prelude::*;
use crate::sections::swap::market::{asks, built_for, router};
use crate::truth::ledger::exchange::{ExchangeLedger, Prices};
use crate::truth::reference::exchange::Pair;
use crate::truth::steady::{Snapshot, on_steady};

const DAY: u64 = 86_400;
/// Number of quotes that are recomputed.
const QUOTES: usize = 12;
/// Slippage of the recomputed quotes, in basis points.
const SLIPPAGE: &str = "137";
/// The largest relative error of a figure that is a binary fraction.
const BINARY: &str = "1e-12";

/// The address that stands for the native coin.
pub(super) const NATIVE: Address = Address::ZERO;

/// The exchange as the service shows it, with its ledger from the chain.
pub(super) struct ShownExchange<'a> {
    pub(super) trial: Trial<'a>,
    pub(super) ledger: &'a ExchangeLedger,
}

impl Snapshot for ExchangeLedger {
    async fn read(trial: &Trial<'_>) -> Verdict<Self> {
        let ledger = Self::behind(trial.chain(PRIMARY)?, router(trial).await?).await?;
        trial.settled(PRIMARY, ledger.block).await?;
        Ok(ledger)
    }

    fn is_unchanged(&self, after: &Self) -> bool {
        self.exchange == after.exchange && self.swaps == after.swaps
    }
}

/// Judges reserves, liquidity, volume, fees and prices of pairs and tokens.
pub(super) async fn pairs(trial: &Trial<'_>, ledger: &ExchangeLedger) -> Verdict {
    let service = ShownExchange { trial: *trial, ledger };
    // Without token prices the pairs can still be judged by their reserves.
    let prices = trial.part(service.token_prices().await)?;
    let reads = TimedReads::begin(&service.trial).await?;
    let (response, window) = reads.answer(get(service.trial.swap()?, PAIRS, &[])).await?;
    let body = service.trial.ok_json(&response)?;
    let rows: Vec<RawRow> = service.trial.decoded(&response, "an array of pairs")?;
    let mut reported = BTreeMap::new();
    for (row, value) in rows.iter().zip(body.as_array().into_iter().flatten()) {
        reported.insert(row.address("pair_address").unwrap_or_default(), (row, value));
    }
    let listed: BTreeSet<Address> = reported.keys().copied().collect();
    let made = service.ledger.exchange.pairs.iter().map(|pair| pair.address).collect();
    service.trial.require_equal(&response, "the pairs", &made, &listed)?;
    let valued = match prices {
        Some(prices) => {
            let dollars = trial.part(service.dollars(&response, &reported, &prices))?;
            dollars.map(|dollars| (prices, dollars))
        }
        None => None,
    };
    for pair in &service.ledger.exchange.pairs {
        let Some((row, value)) = reported.get(&pair.address).copied() else { continue };
        service.described(&response, pair, value)?;
        let Some((prices, dollars)) = &valued else { continue };
        let liquidity = service.liquidity(pair, prices) * dollars;
        let shown = trial.part(service.figure(&response, row, "liquidity_usd"))?;
        if let Some(shown) = &shown {
            let name = format!("liquidity_usd of {}", pair.address);
            shows(trial, &response, &name, (&liquidity, shown), close(shown, &liquidity))?;
        }
        let Some(volume) = trial.part(service.figure(&response, row, "volume_24h"))? else { continue };
        let fits = seconds(window).any(|second| {
            let (least, most) = service.ledger.volume(pair, prices, second, DAY);
            let (least, most) = (least * dollars, most * dollars);
            (volume >= least || close(&volume, &least)) && (volume <= most || close(&volume, &most))
        });
        let (least, most) = service.ledger.volume(pair, prices, window.1, DAY);
        let moved = [least, most].map(|one| decimal(&(one * dollars)));
        let expected = format!("volume_24h of {} = {}", pair.address, moved.join(" to "));
        trial.require_or(&response, fits, &expected, || decimal(&volume))?;
        service.fees(&response, row, &volume, &shown.unwrap_or(liquidity))?;
    }
    Ok(())
}

/// Judges rates, impact and fee of quotes.
pub(super) async fn rates(trial: &Trial<'_>, ledger: &ExchangeLedger) -> Verdict {
    let service = ShownExchange { trial: *trial, ledger };
    let mut judged = 0;
    for (from, to, amount) in service.wishes() {
        let native = |token: Address| if token == service.ledger.wrapped { NATIVE } else { token };
        for given in ["amount", "amountOut"] {
            let mut query = asks(native(from), native(to), given, &amount);
            query.push(param("slippage", SLIPPAGE));
            let response = service.quote(&query).await?;
            if response.code() == 200 {
                trial.part(service.rates_of(trial, &response))?;
                trial.part(service.bounds(trial, &response))?;
                judged += 1;
            }
        }
    }
    need_material(judged != 0, "no route gives a quote")
}

/// Built transactions succeed with the stated gas, and state at most twice the gas and gas price that they need.
pub(super) async fn gas(trial: &Trial<'_>, ledger: &ExchangeLedger) -> Verdict {
    let service = ShownExchange { trial: *trial, ledger };
    let user = service.trial.payer()?.address();
    let mut judged = 0;
    for (_, to, _) in service.wishes() {
        if to == service.ledger.wrapped {
            continue;
        }
        let mut query = built_for(&asks(NATIVE, to, "amount", 10_000_000_000_000_000_u64), user);
        query.push(param("slippage", "500"));
        let response = service.quote(&query).await?;
        let built = response.json().unwrap_or_default()["transaction"].take();
        if response.code() == 200 && built.is_object() {
            trial.part(service.gas_of(&response, user, &built).await)?;
            judged += 1;
        }
    }
    need_material(judged != 0, "no quote builds a transaction")
}

/// Every quote in these answers follows from its request and the reserves.
pub(crate) async fn judge_quotes(trial: &Trial<'_>, seen: &[Seen]) -> Verdict {
    let quotes: Arc<[Seen]> = seen.iter().filter(|one| is_quote(one)).cloned().collect();
    if quotes.is_empty() || !trial.has(Need::PrimaryChain) {
        return Ok(());
    }
    let judged = on_steady::<ExchangeLedger, _>(trial, move |trial, ledger| {
        let quotes = Arc::clone(&quotes);
        Box::pin(async move { ShownExchange { trial: *trial, ledger }.hold(&quotes).await })
    });
    judged.await
}

/// Whether two figures are equal up to the precision of a binary fraction.
fn close(one: &BigRational, other: &BigRational) -> bool {
    let slack = rational(BINARY).unwrap_or_default() * other.abs();
    (one - other).abs() <= slack
}

/// Requires that a shown figure is exact, or near enough.
fn shows(
    trial: &Trial<'_>,
    response: &Response,
    name: &str,
    (exact, shown): (&BigRational, &BigRational),
    near: bool,
) -> Verdict {
    trial.require_or(response, near, &format!("{name} = {}", decimal(exact)), || decimal(shown))
}

impl ShownExchange<'_> {
    async fn quote(&self, query: &Query) -> Verdict<Response> {
        self.trial.request(get(self.trial.swap()?, QUOTE, query)).await
    }

    fn figure(&self, response: &Response, row: &RawRow, name: &str) -> Verdict<BigRational> {
        Ok(figure(&self.trial, response, row, name)?.value().clone())
    }

    /// The fee tier of a pair is 0.3%; a year of such days relative to the liquidity gives the APR in percent.
    fn fees(&self, response: &Response, row: &RawRow, volume: &BigRational, held: &BigRational) -> Verdict {
        self.trial.require_equal(response, "version", &Some("v2".to_owned()), &row.text("version"))?;
        let tier = Figure::whole(3_000).value().clone();
        let fees = volume * &tier / BigInt::from(1_000_000);
        let apr = if held.is_zero() { BigRational::zero() } else { &fees * BigInt::from(36_500) / held };
        for (name, exact) in [("fee_tier", tier), ("daily_fees", fees), ("apr", apr)] {
            let Some(shown) = self.trial.part(self.figure(response, row, name))? else { continue };
            shows(&self.trial, response, name, (&exact, &shown), close(&shown, &exact))?;
        }
        Ok(())
    }

    fn described(&self, response: &Response, pair: &Pair, row: &Value) -> Verdict {
        for (index, (token, reserve)) in
            [("token0", "reserve0"), ("token1", "reserve1")].into_iter().enumerate()
        {
            self.trial.require_equal(
                response,
                token,
                &Some(pair.tokens[index]),
                &parsed(&row[token]["address"]),
            )?;
            let units = pair.reserves[index].to_string();
            self.trial.require_equal(response, reserve, &Some(units.as_str()), &row[reserve].as_str())?;
            if let Some(known) = self.ledger.tokens.get(&pair.tokens[index]) {
                self.trial.require_equal(response, "symbol", &json!(known.symbol), &row[token]["symbol"])?;
                self.trial.require_equal(
                    response,
                    "decimals",
                    &json!(known.decimals),
                    &row[token]["decimals"],
                )?;
            }
        }
        Ok(())
    }

    fn liquidity(&self, pair: &Pair, prices: &Prices) -> BigRational {
        self.ledger.worth(pair, &pair.reserves, prices).iter().sum()
    }

    /// Returns the fixed dollar price of the native coin, from the deepest pair with it; all others must share it.
    fn dollars(
        &self,
        response: &Response,
        reported: &BTreeMap<Address, (&RawRow, &Value)>,
        prices: &Prices,
    ) -> Verdict<BigRational> {
        let of = |pair: &Pair| self.liquidity(pair, prices);
        let pairs = self.ledger.exchange.pairs.iter();
        let native = pairs.filter(|pair| pair.tokens.contains(&self.ledger.wrapped));
        let Some(pair) = native.max_by_key(|pair| of(pair)).filter(|pair| !of(pair).is_zero()) else {
            return Ok(BigRational::zero());
        };
        let Some((row, _)) = reported.get(&pair.address) else { return Ok(BigRational::zero()) };
        let shown = self.figure(response, row, "liquidity_usd")?;
        Ok(shown / of(pair))
    }

    /// Tokens are described as their contracts describe them, and priced by some route to the wrapped native coin.
    async fn token_prices(&self) -> Verdict<Prices> {
        let response = self.trial.request(get(self.trial.swap()?, LIST, &[])).await?;
        let rows: Vec<RawRow> = self.trial.decoded(&response, "an array of tokens")?;
        let mut prices = BTreeMap::new();
        for row in &rows {
            let token = row.address("address").unwrap_or_default();
            let Some(known) = self.ledger.tokens.get(&token) else {
                // A token whose contract does not describe itself may be listed with any description.
                let known = token == NATIVE || self.ledger.exchange.tokens().contains(&token);
                self.trial.require_or(&response, known, "tokens that have a pair", || token.to_string())?;
                continue;
            };
            self.trial.require_equal(&response, "name", &Some(known.name.clone()), &row.text("name"))?;
            self.trial.require_equal(
                &response,
                "symbol",
                &Some(known.symbol.clone()),
                &row.text("symbol"),
            )?;
            let decimals = row.figure("decimals").and_then(|figure| figure.count());
            self.trial.require_equal(&response, "decimals", &Some(u64::from(known.decimals)), &decimals)?;
            let Some(price) = row.figure("price_eth").map(|figure| figure.value().clone()) else {
                continue;
            };
            let routes = self.ledger.prices(token);
            let fits =
                if routes.is_empty() { price.is_zero() } else { routes.iter().any(|one| close(&price, one)) };
            self.trial.require_or(&response, fits, &format!("price_eth of {token} along a route"), || {
                let routes: Vec<String> = routes.iter().map(decimal).collect();
                format!("{} where routes give {routes:?}", decimal(&price))
            })?;
            prices.insert(token, price);
        }
        Ok(prices)
    }

    /// Picks sides to quote, and an input that their pairs can bear.
    fn wishes(&self) -> Vec<(Address, Address, BigInt)> {
        let mut choices = self.trial.choices("meaning-quotes");
        let pairs = self.ledger.exchange.pairs.iter();
        let deep: Vec<_> = pairs.filter(|pair| pair.reserves.iter().all(|one| !one.is_zero())).collect();
        let mut wishes = Vec::new();
        if deep.is_empty() {
            return wishes;
        }
        for _ in 0..QUOTES {
            let (first, second) = (*choices.pick(&deep), *choices.pick(&deep));
            let from = choices.index(2);
            let to = second.tokens[choices.index(2)];
            let divisor = *choices.pick(&[40_u32, 3_000, 150_000]);
            let amount = &first.reserves[from] / divisor;
            if first.tokens[from] != to && amount.is_positive() {
                wishes.push((first.tokens[from], to, amount));
            }
        }
        wishes
    }

    /// Rates are whole output tokens per whole input token, times 10^18; the impact is the relative loss against the spot rate.
    pub(super) fn rates_of(&self, trial: &Trial<'_>, response: &Response) -> Verdict {
        let body = trial.ok_json(response)?;
        let units = |name: &str| -> Verdict<BigInt> {
            let none = || trial.failure(response, format!("{name} in digits"), body[name].to_string());
            parsed(&body[name]).ok_or_else(none)
        };
        let path = body["path"].as_array().into_iter().flatten().filter_map(parsed);
        let path: Vec<Address> = path.map(|token| self.traded(token)).collect();
        let (Some(first), Some(last)) = (path.first(), path.last()) else {
            return Err(trial.failure(response, "a path", body["path"].to_string()));
        };
        let spot = self.ledger.rate(&path);
        let spot =
            spot.ok_or_else(|| trial.failure(response, "a path along pairs", body["path"].to_string()))?;
        let (paid, got) = (units("amountIn")?, units("amountOut")?);
        let execution = self.ledger.whole(&got, last) / self.ledger.whole(&paid, first);
        for (name, exact) in [("executionRate", &execution), ("spotRate", &spot)] {
            let scaled = exact * BigInt::from(10).pow(18);
            let Some(shown) = parsed::<BigInt>(&body[name]).map(BigRational::from_integer) else {
                // A rate in another scale is a difference of that rate only.
                trial.require_or(response, false, &format!("{name} in digits"), || body[name].to_string())?;
                continue;
            };
            let near = (&shown - &scaled).abs() < BigRational::one();
            shows(trial, response, name, (&scaled, &shown), near)?;
        }
        let number = |within: &Value, name: &str| -> Verdict<BigRational> {
            Ok(trial.number(response, within, name)?.value().clone())
        };
        let impact = BigRational::one() - &execution / &spot;
        if let Some(shown) = trial.part(number(&body, "priceImpact"))? {
            // Both rates are cut to whole parts of 10^18 before they are divided, and the quotient is a binary fraction.
            let slack = rational("1e-9").unwrap_or_default();
            let cut = BigRational::new(
                BigInt::from(2),
                (&spot * BigInt::from(10).pow(18)).to_integer().max(BigInt::one()),
            );
            let near = (&shown - &impact).abs() <= slack + cut;
            shows(trial, response, "priceImpact", (&impact, &shown), near)?;
        }
        let kept = BigRational::new(997.into(), 1_000.into());
        let hops = i32::try_from(path.len() - 1).unwrap_or_default();
        let percent = BigRational::one() - kept.pow(hops);
        if let Some(shown) = trial.part(number(&body["metadata"], "lpFeePercent"))? {
            shows(trial, response, "lpFeePercent", (&percent, &shown), close(&shown, &percent))?;
        }
        let fee = BigRational::from_integer(paid) * percent;
        let shown = BigRational::from_integer(units("lpFee")?);
        let near = (&shown - &fee).abs() <= BigRational::one();
        shows(trial, response, "lpFee", (&fee, &shown), near)
    }

    async fn gas_of(&self, response: &Response, user: Address, built: &Value) -> Verdict {
        let number = |name: &str| -> Verdict<U256> {
            let none =
                || self.trial.failure(response, format!("{name} as a number"), built[name].to_string());
            parsed(&built[name]).ok_or_else(none)
        };
        let input: Bytes = parsed(&built["data"]).unwrap_or_default();
        let sending = Sending { to: parsed(&built["to"]), value: number("value")?, input, gas: None };
        let chain = self.trial.chain(PRIMARY)?;
        let needed = chain.estimate(user, &sending).await?;
        let fails =
            |error: RpcError| self.trial.failure(response, "a transaction that passes", error.to_string());
        let needed = U256::from(needed.map_err(fails)?);
        let gas = number("gas")?;
        let suffices = gas >= needed && gas <= needed * U256::from(2);
        self.trial.require_or(response, suffices, &format!("gas from {needed} to its double"), || {
            gas.to_string()
        })?;
        let base = U256::from(chain.head().await?.header.base_fee_per_gas.unwrap_or_default());
        let usual: U256 = chain.must("eth_gasPrice", json!([])).await?;
        let price = number("gasPrice")?;
        let most = usual.max(base) * U256::from(2);
        let within = (base..=most).contains(&price);
        self.trial
            .require_or(response, within, &format!("gasPrice from {base} to {most}"), || price.to_string())
    }
}

/// Formats a figure for a report.
fn decimal(value: &BigRational) -> String {
    crate::model::bounds::Bounds::exact(value.clone()).to_string()
}
