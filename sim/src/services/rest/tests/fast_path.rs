//! What is polled most, past the layers: the same answers, from the same moment.
use axum::Router;
use axum::body::Body;
use axum::http::{Method, Request};
use serde_json::Value;

use super::{NOW, get, market, service};
use crate::services::service::tests::fast_path_equals_layers;
use crate::state::script::ETHER;
use crate::store::RateLimit;

#[tokio::test]
async fn fast_path_equals_layered_response() {
    let (script, api) = market().await;
    let service = service(&api, "/", Router::new());
    let token = script.launches[3].plan.token;
    for target in [
        "/api/tokens",
        "/api/tokens?page=2&sortBy=oldest",
        "/api/tokens?page=x",
        "/api/tokens?search=%zz",
        &format!("/api/token?address={token}"),
        "/api/token?address=0x1",
        "/api/token?address=0x0000000000000000000000000000000000000001",
    ] {
        fast_path_equals_layers(&api, &service, target).await;
    }
}

#[tokio::test]
async fn other_paths_methods_and_encodings_use_the_layers() {
    let (_, mut api) = market().await;
    let ask =
        |method, target: &str| Request::builder().method(method).uri(target).body(Body::empty()).unwrap();
    let all = service(&api, "/", Router::new());
    assert!(all.fast_path(&ask(Method::GET, "/api/tokens")).is_some());
    for (method, target) in [
        (Method::HEAD, "/api/tokens"),
        (Method::OPTIONS, "/api/token"),
        (Method::GET, "/api/tokens/"),
        (Method::GET, "/api/leaderboard"),
        (Method::GET, "/"),
    ] {
        assert!(all.fast_path(&ask(method.clone(), target)).is_none(), "{method} {target}");
    }
    let mut compressed = ask(Method::GET, "/api/tokens");
    compressed.headers_mut().insert("accept-encoding", "gzip".parse().unwrap());
    assert!(all.fast_path(&compressed).is_none());
    drop(all);
    let limit = RateLimit { name: "standard-limit", limit: 9, span: 60 };
    std::sync::Arc::get_mut(&mut api).unwrap().standard_limit = Some(limit);
    let limited = service(&api, "/", Router::new());
    assert!(limited.fast_path(&ask(Method::GET, "/api/tokens")).is_none());
}

#[tokio::test]
async fn pages_of_one_moment_share_what_they_show() {
    let (mut script, api) = market().await;
    let rows = async |target: &str| {
        let page = get(&api, target).await.json();
        page["tokens"].as_array().unwrap().clone()
    };
    let newest = rows("/api/tokens").await;
    let mut oldest = rows("/api/tokens?sortBy=oldest&page=3").await;
    oldest.reverse();
    assert_eq!(oldest, newest[..5]);
    let shown = |rows: &[Value]| rows[0]["volume_24h"].clone();
    // Another trade is another moment, and so is a second in which a trade leaves the window.
    script.buy(44, script.launches[44].plan.creator, ETHER, NOW - 1);
    *api.state.write().unwrap() = script.state();
    let traded = rows("/api/tokens").await;
    assert_ne!(shown(&traded), shown(&newest));
    api.clock.show(NOW + 86_400);
    assert_eq!(shown(&rows("/api/tokens?page=1").await), Value::from(0));
    assert_eq!(shown(&rows("/api/tokens").await), Value::from(0));
}
