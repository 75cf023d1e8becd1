//! The secrets of the addresses that this process was given: what it writes about a run contains none of them.
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use slipway_redaction::Redactor;
use slipway_redaction::address;
use slipway_redaction::exchange::{CONCEALED, without_user_data};
use slipway_tool_server::Log;

static GIVEN: LazyLock<Given> = LazyLock::new(Given::default);

/// The name of this program is no secret, even as a password.
const NAME: &str = "slipway";

struct Given {
    redactor: Redactor,
    parts: Mutex<BTreeSet<String>>,
    /// Whether there is anything to conceal.
    any: AtomicBool,
}

impl Default for Given {
    fn default() -> Self {
        Self { redactor: Redactor::new(CONCEALED), parts: Mutex::default(), any: AtomicBool::new(false) }
    }
}

impl Given {
    /// Learns the addresses in a text; `is_rpc` if they are those of nodes. The word before an address tells too.
    fn learn(&self, text: &str, mut is_rpc: bool) {
        let ends_word = |letter: char| letter.is_whitespace() || "'\"`<>".contains(letter);
        for word in text.split(ends_word).filter(|word| !word.is_empty()) {
            let beginning = ["http:", "https:"].iter().filter_map(|scheme| word.find(scheme)).min();
            let lacks_scheme = || word.split_once(':').is_some_and(|(_, rest)| rest.contains('@'));
            let beginning = beginning.or_else(|| (!word.contains("://") && lacks_scheme()).then_some(0));
            if let Some(at) = beginning {
                let found = address::secrets(&word[at..], is_rpc || names_a_node(&word[..at]));
                if found.has_user || !found.parts.is_empty() {
                    self.any.store(true, Ordering::Relaxed);
                }
                for part in found.parts.into_iter().filter(|part| !part.eq_ignore_ascii_case(NAME)) {
                    self.redactor.learn_text(part);
                    self.parts.lock().insert(part.to_owned());
                }
            } else if word.contains("://") {
                // The address of a database: its user and password are found by their place.
                self.any.store(true, Ordering::Relaxed);
            }
            is_rpc = names_a_node(word) && beginning.is_none();
        }
    }

    fn hidden<'text>(&self, text: &'text str) -> Cow<'text, str> {
        if !self.any.load(Ordering::Relaxed) {
            return Cow::Borrowed(text);
        }
        let clean = self.redactor.redact(text);
        if clean.contains("://") { without_user_data(clean.into_owned()).into() } else { clean }
    }
}

fn names_a_node(word: &str) -> bool {
    word.to_ascii_lowercase().contains("rpc")
}

/// Learns the addresses of the command line.
pub(crate) fn learn_command_line() {
    let mut before = String::new();
    for argument in std::env::args_os().skip(1) {
        let argument = argument.to_string_lossy().into_owned();
        GIVEN.learn(&argument, names_a_node(&before) && !before.contains("://"));
        before = argument;
    }
}

/// Learns the address of a file; `is_rpc` if it is that of a node.
pub(crate) fn learn(address: &str, is_rpc: bool) {
    GIVEN.learn(address, is_rpc);
}

/// Whether there is anything to conceal.
pub(crate) fn any() -> bool {
    GIVEN.any.load(Ordering::Relaxed)
}

/// The text without secrets.
pub(crate) fn hidden(text: &str) -> Cow<'_, str> {
    GIVEN.hidden(text)
}

/// The parts of addresses that are secret.
pub(crate) fn parts() -> Vec<String> {
    GIVEN.parts.lock().iter().cloned().collect()
}

/// A log on standard error without secrets; it expects a whole event in one write.
pub(crate) struct QuietLog(Log);

pub(crate) fn log() -> QuietLog {
    QuietLog(slipway_tool_server::log())
}

impl Write for QuietLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(hidden(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_addresses_are_shown_without_their_secrets() {
        let given = Given::default();
        let plain = "slipway check --base-url http://127.0.0.1:4700 --rpc-url 57073=http://127.0.0.1:4703/";
        given.learn(plain, false);
        assert!(matches!(given.hidden("http://u:pw@host"), Cow::Borrowed(_)));
        let line = "check --base-url http://me:S3cretPw@host/a --rpc-url 57073=https://host/v3/S3cretKey1 --swap-url http://host/?k=S3cretQuery";
        given.learn(line, false);
        assert_eq!(
            given.hidden(line),
            "check --base-url http://[concealed]@host/a --rpc-url 57073=https://host/v3/[concealed] --swap-url http://host/?k=[concealed]"
        );
        assert_eq!(given.hidden("\"is S3cretPw\""), "\"is [concealed]\"");
        assert_eq!(given.hidden(plain), plain);
        given.learn("me:S3cretOther@host", false);
        assert_eq!(given.hidden("not \"me:S3cretOther@host\""), "not \"me:[concealed]@host\"");
        given.learn("http://slipway:slipway@host", false);
        assert_eq!(given.hidden("slipway http://slipway:slipway@host"), "slipway http://[concealed]@host");
    }
}
