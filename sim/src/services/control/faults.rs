//! Faults as they are ordered, looked at and taken back.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Method;
use axum::response::Response;
use serde_json::{Value, json};

use super::order::{Order, number_within};
use crate::api::Api;
use crate::api::faults::{Effect, Fault};
use crate::api::refusal::Refusal;
use crate::services::http::{PathParameter, json as answer};
use crate::services::parameters::Field;

/// Longest delay, milliseconds.
const LONGEST_DELAY: u64 = 60_000;
/// Longest name of a fault, bytes.
const LONGEST_NAME: usize = 128;

const SERVICE: Field =
    Field { name: "service", cause: "fault-service", rule: "must be \"rest\" or \"swap\"" };
const METHOD: Field =
    Field { name: "method", cause: "fault-method", rule: "must be the name of an HTTP method" };
const PATH: Field = Field {
    name: "path",
    cause: "fault-path",
    rule: "must be the path of the calls, beginning with / and without a query",
};
const NTH: Field = Field { name: "nth", cause: "fault-nth", rule: "must be a whole number of at least 1" };
const TIMES: Field =
    Field { name: "times", cause: "fault-times", rule: "must be a whole number of at least 1" };
const EFFECT: Field = Field {
    name: "effect",
    cause: "fault-effect",
    rule: "must be an object with one of status, delayMilliseconds and cut",
};
const STATUS: Field =
    Field { name: "status", cause: "fault-effect", rule: "must be a whole number from 400 to 599" };
const DELAY: Field = Field {
    name: "delayMilliseconds",
    cause: "fault-effect",
    rule: "must be a whole number from 0 to 60000",
};
const CUT: Field = Field { name: "cut", cause: "fault-effect", rule: "must be true" };

pub(super) async fn all(State(api): State<Arc<Api>>) -> Response {
    answer(&json!({ "faults": api.faults.all(), "unused": api.faults.unused() }))
}

pub(super) async fn one(State(api): State<Arc<Api>>, name: PathParameter) -> Result<Response, Refusal> {
    api.faults.all().get(&name.0).map(answer).ok_or_else(unknown)
}

pub(super) async fn order(
    State(api): State<Arc<Api>>,
    PathParameter(name): PathParameter,
    body: Body,
) -> Result<Response, Refusal> {
    if name.len() > LONGEST_NAME {
        return Err(Refusal::bad_input(
            "fault-name",
            format!("the name of a fault must be at most {LONGEST_NAME} bytes"),
        ));
    }
    let fault = read(&Order::of(body, &[&SERVICE, &METHOD, &PATH, &NTH, &TIMES, &EFFECT]).await?)?;
    Ok(answer(&api.faults.order(&name, fault)))
}

pub(super) async fn withdraw(State(api): State<Arc<Api>>, name: PathParameter) -> Result<Response, Refusal> {
    api.faults.withdraw(&name.0).map(|ordered| answer(&ordered)).ok_or_else(unknown)
}

fn unknown() -> Refusal {
    Refusal::not_found("fault-unknown", "no fault has this name")
}

fn read(order: &Order) -> Result<Fault, Refusal> {
    let count = number_within(1, u64::MAX);
    Ok(Fault {
        service: order.read(&SERVICE, service)?,
        method: order.read(&METHOD, method)?,
        path: order.require(&PATH, path)?,
        nth: order.read(&NTH, &count)?.unwrap_or(1),
        times: order.read(&TIMES, &count)?.unwrap_or(1),
        effect: effect(&order.inner(&EFFECT, "effect.", &[&STATUS, &DELAY, &CUT])?)?,
    })
}

fn service(value: &Value) -> Option<String> {
    let known = value.as_str().filter(|name| matches!(*name, "rest" | "swap"));
    known.map(str::to_owned)
}

fn method(value: &Value) -> Option<String> {
    let method: Method = value.as_str()?.to_ascii_uppercase().parse().ok()?;
    Some(method.to_string())
}

fn path(value: &Value) -> Option<String> {
    let path = value.as_str()?;
    (path.starts_with('/') && !path.contains(['?', '#'])).then(|| path.to_owned())
}

fn effect(order: &Order) -> Result<Effect, Refusal> {
    let status = number_within(400, 599);
    let status = order.read(&STATUS, |value| status(value).and_then(|status| u16::try_from(status).ok()))?;
    let delay = order.read(&DELAY, number_within(0, LONGEST_DELAY))?;
    let cut = order.read(&CUT, |value| value.as_bool().filter(|cut| *cut))?;
    let effect = status.map(Effect::Status).or(delay.map(Effect::DelayMilliseconds)).or(cut.map(Effect::Cut));
    effect
        .filter(|_| order.len() == 1)
        .ok_or_else(|| Refusal::bad_input(EFFECT.cause, format!("{} {}", EFFECT.name, EFFECT.rule)))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use serde_json::json;

    use super::{EFFECT, METHOD, NTH, PATH, SERVICE, TIMES, read};
    use crate::api::faults::Effect;
    use crate::services::control::order::Order;

    #[tokio::test]
    async fn what_is_wrong_with_a_fault_is_named() {
        let known = [&SERVICE, &METHOD, &PATH, &NTH, &TIMES, &EFFECT];
        let good = json!({ "path": "/api/tokens", "effect": { "cut": true } });
        let order = Order::of(Body::from(good.to_string()), &known).await.unwrap();
        let fault = read(&order).unwrap();
        assert_eq!((fault.nth, fault.times, fault.effect), (1, 1, Effect::Cut(true)));
        for (name, value, cause, told) in [
            ("service", json!("mcp"), "fault-service", "service must"),
            ("service", json!(7), "fault-service", "service must"),
            ("method", json!("GE T"), "fault-method", "method must"),
            ("path", json!(null), "fault-path", "path is required"),
            ("path", json!("api"), "fault-path", "path must"),
            ("path", json!("/api?x=1"), "fault-path", "path must"),
            ("nth", json!(0), "fault-nth", "nth must"),
            ("nth", json!(1.5), "fault-nth", "nth must"),
            ("times", json!(-1), "fault-times", "times must"),
            ("time", json!(1), "control-field", "time is no field"),
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
            ("effect", json!({ "statu": 500 }), "control-field", "effect.statu is no field"),
        ] {
            let mut bad = good.clone();
            bad[name] = value.clone();
            let refusal = match Order::of(Body::from(bad.to_string()), &known).await {
                Ok(order) => read(&order).unwrap_err(),
                Err(refusal) => refusal,
            };
            assert_eq!((refusal.status, refusal.cause), (400, cause), "{name} {value}");
            assert!(refusal.message.starts_with(told), "{}", refusal.message);
        }
    }
}
