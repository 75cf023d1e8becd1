//! Rate limits: counts requests, and decides whose address they count against.
use std::net::IpAddr;

use super::Api;
use super::refusal::Refusal;

pub(crate) use crate::store::{RateLimit, RateLimitStatus};

impl Api {
    /// Counts a request under a rate limit.
    pub(crate) async fn count(&self, rule: &RateLimit, key: &str) -> Result<RateLimitStatus, Refusal> {
        let _stay = self.engine.stay().await;
        Ok(self.store.take(rule, key, self.clock.now()).await??)
    }

    /// Counts a read that has no other limit under the standard one, if any.
    pub(crate) async fn count_read(&self, caller: IpAddr) -> Result<Option<RateLimitStatus>, Refusal> {
        match &self.settings.standard_limit {
            Some(limit) => Ok(Some(self.count(limit, &caller.to_string()).await?)),
            None => Ok(None),
        }
    }

    /// Whether the caller's address is taken from `X-Forwarded-For`.
    pub(crate) fn trusts_forwarded(&self) -> bool {
        self.settings.trust_forwarded
    }
}
