//! `slipway play`: runs the steps of a play on a platform, prints a line for each, and reports whether everything was as expected.
use std::pin::pin;

use serde_json::{Value, json};
use slipway_scenarios::model::target::{PrivateKey, RatePolicy};
use slipway_scenarios::play::{Mismatch, Player, StepRow};
use slipway_scenarios::{Target, World};

use super::env;
use crate::arguments::PlayArguments;
use crate::error::{CommandError, Fatal};
use crate::exit::Exit;
use crate::files::play_file::WrittenPlay;
use crate::report::count::counted;
use crate::report::escape::{one_line, visible_json};
use crate::target::address::address;
use crate::target::local::{self, Front};
use crate::terminal::colour::Colour;
use crate::terminal::output;
use crate::terminal::signals::shutdown_signal;

/// Why the running platform cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the platform to play on has no control plane, which a play needs; start one without --no-control")]
struct NoControlError;

impl Fatal for NoControlError {}

pub(super) async fn run(arguments: PlayArguments) -> Result<Exit, CommandError> {
    let play = WrittenPlay::read(&arguments.file)?;
    let teller = Teller { play: &play, as_json: arguments.print.json, colour: Colour::of_stdout() };
    let mut stop = pin!(shutdown_signal());
    if let Some(ready_file) = arguments.attach {
        let ready = match ready_file {
            Some(path) => env::read(&path)?,
            None => env::given_or_running(arguments.ports).await?,
        };
        let seed = ready["seed"].as_u64().unwrap_or_default();
        let target = target_of(&ready).ok_or(NoControlError)?;
        return tokio::select! {
            ended = played(&teller, target, seed) => ended,
            () = &mut stop => Ok(Exit::Interrupted),
        };
    }
    let front = Front::of(&arguments.platform)?;
    let market = match arguments.market {
        Some(market) => market,
        None => play.market()?,
    };
    let config = local::config(&arguments.platform, arguments.time.clock.into());
    // Trailing blocks would make heights depend on the speed of the machine.
    let config = slipway_sim::Config { trailing_blocks: false, ..local::with_market(config, market)? };
    let platform = tokio::select! {
        platform = local::start(config, front) => platform?,
        () = &mut stop => return Ok(Exit::Interrupted),
    };
    let ended = match platform.target(RatePolicy::default()) {
        Ok(target) => tokio::select! {
            ended = platform.alive(played(&teller, target, arguments.platform.seed)) => ended,
            () = &mut stop => Ok(Exit::Interrupted),
        },
        Err(error) => Err(error.into()),
    };
    platform.stop().await;
    ended
}

/// The platform of a ready line; `None` if it has no control plane.
fn target_of(ready: &Value) -> Option<Target> {
    let url = |value: &Value| value.as_str().and_then(address);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let rows = |name: &str| ready[name].as_array().into_iter().flatten();
    Some(Target {
        base_url: url(&ready["baseUrl"]),
        swap_url: url(&ready["swapBaseUrl"]),
        rpc_urls: rows("chains")
            .filter_map(|chain| Some((chain["chainId"].as_u64()?, url(&chain["rpcUrl"])?)))
            .collect(),
        control_url: Some(url(&ready["controlUrl"])?),
        control_token: text(&ready["controlToken"]).map(PrivateKey::new),
        operator_key: text(&ready["operatorKey"]),
        private_keys: rows("accounts")
            .filter_map(|row| text(&row["privateKey"]))
            .map(PrivateKey::new)
            .collect(),
        ..Target::default()
    })
}

/// Plays the steps until one differs from what was expected.
async fn played(teller: &Teller<'_>, target: Target, seed: u64) -> Result<Exit, CommandError> {
    let file = &teller.play.file;
    let mut player = Player::new(World::new(target, seed)?, file.accounts.clone()).await?;
    for (index, step) in file.step.iter().enumerate() {
        let came = player.play(step).await?;
        let is_over = came.is_err();
        teller.tell(index, step, came)?;
        if is_over {
            return teller.end(index, false, seed);
        }
    }
    teller.end(file.step.len(), true, seed)
}

/// Prints the result of each step.
struct Teller<'p> {
    play: &'p WrittenPlay,
    as_json: bool,
    colour: Colour,
}

impl Teller<'_> {
    fn tell(&self, index: usize, step: &StepRow, came: Result<String, Mismatch>) -> Result<(), CommandError> {
        let text = if self.as_json {
            visible_json(&format!("{}\n", self.object(index, step, came)))
        } else {
            format!("{}\n", self.line(index, step, came))
        };
        match output::data(&text) {
            // The exit code reports the result of the play even if nobody reads the output to its end.
            Err(error) if error.is_end_of_reader() => Ok(()),
            written => Ok(written?),
        }
    }

    fn line(&self, index: usize, step: &StepRow, came: Result<String, Mismatch>) -> String {
        let width = self.play.file.step.len().to_string().len();
        let by = step.by.as_deref().map(|by| format!("{by} ")).unwrap_or_default();
        let head = format!("{:>width$}  {}", index + 1, one_line(&format!("{by}{step}")));
        match came {
            Ok(result) => format!("{head} → {}", self.colour.good(&one_line(&result))),
            Err(Mismatch { expected, actual }) => format!(
                "{head} → {}\n{:width$}  expected {}\n{:width$}  actual   {}",
                self.colour.bad(&format!("not as expected, {}", self.place(index))),
                "",
                one_line(&expected),
                "",
                one_line(&actual)
            ),
        }
    }

    fn object(&self, index: usize, step: &StepRow, came: Result<String, Mismatch>) -> Value {
        let mut object = json!({
            "step": index + 1,
            "by": step.by,
            "does": step.to_string(),
            "asExpected": came.is_ok(),
        });
        match came {
            Ok(result) => object["result"] = result.into(),
            Err(Mismatch { expected, actual }) => {
                object["line"] = self.play.line(index).into();
                object["expected"] = expected.into();
                object["actual"] = actual.into();
            }
        }
        object
    }

    fn place(&self, index: usize) -> String {
        one_line(&format!("{}:{}", self.play.path.display(), self.play.line(index)))
    }

    /// Prints the last line, with how many steps were as expected, and returns the exit code.
    fn end(&self, good: usize, is_good: bool, seed: u64) -> Result<Exit, CommandError> {
        let all = self.play.file.step.len();
        let text = if self.as_json {
            format!("{}\n", json!({ "steps": all, "asExpected": good, "seed": seed }))
        } else if is_good {
            format!(
                "{}\n",
                self.colour.good(&format!("{}, all as expected; seed {seed}", counted(all, "step")))
            )
        } else {
            let left = all - good - 1;
            let were = if left == 1 { "was" } else { "were" };
            let text = format!(
                "step {} was not as expected, {left} after it {were} not played; seed {seed}",
                good + 1
            );
            format!("{}\n", self.colour.bad(&text))
        };
        output::judged(&text, if is_good { Exit::Conformant } else { Exit::Failure })
    }
}
