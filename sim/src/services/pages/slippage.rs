//! Slippage: the maximum by which a trade's output may fall below its quote.
use alloy::primitives::U256;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;

use super::amount::exact;
use crate::api::market::SLIPPAGE_BPS;

const CHOICES: [(&str, u16); 4] = [("50", 50), ("100", 100), ("300", 300), ("1000", 1_000)];

/// Slippage in basis points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
#[schemars(with = "String", extend("enum" = CHOICES.map(|(word, _)| word), "x-cause" = "page-slippage"))]
pub(super) struct Slippage(pub(super) u16);

impl TryFrom<String> for Slippage {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        let choice = CHOICES.iter().find(|(word, _)| *word == text);
        choice.map(|(_, bps)| Self(*bps)).ok_or("no choice of the form")
    }
}

impl Default for Slippage {
    fn default() -> Self {
        Self(SLIPPAGE_BPS)
    }
}

impl Slippage {
    /// The form's field.
    pub(super) fn field(self) -> Markup {
        html! {
            label {
                "Slippage"
                select name="slippage" {
                    @for (word, bps) in CHOICES { option value=(word) selected[bps == self.0] { (Self(bps).percent()) } }
                }
            }
        }
    }

    pub(super) fn percent(self) -> String {
        format!("{} %", exact(U256::from(self.0), 2))
    }
}
