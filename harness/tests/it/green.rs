//! A correct platform is green in the settings that differ most from the one that other tests check, and with every seed. The
//! examples `settings` and `seeds` of the benches repeat every setting and the whole check of every seed as often as asked.
use std::path::Path;

use crate::program::expect_code;
use crate::settings::Setting;

async fn green(setting: Setting) {
    if let Err(red) = setting.check(Path::new(env!("CARGO_BIN_EXE_slipway"))).await {
        panic!("{setting:?}: {red}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn green_on_a_running_clock() {
    green(Setting::Running).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn green_without_control_plane() {
    green(Setting::NoControl).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn green_on_a_used_state_directory() {
    green(Setting::UsedState).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn green_on_a_replica() {
    green(Setting::Replica).await;
}

/// Two dozen seeds, those among them whose markets were the hardest: the checks that draw amounts, sizes, pairs and tokens from the
/// seed, on a market of the same seed.
#[test]
fn green_with_every_seed() {
    for seed in (2..=20).chain([27, 31, 38, 1 << 32, u64::MAX]) {
        let seed: u64 = seed;
        expect_code(&["check", "--seed", &seed.to_string(), "--only", "chain-*", "--only", "swap-*"], 0);
    }
}
