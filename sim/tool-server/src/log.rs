//! The log of a process that may serve tools: standard error without the secrets of the tool server.
use std::borrow::Cow;
use std::io::{self, Write};
use std::panic::PanicHookInfo;
use std::sync::{Arc, OnceLock};

use slipway_redaction::Redactor;

use crate::redaction::MARK;

/// The redactor of this process's tool server, if it serves one.
static REDACTOR: OnceLock<Arc<Redactor>> = OnceLock::new();

/// Makes the log of this process use this redactor. Only the first call has an effect.
pub(crate) fn redact_with(redactor: &Arc<Redactor>) {
    REDACTOR.get_or_init(|| Arc::clone(redactor));
}

/// The log of this process: a writer for a log subscriber.
#[must_use]
pub fn log() -> Log {
    Log(())
}

/// Standard error without the secrets of this process's tool server. It expects a whole event in one write, as
/// log subscribers do.
///
/// Clause: MCP-SECRETS, MCP-QUIET
#[derive(Clone, Copy, Debug)]
pub struct Log(());

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        let clean = REDACTOR.get().map_or(Cow::Borrowed(&*text), |redactor| redacted(&text, redactor).into());
        io::stderr().lock().write_all(clean.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

/// Writes a panic as one event. A panic hook cannot report its own failure.
pub(crate) fn report_panic(log: &mut impl Write, panic: &PanicHookInfo<'_>) {
    drop(log.write_all(format!("{panic}\n").as_bytes()));
}

fn redacted(text: &str, redactor: &Redactor) -> String {
    without_userinfo(&redactor.redact(text))
}

/// Removes the credentials of URLs from a text. Removing too much from a log does no harm, so every word with a colon before an at sign
/// counts as a URL.
fn without_userinfo(text: &str) -> String {
    let ends_word = |character: char| character.is_whitespace() || "\"'`<>".contains(character);
    text.split_inclusive(ends_word)
        .map(|word| match word.rsplit_once('@') {
            Some((before, after)) if before.contains(':') => format!("{MARK}@{after}"),
            _ => word.to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    /// A log that a test can read.
    struct Captured(Arc<Mutex<String>>, Redactor);

    impl Write for Captured {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().push_str(&redacted(&String::from_utf8_lossy(bytes), &self.1));
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn url_credentials_are_redacted() {
        for (text, clean) in [
            (
                r#"url: String("https://user:word@1.1.1.1/a.png"), n: 1"#,
                r#"url: String("[redacted]@1.1.1.1/a.png"), n: 1"#,
            ),
            ("https:\\\\user:word@host and HTTP://word@host", "[redacted]@host and [redacted]@host"),
            ("write to somebody@host at 12:30", "write to somebody@host at 12:30"),
        ] {
            assert_eq!(without_userinfo(text), clean);
        }
    }

    #[test]
    fn panic_reports_are_redacted() {
        let captured = Arc::new(Mutex::new(String::new()));
        let sink = Arc::clone(&captured);
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let redactor = Redactor::new(MARK);
            redactor.learn_text("canary-rpc-key-0123456789");
            report_panic(&mut Captured(Arc::clone(&sink), redactor), panic);
        }));
        let panic = std::panic::catch_unwind(|| panic!("no host at https://rpc/canary-rpc-key-0123456789"));
        std::panic::set_hook(previous);
        assert!(panic.is_err());
        let report = captured.lock().clone();
        assert!(report.contains("no host at https://rpc/[redacted]"), "{report}");
        assert!(!report.contains("canary"), "{report}");
    }
}
