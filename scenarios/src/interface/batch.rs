//! Statements on the token batch.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S142",
        text: "`POST /api/tokens/batch` takes a JSON body with `Content-Type: application/json`.",
        gap: Some("The treatment of a body with another content type is left to the platform."),
    },
    Statement {
        id: "S143",
        text: "`POST /api/tokens/batch` requires `addresses`, an array of strings, the token addresses.",
        gap: Some("The status code of a request without valid `addresses` is left to the platform."),
    },
    Statement {
        id: "S144",
        text: "`addresses` of `POST /api/tokens/batch` contains at most 50 addresses.",
        gap: Some("The response to more than 50 addresses is left to the platform."),
    },
    Statement {
        id: "S145",
        text: "`includeMetrics` of `POST /api/tokens/batch`, a boolean, true by default, adds volume, price \
            change and transaction counts to each token.",
        gap: None,
    },
    Statement {
        id: "S146",
        text: "`includeHolders` of `POST /api/tokens/batch`, a boolean, true by default, adds the holder \
            count and the distribution of holdings to each token.",
        gap: None,
    },
    Statement {
        id: "S147",
        text: "`includeSocials` of `POST /api/tokens/batch`, a boolean, true by default, adds the social \
            links to each token.",
        gap: None,
    },
    Statement {
        id: "S148",
        text: "The response of `POST /api/tokens/batch` contains `tokens`, an array with the token objects \
            of the addresses found.",
        gap: Some(
            "Their order, the treatment of repeated addresses and whether letter case counts are left \
            to the platform.",
        ),
    },
    Statement {
        id: "S149",
        text: "The response of `POST /api/tokens/batch` contains `notFound`, an array with the addresses \
            that are unknown or invalid.",
        gap: Some("The treatment of elements of `addresses` that are not strings is left to the platform."),
    },
    Statement {
        id: "S150",
        text: "The response of `POST /api/tokens/batch` contains `errors`, an array of the errors that \
            occurred during processing.",
        gap: Some("The type and the content of an element are left to the platform."),
    },
    Statement {
        id: "S151",
        text: "`POST /api/tokens/batch` omits the fields that belong to an include flag when that flag is \
            false.",
        gap: None,
    },
    Statement {
        id: "S152",
        text: "In a response of `POST /api/tokens/batch`, the social field of a token without such a link is \
            null.",
        gap: None,
    },
    Statement {
        id: "S153",
        text: "`GET /api/tokens/batch` exists as well and takes `addresses`, a comma-separated list.",
        gap: Some("Its include flags, limits and response are left to the platform."),
    },
    Statement {
        id: "S307",
        text: "`POST /api/tokens/batch` answers 200 when addresses are unknown or invalid, which it lists in \
            `notFound`, and when processing fails in part, which it lists in `errors`.",
        gap: Some("The status code of a malformed request is left to the platform."),
    },
    Statement {
        id: "S310",
        text: "Limit of the batch endpoint: 50 addresses per request.",
        gap: Some("The response to more than 50 addresses is left to the platform."),
    },
];
