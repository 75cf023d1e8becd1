//! Mutants of an answer: each changes one place, and equal draws are equal.
use proptest::prelude::*;
use serde_json::json;

use super::*;

fn mutant(pointer: &str, kind: ChangeKind) -> Mutant {
    let request = "GET /".to_owned();
    Mutant { service: "rest", endpoint: request.clone(), request, pointer: pointer.to_owned(), kind }
}

/// What a mutant in force makes of an answer.
fn passed(mutant: Option<Mutant>, body: &Value) -> (StatusCode, Value, bool) {
    let wire = Wire::default();
    wire.set(mutant);
    let (mut status, mut body) = (StatusCode::OK, body.clone());
    wire.apply("swap", "GET /", &mut status, &mut body);
    wire.apply("rest", "GET /other", &mut status, &mut body);
    assert!(!wire.has_changed(), "the answers of another service and to another request pass");
    wire.apply("rest", "GET /", &mut status, &mut body);
    (status, body, wire.has_changed())
}

fn changed(value: &Value, kind: &ChangeKind) -> Option<Value> {
    let (_, body, did) = passed(Some(mutant("/field", kind.clone())), &json!({"field": value}));
    assert_eq!(did, body != json!({"field": value}));
    did.then(|| body.get("field").cloned().unwrap_or(json!("gone")))
}

#[test]
fn each_kind_makes_its_change() {
    for (kind, before, after) in [
        (ChangeKind::Dropped, json!(1), json!("gone")),
        (ChangeKind::Nulled, json!(1), Value::Null),
        (ChangeKind::Retyped, json!("7"), json!(7)),
        (ChangeKind::Retyped, json!(true), json!("true")),
        (ChangeKind::LastDigit, json!(0.25), json!(0.26)),
        (ChangeKind::LastDigit, json!("0xaf"), json!("0xa0")),
        (ChangeKind::LastDigit, json!("2026-03-04T12:00:00Z"), json!("2026-03-04T12:00:01Z")),
        (ChangeKind::OtherValue("\"live\"".to_owned()), json!("funding"), json!("live")),
        (ChangeKind::Swapped, json!([1, 1, 2]), json!([1, 2, 1])),
        (ChangeKind::Repeated, json!([1, 2]), json!([1, 2, 1, 2])),
        (ChangeKind::Cut, json!([1, 2]), json!([1])),
        (ChangeKind::LetterCase, json!("0xABc"), json!("0xaBc")),
    ] {
        assert_eq!(changed(&before, &kind), Some(after), "{kind} of {before}");
    }
    for (kind, same) in [
        (ChangeKind::LastDigit, json!("a1")),
        (ChangeKind::Swapped, json!([1, 1])),
        (ChangeKind::Cut, json!([])),
        (ChangeKind::LetterCase, json!("123")),
        (ChangeKind::Nulled, Value::Null),
    ] {
        assert_eq!(changed(&same, &kind), None, "{kind} of {same}");
    }
    assert_eq!(passed(Some(mutant("", ChangeKind::Moved)), &Value::Null).0, 203);
}

#[test]
fn requests_and_endpoints_are_named() {
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "eth_call", "params": [1]});
    assert_eq!(endpoint("POST", "/", call.to_string().as_bytes()), "eth_call");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wallet_info"}});
    assert_eq!(endpoint("", "", call.to_string().as_bytes()), "wallet_info");
    assert_eq!(endpoint("GET", "/cdn/0123456789abcdef0123456789abcdef?x", b""), "GET /cdn/{}");
    assert_eq!(request_name("GET", "/api/tokens?page=2"), "GET /api/tokens?page=2");
    assert_eq!(request_name("POST", "/api/chat?x=1"), "POST /api/chat");
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-1e9..1e9_f64).prop_map(Value::from),
        "[a-zA-Z0-9/~ ]{0,8}".prop_map(Value::from),
        "[0-9]{1,30}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-z/~0-9]{1,4}", inner, 0..5)
                .prop_map(|fields| fields.into_iter().collect::<serde_json::Map<_, _>>().into()),
        ]
    })
}

proptest! {
    #[test]
    fn every_place_exists_and_every_kind_offered_changes_it(value in values()) {
        for pointer in &places(&value) {
            let inner = value.pointer(pointer);
            prop_assert!(inner.is_some(), "{pointer} in {value}");
            prop_assert!(concrete(&value, &general(pointer)).contains(pointer));
            for kind in kinds_for(inner.unwrap()) {
                prop_assert!(changed(inner.unwrap(), &kind).is_some(), "{kind}");
            }
        }
    }

    #[test]
    fn nothing_in_force_changes_nothing(value in values()) {
        prop_assert_eq!(passed(None, &value), (StatusCode::OK, value, false));
    }
}
