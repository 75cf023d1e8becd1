//! Tests of how rows change requests and answers, and of the errors in invalid rows.
use std::collections::BTreeSet;

use hyper::{Request, Response};
use serde_json::{Value, json};

use super::file::{self, Origin};
use super::{Change, Changes, Step, ours};
use crate::http::acts;
use crate::http::exchange::{ProxiedResponse, RequestParts};
use crate::tool;

const HEAD: &str =
    "[[defect]]\nid = \"one\"\nlayer = \"rest\"\nclauses = [\"LIST-COUNT\"]\nsummary = \"is wrong\"\n";

fn read(text: &str) -> Result<Changes, String> {
    file::read("own.toml", text, Origin::User, ours().ids()).map_err(|error| error.to_string())
}

fn change(row: &str) -> &'static Change {
    let rows = read(&format!("{HEAD}{row}")).unwrap_or_else(|error| panic!("{row}: {error}"));
    rows.defects[0].change.unwrap()
}

fn sent(target: &str, body: &Value) -> RequestParts {
    let (parts, ()) =
        Request::post(target).header("authorization", "Bearer x").body(()).unwrap().into_parts();
    RequestParts::new(parts, body.to_string().into())
}

fn answered(status: u16, body: &Value) -> ProxiedResponse {
    let response = Response::builder().status(status).header("content-type", "application/json");
    ProxiedResponse::new(response.body(()).unwrap().into_parts().0, body.to_string().into())
}

/// The status and the body of an answer to a read of the list, changed by a row.
fn after(row: &str, status: u16, body: &Value) -> (u16, Value) {
    let (change, sent, mut answer) =
        (change(row), sent("/api/tokens?page=2", &json!({})), answered(status, body));
    if change.on.request(&sent) && change.on.answer(&answer) {
        change.steps.iter().for_each(|step| step.change_answer(&change.on, &sent, &mut answer));
    }
    (answer.status.as_u16(), answer.body)
}

#[test]
fn each_edit_changes_its_places() {
    for (at, edit, before, expected) in [
        ("/a", "'dropped'", json!({ "a": 1, "b": 2 }), json!({ "b": 2 })),
        ("/1", "'dropped'", json!([1, 2, 3]), json!([1, 3])),
        ("/^", "'dropped'", json!([1, 2, 3]), json!([2, 3])),
        ("/$", "'dropped'", json!([1, 2, 3]), json!([1, 2])),
        ("/$", "'dropped'", json!([]), json!([])),
        ("/*[v=v1]", "'dropped'", json!([{ "v": "v1" }, { "v": "v2" }]), json!([{ "v": "v2" }])),
        ("/*[v]", "'dropped'", json!([{ "v": 0 }, { "v": null }, {}]), json!([{ "v": null }, {}])),
        ("/*[v=null]/v", "'dropped'", json!([{ "v": null }, { "v": 1 }]), json!([{}, { "v": 1 }])),
        (
            "/*/a",
            "'null'",
            json!({ "x": { "a": 1 }, "y": {} }),
            json!({ "x": { "a": null }, "y": { "a": null } }),
        ),
        (
            "/**/a",
            "'doubled'",
            json!({ "a": 2, "b": [{ "a": 1.5 }] }),
            json!({ "a": 4, "b": [{ "a": 3.0 }] }),
        ),
        (
            "/**[t]/a",
            "'doubled'",
            json!([{ "a": 1 }, { "a": 1, "t": "" }]),
            json!([{ "a": 1 }, { "a": 2, "t": "" }]),
        ),
        ("/a", "'doubled'", json!({ "a": null }), json!({ "a": null })),
        ("/a", "'halved'", json!({ "a": 3 }), json!({ "a": 1.5 })),
        (
            "/a",
            "{ times = 5 }",
            json!({ "a": "340282366920938463463" }),
            json!({ "a": "1701411834604692317315" }),
        ),
        ("/a", "'one_more'", json!({ "a": "0xff" }), json!({ "a": "0x100" })),
        ("/a", "'one_more'", json!({ "a": "-1" }), json!({ "a": "-1" })),
        ("/a", "{ more = -1 }", json!({ "a": "5" }), json!({ "a": "4" })),
        ("/a", "{ at_most = 21 }", json!({ "a": 21.5 }), json!({ "a": 21 })),
        ("/a", "{ at_most = 21 }", json!({ "a": 20.5 }), json!({ "a": 20.5 })),
        ("/a", "{ at_least = 1 }", json!({ "a": 0.5 }), json!({ "a": 1 })),
        ("/a", "{ rounded = 2 }", json!({ "a": 0.126 }), json!({ "a": 0.13 })),
        ("/a", "'negated'", json!({ "a": true }), json!({ "a": false })),
        ("/a", "'another_text'", json!({ "a": "k" }), json!({ "a": "kx" })),
        ("/a", "'another_hash'", json!({ "a": "0x10" }), json!({ "a": "0x11" })),
        (
            "/a",
            "'a_year_earlier'",
            json!({ "a": "2026-03-04T12:00:00Z" }),
            json!({ "a": "2025-03-04T12:00:00Z" }),
        ),
        ("/a", "'as_text'", json!({ "a": 1.5 }), json!({ "a": "1.5" })),
        ("/a", "'lower_case'", json!({ "a": "0xAB" }), json!({ "a": "0xab" })),
        ("/a", "'reversed'", json!({ "a": [1, 2] }), json!({ "a": [2, 1] })),
        ("/a", "{ set = 7 }", json!({ "b": 1 }), json!({ "b": 1 })),
        ("/a", "{ put = 7 }", json!({ "b": 1 }), json!({ "b": 1, "a": 7 })),
        ("/a", "{ default = 7 }", json!({ "a": null }), json!({ "a": 7 })),
        ("/a", "{ default = 7 }", json!({ "a": 1 }), json!({ "a": 1 })),
        ("/a", "{ other_of = ['v1', 'v2'] }", json!({ "a": "v2" }), json!({ "a": "v1" })),
        ("/a", "{ appended = '7' }", json!({ "a": "1" }), json!({ "a": "17" })),
        ("/a", "{ replaced = ['T', ' '] }", json!({ "a": "1T2T" }), json!({ "a": "1 2T" })),
        ("/a", "{ cut = 1 }", json!({ "a": [1, 2] }), json!({ "a": [1] })),
        ("/a", "{ cut = 1 }", json!({ "a": "\u{e9}\u{e9}" }), json!({ "a": "\u{e9}" })),
        ("/a", "{ copied = 'b' }", json!({ "a": 1, "b": 2 }), json!({ "a": 2, "b": 2 })),
        ("/a", "{ exchanged = 'b' }", json!({ "a": 1, "b": 2 }), json!({ "a": 2, "b": 1 })),
        ("/a", "{ exchanged = 'b' }", json!({ "b": 2 }), json!({ "a": 2 })),
        ("", "{ wrapped = 'w' }", json!([1]), json!({ "w": [1] })),
        ("", "{ unwrapped = 'w' }", json!({ "w": [1] }), json!([1])),
        ("", "'null'", json!({ "w": [1] }), Value::Null),
        ("/a~1b", "'dropped'", json!({ "a/b": 1 }), json!({})),
    ] {
        let (_, body) = after(&format!("at = '{at}'\ndo = {edit}"), 200, &before);
        assert_eq!(body, expected, "{at} {edit} of {before}");
    }
}

