//! Facts: what the state is folded from besides the events of the chains. They know nothing of their storage.
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

impl Fact {
    /// Whether it adds nothing to an earlier one: it is the same, whenever that happened. A seeded market has its facts again, at other
    /// times, where it ends in another hour.
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
