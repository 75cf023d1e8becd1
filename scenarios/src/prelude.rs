//! Names that nearly every check imports.
pub(crate) use alloy::primitives::{Address, U256};
pub(crate) use serde_json::{Value, json};

pub(crate) use crate::answers::members::parsed;
pub(crate) use crate::answers::reads::{Params, get, param};
pub(crate) use crate::client::account::Account;
pub(crate) use crate::client::message::{Request, Response};
pub(crate) use crate::model::evidence::Evidence;
pub(crate) use crate::model::target::{Need, PRIMARY, SECOND};
pub(crate) use crate::model::verdict::{Inconclusive, Stop, Verdict, need_material, no_material};
pub(crate) use crate::trial::declare::{check, clause, section};
pub(crate) use crate::trial::{Trial, all_settled, judges_as_its_trial};
pub(crate) use crate::truth::reference::{ETHER, ether};
