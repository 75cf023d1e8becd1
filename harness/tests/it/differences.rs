//! A difference ends no check: a broken clause behind it is found in the same run.
use crate::program::{expect_code, json};

/// The first finding of each check is permitted on a legal platform, and the later one is a seeded defect.
#[test]
fn what_is_behind_a_difference_is_found() {
    let first = "an activity that took place";
    let rows = [
        ("fig-ref", "lie-referral-joined-at", first, "joined_at from "),
        ("fig-periods", "ref-month-of-all", first, "total_points_earned = 0"),
        ("fig-credit", "ref-later-trades-unpaid", first, "points_from_trading = "),
        ("koti-top", "koti-wrapped-coarse", "a field ", "funding_progress = "),
    ];
    let mut options = vec!["check", "--json", "--differences", "--defect", "lie-referral-type"];
    for (check, defect, ..) in rows {
        options.extend(["--only", check, "--defect", defect]);
    }
    let report = json(&expect_code(&options, 1));
    for (check, _, first, behind) in rows {
        let row = report["checks"].as_array().unwrap().iter().find(|row| row["id"] == check).unwrap();
        let found = row["differences"].as_array().unwrap();
        let expected: Vec<&str> = found.iter().filter_map(|one| one["expected"].as_str()).collect();
        for text in [first, behind] {
            assert!(expected.iter().any(|one| one.contains(text)), "{check}, {text}: {expected:#?}");
        }
    }
}
