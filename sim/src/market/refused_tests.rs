//! Invalid market files: each is refused with the place and the reason.
use slipway_contracts::ChainId;

use super::{MarketFile, MarketPlan};

/// Noon, the default end of the market.
const END: u64 = 1_772_625_600;
const LAUNCH: &str = "[[launch]]\nname = 'A'\nticker = 'T'\n";

fn refused(text: &str) -> String {
    let file: MarketFile = toml::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    match MarketPlan::from(file).check(1, END) {
        Err(error) => error.to_string(),
        Ok(()) => panic!("this was not refused:\n{text}"),
    }
}

#[test]
fn rows_are_judged_by_their_fields() {
    for (row, reason) in [
        ("raise = '0.999999999999999999'", "raise: it is from 1 to 5"),
        ("raise = '5.000000000000000001'", "raise: it is from 1 to 5"),
        ("progress = '100.000000000000000001'", "progress: it is at most 100"),
        ("chain = 1", "chain: there is no chain 1; there are 57073 and 4663"),
        ("quote = 'NRTH'", "quote: launches of chain 57073 are sold for the native coin only"),
        ("chain = 4663\nquote = 'USD'", "quote: no launch is sold for \"USD\"; there are NRTH, ORCH, QUAY"),
        ("gain-bps = 200001", "gain-bps: it is at most 200000"),
        ("creator-split-bps = 10001", "creator-split-bps: it is at most 10000"),
        ("anti-snipe = 30", "anti-snipe: it is 0, 20, 40 or 60"),
        ("age = '49h'", "age: it is at most two days"),
        ("count = 0", "count: it is 1 or more"),
        ("holders = 2", "holders: it stands beside progress"),
        ("progress = 50\nholders = 501", "holders: it is at most 500"),
        ("progress = 50\nholders = 0", "holders: with this progress it is 1 or more"),
        ("progress = 0\nholders = 1", "holders: with this progress it is 0"),
        ("progress = 1\nprebuy = '0.5'", "prebuy: it pays in more than the progress"),
        (
            "anti-snipe = 60\nage = '60s'\nprogress = 5",
            "age: it is too young for trades: they begin a second after the launch, or after its anti-snipe window",
        ),
        ("drawn = 'new'", "drawn: it draws the trades of V1 launches; `[[draw]]` draws the others"),
        (
            "creator = 'creator-12'",
            "creator: there is no account \"creator-12\"; there are creator-0 to creator-11",
        ),
        ("creator = ''", "creator: a name of an account has 1 to 64 bytes"),
        ("version = 'v1'\nraise = 2", "raise: a V1 launch does not have it"),
        ("version = 'v1'\nage = '1h'", "age: a V1 launch does not have it"),
        ("version = 'v1'\nchain = 4663", "chain: V1 launches are on chain 57073"),
        (
            "version = 'v1'\ndrawn = 'new'\nprogress = 5",
            "drawn: it cannot be combined with `progress` or `trades`",
        ),
    ] {
        assert_eq!(refused(&format!("{LAUNCH}{row}\n")), format!("launch 1 (T), {reason}"), "{row}");
    }
}

#[test]
fn texts_have_the_bounds_of_the_contracts() {
    for (field, most) in
        [("name", 192), ("ticker", 48), ("description", 2_000), ("picture", 2_000), ("website", 2_000)]
    {
        let row = |bytes: usize| {
            let mut row =
                toml::Table::from_iter([("name".into(), "A".into()), ("ticker".into(), "T".into())]);
            row.insert(field.into(), "n".repeat(bytes).into());
            let file: MarketFile =
                toml::Table::from_iter([("launch".into(), vec![toml::Value::from(row)].into())])
                    .try_into()
                    .unwrap();
            MarketPlan::from(file).check(1, END)
        };
        assert_eq!(row(most), Ok(()), "{field}");
        let error = row(most + 1).unwrap_err();
        assert_eq!(error.path().collect::<Vec<_>>(), ["launch", "0", field]);
    }
}

