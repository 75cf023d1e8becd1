//! The style sheet, the scripts and the icon of the pages; what draws plots is served as its authors published it.
use std::sync::Arc;

use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;

use super::Pages;
use crate::api::refusal::Refusal;
use crate::services::http::PathParameter;

const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

/// Our own files, which the program carries.
const OWN: [(&str, &str, &str); 6] = [
    ("style.css", STYLE, include_str!("assets/style.css")),
    ("live.js", SCRIPT, include_str!("assets/live.js")),
    ("plot.js", SCRIPT, include_str!("assets/plot.js")),
    ("trade.js", SCRIPT, include_str!("assets/trade.js")),
    ("console.js", SCRIPT, include_str!("assets/console.js")),
    ("icon.svg", "image/svg+xml", include_str!("assets/icon.svg")),
];

/// The published files that draw plots.
#[derive(Clone, Debug, Default)]
pub struct PlotFiles {
    /// A script that defines `uPlot`.
    pub script: Bytes,
    /// Its style sheet.
    pub style: Bytes,
}

pub(super) async fn get(
    State(pages): State<Arc<Pages>>,
    PathParameter(name): PathParameter,
) -> Result<Response, Refusal> {
    match name.as_str() {
        "uplot.js" => Ok(([(CONTENT_TYPE, SCRIPT)], pages.plot.script.clone()).into_response()),
        "uplot.css" => Ok(([(CONTENT_TYPE, STYLE)], pages.plot.style.clone()).into_response()),
        _ => own(&name),
    }
}

/// One of our own files.
pub(in crate::services) fn own(name: &str) -> Result<Response, Refusal> {
    let found = OWN.iter().find(|(known, ..)| *known == name);
    let (_, kind, text) = found.ok_or_else(|| Refusal::not_found("path", "no such path"))?;
    Ok(([(CONTENT_TYPE, *kind)], *text).into_response())
}
