//! Filters, orders and pages of the list against a naive reading of the same market, over generated markets and queries.
use slipway_contracts::ChainId;
use std::collections::BTreeMap;

use alloy::primitives::Address;
use proptest::prelude::{Just, Strategy, any, prop_assert_eq, prop_oneof, proptest};
use proptest::sample::select;
use serde_json::Value;
use tokio::runtime::Builder;
use url::form_urlencoded;

use super::{NOW, get, platform};
use crate::state::script::{ETHER, Plan, Script};

/// What is done to one launch.
#[derive(Clone, Debug)]
struct Life {
    age: u64,
    second_chain: bool,
    owner: u8,
    links: u8,
    word: &'static str,
    trades: Vec<(u16, u64, bool)>,
}

fn life() -> impl Strategy<Value = Life> {
    let word = select(vec!["Moon", "moOn", "Ünder", "ΟΔΟΣ", "100%", "a_b", ""]);
    let trades = proptest::collection::vec((1..1_500_u16, 0..200_000_u64, any::<bool>()), 0..5);
    (0..20_u64, any::<bool>(), 0..3_u8, 0..8_u8, word, trades).prop_map(
        |(age, second_chain, owner, links, word, trades)| Life {
            // Few distinct ages, so that ties occur.
            age: age * 7_200,
            second_chain,
            owner,
            links,
            word,
            trades,
        },
    )
}

fn written(lives: &[Life]) -> Script {
    let mut script = Script::default();
    for (number, life) in (0_u8..).zip(lives) {
        let mut plan = Plan::numbered(number, NOW - 200_000 + life.age);
        plan.chain_id = if life.second_chain { ChainId::SECOND.0 } else { ChainId::PRIMARY.0 };
        plan.creator = Address::repeat_byte(0xc0 + life.owner);
        plan.metadata.description = format!("for the {} people", life.word);
        let link = |bit: u8| {
            if life.links & bit != 0 { "https://link.invalid/".to_owned() } else { String::new() }
        };
        plan.metadata.messenger = link(1);
        plan.metadata.microblog = link(2);
        plan.metadata.website = link(4);
        let created = plan.at;
        let launch = script.launch(plan);
        let mut moments: Vec<_> = life.trades.iter().map(|trade| created.max(NOW - trade.1)).collect();
        moments.sort_unstable();
        for ((milli, _, sells), at) in life.trades.iter().zip(moments) {
            let trader = Address::repeat_byte(0xe0);
            let written = &script.launches[launch];
            let sold = written.position.sold;
            if written.finalized {
                let wei_per_token = 30_000_000_000 + u128::from(*milli) * 10_000_000;
                let side = if *sells { crate::event::Side::Sell } else { crate::event::Side::Buy };
                script.swap(launch, side, ETHER * u128::from(*milli) / 1_000, wei_per_token, at);
            } else if *sells && sold > 1_000 {
                script.sell(launch, trader, sold / 2, at);
            } else {
                script.buy(launch, trader, ETHER * u128::from(*milli) / 1_000, at);
            }
        }
    }
    script
}

