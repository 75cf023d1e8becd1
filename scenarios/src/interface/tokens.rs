//! Statements on the fields and states of a token.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S15",
        text: "Each endpoint that returns token objects returns the part of the token fields that is stated \
            for it: the list, by owner, batch, Emperor or recent launches.",
        gap: Some("Whether an endpoint adds further fields is left to the platform."),
    },
    Statement {
        id: "S16",
        text: "`address` is a string, the address of the token's contract; list, by-owner, batch and Emperor \
            objects contain it.",
        gap: Some("The letter case of the address is left to the platform."),
    },
    Statement {
        id: "S17",
        text: "`created_at` is a string, the time of the token's creation; by-owner, batch and Emperor \
            objects contain it, and list objects do as well.",
        gap: Some("Whether `created_at` is guaranteed in list objects is left open."),
    },
    Statement {
        id: "S18",
        text: "`owner` is a string, the address of the wallet that created the token; by-owner, batch and \
            Emperor objects contain it, and list objects do as well.",
        gap: Some("Whether `owner` is guaranteed in list objects is left open."),
    },
    Statement {
        id: "S19",
        text: "`name` is a string, the token's name; list, by-owner, batch and Emperor objects contain it.",
        gap: None,
    },
    Statement {
        id: "S20",
        text: "`ticker` is a string, the token's symbol; list, by-owner, batch and Emperor objects contain \
            it.",
        gap: None,
    },
    Statement {
        id: "S21",
        text: "`description` is a string that describes the token; list, by-owner, batch and Emperor objects \
            contain it.",
        gap: None,
    },
    Statement {
        id: "S22",
        text: "`image_url` is a string, the URL of the token's logo; list, by-owner, batch and Emperor \
            objects contain it.",
        gap: None,
    },
    Statement {
        id: "S23",
        text: "`messenger` is a string or null, the URL of the token's messaging channel; Emperor objects \
            contain it, and batch objects only with `includeSocials` true.",
        gap: None,
    },
    Statement {
        id: "S24",
        text: "`microblog` is a string or null, the URL of the token's microblog profile; Emperor objects \
            contain it, and batch objects only with `includeSocials` true.",
        gap: None,
    },
    Statement {
        id: "S25",
        text: "`website` is a string or null, the URL of the token's own website; Emperor objects contain \
            it, and batch objects only with `includeSocials` true.",
        gap: None,
    },
    Statement {
        id: "S26",
        text: "`market_cap` is a number, the token's market capitalization in ETH; list, by-owner, batch and \
            Emperor objects contain it.",
        gap: Some(
            "The formula, the supply that it counts and the conversion for a launch quoted in another \
            asset are left to the platform.",
        ),
    },
    Statement {
        id: "S27",
        text: "`funding_progress` is a number from 0 to 1, where 1 is fully funded; list, by-owner, batch \
            and Emperor objects contain it.",
        gap: Some("The formula is left to the platform."),
    },
    Statement {
        id: "S28",
        text: "`price_eth` is a number, the token's current price in ETH; list, batch and Emperor objects \
            contain it.",
        gap: Some(
            "The rounding, the mark that is current and the conversion for a launch quoted in another \
            asset are left to the platform.",
        ),
    },
    Statement {
        id: "S29",
        text: "`volume_24h` is a number, the trading volume of the last 24 hours; list, by-owner and Emperor \
            objects contain it, and batch objects only with `includeMetrics` true.",
        gap: Some("The unit, the treatment of fees and the edge of the window are left to the platform."),
    },
    Statement {
        id: "S30",
        text: "`price_change_24h` is a number, the change of the price over the last 24 hours in percent; \
            list and Emperor objects contain it, and batch objects only with `includeMetrics` true.",
        gap: Some("The price that the change is measured from is left to the platform."),
    },
    Statement {
        id: "S31",
        text: "`txns_24h_buys` is a number, the buy transactions of the last 24 hours; Emperor objects \
            contain it, and batch objects only with `includeMetrics` true.",
        gap: Some("Whether a transaction with several buys counts once is left to the platform."),
    },
    Statement {
        id: "S32",
        text: "`txns_24h_sells` is a number, the sell transactions of the last 24 hours; Emperor objects \
            contain it, and batch objects only with `includeMetrics` true.",
        gap: Some("Whether a transaction with several sells counts once is left to the platform."),
    },
    Statement {
        id: "S33",
        text: "`volume_1h` is a number, the trading volume of the last hour; Emperor objects contain it.",
        gap: Some("The unit, the treatment of fees and the edge of the window are left to the platform."),
    },
    Statement {
        id: "S34",
        text: "`price_change_1h` is a number, the change of the price over the last hour in percent; Emperor \
            objects contain it.",
        gap: Some("The price that the change is measured from is left to the platform."),
    },
    Statement {
        id: "S35",
        text: "`txns_1h_buys` is a number, the buys of the last hour; Emperor objects contain it.",
        gap: Some("Whether a transaction with several buys counts once is left to the platform."),
    },
    Statement {
        id: "S36",
        text: "`txns_1h_sells` is a number, the sells of the last hour; Emperor objects contain it.",
        gap: Some("Whether a transaction with several sells counts once is left to the platform."),
    },
    Statement {
        id: "S37",
        text: "`total_holders` is a number, the count of the token's holders; list, by-owner and Emperor \
            objects contain it, and batch objects only with `includeHolders` true.",
        gap: Some("Whether contracts such as pools and the hook count as holders is left to the platform."),
    },
    Statement {
        id: "S38",
        text: "`top_10_percentage` is a number, the share of the supply in the ten largest holdings in \
            percent; Emperor objects contain it, and batch objects only with `includeHolders` true.",
        gap: Some(
            "Whether contracts count as holders and whether burned tokens count as supply are left to \
            the platform.",
        ),
    },
    Statement {
        id: "S39",
        text: "`dev_holding_percentage` is a number, the share of the supply that the developer holds in \
            percent; Emperor objects contain it, and batch objects only with `includeHolders` true.",
        gap: Some(
            "Which accounts count as the developer and whether burned tokens count as supply are left \
            to the platform.",
        ),
    },
    Statement {
        id: "S40",
        text: "`is_graduated` is a boolean, true once the funding is complete; by-owner and batch objects \
            contain it.",
        gap: None,
    },
    Statement {
        id: "S102",
        text: "A token is in the state `funding` while its `funding_progress` is below 1.",
        gap: Some("The transitions between token states are left to the platform."),
    },
    Statement {
        id: "S103",
        text: "A token is in the state `live` once it is fully funded: its `funding_progress` is 1 and its \
            `is_graduated` is true.",
        gap: Some("The transitions between token states are left to the platform."),
    },
];
