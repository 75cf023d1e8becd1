//! `slipway drill`: the drill notices what it must, and can itself fail.
use crate::program::{expect_code, json};

#[test]
fn a_defect_is_caught_by_the_checks_of_its_clause() {
    let drill = json(&expect_code(&["drill", "--json", "--only", "list-count-*"], 0));
    assert_eq!(drill["summary"]["missed"], 0, "{drill:#}");
    assert!(drill["summary"]["caught"].as_u64().unwrap() > 0);
}

/// The control: with nothing broken, the drill must say that nothing was noticed.
#[test]
fn a_defect_nobody_notices_fails_the_self_check() {
    let drill = json(&expect_code(&["drill", "--json", "--only", "control"], 5));
    assert_eq!(drill["summary"]["missed"], 1);
}
