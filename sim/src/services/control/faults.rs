//! `/_sim/faults`: sets, lists and removes faults.
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Method;
use axum::response::Response;
use serde_json::{Map, Value, json};

use super::order;
use crate::api::Api;
use crate::api::faults::{Effect, Fault};
use crate::api::refusal::Refusal;
use crate::services::http::{PathParameter, json as answer};
use crate::services::input::{
    Custom, DefaultTo, Field, Fields, Input, InputKind, OneOf, Optional, Required, WholeNumber, body_schema,
};

/// Longest delay, milliseconds.
const LONGEST_DELAY: u64 = 60_000;
/// Longest name of a fault, bytes.
const LONGEST_NAME: usize = 128;

const SERVICE: Input<OneOf<&str>, Optional> = Input {
    name: "service",
    cause: "fault-service",
    meaning: "the service whose requests match; either when absent",
    kind: OneOf(&[("rest", "rest"), ("swap", "swap")]),
    presence: Optional,
};
const METHOD: Input<Custom<String>, Optional> = Input {
    name: "method",
    cause: "fault-method",
    meaning: "the method of the requests that match; any when absent",
    kind: Custom {
        parse: |text| text.to_ascii_uppercase().parse().ok().map(|method: Method| method.to_string()),
        rule: "must be the name of an HTTP method",
        schema: || json!({ "type": "string" }),
    },
    presence: Optional,
};
const PATH: Input<Custom<String>, Required> = Input {
    name: "path",
    cause: "fault-path",
    meaning: "the path of the requests that match",
    kind: Custom {
        parse: |text| (text.starts_with('/') && !text.contains(['?', '#'])).then(|| text.to_owned()),
        rule: "must be the path of the calls, beginning with / and without a query",
        schema: || json!({ "type": "string", "pattern": "^/[^?#]*$" }),
    },
    presence: Required,
};
const NTH: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "nth",
    cause: "fault-nth",
    meaning: "the first matching request that the fault hits",
    kind: WholeNumber { min: 1, max: u64::MAX },
    presence: DefaultTo(1),
};
const TIMES: Input<WholeNumber, DefaultTo<u64>> = Input {
    name: "times",
    cause: "fault-times",
    meaning: "how many matching requests are hit from there on",
    kind: WholeNumber { min: 1, max: u64::MAX },
    presence: DefaultTo(1),
};
const EFFECT: Input<EffectObject, Required> = Input {
    name: "effect",
    cause: "fault-effect",
    meaning: "what happens to a request that is hit",
    kind: EffectObject,
    presence: Required,
};
const STATUS: Input<WholeNumber, Optional> = Input {
    name: "status",
    cause: "fault-effect",
    meaning: "the request is refused with this status",
    kind: WholeNumber { min: 400, max: 599 },
    presence: Optional,
};
const DELAY: Input<WholeNumber, Optional> = Input {
    name: "delayMilliseconds",
    cause: "fault-effect",
    meaning: "the response is delayed",
    kind: WholeNumber { min: 0, max: LONGEST_DELAY },
    presence: Optional,
};
const CUT: Input<True, Optional> = Input {
    name: "cut",
    cause: "fault-effect",
    meaning: "the response breaks off after the headers",
    kind: True,
    presence: Optional,
};
pub(super) const FAULT: [&(dyn Field + Sync); 6] = [&SERVICE, &METHOD, &PATH, &NTH, &TIMES, &EFFECT];
const EFFECTS: [&(dyn Field + Sync); 3] = [&STATUS, &DELAY, &CUT];

/// An object with exactly one effect.
#[derive(Clone, Copy, Debug)]
struct EffectObject;

impl InputKind for EffectObject {
    type Value = Map<String, Value>;

    fn parse(&self, _: &str) -> Option<Map<String, Value>> {
        None
    }

    fn parse_json(&self, value: &Value) -> Option<Map<String, Value>> {
        value.as_object().cloned()
    }

    fn rule(&self) -> String {
        "must be an object with one of status, delayMilliseconds and cut".to_owned()
    }

    fn schema(&self) -> Value {
        body_schema(&EFFECTS)
    }
}

#[derive(Clone, Copy, Debug)]
struct True;

impl InputKind for True {
    type Value = bool;

    fn parse(&self, _: &str) -> Option<bool> {
        None
    }

    fn parse_json(&self, value: &Value) -> Option<bool> {
        value.as_bool().filter(|value| *value)
    }

    fn rule(&self) -> String {
        "must be true".to_owned()
    }

    fn schema(&self) -> Value {
        json!({ "const": true })
    }
}

pub(super) async fn all(State(api): State<Arc<Api>>) -> Response {
    answer(&json!({ "faults": api.all_faults(), "unused": api.unused_faults() }))
}

pub(super) async fn one(State(api): State<Arc<Api>>, name: PathParameter) -> Result<Response, Refusal> {
    api.all_faults().get(&name.0).map(answer).ok_or_else(unknown)
}

pub(super) async fn set(
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
    let fault = read(&order(body, &FAULT).await?)?;
    Ok(answer(&api.order_fault(&name, fault).await?))
}

pub(super) async fn withdraw(State(api): State<Arc<Api>>, name: PathParameter) -> Result<Response, Refusal> {
    Ok(answer(&api.withdraw_fault(&name.0).await?.ok_or_else(unknown)?))
}

fn unknown() -> Refusal {
    Refusal::not_found("fault-unknown", "no fault has this name")
}

fn read(order: &Fields) -> Result<Fault, Refusal> {
    Ok(Fault {
        service: order.read(&SERVICE)?.map(str::to_owned),
        method: order.read(&METHOD)?,
        path: order.read(&PATH)?,
        nth: order.read(&NTH)?,
        times: order.read(&TIMES)?,
        effect: effect(order.read(&EFFECT)?)?,
    })
}

fn effect(members: Map<String, Value>) -> Result<Effect, Refusal> {
    let is_one = members.len() == 1;
    let order = Fields::strict("effect.", members, &EFFECTS)?;
    let status = order.read(&STATUS)?.and_then(|status| u16::try_from(status).ok());
    let delay = order.read(&DELAY)?;
    let cut = order.read(&CUT)?;
    let effect = status.map(Effect::Status).or(delay.map(Effect::DelayMilliseconds)).or(cut.map(Effect::Cut));
    effect
        .filter(|_| is_one)
        .ok_or_else(|| Refusal::bad_input(EFFECT.cause, format!("{} {}", EFFECT.name, EFFECT.kind.rule())))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use serde_json::json;

    use super::{FAULT, read};
    use crate::api::faults::Effect;
    use crate::api::refusal::Reason;
    use crate::services::control::order;

    #[tokio::test]
    async fn faults_are_read_strictly() {
        let good = json!({ "path": "/api/tokens", "effect": { "cut": true } });
        let fault = read(&order(Body::from(good.to_string()), &FAULT).await.unwrap()).unwrap();
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
            let refusal = match order(Body::from(bad.to_string()), &FAULT).await {
                Ok(order) => read(&order).unwrap_err(),
                Err(refusal) => refusal,
            };
            assert_eq!((refusal.reason, refusal.cause), (Reason::BadInput, cause), "{name} {value}");
            assert!(refusal.message.starts_with(message), "{}", refusal.message);
        }
    }
}
