//! The seeded defects of what a launch sends, and of what it heeds before.
use axum::http::StatusCode;
use serde_json::json;

use super::arguments::{cut_description, exchange, whole_gain, without_image};
use super::effect::Effect::{Arguments, Capabilities};
use super::effect::{Row, row};
use super::service::replace;

pub(super) const ROWS: &[(&str, &[Row])] = &[
    (
        "MCP-CONFIRM",
        &[row(
            "mcp-confirm-ignored",
            "launches need no confirmation",
            &[Arguments(|launch| {
                launch.arguments.insert("confirm".to_owned(), json!("YES"));
            })],
        )],
    ),
    (
        "MCP-CALL",
        &[
            row(
                "mcp-texts-swapped",
                "messenger and website change places",
                &[Arguments(|launch| exchange(launch, "messenger", "website"))],
            ),
            row("mcp-image-dropped", "the image's path is lost", &[Arguments(without_image)]),
            row(
                "mcp-description-cut",
                "200 characters of a description are kept",
                &[Arguments(|launch| cut_description(launch, 200))],
            ),
        ],
    ),
    ("MCP-GAIN", &[row("mcp-gain-whole", "gain multipliers are rounded down", &[Arguments(whole_gain)])]),
    (
        "MCP-PRECHECK",
        &[
            row(
                "mcp-capabilities-chain",
                "the chain of the capabilities is not compared",
                &[Capabilities(|_, body| replace(body, "/chainId", json!(57_073)))],
            ),
            row(
                "mcp-creation-closed",
                "launches go on while creation is closed",
                &[Capabilities(|_, body| replace(body, "/flags/create", json!(true)))],
            ),
            row(
                "mcp-deployment-inactive",
                "a deployment that is not active is launched on",
                &[Capabilities(|_, body| replace(body, "/activeCreationDeployment/status", json!("active")))],
            ),
            row(
                "mcp-capabilities-failed",
                "the status of the capabilities is not looked at",
                &[Capabilities(|status, _| *status = StatusCode::OK)],
            ),
        ],
    ),
];
