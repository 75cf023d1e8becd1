//! The exchange for its checks: every pair as read from the chain, and quotes requested from the service.
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, DerefMut};

use alloy::sol_types::{SolCall, SolValue as _};
use num_bigint::BigInt;
use num_rational::BigRational;

use super::listed::quoted;
use crate::answers::reads::{QUOTE, Query};
use crate::client::chain::{Chain, Sending, Simulated};
use crate::client::wire::{Exchange, Token};
use crate::model::seed::Choices;
use crate::prelude::*;
use crate::trial::Tried;
use crate::truth::ledger::exchange::{contract, pairs};
use crate::truth::reference::amount;
use crate::truth::reference::exchange::Exchange as Reference;

/// Attempts to get an answer during which the reserves do not move.
pub(super) const READINGS: usize = 5;

/// The basis for requesting quotes: the traded tokens and the depth of their pairs.
#[derive(Debug)]
pub(in crate::sections) struct Quotes<'a> {
    pub(super) trial: Trial<'a>,
    /// The wrapped native coin; the native coin itself if nothing shows the wrapped one.
    pub(in crate::sections) wrapped: Address,
    /// The pairs, with their reserves if the chain is known, else with about as much as quotes bear.
    pub(super) exchange: Reference,
}

/// The exchange of the primary chain, read from its contracts.
#[derive(Debug)]
pub(in crate::sections) struct SwapFixture<'a> {
    pub(super) quotes: Quotes<'a>,
    pub(in crate::sections) chain: &'a Chain,
    pub(super) router: Address,
    pub(super) factory: Address,
}

/// A successful quote with its request.
#[derive(Debug)]
pub(super) struct Quote<'a> {
    pub(super) trial: Trial<'a>,
    pub(super) response: Response,
    pub(super) body: Value,
}

/// The clause that says that quotes name the router.
const OF_ROUTER: &str = "QUOTE-EXACT-IN";

/// The address that stands for the native coin.
pub(super) const NATIVE: Address = Address::ZERO;

/// Returns the parameters of a quote; `name` is `amount` or `amountOut`.
pub(in crate::sections) fn asks(
    from: impl ToString,
    to: impl ToString,
    name: &'static str,
    units: impl ToString,
) -> Query {
    vec![
        param("tokenIn", from.to_string()),
        param("tokenOut", to.to_string()),
        param(name, units.to_string()),
    ]
}

/// Adds a parameter to a query.
pub(super) fn with(query: &Params, name: &'static str, value: impl ToString) -> Query {
    [query, &[param(name, value.to_string())]].concat()
}

/// Adds the request for a transaction of a user.
pub(in crate::sections) fn built_for(query: &Params, user: impl ToString) -> Query {
    with(&with(query, "buildTx", "true"), "userAddress", user)
}

judges_as_its_trial!(Quotes);

impl<'a> Deref for SwapFixture<'a> {
    type Target = Quotes<'a>;

    fn deref(&self) -> &Quotes<'a> {
        &self.quotes
    }
}

impl DerefMut for SwapFixture<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.quotes
    }
}

impl<'a> SwapFixture<'a> {
    /// Finds the router with a quote between listed pairs, and reads every pair of its factory.
    pub(in crate::sections) async fn open(trial: &Trial<'a>) -> Result<Self, Stop> {
        let chain = trial.world.chain(PRIMARY)?;
        let router = router(trial).await?;
        let factory = factory(trial, chain, router).await?;
        let wrapped = contract(chain, router, &Exchange::WETHCall {}).await?;
        let quotes = Quotes { trial: *trial, wrapped, exchange: Reference::default() };
        let mut market = Self { quotes, chain, router, factory };
        market.refresh().await?;
        market.exchange.avoided = keeping_tokens(&market).await?;
        Ok(market)
    }

    /// Reads the pairs and reserves again.
    pub(super) async fn refresh(&mut self) -> Verdict {
        let block = self.chain.head().await?.header.number;
        self.exchange.pairs = pairs(self.chain, self.factory, block, &self.exchange.pairs).await?;
        need_material(!self.exchange.pairs.is_empty(), "the exchange has no pair")
    }

