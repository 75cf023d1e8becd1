//! The listed pairs and tokens, recognised by value: the format of pairs and tokens and the names of their members are left open.
use super::market::{NATIVE, asks};
use crate::answers::reads::{LIST, PAIRS, QUOTE, Query};
use crate::client::wire::Exchange;
use crate::prelude::*;

/// Amounts that are tried in order, in smallest units: a whole token of 18 decimals, one of few decimals, and a little for a shallow pair.
const AMOUNTS: [u64; 3] = [1_000_000_000_000_000_000, 1_000_000, 1_000];
/// Most quotes that are requested until one succeeds.
const MOST_QUOTES: usize = 60;
/// Addresses of a row that are considered as tokens.
const MOST_OF_A_ROW: usize = 6;

/// An address with the names of the members that lead to it.
type Named = (String, Address);

/// Returns a successful quote between two listed tokens: the request and the answer.
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

/// Like [`quoted`]; `None` if the exchange quotes nothing.
pub(in crate::sections) async fn if_quoted(trial: &Trial<'_>) -> Verdict<Option<(Query, Value)>> {
    match quoted(trial).await {
        Ok(quoted) => Ok(Some(quoted)),
        Err(Stop::Inconclusive(Inconclusive::NoMaterial { .. })) => Ok(None),
        Err(other) => Err(other),
    }
}

/// Returns sides to try: the two tokens that the target declares, those of each listed pair, then the native coin with each listed token.
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

/// Returns the tokens of each listed pair: from the pair's contract if its row names it and the chain is known, else two addresses of the
/// row, those of members with "token" in their name first.
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

/// Returns the tokens of the pair contract among these addresses, if one is.
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

/// Returns all combinations of two addresses, likeliest first.
fn two_of(mut row: Vec<Named>) -> Vec<(Address, Address)> {
    row.sort_by_key(|(names, _)| !names.contains("token"));
    row.truncate(MOST_OF_A_ROW);
    let others = |(at, one): (usize, &Named)| {
        let one = one.1;
        row.iter().skip(at + 1).map(move |other| (one, other.1)).collect::<Vec<_>>()
    };
    row.iter().enumerate().flat_map(others).collect()
}

/// Returns the addresses of each row: an innermost object or list with at least two addresses.
fn rows(value: &Value) -> Vec<Vec<Named>> {
    let inner: Vec<Vec<Named>> = children(value).flat_map(|(_, child)| rows(child)).collect();
    let own = addresses(value);
    if inner.is_empty() && own.len() > 1 { vec![own] } else { inner }
}

/// Returns every address within a value once, with the names that lead to it in lower case.
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

/// Returns the members of an object or the items of a list, with their names.
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
