//! The form that buys and sells, and the quote for the amount typed: what the contract's own preview says, to the unit.
//!
//! The page never holds a key. Its script hands the quoted calls to the chain's node, which sends them for the funded account
//! that was chosen (`anvil_impersonateAccount`, `eth_sendTransaction`): every account is funded with test money, and whoever
//! reaches the node may do that anyway.
use alloy::primitives::{Address, Bytes};
use alloy::sol_types::SolCall;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};
use serde_json::{Value, json};
use slipway_contracts::bindings::{CaptchaAuth, IERC20};

use super::amount::{Asset, units};
use super::{Pages, layout, sent};
use crate::api::refusal::Refusal;
use crate::api::tokens::view::TokenView;
use crate::engine::{TradeMarket, TradeOrder};
use crate::event::Side;
use crate::services::input::{DefaultTo, Input, OneOf, Query};

const SIDE: Input<OneOf<Side>, DefaultTo<Side>> = Input {
    name: "side",
    cause: "page-side",
    meaning: "whether to buy or to sell",
    kind: OneOf(&[("buy", Side::Buy), ("sell", Side::Sell)]),
    presence: DefaultTo(Side::Buy),
};

/// A captcha authorisation as the control plane answers it.
#[derive(serde::Deserialize)]
struct Authorisation {
    deadline: u64,
    nonce: alloy::primitives::B256,
    signature: Bytes,
}

/// What is asked of the form.
struct Asked {
    side: Side,
    account: Option<Address>,
    amount: String,
    auth: CaptchaAuth,
}

fn asked(pages: &Pages, uri: &Uri) -> Result<Asked, Refusal> {
    let query = Query::decode(uri)?;
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
    Ok(Asked { side: query.read(&SIDE)?, account: pages.account(&query)?, amount, auth })
}

/// The form with its quote.
pub(super) async fn section(
    pages: &Pages,
    token: &TokenView,
    uri: &Uri,
    headers: &HeaderMap,
) -> Result<Markup, Refusal> {
    let asked = asked(pages, uri)?;
    let node = pages.node_url(token.birth.chain_id, headers);
    let quoted = quote(pages, token, &asked, &node).await?;
    Ok(html! {
        section aria-labelledby="order-title" {
            h2 #order-title { "Buy and sell" }
            form #order method="get" data-asks data-sends {
                input type="hidden" name="chainId" value=(token.birth.chain_id);
                fieldset {
                    legend { "What to do" }
                    label { input type="radio" name="side" value="buy" checked[asked.side == Side::Buy]; " Buy" }
                    label { input type="radio" name="side" value="sell" checked[asked.side == Side::Sell]; " Sell" }
                }
                label {
                    "Amount (to pay when buying, of the token when selling)"
                    input name="amount" inputmode="decimal" autocomplete="off" value=(asked.amount);
                }
                label {
                    "Funded account"
                    select name="account" {
                        @for account in pages.engine.accounts() {
                            @let text = account.address.to_checksum(None);
                            option value=(text) selected[asked.account == Some(account.address)] { (text) }
                        }
                    }
                }
                details {
                    summary { "Captcha authorisation" }
                    label {
                        "As the console mints it (JSON); needed while the launch is protected"
                        textarea name="auth" rows="3" { (sent(uri, "auth")) }
                    }
                }
                (quoted)
                p #balances role="status" {}
                noscript {
                    p {
                        "Without a script this page does not tell what the account has; the node " code { (node) }
                        " answers " code { "eth_getBalance" } " and " code { "balanceOf" } "."
                    }
                }
                button type="submit" { "Trade" }
                p #outcome role="status" {}
            }
        }
    })
}

/// The quote of what is asked; a refusal of the contract is a part of the page.
async fn quote(pages: &Pages, token: &TokenView, asked: &Asked, node: &str) -> Result<Markup, Refusal> {
    let Some(account) = asked.account else {
        return Ok(html! { div #quote data-live { p { "The platform has no funded account." } } });
    };
    let (quote, launched) = (Asset::quote(token), Asset::launched(token));
    let paid = if asked.side == Side::Buy { &quote } else { &launched };
    let order = match units(&asked.amount, paid.decimals) {
        None => Err((!asked.amount.is_empty()).then(|| {
            format!(
                "The amount must be a positive number with at most {} digits after the point.",
                paid.decimals
            )
        })),
        Some(units) => {
            let market = TradeMarket {
                chain_id: token.birth.chain_id,
                launch: token.launch.clone(),
                pool: token.pool,
            };
            let order =
                pages.engine.trade_order(&market, asked.side, units, account, asked.auth.clone()).await;
            order.map_err(|error| Some(Refusal::from(error).message))
        }
    };
    let calls = order.as_ref().ok().map(|order| calls(order, account));
    Ok(html! {
        div #quote data-live aria-live="polite" data-node=(node) data-account=(account.to_checksum(None))
            data-balances=(balances(token, account)) data-calls=[calls] {
            @match &order {
                Ok(order) => (terms(order, asked.side, &quote, &launched)),
                Err(Some(reason)) => { p.warning { (reason) } },
                Err(None) => { p { "Type an amount to see what the contract quotes." } },
            }
        }
    })
}

fn terms(order: &TradeOrder, side: Side, quote: &Asset, launched: &Asset) -> Markup {
    let (paid, received) = if side == Side::Buy { (quote, launched) } else { (launched, quote) };
    html! {
        dl {
            dt { "Pays" } dd #pays { (paid.amount(order.paid)) }
            dt { "Gets" } dd #gets { (received.amount(order.received)) }
            dt { "At least" } dd { (received.amount(order.minimum)) " (" (layout::slippage()) ")" }
            @if let Some(fee) = order.fee { dt { "Fees" } dd { (quote.amount(fee)) } }
            @if !order.refund.is_zero() { dt { "Comes back" } dd { (paid.amount(order.refund)) } }
        }
    }
}

/// The transactions as the node takes them.
fn calls(order: &TradeOrder, account: Address) -> String {
    let calls = order.calls.iter().map(|call| {
        json!({ "from": account, "to": call.to, "data": call.data, "value": format!("{:#x}", call.value) })
    });
    json!(calls.collect::<Vec<_>>()).to_string()
}

/// What the script asks the node for: what the account has to trade with, with what each answer is of. While the node makes a
/// block it answers no question, and the page is not to wait for that.
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

/// Until when trades on the curve need a captcha authorisation.
pub(super) fn protection(token: &TokenView, now: u64) -> Option<Markup> {
    let end = token.launch.start_time.saturating_add(token.launch.anti_snipe_seconds.into());
    (!token.is_graduated() && now < end).then(|| {
        html! { p.warning { "Until " (layout::moment(end)) " a trade needs a captcha authorisation." } }
    })
}
