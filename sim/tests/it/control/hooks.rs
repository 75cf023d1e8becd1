//! Captcha proofs and the pause of creation, for every launch hook of both chains.
use alloy::primitives::{Address, B256, Bytes, Signature, U256};
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook;
use slipway_sim::Platform;

use crate::platform::{PRIMARY, SECOND, get, hook, order, ordered, provider, start};

/// Every launch hook: its chain, its address, and whether it is the one for the native coin.
async fn hooks(platform: &Platform) -> Vec<(u64, Address, bool)> {
    let assets = get(platform, &format!("/api/stocks/quote-assets?chainId={SECOND}")).await;
    let stocks = assets["quoteAssets"].as_array().unwrap().iter();
    let stocks: Vec<Address> = stocks.map(|asset| address(&asset["hook"])).collect();
    assert!(!stocks.is_empty());
    let native = [PRIMARY, SECOND].map(|chain| (chain, hook(platform, chain), true));
    let stocks = stocks.into_iter().map(|stock| (SECOND, stock, false));
    native.into_iter().chain(stocks).collect()
}

fn address(value: &Value) -> Address {
    value.as_str().unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn captcha_proof_satisfies_each_hook() {
    let platform = start().await;
    let trader = Address::repeat_byte(7);
    let mut digests = Vec::new();
    for (chain_id, address, native) in hooks(&platform).await {
        let mut body = json!({ "chainId": chain_id, "trader": trader, "launchId": 3 });
        if !native {
            body["hook"] = json!(address);
        }
        let proof = ordered(&platform, "POST /_sim/captcha-auths", body).await;
        let (deadline, nonce): (u64, B256) =
            (proof["deadline"].as_u64().unwrap(), proof["nonce"].as_str().unwrap().parse().unwrap());
        let signature: Bytes = proof["signature"].as_str().unwrap().parse().unwrap();
        let hook = ILaunchHook::new(address, provider(&platform, chain_id));
        let digest = hook.captchaDigest(trader, U256::from(3), deadline, nonce).call().await.unwrap();
        let signer = hook.captchaSigner().call().await.unwrap();
        let signature = Signature::from_raw(&signature).unwrap();
        assert_eq!(signature.recover_address_from_prehash(&digest).unwrap(), signer, "{address}");
        digests.push(digest);
    }
    digests.sort();
    digests.dedup();
    assert_eq!(digests.len(), hooks(&platform).await.len());
    // A hook of the other chain does not exist on this one.
    let stock = hooks(&platform).await[2].1;
    let body = json!({ "chainId": PRIMARY, "trader": trader, "launchId": 3, "hook": stock });
    let (status, reported) = order(&platform, "POST /_sim/captcha-auths", body).await;
    assert_eq!(status, 400, "{reported}");
    platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_hook_is_paused_alone() {
    let platform = start().await;
    let all = hooks(&platform).await;
    let paused = async || {
        let mut paused = Vec::new();
        for (chain_id, address, _) in &all {
            let hook = ILaunchHook::new(*address, provider(&platform, *chain_id));
            paused.push(hook.creationPaused().call().await.unwrap());
        }
        paused
    };
    for (place, (chain_id, address, native)) in all.iter().enumerate() {
        let path = if *native {
            format!("/_sim/creation-paused?chainId={chain_id}")
        } else {
            format!("/_sim/creation-paused?chainId={chain_id}&hook={address}")
        };
        let reported = ordered(&platform, &format!("PUT {path}"), "").await;
        assert_eq!((&reported["hook"], &reported["paused"]), (&json!(address.to_string()), &json!(true)));
        let expected: Vec<bool> = (0..all.len()).map(|other| other == place).collect();
        assert_eq!(paused().await, expected, "{address}");
        let shown = shown(&platform, *chain_id, *address).await;
        assert_eq!(shown, "paused", "{address}");
        ordered(&platform, &format!("DELETE {path}"), "").await;
        assert!(!paused().await[place]);
    }
    platform.stop().await;
}

/// The status of a hook in the service's answer.
async fn shown(platform: &Platform, chain_id: u64, hook: Address) -> String {
    let capabilities = get(platform, &format!("/api/capabilities?chainId={chain_id}")).await;
    let creation = &capabilities["activeCreationDeployment"];
    if address(&creation["hook"]) == hook {
        assert_eq!(capabilities["flags"]["create"], false);
        return creation["status"].as_str().unwrap().to_owned();
    }
    assert_eq!(capabilities["flags"]["create"], true);
    let assets = get(platform, &format!("/api/stocks/quote-assets?chainId={chain_id}")).await;
    let assets = assets["quoteAssets"].as_array().unwrap();
    let asset = assets.iter().find(|asset| address(&asset["hook"]) == hook).unwrap();
    asset["status"].as_str().unwrap().to_owned()
}
