//! Statements on the referral programme.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S199",
        text: "`GET /api/referral/code` and `GET /api/referral/stats` require the header `Authorization`.",
        gap: Some("The status code of a request without it is left to the platform."),
    },
    Statement {
        id: "S293",
        text: "`Authorization` of `GET /api/referral/code` and `GET /api/referral/stats` contains a bearer \
            token, as `Bearer <ACCESS_TOKEN>`, or a wallet signature.",
        gap: Some("The source of bearer tokens and the text that a wallet signs are left to the platform."),
    },
    Statement {
        id: "S200",
        text: "`GET /api/referral/code` takes no input and returns the caller's code record; it generates \
            the code when none exists.",
        gap: Some("The form of a code is left to the platform."),
    },
    Statement {
        id: "S64",
        text: "A referral code record contains `code` and `created_at`, strings, and `total_referrals`, \
            `active_referrals` and `total_points_earned`, numbers.",
        gap: Some("What makes a referral active is left to the platform."),
    },
    Statement {
        id: "S201",
        text: "`period` of `GET /api/referral/stats`, a string, is one of `24h`, `7d`, `30d` and `all`, \
            `all` by default.",
        gap: Some(
            "Which figures the period restricts, and the treatment of other values, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S65",
        text: "Referral stats contain `referral_code`, a string, and `stats`, an object with the numbers \
            `total_referrals`, `active_referrals`, `total_points_earned`, `points_from_trading`, \
            `points_from_token_creation` and `points_from_milestones`.",
        gap: Some("What makes a referral active is left to the platform."),
    },
    Statement {
        id: "S66",
        text: "Referral stats contain `recent_activity`, an array of objects with `type`, `referral_address` \
            and `timestamp`, strings, and `points_earned`, a number; a trade is one of the types.",
        gap: Some(
            "The values of `type`, the format of `timestamp` and the length of the array are left to \
            the platform.",
        ),
    },
    Statement {
        id: "S67",
        text: "Referral stats contain `top_referrals`, an array of objects with `address` and `joined_at`, \
            strings, and `points_generated`, a number.",
        gap: Some("The format of `joined_at` and the length of the array are left to the platform."),
    },
    Statement {
        id: "S206",
        text: "Stats of a wallet are also available with its address in the query parameter `address`.",
        gap: Some("How this form relates to the authenticated one is left to the platform."),
    },
    Statement {
        id: "S202",
        text: "`POST /api/referral/register` requires no authentication and takes a body with \
            `referral_code` and `wallet_address`, both required strings.",
        gap: Some(
            "The status code of a refusal, and proof that the caller owns the wallet, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S70",
        text: "The result of `POST /api/referral/register` contains `success`, a boolean, `message`, a \
            string, and `referrer`, a string with the referrer's address.",
        gap: Some("The text of `message` is left to the platform."),
    },
    Statement { id: "S203", text: "`GET /api/referral/leaderboard` requires no authentication.", gap: None },
    Statement {
        id: "S204",
        text: "`limit` of `GET /api/referral/leaderboard`, a number, is 10 by default and at most 100.",
        gap: Some("Whether a larger value is refused or reduced to 100 is left to the platform."),
    },
    Statement {
        id: "S205",
        text: "`period` of `GET /api/referral/leaderboard`, a string, is one of `24h`, `7d`, `30d` and \
            `all`, `all` by default.",
        gap: Some(
            "Which figures the period restricts, and the treatment of other values, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S68",
        text: "An entry of the referral leaderboard contains `rank`, `address`, `referral_code`, \
            `total_referrals` and `points_earned`.",
        gap: Some("The types of these members and the rank of equal entries are left to the platform."),
    },
    Statement {
        id: "S69",
        text: "The response of `GET /api/referral/leaderboard` contains `leaderboard`, an array, and \
            `updated_at`, a string.",
        gap: Some("The format of `updated_at` is left to the platform."),
    },
    Statement {
        id: "S207",
        text: "A referrer earns 10 % of the points for the ETH volume that a referral buys.",
        gap: Some("The number of points for an ether is left to the platform."),
    },
    Statement {
        id: "S208",
        text: "A referrer earns 10 % of the points for the ETH volume that a referral sells.",
        gap: Some("The number of points for an ether is left to the platform."),
    },
    Statement {
        id: "S209",
        text: "A referrer earns a bonus of 10 % when a referral creates a token.",
        gap: Some("The number of points for a launch is left to the platform."),
    },
    Statement {
        id: "S210",
        text: "A referrer earns points when a referral reaches a milestone, and their number varies.",
        gap: Some("The milestones and their points are left to the platform."),
    },
    Statement {
        id: "S312",
        text: "Limit of `GET /api/referral/leaderboard`: 10 rows by default, at most 100.",
        gap: Some("Whether a larger value is refused or reduced to 100 is left to the platform."),
    },
    Statement {
        id: "S316",
        text: "Limit of the referral code, for reading and generating it: 10 requests a minute.",
        gap: Some("Who shares a limit, and the kind of window, are left to the platform."),
    },
    Statement {
        id: "S317",
        text: "Limit of the referral stats and the referral leaderboard: 30 requests a minute.",
        gap: Some(
            "Whether the two endpoints share one limit, who shares it, and the kind of window are left \
            to the platform.",
        ),
    },
    Statement {
        id: "S318",
        text: "Limit of the referral registration: 5 requests a minute for each IP address.",
        gap: Some("The kind of window, and whether refused requests count, are left to the platform."),
    },
];
