//! The sources of expected values: the chain read independently, the mathematics implemented a second time, and a market at rest.
pub(crate) mod history;
pub(crate) mod ledger;
pub(crate) mod market;
pub mod reference;
pub(crate) mod steady;
