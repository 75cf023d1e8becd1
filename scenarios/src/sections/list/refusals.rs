//! Queries that the list must refuse, each next to one that it must accept, and input that must never break it.
use crate::answers::reads::LIST;
use crate::answers::refusals::LIST_VALUES;
use crate::prelude::*;

/// Parameters with valid values.
const FINE: &[(&str, &str)] = &[
    ("page", "1"),
    ("status", "live,funding"),
    ("sortBy", "mcap-low"),
    ("timeframe", "6h"),
    ("socials", "messenger,website"),
    ("fundingMin", "0.5"),
    ("fundingMax", "0.5"),
    ("marketCapMin", "0.5"),
    ("marketCapMax", "2"),
    ("txCountMin", "1"),
    ("txCountMax", "1"),
    ("createdFrom", "2026-01-31T00:00:00Z"),
    ("createdTo", "2026-01-31T00:00:00Z"),
];

/// Pairs of bounds, with a low and a high value.
const RANGES: &[(&str, &str, &str, &str)] = &[
    ("fundingMin", "fundingMax", "0.25", "0.75"),
    ("marketCapMin", "marketCapMax", "1", "2"),
    ("txCountMin", "txCountMax", "4", "5"),
    ("createdFrom", "createdTo", "2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"),
];

clause! {
    LIST_BAD = "LIST-BAD" (choice S6, S110):
        "Invalid values and inverted ranges are 400 and never 500.";
    check!("list-refusals" [Read; Rest] refusals:
        "sends invalid values and inverted ranges, each next to a valid one");
    check!("list-garbage" [Read; Rest] garbage: "sends generated garbage in every parameter and wants 200 or 400");
}
async fn refusals(trial: &Trial<'_>) -> Verdict {
    for (name, value) in FINE {
        accepts(trial, &[param(name, *value)]).await?;
    }
    trial.refuses_each(LIST_VALUES, &[]).await?;
    for (low, high, lesser, greater) in RANGES {
        accepts(trial, &[param(low, *lesser), param(high, *greater)]).await?;
        accepts(trial, &[param(low, *lesser), param(high, *lesser)]).await?;
        trial.refuses(LIST, &[param(low, *greater), param(high, *lesser)], 400, &[]).await?;
    }
    Ok(())
}

async fn accepts(trial: &Trial<'_>, query: &Params) -> Verdict {
    trial.read_json(LIST, query).await.map(drop)
}

/// Fragments that break careless parsers.
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

const QUERIES: usize = 28;

async fn garbage(trial: &Trial<'_>) -> Verdict {
    let mut choices = trial.choices("list-garbage");
    let mut names: Vec<&'static str> = LIST_VALUES.iter().map(|row| row.name).collect();
    names.push("search");
    for case in 0..QUERIES {
        let name = names[case % names.len()];
        let value: String = (0..=choices.index(3)).map(|_| *choices.pick(PIECES)).collect();
        let mut query = vec![param(name, value)];
        if choices.index(4) == 0 {
            query.push(param(name, *choices.pick(PIECES)));
        }
        let response = trial.read(LIST, &query).await?;
        match response.code() {
            200 => drop(trial.part(trial.ok_json(&response))?),
            code => trial.require(&response, code == 400, "status 200 or 400")?,
        }
    }
    Ok(())
}
