//! A correct platform is green in its settings, once each. `cargo run -p slipway-benches --example settings` repeats them, and runs
//! the one under a standard limit, which takes too long for here.
use std::path::Path;

use crate::settings::Setting;

async fn green(setting: Setting) {
    if let Err(red) = setting.check(Path::new(env!("CARGO_BIN_EXE_slipway"))).await {
        panic!("{setting:?}: {red}");
    }
}

macro_rules! settings {
    ($($name:ident: $setting:ident;)+) => {
        $(
            #[tokio::test(flavor = "multi_thread")]
            async fn $name() {
                green(Setting::$setting).await;
            }
        )+
    };
}

settings! {
    green_on_a_running_clock: Running;
    green_on_the_real_clock: Real;
    green_on_a_fixed_clock: Fixed;
    green_without_control_plane: NoControl;
    green_on_a_state_directory: State;
    green_on_a_used_state_directory: UsedState;
    green_on_a_replica: Replica;
    green_behind_proxies: Proxied;
    green_on_a_busy_machine: Busy;
}
