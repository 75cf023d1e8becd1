//! Random trades, jumps, checkpoints and reverts of three accounts on one launch: the platform agrees with the mathematics. A failure is
//! shrunk to its shortest play, which is written to a file and replayed from it.
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestError, TestRunner};
use serde_json::Value;
use slipway_contracts::Quantity;
use slipway_math::curve::{Curve, MINIMUM_SELL, Position};
use slipway_scenarios::client::control::Control;
use slipway_scenarios::model::target::PrivateKey;
use slipway_scenarios::play::{PlayFile, Player};
use slipway_scenarios::{Target, World};
use tokio::runtime::Runtime;

use super::{printed, text};
use crate::program::Running;

const CASES: u32 = 8;
const ETHER: u128 = 1_000_000_000_000_000_000;
const GAIN_BPS: u32 = 50_000;
const SPLIT_BPS: u16 = 5_000;
const NAMES: [&str; 3] = ["alice", "bob", "carol"];

/// One step; an impossible one is left out.
#[derive(Clone, Copy, Debug)]
enum Move {
    /// For this many hundredths of an ether.
    Buy(usize, u16),
    /// This percentage of the account's tokens.
    Sell(usize, u16),
    Jump(u16),
    Checkpoint,
    /// To one of the existing checkpoints.
    Revert(prop::sample::Index),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        5 => (0..NAMES.len(), 1..=30_u16).prop_map(|(account, hundredths)| Move::Buy(account, hundredths)),
        4 => (0..NAMES.len(), 1..=100_u16).prop_map(|(account, percent)| Move::Sell(account, percent)),
        1 => (1..7_200_u16).prop_map(Move::Jump),
        1 => Just(Move::Checkpoint),
        1 => any::<prop::sample::Index>().prop_map(Move::Revert),
    ];
    prop::collection::vec(one, 1..10)
}

/// The expected state after each step.
#[derive(Clone, Copy, Debug, Default)]
struct Model {
    position: Position,
    held: [u128; NAMES.len()],
    trades: u64,
}

impl Model {
    /// Makes a move and returns its line of the step; `None` if it is impossible.
    fn take(
        &mut self,
        curve: &Curve,
        one: Move,
        kept: &mut Vec<(String, Self)>,
        count: usize,
    ) -> Option<String> {
        let by = |account: usize| format!("by = \"{}\"\ntoken = \"LAW\"\n", NAMES[account]);
        match one {
            Move::Buy(account, hundredths) => {
                let gross = u128::from(hundredths) * ETHER / 100;
                if self.position.contributions + gross >= curve.target_raise() {
                    return None;
                }
                let bought = curve.buy(self.position, gross, SPLIT_BPS);
                self.position = bought.position_after;
                self.held[account] += bought.tokens_out;
                self.trades += 1;
                Some(format!("{}buy = \"{}\"", by(account), Quantity::of_atto(gross)))
            }
            Move::Sell(account, percent) => {
                let tokens = self.held[account] / 100 * u128::from(percent);
                if tokens < MINIMUM_SELL {
                    return None;
                }
                self.position = curve.sell(self.position, tokens, SPLIT_BPS).ok()?.position_after;
                self.held[account] -= tokens;
                self.trades += 1;
                Some(format!("{}sell = \"{}\"", by(account), Quantity::of_atto(tokens)))
            }
            Move::Jump(seconds) => Some(format!("jump = {seconds}")),
            Move::Checkpoint => {
                let name = format!("after {count}");
                kept.push((name.clone(), *self));
                Some(format!("checkpoint = \"{name}\""))
            }
            Move::Revert(which) => {
                let place = which.index(kept.len().max(1));
                let (name, then) = kept.get(place)?.clone();
                kept.truncate(place + 1);
                *self = then;
                Some(format!("revert = \"{name}\""))
            }
        }
    }

    /// The law: the curve holds everything paid in less the fees, and every account holds the tokens that it bought.
    fn expected(&self) -> String {
        // The launch raises one ether: a hundredth of it is one percent.
        let progress = Quantity::of_atto(self.position.contributions * 100);
        let holders = self.held.iter().filter(|held| **held > 0).count();
        let trades = self.trades;
        let mut steps = format!(
            "\n[[step]]\ntoken = \"LAW\"\nexpect = {{ progress = \"{progress}\", holders = {holders}, trades = {trades} }}\n"
        );
        for (name, held) in NAMES.iter().zip(self.held) {
            let held = Quantity::of_atto(held);
            let _ = write!(
                steps,
                "\n[[step]]\nby = \"{name}\"\ntoken = \"LAW\"\nexpect = {{ balance = \"{held}\" }}\n"
            );
        }
        steps
    }
}

