//! The seeded defects of what a launch sends and of what it heeds before, and of figures that are read.
use axum::http::StatusCode;
use serde_json::json;

use super::arguments::{cut_description, exchange, whole_gain, without_image};
use super::effect::Effect::{Arguments, Capabilities, Query, Result, Row as RowOf};
use super::effect::{Row, row};
use super::results;
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
            row(
                "mcp-precheck-status-first",
                "the status of the deployment is looked at before the flag",
                &[Capabilities(|_, body| {
                    if body["activeCreationDeployment"]["status"] != json!("active") {
                        replace(body, "/flags/create", json!(true));
                    }
                })],
            ),
            row(
                "mcp-precheck-chain-last",
                "the chain of the capabilities is compared after flag and status",
                &[Capabilities(|_, body| {
                    let closed = body["flags"]["create"] == json!(false);
                    if closed || body["activeCreationDeployment"]["status"] != json!("active") {
                        replace(body, "/chainId", json!(57_073));
                    }
                })],
            ),
        ],
    ),
    (
        "MCP-RECENT",
        &[
            row(
                "mcp-recent-chain",
                "launches of no chain in particular are asked for",
                &[Query(|query| query.retain(|(name, _)| name != "chainId"))],
            ),
            row("mcp-recent-figures", "market caps of launches are doubled", &[RowOf(results::double_cap)]),
        ],
    ),
    (
        "MCP-RECENT-ARGS",
        &[
            row(
                "mcp-recent-first-page",
                "offsets are ignored",
                &[Query(|query| query.retain(|(name, _)| name != "offset"))],
            ),
            row(
                "mcp-recent-ten-rows",
                "ten launches are asked for, whatever the limit",
                &[Query(|query| {
                    query.retain(|(name, _)| name != "limit");
                    query.push(("limit".to_owned(), "10".to_owned()));
                })],
            ),
        ],
    ),
    (
        "MCP-STATUS-FIGURES",
        &[
            row("mcp-status-target", "a target raise has a digit more", &[Result(results::larger_target)]),
            row("mcp-status-live", "every launch is live", &[Result(results::always_live)]),
        ],
    ),
];
