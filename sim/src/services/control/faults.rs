//! `/_sim/faults`: sets, lists and removes faults.
use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::State;
use axum::http::Method;
use axum::response::Response;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::Order;
use crate::api::Api;
use crate::api::faults::{Effect, Fault};
use crate::api::refusal::Refusal;
use crate::services::http::{PathParameter, Served, json as answer};
use crate::services::input;
use crate::services::input::kinds::Whole;

/// Longest delay, milliseconds.
const LONGEST_DELAY: u64 = 60_000;
/// Longest name of a fault, bytes.
const LONGEST_NAME: usize = 128;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum FaultyService {
    Rest,
    Swap,
}

const METHOD: &str = "must be the name of an HTTP method";

#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("x-rule" = METHOD))]
struct MethodName(String);

impl TryFrom<String> for MethodName {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.to_ascii_uppercase().parse().map(|method: Method| Self(method.to_string())).map_err(|_| METHOD)
    }
}

const PATH: &str = "must be the path of the calls, beginning with / and without a query";

#[derive(Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("pattern" = "^/[^?#]*$", "x-rule" = PATH))]
struct CallPath(String);

impl TryFrom<String> for CallPath {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if text.starts_with('/') && !text.contains(['?', '#']) { Ok(Self(text)) } else { Err(PATH) }
    }
}

#[derive(Deserialize, JsonSchema)]
pub(super) struct FaultOrder {
    /// the service whose requests match; either when absent
    #[schemars(extend("x-cause" = "fault-service"))]
    service: Option<FaultyService>,
    /// the method of the requests that match; any when absent
    #[schemars(extend("x-cause" = "fault-method"))]
    method: Option<MethodName>,
    /// the path of the requests that match
    #[schemars(extend("x-cause" = "fault-path"))]
    path: CallPath,
    /// the first matching request that the fault hits
    #[serde(default)]
    #[schemars(extend("x-cause" = "fault-nth"))]
    nth: Whole<1, { u64::MAX }>,
    /// how many matching requests are hit from there on
    #[serde(default)]
    #[schemars(extend("x-cause" = "fault-times"))]
    times: Whole<1, { u64::MAX }>,
    /// what happens to a request that is hit
    #[schemars(with = "EffectOrder", extend("x-cause" = "fault-effect", "x-rule" = EFFECT))]
    effect: Map<String, Value>,
}

const EFFECT: &str = "must be an object with one of status, delayMilliseconds and cut";

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct EffectOrder {
    /// the request is refused with this status
    #[schemars(extend("x-cause" = "fault-effect"))]
    status: Option<Whole<400, 599>>,
    /// the response is delayed
    #[schemars(extend("x-cause" = "fault-effect"))]
    delay_milliseconds: Option<Whole<0, LONGEST_DELAY>>,
    /// the response breaks off after the headers
    #[serde(default)]
    #[schemars(with = "True", extend("x-cause" = "fault-effect", "x-rule" = "must be true"))]
    cut: Option<True>,
}

#[derive(Deserialize)]
#[serde(try_from = "bool")]
struct True;

impl TryFrom<bool> for True {
    type Error = &'static str;

    fn try_from(value: bool) -> Result<Self, Self::Error> {
        if value { Ok(Self) } else { Err("must be true") }
    }
}

impl JsonSchema for True {
    fn schema_name() -> Cow<'static, str> {
        "True".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "const": true })
    }
}

pub(super) async fn all(State(api): State<Arc<Api>>) -> Response {
    answer(&json!({ "faults": api.all_faults(), "unused": api.unused_faults() }))
}

pub(super) async fn one(State(api): State<Arc<Api>>, name: PathParameter) -> Served {
    api.all_faults().get(&name.0).map(answer).ok_or_else(unknown)
}

