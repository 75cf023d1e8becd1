//! Files that users write: descriptions of a target, a platform, a market and a play.
pub(crate) mod form;
pub(crate) mod located;
pub(crate) mod market_file;
pub(crate) mod platform_settings;
pub(crate) mod play_file;
pub(crate) mod target_file;
