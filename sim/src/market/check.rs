//! Checks the rows of a market file before anything is planned from them.
use alloy::primitives::U256;
use slipway_contracts::deploy::quote_symbols;
use slipway_contracts::{ChainId, Quantity, Span};
use slipway_math::curve::MAX_GAIN_BPS;

use super::error::{At, PlanError};
use super::exchange::{PlannedExchange, Side, WRAPPED};
use super::file::{AssetKind, ChatRow, LaunchRow, LaunchVersion, MarketFile, PairRow};
use super::plan::DURATION;
use crate::store::LONGEST_MESSAGE;

/// Largest number of launches in a market.
pub const MOST_LAUNCHES: u32 = 10_000;
/// Maximum number of launches in a file: enough for the largest numbered market, which also has the other launches of the default one.
const MOST_IN_A_FILE: usize = MOST_LAUNCHES as usize + 100;
const MOST_TRADES: usize = 20_000;
const MOST_MESSAGES: usize = 1_000;
const MOST_ROWS: usize = 1_000;
pub(super) const MOST_ACCOUNTS: usize = 1_000;
const MOST_ASSETS: usize = 64;
const MOST_PAIRS: usize = 128;
const MOST_SWAPS: u16 = 10_000;
const MOST_HOLDERS: u32 = 500;

// The bounds of the contracts.
const RAISES: std::ops::RangeInclusive<Quantity> = Quantity::of_whole(1)..=Quantity::of_whole(5);
const WHOLE_BPS: u16 = 10_000;
const PROTECTIONS: [u32; 4] = [0, 20, 40, 60];
const LONGEST_NAME: usize = 192;
const LONGEST_TICKER: usize = 48;
const LONGEST_TEXT: usize = 2_000;
/// Liquidity that a pair keeps forever; a first deposit must create more.
const LOCKED_LIQUIDITY: u64 = 1_000;
/// Maximum of a token in all pairs, in whole units: half of its maker's balance.
const DEPOSITED: Quantity = Quantity::of_whole(500_000_000);

/// Checks each row, and the limits on the whole file.
pub(super) fn rows(file: &MarketFile) -> Result<(), PlanError> {
    sizes(file)?;
    for (name, user) in &file.accounts {
        if usize::from(*user) >= crate::account::USERS {
            let reason = format!("{name:?} is account {user}; there are 0 to {}", crate::account::USERS - 1);
            return Err(At::file().field("accounts").wrong(reason));
        }
    }
    for (index, row) in file.draw.iter().enumerate() {
        let at = At::file().field("draw").index(index);
        chain(&at, row.chain())?;
        if let Some(quote) = &row.quote {
            known_quote(&at, row.chain(), quote)?;
        }
    }
    for (index, row) in file.launch.iter().enumerate() {
        launch(row, &of_launch(index, row))?;
    }
    exchange(file)?;
    for (index, row) in file.referral.iter().enumerate() {
        let at = At::file().field("referral").index(index);
        young(&at, row.age)?;
        if row.account == row.referrer {
            return Err(at.field("referrer").wrong("an account does not refer itself"));
        }
        if file.referral[..index].iter().any(|earlier| earlier.account == row.account) {
            return Err(at.field("account").wrong(format!("{:?} is registered already", row.account)));
        }
    }
    for (index, row) in file.auction.iter().enumerate() {
        if file.auction[..index].iter().any(|earlier| earlier.day >= row.day) {
            let at = At::file().field("auction").index(index).field("day");
            return Err(at.wrong("each day can be won only once, and the days must be in order"));
        }
    }
    Ok(())
}

/// The place of a launch.
pub(super) fn of_launch(index: usize, row: &LaunchRow) -> At {
    At::file().field("launch").index(index).labelled(&row.ticker)
}

