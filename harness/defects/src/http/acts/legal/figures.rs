//! Acts of variants in the figures, times and addresses of answers, and in the filters on them.
use serde_json::{Map, Value, json};

use crate::http::act::{Act, Context, act};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::json::{each, each_member, times};

pub(super) const ACTS: &[Act] = &[
    act!(After figures_of_nine_digits),
    act!(After figures_of_twelve_digits),
    act!(Before bounds_of_four_fifths),
    act!(Before bounds_by_tokens),
    act!(After progress_by_tokens),
    act!(After small_addresses),
    act!(After times_with_milliseconds),
    act!(After times_with_offset),
    act!(After times_in_two_spellings),
    act!(After times_of_another_zone),
    act!(After times_without_zone),
    act!(After times_of_the_year),
    act!(After times_in_seconds),
    act!(After ten_times_the_points),
    act!(Before bounds_excluded),
];

const OTHER_TIMES: [&str; 4] = ["updated_at", "joined_at", "timestamp", "lastBidTime"];

/// The number rounded to this many significant digits.
fn significant(number: f64, digits: usize) -> f64 {
    format!("{number:.*e}", digits - 1).parse().unwrap_or(number)
}

fn figures_of_nine_digits(_: &Context<'_>, response: &mut ProxiedResponse) {
    figures(&mut response.body, 9);
}

fn figures_of_twelve_digits(_: &Context<'_>, response: &mut ProxiedResponse) {
    figures(&mut response.body, 12);
}

fn figures(value: &mut Value, digits: usize) {
    each(value, &mut |value| {
        if let Some(number) = value.as_f64().filter(|_| value.is_f64()) {
            *value = json!(significant(number, digits));
        }
    });
}

/// Progress as the part of the tokens sold: it rises with the contributions, is ahead of them, and ends at the same value.
fn progress_by_tokens(_: &Context<'_>, response: &mut ProxiedResponse) {
    let is_token = |members: &Map<String, Value>| members.contains_key("ticker");
    each_member(&mut response.body, &is_token, &|name| name == "funding_progress", &|value| {
        if let Some(number) = value.as_f64().filter(|number| *number > 0.0 && *number < 1.0) {
            *value = json!(number.powf(0.9));
        }
    });
}

/// Bounds for a figure that is shown at four fifths, slightly widened so that a token stays within a bound equal to its own figure.
fn bounds_of_four_fifths(_: &Context<'_>, request: &mut RequestParts) {
    for (name, wider) in [("marketCapMin", 1.0 - 1e-12), ("marketCapMax", 1.0 + 1e-12)] {
        request.change(name, |text| match text.trim().parse::<f64>() {
            Ok(bound) if bound > 0.0 && bound.is_finite() => (bound / 0.8 * wider).to_string(),
            _ => text.to_owned(),
        });
    }
}

fn bounds_by_tokens(_: &Context<'_>, request: &mut RequestParts) {
    for (name, wider) in [("fundingMin", 1.0 - 1e-12), ("fundingMax", 1.0 + 1e-12)] {
        request.change(name, |text| match text.trim().parse::<f64>() {
            Ok(bound) if bound > 0.0 && bound < 1.0 => {
                (bound.powf(1.0 / 0.9) * wider).min(1.0 - 1e-9).to_string()
            }
            _ => text.to_owned(),
        });
    }
}

fn is_address(text: &str) -> bool {
    text.len() == 42 && text.starts_with("0x") && text.bytes().skip(2).all(|digit| digit.is_ascii_hexdigit())
}

fn small_addresses(_: &Context<'_>, response: &mut ProxiedResponse) {
    each(&mut response.body, &mut |value| match value {
        Value::String(text) if is_address(text) => text.make_ascii_lowercase(),
        _ => {}
    });
}

fn times_with_milliseconds(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_time(&mut response.body, |seconds| format!("{seconds}.000Z"));
}

