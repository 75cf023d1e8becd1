//! Validates a play file before anything is started.
use std::collections::BTreeSet;
use std::fmt;

use slipway_contracts::Quantity;

use super::file::{ACTS, Act, PlayFile, StepRow};
use crate::model::target::CHAINS;

/// Most steps of a play.
const MOST_STEPS: usize = 10_000;
/// Most blocks that a step mines or takes back.
pub(super) const MOST_BLOCKS: u64 = 1_000;
/// Number of accounts in the ready line.
const ACCOUNTS: u8 = 10;
/// Most characters of an account's or checkpoint's name.
const LONGEST_NAME: usize = 100;
/// Far above what the contract accepts, and below what its type can hold.
const MOST_RAISE: Quantity = Quantity::of_whole(1_000_000_000);

/// An error in a play file: the place and the reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", Words(path))]
pub struct WrongPlay {
    path: Vec<String>,
    reason: String,
}

/// Formats a place as `step 3, buy: `; steps count from 1.
struct Words<'p>(&'p [String]);

impl fmt::Display for Words<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, part) in self.0.iter().enumerate() {
            match part.parse::<usize>() {
                Ok(index) => write!(formatter, " {}", index + 1)?,
                Err(_) if place == 0 => formatter.write_str(part)?,
                Err(_) => write!(formatter, ", {part}")?,
            }
        }
        if self.0.is_empty() { Ok(()) } else { formatter.write_str(": ") }
    }
}

impl WrongPlay {
    fn new(path: &[&str], reason: impl Into<String>) -> Self {
        Self { path: path.iter().map(ToString::to_string).collect(), reason: reason.into() }
    }

    /// Returns the place as keys and indexes from 0, for example `step`, `2`, `buy`.
    pub fn path(&self) -> impl Iterator<Item = String> + '_ {
        self.path.iter().cloned()
    }
}

impl PlayFile {
    /// Checks that every step can be played.
    ///
    /// # Errors
    /// Fails with the first place that cannot be played.
    pub fn check(&self) -> Result<(), WrongPlay> {
        for (name, number) in &self.accounts {
            is_named(&["accounts", name], name)?;
            if *number >= ACCOUNTS {
                return Err(WrongPlay::new(&["accounts", name], format!("it is from 0 to {}", ACCOUNTS - 1)));
            }
        }
        if self.step.len() > MOST_STEPS {
            let reason = format!("there are {} steps; {MOST_STEPS} is the most", self.step.len());
            return Err(WrongPlay::new(&["step"], reason));
        }
        if self.step.is_empty() {
            return Err(WrongPlay::new(&[], "it has no step; write [[step]]"));
        }
        let mut checkpoints = BTreeSet::new();
        for (index, step) in self.step.iter().enumerate() {
            let place = Place { index: index.to_string(), step };
            place.judge()?;
            place.judge_checkpoints(&mut checkpoints)?;
        }
        Ok(())
    }
}

struct Place<'f> {
    index: String,
    step: &'f StepRow,
}

