//! A launch as entered in the form, read within the interface's bounds for a launch.
use std::ops::RangeInclusive;

use alloy::primitives::{U256, Uint};
use axum::http::Uri;
use slipway_contracts::bindings::CreateLaunchParams;
use slipway_math::curve::{Buy, Curve, MAX_GAIN_BPS, MINIMUM_BUY, Position};
use slipway_math::fees::{Fees, least_gross_up};
use url::{Host, Url};

use super::amount::{DECIMALS, exact};
use super::sent;
use crate::api::tokens::WHOLE;

/// Bounds of the raise, in units of the quote asset.
const RAISE: RangeInclusive<u128> = WHOLE..=5 * WHOLE;
const BPS: u32 = 10_000;
/// Decimal places of a price multiplier that is a whole number of basis points.
const MULTIPLIER_PLACES: u8 = 4;
const URL_BYTES: usize = 2_000;
/// Top-level names that never exist on the internet.
const RESERVED: [&str; 6] = ["local", "internal", "localhost", "test", "example", "invalid"];
/// Allowed lengths of a launch's protection, in seconds.
pub(super) const PROTECTIONS: [u64; 4] = [0, 20, 40, 60];

/// A field of the form.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// The tool server's name for the field.
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    /// The initial text of the form.
    pub(super) default: &'static str,
}

const fn field(name: &'static str, label: &'static str, default: &'static str) -> Field {
    Field { name, label, default }
}

pub(super) const NAME: Field = field("name", "Name", "");
pub(super) const TICKER: Field = field("ticker", "Ticker", "");
pub(super) const DESCRIPTION: Field = field("description", "Description", "");
pub(super) const IMAGE: Field = field("imageUrl", "Image", "");
pub(super) const WEBSITE: Field = field("website", "Website", "");
pub(super) const MICROBLOG: Field = field("microblog", "Microblog", "");
pub(super) const MESSENGER: Field = field("messenger", "Messenger", "");
/// The symbol of the quote asset, as in a market file; empty for the native coin. Amounts are in this asset.
pub(super) const QUOTE: Field = field("quote", "Sold for", "");
pub(super) const TARGET: Field = field("targetRaiseEth", "Target raise", "1");
pub(super) const GAIN: Field = field("curveGainMultiplier", "Gain, last price over first", "6");
pub(super) const SPLIT: Field = field("creatorFeeSplitBps", "Creator's part of the variable fee", "5000");
pub(super) const PROTECTION: Field = field("antiSnipeSeconds", "Anti-snipe window", "0");
pub(super) const START: Field = field("startTimestamp", "Start of trading", "0");
pub(super) const PREBUY: Field = field("prebuyEth", "Prebuy", "0");
pub(super) const REFERRAL: Field = field("referralCode", "Referral code", "");

impl Field {
    /// The typed text, or else the default.
    pub(super) fn typed(self, uri: &Uri) -> String {
        let text = sent(uri, self.name);
        if text.is_empty() { self.default.to_owned() } else { text }
    }
}

/// The curve and the fees of a launch, with the creator's first purchase.
pub(super) struct Plan {
    pub(super) curve: Curve,
    pub(super) split_bps: u16,
    /// The first purchase; without one, the position is at its start.
    pub(super) bought: Buy,
}

impl Plan {
    fn new(target: u128, gain_bps: u32, split_bps: u16, prebuy: u128) -> Option<Self> {
        let curve = Curve::new(target, gain_bps).ok()?;
        let bought = curve.buy(Position::default(), prebuy, split_bps);
        Some(Self { curve, split_bps, bought })
    }

    /// The fees until the graduation if every token is bought once and none is sold.
    pub(super) fn fees(&self) -> Fees {
        let gross = least_gross_up(self.curve.target_raise()).expect("a raise has a gross");
        Fees::of_gross_down(gross, self.split_bps)
    }
}

