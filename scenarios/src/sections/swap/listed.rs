//! What the exchange lists, read by value: how pairs and tokens are written, and what their members are called, is left open.
use super::market::{NATIVE, asks};
use crate::answers::reads::{LIST, PAIRS, QUOTE, Query};
use crate::client::wire::Exchange;
use crate::prelude::*;

/// Smallest units that a quote is asked for, one after another: of a whole token of 18 decimals, of one of few, and of a poor pair.
const AMOUNTS: [u64; 3] = [1_000_000_000_000_000_000, 1_000_000, 1_000];
/// Quotes that are asked for at most until one is given.
const MOST_QUOTES: usize = 60;
/// Addresses of a row among which two tokens are looked for.
const MOST_OF_A_ROW: usize = 6;

/// An address with the names of the members in which it stands.
type Named = (String, Address);

/// A quote that the exchange gives between two tokens that it lists: what was asked, and the answer.
pub(in crate::sections) async fn quoted(trial: &Trial<'_>) -> Verdict<(Query, Value)> {
    let (mut asked, mut last) = (0, String::new());
    for (from, to) in sides(trial).await? {
        for units in AMOUNTS {
            if asked == MOST_QUOTES {
                break;
            }
            asked += 1;
            let query = asks(from, to, "amount", units);
            let response = trial.request(get(trial.swap()?, QUOTE, &query)).await?;
            if let Some(body) = response.json().filter(|_| response.status.is_success()) {
                return Ok((query, body));
            }
            last = response.excerpt();
        }
    }
    Err(no_material(match asked {
        0 => "no quote was asked for, because the lists of pairs and of tokens name no two tokens".to_owned(),
        asked => format!("none of {asked} quotes between listed tokens was given; the last answer: {last}"),
    }))
}

/// The same; none where the exchange quotes nothing.
pub(in crate::sections) async fn if_quoted(trial: &Trial<'_>) -> Verdict<Option<(Query, Value)>> {
    match quoted(trial).await {
        Ok(quoted) => Ok(Some(quoted)),
        Err(Stop::Inconclusive(Inconclusive::NoMaterial { .. })) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The two tokens that the target declares to trade, those of each listed pair, then the native coin with each listed token.
pub(in crate::sections) async fn sides(trial: &Trial<'_>) -> Verdict<Vec<(Address, Address)>> {
    let declared = trial.target().conventions.tokens.map(|[from, to]| (from, to));
    let mut sides: Vec<(Address, Address)> = declared.into_iter().collect();
    sides.extend(pairs(trial).await?);
    let body = trial.request(get(trial.swap()?, LIST, &[])).await?.json().unwrap_or_default();
    let mut listed = addresses(&body);
    listed.retain(|(_, address)| *address != NATIVE);
    sides.extend(listed.into_iter().map(|(_, token)| (NATIVE, token)));
    Ok(sides)
}

/// The tokens of each listed pair: by the contract of the pair where its row names one and the chain is known, else two of the
/// addresses of the row, those of members with a token in their name first.
pub(in crate::sections) async fn pairs(trial: &Trial<'_>) -> Verdict<Vec<(Address, Address)>> {
    let body = trial.request(get(trial.swap()?, PAIRS, &[])).await?.json().unwrap_or_default();
    let mut pairs = Vec::new();
    for row in rows(&body) {
        match of_contract(trial, &row).await? {
            Some(tokens) => pairs.push(tokens),
            None => pairs.extend(two_of(row)),
        }
    }
    Ok(pairs)
}

/// What the contract of a pair answers, where one of these addresses is one.
async fn of_contract(trial: &Trial<'_>, row: &[Named]) -> Verdict<Option<(Address, Address)>> {
    let Ok(chain) = trial.chain(PRIMARY) else { return Ok(None) };
    for (_, address) in row.iter().filter(|(names, _)| !names.contains("token")) {
        let first = chain.call(*address, &Exchange::token0Call {}).await?;
        let second = chain.call(*address, &Exchange::token1Call {}).await?;
        if let (Ok(first), Ok(second)) = (first, second) {
            return Ok(Some((first, second)));
        }
    }
    Ok(None)
}

/// Every two of these addresses, the likeliest first.
fn two_of(mut row: Vec<Named>) -> Vec<(Address, Address)> {
    row.sort_by_key(|(names, _)| !names.contains("token"));
    row.truncate(MOST_OF_A_ROW);
    let others = |(at, one): (usize, &Named)| {
        let one = one.1;
        row.iter().skip(at + 1).map(move |other| (one, other.1)).collect::<Vec<_>>()
    };
    row.iter().enumerate().flat_map(others).collect()
}

/// The addresses of each row: of each innermost object or list that has two or more.
fn rows(value: &Value) -> Vec<Vec<Named>> {
    let inner: Vec<Vec<Named>> = children(value).flat_map(|(_, child)| rows(child)).collect();
    let own = addresses(value);
    if inner.is_empty() && own.len() > 1 { vec![own] } else { inner }
}

/// Every address within a value, each once, with the names that lead to it, in small letters.
fn addresses(value: &Value) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    if let Some(address) = parsed(value) {
        found.push((String::new(), address));
    }
    for (name, child) in children(value) {
        for (names, address) in addresses(child) {
            if found.iter().all(|(_, known)| *known != address) {
                found.push((format!("{}/{names}", name.to_lowercase()), address));
            }
        }
    }
    found
}

/// The members of an object or the items of a list, with their names.
fn children(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let members = value.as_object().into_iter().flatten().map(|(name, member)| (name.as_str(), member));
    members.chain(value.as_array().into_iter().flatten().map(|item| ("", item)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_of_a_pair_are_found_in_any_shape() {
        let [pair, one, other] = [1, 2, 3].map(Address::repeat_byte);
        let token = |address: Address| json!({"id": address, "symbol": "T"});
        let subgraph = json!({"id": pair, "token0": token(one), "token1": token(other)});
        for body in [
            json!([{"token0": one, "token1": other}]),
            json!([{"pair_address": pair, "token0": {"address": one}, "token1": {"address": other}}]),
            json!({"data": {"pairs": [subgraph]}}),
            json!({ "0xpair": subgraph }),
            json!([{"tokens": [token(one), token(other)]}]),
            json!([[one, other]]),
        ] {
            let rows = rows(&body);
            assert_eq!(rows.len(), 1, "{body}");
            assert_eq!(two_of(rows[0].clone())[0], (one, other), "{body}");
        }
        let two = json!([{"a": one, "b": other}, {"a": one, "b": pair}]);
        assert_eq!(rows(&two).len(), 2);
        assert_eq!(rows(&json!([{ "id": pair }])), Vec::<Vec<Named>>::new());
    }
}
