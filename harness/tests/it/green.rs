//! A correct platform is green in the settings that differ most from the one that other tests check. The example `settings` of the
//! benches repeats every setting as often as it is told.
use std::path::Path;

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
