//! Indexing: what a chain takes back is forgotten, told or not.
use alloy::providers::Provider;
use serde_json::Value;

use crate::platform::{PRIMARY, SECOND, found, launch, provider, reached, start};

#[tokio::test(flavor = "multi_thread")]
async fn a_launch_on_each_chain_is_seen() {
    let platform = start().await;
    for (chain_id, name) in [(PRIMARY, "Firstcomer"), (SECOND, "Secondcomer")] {
        assert_eq!(found(&platform, name).await, 0);
        launch(&platform, chain_id, name).await;
        assert_eq!(found(&platform, name).await, 1);
    }
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reorganised_launch_is_forgotten() {
    let platform = start().await;
    let before = found(&platform, "").await;
    let kept = launch(&platform, PRIMARY, "Stayer").await;
    let block = launch(&platform, PRIMARY, "Goner").await;
    assert_eq!(block, kept + 1);
    let node = provider(&platform, PRIMARY);
    let _: Value = node.raw_request("anvil_reorg".into(), (1, Vec::<Value>::new())).await.unwrap();
    node.raw_request::<_, Value>("evm_mine".into(), ()).await.unwrap();
    reached(&platform, PRIMARY, |height| height > block).await;
    assert_eq!([found(&platform, "Stayer").await, found(&platform, "Goner").await], [1, 0]);
    assert_eq!(found(&platform, "").await, before + 1);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_that_goes_back_without_a_word_is_noticed() {
    let platform = start().await;
    let node = provider(&platform, SECOND);
    let height = platform.engine().heights().borrow()[&SECOND];
    let snapshot: Value = node.raw_request("evm_snapshot".into(), ()).await.unwrap();
    launch(&platform, SECOND, "Dreamt").await;
    assert!(node.raw_request::<_, bool>("evm_revert".into(), (snapshot,)).await.unwrap());
    reached(&platform, SECOND, |now| now == height).await;
    assert_eq!(found(&platform, "Dreamt").await, 0);
    launch(&platform, SECOND, "Awake").await;
    assert_eq!(found(&platform, "Awake").await, 1);
    platform.stop().await;
}
