//! Each kind changes what it says and nothing else, and pointers lead where they say.
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn changed(value: &Value, kind: &Kind) -> Option<Value> {
    let mut body = json!({ "field": value });
    let mutant = Mutant {
        service: "rest".to_owned(),
        endpoint: "GET /".to_owned(),
        scope: Scope::Answer("GET /".to_owned()),
        part: Part::Body("/field".to_owned()),
        kind: kind.clone(),
    };
    let wire = Wire::default();
    wire.set(&[mutant]);
    let (mut status, mut headers) = (200, Vec::new());
    let mut answer = Answer { status: Some(&mut status), headers: &mut headers, body: &mut body };
    let did = wire.apply("rest", "GET /", &mut answer);
    assert_eq!(wire.applied(), [u64::from(did)]);
    assert_eq!(did, body != json!({ "field": value }));
    did.then(|| body.get("field").cloned().unwrap_or(json!("gone")))
}

#[test]
fn kinds_change_what_they_say() {
    for (kind, before, after) in [
        (Kind::Dropped, json!(1), json!("gone")),
        (Kind::Nulled, json!(1), Value::Null),
        (Kind::Retyped, json!("7"), json!(7)),
        (Kind::Retyped, json!(true), json!("true")),
        (Kind::OffByOne, json!(41), json!(42)),
        (Kind::OffByOne, json!("999999999999999999999999"), json!("1000000000000000000000000")),
        (Kind::OffByOne, json!("0xff"), json!("0x100")),
        (Kind::Sign, json!("12"), json!("-12")),
        (Kind::Sign, json!(-1.5), json!(1.5)),
        (Kind::LastDigit, json!(0.25), json!(0.26)),
        (Kind::LastDigit, json!("0xaf"), json!("0xa0")),
        (Kind::LastDigit, json!("2026-03-04T12:00:00Z"), json!("2026-03-04T12:00:01Z")),
        (Kind::OtherValue("\"live\"".to_owned()), json!("funding"), json!("live")),
        (Kind::Swapped, json!([1, 1, 2]), json!([1, 2, 1])),
        (Kind::Repeated, json!([1, 2]), json!([1, 2, 1, 2])),
        (Kind::Cut, json!([1, 2]), json!([1])),
        (Kind::LetterCase, json!("0xABc"), json!("0xaBc")),
    ] {
        assert_eq!(changed(&before, &kind), Some(after), "{kind} of {before}");
    }
    for (kind, same) in [
        (Kind::OffByOne, json!("word")),
        (Kind::Sign, json!(0)),
        (Kind::LastDigit, json!("a1")),
        (Kind::Swapped, json!([1, 1])),
        (Kind::Cut, json!([])),
        (Kind::LetterCase, json!("123")),
        (Kind::Nulled, Value::Null),
    ] {
        assert_eq!(changed(&same, &kind), None, "{kind} of {same}");
    }
}

#[test]
fn a_lie_about_a_field_is_told_everywhere() {
    let mutant = Mutant {
        service: "rest".to_owned(),
        endpoint: "every endpoint".to_owned(),
        scope: Scope::Everywhere("cap".to_owned()),
        part: Part::Body("/**/cap".to_owned()),
        kind: Kind::OffByOne,
    };
    let wire = Wire::default();
    wire.set(&[mutant]);
    let mut body = json!({"tokens": [{"cap": 1}, {"cap": 2, "inner": {"cap": 3}}], "caps": 9});
    let mut answer = Answer { status: None, headers: &mut Vec::new(), body: &mut body };
    assert!(wire.apply("swap", "GET /other", &mut answer));
    assert_eq!(body, json!({"tokens": [{"cap": 2}, {"cap": 3, "inner": {"cap": 4}}], "caps": 9}));
}

#[test]
fn requests_are_known_again() {
    let call = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "eth_call", "params": [1]}).to_string();
    assert_eq!(request_name("POST", "/", call(1).as_bytes()), request_name("POST", "/", call(2).as_bytes()));
    assert_eq!(endpoint("POST", "/", call(1).as_bytes()), "eth_call");
    assert_eq!(request_name("GET", "/api/tokens?page=2", b""), "GET /api/tokens?page=2");
    assert_eq!(request_name("POST", "/api/chat?x=1", b"{\"a\":1}"), "POST /api/chat");
    assert_eq!(endpoint("GET", "/cdn/0123456789abcdef0123456789abcdef?x", b""), "GET /cdn/{}");
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wallet_info"}});
    assert_eq!(endpoint("", "", call.to_string().as_bytes()), "wallet_info");
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
    fn every_place_is_there_and_every_kind_offered_changes_it(value in values()) {
        let all = places(&value);
        for pointer in &all {
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
        let mut body = value.clone();
        let (mut status, mut headers) = (200, vec!["content-type".to_owned()]);
        let mut answer = Answer { status: Some(&mut status), headers: &mut headers, body: &mut body };
        prop_assert!(!Wire::default().apply("rest", "GET /", &mut answer));
        prop_assert_eq!((status, headers.len(), body), (200, 1, value));
    }
}
