//! The launch contracts: creation, the curve, graduation, the protected time.
mod creation;
mod curve;
mod graduation;
mod launch_fixture;
mod pool;
mod previews;
mod snipe;
mod solvency;
mod v1;

pub(crate) use curve::gas_of;
pub(crate) use launch_fixture::{ETHER, LaunchFixture, Launched, ether, events_of, plain_launch};

use crate::check::{Check, Lane, Need};

const LAUNCHING: &[Need] = &[Need::Rest, Need::PrimaryChain, Need::Accounts];

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "chain-ids",
        clauses: &["CH-ID"],
        summary: "each RPC reports the chain it was given for",
        lane: Lane::Read,
        needs: &[Need::PrimaryChain, Need::SecondChain],
        run: |world| Box::pin(creation::chain_ids(world)),
    },
    Check {
        id: "chain-launch-stored",
        clauses: &["CH-LAUNCH"],
        summary: "a creation deploys the token, emits it in order and stores the state",
        lane: Lane::Write,
        needs: LAUNCHING,
        run: |world| Box::pin(creation::launch_is_stored(world)),
    },
    Check {
        id: "chain-launch-referral",
        clauses: &["CH-REFERRAL"],
        summary: "a creation with a code emits it when it is not empty, and is else the same",
        lane: Lane::Write,
        needs: LAUNCHING,
        run: |world| Box::pin(creation::referral_is_emitted(world)),
    },
    Check {
        id: "chain-launch-limits",
        clauses: &["CH-LIMITS"],
        summary: "raise, gain, split and start pass at their bounds and are refused by their own errors past them",
        lane: Lane::Read,
        needs: &[Need::Rest, Need::PrimaryChain],
        run: |world| Box::pin(creation::limits_are_kept(world)),
    },
    Check {
        id: "chain-curve-exact",
        clauses: &["CH-CURVE"],
        summary: "seeded purchases and sales equal the reference in previews, moved amounts and state, to the wei",
        lane: Lane::Write,
        needs: LAUNCHING,
        run: |world| Box::pin(curve::curve_is_exact(world)),
    },
    Check {
        id: "chain-first-version-curve",
        clauses: &["CH-CURVE"],
        summary: "previews of the first version equal the reference of its exponential curve",
        lane: Lane::Read,
        needs: &[Need::Rest, Need::PrimaryChain],
        run: |world| Box::pin(v1::curve_is_exponential(world)),
    },
    Check {
        id: "chain-hook-solvent",
        clauses: &["CH-SOLVENT"],
        summary: "after every kind of step the hook holds exactly what it owes and no token is made or lost",
        lane: Lane::Exclusive,
        needs: LAUNCHING,
        run: |world| Box::pin(solvency::hook_stays_solvent(world)),
    },
    Check {
        id: "chain-graduation",
        clauses: &["CH-GRADUATE"],
        summary: "the filling buy opens the pool in its own transaction at the end price, refunding exactly",
        lane: Lane::Write,
        needs: LAUNCHING,
        run: |world| Box::pin(graduation::filling_buy_opens_the_pool(world)),
    },
    Check {
        id: "chain-after-graduation",
        clauses: &["CH-AFTER"],
        summary: "after graduation the curve is closed, the pool trades and the service says so",
        lane: Lane::Write,
        needs: LAUNCHING,
        run: |world| Box::pin(graduation::graduated_launch_trades_in_its_pool(world)),
    },
    Check {
        id: "chain-anti-snipe",
        clauses: &["CH-SNIPE"],
        summary: "in the protected time a trade needs a proof of its own, the creator's first purchase does not",
        lane: Lane::Write,
        needs: LAUNCHING,
        run: |world| Box::pin(snipe::protected_time_is_kept(world)),
    },
    Check {
        id: "chain-first-version",
        clauses: &["CH-V1"],
        summary: "the first version answers reads and trades, takes no new token, and the service agrees with it",
        lane: Lane::Exclusive,
        needs: LAUNCHING,
        run: |world| Box::pin(v1::v1_is_alive(world)),
    },
    Check {
        id: "token-after-launch",
        clauses: &["TOKEN-AFTER-LAUNCH"],
        summary: "the emitted address is readable by the service once the launch is mined",
        lane: Lane::Write,
        needs: LAUNCHING,
        run: |world| Box::pin(creation::token_is_readable_after_launch(world)),
    },
    Check {
        id: "capabilities-hook-launches",
        clauses: &["CAP-HOOK"],
        summary: "the hook that the capabilities name has the named code and takes a launch",
        lane: Lane::Read,
        needs: &[Need::Rest, Need::PrimaryChain],
        run: |world| Box::pin(creation::named_hook_takes_launches(world)),
    },
];
