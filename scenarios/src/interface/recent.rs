//! Statements on recent launches.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S154",
        text: "`GET /api/tokens/recent-v2` requires `chainId`, a number, `57073` or `4663`.",
        gap: Some("The status code of a request without a supported `chainId` is left to the platform."),
    },
    Statement {
        id: "S155",
        text: "`limit` of `GET /api/tokens/recent-v2`, a number, the rows to return, is 10 by default.",
        gap: None,
    },
    Statement {
        id: "S156",
        text: "`limit` of `GET /api/tokens/recent-v2` is at least 1 and at most 50.",
        gap: Some(
            "Whether a value outside the bounds is refused or moved to the nearest bound is left to \
            the platform.",
        ),
    },
    Statement {
        id: "S157",
        text: "`offset` of `GET /api/tokens/recent-v2`, a number counted from zero, is 0 by default.",
        gap: Some("The order of the rows and the treatment of a malformed offset are left to the platform."),
    },
    Statement {
        id: "S158",
        text: "The response of `GET /api/tokens/recent-v2` contains `chainId`, a number.",
        gap: None,
    },
    Statement {
        id: "S159",
        text: "The response of `GET /api/tokens/recent-v2` contains `tokens`, an array.",
        gap: None,
    },
    Statement {
        id: "S160",
        text: "The response of `GET /api/tokens/recent-v2` contains `nextOffset`: a number after a full \
            page, otherwise null.",
        gap: Some(
            "Whether a full page that is also the last one has a `nextOffset` is left to the \
            platform.",
        ),
    },
    Statement {
        id: "S161",
        text: "`GET /api/tokens/recent-v2` lists launches on V2 contracts only, as its path implies.",
        gap: None,
    },
    Statement {
        id: "S41",
        text: "A token object of `GET /api/tokens/recent-v2` contains the token's identity, its launch \
            fields, its indexed metrics and, for a launch against a tokenized stock, the data of its quote \
            asset.",
        gap: Some("The names of the fields are left to the platform."),
    },
    Statement {
        id: "S42",
        text: "Token objects of `GET /api/tokens/recent-v2` may gain fields over time.",
        gap: None,
    },
    Statement {
        id: "S43",
        text: "Clients of `GET /api/tokens/recent-v2` keep strings and nullable fields exactly as received.",
        gap: None,
    },
    Statement {
        id: "S162",
        text: "`GET /api/tokens/recent-v2` serves discovery and does not report the status of a transaction.",
        gap: None,
    },
    Statement {
        id: "S163",
        text: "To read its own launch, a client first confirms the receipt on chain and then requests `GET \
            /api/token` with the address that the launch emitted.",
        gap: Some("How soon after the receipt the token can be read is left to the platform."),
    },
    Statement {
        id: "S311",
        text: "Limit of `GET /api/tokens/recent-v2`: 1 to 50 rows, 10 by default.",
        gap: Some(
            "Whether a value outside the bounds is refused or moved to the nearest bound is left to \
            the platform.",
        ),
    },
];
