//! What values must look like: fields of token objects, figures, points in time.
pub(crate) mod bounds;
pub(crate) mod fields;
pub(crate) mod figure;
pub(crate) mod moment;
pub(crate) mod shown;
