//! Plays: scenarios as files, played on any platform that has a control plane.
mod check;
mod expect;
mod file;
mod player;
mod refusal;
mod trade;

pub use check::WrongPlay;
pub use file::{EffectTable, ExpectTable, FailsWith, FaultTable, FieldValue, LaunchTable, PlayFile, StepRow};
pub use player::{Mismatch, Player};
