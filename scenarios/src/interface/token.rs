//! Statements on the single token.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S164",
        text: "`GET /api/token` takes `address`, the address of a V1 or V2 token.",
        gap: Some(
            "Further parameters, and the status code of a missing or unknown address, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S165",
        text: "`GET /api/token` returns the details of the token.",
        gap: Some("The fields of the response are left to the platform."),
    },
    Statement {
        id: "S328",
        text: "`GET /api/token` covers the tokens of V1 and of V2 contracts.",
        gap: None,
    },
];
