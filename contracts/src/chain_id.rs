//! The chains of the platform, by number. Leaves out their addresses.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The number of a chain as EIP-155 defines it. JSON: a number.
///
/// Clause: CH-ID
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChainId(pub u64);

impl ChainId {
    /// The chain with native ether as quote asset and with the exchange.
    pub const PRIMARY: Self = Self(57_073);
    /// The chain with tokenized stocks.
    pub const SECOND: Self = Self(4_663);
    /// Both chains, the primary first.
    pub const ALL: [Self; 2] = [Self::PRIMARY, Self::SECOND];

    /// The platform's chain with this decimal number.
    #[must_use]
    pub fn named(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|chain| chain.to_string() == text)
    }
}

impl fmt::Display for ChainId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, formatter)
    }
}
