//! What the list must refuse, each beside what it must accept, and what must never break it.
use crate::check::{Check, Lane, Need, Verdict};
use crate::expect::{failure, holds, ok_json, status};
use crate::reads::{LIST, Query, param};
use crate::world::World;

pub(super) const BAD: Check = Check {
    id: "list-refusals",
    clauses: &["LIST-BAD"],
    summary: "sends values that mean nothing and ranges upside down, each beside a good one",
    lane: Lane::Read,
    needs: &[Need::Rest],
    run: |world| Box::pin(refusals(world)),
};

pub(super) const GARBAGE: Check = Check {
    id: "list-garbage",
    clauses: &["LIST-BAD"],
    summary: "sends generated garbage in every parameter and wants 200 or 400",
    lane: Lane::Read,
    needs: &[Need::Rest],
    run: |world| Box::pin(garbage(world)),
};

const CLAUSE: &str = "LIST-BAD";

/// A parameter, a value that is fine, and values that are not.
const VALUES: &[(&str, &str, &[&str])] = &[
    ("page", "1", &["0", "-1", "abc", "1.5", "0x1"]),
    ("status", "live,funding", &["dead", "live,dead", "live;funding"]),
    ("sortBy", "mcap-low", &["best", "newest,oldest"]),
    ("timeframe", "6h", &["2h", "24", "day"]),
    ("socials", "messenger,website", &["fax", "messenger,fax"]),
    ("fundingMin", "0.5", &["abc", "NaN", "0.5x"]),
    ("fundingMax", "0.5", &["abc", "NaN", "0,5"]),
    ("marketCapMin", "0.5", &["abc", "NaN", "1 ETH"]),
    ("marketCapMax", "2", &["abc", "NaN", "--1"]),
    ("txCountMin", "1", &["abc", "1x"]),
    ("txCountMax", "1", &["abc", "many"]),
    ("createdFrom", "2026-01-31T00:00:00Z", &["yesterday", "2026-13-01", "2026-02-30T00:00:00Z"]),
    ("createdTo", "2026-01-31T00:00:00Z", &["tomorrow", "2026-01-32", "31.01.2026"]),
];

/// Two bounds, a low value and a high one.
const RANGES: &[(&str, &str, &str, &str)] = &[
    ("fundingMin", "fundingMax", "0.25", "0.75"),
    ("marketCapMin", "marketCapMax", "1", "2"),
    ("txCountMin", "txCountMax", "4", "5"),
    ("createdFrom", "createdTo", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"),
];

async fn refusals(world: &World) -> Verdict {
    for (name, good, bad) in VALUES {
        accepts(world, &vec![param(name, *good)]).await?;
        for value in *bad {
            refuses(world, &vec![param(name, *value)]).await?;
        }
    }
    for (low, high, lesser, greater) in RANGES {
        accepts(world, &vec![param(low, *lesser), param(high, *greater)]).await?;
        accepts(world, &vec![param(low, *lesser), param(high, *lesser)]).await?;
        refuses(world, &vec![param(low, *greater), param(high, *lesser)]).await?;
    }
    Ok(())
}

async fn accepts(world: &World, query: &Query) -> Verdict {
    let answer = world.read(LIST, query).await?;
    ok_json(CLAUSE, &answer).map(drop)
}

async fn refuses(world: &World, query: &Query) -> Verdict {
    let answer = world.read(LIST, query).await?;
    status(CLAUSE, &answer, 400)?;
    holds(
        CLAUSE,
        &answer,
        world.refused_for_a_cause(&answer).await?,
        "a refusal that the platform can give its rule for",
        || "the journal has no cause for it".to_owned(),
    )
}

/// Pieces that break careless parsers.
const PIECES: &[&str] = &[
    "",
    " ",
    "0",
    "-0",
    "1e309",
    "99999999999999999999999999",
    "18446744073709551615",
    "-9223372036854775808",
    "Infinity",
    "true",
    "null",
    "[]",
    "'",
    "\"",
    "%",
    "\\",
    "\0",
    "\u{202e}",
    "🚀",
    "é",
    ",",
    ",,",
    ";--",
    "../..",
    "${x}",
    "{{x}}",
    "T",
    "+",
    "0x",
    "2026",
    "9999999999-01-01",
    "-01-01T00:00:00Z",
];

/// How many queries of garbage are sent.
const QUERIES: usize = 28;

async fn garbage(world: &World) -> Verdict {
    let mut choices = world.choices("list-garbage");
    let mut names: Vec<&'static str> = VALUES.iter().map(|(name, ..)| *name).collect();
    names.push("search");
    for case in 0..QUERIES {
        let name = names[case % names.len()];
        let value: String = (0..=choices.index(3)).map(|_| *choices.pick(PIECES)).collect();
        let mut query = vec![param(name, value)];
        if choices.index(4) == 0 {
            query.push(param(name, *choices.pick(PIECES)));
        }
        let answer = world.read(LIST, &query).await?;
        match answer.status.as_u16() {
            200 => ok_json(CLAUSE, &answer).map(drop)?,
            400 => {}
            _ => return Err(failure(CLAUSE, &answer, "status 200 or 400", answer.excerpt())),
        }
    }
    Ok(())
}