/// The launch as entered.
pub(super) struct Draft {
    pub(super) params: CreateLaunchParams,
    pub(super) prebuy: U256,
    pub(super) referral: String,
    /// Labels of required fields that are empty.
    pub(super) missing: Vec<&'static str>,
    /// Errors in other fields, each with the name of its field.
    pub(super) wrong: Vec<(&'static str, String)>,
    /// `None` while a field that it depends on is wrong.
    pub(super) plan: Option<Plan>,
}

impl Draft {
    pub(super) fn read(uri: &Uri, now: u64) -> Self {
        let mut fields = Reader { uri, missing: Vec::new(), wrong: Vec::new() };
        let name = fields.text(NAME, 48, true);
        let ticker = fields.text(TICKER, 12, true);
        if ticker.contains('$') {
            fields.refuse(TICKER, "must not contain a dollar sign");
        }
        let description = fields.text(DESCRIPTION, 500, true);
        let [image, website, microblog, messenger] =
            [IMAGE, WEBSITE, MICROBLOG, MESSENGER].map(|field| fields.link(field));
        let target = fields.decimal(TARGET, DECIMALS, RAISE, false);
        let steepest = u128::from(BPS + MAX_GAIN_BPS);
        let multiplier = fields.decimal(GAIN, MULTIPLIER_PLACES, u128::from(BPS)..=steepest, false);
        let gain_bps = multiplier.and_then(|scaled| Some(u32::try_from(scaled).ok()? - BPS));
        let split_bps = fields.whole(SPLIT, 0..=u64::from(BPS)).and_then(|split| u16::try_from(split).ok());
        let protection = fields.choice(PROTECTION, &PROTECTIONS);
        let start = fields.whole(START, 0..=u64::MAX);
        if start.is_some_and(|start| start != 0 && start < now) {
            fields.refuse(START, &format!("is in the past: the platform's clock shows {now}"));
        }
        let prebuy = fields.decimal(PREBUY, DECIMALS, MINIMUM_BUY..=*RAISE.end(), true);
        if let (Some(prebuy), Some(target)) = (prebuy, target)
            && prebuy > target
        {
            fields.refuse(PREBUY, "must be at most the target raise");
        }
        let referral = fields.referral();
        let plan = || Plan::new(target?, gain_bps?, split_bps?, prebuy?);
        let plan = plan();
        let Reader { missing, wrong, .. } = fields;
        Self {
            params: CreateLaunchParams {
                name,
                ticker,
                description,
                imageUrl: image,
                messenger,
                microblog,
                website,
                creatorFeeSplitBps: split_bps.unwrap_or_default(),
                gainBps: gain_bps.unwrap_or_default(),
                targetRaise: Uint::from(target.unwrap_or_default()),
                antiSnipeDuration: protection.unwrap_or_default(),
                startTime: start.unwrap_or_default(),
            },
            prebuy: U256::from(prebuy.unwrap_or_default()),
            referral,
            missing,
            wrong,
            plan,
        }
    }
}

/// Reads the fields and collects their errors.
struct Reader<'a> {
    uri: &'a Uri,
    missing: Vec<&'static str>,
    wrong: Vec<(&'static str, String)>,
}

impl Reader<'_> {
    fn refuse(&mut self, field: Field, rule: &str) {
        self.wrong.push((field.name, rule.to_owned()));
    }

    fn text(&mut self, field: Field, most: usize, is_required: bool) -> String {
        let text = sent(self.uri, field.name);
        let length = text.chars().count();
        if length == 0 && is_required {
            self.missing.push(field.label);
        }
        if length > most {
            self.refuse(field, &format!("must have at most {most} characters, not {length}"));
        }
        text
    }

    /// A link, or nothing.
    fn link(&mut self, field: Field) -> String {
        let text = sent(self.uri, field.name);
        if let Some(rule) = broken_rule(&text).filter(|_| !text.is_empty()) {
            self.refuse(field, rule);
        }
        text
    }

    /// A decimal number in units of its last place, within `range`; zero is accepted too if `or_zero`.
    fn decimal(
        &mut self,
        field: Field,
        places: u8,
        range: RangeInclusive<u128>,
        or_zero: bool,
    ) -> Option<u128> {
        let found = scaled(&field.typed(self.uri), places);
        let found = found.filter(|units| range.contains(units) || (or_zero && *units == 0));
        if found.is_none() {
            let [least, most] = [range.start(), range.end()].map(|units| exact(U256::from(*units), places));
            let zero = if or_zero { "0 or " } else { "" };
            self.refuse(
                field,
                &format!("must be {zero}a number from {least} to {most} with at most {places} digits after the point"),
            );
        }
        found
    }

