//! `slipway docs`: the documents of the project, as pages, as Markdown, or searched.
use std::fmt::Write as _;
use std::net::Ipv4Addr;

use slipway_sim::Found;
use tokio::net::TcpListener;

use crate::arguments::DocsArguments;
use crate::documents::DOCUMENTS;
use crate::error::{CommandError, UsageError};
use crate::exit::Exit;
use crate::output;

pub(super) async fn run(arguments: &DocsArguments) -> Result<Exit, CommandError> {
    if let Some(page) = &arguments.page {
        let page = page.strip_suffix(".md").unwrap_or(page);
        let found = DOCUMENTS.markdown(page).ok_or_else(|| UsageError::UnknownPage {
            page: page.to_owned(),
            pages: DOCUMENTS.pages().collect::<Vec<_>>().join(", "),
        })?;
        return output::done(found);
    }
    if let Some(words) = &arguments.search {
        let mut text = String::new();
        for Found { page, heading, line, .. } in DOCUMENTS.search(words) {
            let _ = writeln!(text, "{page}: {heading}\n    {line}");
        }
        output::data(&text)?;
        return Ok(if text.is_empty() { Exit::Failure } else { Exit::Conformant });
    }
    serve(arguments.port).await
}

async fn serve(port: u16) -> Result<Exit, CommandError> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .await
        .map_err(|source| CommandError::DocumentsPort { port, source })?;
    let address = listener.local_addr().map_err(|source| CommandError::DocumentsPort { port, source })?;
    output::data(&format!("http://{address}/docs/\n"))?;
    axum::serve(listener, DOCUMENTS.service())
        .await
        .map_err(|source| CommandError::DocumentsPort { port, source })?;
    Ok(Exit::Conformant)
}
