//! The form of the exchange: a quote with its route, and the transaction of the swap service for it.
use alloy::primitives::{Address, U256};
use alloy::sol_types::SolCall;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use slipway_contracts::bindings::{IERC20, IWETH9};

use super::amount::{Asset, exact, units};
use super::layout::{address, with};
use super::number::number;
use super::sender::{Prepared, Sender, refused};
use super::slippage::Slippage;
use super::{Pages, sent};
use crate::address as addresses;
use crate::api::quote::{ExchangeState, NATIVE, QuoteAmount, QuoteAnswer, QuoteRequest, SwapTransaction};
use crate::api::refusal::Refusal;
use crate::services::input::query;

/// The asset at an address; the zero address is the native coin.
pub(super) fn asset(exchange: &ExchangeState, token: Address) -> Option<Asset> {
    if token == NATIVE {
        return Some(Asset::native());
    }
    let known = exchange.token(token)?;
    let symbol = Some(&known.token.symbol).filter(|symbol| !symbol.trim().is_empty());
    // A contract that does not describe itself is named by its address.
    let symbol = symbol.cloned().unwrap_or_else(|| addresses::short(token));
    Some(Asset { symbol, decimals: known.token.decimals })
}

/// The token in the pair with the largest reserve of the wrapped coin.
fn deepest(exchange: &ExchangeState, wrapped: Address) -> Option<Address> {
    let against = exchange.pairs().filter_map(|pair| {
        let reserves = pair.reserves;
        match (pair.token0 == wrapped, pair.token1 == wrapped) {
            (true, false) => Some((reserves.reserve0, pair.token1)),
            (false, true) => Some((reserves.reserve1, pair.token0)),
            _ => None,
        }
    });
    against.max_by_key(|(held, _)| *held).map(|(_, token)| token)
}

/// The two sides of a swap; a side that was not chosen is the native coin, or the token of the native coin's deepest pair.
fn sides(exchange: &ExchangeState, wrapped: Address, uri: &Uri) -> Result<[Address; 2], Refusal> {
    let chosen = |name: &'static str| {
        let text = sent(uri, name);
        if text.is_empty() {
            return Ok(None);
        }
        let token = addresses::parse(&text).filter(|token| asset(exchange, *token).is_some());
        token.map(Some).ok_or_else(|| {
            Refusal::bad_input("page-exchange-token", format!("{name} must be a token of the exchange"))
        })
    };
    let other = |side: Address| {
        if side != NATIVE { Ok(NATIVE) } else { deepest(exchange, wrapped).ok_or_else(no_pair) }
    };
    Ok(match (chosen("tokenIn")?, chosen("tokenOut")?) {
        (Some(paid), Some(got)) => [paid, got],
        (Some(paid), None) => [paid, other(paid)?],
        (None, Some(got)) => [other(got)?, got],
        (None, None) => [NATIVE, other(NATIVE)?],
    })
}

