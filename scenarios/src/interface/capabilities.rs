//! Statements on capabilities.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S193",
        text: "`GET /api/capabilities` requires `chainId`, a number, `57073` or `4663`.",
        gap: Some("The status code of a request without a supported `chainId` is left to the platform."),
    },
    Statement {
        id: "S194",
        text: "A response of `GET /api/capabilities` has the header `Cache-Control: private, no-store`.",
        gap: None,
    },
    Statement {
        id: "S195",
        text: "The server may cache the response of `GET /api/capabilities` for a short time at most.",
        gap: Some("The longest acceptable time is left to the platform."),
    },
    Statement {
        id: "S89",
        text: "`chainId` of the capabilities object is a number, the chain ID that the request resolved to.",
        gap: None,
    },
    Statement {
        id: "S90",
        text: "`releaseCommit` of the capabilities object is a string that identifies the application build \
            behind the registry.",
        gap: Some("The form of the identifier is left to the platform."),
    },
    Statement {
        id: "S91",
        text: "`capabilityRevision` of the capabilities object is a number, the revision of the object's \
            schema.",
        gap: None,
    },
    Statement {
        id: "S92",
        text: "`flags` of the capabilities object is an object whose switches cover reading, creation, \
            trading, the Emperor token and token updates.",
        gap: Some(
            "The names and types of the switches other than `create` are left to the platform; \
            `create` only has to be truthy.",
        ),
    },
    Statement {
        id: "S93",
        text: "`activeCreationDeployment` of the capabilities object describes the native-quote deployment \
            for new launches and contains its version.",
        gap: Some("The name and the type of the member are left to the platform."),
    },
    Statement {
        id: "S94",
        text: "`activeCreationDeployment.hook` of the capabilities object is the launch hook contract.",
        gap: None,
    },
    Statement {
        id: "S95",
        text: "`activeCreationDeployment` of the capabilities object contains the deployment's ABI family.",
        gap: Some("The name of the member and its values are left to the platform."),
    },
    Statement {
        id: "S96",
        text: "`activeCreationDeployment` of the capabilities object contains the deployment's \
            fee-withdrawal mode.",
        gap: Some("The name of the member and its values are left to the platform."),
    },
    Statement {
        id: "S97",
        text: "`activeCreationDeployment` of the capabilities object contains a runtime hash.",
        gap: Some(
            "The name of the member, the hash function and the code that it covers are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S98",
        text: "`activeCreationDeployment` of the capabilities object contains the V4 contracts.",
        gap: Some("The names and the nesting of the members are left to the platform."),
    },
    Statement {
        id: "S99",
        text: "`activeCreationDeployment` of the capabilities object contains the start block.",
        gap: Some("The name of the member, and which block counts as the start, are left to the platform."),
    },
    Statement {
        id: "S100",
        text: "`activeCreationDeployment.status` of the capabilities object is `active` when the deployment \
            is usable.",
        gap: Some("The values for a deployment that is not usable are left to the platform."),
    },
    Statement {
        id: "S107",
        text: "A creation deployment permits launches when its `status` is `active`.",
        gap: Some("What changes the `status` is left to the platform."),
    },
    Statement {
        id: "S101",
        text: "`tradeableDeployments` of the capabilities object is an array of objects: the active and \
            historical deployments that trades of existing tokens are routed through.",
        gap: Some("The members of these objects are left to the platform."),
    },
    Statement {
        id: "S329",
        text: "The capabilities object lists historical deployments, so that clients can route trades of \
            existing tokens.",
        gap: Some("How a client matches a token to its deployment is left to the platform."),
    },
    Statement {
        id: "S196",
        text: "Before a launch, a client checks in this order that the capabilities response is successful, \
            that `chainId` is the requested chain, that `flags.create` is truthy and that \
            `activeCreationDeployment.status` is `active`; a new native launch then calls the contract in \
            `activeCreationDeployment.hook`.",
        gap: None,
    },
    Statement {
        id: "S197",
        text: "Trades of an existing token use the token's own `hook_address`.",
        gap: Some("The endpoints that return `hook_address` are left to the platform."),
    },
    Statement {
        id: "S198",
        text: "The hooks of launches against tokenized stocks are returned by `GET /api/stocks/quote-assets` \
            and not by `activeCreationDeployment`.",
        gap: Some("The parameters and the fields of this endpoint are left to the platform."),
    },
];
