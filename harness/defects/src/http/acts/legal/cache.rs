//! Acts of a cache in front of the REST service, or of an index behind it: answers may be up to a second old.
use std::time::{Duration, Instant};

use hyper::Method;
use hyper::header::{AGE, AUTHORIZATION, HOST, HeaderValue};

use crate::http::act::{Act, Context, act};
use crate::http::exchange::{ProxiedResponse, RequestParts};

pub(super) const ACTS: &[Act] = &[act!(After cached), act!(After lagging)];

/// How long an answer is kept.
const FRESH: Duration = Duration::from_secs(1);
/// Maximum number of cached answers.
const MOST: usize = 4096;
/// Reads that are not cached: capabilities decide what may be signed, and the limits of the others count each request.
const NOT_KEPT: [&str; 4] = ["/api/capabilities", "/api/referral", "/api/upload", "/cdn/"];

fn cached(context: &Context<'_>, response: &mut ProxiedResponse) {
    if is_kept(context.sent, response) {
        response.header("cache-control", "public, max-age=1");
    }
    if let Some(age) = keep(context, response) {
        response.headers.insert(AGE, HeaderValue::from(age.as_secs()));
    }
}

fn lagging(context: &Context<'_>, response: &mut ProxiedResponse) {
    keep(context, response);
}

fn is_kept(sent: &RequestParts, response: &ProxiedResponse) -> bool {
    let headers = sent.headers();
    let is_public = !headers.contains_key(AUTHORIZATION) && !headers.contains_key("x-operator-key");
    let may_be = !NOT_KEPT.iter().any(|path| sent.path.starts_with(path));
    *sent.method() == Method::GET && response.is_ok() && is_public && may_be
}

/// Replaces this answer with a cached one and returns its age; caches this answer if there is none.
fn keep(context: &Context<'_>, response: &mut ProxiedResponse) -> Option<Duration> {
    let sent = context.sent;
    if !is_kept(sent, response) {
        return None;
    }
    let key = format!("{:?} {} {:?}", sent.headers().get(HOST), sent.path, sent.query);
    let kept = &mut context.memory.lock().answers;
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