fn no_pair() -> Refusal {
    Refusal::not_found("page-exchange-empty", "the exchange has no pair yet")
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct SwapParameters {
    slippage: Slippage,
}

/// The requested swap.
pub(super) struct Swap {
    sides: [Address; 2],
    assets: [Asset; 2],
    slippage: Slippage,
    sender: Sender,
    quoted: Option<Result<Quoted, Refusal>>,
}

struct Quoted {
    answer: QuoteAnswer,
    /// Whether the coin is only wrapped or unwrapped.
    is_wrap: bool,
    /// The next call of the form, or the reason why there is none.
    prepared: Result<Prepared, Refusal>,
}

impl Swap {
    /// Reads the swap from the query of the page, and quotes it.
    pub(super) async fn asked(pages: &Pages, uri: &Uri, headers: &HeaderMap) -> Result<Self, Refusal> {
        let exchange = pages.swap_api.exchange();
        let sides = sides(&exchange, pages.swap_api.venue().wrapped, uri)?;
        let [Some(paid), Some(got)] = sides.map(|side| asset(&exchange, side)) else { return Err(no_pair()) };
        let SwapParameters { slippage } = query(uri)?;
        let sender = Sender::asked(pages, uri, headers, pages.swap_api.chain_id())?;
        let mut swap = Self { sides, assets: [paid, got], slippage, sender, quoted: None };
        let typed = sent(uri, "amount");
        if !typed.trim().is_empty() {
            swap.quoted = Some(swap.quote(pages, &typed).await);
        }
        Ok(swap)
    }

    async fn quote(&self, pages: &Pages, typed: &str) -> Result<Quoted, Refusal> {
        let [token_in, token_out] = self.sides;
        let digits = self.assets[0].decimals;
        let amount = units(typed, digits).ok_or_else(|| {
            let rule =
                format!("amount must be a positive number with at most {digits} digits after the point");
            Refusal::bad_input("page-amount", rule)
        })?;
        let request = QuoteRequest {
            token_in,
            token_out,
            amount: QuoteAmount::In(amount),
            slippage_bps: Some(self.slippage.0),
            build_for: None,
        };
        let (route, answer) = pages.swap_api.quote_now(&request)?;
        let is_wrap = route.is_none();
        let prepared = match self.sender.account {
            Some(account) => self.prepare(pages, account, amount, request, is_wrap).await.map(|prepared| {
                let [paid, got] = &self.assets;
                let done = format!("Swapped {} {} for {}", exact(amount, digits), paid.symbol, got.symbol);
                Prepared { done, ..prepared }
            }),
            None => Err(Refusal::not_found("page-account", "the platform has no funded account")),
        };
        Ok(Quoted { answer, is_wrap, prepared })
    }

    /// Prepares the account's next call: the approval of the router, or the swap.
    async fn prepare(
        &self,
        pages: &Pages,
        account: Address,
        amount: U256,
        request: QuoteRequest,
        is_wrap: bool,
    ) -> Result<Prepared, Refusal> {
        let (swap_api, paid) = (&pages.swap_api, &self.assets[0]);
        let holding = swap_api.holding(request.token_in, account).await?;
        if holding.balance < amount {
            let has = exact(holding.balance, paid.decimals);
            return Err(Refusal::conflict(
                "page-balance",
                format!("the account has {has} {} only", paid.symbol),
            ));
        }
        let venue = swap_api.venue();
        if is_wrap {
            return Ok(if request.token_in == NATIVE {
                let data = IWETH9::depositCall {}.abi_encode().into();
                Prepared::new("Wrap", account, venue.wrapped, &data, amount)
            } else {
                let data = IWETH9::withdrawCall { wad: amount }.abi_encode().into();
                Prepared::new("Unwrap", account, venue.wrapped, &data, U256::ZERO)
            });
        }
        if holding.allowance < amount {
            let data = IERC20::approveCall { spender: venue.router, amount }.abi_encode().into();
            let approval = Prepared::new("Approval", account, request.token_in, &data, U256::ZERO);
            return Ok(Prepared { more: true, ..approval });
        }
        let answer = swap_api.quote(&QuoteRequest { build_for: Some(account), ..request }).await?;
        let transaction = answer.transaction.expect("a quote for an account of two traded tokens has one");
        Ok(swap(&transaction))
    }

    pub(super) fn section(&self, pages: &Pages, exchange: &ExchangeState, uri: &Uri) -> Markup {
        let [paid, got] = self.sides;
        html! {
            section.tile.swap aria-labelledby="swap-title" {
                h2 #swap-title { "Swap" }
                form #order method="get" action="/exchange" data-asks data-sends {
                    div.sided {
                        label { "Pay" input name="amount" inputmode="decimal" autocomplete="off" placeholder="0.0" value=(sent(uri, "amount")); }
                        label { "Token to pay" (tokens(exchange, "tokenIn", paid)) }
                    }
                    a.button.turn #turn data-live href=(self.turned(uri)) { "⇅ Switch direction" }
                    label { "Token to get" (tokens(exchange, "tokenOut", got)) }
                    div.sided {
                        (self.sender.accounts(pages))
                        (self.sender.wallets())
                        (self.slippage.field())
                    }
                    (self.terms(exchange))
                    (Sender::button("Swap"))
                }
            }
        }
    }

    /// The address of the opposite swap, whose input is this one's output.
    fn turned(&self, uri: &Uri) -> String {
        let [paid, got] = self.sides.map(|side| side.to_checksum(None));
        let amount = match &self.quoted {
            Some(Ok(quoted)) => exact(quoted.answer.amount_out.0, self.assets[1].decimals),
            _ => String::new(),
        };
        [("tokenIn", got), ("tokenOut", paid), ("amount", amount)]
            .into_iter()
            .fold(uri.clone(), |uri, (name, value)| with(&uri, name, &value).parse().unwrap_or(uri))
            .to_string()
    }

    fn terms(&self, exchange: &ExchangeState) -> Markup {
        let content = html! {
            @match &self.quoted {
                None => p.muted { "Type an amount to see the quote of the swap service." },
                Some(Err(refusal)) => (refused(refusal)),
                Some(Ok(Quoted { answer, is_wrap, prepared })) => {
                    (self.quoted_terms(answer, *is_wrap))
                    (route(exchange, answer))
                    @match prepared {
                        Err(refusal) => (refused(refusal)),
                        Ok(prepared) if prepared.more => p.muted { "The router is approved for this amount first." },
                        Ok(_) => {}
                    }
                }
            }
        };
        let prepared = match &self.quoted {
            Some(Ok(Quoted { prepared: Ok(prepared), .. })) => Some(prepared),
            _ => None,
        };
        self.sender.prepared(prepared, &content)
    }

    fn quoted_terms(&self, answer: &QuoteAnswer, is_wrap: bool) -> Markup {
        let [paid, got] = &self.assets;
        html! {
            dl.terms {
                dt { "Pays" } dd { (paid.amount(answer.amount_in.0)) }
                dt { "Gets" } dd #gets { (got.amount(answer.amount_out.0)) }
                @if let Some(minimum) = answer.minimum_amount_out {
                    dt { "At least, " (self.slippage.percent()) " slippage" } dd #least { (got.amount(minimum.0)) }
                }
                dt { "Rate" }
                dd #rate { "1 " bdi { (paid.symbol) } " = " (rate(answer, is_wrap)) " " bdi { (got.symbol) } }
                dt { "Price impact" } dd #impact { (format!("{:.2} %", answer.price_impact * 100.0)) }
                dt { "Liquidity providers keep" } dd { (paid.amount(answer.lp_fee.0)) }
            }
        }
    }
}

