//! Questions on both curves.
use slipway_math::exponential;
use slipway_math_proofs::cases::{Case, Cases};
use slipway_math_proofs::v1_cases::{V1Case, V1Cases};

/// A case and its purchase net of fees.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// A launch on its curve, with the amounts of the question.
    pub case: Case,
    /// Wei of the purchase after the fees.
    pub net: u128,
}

impl Question {
    /// Token units, cost and refund of the purchase.
    #[must_use]
    #[inline]
    pub fn buy(&self) -> [u128; 3] {
        let bought = self.case.curve.buy_net(self.case.position, self.net);
        [bought.tokens_out, bought.net, bought.refund]
    }

    /// Wei that the sale pays out.
    #[must_use]
    #[inline]
    pub fn sell(&self) -> u128 {
        let Case { curve, position, tokens, split_bps, .. } = &self.case;
        curve.sell(*position, *tokens, *split_bps).expect("a case sells at most what is sold").payout
    }

    /// Token units sold once the purchase is paid for: the inverse of the cost.
    #[must_use]
    #[inline]
    pub fn inverse(&self) -> u128 {
        self.case.curve.sold_down(self.case.position.contributions + self.net)
    }
}

/// The first questions of the sequence that every measurement uses.
#[must_use]
pub fn questions(count: usize) -> Vec<Question> {
    let cases = Cases::new(7).take(count);
    cases.map(|case| Question { net: case.gross - 2 * (case.gross / 100), case }).collect()
}

/// The same number of questions on the V1 curve.
#[must_use]
pub fn v1_questions(count: usize) -> Vec<V1Case> {
    V1Cases::new(7).take(count).collect()
}

/// Token units, cost and refund of a purchase on the curve of V1.
#[must_use]
#[inline]
pub fn v1_buy(case: &V1Case) -> [u128; 3] {
    let bought = exponential::buy(case.position, case.gross);
    [bought.tokens_out, bought.cost, bought.refund]
}