    /// Reads the reserves again; returns whether they are unchanged.
    pub(super) async fn stands_still(&mut self) -> Verdict<bool> {
        let before = self.exchange.clone();
        self.refresh().await?;
        Ok(before == self.exchange)
    }

    /// Returns the answer to a request during which the reserves did not change.
    pub(super) async fn steady(&mut self, path: &str, query: &Params) -> Verdict<Response> {
        for _ in 0..READINGS {
            let response = self.request(get(self.swap()?, path, query)).await?;
            if self.stands_still().await? {
                return Ok(response);
            }
        }
        Err(no_material("the reserves keep changing"))
    }

    /// Returns the answers to requests during which the reserves did not change.
    pub(super) async fn all_steady(&mut self, path: &str, queries: &[Query]) -> Verdict<Vec<Response>> {
        for _ in 0..READINGS {
            let mut responses = Vec::with_capacity(queries.len());
            for query in queries {
                responses.push(self.request(get(self.swap()?, path, query)).await?);
            }
            if self.stands_still().await? {
                return Ok(responses);
            }
        }
        Err(no_material("the reserves keep changing"))
    }

    /// Builds the router's trade of an input along a path, with no least output.
    pub(super) fn router_call(
        &self,
        to: Address,
        sides: (Address, Address),
        input: &BigInt,
        path: Vec<Address>,
    ) -> Sending {
        let (units, least, deadline) = (amount(input).unwrap_or(U256::MAX), U256::ZERO, U256::MAX);
        let of_tokens = || (units, least, path.clone(), to, deadline).abi_encode_params();
        let (value, selector, arguments) = match sides {
            (NATIVE, _) => {
                let arguments = (least, path, to, deadline).abi_encode_params();
                (units, Exchange::swapExactETHForTokensCall::SELECTOR, arguments)
            }
            (_, NATIVE) => (U256::ZERO, Exchange::swapExactTokensForETHCall::SELECTOR, of_tokens()),
            _ => (U256::ZERO, Exchange::swapExactTokensForTokensCall::SELECTOR, of_tokens()),
        };
        let input = [&selector[..], &arguments].concat().into();
        Sending { to: Some(self.router), value, input, gas: None }
    }

    /// Returns a token that this one can be sold for, other than itself and the wrapped native coin.
    pub(super) fn another(&self, token: Address) -> Option<Address> {
        let is_other = |other: &Address| ![token, self.wrapped].contains(other);
        self.exchange.tokens().into_iter().filter(is_other).find(|other| self.depth(token, *other).is_some())
    }
}

impl<'a> Quotes<'a> {
    /// Opens the exchange from the chain, or from quotes if its contracts are not known.
    pub(super) async fn open(trial: &Trial<'a>) -> Result<Self, Stop> {
        if trial.has(Need::PrimaryChain) {
            match SwapFixture::open(trial).await {
                Ok(market) => return Ok(market.quotes),
                Err(Stop::Inconclusive(Inconclusive::NoMaterial { .. })) => {}
                Err(stop) => return Err(stop),
            }
        }
        super::alone::open(trial).await
    }

    /// Whether the pairs are those of the chain, with their reserves.
    pub(super) fn knows_reserves(&self) -> bool {
        self.exchange.pairs.iter().all(|pair| !pair.address.is_zero())
    }

    /// Returns the wrapped native coin, if it is known.
    pub(super) fn wrapped(&self) -> Verdict<Address> {
        need_material(self.wrapped != NATIVE, "no quote shows which token wraps the native coin")?;
        Ok(self.wrapped)
    }

    /// Returns the token that a side of a quote trades as: the native coin trades wrapped.
    pub(super) fn traded(&self, token: Address) -> Address {
        if token == NATIVE { self.wrapped } else { token }
    }

