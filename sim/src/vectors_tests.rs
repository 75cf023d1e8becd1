//! Laws that every case obeys.
use super::{CaseKind, Question, Questions, Trade};

#[test]
fn a_seed_decides_the_questions() {
    for kind in CaseKind::ALL {
        let drawn = |seed| Questions::new(kind, seed).take(50).collect::<Vec<_>>();
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_eq!(CaseKind::of(kind.name()), Some(kind));
    }
}

#[test]
fn an_inverse_is_the_least_that_buys_as_much() {
    for question in Questions::new(CaseKind::Inverse, 7).take(2_000) {
        let Question::Inverse { curve, position, tokens } = question else { continue };
        let bought = |cost| curve.buy(position, cost, 0).tokens_out;
        let cost = question.answer().cost;
        assert!(bought(cost) >= tokens, "{question:?}");
        assert!(cost == 0 || bought(cost - 1) < tokens, "{question:?}");
    }
}

#[test]
fn purchases_pay_what_they_cost_and_give_the_rest_back() {
    let (mut bought, mut sold) = (0, 0);
    let asked = |kind| Questions::new(kind, 7).take(2_000);
    for question in asked(CaseKind::Curve).chain(asked(CaseKind::V1)) {
        let (Question::Curve { trade, .. } | Question::V1 { trade, .. }) = question else { continue };
        let answer = question.answer();
        match trade {
            Trade::Buy(gross) => {
                bought += 1;
                assert_eq!(answer.cost + answer.refund, gross, "{question:?}");
            }
            Trade::Sell(_) => sold += 1,
        }
    }
    assert!(bought > 1_000 && sold > 1_000);
}
