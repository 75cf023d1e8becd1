//! Statements on the image upload.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S191",
        text: "`POST /api/upload` takes form data.",
        gap: Some(
            "The encoding of the form and the treatment of other content types are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S183",
        text: "`file` of `POST /api/upload` is required and is a valid image.",
        gap: Some("The accepted image formats and dimensions are left to the platform."),
    },
    Statement {
        id: "S184",
        text: "`file` of `POST /api/upload` has at most 5 MiB.",
        gap: Some("Which status code of the route reports a larger file is left to the platform."),
    },
    Statement {
        id: "S185",
        text: "`captchaToken` of `POST /api/upload`, a string, is required: a fresh captcha token that works \
            once and expires.",
        gap: Some("The lifetime of a captcha token is left to the platform."),
    },
    Statement {
        id: "S186",
        text: "`walletAddress` of `POST /api/upload`, a string, is required: the wallet whose uploads are \
            limited.",
        gap: Some("Proof that the caller owns the wallet is left to the platform."),
    },
    Statement {
        id: "S187",
        text: "`socialCreatorProof` of `POST /api/upload` is an optional boolean that marks the first-party \
            social-creator flow.",
        gap: Some("What the flag changes is left to the platform."),
    },
    Statement {
        id: "S188",
        text: "The response of `POST /api/upload` contains `url`, a string, the location of the stored image \
            under the address of the image CDN.",
        gap: None,
    },
    Statement {
        id: "S189",
        text: "The response of `POST /api/upload` contains `socialHumanProof`, which can be null.",
        gap: Some("When `socialHumanProof` is not null, and its type then, are left to the platform."),
    },
    Statement {
        id: "S190",
        text: "The response of `POST /api/upload` has a header `X-Service-Image-Storage` that reports the \
            storage path selected for the image.",
        gap: Some(
            "The values of the header are left to the platform; any text that is not empty reports a path.",
        ),
    },
    Statement {
        id: "S192",
        text: "Partners host images themselves, on public HTTPS object storage that is immutable or \
            content-addressed, publicly readable and cached for long, and pass the URL as `imageUrl` of the \
            launch; `POST /api/upload` serves the first-party interface.",
        gap: Some("A maximum length of `imageUrl` on chain is left to the platform."),
    },
    Statement {
        id: "S295",
        text: "`POST /api/upload` authenticates a request by a fresh, single-use captcha token in \
            `captchaToken` together with `walletAddress`.",
        gap: None,
    },
    Statement {
        id: "S304",
        text: "`POST /api/upload` reports errors with the status codes 400, 403, 429 and 500.",
        gap: Some("The condition behind each status code except 429 is left to the platform."),
    },
    Statement {
        id: "S305",
        text: "`POST /api/upload` answers 429 when a rate limit is exceeded.",
        gap: Some("The body of the error is left to the platform."),
    },
    Statement {
        id: "S306",
        text: "A captcha result of `timeout-or-duplicate` from `POST /api/upload` asks the client to obtain \
            a new captcha proof.",
        gap: Some("The status code and the place of the result in the body are left to the platform."),
    },
    Statement {
        id: "S319",
        text: "Limit of `POST /api/upload`: 3 uploads a minute for each wallet.",
        gap: Some("The kind of window, and whether refused uploads count, are left to the platform."),
    },
    Statement {
        id: "S320",
        text: "`POST /api/upload` also limits uploads for each IP address progressively.",
        gap: Some("The numbers of these limits are left to the platform."),
    },
    Statement {
        id: "S321",
        text: "Limit of `POST /api/upload`: a file of at most 5 MiB.",
        gap: Some("Which status code of the route reports a larger file is left to the platform."),
    },
];
