//! A cache in front of the REST service, or an index behind it, which answers with what was right up to a second ago.
use std::collections::HashMap;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use hyper::Method;
use hyper::header::{AGE, AUTHORIZATION, HOST, HeaderValue};
use parking_lot::Mutex;

use super::Ground::{Interface, Standard};
use super::{VariantRow, variant};
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::http::mutation::Mutation::Anywhere;

/// The tables of this layer.
pub(super) const TABLES: &[&[VariantRow]] = &[ROWS];

#[rustfmt::skip]
const ROWS: &[VariantRow] = &[
    variant!(Rest, "cached-for-a-second", Standard("RFC 9111 §4.2, freshness, and §5.1, Age"), "a CDN keeps the answer to each public read for a second", Anywhere(cached)),
    variant!(Rest, LAGGING, Interface("S163"), "the service is up to a second behind the chains, and reports neither how far nor since when", Anywhere(lagging), alone),
];

/// Such a platform has no control plane that knows what is indexed.
pub(super) const LAGGING: &str = "lags-a-second";

/// How long an answer is kept.
const FRESH: Duration = Duration::from_secs(1);
/// Answers that are kept at most.
const MOST: usize = 4096;
/// Reads that are not kept: capabilities decide what may be signed, and the limits of the others count each request.
const NOT_KEPT: [&str; 4] = ["/api/capabilities", "/api/referral", "/api/upload", "/cdn/"];

type Kept = LazyLock<Mutex<HashMap<String, (Instant, ProxiedResponse)>>>;

fn cached(sent: &RequestParts, response: &mut ProxiedResponse) {
    static KEPT: Kept = LazyLock::new(Mutex::default);
    if is_kept(sent, response) {
        response.header("cache-control", "public, max-age=1");
    }
    if let Some(age) = keep(&KEPT, sent, response) {
        response.headers.insert(AGE, HeaderValue::from(age.as_secs()));
    }
}

fn lagging(sent: &RequestParts, response: &mut ProxiedResponse) {
    static KEPT: Kept = LazyLock::new(Mutex::default);
    keep(&KEPT, sent, response);
}

fn is_kept(sent: &RequestParts, response: &ProxiedResponse) -> bool {
    let headers = sent.headers();
    let is_public = !headers.contains_key(AUTHORIZATION) && !headers.contains_key("x-operator-key");
    let may_be = !NOT_KEPT.iter().any(|path| sent.path.starts_with(path));
    *sent.method() == Method::GET && response.is_ok() && is_public && may_be
}

/// Puts an earlier answer in the place of this one, and returns its age; keeps this one where there is none.
fn keep(kept: &Kept, sent: &RequestParts, response: &mut ProxiedResponse) -> Option<Duration> {
    if !is_kept(sent, response) {
        return None;
    }
    let headers = sent.headers();
    let key = format!("{:?} {} {:?}", headers.get(HOST), sent.path, sent.query);
    let mut kept = kept.lock();
    if let Some((made, earlier)) = kept.get(&key).filter(|(made, _)| made.elapsed() < FRESH) {
        *response = earlier.clone();
        return Some(made.elapsed());
    }
    if kept.len() == MOST {
        kept.clear();
    }
    kept.insert(key, (Instant::now(), response.clone()));
    None
}
