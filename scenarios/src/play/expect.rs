//! Expectations of a play: values of the services and nodes compared with given ones.
use alloy::primitives::U256;
use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::Signed as _;
use serde_json::Value;
use slipway_contracts::Quantity;

use super::file::{ExpectTable, FieldValue, StepRow};
use super::player::Player;
use super::refusal::{Halt, Refusal};
use super::trade::units;
use crate::answers::reads::{get, param, record};
use crate::client::paths::TOKEN;
use crate::client::wire::Token;
use crate::model::figure::{Figure, decimal_text, rational};

/// An expected value of a record's field.
struct Expected<'e> {
    /// The field's name in the step.
    name: &'e str,
    field: &'e str,
    value: FieldValue,
    /// Units of the step per unit of the record: progress is in percent.
    scale: u32,
}

impl Player {
    pub(super) async fn expect(&mut self, step: &StepRow, table: &ExpectTable) -> Result<String, Halt> {
        let mut agreed = Vec::new();
        if table.is_about_record() || step.fails.is_some() {
            let token = self.token(step).await?;
            let query = [param("address", token.address.to_string())];
            let answer = self.asked(get(self.world.rest()?, TOKEN, &query)).await?;
            let shown = record(&answer.json().unwrap_or_default(), token.address);
            for expected in expectations(table) {
                agreed.push(expected.compared(&shown[expected.field])?);
            }
        }
        if let Some(balance) = table.balance {
            agreed.push(self.expect_balance(step, balance).await?);
        }
        Ok(if agreed.is_empty() { "it is shown".to_owned() } else { agreed.join(", ") })
    }

    async fn expect_balance(&mut self, step: &StepRow, balance: Quantity) -> Result<String, Halt> {
        let (found, unit) = match &step.token {
            None => {
                let holder = self.account(step, step.chain()).await?.address();
                (self.world.chain(step.chain())?.balance(holder).await?, "ETH")
            }
            Some(name) => {
                let token = self.token(step).await?;
                let account = self.account(step, token.chain_id).await?.address();
                let call = Token::balanceOfCall { account };
                let held = self.world.chain(token.chain_id)?.call(token.address, &call).await?;
                (held.map_err(|error| Halt::Refused(Refusal::of_node(&error)))?, name.as_str())
            }
        };
        if found == U256::from(balance.atto()) {
            return Ok(format!("balance {balance} {unit}"));
        }
        Err(Halt::differs(format!("balance {balance} {unit}"), format!("balance {} {unit}", units(found))))
    }
}

/// Returns the expectations on the record of a token.
fn expectations(table: &ExpectTable) -> Vec<Expected<'_>> {
    let decimal = |value: Quantity| FieldValue::Text(value.to_string());
    let named = [
        ("price", "price_eth", table.price.map(decimal), 1),
        ("market-cap", "market_cap", table.market_cap.map(decimal), 1),
        ("progress", "funding_progress", table.progress.map(decimal), 100),
        ("holders", "total_holders", table.holders.map(FieldValue::Number), 1),
        ("trades", "txns_total", table.trades.map(FieldValue::Number), 1),
        ("graduated", "is_graduated", table.graduated.map(FieldValue::Flag), 1),
    ];
    let named = named
        .into_iter()
        .filter_map(|(name, field, value, scale)| Some(Expected { name, field, value: value?, scale }));
    let others = table.record.iter();
    let others = others.map(|(name, value)| Expected { name, field: name, value: value.clone(), scale: 1 });
    named.chain(others).collect()
}

impl Expected<'_> {
    /// Returns the name with the value if the platform shows it.
    fn compared(&self, shown: &Value) -> Result<String, Halt> {
        let Self { name, value, .. } = self;
        let agrees = match (value, shown) {
            (FieldValue::Flag(flag), Value::Bool(shown)) => flag == shown,
            (FieldValue::Number(_) | FieldValue::Text(_), Value::Number(shown)) => {
                self.is_shown_by(&shown.to_string())
            }
            (FieldValue::Number(number), Value::String(shown)) => number.to_string() == *shown,
            (FieldValue::Text(text), Value::String(shown)) => text == shown || is_same_hex(text, shown),
            _ => false,
        };
        if agrees {
            return Ok(format!("{name} {value}"));
        }
        Err(Halt::differs(format!("{name} {value}"), format!("{name} {}", self.told(shown))))
    }

    /// Whether a service shows the number: exactly, or to at least nine digits.
    fn is_shown_by(&self, shown: &str) -> bool {
        let expected = rational(&self.value.to_string());
        let Some((expected, figure)) = expected.zip(Figure::parse(shown)) else { return false };
        let expected = expected / BigInt::from(self.scale);
        let (apart, place) = ((&expected - figure.value()).abs(), figure.last_place());
        let smaller = expected.abs().min(figure.value().abs());
        expected == *figure.value() || apart < place && place * BigInt::from(10).pow(8) <= smaller
    }

    /// Returns what the platform shows, in the unit of the step.
    fn told(&self, shown: &Value) -> String {
        let scaled = |number: &serde_json::Number| {
            let value: BigRational = rational(&number.to_string())? * BigInt::from(self.scale);
            Some(decimal_text(&value))
        };
        match shown {
            Value::Number(number) => scaled(number).unwrap_or_else(|| number.to_string()),
            Value::String(text) => text.clone(),
            Value::Null => "nothing".to_owned(),
            other => other.to_string(),
        }
    }
}

/// Whether two addresses or hashes are equal, ignoring case.
fn is_same_hex(one: &str, other: &str) -> bool {
    one.starts_with("0x") && one.eq_ignore_ascii_case(other)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Expected, FieldValue};

    /// A figure must be equal, or show at least nine digits of the expected value.
    #[test]
    fn figures_agree_in_the_digits_that_are_shown() {
        let text = |text: &str| FieldValue::Text(text.to_owned());
        for (value, shown, scale, agrees) in [
            (text("0.5"), json!(0.5), 1, true),
            (text("50"), json!(0.5), 100, true),
            (text("50.4"), json!(0.5), 100, false),
            (text("0.123456789012345678"), json!(0.123_456_789_012_345), 1, true),
            (text("0.123456789112345678"), json!(0.123_456_789_012_345), 1, false),
            (text("0.12345678"), json!(0.123_456_79), 1, false),
            (text("0.12345678"), json!(0.123_456_781), 1, false),
            (text("0.00000000215512"), json!(2.15512e-9), 1, true),
            (text("0"), json!(0), 1, true),
            (text("0"), json!(0.000_000_001), 1, false),
            (FieldValue::Number(2), json!(2), 1, true),
            (FieldValue::Number(2), json!(3), 1, false),
            (FieldValue::Number(2), json!("2"), 1, true),
            (FieldValue::Flag(true), json!(true), 1, true),
            (FieldValue::Flag(true), json!(1), 1, false),
            (text("0xAB"), json!("0xab"), 1, true),
            (text("AB"), json!("ab"), 1, false),
            (text("1"), json!(null), 1, false),
        ] {
            let case = format!("{value} {shown}");
            let expected = Expected { name: "it", field: "it", value, scale };
            assert_eq!(expected.compared(&shown).is_ok(), agrees, "{case}");
        }
    }
}