fn sizes(file: &MarketFile) -> Result<(), PlanError> {
    let written: u64 = file.launch.iter().map(|row| u64::from(row.count())).sum();
    let drawn: u64 = file.draw.iter().map(super::file::DrawRow::total).sum();
    let each = |row: &LaunchRow, count: usize| {
        usize::try_from(row.count()).unwrap_or(usize::MAX).saturating_mul(count)
    };
    let trades = |row: &LaunchRow| {
        let holders = usize::try_from(row.holders.unwrap_or_default()).unwrap_or(usize::MAX);
        each(row, row.trades.len().saturating_add(holders))
    };
    let sum =
        |count: &dyn Fn(&LaunchRow) -> usize| file.launch.iter().map(count).fold(0, usize::saturating_add);
    for (what, field, count, most) in [
        (
            "launches",
            if written > 0 { "launch" } else { "draw" },
            usize::try_from(written + drawn).unwrap_or(usize::MAX),
            MOST_IN_A_FILE,
        ),
        ("trades and holders", "launch", sum(&trades), MOST_TRADES),
        ("messages", "launch", sum(&|row| each(row, row.chat.len())), MOST_MESSAGES),
        ("accounts", "accounts", file.accounts.len(), MOST_ACCOUNTS),
        ("rows", "draw", file.draw.len(), MOST_ROWS),
        ("tokens", "asset", file.asset.len(), MOST_ASSETS),
        ("pairs", "pair", file.pair.len(), MOST_PAIRS),
        ("swaps", "swaps", usize::from(file.swaps), usize::from(MOST_SWAPS)),
        ("referrals", "referral", file.referral.len(), MOST_ROWS),
    ] {
        if count > most {
            return Err(At::file().field(field).wrong(format!("{count} {what} are more than {most}")));
        }
    }
    Ok(())
}

fn chain(at: &At, chain: u64) -> Result<(), PlanError> {
    if ChainId::ALL.iter().any(|known| known.0 == chain) {
        return Ok(());
    }
    let known = ChainId::ALL.map(|known| known.to_string()).join(" and ");
    Err(at.field("chain").wrong(format!("there is no chain {chain}; there are {known}")))
}

fn known_quote(at: &At, chain: u64, symbol: &str) -> Result<(), PlanError> {
    let known = quote_symbols(ChainId(chain));
    if known.contains(&symbol) {
        return Ok(());
    }
    let reason = match known.as_slice() {
        [] => format!("launches of chain {chain} are sold for the native coin only"),
        known => format!("no launch is sold for {symbol:?}; there are {}", known.join(", ")),
    };
    Err(at.field("quote").wrong(reason))
}

/// Refuses a time before the market's beginning.
fn young(at: &At, age: Option<Span>) -> Result<(), PlanError> {
    match age {
        Some(age) if age.seconds() > DURATION => Err(at.field("age").wrong("it is at most two days")),
        _ => Ok(()),
    }
}

