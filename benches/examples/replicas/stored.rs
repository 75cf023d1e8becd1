//! Writes that the REST service stores, and whether a process shows what was acknowledged.
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};

use alloy::primitives::keccak256;
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::Failure;
use crate::client::{Ask, Connection, all};
use crate::fleet::{Fleet, text};

/// Wallets that register with the same referrer: as many as its stats name.
const REFERRED: u64 = 10;
/// Messages that a wallet may send in a minute.
const SAID: u64 = 5;
/// Messages of a page.
const PAGE: usize = 100;
/// Callers that prepare messages at the same time.
const PREPARING: usize = 16;

/// A number that nothing else has in this run.
fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// The address that a caller says it comes from; each has limits of its own.
fn caller(number: u64) -> String {
    format!("2001:db8::{:x}:{:x}", number >> 16, number & 0xffff)
}

/// A write that was not sent yet.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(crate) ask: Ask,
    about: About,
}

/// What a write is about: the wallet and its referrer, or the token.
#[derive(Clone, Debug)]
enum About {
    Registration { wallet: String, referrer: String },
    Message { token: String },
}

/// What was acknowledged, so that every process has to show it.
#[derive(Clone, Debug)]
pub(crate) enum Known {
    Registration { wallet: String, referrer: String },
    Message { token: String, id: String },
}

impl Write {
    /// What is known once this answer has acknowledged it.
    pub(crate) fn known(self, answer: &Value) -> Result<Known, Failure> {
        Ok(match self.about {
            About::Registration { wallet, referrer } => Known::Registration { wallet, referrer },
            About::Message { token } => Known::Message { token, id: text(&answer["id"])?.to_owned() },
        })
    }
}

/// The registration of a wallet that nobody knows yet.
pub(crate) fn registration() -> Write {
    let number = fresh();
    let wallet = format!("0x{:040x}", (1_u128 << 64) + u128::from(number));
    let referrer = format!("0x{:040x}", (2_u128 << 64) + u128::from(number / REFERRED));
    let body = json!({ "referral_code": referrer, "wallet_address": wallet });
    let ask = Ask::post("/api/referral/register", &body).header("x-forwarded-for", caller(number));
    Write { ask, about: About::Registration { wallet, referrer } }
}

/// Signed messages about a token, each with a captcha of its own.
pub(crate) async fn messages(fleet: &Fleet<'_>, token: &str, count: usize) -> Result<Vec<Write>, Failure> {
    let mut callers = JoinSet::new();
    for place in 0..PREPARING {
        let mut control = fleet.control().await?;
        let (token, key) = (token.to_lowercase(), fleet.operator_key()?.to_owned());
        let share = (count + place) / PREPARING;
        callers.spawn(async move {
            let mut made = Vec::new();
            for _ in 0..share {
                made.push(message(&mut control, &token, &key).await?);
            }
            Ok(made)
        });
    }
    Ok(all(callers).await?.concat())
}

async fn message(control: &mut Connection, token: &str, key: &str) -> Result<Write, Failure> {
    let minted = control.expect(&Ask::post("/_sim/captchas", &json!({}))).await?;
    let captcha = text(&minted["token"])?;
    let number = fresh();
    let signer = PrivateKeySigner::from_bytes(&keccak256((number / SAID).to_be_bytes()))?;
    let said = format!("message {number}");
    let signed = format!("Launch platform chat\nToken: {token}\nCaptcha: {captcha}\nMessage: {said}");
    let signature = signer.sign_message_sync(signed.as_bytes())?.to_string();
    let body = json!({ "token": captcha, "tokenAddress": token, "message": said, "signature": signature });
    let ask = Ask::post("/api/chat", &body).header("x-operator-key", key);
    Ok(Write { ask, about: About::Message { token: token.to_owned() } })
}

/// Addresses of tokens, the newest first.
pub(crate) async fn tokens(fleet: &Fleet<'_>) -> Result<Vec<String>, Failure> {
    let list = fleet.rest(0).await?.expect(&Ask::get("/api/tokens")).await?;
    let rows = list["tokens"].as_array().ok_or("no list of tokens")?;
    rows.iter().map(|row| Ok(text(&row["address"])?.to_owned())).collect()
}

/// The read that shows a write.
pub(crate) fn shows(known: &Known) -> Ask {
    match known {
        Known::Registration { referrer, .. } => stats(referrer),
        Known::Message { token, .. } => page(token, 0),
    }
}

/// Whether the answer to [`shows`] shows it.
pub(crate) fn is_shown(known: &Known, answer: &Value) -> bool {
    match known {
        Known::Registration { wallet, .. } => referred(answer).contains(wallet),
        Known::Message { id, .. } => said(answer).contains(id),
    }
}

fn stats(referrer: &str) -> Ask {
    Ask::get(format!("/api/referral/stats?address={referrer}")).header("x-forwarded-for", caller(fresh()))
}

fn page(token: &str, offset: usize) -> Ask {
    Ask::get(format!("/api/chat?tokenAddress={token}&limit={PAGE}&offset={offset}"))
}

/// The wallets that stats name.
fn referred(stats: &Value) -> BTreeSet<String> {
    let rows = stats["top_referrals"].as_array().into_iter().flatten();
    rows.filter_map(|row| Some(row["address"].as_str()?.to_lowercase())).collect()
}

/// The messages of a page.
fn said(page: &Value) -> BTreeSet<String> {
    let rows = page.as_array().into_iter().flatten();
    rows.filter_map(|row| Some(row["id"].as_str()?.to_owned())).collect()
}

/// How much of what was acknowledged a process does not show.
pub(crate) async fn missing(fleet: &Fleet<'_>, place: usize, known: &[Known]) -> Result<usize, Failure> {
    let mut rest = fleet.rest(place).await?;
    let (mut wallets, mut ids) = (BTreeMap::<_, Vec<_>>::new(), BTreeMap::<_, Vec<_>>::new());
    for known in known {
        match known {
            Known::Registration { wallet, referrer } => wallets.entry(referrer).or_default().push(wallet),
            Known::Message { token, id } => ids.entry(token).or_default().push(id),
        }
    }
    let mut missing = 0;
    for (referrer, wallets) in wallets {
        let shown = referred(&rest.expect(&stats(referrer)).await?);
        missing += wallets.into_iter().filter(|wallet| !shown.contains(*wallet)).count();
    }
    for (token, ids) in ids {
        let mut shown = BTreeSet::new();
        loop {
            let page = said(&rest.expect(&page(token, shown.len())).await?);
            if page.is_empty() {
                break;
            }
            shown.extend(page);
        }
        missing += ids.into_iter().filter(|id| !shown.contains(*id)).count();
    }
    Ok(missing)
}
