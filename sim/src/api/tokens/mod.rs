//! Queries over launch tokens: the list with its filters, an owner's tokens, a batch by address, recent launches, one token.
pub mod batch;
pub mod filter;
pub mod list;
pub mod owner;
pub mod recent;
pub mod view;

// Values of the fold that the queries return.
pub(crate) use crate::state::token::{DAY, Pool, SUPPLY, Token, Version, WHOLE};
pub(crate) use crate::state::trades::Candle;
