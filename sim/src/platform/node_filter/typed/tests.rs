//! Each limit at its edge, and typed data that people sign.
use alloy::dyn_abi::eip712::TypedData;
use alloy::primitives::B256;
use serde_json::{Map, Value, json};

use super::{DEPTH, HASHED, MEMBERS, TYPES, read};

/// Typed data of these types, each with the types of its members, which are named `m0`, `m1` and so on.
fn data(types: &[(String, Vec<String>)], message: Value) -> Value {
    let types = types.iter().map(|(name, kinds)| {
        let members = kinds.iter().enumerate();
        let members = members.map(|(place, kind)| json!({ "name": format!("m{place}"), "type": kind }));
        (name.clone(), Value::from_iter(members))
    });
    json!({ "types": Map::from_iter(types), "primaryType": "T0", "domain": {}, "message": message })
}

/// Types T0 to T`last`; each but the last has this many members of the next one.
fn chain(last: usize, width: usize) -> Vec<(String, Vec<String>)> {
    let kind = |at| if at == last { "bool".to_owned() } else { format!("T{}", at + 1) };
    (0..=last).map(|at| (format!("T{at}"), vec![kind(at); if at == last { 1 } else { width }])).collect()
}

/// A message of such types.
fn message(last: usize, width: usize) -> Value {
    let mut value = json!({ "m0": true });
    for _ in 0..last {
        value = Value::from_iter((0..width).map(|place| (format!("m{place}"), value.clone())));
    }
    value
}

fn one(kinds: Vec<String>) -> Vec<(String, Vec<String>)> {
    vec![("T0".to_owned(), kinds)]
}

fn hash(data: &Value) -> B256 {
    let hash = read(data.clone()).unwrap().eip712_signing_hash().unwrap();
    assert_eq!(read(json!(data.to_string())).unwrap().eip712_signing_hash().unwrap(), hash);
    // The limits change no hash.
    let free: TypedData = serde_json::from_value(data.clone()).unwrap();
    assert_eq!(free.eip712_signing_hash().unwrap(), hash);
    hash
}

fn refused(data: &Value, said: &str) {
    for data in [data.clone(), json!(data.to_string())] {
        assert_eq!(read(data).unwrap_err(), said);
    }
}

#[test]
fn the_number_of_types_is_bounded() {
    let types = |count: usize| {
        let mut types: Vec<_> = (1..count).map(|at| (format!("U{at}"), Vec::new())).collect();
        types.extend(one(vec!["bool".to_owned()]));
        data(&types, json!({ "m0": true }))
    };
    hash(&types(TYPES));
    refused(&types(TYPES + 1), "typed data may have 128 types: T0 comes with 129");
    refused(&data(&chain(499, 1), json!({})), "typed data may have 128 types: T0 comes with 500");
}

#[test]
fn the_nesting_of_structs_and_arrays_is_bounded() {
    hash(&data(&chain(DEPTH - 1, 1), message(DEPTH - 1, 1)));
    refused(&data(&chain(DEPTH, 1), json!({})), "types may nest 32 deep: T0 nests deeper");
    refused(&data(&chain(TYPES - 1, 1), json!({})), "types may nest 32 deep: T95 nests deeper");
    let array = |dimensions: usize| one(vec![format!("uint256{}", "[]".repeat(dimensions))]);
    hash(&data(&array(DEPTH - 1), json!({ "m0": [[[]]] })));
    for dimensions in [DEPTH, 100_000] {
        refused(&data(&array(dimensions), json!({ "m0": [] })), "types may nest 32 deep: T0 nests deeper");
    }
    // Structs and dimensions count together.
    let both = |dimensions: usize| {
        let mut types = chain(10, 1);
        types[3].1[0].push_str(&"[]".repeat(dimensions));
        data(&types, json!({}))
    };
    assert!(read(both(DEPTH - 11)).is_ok());
    refused(&both(DEPTH - 10), "types may nest 32 deep: T0 nests deeper");
}

#[test]
fn the_nesting_of_a_message_is_bounded() {
    let nested = |depth| (2..depth).fold(json!([]), |value, _| json!([value]));
    let of = |depth| data(&one(vec!["bool".to_owned()]), json!({ "m0": true, "other": nested(depth) }));
    hash(&of(DEPTH));
    refused(&of(DEPTH + 1), "a message may nest 32 deep: that of T0 nests deeper");
    assert!(read(json!(of(100_000 / 1_000).to_string())).is_err());
}

