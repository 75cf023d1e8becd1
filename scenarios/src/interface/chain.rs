//! Statements on the launch contracts.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S225",
        text: "Clients obtain the address of the V2 launch hook on the primary chain from the capabilities.",
        gap: None,
    },
    Statement {
        id: "S226",
        text: "The launch hook has a function `createLaunch(CreateLaunchParams)`.",
        gap: Some("The fields of `CreateLaunchParams`, the results and the errors are left to the platform."),
    },
    Statement {
        id: "S227",
        text: "The launch hook has a function `createLaunchWithReferral(CreateLaunchParams, string)`.",
        gap: Some(
            "The treatment of an unknown or empty referral code, and the events, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S228",
        text: "The launch hook has a function `getLaunchState(launchId)`, which returns the funding \
            progress.",
        gap: Some("The type of `launchId` and the layout of the result are left to the platform."),
    },
    Statement {
        id: "S229",
        text: "`CreateLaunchParams` of the launch hook contains `imageUrl`.",
        gap: Some("The other fields and the length of `imageUrl` are left to the platform."),
    },
    Statement {
        id: "S296",
        text: "Writes on chain are transactions that the sender's wallet signs.",
        gap: None,
    },
    Statement {
        id: "S297",
        text: "The V2 contracts emit events, and a launch emits the address of the created token.",
        gap: Some("The names and the fields of events are left to the platform."),
    },
    Statement {
        id: "S323",
        text: "Limit of a launch: a raise of 1 to 5 ETH.",
        gap: Some("The error of the contract is left to the platform."),
    },
    Statement {
        id: "S324",
        text: "Limit of a launch: a `curveGainMultiplier` of at most 21.",
        gap: Some("The error of the contract is left to the platform."),
    },
    Statement {
        id: "S327",
        text: "New launches use the V2 contracts; the V1 contracts remain for compatibility and still answer \
            read calls.",
        gap: Some("The functions of the V1 contracts are left to the platform."),
    },
];
