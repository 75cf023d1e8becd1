//! Whoever moves the time of a chain moves the platform's one clock, and no block is older than its parent.
use std::time::Duration;

use serde_json::{Value, json};
use slipway_sim::Config;
use slipway_sim::clock::ClockMode;
use tokio::time::{sleep, timeout};

use super::Nodes;
use crate::platform::{config, latest_times, ordered};

fn number(value: &Value) -> u64 {
    u64::from_str_radix(value.as_str().unwrap().trim_start_matches("0x"), 16).unwrap()
}

impl Nodes {
    async fn mined(&self) -> u64 {
        self.result("evm_mine", json!([])).await;
        latest_times(&self.platform).await[0]
    }

    fn now(&self) -> u64 {
        self.platform.engine().clock().now()
    }

    /// Checks every block in order: none is older than its parent.
    async fn keeps_order(&self) {
        let height = number(&self.result("eth_blockNumber", json!([])).await);
        let mut before = 0;
        for block in height.saturating_sub(60)..=height {
            let block = self.result("eth_getBlockByNumber", json!([format!("{block:#x}"), false])).await;
            let time = number(&block["timestamp"]);
            assert!(time >= before, "{time} follows {before}");
            before = time;
        }
    }

    /// Checks that the clock has moved at least this far, and that the chains have its time.
    async fn moved(&self, before: u64, seconds: u64, what: &str) {
        let now = self.now();
        assert!((seconds..seconds + 20).contains(&(now - before)), "{what}: {now} after {before}");
        let mined = self.mined().await;
        assert!(mined >= before + seconds && mined <= self.now(), "{what}: {mined}");
        ordered(&self.platform, "POST /_sim/clock/advance", json!({ "seconds": 1 })).await;
        let [primary, second] = latest_times(&self.platform).await;
        assert!(primary.abs_diff(second) <= 1 && primary > before + seconds, "{what}: {primary} {second}");
        self.keeps_order().await;
    }
}

async fn moves_one_clock(clock: ClockMode) {
    let nodes = Nodes::behind(Config { clock, ..config() }).await;
    for (method, params) in
        [("evm_increaseTime", json!([86_400])), ("anvil_increaseTime", json!(["0x15180"]))]
    {
        let before = nodes.now();
        let ahead = nodes.result(method, params).await;
        assert!(ahead.is_number(), "{ahead}");
        nodes.moved(before, 86_400, method).await;
    }
    for method in [
        "evm_setTime",
        "anvil_setTime",
        "evm_setNextBlockTimestamp",
        "anvil_setNextBlockTimestamp",
        "evm_mine",
    ] {
        let before = nodes.now();
        nodes.result(method, json!([before + 100])).await;
        nodes.moved(before, 100, method).await;
        let back = nodes.ask(method, json!([before])).await;
        let message = back["error"]["message"].as_str().unwrap();
        assert!(message.contains("POST /_sim/clock/advance"), "{method}: {message}");
    }
    let before = nodes.now();
    nodes.result("anvil_mine", json!([10, 60])).await;
    nodes.moved(before, 600, "anvil_mine").await;
    for method in ["anvil_setBlockTimestampInterval", "anvil_removeBlockTimestampInterval"] {
        let refused = nodes.ask(method, json!([5])).await;
        assert!(
            refused["error"]["message"].as_str().unwrap().contains("POST /_sim/clock/advance"),
            "{refused}"
        );
    }
    let exact = nodes.now() + 500;
    nodes.result("evm_setNextBlockTimestamp", json!([exact])).await;
    assert_eq!(nodes.mined().await, exact);

    // A caller's own snapshot takes the chain back, not the time.
    let snapshot = nodes.result("evm_snapshot", json!([])).await;
    ordered(&nodes.platform, "POST /_sim/clock/advance", json!({ "seconds": 3_600 })).await;
    let now = nodes.now();
    assert_eq!(nodes.result("evm_revert", json!([snapshot])).await, true);
    assert!(nodes.now() >= now);
    let mined = nodes.mined().await;
    assert!(mined >= now && mined <= nodes.now(), "{mined}");
    nodes.keeps_order().await;
    ordered(&nodes.platform, "GET /_sim/ready", "").await;
    nodes.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn time_that_a_node_moves_is_the_standing_clocks() {
    moves_one_clock(ClockMode::Manual).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn time_that_a_node_moves_is_the_running_clocks() {
    moves_one_clock(ClockMode::Running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn time_that_a_node_moves_is_the_hosts_clocks() {
    moves_one_clock(ClockMode::Real).await;
}

/// A node that mines every second or two keeps the states of 1,500 blocks from then on, however large a state is. The platform orders the
/// blocks instead, and the node keeps 64.
#[tokio::test(flavor = "multi_thread")]
async fn blocks_come_every_second_and_the_states_stay_bounded() {
    let nodes = Nodes::behind(config()).await;
    let way = async || {
        let each = nodes.result("anvil_getAutomine", json!([])).await;
        (each, nodes.result("anvil_getIntervalMining", json!([])).await)
    };
    let height = async || number(&nodes.result("eth_blockNumber", json!([])).await);
    let grows = async |what: &str| {
        let first = height().await;
        let grown = async {
            while height().await < first + 2 {
                sleep(Duration::from_millis(50)).await;
            }
        };
        timeout(Duration::from_secs(60), grown).await.expect(what);
    };
    assert_eq!(way().await, (json!(true), json!(null)));
    for (seconds, told) in [(json!(2), 2), (json!("0x1"), 1)] {
        nodes.result("evm_setIntervalMining", json!([seconds])).await;
        assert_eq!(way().await, (json!(false), json!(told)));
        grows("blocks at an interval").await;
    }
    // A transaction waits for the next block.
    let account = nodes.platform.ready().accounts[3].address;
    let transfer = json!({ "from": account, "to": account, "value": "0x1" });
    let receipt = nodes.result("eth_sendTransactionSync", json!([transfer])).await;
    assert_eq!(receipt["status"], "0x1");
    // It goes on after a revert, and when the node is told not to mine each transaction, which it did not.
    let checkpoint = ordered(&nodes.platform, "POST /_sim/checkpoints", "").await["id"].clone();
    ordered(&nodes.platform, &format!("POST /_sim/checkpoints/{checkpoint}/revert"), "").await;
    nodes.result("evm_setAutomine", json!([false])).await;
    assert_eq!(way().await, (json!(false), json!(1)));
    grows("blocks after a revert").await;
    // Either call ends it.
    nodes.result("evm_setAutomine", json!([true])).await;
    assert_eq!(way().await, (json!(true), json!(null)));
    nodes.result("anvil_setIntervalMining", json!([1])).await;
    nodes.result("evm_setAutomine", json!([true])).await;
    nodes.result("anvil_mine", json!([70])).await;
    let before = height().await;
    assert!(
        nodes.ask("anvil_rollback", json!([65])).await["error"].is_object(),
        "more than 64 states are kept"
    );
    nodes.result("anvil_rollback", json!([64])).await;
    assert_eq!(height().await, before - 64);
    nodes.platform.stop().await;
}
