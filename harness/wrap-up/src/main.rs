//! Lists the skipped tests of a run. cargo runs packages in the order of their names, and this one is the last.
#![expect(clippy::print_stdout, reason = "what the run has to say goes where the results of its tests go")]

fn main() {
    print!("{}", slipway_test_support::take_skipped());
}
