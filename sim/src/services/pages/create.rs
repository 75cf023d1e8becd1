//! `/create`: a form that launches a token, with a preview of its curve, its fees and what its creator pays.
use std::sync::Arc;

use alloy::primitives::{Address, Bytes, U256};
use alloy::sol_types::SolCall;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::ILaunchHook;
use slipway_math::fees::Fees;

use super::account::newest;
use super::amount::{Asset, exact};
use super::curve::Curve;
use super::draft::{
    DESCRIPTION, Draft, Field, GAIN, IMAGE, MESSENGER, MICROBLOG, NAME, PREBUY, PROTECTION, PROTECTIONS,
    Plan, REFERRAL, SPLIT, START, TARGET, TICKER, WEBSITE,
};
use super::layout::{Frame, LINKS, cell, heads, page, table, token_link_with, with};
use super::number::{ago, percent_down};
use super::sender::{Prepared, SCRIPTS, Sender, refused};
use super::{CHAIN, Pages, Problem, tokens};
use crate::api::TradeCall;
use crate::api::refusal::Refusal;
use crate::services::input::Query;
use crate::state::figure::Figure;
use crate::state::token::{SUPPLY, WHOLE};

/// Launches of the account that are shown.
const SHOWN: u64 = 5;

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    let chain_id = Query::decode(&uri)?.read(&CHAIN)?.unwrap_or(ChainId::PRIMARY.0);
    let sender = Sender::asked(&pages, &uri, &headers, chain_id)?;
    let draft = Draft::read(&uri, pages.now());
    let launch = Launch { prepared: prepare(&pages, &sender, &draft).await, draft, sender };
    let content = html! {
        h1 { "Create a token" }
        div.columns {
            (launch.form(&pages, &uri))
            (launch.preview())
        }
        (launch.latest(&pages))
    };
    let frame = Frame { title: "Create", source: Some("/live".into()), scripts: SCRIPTS, links: LINKS };
    Ok(page(&frame, &pages.standing(), &content))
}

/// The launch that the form describes.
struct Launch {
    draft: Draft,
    sender: Sender,
    /// The transaction with its gas, or why the chain would refuse it; none while a field is empty or wrong.
    prepared: Option<Result<Ready, Refusal>>,
}

struct Ready {
    prepared: Prepared,
    /// The most that its gas costs now, in wei.
    gas: U256,
}

/// The launch as a transaction of the account; the chain executes it on trial.
async fn prepare(pages: &Pages, sender: &Sender, draft: &Draft) -> Option<Result<Ready, Refusal>> {
    let account = sender.account?;
    if !draft.missing.is_empty() || !draft.wrong.is_empty() {
        return None;
    }
    Some(on_trial(pages, sender.chain_id, account, draft).await)
}

async fn on_trial(pages: &Pages, chain_id: u64, account: Address, draft: &Draft) -> Result<Ready, Refusal> {
    let engine = &pages.api.engine;
    let (chain, deployment) = engine.chain(chain_id)?;
    let out_of_reach = |_| Refusal::chain_out_of_reach(chain_id);
    let balance = chain.balance(account).await.map_err(out_of_reach)?;
    if balance < draft.prebuy {
        let has = exact(balance, super::amount::DECIMALS);
        return Err(Refusal::conflict("page-balance", format!("the account has {has} ETH only")));
    }
    let call = TradeCall { to: deployment.hook, data: encoded(draft), value: draft.prebuy };
    let gas = engine.estimate(chain_id, account, &call).await?;
    let price = chain.gas_price().await.map_err(out_of_reach)?;
    let mut prepared = Prepared::new("Launch", account, call.to, &call.data, call.value);
    prepared.call["gas"] = format!("{gas:#x}").into();
    Ok(Ready { prepared, gas: U256::from(gas) * U256::from(price) })
}

/// The call of the launch; without a referral code it is the plain function.
fn encoded(draft: &Draft) -> Bytes {
    let params = draft.params.clone();
    if draft.referral.is_empty() {
        return ILaunchHook::createLaunchCall { params }.abi_encode().into();
    }
    ILaunchHook::createLaunchWithReferralCall { params, referralCode: draft.referral.clone() }
        .abi_encode()
        .into()
}

