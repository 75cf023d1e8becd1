//! Statements on the settings and safety rules of the tool server.
use super::Statement;

pub(super) static STATEMENTS: &[Statement] = &[
    Statement { id: "S262", text: "The scheme of an image or social URL is https.", gap: None },
    Statement { id: "S263", text: "An image or social URL contains no credentials.", gap: None },
    Statement {
        id: "S264",
        text: "The host of an image or social URL does not end in `.local`, `.internal`, `.localhost`, \
            `.test`, `.example` or `.invalid`.",
        gap: Some("Whether the bare names without a dot are refused as well is left to the platform."),
    },
    Statement {
        id: "S265",
        text: "The host of an image or social URL resolves in DNS to a public IP address.",
        gap: Some(
            "The treatment of IP literals, and of hosts with public and other addresses, is left to \
            the platform.",
        ),
    },
    Statement {
        id: "S266",
        text: "An image or social URL is rejected when its host has a private, loopback, link-local, \
            carrier-grade NAT or IPv6 unique-local address.",
        gap: Some("Further address ranges that are not public are left to the platform."),
    },
    Statement {
        id: "S267",
        text: "An image or social URL is rejected when its host is such an address in the hexadecimal form \
            of an IPv4-mapped IPv6 address.",
        gap: None,
    },
    Statement {
        id: "S268",
        text: "`SERVICE_MCP_PRIVATE_KEY_FILE`, unset by default, is the path of a file with the private key \
            in hexadecimal and mode 0600; it takes precedence over the raw key.",
        gap: Some("Whether a refused file falls back to the raw key is left to the platform."),
    },
    Statement {
        id: "S269",
        text: "A key file that the group or the world can read is refused.",
        gap: Some("The treatment of a key file that others can only write is left to the platform."),
    },
    Statement { id: "S270", text: "On Windows, the mode of the key file is not checked.", gap: None },
    Statement {
        id: "S271",
        text: "The tool server requires a key: `SERVICE_MCP_PRIVATE_KEY_FILE` or `SERVICE_MCP_PRIVATE_KEY`.",
        gap: Some("Whether the tool server fails at its start or at the first use is left to the platform."),
    },
    Statement {
        id: "S272",
        text: "`SERVICE_MCP_PRIVATE_KEY`, unset by default, is the raw private key in hexadecimal.",
        gap: Some("Whether a prefix `0x` is required is left to the platform."),
    },
    Statement {
        id: "S273",
        text: "`SERVICE_MCP_ENABLE_WRITES` is false by default and permits `launch_token` when it is `true`, \
            `1` or `yes`.",
        gap: Some("Whether letter case counts is left to the platform."),
    },
    Statement {
        id: "S274",
        text: "`SERVICE_MCP_MAX_PREBUY_ETH`, 0.1 by default, is the cap on the prebuy of a call.",
        gap: Some("The treatment of a malformed value is left to the platform."),
    },
    Statement {
        id: "S275",
        text: "`SERVICE_MCP_MAX_RAISE_ETH`, 5 by default, is the cap on the `targetRaiseEth` of a call.",
        gap: Some("The treatment of a malformed value is left to the platform."),
    },
    Statement {
        id: "S276",
        text: "`SERVICE_MCP_MAX_GAS_GWEI`, 100 by default, is the cap on the `maxFeePerGas` of a call in \
            gwei.",
        gap: Some("Whether a higher fee is refused or reduced to the cap is left to the platform."),
    },
    Statement {
        id: "S277",
        text: "`SERVICE_MCP_RPC_URL` overrides the chain RPC address and is rejected when it contains \
            userinfo, a query or a fragment.",
        gap: None,
    },
    Statement {
        id: "S278",
        text: "`SERVICE_BASE_URL`, the base address of the REST service by default, is an origin without a \
            path; trade URLs and requests for recent launches are built from it.",
        gap: Some("The treatment of a value with a path is left to the platform."),
    },
    Statement { id: "S279", text: "The tool server refuses writes unless they are enabled.", gap: None },
    Statement {
        id: "S280",
        text: "Every call of `launch_token` whose `confirm` is not `YES` fails.",
        gap: None,
    },
    Statement {
        id: "S281",
        text: "The caps on raise, prebuy and gas apply to every write.",
        gap: Some("Whether a value above a cap is refused or reduced to the cap is left to the platform."),
    },
    Statement {
        id: "S282",
        text: "Before the tool server signs, the RPC has to report the chain ID 57073.",
        gap: None,
    },
    Statement {
        id: "S283",
        text: "The tool server fixes the nonce from the pending transaction count.",
        gap: None,
    },
    Statement {
        id: "S284",
        text: "The wait for a receipt times out after 120 seconds.",
        gap: Some("The result of a launch whose wait timed out is left to the platform."),
    },
    Statement {
        id: "S285",
        text: "The tool server waits for a receipt once and does not retry.",
        gap: Some(
            "Whether repeated requests for the receipt within the wait count as retries is left to the \
            platform.",
        ),
    },
    Statement {
        id: "S286",
        text: "The tool server removes private keys from the errors of its tools.",
        gap: Some("The treatment of results and logs is left to the platform."),
    },
    Statement {
        id: "S287",
        text: "The tool server removes signed transaction payloads from the errors of its tools.",
        gap: Some("The treatment of results and logs is left to the platform."),
    },
    Statement {
        id: "S288",
        text: "The tool server removes the credentials of URLs from the errors of its tools.",
        gap: Some("The treatment of results and logs is left to the platform."),
    },
    Statement {
        id: "S289",
        text: "The tool server removes RPC API keys in paths from the errors of its tools.",
        gap: Some("Which parts of a path count as a key is left to the platform."),
    },
    Statement { id: "S290", text: "Disabled writes do not affect the read-only tools.", gap: None },
    Statement {
        id: "S325",
        text: "Limit of the tool server: it waits 120 seconds for a receipt.",
        gap: Some("The result of a launch whose wait timed out is left to the platform."),
    },
];
