//! The referral programme: codes, registrations, a referrer's earnings, and the top referrers.
pub(crate) mod stats;

use alloy::primitives::Address;
use schemars::JsonSchema;
use serde::Serialize;

use super::Api;
use super::limits::RateLimit;
use super::refusal::Refusal;
use super::schema::{Instant, instant};
use crate::fact::Fact;
use crate::state::figure::Figure;

/// The longest accepted code in bytes, as on the chain.
pub(crate) const LONGEST_CODE: usize = 64;

/// Maximum number of attempts to assign a code if other processes take it first.
const ATTEMPTS: usize = 4;

const MINUTE: u64 = 60;
/// Limit on code requests, for each wallet.
///
/// Clause: REF-CODE-RATE
pub(crate) const CODE_RULE: RateLimit = RateLimit { name: "referral-code-rate", limit: 10, span: MINUTE };
/// Limit on stats reads: per wallet if authenticated, otherwise per IP address.
///
/// Clause: REF-READ-RATE
pub(crate) const STATS_RULE: RateLimit = RateLimit { name: "referral-stats-rate", limit: 30, span: MINUTE };
/// Limit on leaderboard reads, for each IP address.
pub(crate) const LEADERBOARD_RULE: RateLimit =
    RateLimit { name: "referral-leaderboard-rate", limit: 30, span: MINUTE };
/// Limit on registration attempts, for each IP address.
///
/// Clause: REF-REG-RATE
pub(crate) const REGISTER_RULE: RateLimit =
    RateLimit { name: "referral-register-rate", limit: 5, span: MINUTE };

// A wallet's code and its results so far.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ReferralCode")]
pub(crate) struct Code {
    pub code: String,
    created_at: Instant,
    total_referrals: u64,
    active_referrals: u64,
    total_points_earned: Figure,
}

/// The code of a wallet; created if it has none.
///
/// Clause: REF-CODE
pub(crate) async fn code(api: &Api, wallet: Address) -> Result<Code, Refusal> {
    for _ in 0..ATTEMPTS {
        if let Some(record) = record(api, wallet) {
            return Ok(record);
        }
        let stay = api.engine.stay().await;
        let code = api.read().referrals().free_code(wallet);
        let once = format!("referral code {code}");
        let at = api.clock.now();
        api.record(&stay, &Fact::ReferralCode { wallet, code, at }, Some(&once)).await?;
    }
    record(api, wallet).ok_or_else(|| Refusal::unavailable("referral-code-taken", NO_CODE))
}

/// Message of the refusal if a wallet uses its own code.
pub(crate) const ONESELF: &str = "a wallet cannot be its own referrer";
/// Message of the refusal if the wallet has referred the referrer itself.
pub(crate) const CIRCLE: &str = "the referrer was referred by this wallet";
pub(crate) const NO_WALLET: &str = "the zero address and contracts of the platform cannot be registered";
/// Message of the refusal if the referrer cannot be a wallet.
pub(crate) const NO_REFERRER: &str = "the zero address and contracts of the platform cannot be referrers";

/// Message of the refusal if every tried code is taken.
pub(crate) const NO_CODE: &str = "no code could be made";

impl Api {
    /// The code of a wallet, if it has requested one.
    pub(crate) fn referral_code(&self, wallet: Address) -> Option<String> {
        self.read().referrals().code(wallet).map(|issued| issued.code.clone())
    }
}

fn record(api: &Api, wallet: Address) -> Option<Code> {
    let state = api.read();
    let issued = state.referrals().code(wallet)?;
    let totals = stats::totals(state.referrals(), wallet, None);
    Some(Code {
        code: issued.code.clone(),
        created_at: instant(issued.at),
        total_referrals: totals.total_referrals,
        active_referrals: totals.active_referrals,
        total_points_earned: totals.total_points_earned,
    })
}