impl Launch {
    fn form(&self, pages: &Pages, uri: &Uri) -> Markup {
        let chains = pages.api.engine.chains().map(|(chain, _)| chain.id());
        html! {
            section.tile aria-labelledby="launch-title" {
                h2 #launch-title { "Launch" }
                // Another chain is another page: a connected wallet stays with the chain of its page.
                div #chains data-live {
                    nav.tabs aria-label="Chain" {
                        @for chain_id in chains {
                            a href=(with(uri, CHAIN.name, &chain_id.to_string())) aria-current=[(chain_id == self.sender.chain_id).then_some("true")] {
                                "Chain " (chain_id)
                            }
                        }
                    }
                }
                form #order method="get" action="/create" data-asks data-sends {
                    input type="hidden" name=(CHAIN.name) value=(self.sender.chain_id);
                    div.sided { (input(uri, NAME, "1 to 48 characters")) (input(uri, TICKER, "1 to 12 characters, no $")) }
                    label {
                        (DESCRIPTION.label)
                        textarea name=(DESCRIPTION.name) rows="3" placeholder="1 to 500 characters" { (DESCRIPTION.typed(uri)) }
                    }
                    (input(uri, IMAGE, "https://…"))
                    div.sided {
                        @for field in [WEBSITE, MICROBLOG, MESSENGER] { (input(uri, field, "https://…, optional")) }
                    }
                    div.sided {
                        (number(uri, TARGET, "ETH, 1 to 5"))
                        (number(uri, GAIN, "1 to 21"))
                        (number(uri, SPLIT, "0 to 10000 bps"))
                        (number(uri, PREBUY, "ETH, at most the raise"))
                        (number(uri, START, "Unix time or 0"))
                        label {
                            (PROTECTION.label)
                            select name=(PROTECTION.name) {
                                @let chosen = PROTECTION.typed(uri);
                                @for seconds in PROTECTIONS {
                                    option value=(seconds) selected[chosen == seconds.to_string()] {
                                        @if seconds == 0 { "no trade" } @else { "the first " (seconds) " s" }
                                    }
                                }
                            }
                        }
                    }
                    div.sided {
                        (input(uri, REFERRAL, "optional"))
                        (self.sender.accounts(pages))
                        (self.sender.wallets())
                    }
                    (self.terms())
                    (Sender::button("Launch"))
                }
            }
        }
    }

    /// What is missing or wrong, or what the creator pays.
    fn terms(&self) -> Markup {
        let Self { draft, sender, prepared } = self;
        let ether = Asset::native();
        let content = html! {
            @for rule in &draft.wrong { p.warning { (rule) } }
            @if !draft.missing.is_empty() { p.muted { "Still to fill in: " (draft.missing.join(", ").to_lowercase()) "." } }
            @match prepared {
                None => {}
                Some(Err(refusal)) => (refused(refusal)),
                Some(Ok(Ready { gas, .. })) => dl.terms {
                    @if let Some(plan) = draft.plan.as_ref().filter(|plan| plan.bought.cost > 0) {
                        dt { "Pays for tokens" } dd #pays { (ether.amount(U256::from(plan.bought.cost))) }
                    }
                    dt { "Gas, at most" } dd #gas { (ether.amount(*gas)) }
                },
            }
        };
        let prepared = prepared.as_ref().and_then(|prepared| prepared.as_ref().ok());
        sender.prepared(prepared.map(|ready| &ready.prepared), &content)
    }

    fn preview(&self) -> Markup {
        html! {
            section.tile #preview data-live aria-labelledby="preview-title" {
                h2 #preview-title { "Preview" }
                @match &self.draft.plan {
                    Some(plan) => { (curve(plan)) (fees(plan)) }
                    None => p.muted { "Curve and fees are shown as soon as their fields are right." },
                }
            }
        }
    }

    /// What the account launched last, with links to the pages of the tokens.
    fn latest(&self, pages: &Pages) -> Markup {
        let now = pages.now();
        let launched = self.sender.account.map(|owner| newest(&pages.api.read(), owner, SHOWN, now).tokens);
        let launched = launched.unwrap_or_default();
        let rows = html! {
            @for token in &launched {
                tr data-transaction=(token.launch.transaction) {
                    th scope="row" { (token_link_with(token, &tokens::marks(token))) }
                    (cell("Raised", "", &tokens::raised(token)))
                    (cell("Created", "n", &ago(token.birth.created_at, now)))
                }
            }
        };
        html! {
            section #launched data-live data-leads aria-labelledby="launched-title" {
                h2 #launched-title { "Latest launches of the account" }
                @if launched.is_empty() { p.muted { "None yet." } } @else {
                    (table("Latest launches", &heads(&[("Token", ""), ("Raised", ""), ("Created", "n")]), &rows))
                }
            }
        }
    }
}

fn input(uri: &Uri, field: Field, hint: &str) -> Markup {
    html! { label { (field.label) input name=(field.name) value=(field.typed(uri)) placeholder=(hint) autocomplete="off"; } }
}

/// A field for a number, with its unit and bounds in the label: no placeholder shows behind the default.
fn number(uri: &Uri, field: Field, hint: &str) -> Markup {
    html! {
        label {
            span { (field.label) ", " (hint) }
            input name=(field.name) value=(field.typed(uri)) inputmode="decimal" autocomplete="off";
        }
    }
}

/// The curve with what the creator buys, and the prices at its ends.
fn curve(plan: &Plan) -> Markup {
    let Plan { curve, bought, .. } = plan;
    let ether = Asset::native();
    let part = |units: u128| percent_down(Figure::of_ratio(units, SUPPLY));
    let after = bought.position_after;
    html! {
        (Curve::planned(*curve, after).picture(&ether, after.contributions, None))
        dl.terms {
            dt { "Market cap at start" } dd { (ether.amount(curve.market_cap_down(0))) }
            dt { "Market cap at graduation" } dd #cap { (ether.amount(curve.market_cap_down(curve.sale_supply()))) }
            dt { "Sold on the curve" } dd #sale { (part(curve.sale_supply())) }
            dt { "Into the pool" } dd { (part(curve.liquidity_supply())) " and the raise" }
            @if bought.tokens_out > 0 {
                dt { "Bought at once" } dd #bought { (part(bought.tokens_out)) " for " (ether.amount(U256::from(bought.cost))) }
            }
        }
    }
}

/// The parts of each trade that are kept, and what they come to.
fn fees(plan: &Plan) -> Markup {
    let of_hundred = Fees::of_gross_down(100 * WHOLE, plan.split_bps);
    let percent = |units: u128| format!("{} %", exact(U256::from(units), super::amount::DECIMALS));
    let ether = Asset::native();
    html! {
        h3 { "Fees of each trade" }
        dl.terms {
            dt { "Protocol" } dd { (percent(of_hundred.protocol)) }
            dt { "Creator" } dd #creator { (percent(of_hundred.creator)) }
            dt { "Buys back and burns" } dd { (percent(of_hundred.buyback)) }
            dt { "Creator earns until graduation" } dd #earns { (ether.amount(U256::from(plan.fees().creator))) }
        }
    }
}