/// One filter: its parameters, and how a record of `GET /api/token` is judged by it.
#[derive(Clone, Debug)]
enum Filter {
    Search(&'static str),
    Status(&'static str),
    Socials(&'static str),
    Number { parameter: &'static str, field: &'static str, of: usize, at_least: bool },
    Created { of: usize, at_least: bool },
}

fn filter() -> impl Strategy<Value = Filter> {
    let bounds = vec![
        ("fundingMin", "funding_progress", true),
        ("fundingMax", "funding_progress", false),
        ("marketCapMin", "market_cap", true),
        ("marketCapMax", "market_cap", false),
        ("txCountMin", "txns_total", true),
        ("txCountMax", "txns_total", false),
    ];
    prop_oneof![
        select(vec![
            "moon",
            "MOON",
            "ünDER",
            "οδος",
            "0%",
            "_",
            "tk1",
            "token 2",
            "0XC1C1",
            "nobody says this"
        ])
        .prop_map(Filter::Search),
        select(vec!["live", "funding", "live,funding"]).prop_map(Filter::Status),
        select(vec!["website", "messenger,microblog", "microblog", "website,messenger,microblog"])
            .prop_map(Filter::Socials),
        (select(bounds), any::<usize>()).prop_map(|((parameter, field, at_least), of)| Filter::Number {
            parameter,
            field,
            of,
            at_least
        }),
        (any::<usize>(), any::<bool>()).prop_map(|(of, at_least)| Filter::Created { of, at_least }),
    ]
}

impl Filter {
    fn parameter(&self, records: &[Value]) -> (&'static str, String) {
        let record = |of: usize| &records[of % records.len()];
        match self {
            Self::Search(text) => ("search", (*text).to_owned()),
            Self::Status(text) => ("status", (*text).to_owned()),
            Self::Socials(text) => ("socials", (*text).to_owned()),
            Self::Number { parameter, field, of, .. } => (parameter, record(*of)[*field].to_string()),
            Self::Created { of, at_least } => {
                let name = if *at_least { "createdFrom" } else { "createdTo" };
                (name, record(*of)["created_at"].as_str().unwrap().to_owned())
            }
        }
    }

    fn keeps(&self, record: &Value, bound: &str) -> bool {
        match self {
            Self::Search(text) => ["name", "ticker", "description", "owner", "address"].iter().any(|field| {
                let sigma = |text: &str| text.to_lowercase().replace('ς', "σ");
                sigma(record[*field].as_str().unwrap()).contains(&sigma(text))
            }),
            Self::Status(text) => {
                let state = if record["is_graduated"] == true { "live" } else { "funding" };
                text.split(',').any(|named| named == state)
            }
            Self::Socials(text) => text.split(',').any(|named| record[named].is_string()),
            Self::Number { field, at_least, .. } => {
                let (value, bound) = (record[*field].as_f64().unwrap(), bound.parse::<f64>().unwrap());
                if *at_least { value >= bound } else { value <= bound }
            }
            Self::Created { at_least, .. } => {
                let value = record["created_at"].as_str().unwrap();
                if *at_least { value >= bound } else { value <= bound }
            }
        }
    }
}

/// Whether two bounds of one figure change places: they are refused, which is tried elsewhere.
fn upside_down(named: &BTreeMap<&'static str, String>) -> bool {
    let pair = |least: &str, most: &str| Some((named.get(least)?.as_str(), named.get(most)?.as_str()));
    let number = |text: &str| text.parse::<f64>().unwrap();
    pair("createdFrom", "createdTo").is_some_and(|(least, most)| least > most)
        || ["funding", "marketCap", "txCount"].iter().any(|name| {
            pair(&format!("{name}Min"), &format!("{name}Max"))
                .is_some_and(|(least, most)| number(least) > number(most))
        })
}

async fn check(
    lives: Vec<Life>,
    filters: Vec<Filter>,
    sort: &'static str,
) -> Result<(), proptest::test_runner::TestCaseError> {
    let script = written(&lives);
    let api = platform(&script).await;
    let mut records = Vec::new();
    for (number, launch) in script.launches.iter().enumerate() {
        let record = get(&api, &format!("/api/token?address={}", launch.plan.token)).await.json();
        records.push((script.birth(number), record));
    }
    let refuse_compressed: Vec<_> = records.iter().map(|(_, record)| record.clone()).collect();
    let mut query = form_urlencoded::Serializer::new(String::new());
    query.append_pair("sortBy", sort);
    let mut kept = records;
    let mut named = BTreeMap::new();
    for filter in filters {
        let (name, bound) = filter.parameter(&refuse_compressed);
        if !named.contains_key(name) {
            query.append_pair(name, &bound);
            kept.retain(|(_, record)| filter.keeps(record, &bound));
            named.insert(name, bound);
        }
    }
    if upside_down(&named) {
        return Ok(());
    }
    kept.sort_by_key(|(birth, _)| *birth);
    let figure = |record: &Value, field: &str| record[field].as_f64().unwrap();
    match sort {
        "oldest" => {}
        "newest" => kept.reverse(),
        "mcap-low" => kept.sort_by(|a, b| figure(&a.1, "market_cap").total_cmp(&figure(&b.1, "market_cap"))),
        "mcap-high" => {
            kept.sort_by(|a, b| figure(&a.1, "market_cap").total_cmp(&figure(&b.1, "market_cap")));
            kept.reverse();
        }
        _ => {
            let count = |record: &Value| {
                record["txns_24h_buys"].as_u64().unwrap() + record["txns_24h_sells"].as_u64().unwrap()
            };
            kept.reverse();
            kept.sort_by(|a, b| {
                let volume = figure(&b.1, "volume_24h").total_cmp(&figure(&a.1, "volume_24h"));
                count(&b.1).cmp(&count(&a.1)).then(volume)
            });
        }
    }
    let expected: Vec<_> = kept.iter().map(|(_, record)| record["address"].clone()).collect();
    let query = query.finish();
    let mut seen = Vec::new();
    for page in 1..=expected.len() / 20 + 2 {
        let body = get(&api, &format!("/api/tokens?{query}&page={page}")).await.json();
        prop_assert_eq!(body["totalCount"].as_u64(), Some(expected.len() as u64), "{}", query);
        prop_assert_eq!(body["totalPages"].as_u64(), Some(expected.len().div_ceil(20) as u64));
        seen.extend(body["tokens"].as_array().unwrap().iter().map(|token| token["address"].clone()));
    }
    prop_assert_eq!(seen, expected, "{}", query);
    Ok(())
}

proptest! {
    #![proptest_config(proptest::test_runner::Config { cases: 48, ..Default::default() })]

    #[test]
    fn list_agrees_with_naive_filter_and_sort(
        lives in proptest::collection::vec(life(), 1..50),
        filters in proptest::collection::vec(filter(), 0..4),
        sort in prop_oneof![Just("newest"), Just("oldest"), Just("mcap-high"), Just("mcap-low"), Just("trending")],
    ) {
        Builder::new_current_thread().enable_all().build().unwrap().block_on(check(lives, filters, sort))?;
    }
}