    fn whole(&mut self, field: Field, range: RangeInclusive<u64>) -> Option<u64> {
        let found = scaled(&field.typed(self.uri), 0).and_then(|number| u64::try_from(number).ok());
        let found = found.filter(|number| range.contains(number));
        if found.is_none() {
            self.refuse(field, &format!("must be a whole number from {} to {}", range.start(), range.end()));
        }
        found
    }

    fn choice(&mut self, field: Field, choices: &[u64]) -> Option<u32> {
        let found = scaled(&field.typed(self.uri), 0);
        let found =
            found.and_then(|number| u64::try_from(number).ok()).filter(|number| choices.contains(number));
        if found.is_none() {
            let choices: Vec<String> = choices.iter().map(u64::to_string).collect();
            self.refuse(field, &format!("must be one of {} seconds", choices.join(", ")));
        }
        found.and_then(|number| u32::try_from(number).ok())
    }

    fn referral(&mut self) -> String {
        let code = self.text(REFERRAL, 64, false);
        if !code.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
            self.refuse(REFERRAL, "must hold only letters, digits, hyphens and underscores");
        }
        code
    }
}

/// Parses digits with at most this many places after a point, in units of the last place.
fn scaled(text: &str, places: u8) -> Option<u128> {
    let (whole, part) = text.trim().split_once('.').unwrap_or((text.trim(), "0"));
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let places = usize::from(places);
    let kept = part.trim_end_matches('0');
    let is_number = is_digits(whole) && is_digits(part) && kept.len() <= places;
    is_number.then(|| format!("{whole}{kept:0<places$}").parse().ok()).flatten()
}

