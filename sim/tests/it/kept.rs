//! Platforms in a folder: after the next start, everything that was answered with success is there.
mod returns;

use std::path::Path;

use serde_json::{Value, json};
use slipway_sim::clock::ClockMode;
use slipway_sim::{Config, Platform, StartError};
use sqlx::{AnyConnection, Connection as _};

use crate::platform::{PRIMARY, SECOND, client, config, found, get, launch, order, ordered};

const STRANGER: &str = "0x00000000000000000000000000000000000000a1";
/// Returns 7 to every call.
const SEVEN: &str = "0x600760005260206000f3";

fn kept(folder: &Path) -> Config {
    Config { state_dir: Some(folder.to_owned()), ..config() }
}

async fn started(config: &Config) -> Platform {
    Platform::start(config.clone()).await.unwrap()
}

/// The reason why a start refuses a folder.
async fn refusal(folder: &Path) -> String {
    match Platform::start(kept(folder)).await {
        Err(error @ (StartError::State(_) | StartError::Store(_))) => {
            let error = error.to_string();
            assert!(error.contains(folder.to_str().unwrap()), "{error}");
            error
        }
        other => panic!("{other:?}"),
    }
}

/// The answer of a node to a caller.
async fn called(platform: &Platform, chain_id: u64, method: &str, params: Value) -> Value {
    let chain = platform.ready().chains.iter().find(|chain| chain.chain_id == chain_id).unwrap();
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let answer = client().post(&chain.rpc_url).body(call.to_string()).send().await.unwrap();
    let answer: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
    assert!(answer["error"].is_null(), "{method}: {answer}");
    answer["result"].clone()
}

/// Sends a transaction that is mined at once; the node answers before it is.
async fn mined(platform: &Platform, params: Value) {
    let hash = called(platform, PRIMARY, "eth_sendTransaction", params).await;
    while called(platform, PRIMARY, "eth_getTransactionReceipt", json!([hash])).await.is_null() {}
}

/// Sends a transaction that waits until a block is ordered.
async fn waited(platform: &Platform, params: Value) {
    called(platform, PRIMARY, "evm_setAutomine", json!([false])).await;
    called(platform, PRIMARY, "eth_sendTransaction", params).await;
    called(platform, PRIMARY, "evm_mine", json!([])).await;
    called(platform, PRIMARY, "evm_setAutomine", json!([true])).await;
}

/// Everything that readers can see: blocks, balances, lists, time and checkpoints.
async fn shown(platform: &Platform) -> Vec<Value> {
    let mut shown = vec![
        get(platform, "/api/tokens?page=1&sortBy=newest").await,
        get(platform, "/api/leaderboard").await,
        ordered(platform, "GET /_sim/clock", "").await,
        ordered(platform, "GET /_sim/checkpoints", "").await,
        ordered(platform, "GET /_sim/accounts", "").await,
        ordered(platform, "GET /_sim/faults", "").await,
    ];
    for chain_id in [PRIMARY, SECOND] {
        let latest = called(platform, chain_id, "eth_getBlockByNumber", json!(["latest", true])).await;
        for ago in 1..4 {
            let number = u64::from_str_radix(&latest["number"].as_str().unwrap()[2..], 16).unwrap() - ago;
            let asked = json!([format!("{number:#x}"), true]);
            shown.push(called(platform, chain_id, "eth_getBlockByNumber", asked).await);
        }
        shown.push(latest);
        shown.push(called(platform, chain_id, "eth_getBlockByNumber", json!(["0x0", true])).await);
        shown.push(called(platform, chain_id, "txpool_content", json!([])).await);
        for method in ["eth_getBalance", "eth_getCode", "eth_getTransactionCount"] {
            shown.push(called(platform, chain_id, method, json!([STRANGER, "latest"])).await);
        }
    }
    shown
}

/// Stops and starts; checks that everything is unchanged.
async fn again(platform: Platform, config: &Config) -> Platform {
    let before = shown(&platform).await;
    platform.stop().await;
    let platform = started(config).await;
    let after = shown(&platform).await;
    for (place, (before, after)) in before.iter().zip(&after).enumerate() {
        assert_eq!(after, before, "answer {place}");
    }
    platform
}