#[test]
fn whole_answers_and_conditions() {
    let unchanged = json!({ "status": 400, "n": 1 });
    for (row, status, expected) in [
        ("do = { status = 404 }", 404, json!({ "status": 404, "n": 1 })),
        ("do = { refused = { status = 403, error = 'no' } }", 403, json!({ "error": "no", "status": 403 })),
        ("do = { answered = { a = [] } }", 200, json!({ "a": [] })),
        ("on.status = 'ok'\ndo = { status = 404 }", 400, unchanged.clone()),
        ("on.status = 'refusal'\ndo = { answered = 1 }", 200, json!(1)),
        ("on.path = '/api/token'\ndo = { status = 404 }", 400, unchanged.clone()),
        ("on.path = ['/cdn/*', '/api/*']\ndo = { answered = 1 }", 200, json!(1)),
        ("on.method = 'GET'\ndo = { status = 404 }", 400, unchanged.clone()),
        ("on.query.page = '2'\ndo = { answered = 1 }", 200, json!(1)),
        ("on.query = { page = true, sort = false }\ndo = { answered = 1 }", 200, json!(1)),
        ("on.query.sort = true\ndo = { answered = 1 }", 400, unchanged.clone()),
        ("on.header.authorization = 'Bearer *'\ndo = { answered = 1 }", 200, json!(1)),
        ("on.answer.'/n' = 1\ndo = { answered = 1 }", 200, json!(1)),
        ("on.answer.'/n' = 2\ndo = { answered = 1 }", 400, unchanged.clone()),
        ("on.answer_header.content-type = true\ndo = { answered = 1 }", 200, json!(1)),
        ("at = '/n'\ndo = 'dropped'\nalso = [{ do = { status = 422 } }]", 422, json!({ "status": 422 })),
    ] {
        assert_eq!(after(row, 400, &unchanged), (status, expected), "{row}");
    }
}

