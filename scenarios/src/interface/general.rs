//! Statements on the conventions of the whole interface.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S1",
        text: "Every request body and response is JSON, except where a statement names another format.",
        gap: Some("The media type and the body of an error response are left to the platform."),
    },
    Statement {
        id: "S2",
        text: "The REST service and the swap service are two services with separate base addresses.",
        gap: None,
    },
    Statement {
        id: "S3",
        text: "Clients reach the launch contracts through a chain RPC address.",
        gap: None,
    },
    Statement {
        id: "S4",
        text: "A local tool server for editors and agents communicates over standard input and output.",
        gap: None,
    },
    Statement {
        id: "S5",
        text: "A launched token first collects funds on a bonding curve, the funding phase; once fully \
            funded it is graduated, also called live.",
        gap: Some("The curve and its constants are left to the platform."),
    },
    Statement {
        id: "S6",
        text: "The REST service reads tokens as a list, by owner, in a batch, as recent launches and singly, \
            and it reads the leaderboard, the daily Emperor token with its auction bids and the King token.",
        gap: None,
    },
    Statement {
        id: "S7",
        text: "The REST service also hosts chat messages per token, a referral programme and an upload for \
            logo images.",
        gap: None,
    },
    Statement {
        id: "S8",
        text: "The capabilities endpoint reports the deployment in use for new launches and the deployments \
            that existing tokens trade on.",
        gap: None,
    },
    Statement {
        id: "S9",
        text: "The swap service quotes trades on an exchange that is separate from the launches and, on \
            request, builds the transaction for its router.",
        gap: None,
    },
    Statement {
        id: "S10",
        text: "A transaction creates a launch: it calls `createLaunch` or `createLaunchWithReferral` of the \
            current launch hook, which is V2.",
        gap: Some("The layout of the parameters is left to the platform."),
    },
    Statement {
        id: "S11",
        text: "Two chains are supported: `57073`, the primary chain, and `4663`, the second chain.",
        gap: None,
    },
    Statement {
        id: "S12",
        text: "A numeric field is a JSON number unless its statement declares a string.",
        gap: None,
    },
    Statement {
        id: "S13",
        text: "A field named `created_at` is an ISO 8601 string.",
        gap: Some(
            "Whether the string contains a time zone, and the format of timestamps with other names, \
            are left to the platform.",
        ),
    },
    Statement {
        id: "S14",
        text: "An amount given in wei or in smallest units is a string of decimal digits.",
        gap: None,
    },
    Statement {
        id: "S105",
        text: "A captcha token is accepted once only.",
        gap: Some("What counts as a use when the request fails for another reason is left to the platform."),
    },
    Statement {
        id: "S106",
        text: "A captcha token expires.",
        gap: Some("The lifetime is left to the platform."),
    },
    Statement {
        id: "S108",
        text: "The paths of the REST service are relative to its base address, and the paths of the swap \
            service to the base address of the swap service.",
        gap: None,
    },
    Statement {
        id: "S109",
        text: "A request needs no authentication and no body, except where a statement requires one.",
        gap: Some("What an `Authorization` header does where none is needed is left to the platform."),
    },
    Statement {
        id: "S291",
        text: "The token endpoints, `GET /api/token`, the leaderboard, recent launches, capabilities and the \
            swap service require no authentication.",
        gap: Some("What an `Authorization` header does where none is needed is left to the platform."),
    },
    Statement {
        id: "S292",
        text: "`GET /api/eoti`, `GET /api/koti`, `GET /api/chat`, `POST /api/referral/register` and `GET \
            /api/referral/leaderboard` require no authentication.",
        gap: None,
    },
    Statement {
        id: "S326",
        text: "Rate limits are stated for `POST /api/chat`, the referral endpoints and `POST /api/upload` \
            only.",
        gap: Some("Whether the other endpoints limit requests is left to the platform."),
    },
    Statement {
        id: "S330",
        text: "A response object may gain fields over time; a client keeps fields that it does not know, and \
            keeps strings exactly as it received them.",
        gap: Some(
            "What a service does with unknown parameters or body fields of a request is left to the \
            platform.",
        ),
    },
];
