//! Every field of every answer: what it means, from what it is computed, and which clause holds it to that. What is held to its
//! form only says why.
mod answers;

use std::fmt::Write as _;

use Held::{By, FormOnly};
use answers::{DEPLOYMENT, OTHERS, Row};

/// How a field is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Held {
    /// To its meaning, by the checks of this clause.
    By(&'static str),
    /// To its form only, for this reason.
    FormOnly(&'static str),
}

/// One field of one answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// `rest` or `swap`.
    pub service: &'static str,
    /// Method and path.
    pub operation: &'static str,
    /// JSON pointer; `*` stands for every element of an array.
    pub pointer: String,
    /// What it means.
    pub meaning: &'static str,
    /// From what it is computed.
    pub source: &'static str,
    /// How it is held.
    pub held: Held,
}

/// Where token objects are shown: the letter that rows name, service operation, and the pointer of the object.
const TOKENS_AT: &[(char, &str, &str)] = &[
    ('L', "GET /api/tokens", "/tokens/*"),
    ('O', "GET /api/tokens/by-owner", "/tokens/*"),
    ('B', "GET /api/tokens/batch", "/tokens/*"),
    ('B', "POST /api/tokens/batch", "/tokens/*"),
    ('R', "GET /api/tokens/recent-v2", "/tokens/*"),
    ('T', "GET /api/token", ""),
    ('E', "GET /api/eoti", ""),
    ('T', "GET /api/koti", ""),
];