#[test]
fn trades_and_messages_are_judged() {
    for (row, reason) in [
        ("trades = [{ by = 'a' }]", "trades 1: a trade has one of buy, sell and to"),
        ("trades = [{ by = 'a', buy = 1, sell = 1 }]", "trades 1: a trade has one of buy, sell and to"),
        ("trades = [{ by = 'a', to = 101 }]", "trades 1, to: it is at most 100"),
        (
            "trades = [{ by = 'a', to = 50 }, { by = 'a', to = 50 }]",
            "trades 2, to: the launch is there already",
        ),
        (
            "trades = [{ by = 'a', to = 100 }, { by = 'a', to = 50 }]",
            "trades 2, to: the curve is full, and its pool has no progress",
        ),
        ("trades = [{ buy = 1 }]", "trades 1, by: a name of an account has 1 to 64 bytes"),
        (
            "trades = [{ by = 'a', buy = 1, age = '1h' }, { by = 'a', buy = 1, age = '2h' }]",
            "trades 2, age: it is earlier than the previous trade, or than the first second in which the launch can be traded",
        ),
        (
            "age = '1h'\ntrades = [{ by = 'a', buy = 1, age = '1h' }]",
            "trades 1, age: it is earlier than the previous trade, or than the first second in which the launch can be traded",
        ),
        ("chat = [{ by = 'a', text = '' }]", "chat 1, text: it has 1 to 500 characters"),
        (
            "age = '1h'\nchat = [{ by = 'a', text = 'x', age = '2h' }]",
            "chat 1, age: the launch is younger than this message",
        ),
        ("progress = 5\ntrades = [{ by = 'a', buy = 1 }]", "progress: it cannot be combined with `trades`"),
    ] {
        assert_eq!(refused(&format!("{LAUNCH}{row}\n")), format!("launch 1 (T), {reason}"), "{row}");
    }
    for (row, reason) in [
        ("prebuy = '1.5'", "the prebuy is more than the raise"),
        ("prebuy = '0.000009'", "a purchase is below the minimum of 0.00001"),
        ("progress = '0.1'\nholders = 500", "a purchase is below the minimum of 0.00001"),
        (
            "trades = [{ by = 'a', sell = 5 }]",
            "an account spends or sells more than it has; each has 9000 of a coin to spend",
        ),
        (
            "trades = [{ by = 'a', buy = '0.5' }, { by = 'a', sell = '0.5' }]",
            "a sale is below the minimum of one token",
        ),
        (
            "trades = [{ by = 'a', buy = '0.5' }, { by = 'b', to = 10 }]",
            "an account spends or sells more than it has; each has 9000 of a coin to spend",
        ),
        (
            "trades = [{ by = 'a', to = 100 }, { by = 'a', buy = 9001 }]",
            "an account spends or sells more than it has; each has 9000 of a coin to spend",
        ),
        ("trades = [{ by = 'a', buy = '0.000001' }]", "a purchase is below the minimum of 0.00001"),
    ] {
        assert_eq!(refused(&format!("{LAUNCH}{row}\n")), format!("launch 1 (T): {reason}"), "{row}");
    }
}

