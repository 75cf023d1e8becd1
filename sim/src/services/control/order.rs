//! The body of an order, read strictly: what is missing, misspelt or out of its bounds is refused by its name.
use alloy::primitives::Address;
use axum::body::Body;
use serde_json::{Map, Value};

use crate::api::address;
use crate::api::refusal::Refusal;
use crate::services::body;
use crate::services::parameters::Field;

/// Largest body that is read, in bytes.
const BODY_LIMIT: usize = 16 * 1024;

/// The fields of an order by their names.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Order {
    fields: Map<String, Value>,
    /// What stands before the names in what a caller is told.
    within: &'static str,
}

impl Order {
    /// The body as an order of these fields; an empty one counts as an empty object, and the media type does not matter.
    pub(super) async fn of(body: Body, known: &[&Field]) -> Result<Self, Refusal> {
        let bytes = body::read_bounded(body, BODY_LIMIT).await?;
        let fields = if bytes.is_empty() { Map::new() } else { body::object(&bytes)? };
        Self { fields, within: "" }.knowing(known)
    }

    fn knowing(self, known: &[&Field]) -> Result<Self, Refusal> {
        let names: Vec<&str> = known.iter().map(|field| field.name).collect();
        match self.fields.keys().find(|name| !names.contains(&name.as_str())) {
            None => Ok(self),
            Some(other) => {
                let shown: String = other.chars().take(80).collect();
                let within = self.within;
                Err(Refusal::bad_input("control-field", format!("{within}{shown} is no field of this call"))
                    .with_details(format!("it takes {}", names.join(", "))))
            }
        }
    }

    /// An object in this one, which must be there.
    pub(super) fn inner(
        &self,
        field: &Field,
        within: &'static str,
        known: &[&Field],
    ) -> Result<Self, Refusal> {
        let fields = self.require(field, |value| value.as_object().cloned())?;
        Self { fields, within }.knowing(known)
    }

    /// How many fields there are.
    pub(super) fn len(&self) -> usize {
        self.fields.len()
    }

    /// A field read by `parse`; null counts as absent.
    pub(super) fn read<T>(
        &self,
        field: &Field,
        parse: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        match self.fields.get(field.name).filter(|value| !value.is_null()) {
            None => Ok(None),
            Some(value) => {
                parse(value).map(Some).ok_or_else(|| self.placed(field.refuse(&value.to_string())))
            }
        }
    }

    /// A field that must be there.
    pub(super) fn require<T>(
        &self,
        field: &Field,
        parse: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<T, Refusal> {
        self.read(field, parse)?.ok_or_else(|| self.placed(field.missing()))
    }

    fn placed(&self, refusal: Refusal) -> Refusal {
        Refusal { message: format!("{}{}", self.within, refusal.message), ..refusal }
    }
}

/// A whole number from `least` to `most`.
pub(super) fn number_within(least: u64, most: u64) -> impl Fn(&Value) -> Option<u64> {
    move |value| value.as_u64().filter(|number| (least..=most).contains(number))
}

/// An address in any letter case.
pub(super) fn account(value: &Value) -> Option<Address> {
    address::parse(value.as_str()?)
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::{Order, account, number_within};
    use crate::services::parameters::Field;

    const SECONDS: Field =
        Field { name: "seconds", cause: "test-seconds", rule: "must be a whole number from 1 to 9" };
    const WHO: Field = Field { name: "who", cause: "test-who", rule: "must be an address" };

    async fn order(body: &str) -> Result<(u64, bool), (u16, &'static str, String)> {
        let read = async {
            let order = Order::of(Body::from(body.to_owned()), &[&SECONDS, &WHO]).await?;
            let who = order.read(&WHO, account)?;
            Ok((order.require(&SECONDS, number_within(1, 9))?, who.is_some()))
        };
        read.await
            .map_err(|refusal: crate::api::refusal::Refusal| (refusal.status, refusal.cause, refusal.message))
    }

    #[tokio::test]
    async fn what_is_wrong_is_named() {
        let nobody = format!("{{\"seconds\": 9, \"who\": \"0x{}\"}}", "0".repeat(40));
        assert_eq!(order(&nobody).await, Ok((9, true)));
        assert_eq!(order(r#"{"seconds": 1, "who": null}"#).await, Ok((1, false)));
        for (body, cause, named) in [
            ("", "test-seconds", "seconds is required"),
            ("{}", "test-seconds", "seconds is required"),
            (r#"{"seconds": 0}"#, "test-seconds", "seconds must"),
            (r#"{"seconds": 10}"#, "test-seconds", "seconds must"),
            (r#"{"seconds": -1}"#, "test-seconds", "seconds must"),
            (r#"{"seconds": 1.0}"#, "test-seconds", "seconds must"),
            (r#"{"seconds": "1"}"#, "test-seconds", "seconds must"),
            (r#"{"seconds": 18446744073709551616}"#, "test-seconds", "seconds must"),
            (r#"{"seconds": 1, "who": 7}"#, "test-who", "who must"),
            (r#"{"second": 1}"#, "control-field", "second is no field"),
            (r#"{"seconds": 1, "seconds": 2}"#, "body-json", "repeated name"),
            ("[1]", "body-json", "object"),
            ("seconds=1", "body-json", "not JSON"),
        ] {
            let (status, told, message) = order(body).await.unwrap_err();
            assert_eq!((status, told), (400, cause), "{body}");
            assert!(message.contains(named), "{body}: {message}");
        }
        let large = format!("{{\"seconds\": 1, \"x\": \"{}\"}}", "x".repeat(20_000));
        assert_eq!(order(&large).await.unwrap_err().0, 413);
    }
}
