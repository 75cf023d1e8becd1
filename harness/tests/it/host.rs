//! `slipway up` reachable from other machines: addresses, public addresses, and the token of the control plane.
use serde_json::{Value, json};
use slipway_scenarios::client::http::Http;
use slipway_scenarios::client::message::Request;
use url::Url;

use crate::program::{Running, expect_code};
use crate::site::{Site, ask};

fn url(value: &Value) -> Url {
    Url::parse(value.as_str().unwrap()).unwrap()
}

/// All of 127.0.0.0/8 belongs to this machine, but a platform binds only 127.0.0.1 by default.
#[tokio::test]
async fn every_listener_binds_the_host() {
    let up = Running::up(&["--host", "127.0.0.2"]);
    let ready = up.ready();
    let chains = ready["chains"].as_array().unwrap().iter().map(|chain| &chain["rpcUrl"]);
    for address in [&ready["baseUrl"], &ready["swapBaseUrl"], &ready["controlUrl"]].into_iter().chain(chains)
    {
        assert_eq!(url(address).host_str(), Some("127.0.0.2"), "{address}");
        assert!(Http::new().unwrap().send(Request::get(&url(address), "/", &[])).await.is_ok(), "{address}");
    }
    assert!(ready.get("controlToken").is_none(), "a loopback address demands no token");
}

#[tokio::test]
async fn control_plane_on_every_address_demands_its_token() {
    let up = Running::up(&["--host", "0.0.0.0"]);
    let ready = up.ready();
    assert_eq!(
        url(&ready["controlUrl"]).host_str(),
        Some("127.0.0.1"),
        "the ready line names addresses to connect to"
    );
    let token = ready["controlToken"].as_str().unwrap();
    assert_eq!(token.len(), 64);
    let control = url(&ready["controlUrl"]);
    let clock = || Request::get(&control, "/_sim/clock", &[]);
    for request in [
        clock(),
        clock().header("authorization", "Bearer wrong"),
        clock().header("authorization", token),
        Request::post_json(&control, "/_sim/clock/advance", &json!({"seconds": 1})),
    ] {
        let refused = ask(request).await;
        assert_eq!(refused.code(), 401, "{}", refused.excerpt());
        assert!(refused.json().unwrap()["error"].as_str().unwrap().contains("Authorization: Bearer"));
    }
    assert_eq!(ask(clock().header("authorization", &format!("Bearer {token}"))).await.code(), 200);
    assert_eq!(ask(Request::get(&url(&ready["baseUrl"]), "/api/tokens", &[])).await.code(), 200);
}

/// A browser sends the token as the password that it asks its user for, and finds the nodes on the host of the pages.
#[tokio::test]
async fn browsers_on_other_machines_reach_console_and_nodes() {
    let site = Site::start(&["--host", "0.0.0.0", "--control-token", "of-the-test"]);
    let (control, base) = (site.origin("controlUrl"), site.origin("baseUrl"));
    let console = || Request::get(&control, "/", &[]).header("host", "machine.example:4702");
    assert_eq!(ask(console()).await.code(), 401);
    let shown = || console().header("authorization", "Basic Om9mLXRoZS10ZXN0");
    let page = ask(shown()).await;
    assert_eq!(page.code(), 200, "{}", page.excerpt());
    assert!(String::from_utf8_lossy(&page.body).contains("data-authorized"));
    assert_eq!(ask(shown().header("origin", "http://machine.example:4702")).await.code(), 403);
    let list = site.read("baseUrl", "/api/tokens").await.json().unwrap();
    let token = list["tokens"][0]["address"].as_str().unwrap();
    let request = Request::get(&base, &format!("/trade/{token}"), &[]).header("host", "machine.example:4700");
    let page = ask(request).await;
    let text = String::from_utf8_lossy(&page.body).into_owned();
    let chains = site.ready["chains"].as_array().unwrap().iter();
    let nodes = chains.map(|chain| url(&chain["rpcUrl"]).port().unwrap());
    let named: Vec<String> = nodes.map(|port| format!("http://machine.example:{port}")).collect();
    assert!(named.iter().any(|node| text.contains(&format!("data-node=\"{node}/\""))), "{named:?}");
    let policy = page.header("content-security-policy").unwrap();
    assert!(named.iter().all(|node| policy.contains(node)), "{policy}");
}

#[test]
fn checks_show_a_given_token() {
    let mut up = Running::up_until_eof(&["--clock", "fixed", "--control-token", "of-the-test"]);
    let ready = up.ready();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    assert_eq!(ready["controlToken"], "of-the-test");
    let (base, control) = (text(&ready["baseUrl"]), text(&ready["controlUrl"]));
    let with = |token: &str, code| {
        let arguments = [
            "check",
            "--only",
            "upload-serves",
            "--lane",
            "write",
            "--base-url",
            &base,
            "--control-url",
            &control,
            "--control-token",
            token,
        ];
        expect_code(&arguments, code)
    };
    with("of-the-test", 0);
    let without = with("of-nobody", 3);
    assert!(!String::from_utf8(without.stdout).unwrap().contains("of-nobody"), "a credential is never shown");
    up.close_stdin();
    assert!(up.end().1.success());
}

#[tokio::test]
async fn public_urls_are_what_callers_are_told() {
    let site = Site::start(&[
        "--public-url",
        "rest=https://launch.example",
        "--public-url",
        "swap=https://swap.example:8443/",
    ]);
    for (service, public) in
        [("baseUrl", "https://launch.example"), ("swapBaseUrl", "https://swap.example:8443")]
    {
        let document = site.read(service, "/openapi.json").await.json().unwrap();
        assert_eq!(document["servers"][0]["url"], public);
    }
    site.end();
}

#[test]
fn bad_hosts_and_addresses_are_refused_by_name() {
    for (arguments, part) in [
        (&["up", "--host", "nowhere.example"][..], "--host"),
        (&["up", "--public-url", "node=https://a.example"], "--public-url"),
        (&["up", "--public-url", "https://a.example/path"], "--public-url"),
        (&["up", "--host", "0.0.0.0", "--defect", "list-pages-rounded-down"], "--defect"),
        (&["up", "--control-token", ""], "--control-token"),
    ] {
        let error = String::from_utf8(expect_code(arguments, 2).stderr).unwrap();
        assert!(error.contains(part), "{error}");
    }
    // An address in a range reserved for documentation belongs to no machine.
    let error =
        String::from_utf8(expect_code(&["up", "--host", "192.0.2.1", "--port", "0"], 3).stderr).unwrap();
    assert!(error.contains("192.0.2.1"), "{error}");
}
