//! The second sample of the README.
use slipway_launcher::{Control, ControlError, Options, aio::Platform};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let platform = Platform::start(&Options::default()).await?;
    let began = platform.control(Control::get_clock).await?.now;
    platform
        .isolated(async |platform| {
            let ahead = platform.control(|control| control.advance_clock(3_600)).await?.now;
            assert!(ahead >= began + 3_600);
            Ok::<_, ControlError>(())
        })
        .await??;
    assert!(platform.control(Control::get_clock).await?.now < began + 3_600);
    platform.stop().await;
    Ok(())
}