async fn launched(platform: &Platform, name: &str) -> Value {
    let body = json!({ "name": name, "ticker": "KEPT", "targetRaise": "1", "prebuy": "0.1" });
    ordered(platform, "POST /_sim/launches", body).await["token"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_keeps_chains_store_clock_and_checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { seed: 5, operator_key: Some("opened".to_owned()), ..kept(folder.path()) };
    let platform = started(&config).await;
    let token = launched(&platform, "Qkept").await;
    launch(&platform, SECOND, "Qkept two").await;
    let trade = |side, amount| json!({ "token": token, "side": side, "amount": amount });
    ordered(&platform, "POST /_sim/trades", trade("buy", "0.05")).await;
    ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 90_000 })).await;
    let bearer = ordered(&platform, "POST /_sim/bearers", json!({ "address": STRANGER })).await;
    ordered(&platform, "PUT /_sim/faults/kept", json!({ "path": "/api/koti", "effect": { "status": 503 } }))
        .await;
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", json!({ "name": "kept" })).await;
    launched(&platform, "Qlater").await;
    ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 77 })).await;
    let dropped = ordered(&platform, "POST /_sim/checkpoints", json!({})).await;
    // Seed, operator's credential and clock come from the folder.
    let other = Config { seed: 9, operator_key: None, clock: ClockMode::Running, ..config.clone() };
    let platform = again(platform, &other).await;
    let ready = platform.ready();
    assert_eq!((ready.seed, ready.operator_key.as_str(), ready.clock), (5, "opened", ClockMode::Manual));
    let stats = client().get(format!("{}/api/referral/stats", ready.base_url));
    let stats = stats.bearer_auth(bearer["token"].as_str().unwrap()).send().await.unwrap();
    assert_eq!(stats.status(), 200);
    assert_eq!(found(&platform, "Qlater").await, 1);
    // Both checkpoints of the first run can be used, the revert lasts, and no id is used again.
    let back = format!("POST /_sim/checkpoints/{}/revert", checkpoint["id"]);
    ordered(&platform, &back, json!({})).await;
    assert_eq!((found(&platform, "Qkept").await, found(&platform, "Qlater").await), (2, 0));
    let platform = again(platform, &config).await;
    assert_eq!((found(&platform, "Qkept").await, found(&platform, "Qlater").await), (2, 0));
    let lost = format!("POST /_sim/checkpoints/{}/revert", dropped["id"]);
    assert_eq!(order(&platform, &lost, json!({})).await.0, 404);
    ordered(&platform, "POST /_sim/trades", trade("sell", "1000")).await;
    ordered(&platform, &back, json!({})).await;
    let platform = again(platform, &config).await;
    let next = ordered(&platform, "POST /_sim/checkpoints", json!({})).await;
    assert_eq!(next["id"].as_u64().unwrap(), dropped["id"].as_u64().unwrap() + 1);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_callers_do_at_a_node_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let config = kept(folder.path());
    let mut platform = started(&config).await;
    let from = platform.ready().accounts[1].address;
    let paid = |value: &str| json!([{ "from": from, "to": STRANGER, "value": value }]);
    let impersonated = json!([{ "from": STRANGER, "to": from, "value": "0x5" }]);
    // Each part is kept alone and on top of the others.
    for (method, params) in [
        ("eth_sendTransaction", paid("0xde0b6b3a7640000")),
        ("anvil_setBalance", json!([STRANGER, "0x8ac7230489e80000"])),
        ("eth_sendTransaction", paid("0x7")),
        ("anvil_impersonateAccount", json!([STRANGER])),
        ("eth_sendTransaction", impersonated),
        ("anvil_mine", json!(["0x3"])),
        ("anvil_setCode", json!([STRANGER, SEVEN])),
        ("anvil_setNonce", json!([STRANGER, "0x63"])),
        ("evm_increaseTime", json!([3_600])),
        ("anvil_setCoinbase", json!([STRANGER])),
        ("anvil_setNextBlockBaseFeePerGas", json!(["0x3b9aca00"])),
        ("evm_mine", json!([])),
        ("eth_sendTransaction", paid("0x8")),
    ] {
        match method {
            "eth_sendTransaction" => mined(&platform, params).await,
            _ => drop(called(&platform, PRIMARY, method, params).await),
        }
        platform = again(platform, &config).await;
    }
    // A snapshot of a caller, and a rollback.
    let snapshot = called(&platform, PRIMARY, "evm_snapshot", json!([])).await;
    called(&platform, PRIMARY, "anvil_setBalance", json!([STRANGER, "0x1"])).await;
    mined(&platform, paid("0x9")).await;
    assert_eq!(called(&platform, PRIMARY, "evm_revert", json!([snapshot])).await, true);
    platform = again(platform, &config).await;
    called(&platform, PRIMARY, "anvil_mine", json!(["0x2"])).await;
    called(&platform, PRIMARY, "anvil_rollback", json!([1])).await;
    mined(&platform, paid("0xa")).await;
    platform = again(platform, &config).await;
    // A transaction waited for its block, which is now gone: it is not sent again.
    let snapshot = called(&platform, PRIMARY, "evm_snapshot", json!([])).await;
    waited(&platform, paid("0xc")).await;
    assert_eq!(called(&platform, PRIMARY, "evm_revert", json!([snapshot])).await, true);
    platform = again(platform, &config).await;
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", json!({})).await;
    waited(&platform, paid("0xd")).await;
    let back = format!("POST /_sim/checkpoints/{}/revert", checkpoint["id"]);
    ordered(&platform, &back, json!({})).await;
    platform = again(platform, &config).await;
    // A transaction that waits, and mining on demand.
    called(&platform, PRIMARY, "evm_setAutomine", json!([false])).await;
    let waits = called(&platform, PRIMARY, "eth_sendTransaction", paid("0xb")).await;
    platform = again(platform, &config).await;
    assert_eq!(called(&platform, PRIMARY, "anvil_getAutomine", json!([])).await, false);
    assert!(called(&platform, PRIMARY, "eth_getTransactionReceipt", json!([waits])).await.is_null());
    called(&platform, PRIMARY, "evm_mine", json!([])).await;
    assert_eq!(
        called(&platform, PRIMARY, "eth_getTransactionReceipt", json!([waits])).await["status"],
        "0x1"
    );
    platform = again(platform, &config).await;
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_runs_goes_on_where_it_stopped() {
    for clock in [ClockMode::Running, ClockMode::Real] {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { clock, ..kept(folder.path()) };
        let platform = started(&config).await;
        launch(&platform, PRIMARY, "Qtimed").await;
        ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 90_000 })).await;
        let before = platform.engine().clock().now();
        platform.stop().await;
        let platform = started(&config).await;
        let after = platform.engine().clock().now();
        assert!((before..before + 60).contains(&after), "{clock:?}: {before} {after}");
        let latest = called(&platform, PRIMARY, "eth_getBlockByNumber", json!(["latest", false])).await;
        launch(&platform, PRIMARY, "Qtimed").await;
        let next = called(&platform, PRIMARY, "eth_getBlockByNumber", json!(["latest", false])).await;
        assert!(next["timestamp"].as_str() >= latest["timestamp"].as_str());
        assert_eq!(found(&platform, "Qtimed").await, 2);
        platform.stop().await;
    }
}

