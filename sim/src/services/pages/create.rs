//! `/create`: a form that launches a token, with a preview of its curve, its fees and the creator's payment.
use std::sync::Arc;

use alloy::primitives::U256;
use axum::extract::State;
use axum::http::{HeaderMap, Uri};
use maud::{Markup, html};
use slipway_contracts::ChainId;
use slipway_math::fees::Fees;

use super::account::newest;
use super::amount::{Asset, exact};
use super::curve::Curve;
use super::draft::{
    DESCRIPTION, Draft, Field, GAIN, IMAGE, MESSENGER, MICROBLOG, NAME, PREBUY, PROTECTION, PROTECTIONS,
    Plan, QUOTE, REFERRAL, SPLIT, START, TARGET, TICKER, WEBSITE,
};
use super::launch::{Ready, Venue, prepare};
use super::layout::{Frame, LINKS, cell, heads, page, table, token_link_with, with};
use super::number::{ago, percent_down};
use super::sender::{SCRIPTS, Sender, refused};
use super::{Pages, Problem, chosen_chain, tokens};
use crate::api::figure::Figure;
use crate::api::refusal::Refusal;
use crate::api::tokens::{SUPPLY, WHOLE};

/// Number of the account's launches shown.
const SHOWN: u64 = 5;

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<Markup, Problem> {
    let chain_id = chosen_chain(&uri)?.unwrap_or(ChainId::PRIMARY.0);
    let sender = Sender::asked(&pages, &uri, &headers, chain_id)?;
    let venue = Venue::asked(&pages, &uri, chain_id)?;
    let draft = Draft::read(&uri, pages.now());
    let prepared = match sender.account {
        Some(account) if draft.missing.is_empty() && draft.wrong.is_empty() => {
            Some(prepare(&pages, &venue, account, &draft).await)
        }
        _ => None,
    };
    let launch = Launch { draft, venue, sender, prepared };
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

/// The launch entered in the form.
struct Launch {
    draft: Draft,
    venue: Venue,
    sender: Sender,
    /// The transaction with its gas, or the reason why the chain would refuse it; `None` while a field is empty or wrong.
    prepared: Option<Result<Ready, Refusal>>,
}

impl Launch {
    fn form(&self, pages: &Pages, uri: &Uri) -> Markup {
        html! {
            section.tile aria-labelledby="launch-title" {
                h2 #launch-title { "Launch" }
                // Another chain is another page: a connected wallet stays with its page's chain.
                div #chains data-live {
                    nav.tabs aria-label="Chain" {
                        @for chain_id in pages.api.chain_ids() {
                            a href=(on_chain(uri, chain_id)) aria-current=[(chain_id == self.sender.chain_id).then_some("true")] {
                                "Chain " (chain_id)
                            }
                        }
                    }
                }
                form #order method="get" action="/create" data-asks data-sends {
                    input type="hidden" name="chainId" value=(self.sender.chain_id);
                    div.sided { (self.input(uri, NAME, "1 to 48 characters")) (self.input(uri, TICKER, "1 to 12 characters, no $")) }
                    label {
                        (DESCRIPTION.label)
                        textarea name=(DESCRIPTION.name) rows="3" placeholder="1 to 500 characters" aria-describedby=(wrong_id(DESCRIPTION)) { (DESCRIPTION.typed(uri)) }
                        (self.wrong(DESCRIPTION))
                    }
                    (self.input(uri, IMAGE, "https://…, optional"))
                    div.sided {
                        @for field in [WEBSITE, MICROBLOG, MESSENGER] { (self.input(uri, field, "https://…, optional")) }
                    }
                    div.sided {
                        (self.quotes(uri))
                        (self.number(uri, TARGET, &self.in_units("1 to 5")))
                        (self.number(uri, PREBUY, &self.in_units("at most the raise")))
                        (self.number(uri, GAIN, &html! { "1 to 21" }))
                        (self.number(uri, SPLIT, &html! { "0 to 10000 bps" }))
                        (self.number(uri, START, &html! { "Unix time or 0" }))
                        label {
                            (PROTECTION.label) ", trades need a captcha"
                            select name=(PROTECTION.name) aria-describedby=(wrong_id(PROTECTION)) {
                                @let chosen = PROTECTION.typed(uri);
                                @for seconds in PROTECTIONS {
                                    option value=(seconds) selected[chosen == seconds.to_string()] {
                                        @if seconds == 0 { "none" } @else { "the first " (seconds) " s" }
                                    }
                                }
                            }
                            (self.wrong(PROTECTION))
                        }
                    }
                    div.sided {
                        (self.input(uri, REFERRAL, "optional"))
                        (self.sender.accounts(pages))
                        (self.sender.wallets())
                    }
                    (self.terms())
                    (Sender::button("Launch"))
                }
            }
        }
    }

    /// The choice of the quote asset, if the chain has several.
    fn quotes(&self, uri: &Uri) -> Markup {
        let chosen = QUOTE.typed(uri);
        html! {
            @if !self.venue.others.is_empty() {
                label {
                    (QUOTE.label)
                    select name=(QUOTE.name) {
                        option value="" { (Asset::native().symbol) }
                        @for symbol in &self.venue.others { option value=(symbol) selected[chosen == *symbol] { (symbol) } }
                    }
                }
            }
        }
    }

    /// Bounds in units of the quote asset.
    fn in_units(&self, bounds: &str) -> Markup {
        html! { bdi { (self.venue.asset.symbol) } ", " (bounds) }
    }

    fn input(&self, uri: &Uri, field: Field, hint: &str) -> Markup {
        html! {
            label {
                (field.label)
                input name=(field.name) value=(field.typed(uri)) placeholder=(hint) autocomplete="off" aria-describedby=(wrong_id(field));
                (self.wrong(field))
            }
        }
    }

    /// A field for a number, with its unit and bounds in the label: no placeholder shows behind the default.
    fn number(&self, uri: &Uri, field: Field, bounds: &Markup) -> Markup {
        html! {
            label {
                span id={ "bounds-" (field.name) } data-live { (field.label) ", " (bounds) }
                input name=(field.name) value=(field.typed(uri)) inputmode="decimal" autocomplete="off" aria-describedby=(wrong_id(field));
                (self.wrong(field))
            }
        }
    }

    /// The place below a field for what is wrong with it.
    fn wrong(&self, field: Field) -> Markup {
        let rule = self.draft.wrong.iter().find(|(name, _)| *name == field.name);
        html! { span.warning id=(wrong_id(field)) data-live { @if let Some((_, rule)) = rule { (rule) } } }
    }

    /// The missing fields, or the creator's payment.
    fn terms(&self) -> Markup {
        let Self { draft, venue, sender, prepared } = self;
        let asset = &venue.asset;
        let content = html! {
            @if !draft.missing.is_empty() { p.muted { "Still to fill in: " (draft.missing.join(", ").to_lowercase()) "." } }
            @match prepared {
                None => {}
                Some(Err(refusal)) => (refused(refusal)),
                Some(Ok(ready)) => {
                    dl.terms {
                        @if let Some(plan) = draft.plan.as_ref().filter(|plan| plan.bought.cost > 0) {
                            dt { "Pays for tokens" } dd #pays { (asset.amount(U256::from(plan.bought.cost))) }
                        }
                        dt { "Account has" } dd #has { (asset.balance(ready.balance)) }
                        @if let Some(gas) = ready.gas { dt { "Gas, at most" } dd #gas { (Asset::native().amount(gas)) } }
                    }
                    @if ready.prepared.more {
                        p.muted { "The launch contract is approved for " (asset.amount(draft.prebuy)) " first." }
                    }
                }
            }
        };
        let prepared = prepared.as_ref().and_then(|prepared| prepared.as_ref().ok());
        sender.prepared(prepared.map(|ready| &ready.prepared), &content)
    }

    fn preview(&self) -> Markup {
        let asset = &self.venue.asset;
        html! {
            section.tile #preview data-live aria-labelledby="preview-title" {
                h2 #preview-title { "Preview" }
                @match &self.draft.plan {
                    Some(plan) => { (curve(plan, asset)) (fees(plan, asset)) }
                    None => p.muted { "Curve and fees are shown as soon as their fields are right." },
                }
            }
        }
    }

    /// The account's latest launches, with links to the tokens' pages.
    fn latest(&self, pages: &Pages) -> Markup {
        let now = pages.now();
        let launched = self.sender.account.map(|owner| pages.api.by_owner(&newest(owner, SHOWN)).tokens);
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

fn wrong_id(field: Field) -> String {
    format!("wrong-{}", field.name)
}

/// The address of the form for the same launch on another chain, which has other quote assets.
fn on_chain(uri: &Uri, chain_id: u64) -> String {
    let without = with(uri, QUOTE.name, "").parse().unwrap_or_else(|_| uri.clone());
    with(&without, "chainId", &chain_id.to_string())
}

/// The curve with the creator's purchase, and the prices at its ends.
fn curve(plan: &Plan, asset: &Asset) -> Markup {
    let Plan { curve, bought, .. } = plan;
    let part = |units: u128| percent_down(Figure::of_ratio(units, SUPPLY));
    let after = bought.position_after;
    html! {
        (Curve::planned(*curve, after).picture(asset, after.contributions, None))
        dl.terms {
            dt { "Market cap at start" } dd { (asset.amount(curve.market_cap_down(0))) }
            dt { "Market cap at graduation" } dd #cap { (asset.amount(curve.market_cap_down(curve.sale_supply()))) }
            dt { "Sold on the curve" } dd #sale { (part(curve.sale_supply())) }
            dt { "Into the pool" } dd { (part(curve.liquidity_supply())) " and the raise" }
            @if bought.tokens_out > 0 {
                dt { "Prebuy" } dd #bought { (part(bought.tokens_out)) " for " (asset.amount(U256::from(bought.cost))) }
            }
        }
    }
}

/// The fees as parts of each trade, and their totals.
fn fees(plan: &Plan, asset: &Asset) -> Markup {
    let of_hundred = Fees::of_gross_down(100 * WHOLE, plan.split_bps);
    let percent = |units: u128| format!("{} %", exact(U256::from(units), super::amount::DECIMALS));
    html! {
        h3 { "Fees of each trade" }
        dl.terms {
            dt { "Protocol" } dd { (percent(of_hundred.protocol)) }
            dt { "Creator" } dd #creator { (percent(of_hundred.creator)) }
            dt { "Buys back and burns" } dd { (percent(of_hundred.buyback)) }
            dt { "Creator earns until graduation" } dd #earns { (asset.amount(U256::from(plan.fees().creator))) }
        }
    }
}
