//! Statements on the leaderboard.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S166",
        text: "`GET /api/leaderboard` takes `limit`, a number.",
        gap: Some(
            "The default and the maximum of `limit`, and further parameters, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S167",
        text: "`GET /api/leaderboard` returns aggregated points and rankings.",
        gap: Some("The shape of the response, and what earns points, are left to the platform."),
    },
];