    /// Picks two different sides with a liquid route between them; `None` after many attempts.
    pub(super) fn choose_sides(&self, choices: &mut Choices) -> Option<(Address, Address)> {
        let sides: Vec<Address> = [NATIVE].into_iter().chain(self.exchange.tokens()).collect();
        (0..200).find_map(|_| {
            let (from, to) = (*choices.pick(&sides), *choices.pick(&sides));
            let (start, end) = (self.traded(from), self.traded(to));
            (start != end && self.depth(start, end).is_some()).then_some((from, to))
        })
    }

    /// Picks sides: first two that no single pair joins, if any, then `count` others.
    pub(super) fn choose_many(
        &self,
        choices: &mut Choices,
        count: usize,
    ) -> Verdict<Vec<(Address, Address)>> {
        let far = |(from, to): &(Address, Address)| {
            self.exchange.reserves(self.traded(*from), self.traded(*to)).is_none()
        };
        let mut chosen: Vec<(Address, Address)> =
            (0..50).filter_map(|_| self.choose_sides(choices)).find(far).into_iter().collect();
        chosen.extend((0..count).filter_map(|_| self.choose_sides(choices)));
        need_material(!chosen.is_empty(), "no two tokens have a route")?;
        Ok(chosen)
    }

    /// Returns the reserve of the first token in the first pair of the deepest route; `None` if there is no route.
    pub(super) fn depth(&self, from: Address, to: Address) -> Option<BigInt> {
        let paths = self.exchange.paths(from, to).into_iter();
        let deep =
            paths.filter(|path| path.windows(2).all(|step| self.exchange.filled(step[0], step[1]).is_some()));
        deep.filter_map(|path| self.exchange.reserves(path[0], path[1]).map(|(held, _)| held.clone())).max()
    }

    pub(super) async fn ask(&self, query: &Params) -> Verdict<Response> {
        self.request(get(self.swap()?, QUOTE, query)).await
    }

    /// Requests a quote of an exact input.
    pub(super) async fn ask_in(&self, from: Address, to: Address, amount: &BigInt) -> Verdict<Response> {
        self.ask(&asks(from, to, "amount", amount)).await
    }

    /// Requests a quote of an exact output.
    pub(super) async fn ask_out(&self, from: Address, to: Address, amount: &BigInt) -> Verdict<Response> {
        self.ask(&asks(from, to, "amountOut", amount)).await
    }

    /// Requests a quote, which must succeed.
    pub(super) async fn quote(&self, query: &Params) -> Verdict<Quote<'a>> {
        Quote::of(self, self.ask(query).await?)
    }

    /// Returns the path of a quote, with the native coin as its wrapped form.
    pub(super) fn path_of(&self, quote: &Quote<'_>) -> Verdict<Vec<Address>> {
        Ok(quote.path()?.into_iter().map(|token| self.traded(token)).collect())
    }
}

impl<'a> Quote<'a> {
    /// Reads the quote of an answer, which must succeed.
    pub(super) fn of(trial: &Trial<'a>, response: Response) -> Verdict<Self> {
        let body = trial.ok_json(&response)?;
        Ok(Self { trial: *trial, response, body })
    }

    /// Reads the quote of an answer; `None` if there is no route (500).
    pub(super) fn if_given(trial: &Trial<'a>, response: Response) -> Verdict<Option<Self>> {
        if response.status == 500 { Ok(None) } else { Self::of(trial, response).map(Some) }
    }

    /// Returns an amount, which must be a text of digits.
    pub(super) fn amount(&self, field: &str) -> Verdict<BigInt> {
        let digits = |text: &&str| text.bytes().all(|byte| byte.is_ascii_digit());
        let text = self.body[field].as_str().filter(digits);
        text.and_then(|text| text.parse().ok()).ok_or_else(|| {
            let expected = format!("{field} is a string of digits");
            self.trial.failure(&self.response, expected, self.body[field].to_string())
        })
    }

    /// Returns a JSON number, exactly as written.
    pub(super) fn number(&self, within: &Value, name: &str) -> Verdict<BigRational> {
        Ok(self.trial.number(&self.response, within, name)?.value().clone())
    }

