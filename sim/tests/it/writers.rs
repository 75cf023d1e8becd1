//! Writers beside a revert: each write happens before it and is undone, or after it, with the time and the tokens of then.
use alloy::primitives::Address;
use alloy::signers::local::PrivateKeySigner;
use futures::future::join_all;
use serde_json::json;
use slipway_sim::{Config, MarketPlan, Platform};

use crate::platform::{config, get, order, ordered, say};

const LAUNCH: &str = r#"{"name":"Gone","ticker":"GONE","targetRaise":"1"}"#;

async fn captcha(platform: &Platform) -> String {
    let minted = ordered(platform, "POST /_sim/captchas", json!({ "ttlSeconds": 86_400 })).await;
    minted["token"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_write_beside_a_revert_is_before_it_or_after_it() {
    let config = Config { market: MarketPlan::empty(), trailing_blocks: false, ..config() };
    let platform = Platform::start(config).await.unwrap();
    // One token is there at the checkpoint, another one is launched after it, each time at the same address.
    let kept =
        ordered(&platform, "POST /_sim/launches", LAUNCH.replace("Gone", "Kept")).await["token"].clone();
    let kept: Address = kept.as_str().unwrap().parse().unwrap();
    let at = ordered(&platform, "GET /_sim/clock", "").await["now"].as_u64().unwrap();
    let checkpoint = ordered(&platform, "POST /_sim/checkpoints", "").await["id"].clone();
    let revert = format!("POST /_sim/checkpoints/{checkpoint}/revert");
    for _ in 0..10 {
        let captchas = join_all((0..8).map(|_| captcha(&platform))).await;
        let token = ordered(&platform, "POST /_sim/launches", LAUNCH).await["token"].clone();
        let gone: Address = token.as_str().unwrap().parse().unwrap();
        let disable = format!("PUT /_sim/tokens/{gone}/disabled");
        ordered(&platform, "POST /_sim/clock/advance", json!({ "seconds": 80_000 })).await;
        // A wallet each: a wallet may post five times a minute.
        let platform = &platform;
        let said = captchas.into_iter().enumerate().map(async |(number, captcha)| {
            let about = if number % 2 == 0 { kept } else { gone };
            say(platform, &PrivateKeySigner::random(), about, captcha, "said".to_owned()).await
        });
        let disabled = (0..3).map(async |_| {
            for _ in 0..6 {
                let (status, answer) = order(platform, &disable, "").await;
                assert!([200, 404].contains(&status), "{answer}");
            }
        });
        let (_, statuses, _) =
            tokio::join!(ordered(platform, &revert, ""), join_all(said), join_all(disabled));
        assert!(statuses.iter().all(|status| [200, 403, 404].contains(status)), "{statuses:?}");
        let messages = get(platform, &format!("/api/chat?tokenAddress={kept}")).await;
        for message in messages.as_array().unwrap() {
            let second =
                message["created_at"].as_str().unwrap().parse::<jiff::Timestamp>().unwrap().as_second();
            assert!(second <= i64::try_from(at).unwrap(), "{message} is later than {at}");
        }
        assert_eq!(ordered(platform, "POST /_sim/launches", LAUNCH).await["token"], token);
        assert_eq!(get(platform, "/api/tokens").await["totalCount"], 2, "it is born as every other token");
        let messages = get(platform, &format!("/api/chat?tokenAddress={gone}")).await;
        assert_eq!(messages, json!([]), "nobody has said anything about it");
        ordered(platform, &revert, "").await;
    }
    platform.stop().await;
}
