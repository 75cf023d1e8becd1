//! Texts and numbers in answers: each has a JSON Schema that says more than its JSON type.
use std::borrow::Cow;
use std::fmt::Display;

use alloy::primitives::{Address, B256, Bytes as Data, U256};
use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Serialize, Serializer};

use crate::clock::LATEST_TIME;

/// An address in hexadecimal digits of any letter case.
pub(crate) const ADDRESS: &str = "^0x[0-9a-fA-F]{40}$";

macro_rules! described {
    ($form:ident, $schema:tt) => {
        fn schema_name() -> Cow<'static, str> {
            stringify!($form).into()
        }

        fn json_schema(_: &mut SchemaGenerator) -> Schema {
            json_schema!($schema)
        }
    };
}

/// Declares text types: a value, serialized as it is displayed.
macro_rules! texts {
    ($($(#[$doc:meta])* $form:ident($value:ty) = $schema:tt;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) struct $form<T = $value>(pub(crate) T);

        impl<T: Display> Serialize for $form<T> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(&self.0)
            }
        }

        impl<T> JsonSchema for $form<T> {
            described!($form, $schema);
        }
    )*};
}

/// Declares number types, which only describe a schema.
macro_rules! numbers {
    ($($(#[$doc:meta])* $form:ident = $schema:tt;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $form;

        impl JsonSchema for $form {
            described!($form, $schema);
        }
    )*};
}

texts! {
    /// An address in EIP-55 spelling: the same address has the same text in every answer.
    AddressText(Address) = { "type": "string", "pattern": ADDRESS };
    /// An instant in UTC with whole seconds.
    Instant(Timestamp) = {
        "type": "string", "format": "date-time",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"
    };
    /// An amount in smallest units, without leading zeros.
    ///
    /// Clause: SVC-AMOUNT, SVC-AMOUNT-CHOSEN
    Units(U256) = { "type": "string", "pattern": "^(0|[1-9][0-9]*)$" };
    /// An amount in whole coins, with every digit.
    Coins(String) = { "type": "string", "pattern": "^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$" };
    /// Thirty-two bytes in hexadecimal digits.
    Hash(B256) = { "type": "string", "pattern": "^0x[0-9a-f]{64}$" };
    /// Bytes in hexadecimal digits.
    Bytes(Data) = { "type": "string", "pattern": "^0x([0-9a-f]{2})*$" };
}

numbers! {
    /// A number of at least zero.
    Amount = { "type": "number", "minimum": 0 };
    /// A fraction of one.
    Share = { "type": "number", "minimum": 0, "maximum": 1 };
}

/// ISO 8601 in UTC with whole seconds.
///
/// Clause: SVC-TIME, SVC-TIME-ZONE
pub(crate) fn instant(seconds: u64) -> Instant {
    let shown = i64::try_from(seconds.min(LATEST_TIME)).expect("the last time is a number of an instant");
    Instant(Timestamp::from_second(shown).expect("the last time can be shown"))
}