pub(super) async fn set(
    State(api): State<Arc<Api>>,
    PathParameter(name): PathParameter,
    Order(order): Order<FaultOrder>,
) -> Served {
    if name.len() > LONGEST_NAME {
        return Err(Refusal::bad_input(
            "fault-name",
            format!("the name of a fault must be at most {LONGEST_NAME} bytes"),
        ));
    }
    Ok(answer(&api.order_fault(&name, fault(order)?).await?))
}

pub(super) async fn withdraw(State(api): State<Arc<Api>>, name: PathParameter) -> Served {
    Ok(answer(&api.withdraw_fault(&name.0).await?.ok_or_else(unknown)?))
}

fn unknown() -> Refusal {
    Refusal::not_found("fault-unknown", "no fault has this name")
}

fn fault(order: FaultOrder) -> Result<Fault, Refusal> {
    let service = order.service.map(|service| match service {
        FaultyService::Rest => "rest",
        FaultyService::Swap => "swap",
    });
    Ok(Fault {
        service: service.map(str::to_owned),
        method: order.method.map(|method| method.0),
        path: order.path.0,
        nth: order.nth.0,
        times: order.times.0,
        effect: effect(order.effect)?,
    })
}

fn effect(members: Map<String, Value>) -> Result<Effect, Refusal> {
    let is_one = members.len() == 1;
    let EffectOrder { status, delay_milliseconds: delay, cut } = input::strict("effect.", members)?;
    let status = status.and_then(|status| u16::try_from(status.0).ok()).map(Effect::Status);
    let effect = status
        .or(delay.map(|delay| Effect::DelayMilliseconds(delay.0)))
        .or(cut.map(|True| Effect::Cut(true)));
    effect.filter(|_| is_one).ok_or_else(|| Refusal::bad_input("fault-effect", format!("effect {EFFECT}")))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::fault;
    use crate::api::faults::{Effect, Fault};
    use crate::api::refusal::{Reason, Refusal};
    use crate::services::input::strict;

    fn read(order: &Value) -> Result<Fault, Refusal> {
        fault(strict("", order.as_object().unwrap().clone())?)
    }

    #[test]
    fn faults_are_read_strictly() {
        let good = json!({ "path": "/api/tokens", "effect": { "cut": true } });
        let fault = read(&good).unwrap();
        assert_eq!((fault.nth, fault.times, fault.effect), (1, 1, Effect::Cut(true)));
        for (name, value, cause, message) in [
            ("service", json!("mcp"), "fault-service", "service must"),
            ("service", json!(7), "fault-service", "service must"),
            ("method", json!("GE T"), "fault-method", "method must"),
            ("path", json!(null), "fault-path", "path is required"),
            ("path", json!("api"), "fault-path", "path must"),
            ("path", json!("/api?x=1"), "fault-path", "path must"),
            ("nth", json!(0), "fault-nth", "nth must"),
            ("nth", json!(1.5), "fault-nth", "nth must"),
            ("times", json!(-1), "fault-times", "times must"),
            ("time", json!(1), "control-field", "time is not a field"),
            ("effect", json!(null), "fault-effect", "effect is required"),
            ("effect", json!("cut"), "fault-effect", "effect must"),
            ("effect", json!({}), "fault-effect", "effect must"),
            ("effect", json!({ "cut": false }), "fault-effect", "effect.cut must"),
            ("effect", json!({ "cut": true, "status": 500 }), "fault-effect", "effect must"),
            ("effect", json!({ "status": 399 }), "fault-effect", "effect.status must"),
            ("effect", json!({ "status": 600 }), "fault-effect", "effect.status must"),
            (
                "effect",
                json!({ "delayMilliseconds": 60_001 }),
                "fault-effect",
                "effect.delayMilliseconds must",
            ),
            ("effect", json!({ "statu": 500 }), "control-field", "effect.statu is not a field"),
        ] {
            let mut bad = good.clone();
            bad[name] = value.clone();
            let refusal = read(&bad).unwrap_err();
            assert_eq!((refusal.reason, refusal.cause), (Reason::BadInput, cause), "{name} {value}");
            assert!(refusal.message.starts_with(message), "{}", refusal.message);
        }
    }
}
