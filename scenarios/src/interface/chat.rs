//! Statements on chat.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S173",
        text: "`GET /api/chat` requires `tokenAddress`, a string, the token's address.",
        gap: Some("The status code and the body of a refusal are left to the platform."),
    },
    Statement {
        id: "S174",
        text: "`limit` of `GET /api/chat`, a number, the most messages to return, is 50 by default.",
        gap: Some("A maximum of `limit` is left to the platform."),
    },
    Statement {
        id: "S175",
        text: "`offset` of `GET /api/chat`, a number, the messages to skip, is 0 by default.",
        gap: Some("The order of the messages is left to the platform."),
    },
    Statement {
        id: "S176",
        text: "The response of `GET /api/chat` is a JSON array of chat messages without a wrapper object.",
        gap: None,
    },
    Statement { id: "S59", text: "`id` of a chat message is a string that is unique.", gap: None },
    Statement {
        id: "S60",
        text: "`token_address` of a chat message is a string, the address of the token's contract.",
        gap: None,
    },
    Statement {
        id: "S61",
        text: "`sender_address` of a chat message is a string, the sender's address on the chain.",
        gap: None,
    },
    Statement {
        id: "S62",
        text: "`message` of a chat message is a string, the content, with at most 500 characters.",
        gap: Some("The unit that counts as a character is left to the platform."),
    },
    Statement { id: "S63", text: "`created_at` of a chat message is a string, an ISO timestamp.", gap: None },
    Statement {
        id: "S177",
        text: "`POST /api/chat` requires the strings `token`, `tokenAddress`, `message` and `signature` in \
            its body.",
        gap: Some("The status code of a request without one of them is left to the platform."),
    },
    Statement {
        id: "S178",
        text: "`message` of `POST /api/chat` has at most 500 characters.",
        gap: Some(
            "The unit that counts as a character, and the status code of a longer message, are left to \
            the platform.",
        ),
    },
    Statement {
        id: "S179",
        text: "`token` of `POST /api/chat` is the captcha token that verifies the sender.",
        gap: Some("The status code for a captcha token that fails is left to the platform."),
    },
    Statement {
        id: "S180",
        text: "`signature` of `POST /api/chat` is a chain signature that authenticates the sender.",
        gap: Some("The text to sign is left to the platform."),
    },
    Statement { id: "S181", text: "The response of `POST /api/chat` is one chat message.", gap: None },
    Statement {
        id: "S182",
        text: "`POST /api/chat` requires credentials that the operator issues.",
        gap: Some(
            "How the operator issues credentials, and how a request contains them, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S294",
        text: "`POST /api/chat` authenticates a request by the captcha token in `token`, the chain signature \
            in `signature` and the access credentials from the operator.",
        gap: Some("The text to sign, and how credentials are issued and sent, are left to the platform."),
    },
    Statement {
        id: "S313",
        text: "Limit of `POST /api/chat`: 5 messages a minute for each address.",
        gap: Some(
            "The kind of window, and response headers that report the limit, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S314",
        text: "Limit of chat messages: 500 characters each.",
        gap: Some("The unit that counts as a character is left to the platform."),
    },
    Statement {
        id: "S315",
        text: "Limit of `GET /api/chat`: 50 messages from offset 0 by default.",
        gap: Some("A maximum of `limit` is left to the platform."),
    },
];
