//! What values must look like: fields of token objects, figures, points in time, refusals.
pub mod bounds;
pub mod fields;
pub mod figure;
pub mod moment;
pub mod refusal;
