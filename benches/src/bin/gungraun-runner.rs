//! The runner of the instruction counts, of the version that `Cargo.lock` names: it starts valgrind and reads what valgrind counted.
use std::process::Termination;

fn main() -> impl Termination {
    gungraun_runner::runner::run::run()
}