    pub(super) fn path(&self) -> Verdict<Vec<Address>> {
        let tokens = self.body["path"].as_array();
        let tokens = tokens.and_then(|tokens| tokens.iter().map(parsed).collect::<Option<Vec<Address>>>());
        tokens.ok_or_else(|| {
            self.trial.failure(&self.response, "path is an array of addresses", self.body["path"].to_string())
        })
    }

    /// Keeps what was judged by this quote and others, unless the exchange moved in between; returns whether it counts.
    pub(super) async fn keeps(&self, tried: Tried) -> Verdict<bool> {
        if !tried.holds() {
            let again = self.trial.request(self.response.request.clone()).await?.json().unwrap_or_default();
            if ["amountIn", "amountOut"].iter().any(|name| again[*name] != self.body[*name]) {
                return Ok(false);
            }
        }
        self.trial.keep(tried).map(|()| true)
    }

    /// Requires an exact value of an amount.
    pub(super) fn is(&self, field: &str, expected: &BigInt) -> Verdict {
        let actual = self.amount(field)?;
        self.trial.require_or(&self.response, actual == *expected, &format!("{field} = {expected}"), || {
            format!("{field} = {actual}, the service said")
        })
    }
}

/// Finds fee-on-transfer tokens by a simulated transfer out of one of their pairs and back: no amount of them can be promised. Empty if the
/// node cannot simulate.
async fn keeping_tokens(market: &SwapFixture<'_>) -> Result<BTreeSet<Address>, Stop> {
    const STRANGER: Address = Address::repeat_byte(0x5a);
    const CALLS: usize = 3;
    let mut held: BTreeMap<Address, (Address, U256)> = BTreeMap::new();
    for pair in &market.exchange.pairs {
        for (token, reserve) in pair.tokens.iter().zip(&pair.reserves) {
            let units = amount(reserve).unwrap_or_default().min(U256::from(1_000_000));
            if !units.is_zero() {
                held.entry(*token).or_insert((pair.address, units));
            }
        }
    }
    let calls: Vec<Simulated> = held
        .iter()
        .flat_map(|(token, (pair, units))| {
            let balance = |account| (STRANGER, Token::balanceOfCall { account }.abi_encode());
            let move_to = |to| Token::transferCall { to, amount: *units }.abi_encode();
            let of_token = [(*pair, move_to(STRANGER)), balance(STRANGER), (STRANGER, move_to(*pair))];
            of_token.map(|(from, input)| Simulated {
                from,
                to: *token,
                value: U256::ZERO,
                input: input.into(),
            })
        })
        .collect();
    let responses = market.chain.simulate(&calls).await?.unwrap_or_default();
    let kept = held.iter().zip(responses.chunks(CALLS)).filter(|((_, (_, units)), responses)| {
        let moved = responses[0].is_some();
        let came = responses[1].as_deref().and_then(|word| U256::try_from_be_slice(word.get(..32)?));
        // A token that arrives in full can be sent back.
        moved && (came != Some(*units) || responses[2].is_none())
    });
    Ok(kept.map(|((token, _), _)| *token).collect())
}

/// Returns the factory of a router. A quote that names no router of the exchange breaks the clause that trades by it; other checks have
/// no basis.
async fn factory(trial: &Trial<'_>, chain: &Chain, router: Address) -> Verdict<Address> {
    let answer = chain.call(router, &Exchange::factoryCall {}).await?;
    let error = match answer {
        Ok(factory) => return Ok(factory),
        Err(error) => error,
    };
    let reason = format!("metadata.routerAddress {router} does not answer factory(): {error}");
    if trial.check.clause.id != OF_ROUTER {
        return Err(no_material(reason));
    }
    let reproduce = get(trial.swap()?, QUOTE, &quoted(trial).await?.0).reproduce();
    Err(trial.failure(&reproduce, "the router of the exchange in metadata.routerAddress", reason))
}

/// Returns the router that quotes name.
pub(in crate::sections) async fn router(trial: &Trial<'_>) -> Verdict<Address> {
    let (_, quote) = quoted(trial).await?;
    parsed(&quote["metadata"]["routerAddress"])
        .ok_or_else(|| no_material("a quote between listed tokens names no router in metadata.routerAddress"))
}
