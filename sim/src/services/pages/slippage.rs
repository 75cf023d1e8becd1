//! How much less than its quote a trade may give.
use alloy::primitives::U256;
use maud::{Markup, html};

use super::amount::exact;
use crate::api::market::SLIPPAGE_BPS;
use crate::api::refusal::Refusal;
use crate::services::input::{DefaultTo, Input, OneOf, Query};

const CHOICES: [(&str, u16); 4] = [("50", 50), ("100", 100), ("300", 300), ("1000", 1_000)];
const INPUT: Input<OneOf<u16>, DefaultTo<u16>> = Input {
    name: "slippage",
    cause: "page-slippage",
    meaning: "basis points that a trade may give less than its quote",
    kind: OneOf(&CHOICES),
    presence: DefaultTo(SLIPPAGE_BPS),
};

/// Basis points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slippage(pub(super) u16);

impl Slippage {
    pub(super) fn asked(query: &Query<'_>) -> Result<Self, Refusal> {
        query.read(&INPUT).map(Self)
    }

    /// The field of a form.
    pub(super) fn field(self) -> Markup {
        html! {
            label {
                "Slippage"
                select name=(INPUT.name) {
                    @for (word, bps) in CHOICES { option value=(word) selected[bps == self.0] { (Self(bps).percent()) } }
                }
            }
        }
    }

    pub(super) fn percent(self) -> String {
        format!("{} %", exact(U256::from(self.0), 2))
    }
}
