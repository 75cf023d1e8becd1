//! Statements on tokens by owner.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S133",
        text: "`GET /api/tokens/by-owner` requires `owner`, a string, the address of the creator's wallet.",
        gap: Some("The status code of a request without a valid `owner` is left to the platform."),
    },
    Statement {
        id: "S134",
        text: "`GET /api/tokens/by-owner` takes `page`, a number, 1 by default.",
        gap: Some("What a page beyond the last one contains is left to the platform."),
    },
    Statement {
        id: "S135",
        text: "`GET /api/tokens/by-owner` takes `limit`, a number, the tokens per page, 20 by default.",
        gap: None,
    },
    Statement {
        id: "S136",
        text: "`limit` of `GET /api/tokens/by-owner` is at most 100.",
        gap: Some("Whether a larger value is refused or reduced to 100 is left to the platform."),
    },
    Statement {
        id: "S137",
        text: "`sort` of `GET /api/tokens/by-owner`, a string, is `created_at_desc` by default.",
        gap: None,
    },
    Statement {
        id: "S138",
        text: "`sort` of `GET /api/tokens/by-owner` is one of `created_at_desc`, `created_at_asc`, \
            `market_cap_desc`, `market_cap_asc`, `funding_progress_desc` and `volume_24h_desc`, and orders \
            the tokens by that field in that direction.",
        gap: Some("The order of equal values and the treatment of other values are left to the platform."),
    },
    Statement {
        id: "S139",
        text: "`includeInactive` of `GET /api/tokens/by-owner`, a boolean, false by default, adds the \
            owner's disabled or failed tokens.",
        gap: Some("What makes a token disabled or failed is left to the platform."),
    },
    Statement {
        id: "S140",
        text: "The response of `GET /api/tokens/by-owner` contains `tokens`, an array, and `pagination`, an \
            object.",
        gap: None,
    },
    Statement {
        id: "S141",
        text: "Every token that `GET /api/tokens/by-owner` returns was created by the wallet in `owner`.",
        gap: Some("Whether the letter case of `owner` counts is left to the platform."),
    },
    Statement { id: "S44", text: "`pagination.page` of `GET /api/tokens/by-owner` is a number.", gap: None },
    Statement {
        id: "S45",
        text: "`pagination.limit` of `GET /api/tokens/by-owner` is a number.",
        gap: Some("Which limit it contains when the requested one was reduced is left to the platform."),
    },
    Statement {
        id: "S46",
        text: "`pagination.total` of `GET /api/tokens/by-owner` is a number, the total count of tokens.",
        gap: None,
    },
    Statement {
        id: "S47",
        text: "`pagination.totalPages` of `GET /api/tokens/by-owner` is a number.",
        gap: Some("The number of pages for an owner without tokens is left to the platform."),
    },
    Statement {
        id: "S309",
        text: "Limit of `GET /api/tokens/by-owner`: 20 tokens per page by default, at most 100.",
        gap: Some("Whether a larger value is refused or reduced to 100 is left to the platform."),
    },
];