/// Changes the database of a stopped platform.
async fn changed(folder: &Path, statement: &'static str) {
    sqlx::any::install_default_drivers();
    let address = format!("sqlite://{}", folder.join("store.sqlite").display());
    let mut database = AnyConnection::connect(&address).await.unwrap();
    sqlx::raw_sql(statement).execute(&mut database).await.unwrap();
    database.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_cannot_be_kept_costs_nothing_that_follows() {
    let folder = tempfile::tempdir().unwrap();
    let platform = started(&kept(folder.path())).await;
    const FULL: &str = "CREATE TRIGGER full BEFORE INSERT ON journal WHEN NEW.kind = 'call' BEGIN SELECT RAISE(ABORT, 'full'); END";
    changed(folder.path(), FULL).await;
    let node = &platform.ready().chains.iter().find(|chain| chain.chain_id == PRIMARY).unwrap().rpc_url;
    let call =
        json!({ "jsonrpc": "2.0", "id": 1, "method": "anvil_setBalance", "params": [STRANGER, "0x63"] });
    let answer = client().post(node).body(call.to_string()).send().await.unwrap().text().await.unwrap();
    assert!(answer.contains("the database failed"), "{answer}");
    changed(folder.path(), "DROP TRIGGER full").await;
    launched(&platform, "Qafter").await;
    let platform = again(platform, &kept(folder.path())).await;
    assert_eq!(found(&platform, "Qafter").await, 1);
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_damaged_or_of_another_version_is_refused() {
    let source = tempfile::tempdir().unwrap();
    let platform = started(&kept(source.path())).await;
    let in_use = refusal(source.path()).await;
    assert!(in_use.contains("in use by another process"), "{in_use}");
    launch(&platform, PRIMARY, "Qone").await;
    launch(&platform, PRIMARY, "Qtwo").await;
    platform.stop().await;
    let copied = || {
        let copy = tempfile::tempdir().unwrap();
        let (from, to) = (source.path().join("chains/0"), copy.path().join("chains/0"));
        std::fs::create_dir_all(&to).unwrap();
        for (from, to) in [(source.path(), copy.path()), (&from, &to)] {
            for file in std::fs::read_dir(from).unwrap().map(|file| file.unwrap().path()) {
                if file.is_file() {
                    std::fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
                }
            }
        }
        copy
    };
    let sound = copied();
    started(&kept(sound.path())).await.stop().await;
    for (statement, reason) in [
        ("UPDATE platform SET body = replace(body, '\"form\":1', '\"form\":2')", "has format 2, of slipway"),
        ("UPDATE platform SET body = '{'", "is damaged"),
        (r#"UPDATE platform SET body = replace(body, '"operatorKey":"', '"operatorKey":" ')"#, "operatorKey"),
        (r#"UPDATE platform SET body = replace(body, '"captchas":', '"captchas":9999999')"#, "counter"),
        ("UPDATE progress SET clock = 'noon'", "is damaged"),
        ("UPDATE journal SET body = '{' WHERE kind = 'block'", "is damaged"),
        ("UPDATE journal SET kind = 'blok' WHERE kind = 'block'", "is damaged"),
        ("UPDATE facts SET body = '{'", "is damaged"),
        (
            "DELETE FROM journal WHERE number = (SELECT MIN(number) FROM journal WHERE kind = 'block')",
            "is damaged",
        ),
        (
            "INSERT INTO _sqlx_migrations SELECT 99, description, installed_on, success, checksum, execution_time FROM _sqlx_migrations WHERE version = 5",
            "later version",
        ),
    ] {
        let copy = copied();
        changed(copy.path(), statement).await;
        let refused = refusal(copy.path()).await;
        assert!(refused.contains(reason), "{statement}: {refused}");
        assert!(refused.contains("name another"), "{refused}");
    }
    type Harm = fn(&Path);
    let harms: [Harm; 4] = [
        |folder| std::fs::remove_dir_all(folder.join("chains")).unwrap(),
        |folder| std::fs::remove_file(folder.join("chains/0/state-4663.json")).unwrap(),
        |folder| std::fs::write(folder.join("chains/0/manifest.json"), "{").unwrap(),
        |folder| {
            let state = folder.join("chains/0/state-57073.json");
            let length = std::fs::metadata(&state).unwrap().len();
            std::fs::File::options().write(true).open(state).unwrap().set_len(length / 2).unwrap();
        },
    ];
    for harm in harms {
        let copy = copied();
        harm(copy.path());
        let refused = refusal(copy.path()).await;
        assert!(refused.contains("is damaged") && refused.contains("Restore"), "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_of_a_folder_is_imported_into_another_one() {
    let folders = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|name| folders.path().join(name));
    let config = Config { seed: 3, ..kept(&one) };
    let platform = started(&config).await;
    launched(&platform, "Qmoved").await;
    let platform = again(platform, &config).await;
    launched(&platform, "Qmoved again").await;
    called(&platform, PRIMARY, "anvil_setBalance", json!([STRANGER, "0x63"])).await;
    ordered(&platform, "POST /_sim/export", json!({ "file": "moved" })).await;
    let before = shown(&platform).await;
    platform.stop().await;
    let import = Config { import: Some(one.join("exports/moved")), ..kept(&other) };
    let platform = started(&import).await;
    assert_eq!(shown(&platform).await, before);
    launched(&platform, "Qafter").await;
    let platform = again(platform, &kept(&other)).await;
    assert_eq!((found(&platform, "Qmoved").await, found(&platform, "Qafter").await), (2, 1));
    platform.stop().await;
    let error = Platform::start(import.clone()).await.unwrap_err().to_string();
    assert!(error.contains("imported into an empty one"), "{error}");
    // A process that ends during an import leaves a store without the description of a platform, and files of any state.
    changed(&other, "DELETE FROM journal; UPDATE platform SET body = 'importing'").await;
    std::fs::write(other.join("chains/0/state-4663.json"), "of another import").unwrap();
    let unfinished = refusal(&other).await;
    assert!(
        unfinished.contains("was not finished") && unfinished.contains("import the file again"),
        "{unfinished}"
    );
    let platform = started(&import).await;
    assert_eq!(shown(&platform).await, before);
    again(platform, &kept(&other)).await.stop().await;
}
