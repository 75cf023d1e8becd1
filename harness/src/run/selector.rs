//! Selection by id: exact, or by a prefix that ends in `*`; a selector that matches nothing is an error.

use slipway_scenarios::Check;

use crate::error::Fatal;
use crate::exit::Exit;
use crate::terminal::alike::suggestion;

/// The kind of the sections of a report.
pub(crate) const SECTION: &str = "section";

/// A selector that matches nothing.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{selector:?} matches no {kind}; {}{known}", alike.as_ref().map(|id| format!("did you mean {id}? ")).unwrap_or_default())]
pub(crate) struct NoMatch {
    selector: String,
    kind: &'static str,
    /// The most similar id.
    alike: Option<String>,
    /// All of them, or the command that prints them.
    known: String,
}

impl Fatal for NoMatch {
    fn exit(&self) -> Exit {
        Exit::Usage
    }
}

fn names(selector: &str, id: &str) -> bool {
    selector.strip_suffix('*').map_or(selector == id, |prefix| id.starts_with(prefix))
}

/// The items whose id matches any selector; all of them without selectors.
pub(crate) fn select<'a, T>(
    items: impl IntoIterator<Item = &'a T>,
    selectors: &[String],
    kind: &'static str,
    ids: impl Fn(&T) -> Vec<&str>,
) -> Result<Vec<&'a T>, NoMatch> {
    let items: Vec<&T> = items.into_iter().collect();
    for selector in selectors {
        if !items.iter().any(|item| ids(item).iter().any(|id| names(selector, id))) {
            let known = items.iter().flat_map(|item| ids(item));
            let alike = suggestion(selector.trim_end_matches('*'), known).map(str::to_owned);
            let known = match kind {
                SECTION => {
                    let titles: Vec<_> =
                        slipway_scenarios::sections().map(|(title, _)| format!("{title:?}")).collect();
                    format!("there are {}", titles.join(", "))
                }
                _ => format!("`slipway explain --list {kind}s` prints them"),
            };
            return Err(NoMatch { selector: selector.clone(), kind, alike, known });
        }
    }
    let chosen = |item: &&T| {
        selectors.is_empty()
            || ids(item).iter().any(|id| selectors.iter().any(|selector| names(selector, id)))
    };
    Ok(items.into_iter().filter(chosen).collect())
}

/// The title of a check's section, as the report shows it.
pub(crate) fn section(check: &Check) -> &'static str {
    let mut sections = slipway_scenarios::sections();
    let found = sections.find(|(_, clauses)| clauses.iter().any(|clause| clause.id == check.clause.id));
    found.map_or("", |(title, _)| title)
}

/// The items whose id matches no selector.
pub(crate) fn without<'a, T>(
    items: Vec<&'a T>,
    selectors: &[String],
    kind: &'static str,
    ids: impl Fn(&T) -> Vec<&str>,
) -> Result<Vec<&'a T>, NoMatch> {
    if selectors.is_empty() {
        return Ok(items);
    }
    let left_out = select(items.iter().copied(), selectors, kind, ids)?;
    let is_left = |item: &&T| !left_out.iter().any(|left_out| std::ptr::eq(*left_out, *item));
    Ok(items.into_iter().filter(is_left).collect())
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
    fn skipped_items_are_left_out() {
        let skipped = |selectors: &[&str]| {
            let selectors: Vec<String> = selectors.iter().map(ToString::to_string).collect();
            without(ITEMS.iter().collect(), &selectors, "check", |item| vec![*item])
                .map(|found| found.into_iter().copied().collect::<Vec<_>>())
        };
        assert_eq!(skipped(&["list-*"]).unwrap(), ["batch-max"]);
        assert_eq!(skipped(&[]).unwrap(), ITEMS);
        assert!(skipped(&["lst-*"]).is_err());
    }

    #[test]
    fn selector_without_match_is_an_error() {
        let error = pick(&["list-page", "list-pag"]).unwrap_err();
        assert!(error.to_string().contains("did you mean list-page?"), "{error}");
        assert!(pick(&["quote-*"]).is_err());
        let error = select(ITEMS, &["foo".to_owned()], SECTION, |item| vec![*item]).unwrap_err();
        assert!(
            error.to_string().contains("; there are ") && error.to_string().contains(", \"/api/chat\","),
            "{error}"
        );
    }
}
