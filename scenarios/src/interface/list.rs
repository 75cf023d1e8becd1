//! Statements on the token list.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S110",
        text: "Every query parameter of `GET /api/tokens` is optional.",
        gap: Some(
            "The treatment of malformed values and the status code of a refusal are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S111",
        text: "`GET /api/tokens` takes `page`, a number, 1 by default.",
        gap: Some("The page size, and what a page beyond the last one contains, are left to the platform."),
    },
    Statement {
        id: "S112",
        text: "`search` of `GET /api/tokens`, a string, matches a token's name.",
        gap: Some("Whether parts of a name match, and whether letter case counts, are left to the platform."),
    },
    Statement {
        id: "S113",
        text: "`search` of `GET /api/tokens`, a string, matches a token's ticker.",
        gap: Some(
            "Whether parts of a ticker match, and whether letter case counts, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S114",
        text: "`search` of `GET /api/tokens`, a string, matches a token's description.",
        gap: Some(
            "Whether parts of a description match, and whether letter case counts, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S115",
        text: "`search` of `GET /api/tokens`, a string, matches the address of a token's owner.",
        gap: Some("Whether parts of an address match is left to the platform."),
    },
    Statement {
        id: "S116",
        text: "`search` of `GET /api/tokens`, a string, matches a token's own address.",
        gap: Some("Whether parts of an address match is left to the platform."),
    },
    Statement {
        id: "S117",
        text: "`status` of `GET /api/tokens` is a comma-separated list of the values `live` and `funding`, \
            and keeps tokens in one of these states; by default it filters nothing.",
        gap: None,
    },
    Statement {
        id: "S118",
        text: "`sortBy` of `GET /api/tokens`, a string, is `newest` by default.",
        gap: None,
    },
    Statement {
        id: "S119",
        text: "`sortBy=newest` of `GET /api/tokens` returns the latest created tokens first.",
        gap: Some("The order of tokens created at the same time is left to the platform."),
    },
    Statement {
        id: "S120",
        text: "`sortBy=oldest` of `GET /api/tokens` returns the earliest created tokens first.",
        gap: Some("The order of tokens created at the same time is left to the platform."),
    },
    Statement {
        id: "S121",
        text: "`sortBy=trending` of `GET /api/tokens` orders tokens by their trend within the window of \
            `timeframe`.",
        gap: Some("The measure of a trend is left to the platform."),
    },
    Statement {
        id: "S122",
        text: "`sortBy=mcap-high` of `GET /api/tokens` returns the highest market capitalization first, and \
            `sortBy=mcap-low` the lowest.",
        gap: Some("The order of equal market capitalizations is left to the platform."),
    },
    Statement {
        id: "S123",
        text: "`timeframe` of `GET /api/tokens` is the window for `trending`, one of `5m`, `1h`, `6h` and \
            `24h`, `24h` by default.",
        gap: None,
    },
    Statement {
        id: "S124",
        text: "`socials` of `GET /api/tokens` is a comma-separated list of `messenger`, `microblog` and \
            `website`, and keeps tokens that have such a link; by default it filters nothing.",
        gap: Some(
            "Whether several values require all of these links or any of them is left to the \
            platform.",
        ),
    },
    Statement {
        id: "S125",
        text: "`fundingMin` and `fundingMax` of `GET /api/tokens`, numbers from 0 to 1 without default, \
            bound the funding progress.",
        gap: Some("Whether a bound itself is included is left to the platform."),
    },
    Statement {
        id: "S126",
        text: "`marketCapMin` and `marketCapMax` of `GET /api/tokens`, numbers in ETH without default, bound \
            the market capitalization.",
        gap: Some("Whether a bound itself is included is left to the platform."),
    },
    Statement {
        id: "S127",
        text: "`txCountMin` and `txCountMax` of `GET /api/tokens`, numbers without default, bound the \
            transaction count.",
        gap: Some(
            "Which transactions count, over which period, and whether a bound itself is included are \
            left to the platform.",
        ),
    },
    Statement {
        id: "S128",
        text: "`createdFrom` of `GET /api/tokens`, an ISO date without default, keeps tokens created after \
            it.",
        gap: Some("Whether a token created at that very moment is kept is left to the platform."),
    },
    Statement {
        id: "S129",
        text: "`createdTo` of `GET /api/tokens`, an ISO date without default, keeps tokens created before \
            it.",
        gap: Some("Whether a token created at that very moment is kept is left to the platform."),
    },
    Statement {
        id: "S130",
        text: "The response of `GET /api/tokens` contains `tokens`, an array of token objects.",
        gap: None,
    },
    Statement {
        id: "S131",
        text: "The response of `GET /api/tokens` contains `totalCount`, a number, the count of all tokens \
            that match the filters.",
        gap: None,
    },
    Statement {
        id: "S132",
        text: "The response of `GET /api/tokens` contains `totalPages`, a number.",
        gap: Some("The page size, and the number of pages when nothing matches, are left to the platform."),
    },
];
