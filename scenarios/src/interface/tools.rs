//! Statements on the tools of the tool server.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement {
        id: "S230",
        text: "The tool server has five tools: `launch_token`, `preview_launch`, `wallet_info`, \
            `recent_launches` and `launch_status`.",
        gap: None,
    },
    Statement {
        id: "S231",
        text: "`launch_token` broadcasts `createLaunch` when `referralCode` is empty, and \
            `createLaunchWithReferral` otherwise.",
        gap: None,
    },
    Statement { id: "S232", text: "`launch_token` requires `confirm` and enabled writes.", gap: None },
    Statement {
        id: "S240",
        text: "`launch_token` requires `name`, a string of 1 to 48 characters.",
        gap: Some("The unit that counts as a character is left to the platform."),
    },
    Statement {
        id: "S241",
        text: "`launch_token` requires `ticker`, a string of 1 to 12 characters without `$`.",
        gap: Some("The unit that counts as a character is left to the platform."),
    },
    Statement {
        id: "S242",
        text: "`launch_token` requires `description`, a string of 1 to 500 characters.",
        gap: Some("The unit that counts as a character is left to the platform."),
    },
    Statement {
        id: "S243",
        text: "`launch_token` requires `imageUrl`, an https URL that complies with the URL rules.",
        gap: None,
    },
    Statement {
        id: "S244",
        text: "`launch_token` requires `targetRaiseEth`, a number from 1 to 5 in ETH.",
        gap: Some("The precision of the amount is left to the platform."),
    },
    Statement {
        id: "S245",
        text: "`targetRaiseEth` of `launch_token` is also capped by `SERVICE_MCP_MAX_RAISE_ETH`.",
        gap: Some("Whether a larger raise is refused or reduced to the cap is left to the platform."),
    },
    Statement { id: "S246", text: "`launch_token` requires `confirm`, exactly the text `YES`.", gap: None },
    Statement {
        id: "S247",
        text: "`messenger`, `microblog` and `website` of `launch_token` are optional https URLs that comply \
            with the URL rules; an empty string disables the link.",
        gap: None,
    },
    Statement {
        id: "S248",
        text: "`curveGainMultiplier` of `launch_token`, an optional number, is 6 by default.",
        gap: Some("The value that represents it on chain is left to the platform."),
    },
    Statement {
        id: "S249",
        text: "`curveGainMultiplier` of `launch_token` is the ratio of the curve's end price to its start \
            price: 1 is a flat curve, and 21 is the most that the contract accepts.",
        gap: Some("Whether fractions are valid is left to the platform."),
    },
    Statement {
        id: "S250",
        text: "`creatorFeeSplitBps` of `launch_token`, an optional integer, is 5000 by default.",
        gap: None,
    },
    Statement {
        id: "S251",
        text: "`creatorFeeSplitBps` of `launch_token` is the creator's share of the variable fee in basis \
            points: at 5000 half is burned, and at 10000 the creator receives all of it.",
        gap: Some("The rate of the variable fee is left to the platform."),
    },
    Statement {
        id: "S252",
        text: "`antiSnipeSeconds` of `launch_token`, an optional integer, is 0 by default, and 0 disables \
            the protection.",
        gap: Some("The accepted durations, and what the protection does, are left to the platform."),
    },
    Statement {
        id: "S253",
        text: "`startTimestamp` of `launch_token`, an optional integer, is a Unix time, 0 by default, and 0 \
            launches at once.",
        gap: Some(
            "The treatment of a time in the past, and the latest valid time, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S254",
        text: "`prebuyEth` of `launch_token`, an optional number, is 0 by default.",
        gap: Some("The precision of the amount and a least prebuy above 0 are left to the platform."),
    },
    Statement {
        id: "S255",
        text: "`prebuyEth` of `launch_token` is at most `targetRaiseEth`.",
        gap: Some("Whether a larger prebuy is refused or reduced is left to the platform."),
    },
    Statement {
        id: "S256",
        text: "`prebuyEth` of `launch_token` is at most `SERVICE_MCP_MAX_PREBUY_ETH`.",
        gap: Some("Whether a larger prebuy is refused or reduced is left to the platform."),
    },
    Statement {
        id: "S257",
        text: "`referralCode` of `launch_token`, an optional string, has 1 to 64 characters, each \
            alphanumeric, `-` or `_`.",
        gap: Some("Whether letters outside ASCII count as alphanumeric is left to the platform."),
    },
    Statement {
        id: "S260",
        text: "The result of `launch_token` contains `transactionHash`, `tokenAddress`, `tradeUrl` and \
            `explorerUrl`.",
        gap: Some("The paths of the two URLs are left to the platform."),
    },
    Statement {
        id: "S233",
        text: "`preview_launch` is a dry run: it resolves the on-chain parameters, reports the expected \
            economics of the creator fee and sends no transaction.",
        gap: Some("The members that report the resolved parameters are left to the platform."),
    },
    Statement {
        id: "S258",
        text: "`preview_launch` takes the parameters of `launch_token` without `confirm`.",
        gap: Some("Whether `preview_launch` accepts a `confirm` is left to the platform."),
    },
    Statement {
        id: "S259",
        text: "The result of `preview_launch` contains `feeMath` with `creatorEarningsAsPctOfVolume`, \
            `protocolFeePct` and `variableFeePctOfAfterProtocol`.",
        gap: Some("The fee rates behind these figures are left to the platform."),
    },
    Statement {
        id: "S234",
        text: "`wallet_info` returns the signer's address, its balance in ETH and the chain ID.",
        gap: Some("The names of the members are left to the platform."),
    },
    Statement {
        id: "S235",
        text: "`recent_launches` fetches recent V2 launches through the REST service.",
        gap: Some("Its input and the names of the members are left to the platform."),
    },
    Statement {
        id: "S236",
        text: "`recent_launches` returns a sanitized set of fields from an allowlist.",
        gap: Some("The fields on the allowlist, and what sanitizing removes, are left to the platform."),
    },
    Statement {
        id: "S237",
        text: "`recent_launches` clips strings.",
        gap: Some("The length of a clipped string is left to the platform."),
    },
    Statement {
        id: "S238",
        text: "`recent_launches` validates image URLs again.",
        gap: Some("The treatment of a URL that fails is left to the platform."),
    },
    Statement {
        id: "S239",
        text: "`launch_status` reads `getLaunchState(launchId)` and reports the funding progress.",
        gap: Some(
            "The names of the members, and the response for an unknown launch, are left to the \
            platform.",
        ),
    },
    Statement {
        id: "S261",
        text: "`launch_status` takes a launch id.",
        gap: Some("The name and the type of the argument are left to the platform."),
    },
];
