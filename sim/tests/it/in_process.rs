//! The sample of the README, as it is printed there.
use slipway_sim::{Config, Platform};

#[tokio::test(flavor = "multi_thread")]
async fn a_test_rolls_back_what_it_did() -> Result<(), Box<dyn std::error::Error>> {
    let platform = Platform::start(Config { seed: 7, ..Config::default() }).await?;
    let (ready, engine) = (platform.ready(), platform.engine());
    let began = engine.clock().now();
    let checkpoint = engine.checkpoint(None).await?;

    // Your client has the services, the nodes and funded accounts.
    let list = reqwest::get(format!("{}/api/tokens", ready.base_url)).await?;
    assert!(list.json::<serde_json::Value>().await?["totalCount"].as_u64() > Some(0));
    assert_eq!(ready.chains[0].chain_id, 57073);
    assert!(ready.chains[0].rpc_url.starts_with("http://") && !ready.accounts.is_empty());
    assert!(engine.advance(3_600).await? >= began + 3_600);

    // Chains, services, limits and the clock are as they were.
    engine.revert(checkpoint).await?;
    assert!(engine.clock().now() < began + 3_600);
    platform.stop().await;
    Ok(())
}

#[test]
fn readme_shows_this_sample() {
    let (_, sample) = include_str!("in_process.rs").split_once('\n').unwrap();
    let sample = sample.split("\n#[test]").next().unwrap();
    assert!(include_str!("../../README.md").contains(&format!("```rust\n{sample}```\n")));
}
