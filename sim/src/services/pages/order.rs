//! The form that buys and sells, and the quote for the typed amount: the result of the contract's own preview, exact to the unit.
//!
//! The page never holds a key. Its script sends the quoted calls to the chain's node, which signs them for the chosen funded account
//! (`eth_sendTransaction`): every account is funded with test money, and any caller of the node may do that anyway. A connected wallet
//! signs them for its own account.
use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use slipway_contracts::bindings::{CaptchaAuth, IERC20};

use super::amount::{Asset, exact, units};
use super::number::{compact, moment, percent_near, short};
use super::sender::{Sender, call};
use super::slippage::Slippage;
use super::{Pages, sent};
use crate::api::figure::{Figure, ONE, saturated};
use crate::api::market::{TradeMarket, TradeOrder};
use crate::api::refusal::Refusal;
use crate::api::tokens::view::TokenView;
use crate::event::Side;
use crate::services::input::query;

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SideOfForm {
    #[default]
    Buy,
    Sell,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct OrderParameters {
    /// whether to buy or to sell
    #[schemars(extend("x-cause" = "page-side"))]
    side: SideOfForm,
    slippage: Slippage,
}

/// Amounts offered by buttons, in percent: to pay, of the target raise; to sell, of the holding.
const PAYS: [u64; 3] = [1, 5, 10];
const SELLS: [u64; 3] = [10, 25, 50];

/// A captcha authorisation in the format of the control plane.
#[derive(Deserialize)]
struct Authorisation {
    deadline: u64,
    nonce: alloy::primitives::B256,
    signature: Bytes,
}

struct Asked {
    side: Side,
    amount: String,
    /// The amount in units of the paid asset; `None` if it is not a number.
    units: Option<U256>,
    slippage: Slippage,
    auth: CaptchaAuth,
}

fn asked(token: &TokenView, uri: &Uri) -> Result<Asked, Refusal> {
    let text = sent(uri, "auth");
    let auth = if text.trim().is_empty() {
        CaptchaAuth::default()
    } else {
        let Authorisation { deadline, nonce, signature } = serde_json::from_str(&text).map_err(|_| {
            Refusal::bad_input(
                "page-captcha",
                "auth must be a captcha authorisation: deadline, nonce and signature as JSON",
            )
        })?;
        CaptchaAuth { deadline, nonce, signature }
    };
    let amount = sent(uri, "amount").trim().to_owned();
    let OrderParameters { side, slippage } = query(uri)?;
    let side = match side {
        SideOfForm::Buy => Side::Buy,
        SideOfForm::Sell => Side::Sell,
    };
    let units = units(&amount, paid(token, side).decimals);
    Ok(Asked { side, amount, units, slippage, auth })
}

/// The asset that a trader pays.
fn paid(token: &TokenView, side: Side) -> Asset {
    if side == Side::Buy { Asset::quote(token) } else { Asset::launched(token) }
}

/// The requested trade, with the contract's quote.
pub(super) struct Order {
    asked: Asked,
    /// The account whose balances and quote are shown.
    sender: Sender,
    /// The quote, or the reason why there is none; `None` while no amount is typed.
    quoted: Option<Result<TradeOrder, String>>,
}

impl Order {
    /// Reads the order from the query of a token's page, and quotes it.
    pub(super) async fn asked(
        pages: &Pages,
        token: &TokenView,
        uri: &Uri,
        headers: &HeaderMap,
    ) -> Result<Self, Refusal> {
        let asked = asked(token, uri)?;
        let sender = Sender::asked(pages, uri, headers, token.birth.chain_id)?;
        let quoted = match sender.account {
            Some(account) if !asked.amount.is_empty() => Some(quoted(pages, token, &asked, account).await),
            _ => None,
        };
        Ok(Self { asked, sender, quoted })
    }

    /// The trade, if the contract has quoted it.
    pub(super) fn terms(&self) -> Option<(Side, &TradeOrder)> {
        Some((self.asked.side, self.quoted.as_ref()?.as_ref().ok()?))
    }

    /// The form with its quote; `price` is the current price of a whole token.
    pub(super) fn section(&self, pages: &Pages, token: &TokenView, price: u128, uri: &Uri) -> Markup {
        let Self { asked, sender, quoted: _ } = self;
        let auth = sent(uri, "auth");
        html! {
            section.tile.trade aria-labelledby="order-title" {
                h2.unseen #order-title { "Buy and sell" }
                form #order method="get" data-asks data-sends {
                    input type="hidden" name="chainId" value=(token.birth.chain_id);
                    fieldset.sides {
                        legend.unseen { "Side" }
                        label { input type="radio" name="side" value="buy" checked[asked.side == Side::Buy]; span { "Buy" } }
                        label { input type="radio" name="side" value="sell" checked[asked.side == Side::Sell]; span { "Sell" } }
                    }
                    p #balances role="status" {}
                    (amount(token, &asked.amount))
                    div.pair {
                        (sender.accounts(pages))
                        (asked.slippage.field())
                    }
                    (sender.wallets())
                    noscript {
                        p {
                            "Without a script this page does not show the balances of the account; the node " code { (sender.node) }
                            " answers " code { "eth_getBalance" } " and " code { "balanceOf" } "."
                        }
                    }
                    @if protection(token, pages.now()).is_some() || !auth.is_empty() {
                        details {
                            summary { "Captcha authorisation" }
                            label {
                                "As the console mints it (JSON); needed in the anti-snipe window"
                                textarea name="auth" rows="3" { (auth) }
                            }
                        }
                    }
                    button #send type="submit" { span #sends data-live { (self.action(token)) } }
                    p #short.warning role="alert" {}
                    ol #steps {}
                    p #outcome role="status" {}
                    (self.quote(token, price))
                }
            }
        }
    }

    /// The button's label: the quoted trade, or only its side.
    fn action(&self, token: &TokenView) -> Markup {
        let (quote, launched) = (Asset::quote(token), Asset::launched(token));
        let written =
            |asset: &Asset, units| html! { (compact(units, asset.decimals)) " " bdi { (asset.symbol) } };
        html! {
            @match (self.asked.side, self.terms()) {
                (Side::Buy, None) => { "Buy " bdi { (launched.symbol) } }
                (Side::Sell, None) => { "Sell " bdi { (launched.symbol) } }
                (Side::Buy, Some((_, order))) => { "Buy " (written(&launched, order.received)) " for " (written(&quote, order.paid)) }
                (Side::Sell, Some((_, order))) => { "Sell " (written(&launched, order.paid)) " for " (written(&quote, order.received)) }
            }
        }
    }

    /// The quote of the requested trade; the page shows a refusal of the contract.
    fn quote(&self, token: &TokenView, price: u128) -> Markup {
        let Some(account) = self.sender.account else {
            return html! { div #quote data-live { p { "The platform has no funded account." } } };
        };
        let calls = self.terms().map(|(_, order)| calls(order, account));
        html! {
            div #quote data-live aria-live="polite" data-node=(self.sender.node) data-account=(account.to_checksum(None))
                data-balances=(balances(token, account)) data-calls=[calls] data-offer=[self.asked.units]
                data-paid=(if self.asked.side == Side::Buy { 0 } else { 1 }) {
                @match &self.quoted {
                    Some(Ok(order)) => (terms(order, &self.asked, token, price)),
                    Some(Err(reason)) => p.warning { (reason) },
                    None => p.muted { "Type an amount to see what the contract quotes." },
                }
            }
        }
    }
}

/// The contract's quote, or the reason of its refusal.
async fn quoted(
    pages: &Pages,
    token: &TokenView,
    asked: &Asked,
    account: Address,
) -> Result<TradeOrder, String> {
    let units = asked.units.ok_or_else(|| {
        let digits = paid(token, asked.side).decimals;
        format!("The amount must be a positive number with at most {digits} digits after the point.")
    })?;
    let market =
        TradeMarket { chain_id: token.birth.chain_id, launch: token.launch.clone(), pool: token.pool };
    let order = pages
        .api
        .trade_order(&market, asked.side, units, account, asked.auth.clone(), asked.slippage.0)
        .await;
    order.map_err(|refusal| refusal.message)
}

fn terms(order: &TradeOrder, asked: &Asked, token: &TokenView, price: u128) -> Markup {
    let side = asked.side;
    let (quote, launched) = (Asset::quote(token), Asset::launched(token));
    let (paid, received) = if side == Side::Buy { (&quote, &launched) } else { (&launched, &quote) };
    html! {
        dl.terms {
            dt { "Pays" } dd #pays { (paid.amount(order.paid)) }
            dt { "Gets" } dd #gets { (received.amount(order.received)) }
            dt { "At least, " (asked.slippage.percent()) " slippage" } dd #least { (received.amount(order.minimum)) }
            @if let Some(fee) = order.fee { dt { "Fees" } dd { (quote.amount(fee)) } }
            @if !order.refund.is_zero() { dt { "Refund" } dd { (paid.amount(order.refund)) } }
            @if let Some(impact) = impact(order, side, price) {
                dt { "Price impact" } dd #impact { (percent_near(impact)) }
            }
        }
    }
}

/// The field for the amount with the symbol of the paid asset, and buttons that fill it in.
fn amount(token: &TokenView, typed: &str) -> Markup {
    let (quote, launched) = (Asset::quote(token), Asset::launched(token));
    let part = |percent| U256::from(token.launch.target_raise) * U256::from(percent) / U256::from(100);
    html! {
        label {
            "Pay"
            span.field {
                input name="amount" inputmode="decimal" autocomplete="off" placeholder="0.0" value=(typed);
                bdi.buys { (quote.symbol) } bdi.sells { (launched.symbol) }
            }
        }
        div.presets role="group" aria-label="Amounts" {
            @for percent in PAYS {
                button.plain.buys type="button" data-amount=(exact(part(percent), quote.decimals)) { (short(part(percent), quote.decimals)) }
            }
            @for percent in SELLS { button.plain.sells type="button" data-part=(percent) { (percent) " %" } }
            button.plain type="button" data-part="100" { "Max" }
        }
    }
}

/// Difference between the price of this trade, without its fee, and the current price of a whole token, in percent; `None` without a price.
fn impact(order: &TradeOrder, side: Side, price: u128) -> Option<Figure> {
    let fee = order.fee.unwrap_or_default();
    let (quote, tokens) = match side {
        Side::Buy => (order.paid.saturating_sub(fee), order.received),
        Side::Sell => (order.received.saturating_add(fee), order.paid),
    };
    let paid = saturated(quote.checked_mul(U256::from(ONE))?.checked_div(tokens)?);
    (price > 0).then(|| Figure::of_percentage(paid.abs_diff(price), price))
}

/// The transactions in the node's format.
fn calls(order: &TradeOrder, account: Address) -> String {
    let calls = order.calls.iter().map(|one| call(account, one.to, &one.data, one.value));
    json!(calls.collect::<Vec<_>>()).to_string()
}

/// The node calls for the script: the account's balances for trading, each with its asset. A node does not respond while it makes a block,
/// and the page must not wait for that.
fn balances(token: &TokenView, account: Address) -> String {
    let question = |asset: Asset, method, of: Value| {
        let (symbol, decimals) = (asset.symbol, asset.decimals);
        json!({ "symbol": symbol, "decimals": decimals, "method": method, "params": [of, "latest"] })
    };
    let of = |asset, contract: Address| {
        let data = Bytes::from(IERC20::balanceOfCall { account }.abi_encode());
        question(asset, "eth_call", json!({ "to": contract, "data": data }))
    };
    let quote = Asset::quote(token);
    let quote = if token.launch.quote_asset.is_zero() {
        question(quote, "eth_getBalance", json!(account))
    } else {
        of(quote, token.launch.quote_asset)
    };
    json!([quote, of(Asset::launched(token), token.launch.token)]).to_string()
}

/// The notice until when trades on the curve need a captcha authorisation.
pub(super) fn protection(token: &TokenView, now: u64) -> Option<Markup> {
    let end = token.launch.start_time.saturating_add(token.launch.anti_snipe_seconds.into());
    (!token.is_graduated() && now < end).then(|| {
        html! { p.warning { "Until " (moment(end)) " a trade needs a captcha authorisation." } }
    })
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;

    use super::{impact, percent_near};
    use crate::api::figure::ONE;
    use crate::api::market::TradeOrder;
    use crate::event::Side;

    #[test]
    fn impact_compares_the_price_paid_without_fees_with_the_present_one() {
        let order = |paid: u128, received: u128, fee: u128| TradeOrder {
            paid: U256::from(paid),
            received: U256::from(received),
            refund: U256::ZERO,
            fee: Some(U256::from(fee)),
            minimum: U256::ZERO,
            calls: Vec::new(),
        };
        let shown = |order: &TradeOrder, side| impact(order, side, 2 * ONE).map(percent_near);
        assert_eq!(shown(&order(2_121, 1_000, 21), Side::Buy).as_deref(), Some("5.00 %"));
        assert_eq!(shown(&order(1_000, 1_879, 21), Side::Sell).as_deref(), Some("5.00 %"));
        assert_eq!(shown(&order(1_000, 0, 0), Side::Buy), None);
        assert_eq!(impact(&order(1, 1, 0), Side::Buy, 0), None);
    }
}
