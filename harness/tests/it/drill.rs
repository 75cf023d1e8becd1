//! `slipway drill`: the drill notices what it must, and can itself fail.
use crate::program::{expect_code, json, listed};

/// Every seeded defect reddens the checks of its clauses and no other of them, and no check is without a defect.
#[test]
fn every_defect_is_caught_and_every_check_is_proven() {
    let drill = json(&expect_code(&["drill", "--json"], 0));
    let summary = &drill["summary"];
    for nothing in ["missed", "undeclared", "unproven", "notGreen"] {
        assert_eq!(summary[nothing], 0, "{drill:#}");
    }
    assert_eq!(summary["caught"], listed(&["--defects"]));
}

/// The control: with nothing broken, the drill must say that nothing was noticed.
#[test]
fn a_defect_nobody_notices_fails_the_self_check() {
    let drill = json(&expect_code(&["drill", "--json", "--only", "control"], 5));
    assert_eq!(drill["summary"]["missed"], 1);
}
