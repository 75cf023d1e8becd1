//! What nearly every check needs by name.
pub(crate) use alloy::primitives::{Address, U256};
pub(crate) use serde_json::{Value, json};

pub(crate) use crate::client::account::Account;
pub(crate) use crate::client::message::{Request, Response};
pub(crate) use crate::declare::{check, clause, section};
pub(crate) use crate::evidence::Evidence;
pub(crate) use crate::expect::fields::parsed;
pub(crate) use crate::reads::{Params, get, param};
pub(crate) use crate::reference::{ETHER, ether};
pub(crate) use crate::target::{Need, PRIMARY, SECOND};
pub(crate) use crate::trial::{Trial, all_settled, judges_as_its_trial};
pub(crate) use crate::verdict::{Inconclusive, Stop, Verdict, need_material, no_material};
