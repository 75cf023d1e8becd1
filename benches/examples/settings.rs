//! Checks a correct platform in every setting repeatedly: `settings target/release/slipway 10`, or only in the given ones:
//! `settings target/release/slipway 50 running`. Prints how many runs of each were green, and ends with 1 when one was not.
use std::error::Error;
use std::io::{Write, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use slipway_test_support::settings::Setting;

const USAGE: &str = "usage: settings SLIPWAY RUNS [SETTING…]";

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [program, runs, names @ ..] = arguments.as_slice() else {
        return Err(USAGE.into());
    };
    let runs: usize = runs.parse()?;
    let known = |name: &String| Setting::ALL.into_iter().find(|(known, _)| known == name);
    let chosen: Option<Vec<_>> = names.iter().map(known).collect();
    let chosen =
        chosen.ok_or_else(|| format!("{USAGE}; settings are {:?}", Setting::ALL.map(|(name, _)| name)))?;
    let chosen = if chosen.is_empty() { Setting::ALL.to_vec() } else { chosen };
    let mut all_green = true;
    for (name, setting) in chosen {
        let mut green = 0;
        for run in 1..=runs {
            let begun = Instant::now();
            let outcome = setting.check(Path::new(program)).await;
            let seconds = begun.elapsed().as_secs_f64();
            match &outcome {
                Ok(()) => writeln!(stdout(), "{name} {run}: green, {seconds:.0} s")?,
                Err(red) => writeln!(stdout(), "{name} {run}: RED, {seconds:.0} s: {red}")?,
            }
            green += usize::from(outcome.is_ok());
        }
        writeln!(stdout(), "{name}: {green} of {runs} green")?;
        all_green &= green == runs;
    }
    Ok(if all_green { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
