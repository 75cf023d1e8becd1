//! `[target.conventions]`: how a platform does what the interface leaves open.
use std::num::{NonZeroU64, NonZeroUsize};
use std::time::Duration;

use alloy::primitives::Address;
use schemars::JsonSchema;
use serde::Deserialize;
use slipway_scenarios::model::conventions::{
    ADDRESS, Conventions, OF_AUTHORIZATION, OF_CHAT, OF_WALLET, PrintingCommand, Template, WalletAccess,
};
use url::Url;

use crate::target::address;

/// Conventions of the platform in the target file: table `[target]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct TargetTable {
    /// How the platform does what the interface leaves open.
    pub(super) conventions: ConventionsTable,
}

/// How the platform does what the interface leaves open: table `[target.conventions]`. What is declared is used; what is not is
/// never assumed, and the checks that need it are skipped. Addresses are those of chain 57073.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct ConventionsTable {
    /// Text that the sender of a chat message signs (EIP-191), with `{token}`, `{captcha}`, `{message}` and `{sender}`; `{token-lower}`
    /// and `{sender-lower}` are addresses in lower case.
    chat_message: Option<String>,
    /// Header whose value is the operator's credential.
    operator_header: Option<String>,
    /// Text that a wallet signs (EIP-191) to ask for its referral code and stats, with `{address}`, `{address-lower}` and
    /// `{issued-at}`, Unix seconds.
    wallet_message: Option<String>,
    /// Value of `Authorization` with that signature: the same placeholders and `{signature}`.
    wallet_authorization: Option<String>,
    /// Command that prints a fresh captcha token, shell-quoted; without it the control plane is asked.
    captcha_command: Option<String>,
    /// Command that prints a bearer token of the wallet `{address}`, shell-quoted; without it the control plane is asked.
    bearer_command: Option<String>,
    /// Address of the contract that takes launches, for a target without a REST service to name it.
    hook: Option<String>,
    /// Address under which uploaded images are, `https://images.example`; without it where they are is not judged.
    image_cdn: Option<String>,
    /// Address of the auction; without it the one that the capabilities name.
    auction: Option<String>,
    /// Address of the factory of V1 tokens; without it the deployment whose version is `v1`.
    v1_factory: Option<String>,
    /// Address of the Universal Router by which the pools of graduated tokens are traded; without it the one that the capabilities
    /// name.
    router: Option<String>,
    /// Address of the V4 quoter of those pools; without it the one that the capabilities name.
    quoter: Option<String>,
    /// Two tokens between which the swap service has a route; without them the listed pairs and tokens are tried.
    tokens: Option<[String; 2]>,
    /// Seconds that a tool server may take to start (default: 30).
    tool_server_start: Option<NonZeroU64>,
    /// Checks that may run tool servers at once (default: 4).
    tool_servers_at_once: Option<NonZeroUsize>,
}

/// Why a table of conventions cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("target.conventions.{key} {reason}")]
pub(crate) struct ConventionError {
    key: &'static str,
    reason: String,
}

fn wrong(key: &'static str, reason: impl Into<String>) -> ConventionError {
    ConventionError { key, reason: reason.into() }
}

impl ConventionsTable {
    /// The conventions as checks use them.
    pub(super) fn read(self) -> Result<Conventions, ConventionError> {
        let wallet = match (self.wallet_message, self.wallet_authorization) {
            (Some(message), Some(authorization)) => Some(WalletAccess {
                message: template("wallet-message", &message, OF_WALLET)?,
                authorization: template("wallet-authorization", &authorization, OF_AUTHORIZATION)?,
            }),
            (None, None) => None,
            (Some(_), None) => return Err(wrong("wallet-message", "needs wallet-authorization beside it")),
            (None, Some(_)) => return Err(wrong("wallet-authorization", "needs wallet-message beside it")),
        };
        let chat = self.chat_message.map(|text| template("chat-message", &text, OF_CHAT));
        let captcha = self.captcha_command.map(|text| command("captcha-command", &text));
        let bearer = self.bearer_command.map(|text| bearer_command("bearer-command", &text));
        Ok(Conventions {
            chat_message: chat.transpose()?,
            operator_header: self.operator_header.map(header).transpose()?,
            wallet,
            captcha: captcha.transpose()?,
            bearer: bearer.transpose()?,
            hook: contract("hook", self.hook)?,
            image_cdn: self.image_cdn.map(image_cdn).transpose()?,
            auction: contract("auction", self.auction)?,
            v1_factory: contract("v1-factory", self.v1_factory)?,
            router: contract("router", self.router)?,
            quoter: contract("quoter", self.quoter)?,
            tokens: self.tokens.map(two_tokens).transpose()?,
            tool_server_start: self.tool_server_start.map(|seconds| Duration::from_secs(seconds.get())),
            tool_servers_at_once: self.tool_servers_at_once,
        })
    }
}

fn template(
    key: &'static str,
    text: &str,
    known: &'static [&'static str],
) -> Result<Template, ConventionError> {
    Template::parse(text, known).map_err(|error| wrong(key, format!("is no template: {error}")))
}

fn address(key: &'static str, text: &str) -> Result<Address, ConventionError> {
    text.parse().map_err(|_| wrong(key, format!("takes an address, not {text:?}")))
}

fn contract(key: &'static str, text: Option<String>) -> Result<Option<Address>, ConventionError> {
    text.map(|text| address(key, &text)).transpose()
}

fn image_cdn(text: String) -> Result<Url, ConventionError> {
    address::address(&text).ok_or_else(|| wrong("image-cdn", format!("takes an address, not {text:?}")))
}

fn two_tokens(texts: [String; 2]) -> Result<[Address; 2], ConventionError> {
    let [from, to] = [address("tokens", &texts[0])?, address("tokens", &texts[1])?];
    if from == to { Err(wrong("tokens", "takes two different tokens")) } else { Ok([from, to]) }
}

/// Validates the name of a header (RFC 9110 section 5.1).
fn header(name: String) -> Result<String, ConventionError> {
    match reqwest::header::HeaderName::from_bytes(name.as_bytes()) {
        Ok(_) => Ok(name),
        Err(_) => Err(wrong("operator-header", format!("takes the name of a header, not {name:?}"))),
    }
}

fn command(key: &'static str, text: &str) -> Result<PrintingCommand, ConventionError> {
    let mut words = shlex::split(text).unwrap_or_default().into_iter();
    let program = words.next().ok_or_else(|| wrong(key, "takes a shell-quoted command"))?;
    Ok(PrintingCommand { key, program, arguments: words.collect() })
}

/// The command must name its wallet: a token of another wallet would be judged as that of the requested one.
fn bearer_command(key: &'static str, text: &str) -> Result<PrintingCommand, ConventionError> {
    let command = command(key, text)?;
    let is_of_a_wallet = command.arguments.iter().any(|argument| argument.contains(ADDRESS));
    if is_of_a_wallet { Ok(command) } else { Err(wrong(key, "takes a command with {address} in it")) }
}
