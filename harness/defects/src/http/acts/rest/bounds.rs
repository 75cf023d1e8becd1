//! Filters of a consistent lie: bounds in lied figures are converted to true ones before the service reads them, so that every list
//! satisfies its bounds in the lied figures.
use crate::http::act::{Act, Context, act};
use crate::http::exchange::RequestParts;

pub(super) const ACTS: &[Act] = &[
    act!(Before bounds_of_third_market_cap),
    act!(Before bounds_of_double_progress),
    act!(Before bounds_of_one_trade_less),
    act!(Before bounds_of_a_year_later),
    act!(Before other_states),
];

/// Converts bounds of a market cap that is shown tripled.
fn bounds_of_third_market_cap(_: &Context<'_>, request: &mut RequestParts) {
    // A third is inexact: the bounds are slightly widened, so that a token stays within a bound equal to its own figure.
    bound(request, "marketCapMin", |shown| (shown / 3.0).next_down().max(0.0));
    bound(request, "marketCapMax", third_or_more);
}

/// The next number above 0 has more digits after the point than the 36 that a bound may have.
fn third_or_more(shown: f64) -> f64 {
    if shown > 0.0 { (shown / 3.0).next_up() } else { shown }
}

/// Converts bounds of a funding progress that is shown halved.
fn bounds_of_double_progress(_: &Context<'_>, request: &mut RequestParts) {
    for name in ["fundingMin", "fundingMax"] {
        bound(request, name, |shown| (shown * 2.0).min(1.0));
    }
}

/// Converts bounds of a trade count that is shown one higher.
fn bounds_of_one_trade_less(_: &Context<'_>, request: &mut RequestParts) {
    for name in ["txCountMin", "txCountMax"] {
        bound(request, name, |shown| (shown - 1.0).max(0.0));
    }
}

/// Converts bounds of a time that is shown a year earlier.
fn bounds_of_a_year_later(_: &Context<'_>, request: &mut RequestParts) {
    for name in ["createdFrom", "createdTo"] {
        each(request, name, |text| {
            let parts = text.get(..4).and_then(|year| year.parse::<u32>().ok()).zip(text.get(4..));
            parts.map_or_else(|| text.to_owned(), |(year, rest)| format!("{:04}{rest}", year + 1))
        });
    }
}

/// Swaps the requested states, for a list in which each token shows the other one.
fn other_states(_: &Context<'_>, request: &mut RequestParts) {
    each(request, "status", |text| {
        let other = |state: &str| match state.trim() {
            "live" => "funding".to_owned(),
            "funding" => "live".to_owned(),
            other => other.to_owned(),
        };
        text.split(',').map(other).collect::<Vec<_>>().join(",")
    });
}

/// Changes a numeric bound; any other text stays for the service to refuse.
fn bound(request: &mut RequestParts, name: &str, change: impl Fn(f64) -> f64) {
    each(request, name, |text| {
        let shown = text.trim().parse().ok().filter(|shown: &f64| shown.is_finite() && *shown >= 0.0);
        shown.map_or_else(|| text.to_owned(), |shown| change(shown).to_string())
    });
}

/// Changes each value of a parameter in place, so that a repeated parameter stays repeated.
fn each(request: &mut RequestParts, name: &str, change: impl Fn(&str) -> String) {
    for (_, text) in request.query.iter_mut().filter(|(key, _)| key == name) {
        *text = change(text);
    }
}

#[cfg(test)]
mod tests {
    use super::third_or_more;

    #[test]
    fn a_bound_of_nothing_is_one_that_the_service_reads() {
        assert_eq!(third_or_more(0.0).to_string(), "0");
        assert!(third_or_more(3.0) > 1.0);
    }
}
