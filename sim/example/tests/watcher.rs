//! The client on a platform in this process: launches that the test makes, an outage, and the way back.
use reqwest::Method;
use serde_json::{Value, json};
use slipway_example::Watcher;
use slipway_sim::{Config, Platform, Ready};

type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A call of the control plane, which must succeed.
async fn order(ready: &Ready, method: Method, path: &str, body: Value) -> Result<(), reqwest::Error> {
    let control = ready.control_url.as_deref().unwrap_or_default();
    let request = reqwest::Client::new().request(method, format!("{control}/_sim{path}")).json(&body);
    request.send().await?.error_for_status().map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn each_launch_is_reported_once() -> Outcome {
    let platform = Platform::start(Config::default()).await?;
    let mut watcher = Watcher::new(&platform.ready().base_url);
    assert!(!watcher.launches().await?.is_empty(), "the market has tokens from the start");
    assert!(watcher.launches().await?.is_empty());

    let launch = json!({ "name": "Made by a test", "ticker": "TEST", "targetRaise": "1" });
    order(platform.ready(), Method::POST, "/launches", launch).await?;
    let names: Vec<String> = watcher.launches().await?.into_iter().map(|launch| launch.name).collect();
    assert_eq!(names, ["Made by a test"]);
    assert!(watcher.launches().await?.is_empty());
    platform.stop().await;
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outage_loses_no_launch() -> Outcome {
    let platform = Platform::start(Config::default()).await?;
    let mut watcher = Watcher::new(&platform.ready().base_url);
    watcher.launches().await?;
    let before = platform.engine().checkpoint(None).await?;

    let launch = json!({ "name": "During an outage", "ticker": "OUT", "targetRaise": "1" });
    order(platform.ready(), Method::POST, "/launches", launch).await?;
    let outage = json!({ "path": "/api/tokens/recent-v2", "effect": { "status": 503 } });
    order(platform.ready(), Method::PUT, "/faults/outage", outage).await?;
    assert!(watcher.launches().await.is_err());
    assert_eq!(watcher.launches().await?.len(), 1);

    // Chains and services are as they were before the launch.
    platform.engine().revert(before).await?;
    let all = Watcher::new(&platform.ready().base_url).launches().await?;
    assert!(all.iter().all(|launch| launch.name != "During an outage"));
    platform.stop().await;
    Ok(())
}