/// Registers a wallet with the owner of a code; returns the referrer.
///
/// Clause: REF-REG, REF-REG-REQ, REF-BAD
pub(crate) async fn register(api: &Api, wallet: Address, code: &str) -> Result<Address, Refusal> {
    let unknown = || Refusal::not_found("referral-code-unknown", "no wallet has this referral code");
    if code.len() > LONGEST_CODE {
        return Err(unknown());
    }
    let stay = api.engine.stay().await;
    let (referrer, earlier, referred_by) = {
        let state = api.read();
        let referrals = state.referrals();
        let referrer = referrals.owner_of(code).ok_or_else(unknown)?;
        let referred_by = referrals.registration(referrer).map(|registration| registration.referrer);
        (referrer, referrals.registration(wallet), referred_by)
    };
    if !may_take_part(api, wallet) {
        return Err(Refusal::bad_input("referral-no-wallet", NO_WALLET));
    }
    if referrer == wallet {
        return Err(Refusal::bad_input("referral-self", ONESELF));
    }
    if !may_take_part(api, referrer) {
        return Err(Refusal::bad_input("referral-no-referrer", NO_REFERRER));
    }
    if referred_by == Some(wallet) {
        return Err(Refusal::bad_input("referral-circle", CIRCLE));
    }
    let at = api.clock.now();
    let mut transaction = api.engine.write(&stay, at).await?;
    // The referrer may be registering with this wallet right now, in this process or another.
    if let Some(Fact::Referred { referrer: first, .. }) = transaction.fact(&name(referrer)).await?
        && first == wallet
    {
        return Err(Refusal::bad_input("referral-circle", CIRCLE));
    }
    let fact = Fact::Referred { wallet, referrer, at };
    if earlier.is_some() || !api.record_in(transaction, &fact, Some(&name(wallet))).await? {
        return Err(Refusal::conflict("referral-registered", "this wallet is registered already"));
    }
    Ok(referrer)
}

/// The name under which the registration of a wallet is stored.
fn name(wallet: Address) -> String {
    format!("referral of {wallet}")
}

/// Whether an address can be a wallet: neither the zero address nor a contract or token of the platform.
fn may_take_part(api: &Api, address: Address) -> bool {
    !address.is_zero()
        && !api.deployments.values().any(|deployments| deployments.contracts.contains(&address))
        && api.read().token(address).is_none()
}

#[cfg(test)]
mod tests {
    use crate::api::refusal::Reason;
    use alloy::primitives::Address;

    use super::{code, register};
    use crate::api::Api;
    use crate::state::State;

    const NOW: u64 = 1_800_000_000;

    fn wallet(number: u8) -> Address {
        Address::repeat_byte(number)
    }

    #[tokio::test]
    async fn refused_registrations_have_their_own_cause() {
        let api = Api::for_test(State::default(), NOW).await;
        let own = code(&api, wallet(1)).await.unwrap().code;
        let long = "A".repeat(65);
        for (text, expected) in [
            (own.as_str(), (Reason::BadInput, "referral-self")),
            (&wallet(1).to_string(), (Reason::BadInput, "referral-self")),
            ("REF-NOBODYS", (Reason::NotFound, "referral-code-unknown")),
            ("", (Reason::NotFound, "referral-code-unknown")),
            (&long, (Reason::NotFound, "referral-code-unknown")),
        ] {
            let refusal = register(&api, wallet(1), text).await.unwrap_err();
            assert_eq!((refusal.reason, refusal.cause), expected, "{text}");
        }
        assert_eq!(register(&api, wallet(5), &own.to_lowercase()).await, Ok(wallet(1)));
        let zero = Address::ZERO.to_string();
        for (who, text, cause) in [
            (Address::ZERO, own.as_str(), "referral-no-wallet"),
            (wallet(6), &zero, "referral-no-referrer"),
            (wallet(1), &wallet(5).to_string(), "referral-circle"),
        ] {
            let refusal = register(&api, who, text).await.unwrap_err();
            assert_eq!((refusal.reason, refusal.cause), (Reason::BadInput, cause), "{text}");
        }
    }

    #[tokio::test]
    async fn wallets_that_register_with_each_other_at_once_make_no_circle() {
        let api = Api::for_test(State::default(), NOW).await;
        for pair in 0..8 {
            let (one, other) = (wallet(2 * pair + 1), wallet(2 * pair + 2));
            let codes = [code(&api, one).await.unwrap().code, code(&api, other).await.unwrap().code];
            let both = tokio::join!(register(&api, one, &codes[1]), register(&api, other, &codes[0]));
            let refused = [both.0, both.1].into_iter().filter_map(Result::err).map(|refusal| refusal.cause);
            assert_eq!(refused.collect::<Vec<_>>(), ["referral-circle"]);
        }
    }
}
