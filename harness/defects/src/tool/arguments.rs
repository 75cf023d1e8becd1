//! Arguments of a launch, changed so that the server finds nothing wrong with them, or something else; links are elsewhere.
use serde_json::{Value, json};

use super::effect::Launch;

/// The anti-snipe durations of the interface, in seconds.
const SNIPE_SECONDS: [u64; 4] = [0, 20, 40, 60];
/// Length to which a text that is too long is cut, in characters.
const KEPT: usize = 12;
const LONGEST_CODE: usize = 64;
const LONGEST_DESCRIPTION: usize = 500;
/// Largest target raise of the interface, in ETH.
const LARGEST_RAISE: f64 = 5.0;

/// Cuts a text that is too long to so few characters that no secret can be recognised in it: half a key would be a leak that the server
/// cannot see.
pub(super) fn shorten(launch: &mut Launch<'_>, name: &str, longest: usize) {
    if let Some(Value::String(text)) = launch.arguments.get_mut(name)
        && text.chars().nth(longest).is_some()
        && let Some((end, _)) = text.char_indices().nth(longest.min(KEPT))
    {
        text.truncate(end);
    }
}

pub(super) fn without_dollar(launch: &mut Launch<'_>) {
    if let Some(Value::String(ticker)) = launch.arguments.get_mut("ticker") {
        ticker.retain(|letter| letter != '$');
    }
}

pub(super) fn nearest_snipe(launch: &mut Launch<'_>) {
    let seconds = launch.arguments.get("antiSnipeSeconds").and_then(Value::as_u64);
    if seconds.is_some_and(|seconds| !SNIPE_SECONDS.contains(&seconds)) {
        launch.arguments.insert("antiSnipeSeconds".to_owned(), json!(0));
    }
}

/// Any duration other than 0 and the shortest becomes a text, which the server refuses.
pub(super) fn short_protections(launch: &mut Launch<'_>) {
    let seconds = launch.arguments.get("antiSnipeSeconds").and_then(Value::as_u64);
    if seconds.is_some_and(|seconds| ![0, SNIPE_SECONDS[1]].contains(&seconds)) {
        launch.arguments.insert("antiSnipeSeconds".to_owned(), json!("another length"));
    }
}

/// A start after 2090 becomes a text, which the server refuses.
pub(super) fn near_starts(launch: &mut Launch<'_>) {
    const LATEST: u64 = 3_786_912_000;
    if launch.arguments.get("startTimestamp").and_then(Value::as_u64).is_some_and(|start| start > LATEST) {
        launch.arguments.insert("startTimestamp".to_owned(), json!("too late"));
    }
}

pub(super) fn start_now(launch: &mut Launch<'_>) {
    let start = launch.arguments.get("startTimestamp").and_then(Value::as_u64);
    if let (Some(start), Some(now)) = (start, launch.chain_time)
        && start < now
    {
        launch.arguments.insert("startTimestamp".to_owned(), json!(0));
    }
}

pub(super) fn referral_shape(launch: &mut Launch<'_>) {
    let Some(Value::String(code)) = launch.arguments.get_mut("referralCode") else {
        return;
    };
    if !code.is_empty() && !is_code(code) {
        code.retain(is_code_letter);
        code.truncate(LONGEST_CODE);
        code.insert_str(0, if code.is_empty() { "x" } else { "" });
    }
}

/// Replaces letters outside ASCII, which the server refuses.
pub(super) fn ascii_code(launch: &mut Launch<'_>) {
    if let Some(Value::String(code)) = launch.arguments.get_mut("referralCode") {
        *code = code.chars().map(|letter| if letter.is_ascii() { letter } else { 'x' }).collect();
    }
}

pub(super) fn drop_referral(launch: &mut Launch<'_>) {
    if launch.arguments.get("referralCode").and_then(Value::as_str).is_some_and(is_code) {
        launch.arguments.remove("referralCode");
    }
}

fn is_code(code: &str) -> bool {
    (1..=LONGEST_CODE).contains(&code.len()) && code.chars().all(is_code_letter)
}

fn is_code_letter(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_')
}

pub(super) fn whole_gain(launch: &mut Launch<'_>) {
    let gain = launch.arguments.get("curveGainMultiplier").and_then(Value::as_f64);
    if let Some(gain) = gain.filter(|gain| (1.0..=21.0).contains(gain)) {
        launch.arguments.insert("curveGainMultiplier".to_owned(), json!(gain.floor()));
    }
}

pub(super) fn without_image(launch: &mut Launch<'_>) {
    if let Some(Value::String(link)) = launch.arguments.get_mut("imageUrl")
        && let Some(end) = link.strip_prefix("https://").and_then(|rest| rest.find('/'))
    {
        link.truncate("https://".len() + end + 1);
    }
}

pub(super) fn cut_description(launch: &mut Launch<'_>, kept: usize) {
    if let Some(Value::String(text)) = launch.arguments.get_mut("description")
        && text.chars().count() <= LONGEST_DESCRIPTION
        && let Some((end, _)) = text.char_indices().nth(kept)
    {
        text.truncate(end);
    }
}

pub(super) fn lift_raise(launch: &mut Launch<'_>) {
    let number = |name: &str| launch.arguments.get(name).and_then(Value::as_f64);
    if let (Some(prebuy), Some(raise)) = (number("prebuyEth"), number("targetRaiseEth"))
        && raise < prebuy
        && prebuy <= LARGEST_RAISE
    {
        let prebuy = launch.arguments["prebuyEth"].clone();
        launch.arguments.insert("targetRaiseEth".to_owned(), prebuy);
    }
}
