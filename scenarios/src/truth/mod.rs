//! What answers are compared with: the chain read independently, the mathematics written a second time, and a market that does not move.
pub(crate) mod history;
pub(crate) mod ledger;
pub(crate) mod market;
pub mod reference;
pub(crate) mod steady;