#[test]
fn exchange_auction_and_referrals_are_judged() {
    let pair = |rest: &str| {
        format!("[[asset]]\nsymbol = 'A'\ndecimals = 6\n[[asset]]\nsymbol = 'E'\nkind = 'endless'\n{rest}")
    };
    for (text, reason) in [
        ("[accounts]\na = 10".to_owned(), "accounts: \"a\" is account 10; there are 0 to 9"),
        ("[[draw]]\nchain = 2".to_owned(), "draw 1, chain: there is no chain 2; there are 57073 and 4663"),
        ("[[draw]]\nnew = 10101".to_owned(), "draw: 10101 launches are more than 10100"),
        (format!("{LAUNCH}count = 10101"), "launch: 10101 launches are more than 10100"),
        (
            format!("{LAUNCH}count = 100\nprogress = 5\nholders = 201"),
            "launch: 20100 trades and holders are more than 20000",
        ),
        ("swaps = 10001".to_owned(), "swaps: 10001 swaps are more than 10000"),
        ("[[asset]]\nsymbol = 'WETH'".to_owned(), "asset 1, symbol: there is a token \"WETH\" already"),
        ("[[asset]]\nsymbol = 'A'\ndecimals = 19".to_owned(), "asset 1, decimals: it is at most 18"),
        (
            "[[asset]]\nsymbol = 'D'\nkind = 'deflating'".to_owned(),
            "asset 1, symbol: the deflating token is DTT",
        ),
        (
            "[[asset]]\nsymbol = 'E'\nkind = 'endless'\nname = 'E'".to_owned(),
            "asset 1, name: only a mintable token has it",
        ),
        (pair("[[pair]]\ntokens = ['WETH', 'B']"), "pair 1, tokens: there is no token \"B\""),
        (pair("[[pair]]\ntokens = ['A', 'A']"), "pair 1, tokens: two different tokens have one pair"),
        (
            pair("[[pair]]\ntokens = ['A', 'WETH']\n[[pair]]\ntokens = ['WETH', 'A']"),
            "pair 2, tokens: two different tokens have one pair",
        ),
        (
            pair("[[pair]]\ntokens = ['A', 'WETH']\nreserves = ['0.0000001', 1]"),
            "pair 1, reserves: 0.0000001 has more places than its token",
        ),
        (
            pair("[[pair]]\ntokens = ['A', 'WETH']\nreserves = [1, 0]"),
            "pair 1, reserves: they are too small for a pair; leave both out for an empty one",
        ),
        (
            pair("[[pair]]\ntokens = ['A', 'WETH']\nreserves = ['0.000001', '0.000000000001']"),
            "pair 1, reserves: they are too small for a pair; leave both out for an empty one",
        ),
        (
            pair("[[pair]]\ntokens = ['E', 'WETH']\nreserves = [1, 1]"),
            "pair 1, reserves: nobody can pay in a token whose calls never end",
        ),
        (
            pair("[[pair]]\ntokens = ['A', 'WETH']\nreserves = [500000001, 1]"),
            "asset 1: its pairs hold more than 500000000 of it",
        ),
        (
            "[[auction]]\ntoken = 'T'".to_owned(),
            "auction 1, token: no launch of chain 57073 in this file has the ticker \"T\"",
        ),
        (
            format!("{LAUNCH}{LAUNCH}[[auction]]\ntoken = 'T'"),
            "auction 1, token: several launches have the ticker \"T\"",
        ),
        (
            format!("{LAUNCH}age = '1h'\n[[auction]]\ntoken = 'T'"),
            "auction: the launch does not exist by then",
        ),
        ("[[auction]]\nday = 'today'".to_owned(), "auction: the launch does not exist by then"),
        (
            "[[auction]]\n[[auction]]\nday = 'yesterday'".to_owned(),
            "auction 2, day: each day can be won only once, and the days must be in order",
        ),
        (
            "[[referral]]\naccount = 'a'\nreferrer = 'a'".to_owned(),
            "referral 1, referrer: an account does not refer itself",
        ),
        (
            "[[referral]]\naccount = 'a'\nreferrer = 'b'\n[[referral]]\naccount = 'a'\nreferrer = 'c'"
                .to_owned(),
            "referral 2, account: \"a\" is registered already",
        ),
    ] {
        assert_eq!(refused(&text), reason, "{text}");
    }
}

/// The same plan written out twice is equal, and names in a file do not depend on the other chain.
#[test]
fn a_plan_is_a_function_of_file_seed_and_end() {
    let file: MarketFile = toml::from_str(&format!("{LAUNCH}progress = 30\nholders = 7\ncount = 3")).unwrap();
    let steps =
        |seed| MarketPlan::from(file.clone()).schedule(seed, ChainId::PRIMARY, END).unwrap().plan.steps;
    assert_eq!(steps(1), steps(1));
    assert_eq!(steps(1).len(), 3 + 21);
}
