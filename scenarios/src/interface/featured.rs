//! Statements on the Emperor and King tokens.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S168",
        text: "`GET /api/eoti` takes `includeBidData`, a boolean, false by default.",
        gap: None,
    },
    Statement {
        id: "S169",
        text: "`GET /api/eoti` returns the Emperor token of the current day as one token object with the \
            fields stated for Emperor objects.",
        gap: Some(
            "The response on a day without an Emperor, and the start of a day, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S170",
        text: "The Emperor token of `GET /api/eoti` is selected from the contract state.",
        gap: Some("The contract and the parts of its state are left to the platform."),
    },
    Statement {
        id: "S171",
        text: "With `includeBidData=true`, the token object of `GET /api/eoti` also contains `bidData`.",
        gap: None,
    },
    Statement {
        id: "S48",
        text: "`bidData` of `GET /api/eoti` is present only with `includeBidData=true`.",
        gap: None,
    },
    Statement {
        id: "S49",
        text: "`bidData.currentBid` is a string, the highest bid at present in wei.",
        gap: Some("The value before the first bid of an epoch is left to the platform."),
    },
    Statement {
        id: "S50",
        text: "`bidData.startBid` is a string, the bid in wei that the current epoch starts with.",
        gap: Some("The rule that sets the starting bid is left to the platform."),
    },
    Statement {
        id: "S51",
        text: "`bidData.lastBidAmount` is a string, the amount of the last bid in wei.",
        gap: Some("The value before the first bid is left to the platform."),
    },
    Statement {
        id: "S52",
        text: "`bidData.lastBidTime` is a string, the time of the last bid.",
        gap: Some("The format of the time is left to the platform."),
    },
    Statement {
        id: "S53",
        text: "`bidData.lastBid` is an object whose `amount` is a string, the amount of the last bid in ETH.",
        gap: Some("The number of decimal places is left to the platform."),
    },
    Statement {
        id: "S54",
        text: "`bidData.lastBid` is an object whose `timestamp` is a number, the Unix time of the last bid.",
        gap: None,
    },
    Statement {
        id: "S55",
        text: "`bidData.nextBoostedToken` is a string, the address of tomorrow's Emperor token.",
        gap: Some("The value while no such token is known is left to the platform."),
    },
    Statement {
        id: "S56",
        text: "`bidData.currentBoostedToken` is a string, the address of today's Emperor token.",
        gap: Some("The value on a day without an Emperor is left to the platform."),
    },
    Statement {
        id: "S57",
        text: "`bidData.lastBoostedToken` is a string, the address of yesterday's Emperor token.",
        gap: Some("The value after a day without an Emperor is left to the platform."),
    },
    Statement {
        id: "S58",
        text: "`bidData.isEpochTaken` is a boolean, true when the current epoch is claimed.",
        gap: None,
    },
    Statement {
        id: "S104",
        text: "An epoch of the Emperor auction is either taken or not taken, which `isEpochTaken` reports.",
        gap: Some("What makes an epoch taken is left to the platform."),
    },
    Statement {
        id: "S172",
        text: "`GET /api/koti` returns the King token, the one that performs best on its curve at present.",
        gap: Some("The measure of performance, the parameters and the fields are left to the platform."),
    },
];
