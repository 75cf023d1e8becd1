//! Defects of the referral programme and of the leaderboard.
use super::super::Act::{Ask, Tell};
use super::super::referral;
use super::{Seed, seed};

const CODE: &str = "/api/referral/code";
const STATS: &str = "/api/referral/stats";
const REGISTER: &str = "/api/referral/register";
const BOARD: &str = "/api/referral/leaderboard";
const LEADERBOARD: &str = "/api/leaderboard";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("ref-any-bearer", &["REF-AUTH"], "a bearer token that nobody issued is taken", Tell(CODE, referral::any_bearer)),
    seed("ref-missing-400", &["REF-AUTH"], "a missing credential is 400", Tell(STATS, referral::missing_is_bad_input)),
    seed("ref-code-made-again", &["REF-CODE"], "created_at of a code is the time of asking", Tell(CODE, referral::created_now)),
    seed("ref-code-unlimited", &["REF-CODE-RATE"], "codes are told however often they are asked for", Tell(CODE, referral::unlimited)),
    seed("ref-stats-unlimited", &["REF-READ-RATE"], "stats are told however often they are read", Tell(STATS, referral::unlimited)),
    seed("ref-board-no-retry", &["REF-READ-RATE"], "the leaderboard's limit refuses without Retry-After", Tell(BOARD, referral::no_retry_after)),
    seed("ref-register-unlimited", &["REF-REG-RATE"], "an address registers as often as it wants", Tell(REGISTER, referral::unlimited)),
    seed("ref-total-no-launches", &["REF-STATS"], "total_points_earned leaves launches out", Tell(STATS, referral::total_without_creations)),
    seed("ref-period-any", &["REF-STATS"], "an unknown period is taken for all", Ask(STATS, referral::any_period)),
    seed("ref-address-404", &["REF-STATS-ADDR"], "a wallet without referrals is 404", Tell(STATS, referral::nobody_is_unknown)),
    seed("ref-oneself", &["REF-REG"], "a wallet may be its own referrer", Tell(REGISTER, referral::oneself)),
    seed("ref-register-again", &["REF-REG"], "a wallet may register again", Tell(REGISTER, referral::again)),
    seed("ref-board-rank-zero", &["REF-LEAD"], "ranks of referrers begin at 0", Tell(BOARD, referral::rank_from_zero)),
    seed("ref-board-clamped", &["REF-LEAD"], "a limit above 100 is taken for 100", Ask(BOARD, referral::clamp_to_hundred)),
    seed("ref-board-all-time", &["REF-LEAD"], "the leaderboard is that of all time for every period", Ask(BOARD, referral::no_period)),
    seed("ref-trades-net", &["REF-REWARD-BUY", "REF-REWARD-SELL"], "trades earn by their volume less fees", Tell(STATS, referral::trades_net)),
    seed("ref-creation-whole", &["REF-REWARD-CREATE"], "a launch earns its referrer all of its points", Tell(STATS, referral::whole_creation)),
    seed("ref-milestone-tenth", &["REF-REWARD-MILESTONE"], "a milestone earns a tenth", Tell(STATS, referral::tenth_of_milestone)),

    seed("lead-rank-zero", &["LEAD-SHAPE"], "ranks begin at 0", Tell(LEADERBOARD, referral::rank_from_zero)),
    seed("lead-limit-clamped", &["LEAD-SHAPE"], "a limit above 100 is taken for 100", Ask(LEADERBOARD, referral::clamp_to_hundred)),
    seed("lead-no-referrals", &["LEAD-SHAPE"], "points leave out those of referrals", Tell(LEADERBOARD, referral::points_without_referrals)),
    seed("lead-volume-net", &["LEAD-SHAPE"], "volume_eth is net of fees", Tell(LEADERBOARD, referral::volume_net)),
];
