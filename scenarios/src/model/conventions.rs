//! How a target fills the gaps of the interface, as its operator declares; undeclared conventions are not assumed.
use std::num::NonZeroUsize;
use std::process::Stdio as Pipe;
use std::time::Duration;

use alloy::primitives::Address;
use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::process::Command;
use url::Url;

use crate::model::verdict::{Inconclusive, Stop};

/// Placeholders of the text that a chat message signs.
pub const OF_CHAT: &[&str] = &["token", "token-lower", "captcha", "message", "sender", "sender-lower"];
/// Placeholders of the text that a wallet signs for access.
pub const OF_WALLET: &[&str] = &["address", "address-lower", "issued-at"];
/// Placeholders of that wallet's `Authorization` header.
pub const OF_AUTHORIZATION: &[&str] = &["address", "address-lower", "issued-at", "signature"];
/// Placeholder for the wallet in a command that prints a bearer token.
pub const ADDRESS: &str = "{address}";

/// The longest that a command may take to print its text.
const PATIENCE: Duration = Duration::from_secs(30);
/// Most bytes that a command may print.
const MOST_PRINTED: u64 = 64 * 1024;
/// Bytes of its standard error that a verdict shows.
const SHOWN_ERRORS: usize = 400;

/// The conventions of a target.
#[derive(Clone, Debug, Default)]
pub struct Conventions {
    /// Text that the sender of a chat message signs.
    pub chat_message: Option<Template>,
    /// Header that carries the operator's credential.
    pub operator_header: Option<String>,
    /// How a wallet requests its private data.
    pub wallet: Option<WalletAccess>,
    /// Command that prints a captcha token.
    pub captcha: Option<PrintingCommand>,
    /// Command that prints a bearer token of a wallet.
    pub bearer: Option<PrintingCommand>,
    /// The contract of the primary chain that takes launches, if no REST service names it.
    pub hook: Option<Address>,
    /// The base URL of uploaded images.
    pub image_cdn: Option<Url>,
    /// The auction of the primary chain.
    pub auction: Option<Address>,
    /// The factory of V1 tokens on the primary chain.
    pub v1_factory: Option<Address>,
    /// The Universal Router for trades in the pools of graduated tokens.
    pub router: Option<Address>,
    /// The V4 quoter of those pools.
    pub quoter: Option<Address>,
    /// Two tokens between which the swap service has a route.
    pub tokens: Option<[Address; 2]>,
    /// How long a tool server may take to start.
    pub tool_server_start: Option<Duration>,
    /// Most checks that run tool servers at once.
    pub tool_servers_at_once: Option<NonZeroUsize>,
}

/// Access by the signature of a wallet instead of a bearer token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalletAccess {
    /// Text that the wallet signs.
    pub message: Template,
    /// Value of `Authorization`.
    pub authorization: Template,
}

impl Conventions {
    /// Fills undeclared conventions from those that a control plane declares.
    pub(crate) fn or(self, declared: &Value) -> Self {
        let text = |name: &str| declared[name].as_str();
        let template = |name: &str, known| text(name).and_then(|text| Template::parse(text, known).ok());
        let wallet = || {
            let message = template("walletMessage", OF_WALLET)?;
            Some(WalletAccess { message, authorization: template("walletAuthorization", OF_AUTHORIZATION)? })
        };
        Self {
            chat_message: self.chat_message.or_else(|| template("chatMessage", OF_CHAT)),
            operator_header: self.operator_header.or_else(|| text("operatorHeader").map(str::to_owned)),
            wallet: self.wallet.or_else(wallet),
            ..self
        }
    }
}

/// Skips the check because the target file does not declare something.
pub(crate) fn undeclared(what: &str, key: &str) -> Stop {
    Stop::Skipped(format!("{what} is not declared: [target.conventions] {key}"))
}

/// Skips the check because a contract is neither named by the capabilities nor declared in the target file.
pub(crate) fn unnamed(what: &str, key: &str) -> Stop {
    undeclared(&format!("the capabilities name no {what}, and it"), key)
}

/// A text with placeholders in braces, for example `Token: {token}`; `{{` and `}}` are literal braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Value(&'static str),
}

/// An error in a template.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// An unknown placeholder.
    #[error("there is no placeholder {{{name}}}; there are {}", known.iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(", "))]
    Unknown {
        /// The name.
        name: String,
        /// The known placeholders.
        known: &'static [&'static str],
    },
    /// An unpaired brace.
    #[error("a brace is written twice, or begins or ends a placeholder")]
    Brace,
}

impl Template {
    /// Parses a template that may use the known placeholders.
    pub fn parse(text: &str, known: &'static [&'static str]) -> Result<Self, TemplateError> {
        let (mut pieces, mut plain, mut rest) = (Vec::new(), String::new(), text);
        while let Some(at) = rest.find(['{', '}']) {
            plain.push_str(&rest[..at]);
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                plain.push_str(brace);
                rest = after;
                continue;
            }
            let (name, after) = rest.split_once('}').filter(|_| brace == "{").ok_or(TemplateError::Brace)?;
            let found = known.iter().find(|known| **known == name);
            let name = found.ok_or_else(|| TemplateError::Unknown { name: name.to_owned(), known })?;
            pieces.extend([Piece::Text(std::mem::take(&mut plain)), Piece::Value(name)]);
            rest = after;
        }
        plain.push_str(rest);
        pieces.push(Piece::Text(plain));
        Ok(Self(pieces))
    }

    /// Returns the text with the placeholders replaced by these values.
    pub fn fill(&self, values: &[(&str, &str)]) -> String {
        let value =
            |name: &str| values.iter().find(|(known, _)| *known == name).map_or("", |(_, value)| value);
        let pieces = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => text,
            Piece::Value(name) => value(name),
        });
        pieces.collect()
    }
}

