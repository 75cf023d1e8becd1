//! The market in the console: launches, trades, graduations, and switches.
use maud::{Markup, html};

use super::Console;
use super::accounts::Accounts;
use super::form::{Field, dangerous, form, forms, tile};
use crate::address::short;
use crate::api::Api;
use crate::api::tokens::Version;

/// Maximum number of tokens suggested, the newest; any other can be typed.
const PROPOSED: usize = 100;

pub(super) const CHAINS: Field<'_> =
    Field::JsonChoice("chainId", "Chain", &[("57073", "57073"), ("4663", "4663")]);
/// A token has at most one address per chain, and usually the address is unique.
const TOKEN_CHAIN: Field<'_> =
    Field::JsonChoice("chainId", "Chain", &[("", "the token's"), ("57073", "57073"), ("4663", "4663")]);
const TOKEN: Field<'_> = Field::Picked("token", "Token", "tokens");

pub(super) fn tab(console: &Console) -> Markup {
    let accounts = Accounts::of(&console.api);
    let names = accounts.choices("the first");
    let account = Field::Choice("account", "Account", &names);
    let launch = form(
        "POST",
        "/_sim/launches",
        "Launch",
        &[
            CHAINS,
            Field::Text("name", "Name", "Console token"),
            Field::Text("ticker", "Ticker", "CON"),
            Field::Text("targetRaise", "Target raise (ETH)", "1"),
            Field::Text("prebuy", "Prebuy (ETH)", ""),
            Field::Number("antiSnipeDuration", "Anti-snipe window (seconds)", ""),
            account,
        ],
    );
    let trade = form(
        "POST",
        "/_sim/trades",
        "Trade",
        &[
            TOKEN_CHAIN,
            TOKEN,
            Field::Choice("side", "Side", &[("buy", "buy"), ("sell", "sell")]),
            Field::Text("amount", "Amount (whole units)", "0.1"),
            account,
        ],
    );
    let graduate =
        dangerous("POST", "/_sim/tokens/{token}/graduate", "Graduate", &[TOKEN_CHAIN, TOKEN, account]);
    let switches = html! {
        div.dangerous {
            (forms("/_sim/tokens/{token}/disabled", &[("PUT", "Disable token"), ("DELETE", "Restore token")], &[TOKEN]))
            (forms("/_sim/creation-paused?chainId={chainId}", &[("PUT", "Pause creation"), ("DELETE", "Resume creation")], &[
                CHAINS,
            ]))
        }
    };
    html! {
        (tile("launch-title", "Launch", &launch))
        (tile("trade-title", "Trade", &trade))
        (tile("graduate-title", "Graduate", &graduate))
        (tile("switches-title", "Switches", &switches))
        (tokens(&console.api))
    }
}

/// The newest tokens, as a list that suggests values to fields.
pub(super) fn tokens(api: &Api) -> Markup {
    let newest = api.newest_markets(PROPOSED);
    html! {
        div #proposed data-live hidden {
            datalist #tokens {
                @for token in &newest {
                    option value=(token.launch.token.to_checksum(None)) {
                        (token.launch.metadata.name) " (" (token.launch.metadata.ticker) "), chain " (token.chain_id)
                    }
                }
            }
            datalist #launches {
                @for token in newest.iter().filter(|token| token.launch.version == Version::V2) {
                    option value=(token.launch.launch_id) {
                        (token.launch.metadata.name) " " (short(token.launch.token)) ", chain " (token.chain_id)
                    }
                }
            }
        }
    }
}
