//! A million seeded states: the hook's own previews, run in this process from the committed artifacts, against the native answer.
use std::thread;

use slipway_contracts::artifacts::Artifacts;
use slipway_math_proofs::cases::Cases;
use slipway_math_proofs::evm::Evm;

use crate::reference_model::agrees_with_the_definition;

const STATES: usize = 1_000_000;
const SEED: u64 = 0x51;

/// The native code, the in-process EVM and the definition of the cost agree to the wei in all four figures of a purchase and of a sale.
#[test]
fn million_states_match_contracts() {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let share = STATES.div_ceil(workers);
    thread::scope(|scope| {
        for worker in 0..workers {
            scope.spawn(move || {
                let mut evm = Evm::deployed(&Artifacts::sound()).unwrap();
                let seed = SEED + u64::try_from(worker).unwrap();
                for case in Cases::new(seed).take(share) {
                    evm.set_case(&case);
                    let native = case.answers();
                    assert_eq!(evm.answers(case.gross, case.tokens).unwrap(), native, "{case:?}");
                    agrees_with_the_definition(&case, &native);
                }
            });
        }
    });
}