#[test]
fn the_size_of_a_resolved_type_is_bounded() {
    // 2 + 4 + … + 2^last members of structs, and one flag in each of the last ones.
    hash(&data(&chain(10, 2), message(10, 2)));
    for last in [11, 22, 31] {
        let said = format!("a type may have 4096 members with those of their types: T{} has more", last - 11);
        refused(&data(&chain(last, 2), json!({})), &said);
    }
    let wide = |count: usize| data(&one(vec!["bool".to_owned(); count]), json!({}));
    assert!(read(wide(MEMBERS)).is_ok());
    refused(&wide(MEMBERS + 1), "a type may have 4096 members with those of their types: T0 has more");
    // The count does not overflow.
    let mut types = chain(31, 200);
    types.truncate(32);
    refused(&data(&types, json!({})), "a type may have 4096 members with those of their types: T29 has more");
}

#[test]
fn what_is_hashed_for_a_message_is_bounded() {
    // T0 has many objects of a small type, whose own type has a long name.
    let name = "U".repeat(1_000);
    let types = [
        ("T0".to_owned(), vec!["T1[]".to_owned()]),
        ("T1".to_owned(), vec![format!("{name}[]")]),
        (name.clone(), vec![]),
    ];
    let characters = "T0(T1[] m0, )T1([] m0, )()".len() - 2 + 2 * name.len();
    let of = |count: usize| data(&types, json!({ "m0": vec![json!({ "m0": [] }); count - 1] }));
    assert!(read(of(HASHED / characters)).is_ok());
    refused(
        &of(HASHED / characters + 1),
        "the objects of a message times the characters of its types may be 16777216: T0 has more",
    );
}

#[test]
fn types_that_contain_themselves_are_refused() {
    let said = "a type may not contain itself: T0 does";
    for kind in ["T0", "T0[]", "T0[3]"] {
        refused(&data(&one(vec![kind.to_owned()]), json!({})), said);
    }
    let mut types = chain(5, 1);
    types[5].1[0] = "T0".to_owned();
    refused(&data(&types, json!({})), said);
}

#[test]
fn names_that_no_type_has_are_refused() {
    let parentheses = format!("{}uint256{}", "(".repeat(100_000), ")".repeat(100_000));
    let said = format!("the name of a type has no parentheses: {}…", "(".repeat(64));
    refused(&data(&one(vec![parentheses.clone()]), json!({})), &said);
    refused(&data(&[(parentheses, vec![])], json!({})), &said);
    let mut twice = data(&one(vec!["bool".to_owned(); 2]), json!({ "m0": true }));
    twice["types"]["T0"][1]["name"] = json!("m0");
    refused(&twice, "the members of a type have different names: T0 has m0 twice");
    for other in [json!({}), json!(null), json!("{"), json!({ "types": { "T0": 7 }, "primaryType": "T0" })] {
        assert!(read(other).is_err());
    }
}

#[test]
fn data_of_real_contracts_is_signed() {
    let member = |name: &str, kind: &str| json!({ "name": name, "type": kind });
    let account = "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826";
    // Permit2 for several tokens.
    let details = json!({ "token": account, "amount": "1", "expiration": 2, "nonce": 3 });
    hash(&json!({
        "types": {
            "PermitBatch": [member("details", "PermitDetails[]"), member("spender", "address"), member("sigDeadline", "uint256")],
            "PermitDetails": [member("token", "address"), member("amount", "uint160"), member("expiration", "uint48"), member("nonce", "uint48")],
            "EIP712Domain": [member("name", "string"), member("chainId", "uint256"), member("verifyingContract", "address")],
        },
        "primaryType": "PermitBatch",
        "domain": { "name": "Permit2", "chainId": 57073, "verifyingContract": account },
        "message": { "details": vec![details; 100], "spender": account, "sigDeadline": "115792089237316195423570985008687907853269984665640564039457584007913129639935" },
    }));
    // Nested arrays of structs.
    let nested =
        [("T0".to_owned(), vec!["T1[][2]".to_owned()]), ("T1".to_owned(), vec!["string[]".to_owned()])];
    let leaf = json!({ "m0": ["a", "b"] });
    hash(&data(&nested, json!({ "m0": [[leaf, leaf], []] })));
    // A type used ten times.
    let mut often = chain(2, 10);
    often[1].1.push("T2[]".to_owned());
    let mut inner = message(1, 10);
    inner["m10"] = json!([{ "m0": false }]);
    let all = Value::from_iter((0..10).map(|place| (format!("m{place}"), inner.clone())));
    hash(&data(&often, all));
}