/// A command that prints one text, for example a captcha token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrintingCommand {
    /// The key of the target file that declares it.
    pub key: &'static str,
    /// The program.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
}

impl PrintingCommand {
    /// Runs the command and returns its trimmed output; `wallet` replaces the placeholder.
    pub(crate) async fn printed(&self, wallet: Option<Address>) -> Result<String, Inconclusive> {
        let failed = |reason| Inconclusive::Unreachable { endpoint: self.key, reason };
        let wallet = wallet.map(|wallet| wallet.to_string()).unwrap_or_default();
        let mut child = Command::new(&self.program)
            .args(self.arguments.iter().map(|argument| argument.replace(ADDRESS, &wallet)))
            .stdin(Pipe::null())
            .stdout(Pipe::piped())
            .stderr(Pipe::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let output = child.stdout.take().expect("stdout is piped");
        let errors = child.stderr.take().expect("stderr is piped");
        let (mut printed, mut said) = (Vec::new(), Vec::new());
        let (mut output, mut errors) = (output.take(MOST_PRINTED + 1), errors.take(MOST_PRINTED + 1));
        let ended = async {
            tokio::try_join!(output.read_to_end(&mut printed), errors.read_to_end(&mut said))?;
            // A command that printed too much may be waiting to print the rest.
            drop((output, errors));
            child.wait().await
        };
        let status = tokio::time::timeout(PATIENCE, ended)
            .await
            .map_err(|_| failed(format!("it did not end within {} s", PATIENCE.as_secs())))?
            .map_err(|error| failed(error.to_string()))?;
        let words = String::from_utf8_lossy(&said[said.len().saturating_sub(SHOWN_ERRORS)..]);
        if !status.success() {
            return Err(failed(format!("it ended with {status}; last words: {}", words.trim())));
        }
        let text = String::from_utf8(printed).ok().filter(|text| text.len() as u64 <= MOST_PRINTED);
        let text = text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        text.filter(|text| !text.contains(char::is_control))
            .ok_or_else(|| failed(format!("it did not print one line of text; last words: {}", words.trim())))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn placeholders_are_filled_and_braces_kept() {
        let filled = |text| {
            let template = Template::parse(text, OF_CHAT).unwrap();
            template.fill(&[("token", "0xA"), ("captcha", "{message}"), ("message", "}{ {token}")])
        };
        assert_eq!(filled("Token: {token}\n{captcha}|{message}"), "Token: 0xA\n{message}|}{ {token}");
        assert_eq!(filled("{{\"m\":\"{message}\"}}"), "{\"m\":\"}{ {token}\"}");
        assert_eq!(filled(""), "");
        let wrong = |text| Template::parse(text, OF_CHAT).unwrap_err();
        for text in ["{", "}", "{token", "token}", "a } b"] {
            assert_eq!(wrong(text), TemplateError::Brace, "{text}");
        }
        assert_eq!(
            wrong("{tokens}").to_string(),
            "there is no placeholder {tokens}; there are {token}, {token-lower}, {captcha}, {message}, {sender}, {sender-lower}"
        );
    }

    #[test]
    fn what_is_declared_goes_before_a_control_plane() {
        let of = |text| Template::parse(text, OF_CHAT).unwrap();
        let control =
            json!({ "chatMessage": "{message}!", "operatorHeader": "X-Key", "walletMessage": "{address}" });
        let found = Conventions::default().or(&control);
        assert_eq!(
            (found.chat_message, found.operator_header.as_deref()),
            (Some(of("{message}!")), Some("X-Key"))
        );
        assert_eq!(found.wallet, None);
        let declared = Conventions { chat_message: Some(of("{message}")), ..Conventions::default() };
        assert_eq!(declared.or(&control).chat_message, Some(of("{message}")));
        assert_eq!(Conventions::default().or(&Value::Null).chat_message, None);
    }

    async fn shell(script: &str) -> Result<String, String> {
        let arguments = vec!["-c".to_owned(), script.to_owned(), "sh".to_owned(), ADDRESS.to_owned()];
        let command = PrintingCommand { key: "bearer-command", program: "sh".to_owned(), arguments };
        command.printed(Some(Address::ZERO)).await.map_err(|error| error.to_string())
    }

    #[tokio::test]
    async fn a_command_prints_one_line() {
        assert_eq!(shell("echo; echo \" of $1 \"").await.unwrap(), format!("of {}", Address::ZERO));
        for (script, reason) in [
            ("echo token; echo why >&2; exit 3", "it ended with exit status: 3; last words: why"),
            ("echo nothing >&2", "it did not print one line of text; last words: nothing"),
            ("echo one; echo two", "it did not print one line of text"),
            ("head -c 100000 /dev/zero | tr '\\0' a", "it did not print one line of text"),
        ] {
            let error = shell(script).await.unwrap_err();
            assert!(error.contains(reason) && error.contains("bearer-command"), "{script}: {error}");
            assert!(!error.contains("token"), "{error}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_command_that_waits_is_ended() {
        assert!(shell("sleep 1000").await.unwrap_err().contains("it did not end within 30 s"));
    }
}
