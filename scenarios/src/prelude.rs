//! What nearly every check needs by name.
pub(crate) use alloy::primitives::{Address, U256};
pub(crate) use serde_json::{Value, json};

pub(crate) use crate::check::{Inconclusive, Need, Stop, Verdict, need_material, no_material};
pub(crate) use crate::clause::{check, clause, section};
pub(crate) use crate::client::account::Account;
pub(crate) use crate::client::http::{Request, Response};
pub(crate) use crate::expect::fields::parsed;
pub(crate) use crate::reads::{Params, get, param};
pub(crate) use crate::sections::chain::ether;
pub(crate) use crate::trial::{Evidence, Trial, all_settled, judges_as_its_trial};
pub(crate) use crate::world::{PRIMARY, SECOND};
