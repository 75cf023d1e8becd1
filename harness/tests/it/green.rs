//! A correct platform is green in the settings that differ most from the usual one of other tests, and with other seeds.
use std::path::Path;

use slipway_test_support::settings::Setting;

use crate::program::expect_code;

pub(crate) async fn green(setting: Setting) {
    if let Err(red) = setting.check(Path::new(env!("CARGO_BIN_EXE_slipway"))).await {
        panic!("{setting:?}: {red}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn green_on_a_used_state_directory() {
    green(Setting::UsedState).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn green_on_four_processes_that_share_the_requests() {
    green(Setting::Spread).await;
}

/// Some seeds, including those with the hardest markets: the platform starts, and the laws hold for pairs, sizes and trades drawn by the
/// seed.
#[test]
fn green_with_other_seeds() {
    let laws = ["swap-law-impact-grows", "swap-quote-build-bounds"];
    let only: Vec<&str> = laws.into_iter().flat_map(|law| ["--only", law]).collect();
    for seed in [3_u64, 27, 31, 38, u64::MAX] {
        expect_code(&[&["check", "--seed", &seed.to_string()], &only[..]].concat(), 0);
    }
}