/// Name, where it is shown, clause, meaning, source.
type TokenRow = (&'static str, &'static str, &'static str, &'static str, &'static str);

/// The fields of a token object.
const TOKEN: &[TokenRow] = &[
    ("address", "LOBRTE", "FIG-SAME", "the token contract", "the log of the launch"),
    (
        "created_at",
        "LOBRTE",
        "FIG-CREATED",
        "when it was launched",
        "time of the block of the creating transaction",
    ),
    ("owner", "LOBRTE", "FIG-IDENTITY", "who launched it", "creator in the log of the launch"),
    ("name", "LOBRTE", "FIG-IDENTITY", "its name", "texts in the log of the launch"),
    ("ticker", "LOBRTE", "FIG-IDENTITY", "its symbol", "texts in the log of the launch"),
    (
        "description",
        "LOBRTE",
        "FIG-IDENTITY",
        "what its creator says of it",
        "texts in the log of the launch",
    ),
    ("image_url", "LOBRTE", "FIG-IDENTITY", "its logo", "texts in the log of the launch"),
    (
        "messenger",
        "BRTE",
        "FIG-IDENTITY",
        "its messaging channel, null without one",
        "texts in the log of the launch",
    ),
    (
        "microblog",
        "BRTE",
        "FIG-IDENTITY",
        "its microblog profile, null without one",
        "texts in the log of the launch",
    ),
    ("website", "BRTE", "FIG-IDENTITY", "its site, null without one", "texts in the log of the launch"),
    (
        "market_cap",
        "LOBRTE",
        "FIG-MCAP",
        "price of the whole supply in ETH",
        "the price times 10^9 tokens, at the price of the quote asset, cut to the wei and to 15 digits",
    ),
    (
        "funding_progress",
        "LOBRTE",
        "FIG-PROGRESS",
        "net contributions over target",
        "stored state of the launch; 1 only when graduated",
    ),
    (
        "price_eth",
        "LBRTE",
        "FIG-PRICE",
        "price of a token in ETH",
        "curve at the stored position, or slot of the pool, or reserves of the pair, at the price of the quote asset; cut to the wei",
    ),
    (
        "volume_24h",
        "LOBRTE",
        "FIG-VOLUME",
        "traded within a day, ETH",
        "sum of the logged trades younger than 86400 seconds, gross of fees, buybacks left out",
    ),
    (
        "price_change_24h",
        "LBRTE",
        "FIG-CHANGE",
        "change of the price within a day, percent",
        "price now against the last one before the window, else the opening one",
    ),
    ("txns_24h_buys", "BRTE", "FIG-TXNS", "purchases within a day", "logged trades"),
    ("txns_24h_sells", "BRTE", "FIG-TXNS", "sales within a day", "logged trades"),
    (
        "volume_1h",
        "RTE",
        "FIG-VOLUME",
        "traded within an hour, ETH",
        "sum of the logged trades younger than 3600 seconds",
    ),
    (
        "price_change_1h",
        "RTE",
        "FIG-CHANGE",
        "change of the price within an hour, percent",
        "price now against the last one before the window, else the opening one",
    ),
    ("txns_1h_buys", "RTE", "FIG-TXNS", "purchases within an hour", "logged trades"),
    ("txns_1h_sells", "RTE", "FIG-TXNS", "sales within an hour", "logged trades"),
    ("txns_total", "RT", "FIG-RECORD", "trades ever", "logged trades on curve, pool and pair"),
    (
        "total_holders",
        "LOBRTE",
        "FIG-HOLDERS",
        "accounts with a balance",
        "transfers; contracts of the platform left out",
    ),
    (
        "top_10_percentage",
        "BRTE",
        "FIG-HOLDERS",
        "what the ten largest hold, percent",
        "transfers, over the supply that was not burned",
    ),
    (
        "dev_holding_percentage",
        "BRTE",
        "FIG-HOLDERS",
        "what the creator holds, percent",
        "transfers, over the supply that was not burned",
    ),
    ("is_graduated", "OBRT", "FIG-IDENTITY", "whether funding is complete", "log of the graduation"),
    ("version", "RT", "FIG-RECORD", "v1 or v2", "the contract that launched it"),
    ("chain_id", "RT", "FIG-RECORD", "its chain", "the chain of the log"),
    (
        "hook_address",
        "RT",
        "FIG-RECORD",
        "launch hook or token factory",
        "the contract that logged the launch",
    ),
    ("launch_id", "RT", "FIG-RECORD", "number of the launch at its hook, null for V1", "log of the launch"),
    (
        "target_raise",
        "RT",
        "FIG-RECORD",
        "net contributions that graduate it, smallest units",
        "stored state of the launch",
    ),
    (
        "gain_bps",
        "RT",
        "FIG-RECORD",
        "end price over start price less one, basis points",
        "stored state of the launch",
    ),
    (
        "creator_fee_split_bps",
        "RT",
        "FIG-RECORD",
        "the creator's share of the variable fee, basis points",
        "stored state of the launch",
    ),
    ("anti_snipe_seconds", "RT", "FIG-RECORD", "length of the protected time", "stored state of the launch"),
    ("start_time", "RT", "FIG-RECORD", "when trading opens, Unix seconds", "stored state of the launch"),
    ("transaction_hash", "RT", "FIG-RECORD", "the creating transaction", "log of the launch"),
    ("block_number", "RT", "FIG-RECORD", "its block", "log of the launch"),
    ("pool", "RT", "FIG-RECORD", "v4 pool or v2 pair, null until graduated", "log of the graduation"),
    (
        "quote_asset",
        "RT",
        "FIG-RECORD",
        "what it is sold for, null for the native coin",
        "stored state of the launch",
    ),
    ("quote_asset_symbol", "RT", "FIG-RECORD", "symbol of that asset", "the asset's contract"),
    ("quote_asset_name", "RT", "FIG-RECORD", "name of that asset", "the asset's contract"),
    ("quote_asset_decimals", "RT", "FIG-RECORD", "decimals of that asset", "the asset's contract"),
    (
        "quote_asset_price_eth",
        "RT",
        "FIG-RECORD",
        "price of that asset in ETH",
        "slot of its v4 pool with the native coin that has no hook and a usual fee",
    ),
    (
        "price_in_asset",
        "RT",
        "FIG-RECORD",
        "price of a token in that asset",
        "curve at the stored position, or slot of the pool; cut to 18 decimals",
    ),
    (
        "market_cap_in_asset",
        "RT",
        "FIG-RECORD",
        "price of the whole supply in that asset",
        "the price times 10^9 tokens",
    ),
    (
        "volume_24h_in_asset",
        "RT",
        "FIG-RECORD",
        "traded within a day, that asset",
        "sum of the logged trades",
    ),
    (
        "volume_1h_in_asset",
        "RT",
        "FIG-RECORD",
        "traded within an hour, that asset",
        "sum of the logged trades",
    ),
];

/// Every field of every answer, in the order of the interface.
#[must_use]
pub fn fields() -> Vec<Field> {
    let tokens = TOKENS_AT.iter().flat_map(|(letter, operation, prefix)| {
        TOKEN.iter().filter(move |row| row.1.contains(*letter)).map(
            move |(name, _, clause, meaning, source)| Field {
                service: "rest",
                operation,
                pointer: format!("{prefix}/{name}"),
                meaning,
                source,
                held: By(clause),
            },
        )
    });
    let others = OTHERS.iter().flat_map(|(service, operation, rows)| {
        rows.iter().map(move |row| of_row(service, operation, "", row))
    });
    let deployments =
        ["/activeCreationDeployment", "/tradeableDeployments/*"].into_iter().flat_map(|prefix| {
            DEPLOYMENT.iter().map(move |row| of_row("rest", "GET /api/capabilities", prefix, row))
        });
    tokens.chain(others).chain(deployments).collect()
}

fn of_row(service: &'static str, operation: &'static str, prefix: &str, row: &Row) -> Field {
    let (pointer, held, meaning, source) = *row;
    Field { service, operation, pointer: format!("{prefix}{pointer}"), meaning, source, held }
}

/// The table as a page of documentation.
#[must_use]
pub fn document() -> String {
    let mut page = String::from(
        "# What each field means\n\n\
         For every field of every answer: what it means, from what it is computed, and the clause whose checks recompute it from that\n\
         source, which is not the service (`slipway explain CLAUSE` names the checks). This page is made from the table in\n\
         `scenarios/src/fields`; a test says when it is stale.\n\n\
         ## Tokens\n\n\
         Shown by `GET /api/tokens` (L), by-owner (O), both forms of batch (B), recent-v2 (R), `GET /api/token` and `GET /api/koti` (T),\n\
         `GET /api/eoti` (E).\n\n\
         | field | in | meaning | computed from | held by |\n|---|---|---|---|---|\n",
    );
    for (name, shown, clause, meaning, source) in TOKEN {
        let _ = writeln!(page, "| `{name}` | {shown} | {meaning} | {source} | {clause} |");
    }
    for (service, operation, rows) in OTHERS {
        let _ = write!(page, "\n## `{operation}` ({service})\n\n");
        table(&mut page, rows);
    }
    page.push_str("\n## A deployment of the capabilities\n\nAs `activeCreationDeployment`, and in `tradeableDeployments`.\n\n");
    table(&mut page, DEPLOYMENT);
    page
}

fn table(page: &mut String, rows: &[Row]) {
    page.push_str("| field | meaning | computed from | held by |\n|---|---|---|---|\n");
    for (pointer, held, meaning, source) in rows {
        let held = match held {
            By(clause) => (*clause).to_owned(),
            FormOnly(reason) => format!("its form only: {reason}"),
        };
        let _ = writeln!(page, "| `{pointer}` | {meaning} | {source} | {held} |");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Held, TOKEN, fields};

    #[test]
    fn fields_are_unique_and_reference_known_clauses() {
        let mut seen = BTreeSet::new();
        for field in fields() {
            assert!(seen.insert((field.service, field.operation, field.pointer.clone())), "{field:?}");
            match field.held {
                Held::By(id) => assert!(crate::clause(id).is_some(), "{field:?}"),
                Held::FormOnly(reason) => assert!(!reason.is_empty()),
            }
        }
    }

    #[test]
    fn token_fields_are_those_that_the_checks_recompute() {
        for (name, _, clause, ..) in TOKEN {
            let held = crate::sections::meaning::clause_of(name);
            assert!(held == Some(clause) || *name == "address", "{name}: {held:?}");
        }
    }
}