/// Whole tokens out per whole token in: 1 for a wrap, otherwise scaled by 10¹⁸.
fn rate(answer: &QuoteAnswer, is_wrap: bool) -> Markup {
    number(U256::saturating_from(answer.execution_rate.0), if is_wrap { 0 } else { 18 })
}

fn route(exchange: &ExchangeState, answer: &QuoteAnswer) -> Markup {
    html! {
        h3 #route-title { "Route" }
        ol.route aria-labelledby="route-title" {
            @for step in &answer.path {
                li {
                    @let token = addresses::parse(&step.0);
                    @if let Some(known) = token.and_then(|token| asset(exchange, token)) { bdi { (known.symbol) } " " }
                    @if let Some(token) = token { (address(token)) }
                }
            }
        }
    }
}

/// Formats the swap service's transaction for the node.
fn swap(transaction: &SwapTransaction) -> Prepared {
    let SwapTransaction { from, to, data, value, gas, .. } = transaction;
    let mut prepared = Prepared::new("Swap", from.0, to.0, &data.0, value.0);
    prepared.call["gas"] = json!(format!("{:#x}", gas.0));
    prepared
}

fn tokens(exchange: &ExchangeState, name: &str, chosen: Address) -> Markup {
    html! {
        select name=(name) {
            option value=(NATIVE.to_checksum(None)) selected[chosen == NATIVE] { "ETH" }
            @for listed in exchange.tokens() {
                option value=(listed.checksummed) selected[chosen == listed.token.address] {
                    (listed.token.symbol) " · " (addresses::short(listed.token.address))
                }
            }
        }
    }
}