/// The rule for links of a launch that a text breaks, if any. Rules that need a name server are not checked.
fn broken_rule(text: &str) -> Option<&'static str> {
    if text.len() > URL_BYTES {
        return Some("must have at most 2000 bytes");
    }
    let is_plain = !text.chars().any(|one| one.is_control() || one.is_whitespace() || one == '\\');
    let Some(url) = Url::parse(text).ok().filter(|_| is_plain) else { return Some("must be a URL") };
    if url.scheme() != "https" {
        return Some("must be an https URL");
    }
    let authority = text.split_once("//").map_or("", |(_, rest)| rest).split(['/', '?', '#']).next();
    if authority.is_some_and(|authority| authority.contains('@')) {
        return Some("must have no user name and no password");
    }
    match url.host() {
        Some(Host::Domain(name)) => {
            let last = name.trim_end_matches('.').rsplit('.').next().unwrap_or_default();
            RESERVED.contains(&last).then_some("must have a host that is not reserved")
        }
        Some(_) => None,
        None => Some("must be a URL"),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Uri;

    use super::{Draft, broken_rule, scaled};
    use crate::api::tokens::WHOLE;

    const NOW: u64 = 1_000;

    /// A complete form, with other values for some of its fields.
    fn draft(others: &[(&str, &str)]) -> Draft {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let complete =
            [("name", "A"), ("ticker", "T"), ("description", "d"), ("imageUrl", "https://host.net/a.png")];
        let kept = complete.iter().filter(|(name, _)| others.iter().all(|(other, _)| other != name));
        query.extend_pairs(kept).extend_pairs(others);
        let uri: Uri = format!("/create?{}", query.finish()).parse().unwrap();
        Draft::read(&uri, NOW)
    }

    #[test]
    fn fields_have_the_bounds_of_the_interface() {
        let long = |length: usize| "é".repeat(length);
        let over = format!("5.{}1", "0".repeat(17));
        for (name, good, bad) in [
            ("name", vec![long(48)], vec![long(49)]),
            ("ticker", vec![long(12)], vec![long(13), "$T".to_owned()]),
            ("description", vec![long(500)], vec![long(501)]),
            (
                "targetRaiseEth",
                vec!["1".into(), "5.0".into(), "1.000000000000000001".into()],
                vec!["0.99".into(), over, "1e0".into(), "-1".into(), "1.0000000000000000001".into()],
            ),
            (
                "curveGainMultiplier",
                vec!["1".into(), "21".into(), "1.0001".into()],
                vec!["0.9999".into(), "21.0001".into(), "1.00001".into(), "x".into()],
            ),
            (
                "creatorFeeSplitBps",
                vec!["0".into(), "10000".into()],
                vec!["10001".into(), "0.5".into(), "-1".into()],
            ),
            (
                "antiSnipeSeconds",
                vec!["0".into(), "20".into(), "40".into(), "60".into()],
                vec!["1".into(), "80".into(), "x".into()],
            ),
            (
                "startTimestamp",
                vec!["0".into(), NOW.to_string(), u64::MAX.to_string()],
                vec![(NOW - 1).to_string(), "18446744073709551616".into(), "1.5".into()],
            ),
            (
                "prebuyEth",
                vec!["0".into(), "0.00001".into(), "1".into()],
                vec!["0.000009".into(), "1.1".into(), "6".into()],
            ),
            (
                "referralCode",
                vec![String::new(), "a-b_9".into(), "a".repeat(64)],
                vec!["a b".into(), "a".repeat(65), "é".into()],
            ),
            (
                "imageUrl",
                vec![String::new(), "https://host.net".into()],
                vec!["http://host.net".into(), "host".into()],
            ),
            (
                "website",
                vec![String::new(), "https://host.net".into()],
                vec!["http://host.net".into(), "host".into()],
            ),
        ] {
            for value in good {
                let found = draft(&[(name, &value)]);
                assert!(
                    found.wrong.is_empty() && found.missing.is_empty(),
                    "{name} {value}: {:?}",
                    found.wrong
                );
            }
            for value in bad {
                let wrong = draft(&[(name, &value)]).wrong;
                assert!(matches!(wrong[..], [(field, _)] if field == name), "{name} {value}: {wrong:?}");
            }
        }
        let empty = Draft::read(&Uri::from_static("/create"), NOW);
        assert_eq!(empty.missing, ["Name", "Ticker", "Description"]);
        assert!(empty.wrong.is_empty() && empty.plan.is_some());
    }

    #[test]
    fn the_plan_is_that_of_the_fields() {
        let found = draft(&[
            ("targetRaiseEth", "2"),
            ("curveGainMultiplier", "21"),
            ("creatorFeeSplitBps", "2500"),
            ("prebuyEth", "0.5"),
        ]);
        let plan = found.plan.unwrap();
        assert_eq!((plan.curve.target_raise(), plan.curve.gain_bps()), (2 * WHOLE, 200_000));
        assert_eq!(found.params.gainBps, 200_000);
        // 1 % each for the protocol and for the variable fee, a quarter of which is the creator's.
        let fees = plan.bought.fees;
        assert_eq!((fees.protocol, fees.creator), (WHOLE / 200, WHOLE / 800));
        assert_eq!(plan.bought.net, WHOLE / 2 - WHOLE / 100);
        // 2 ETH net are 2 / 0.98 gross.
        assert_eq!(plan.fees().protocol, 2 * WHOLE / 98);
    }

    #[test]
    fn numbers_are_read_exactly() {
        for (text, places, units) in [
            ("6", 4, Some(60_000)),
            (" 1.5 ", 4, Some(15_000)),
            ("0", 4, Some(0)),
            ("5.0", 0, Some(5)),
            ("5.5", 0, None),
            ("1.", 4, None),
            (".5", 4, None),
            ("", 4, None),
            ("1,5", 4, None),
            ("٣", 0, None),
        ] {
            assert_eq!(scaled(text, places), units, "{text}");
        }
    }

    #[test]
    fn links_keep_the_rules() {
        for text in ["https://host.net", "HTTPS://host.net/a?b#c", "https://1.1.1.1/a.png"] {
            assert_eq!(broken_rule(text), None, "{text}");
        }
        let long = format!("https://host.net/{}", "a".repeat(2_000));
        for text in [
            "",
            "host.net",
            "http://host.net",
            "https://user@host.net",
            "https://@host.net",
            "https://host.example",
            "https://a.localhost./",
            "https:\\\\host.net",
            "https://host.net/a b",
            &long,
        ] {
            assert!(broken_rule(text).is_some(), "{text}");
        }
    }
}
