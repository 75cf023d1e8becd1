//! The exchange of constant-product pairs: the output of a trade, the best route for it, and its rates.
//!
//! Every amount is in the smallest unit of its token. This module does not know names, decimals of tokens or how a trade is sent.
mod graph;
mod pair;
mod quote;
mod route;

pub use graph::{Graph, GraphError, PairView, Reserves, Unquotable};
pub use pair::{
    FEE_DENOMINATOR, FEE_NUMERATOR, MAX_RESERVE, amount_in_up, amount_out_down, least_amount_in_up,
};
pub use quote::{LP_FEE_SCALE, Quote, RATE_SCALE, maximum_in_up, minimum_out_down};
pub use route::{MAX_HOPS, RouteError};