#[test]
fn requests_are_changed_before_the_service_sees_them() {
    for (row, target, body) in [
        ("at = '?page'\ndo = 'dropped'", "/api/tokens?a=1", json!({ "list": [1, 2] })),
        ("at = '?page'\ndo = { set = '1' }", "/api/tokens?a=1&page=1", json!({ "list": [1, 2] })),
        ("at = '?page'\ndo = { at_most = 1 }", "/api/tokens?a=1&page=1", json!({ "list": [1, 2] })),
        ("at = '?limit'\ndo = { at_most = 1 }", "/api/tokens?page=2&a=1", json!({ "list": [1, 2] })),
        ("at = '?limit'\ndo = { default = 5 }", "/api/tokens?page=2&a=1&limit=5", json!({ "list": [1, 2] })),
        ("at = 'request/list'\ndo = { cut = 1 }", "/api/tokens?page=2&a=1", json!({ "list": [1] })),
    ] {
        let (change, sent) = (change(row), sent("/api/tokens?page=2&a=1", &json!({ "list": [1, 2] })));
        let mut request = sent.clone();
        change.steps.iter().for_each(|step| step.change_request(&change.on, &mut request));
        let uri = request.request().uri().to_string();
        assert_eq!((uri.as_str(), &request.body), (target, &body), "{row}");
        assert_eq!(
            change.changes(&sent, &answered(200, &json!({}))),
            uri != "/api/tokens?page=2&a=1" || body != sent.body,
            "{row}"
        );
    }
}

#[test]
fn a_row_that_cannot_be_used_is_named_with_its_line() {
    let other = HEAD.replace("one", "two");
    for (text, expected) in [
        ("at = '/a'\ndo = 'doubld'", "own.toml:7: unknown variant `doubld`"),
        ("att = '/a'\ndo = 'doubled'", "own.toml:6: unknown field `att`"),
        ("on.pth = '/a'\nat = '/a'\ndo = 'doubled'", "own.toml:6: unknown field `pth`"),
        ("on.status = 'good'\nat = '/a'\ndo = 'doubled'", "own.toml:6: unknown variant `good`"),
        ("on.status = 1000\nat = '/a'\ndo = 'doubled'", "own.toml:6: invalid value: integer `1000`"),
        ("do = 'doubled'", "own.toml:2: one: this change needs a place: at"),
        ("at = '/a'\ndo = { status = 404 }", "own.toml:2: one: this change takes no place"),
        ("at = 'a'\ndo = 'doubled'", "own.toml:2: one: at: a place is a pointer"),
        ("at = '/a[b]'\ndo = 'doubled'", "own.toml:2: one: at: \"a[b]\" is no segment"),
        ("at = '/*'\ndo = { put = 1 }", "own.toml:2: one: \"/*\" does not end in the name"),
        (
            "on.status = 400\nat = '?page'\ndo = 'dropped'",
            "own.toml:2: one: on.status is a condition of the answer",
        ),
        ("on.rpc = 'eth_call'\nat = '/a'\ndo = 'doubled'", "own.toml:2: one: on.rpc is of another layer"),
        ("on.answer.a = 1\nat = '/a'\ndo = 'doubled'", "own.toml:2: one: \"a\" is no JSON pointer"),
        ("do = { code = 'count_everything' }", "own.toml:2: one: do.code is for slipway's own files"),
        (
            "do = { error = { code = 1, message = 'x' } }",
            "own.toml:2: one: do.error changes the answer to a call",
        ),
        ("do = { status = 99 }", "own.toml:2: one: 99 is no status"),
        ("do = { header = { 'a b' = 'x' } }", "own.toml:2: one: \"a b\" is no name or value of a header"),
        ("at = '/a'\ndo = 'dropped'\n[[defects]]", "own.toml:8: unknown field `defects`"),
    ] {
        let error = read(&format!("{HEAD}{text}")).map(drop).expect_err(text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
    let row = "at = '/a'\ndo = 'dropped'\n";
    for (text, expected) in [
        (format!("{HEAD}{row}{HEAD}{row}"), "own.toml:9: one: another change has this id"),
        (
            format!("{HEAD}{row}").replace("\"one\"", "\"lie-name\""),
            "own.toml:2: lie-name: another change has this id",
        ),
        (
            format!("{HEAD}{row}{other}{row}").replace("[\"LIST-COUNT\"]", "[]"),
            "own.toml:2: one: `clauses` must name",
        ),
        (format!("{HEAD}{row}").replace("rest", "chain"), "own.toml:2: one: mutated contracts are in"),
        (format!("{HEAD}{row}").replace("clauses", "clause"), "own.toml:4: unknown field `clause`"),
    ] {
        let error = read(&text).map(drop).expect_err(&text);
        assert!(error.starts_with(expected), "{text}: {error}");
    }
}

#[test]
fn our_files_name_every_act_and_no_other() {
    let changes = ours().defects.iter().filter_map(|defect| defect.change);
    let changes = changes.chain(ours().variants.iter().filter_map(|variant| variant.change));
    let names = changes.flat_map(|change| &change.steps).filter_map(|step| match step {
        Step::Act(act) => Some(act.name),
        Step::Tool(act) => Some(act.name),
        _ => None,
    });
    let named: BTreeSet<&str> = names.collect();
    let known: Vec<&str> = acts::all().map(|act| act.name).chain(tool::acts::names()).collect();
    assert_eq!(named, known.iter().copied().collect());
    assert_eq!(named.len(), known.len(), "two acts have one name");
    assert!(ours().defects.len() > 400 && ours().variants.len() > 150);
}