fn times_with_offset(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_time(&mut response.body, |seconds| format!("{seconds}+00:00"));
}

/// The record, an owner's tokens and the batch differ from the list, and from each other.
fn times_in_two_spellings(context: &Context<'_>, response: &mut ProxiedResponse) {
    let spell: fn(&str) -> String = match context.sent.path.as_str() {
        "/api/token" => |seconds| format!("{seconds}.000Z"),
        "/api/tokens/by-owner" => |seconds| format!("{seconds}+00:00"),
        _ => |seconds| format!("{}Z", seconds.replace(['-', ':'], "")),
    };
    each_time(&mut response.body, spell);
}

fn times_of_another_zone(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_time(&mut response.body, in_another_zone);
}

fn times_without_zone(_: &Context<'_>, response: &mut ProxiedResponse) {
    other_times(response, without_zone);
}

fn times_of_the_year(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_time(&mut response.body, |seconds| {
        let moment: Option<jiff::civil::DateTime> = seconds.parse().ok();
        moment.map_or_else(|| seconds.to_owned(), |moment| moment.strftime("%Y-%jT%H:%M:%SZ").to_string())
    });
}

fn times_in_seconds(_: &Context<'_>, response: &mut ProxiedResponse) {
    other_times(response, in_seconds);
}

/// Changes every time other than `created_at`.
fn other_times(response: &mut ProxiedResponse, change: fn(&mut Value)) {
    each_member(&mut response.body, &|_| true, &|name| OTHER_TIMES.contains(&name), &change);
}

/// Rewrites every time from its date and time of day in UTC.
fn each_time(value: &mut Value, change: fn(&str) -> String) {
    each(value, &mut |value| {
        if let Some(seconds) = value.as_str().and_then(seconds_of) {
            *value = json!(change(seconds));
        }
    });
}

/// The date and time of day of a UTC time.
fn seconds_of(text: &str) -> Option<&str> {
    let seconds = text.strip_suffix('Z').filter(|seconds| seconds.len() >= 19)?;
    (text.parse::<jiff::Timestamp>().is_ok() && seconds.as_bytes()[10] == b'T').then(|| &seconds[..19])
}

fn in_another_zone(seconds: &str) -> String {
    let offset = jiff::tz::offset(2);
    let time = format!("{seconds}Z").parse::<jiff::Timestamp>().map(|time| offset.to_datetime(time));
    time.map_or_else(|_| format!("{seconds}Z"), |time| format!("{time}+02:00"))
}

fn without_zone(value: &mut Value) {
    if let Some(seconds) = value.as_str().and_then(seconds_of) {
        *value = json!(seconds);
    }
}

fn in_seconds(value: &mut Value) {
    if let Some(time) = value.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok()) {
        *value = json!(time.as_second().to_string());
    }
}

fn ten_times_the_points(_: &Context<'_>, response: &mut ProxiedResponse) {
    each_member(&mut response.body, &|_| true, &|name| name.contains("points"), &|points| {
        times(points, 10.0);
    });
}

fn bounds_excluded(_: &Context<'_>, request: &mut RequestParts) {
    for (figure, most) in [("funding", 1.0), ("marketCap", 1e30)] {
        let names = ["Min", "Max"].map(|end| format!("{figure}{end}"));
        let [least, greatest] = names.each_ref().map(|name| {
            let bound: Option<f64> = request.get(name).and_then(|text| text.trim().parse().ok());
            bound.filter(|bound| *bound > 0.0 && *bound < most)
        });
        let above = least.map(f64::next_up);
        let below = greatest.map(f64::next_down).map(|below| match least {
            // No figure lies between equal bounds; keep the bounds in order.
            Some(least) if Some(least) == greatest => least.next_up(),
            _ => below,
        });
        for (name, bound) in names.iter().zip([above, below]) {
            if let Some(bound) = bound {
                request.set(name, bound.to_string());
            }
        }
    }
}