impl Place<'_> {
    fn wrong<T>(&self, field: &[&str], reason: impl Into<String>) -> Result<T, WrongPlay> {
        Err(WrongPlay::new(&[&["step", &self.index], field].concat(), reason))
    }

    fn judge(&self) -> Result<(), WrongPlay> {
        let acts: Vec<_> = self.step.acts().collect();
        let (name, act) = match acts[..] {
            [] => return self.wrong(&[], format!("it does nothing; there are {ACTS}")),
            [only] => only,
            [(first, _), (second, _), ..] => {
                return self
                    .wrong(&[second], format!("a step does one thing, and this one has {first} already"));
            }
        };
        self.judge_sides(name, act)?;
        self.judge_values(act)
    }

    /// Checks that a step has the account, token and chain that its act needs, and none that it does not use.
    fn judge_sides(&self, name: &str, act: Act<'_>) -> Result<(), WrongPlay> {
        let is_trade = matches!(act, Act::Buy(_) | Act::Sell(_) | Act::To(_));
        let is_balance = matches!(act, Act::Expect(expected) if expected.balance.is_some());
        let is_expectation = matches!(act, Act::Expect(_));
        let acts = is_trade || is_balance || matches!(act, Act::Launch(_) | Act::Chat(_));
        let names_token = is_trade || is_expectation || matches!(act, Act::Chat(_));
        let needs_token = names_token && (!is_balance || self.is_about_record());
        let on_chain = matches!(act, Act::Wait(_) | Act::Height(_) | Act::Reorg(_))
            || is_balance && self.step.token.is_none();
        match &self.step.by {
            None if acts => return self.wrong(&[name], "`by` says which account it is"),
            Some(_) if !acts => return self.wrong(&["by"], format!("{name} is done by no account")),
            Some(by) => is_named(&["step", &self.index, "by"], by)?,
            None => {}
        }
        match &self.step.token {
            None if needs_token => return self.wrong(&[name], "`token` says which token it is"),
            Some(_) if !names_token => return self.wrong(&["token"], format!("{name} concerns no token")),
            Some(token) if token.is_empty() => return self.wrong(&["token"], "it is empty"),
            _ => {}
        }
        if self.step.chain.is_some() && !on_chain {
            return self.wrong(&["chain"], format!("{name} takes no chain here"));
        }
        if self.step.captcha && !is_trade {
            return self.wrong(&["captcha"], format!("{name} is no trade"));
        }
        self.is_chain(&["chain"], self.step.chain())
    }

    fn is_about_record(&self) -> bool {
        self.step.expect.as_ref().is_some_and(super::file::ExpectTable::is_about_record)
    }

    fn judge_values(&self, act: Act<'_>) -> Result<(), WrongPlay> {
        match act {
            Act::Launch(launch) => {
                self.is_chain(&["launch", "chain"], launch.chain())?;
                if launch.ticker.is_empty() {
                    return self.wrong(&["launch"], "`ticker` says how later steps name it");
                }
                match launch.raise {
                    Some(raise) if raise > MOST_RAISE => {
                        self.wrong(&["launch", "raise"], format!("it is at most {MOST_RAISE}"))
                    }
                    _ => Ok(()),
                }
            }
            Act::To(percent) if percent > Quantity::of_whole(100) => self.wrong(&["to"], "it is at most 100"),
            Act::Wait(blocks) => self.is_bounded("wait", blocks),
            Act::Reorg(depth) => self.is_bounded("reorg", depth),
            Act::Fault(fault) => {
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
                let name = fault.name();
                if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(is_plain) {
                    let reason = format!("1 to {LONGEST_NAME} letters, digits, dots, dashes and underscores");
                    return self.wrong(&["fault", "name"], reason);
                }
                let effect = &fault.effect;
                let given = [effect.status.is_some(), effect.delay_milliseconds.is_some(), effect.cut];
                match given.into_iter().filter(|given| *given).count() {
                    1 => Ok(()),
                    _ => self.wrong(&["fault", "effect"], "it is one of status, delay-milliseconds and cut"),
                }
            }
            Act::Expect(expected) => {
                let is_empty = *expected == super::file::ExpectTable::default();
                match (&self.step.fails, is_empty) {
                    (None, true) => self.wrong(&["expect"], "it compares nothing"),
                    (Some(_), false) => {
                        self.wrong(&["fails"], "a refused read shows nothing: write expect = {}")
                    }
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    fn judge_checkpoints(&self, known: &mut BTreeSet<String>) -> Result<(), WrongPlay> {
        if let Some(name) = &self.step.checkpoint {
            is_named(&["step", &self.index, "checkpoint"], name)?;
            if !known.insert(name.clone()) {
                return self.wrong(&["checkpoint"], format!("there is a checkpoint {name:?} already"));
            }
        }
        match &self.step.revert {
            Some(name) if !known.contains(name) => {
                let known: Vec<&str> = known.iter().map(String::as_str).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                self.wrong(
                    &["revert"],
                    format!("there is no checkpoint {name:?} before it; there are {known}"),
                )
            }
            _ => Ok(()),
        }
    }

    fn is_bounded(&self, field: &str, blocks: u64) -> Result<(), WrongPlay> {
        if (1..=MOST_BLOCKS).contains(&blocks) {
            return Ok(());
        }
        self.wrong(&[field], format!("it is from 1 to {MOST_BLOCKS}"))
    }

    fn is_chain(&self, field: &[&str], chain: u64) -> Result<(), WrongPlay> {
        if CHAINS.contains(&chain) {
            return Ok(());
        }
        let [primary, second] = CHAINS;
        self.wrong(field, format!("there is no chain {chain}; there are {primary} and {second}"))
    }
}

fn is_named(path: &[&str], name: &str) -> Result<(), WrongPlay> {
    if (1..=LONGEST_NAME).contains(&name.chars().count()) {
        return Ok(());
    }
    Err(WrongPlay::new(path, format!("a name has 1 to {LONGEST_NAME} characters")))
}
