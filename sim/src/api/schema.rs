//! JSON Schemas for texts in answers: what a value is beyond a string. Only descriptions, no serialization.
use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

/// An address in hexadecimal digits of any letter case.
pub(crate) const ADDRESS: &str = "^0x[0-9a-fA-F]{40}$";

macro_rules! forms {
    ($($(#[$doc:meta])* $form:ident = $schema:tt;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub(crate) struct $form;

        impl JsonSchema for $form {
            fn schema_name() -> Cow<'static, str> {
                stringify!($form).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

forms! {
    /// An address.
    AddressText = { "type": "string", "pattern": ADDRESS };
    /// An instant in UTC with whole seconds.
    Instant = {
        "type": "string", "format": "date-time",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$"
    };
    /// An amount in smallest units, without leading zeros.
    Units = { "type": "string", "pattern": "^(0|[1-9][0-9]*)$" };
    /// An amount in whole coins, with every digit.
    Coins = { "type": "string", "pattern": "^(0|[1-9][0-9]*)(\\.[0-9]*[1-9])?$" };
    /// Thirty-two bytes in hexadecimal digits.
    Hash = { "type": "string", "pattern": "^0x[0-9a-f]{64}$" };
    /// Bytes in hexadecimal digits.
    Bytes = { "type": "string", "pattern": "^0x([0-9a-f]{2})*$" };
    /// A number of at least zero.
    Amount = { "type": "number", "minimum": 0 };
    /// A part of one.
    Share = { "type": "number", "minimum": 0, "maximum": 1 };
}
