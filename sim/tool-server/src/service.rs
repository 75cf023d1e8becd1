//! Client of the launch service. Its responses are not trusted.
use std::sync::OnceLock;

use alloy::primitives::Address;
use reqwest::Client;
use serde_json::Value;
use slipway_contracts::ChainId;
use url::Url;

use crate::ensure::ensure;
use crate::http::{self, ExchangeError, Limits};
use crate::refusal::Refusal;

/// The only chain on which this tool server launches.
pub(crate) const CHAIN_ID: u64 = ChainId::PRIMARY.0;

/// Reads a whole number, which JSON may write with a fraction or an exponent.
pub(crate) fn whole(value: &Value) -> Option<u64> {
    let spelt = || value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..EXACT).contains(number));
    value.as_u64().or_else(|| format!("{:.0}", spelt()?).parse().ok())
}

/// From this value on, not every whole number has an exact double.
const EXACT: f64 = 9_007_199_254_740_992.0;

pub(crate) struct Service {
    client: OnceLock<Result<Client, ExchangeError>>,
    base: Url,
    limits: Limits,
}

impl Service {
    /// A client for the service at this origin.
    pub(crate) fn new(base: Url, limits: Limits) -> Self {
        Self { client: OnceLock::new(), base, limits }
    }

    async fn get(&self, path: &str, query: &[(&str, String)]) -> Result<Value, Refusal> {
        let mut url = self.base.clone();
        url.set_path(path);
        url.query_pairs_mut().extend_pairs(query);
        let problem = |error: ExchangeError| failed(&error.to_string());
        let client = self.client.get_or_init(|| http::client(&url)).clone().map_err(problem)?;
        http::exchange(client.get(url), false, self.limits).await.map_err(problem)
    }

    async fn capabilities(&self) -> Result<Value, Refusal> {
        let answer = self.get("/api/capabilities", &[("chainId", CHAIN_ID.to_string())]).await?;
        let chain = answer.get("chainId").and_then(whole);
        ensure(chain == Some(CHAIN_ID), Refusal::CapabilitiesChain)?;
        Ok(answer)
    }

    /// The hook for reading launches, even if creation is closed.
    pub(crate) async fn reading_hook(&self) -> Result<Address, Refusal> {
        hook(&self.capabilities().await?)
    }

    /// The hook for a new launch. Chain, creation flag and deployment status are checked in this order.
    pub(crate) async fn creation_hook(&self) -> Result<Address, Refusal> {
        let answer = self.capabilities().await?;
        let create = answer.pointer("/flags/create").is_some_and(is_truthy);
        ensure(create, Refusal::CreationOff)?;
        let status = answer.pointer("/activeCreationDeployment/status").and_then(Value::as_str);
        ensure(status == Some("active"), Refusal::DeploymentInactive)?;
        hook(&answer)
    }

    pub(crate) async fn recent(&self, limit: u64, offset: u64) -> Result<Value, Refusal> {
        let query =
            [("chainId", CHAIN_ID.to_string()), ("limit", limit.to_string()), ("offset", offset.to_string())];
        self.get("/api/tokens/recent-v2", &query).await
    }
}

/// The service returned no usable response.
pub(crate) fn failed(problem: &str) -> Refusal {
    Refusal::ServiceFailed { problem: problem.to_owned() }
}

fn hook(capabilities: &Value) -> Result<Address, Refusal> {
    let text = capabilities.pointer("/activeCreationDeployment/hook").and_then(Value::as_str);
    let address: Option<Address> = text.and_then(|text| text.parse().ok());
    address.filter(|address| !address.is_zero()).ok_or_else(|| failed("it names no launch hook"))
}

/// Truthiness as in JavaScript.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64().is_some_and(|number| number.abs() > 0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(_) | Value::Object(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn hook_must_be_a_nonzero_address() {
        for text in ["", "0x12", "0x0000000000000000000000000000000000000000"] {
            assert!(hook(&json!({ "activeCreationDeployment": { "hook": text } })).is_err(), "{text}");
        }
    }
}
