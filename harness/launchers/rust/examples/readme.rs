//! The first sample of the README.
use slipway_launcher::{Options, Platform};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let platform = Platform::start(&Options::default())?;
    let began = platform.control.get_clock()?.now;
    platform.isolated(|platform| {
        let ahead = platform.control.advance_clock(3_600)?.now;
        assert!(ahead >= began + 3_600);
        platform.control.launch_token("Example", "EXAM", "1", None, None, None, None, None)
    })??;
    // The hour and the launch were rolled back.
    assert!(platform.control.get_clock()?.now < began + 3_600);
    Ok(())
}