fn launch(row: &LaunchRow, at: &At) -> Result<(), PlanError> {
    chain(at, row.chain())?;
    texts(row, at)?;
    young(at, row.age)?;
    let wrong = |field, reason: &str| Err(at.field(field).wrong(reason));
    if row.count == Some(0) {
        return wrong("count", "it is 1 or more");
    }
    if row.raise.is_some_and(|raise| !RAISES.contains(&raise)) {
        return wrong("raise", "it is from 1 to 5");
    }
    if row.gain_bps.is_some_and(|gain| gain > MAX_GAIN_BPS) {
        return wrong("gain-bps", "it is at most 200000");
    }
    if row.creator_split_bps.is_some_and(|split| split > WHOLE_BPS) {
        return wrong("creator-split-bps", "it is at most 10000");
    }
    if row.anti_snipe.is_some_and(|seconds| !PROTECTIONS.contains(&seconds)) {
        return wrong("anti-snipe", "it is 0, 20, 40 or 60");
    }
    if let Some(quote) = &row.quote {
        known_quote(at, row.chain(), quote)?;
    }
    if row.progress.is_some_and(|progress| progress > Quantity::of_whole(100)) {
        return wrong("progress", "it is at most 100");
    }
    if row.holders.is_some() && row.progress.is_none() {
        return wrong("holders", "it stands beside progress");
    }
    if row.holders.is_some_and(|holders| holders > MOST_HOLDERS) {
        return wrong("holders", "it is at most 500");
    }
    if row.progress.is_some() && !row.trades.is_empty() {
        return wrong("progress", "it cannot be combined with `trades`");
    }
    for (index, trade) in row.trades.iter().enumerate() {
        let of_trade = at.field("trades").index(index);
        young(&of_trade, trade.age)?;
        if trade.to.is_some_and(|to| to > Quantity::of_whole(100)) {
            return Err(of_trade.field("to").wrong("it is at most 100"));
        }
    }
    for (index, ChatRow { text, age, .. }) in row.chat.iter().enumerate() {
        let of_message = at.field("chat").index(index);
        young(&of_message, *age)?;
        if !(1..=LONGEST_MESSAGE).contains(&text.chars().count()) {
            return Err(of_message.field("text").wrong(format!("it has 1 to {LONGEST_MESSAGE} characters")));
        }
    }
    version(row, at)
}

