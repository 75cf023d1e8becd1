//! Selecting by id: exact, or by a prefix that ends in `*`; a selector that matches nothing is an error.

/// A selector that matches nothing.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{selector:?} matches no {kind}; `slipway list` names them all")]
pub(crate) struct NoMatch {
    selector: String,
    kind: &'static str,
}

/// Whether `selector` names `id`.
fn names(selector: &str, id: &str) -> bool {
    selector.strip_suffix('*').map_or(selector == id, |prefix| id.starts_with(prefix))
}

/// The items that any selector names by any of their ids; all of them without selectors.
pub(crate) fn select<'a, T>(
    items: impl IntoIterator<Item = &'a T>,
    selectors: &[String],
    kind: &'static str,
    ids: impl Fn(&T) -> Vec<&str>,
) -> Result<Vec<&'a T>, NoMatch> {
    let items: Vec<&T> = items.into_iter().collect();
    for selector in selectors {
        if !items.iter().any(|item| ids(item).iter().any(|id| names(selector, id))) {
            return Err(NoMatch { selector: selector.clone(), kind });
        }
    }
    let chosen = |item: &&T| {
        selectors.is_empty()
            || ids(item).iter().any(|id| selectors.iter().any(|selector| names(selector, id)))
    };
    Ok(items.into_iter().filter(chosen).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ITEMS: &[&str] = &["list-page", "list-count", "batch-max"];

    fn pick(selectors: &[&str]) -> Result<Vec<&'static str>, NoMatch> {
        let selectors: Vec<String> = selectors.iter().map(ToString::to_string).collect();
        select(ITEMS, &selectors, "check", |item| vec![*item])
            .map(|found| found.into_iter().copied().collect())
    }

    #[test]
    fn selector_matches_ids_and_prefixes() {
        assert_eq!(pick(&["batch-max"]).unwrap(), ["batch-max"]);
        assert_eq!(pick(&["list-*"]).unwrap(), ["list-page", "list-count"]);
        assert_eq!(pick(&[]).unwrap(), ITEMS);
    }

    #[test]
    fn selector_without_match_is_an_error() {
        assert!(pick(&["list-page", "list-pag"]).is_err());
        assert!(pick(&["quote-*"]).is_err());
    }
}