/// The play of these moves, with the law checked after each.
fn play(moves: &[Move]) -> String {
    let curve = Curve::new(ETHER, GAIN_BPS).unwrap();
    let (mut model, mut kept) = (Model::default(), Vec::new());
    let mut text = String::from("[accounts]\n");
    for (number, name) in NAMES.iter().enumerate() {
        let _ = writeln!(text, "{name} = {number}");
    }
    text.push_str("\n[[step]]\nby = \"alice\"\nlaunch = { ticker = \"LAW\", raise = 1 }\n");
    for (count, one) in moves.iter().enumerate() {
        if let Some(step) = model.take(&curve, *one, &mut kept, count) {
            let _ = write!(text, "\n[[step]]\n{step}\n{}", model.expected());
        }
    }
    text
}

fn target(ready: &Value) -> Target {
    let url = |value: &Value| value.as_str().unwrap().parse().unwrap();
    let rows = |name: &str| ready[name].as_array().unwrap().iter();
    let key = |row: &Value| PrivateKey::new(row["privateKey"].as_str().unwrap());
    Target {
        base_url: Some(url(&ready["baseUrl"])),
        rpc_urls: rows("chains").map(|row| (row["chainId"].as_u64().unwrap(), url(&row["rpcUrl"]))).collect(),
        control_url: Some(url(&ready["controlUrl"])),
        private_keys: rows("accounts").map(key).collect(),
        ..Target::default()
    }
}

/// Runs the play, and reverts it.
async fn holds(world: &World, text: &str) -> Result<(), TestCaseError> {
    let file: PlayFile = toml::from_str(text).unwrap();
    file.check().unwrap();
    let control: Control = world.control().unwrap();
    let before = control.checkpoint().await.unwrap();
    let mut player = Player::new(world.clone(), file.accounts.clone()).await.unwrap();
    let mut ended = Ok(());
    for step in &file.step {
        if let Err(mismatch) = player.play(step).await.unwrap() {
            ended = Err(TestCaseError::fail(format!("{step}: {mismatch:?}")));
            break;
        }
    }
    control.revert(&before).await.unwrap();
    ended
}

/// Runs random plays on a platform with these options. The shortest failing one is written to a file, whose path and reason are the error.
fn tried(options: &[&str], path: &Path) -> Result<(), String> {
    let options = [&["--market", "empty", "--clock", "fixed", "--no-trailing-blocks"], options].concat();
    let running = Running::up(&options);
    let runtime = Runtime::new().unwrap();
    let _entered = runtime.enter();
    let world = World::new(target(&running.ready()), 1).unwrap();
    let config =
        Config { cases: CASES, failure_persistence: None, max_shrink_iters: 200, ..Config::default() };
    let ran = TestRunner::new(config).run(&moves(), |moves| runtime.block_on(holds(&world, &play(&moves))));
    match ran {
        Ok(()) => Ok(()),
        Err(TestError::Fail(reason, moves)) => {
            fs::write(path, play(&moves)).unwrap();
            Err(format!("{reason}\n`slipway play {}` replays it", path.display()))
        }
        Err(TestError::Abort(reason)) => Err(reason.to_string()),
    }
}

fn shrunk(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn random_plays_keep_the_law_of_the_curve() {
    tried(&[], &shrunk("law-of-the-curve.toml")).unwrap_or_else(|failure| panic!("{failure}"));
}

/// A platform that shows half the progress fails after a single purchase, which the written play replays.
#[test]
fn a_failure_is_shrunk_to_a_play_that_replays_it() {
    const DEFECT: [&str; 2] = ["--defect", "lie-funding-progress"];
    let path = shrunk("half-the-progress.toml");
    let failure = tried(&DEFECT, &path).unwrap_err();
    assert!(failure.contains(&format!("slipway play {}", path.display())), "{failure}");
    let file: PlayFile = toml::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    let trades: Vec<String> = file.step.iter().map(ToString::to_string).collect();
    assert_eq!(file.step.len(), 6, "{trades:?}");
    assert_eq!(trades[..2], ["launch LAW on 57073", "buy LAW for 0.01 ETH"]);
    let played = printed(&[text(&path), DEFECT[0], DEFECT[1]], 1);
    assert!(played.contains("expected progress 0.98\n"), "{played}");
    assert!(played.contains("actual   progress 0.49\n"), "{played}");
    printed(&[text(&path)], 0);
}