/// Refuses fields that a version of the contracts does not have.
fn version(row: &LaunchRow, at: &At) -> Result<(), PlanError> {
    let wrong = |field, reason: &str| Err(at.field(field).wrong(reason));
    if row.version == LaunchVersion::V2 {
        return if row.drawn.is_some() {
            wrong("drawn", "it draws the trades of V1 launches; `[[draw]]` draws the others")
        } else {
            Ok(())
        };
    }
    if row.chain() != ChainId::PRIMARY.0 {
        return wrong("chain", "V1 launches are on chain 57073");
    }
    if row.drawn.is_some() && (row.progress.is_some() || !row.trades.is_empty()) {
        return wrong("drawn", "it cannot be combined with `progress` or `trades`");
    }
    let given = [
        ("raise", row.raise.is_some()),
        ("gain-bps", row.gain_bps.is_some()),
        ("creator-split-bps", row.creator_split_bps.is_some()),
        ("anti-snipe", row.anti_snipe.is_some()),
        ("quote", row.quote.is_some()),
        ("prebuy", row.prebuy.is_some()),
        ("referrer", row.referrer.is_some()),
        ("age", row.age.is_some()),
        ("website", !row.website.is_empty()),
        ("messenger", !row.messenger.is_empty()),
        ("microblog", !row.microblog.is_empty()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((field, _)) => wrong(field, "a V1 launch does not have it"),
        None => match row.trades.iter().position(|trade| trade.referrer.is_some()) {
            Some(index) => {
                let at = at.field("trades").index(index).field("referrer");
                Err(at.wrong("trades of a V1 launch do not have it"))
            }
            None => Ok(()),
        },
    }
}

fn texts(row: &LaunchRow, at: &At) -> Result<(), PlanError> {
    // `{n}` becomes a number of up to five digits.
    let numbered = |text: &str| text.len() + text.matches("{n}").count() * 2;
    for (field, text, least, most) in [
        ("name", &row.name, 1, LONGEST_NAME),
        ("ticker", &row.ticker, 1, LONGEST_TICKER),
        ("description", &row.description, 0, LONGEST_TEXT),
        ("picture", &row.picture, 0, LONGEST_TEXT),
        ("website", &row.website, 0, LONGEST_TEXT),
        ("messenger", &row.messenger, 0, LONGEST_TEXT),
        ("microblog", &row.microblog, 0, LONGEST_TEXT),
    ] {
        let bytes = numbered(text);
        if !(least..=most).contains(&bytes) {
            return Err(at.field(field).wrong(format!("it has {least} to {most} bytes, not {bytes}")));
        }
    }
    Ok(())
}

/// The tokens and pairs of the exchange.
fn exchange(file: &MarketFile) -> Result<(), PlanError> {
    for (index, row) in file.asset.iter().enumerate() {
        let at = At::file().field("asset").index(index);
        let is_known = |row: &super::file::AssetRow| row.kind == AssetKind::Mintable;
        if !(1..=LONGEST_TICKER).contains(&row.symbol.len()) {
            return Err(at.field("symbol").wrong(format!("it has 1 to {LONGEST_TICKER} bytes")));
        }
        if row.symbol == WRAPPED || file.asset[..index].iter().any(|earlier| earlier.symbol == row.symbol) {
            return Err(at.field("symbol").wrong(format!("there is a token {:?} already", row.symbol)));
        }
        if row.name.as_ref().is_some_and(|name| !(1..=LONGEST_NAME).contains(&name.len())) {
            return Err(at.field("name").wrong(format!("it has 1 to {LONGEST_NAME} bytes")));
        }
        if row.decimals.is_some_and(|decimals| decimals > 18) {
            return Err(at.field("decimals").wrong("it is at most 18"));
        }
        let own = [("name", row.name.is_some()), ("decimals", row.decimals.is_some())];
        if let Some((field, _)) = own.into_iter().find(|(_, given)| *given && !is_known(row)) {
            return Err(at.field(field).wrong("only a mintable token has it"));
        }
        if row.kind == AssetKind::Deflating && row.symbol != "DTT" {
            return Err(at.field("symbol").wrong("the deflating token is DTT"));
        }
    }
    let exchange = PlannedExchange::of(file);
    for (index, row) in file.pair.iter().enumerate() {
        pair(file, &exchange, row, index)?;
    }
    for (index, row) in file.asset.iter().enumerate() {
        let sides = file.pair.iter().flat_map(|pair| pair.tokens.iter().zip(pair.reserves));
        let deposits = sides.filter(|(token, _)| **token == row.symbol).map(|(_, reserve)| reserve.atto());
        let sum = deposits.fold(0, u128::saturating_add);
        if sum > DEPOSITED.atto() {
            let at = At::file().field("asset").index(index);
            return Err(at.wrong(format!("its pairs hold more than {DEPOSITED} of it")));
        }
    }
    Ok(())
}

fn pair(file: &MarketFile, exchange: &PlannedExchange, row: &PairRow, index: usize) -> Result<(), PlanError> {
    let at = At::file().field("pair").index(index);
    let sides = row.tokens.each_ref().map(|token| exchange.side(token));
    for (token, side) in row.tokens.iter().zip(sides) {
        if side.is_none() {
            return Err(at.field("tokens").wrong(format!("there is no token {token:?}")));
        }
    }
    let same = |other: &PairRow| {
        let [first, second] = &other.tokens;
        row.tokens == [first.clone(), second.clone()] || row.tokens == [second.clone(), first.clone()]
    };
    if row.tokens[0] == row.tokens[1] || file.pair[..index].iter().any(same) {
        return Err(at.field("tokens").wrong("two different tokens have one pair"));
    }
    let mut liquidity = U256::from(1);
    for (side, reserve) in sides.into_iter().flatten().zip(row.reserves) {
        let Some(units) = reserve.units(exchange.decimals(side)) else {
            return Err(at.field("reserves").wrong(format!("{reserve} has more places than its token")));
        };
        if units > 0
            && matches!(side, Side::Asset(asset) if exchange.assets[asset].kind == AssetKind::Endless)
        {
            return Err(at.field("reserves").wrong("nobody can pay in a token whose calls never end"));
        }
        liquidity *= U256::from(units);
    }
    let is_empty = row.reserves == [Quantity::default(); 2];
    if !is_empty && liquidity.root(2) <= U256::from(LOCKED_LIQUIDITY) {
        return Err(at
            .field("reserves")
            .wrong("they are too small for a pair; leave both out for an empty one"));
    }
    Ok(())
}
