//! Facts: what the state is folded from beside the events of the chains. They say nothing of where they are stored.
use alloy::primitives::{Address, B256};

/// Something that is true of the platform and is not on a chain.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum Fact {
    /// The operator took a token out of the usual lists, or put it back.
    TokenDisabled {
        /// The launch token.
        token: Address,
        /// Whether it is out.
        disabled: bool,
    },
    /// A wallet was given its referral code.
    ReferralCode {
        /// The wallet.
        wallet: Address,
        /// The code.
        code: String,
        /// When, Unix seconds.
        at: u64,
    },
    /// A wallet registered with its referrer.
    Referred {
        /// The wallet.
        wallet: Address,
        /// Who referred it.
        referrer: Address,
        /// When, Unix seconds.
        at: u64,
    },
    /// A bearer token was issued to a wallet.
    Bearer {
        /// The wallet.
        wallet: Address,
        /// Hash of the token; the token itself is kept nowhere.
        digest: B256,
    },
}
