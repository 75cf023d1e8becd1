//! Facts: the state is folded from them and from the events of the chains. They are independent of their storage.
use alloy::primitives::{Address, B256};

/// An off-chain record that is part of the platform's state.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(tag = "fact", rename_all = "snake_case")]
pub enum Fact {
    /// The operator removed a token from the usual lists, or restored it.
    TokenDisabled {
        /// The launch token.
        token: Address,
        /// Whether the token is now hidden.
        disabled: bool,
    },
    /// A wallet was given its referral code.
    ReferralCode {
        /// The wallet.
        wallet: Address,
        /// The code.
        code: String,
        /// Time of issue, Unix seconds.
        at: u64,
    },
    /// A wallet registered with its referrer.
    Referred {
        /// The wallet.
        wallet: Address,
        /// The referrer.
        referrer: Address,
        /// Time of the registration, Unix seconds.
        at: u64,
    },
    /// A bearer token was issued to a wallet.
    Bearer {
        /// The wallet.
        wallet: Address,
        /// Hash of the token; the token itself is not stored.
        digest: B256,
    },
}

impl Fact {
    /// Whether it equals an earlier fact except for the times. A seeded market that ends in another hour produces its facts again, with
    /// other times.
    pub(crate) fn restates(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (
                Self::ReferralCode { wallet, code, .. },
                Self::ReferralCode { wallet: other, code: known, .. },
            ) => (wallet, code) == (other, known),
            (
                Self::Referred { wallet, referrer, .. },
                Self::Referred { wallet: other, referrer: known, .. },
            ) => (wallet, referrer) == (other, known),
            _ => self == earlier,
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy::primitives::Address;

    use super::Fact;

    #[test]
    fn facts_of_another_time_are_the_same_and_others_are_not() {
        let referred = |wallet: u8, at| Fact::Referred {
            wallet: Address::repeat_byte(wallet),
            referrer: Address::repeat_byte(9),
            at,
        };
        let code = |code: &str, at| Fact::ReferralCode {
            wallet: Address::repeat_byte(1),
            code: code.to_owned(),
            at,
        };
        assert!(referred(1, 5).restates(&referred(1, 6)) && code("a", 5).restates(&code("a", 6)));
        assert!(!referred(1, 5).restates(&referred(2, 5)) && !code("a", 5).restates(&code("b", 5)));
        assert!(!referred(1, 5).restates(&code("a", 5)));
        let disabled = |disabled| Fact::TokenDisabled { token: Address::repeat_byte(1), disabled };
        assert!(disabled(true).restates(&disabled(true)) && !disabled(true).restates(&disabled(false)));
    }
}
