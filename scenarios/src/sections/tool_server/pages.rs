//! The pages that a launch's result links to.
use reqwest::Method;
use url::Url;

use super::fixture::{Session, ToolReply, ToolServerFixture, WRITES};
use crate::client::wire::LaunchHook;
use crate::prelude::*;
use crate::sections::chain::launch_fixture::LaunchFixture;

/// A name that pages must show as plain text.
const NAME: &str = "Opened <b>page</b>";
const NAME_ESCAPED: &str = "Opened &lt;b&gt;page&lt;/b&gt;";

clause! {
    MCP_LINKS = "MCP-LINKS" (choice):
        "`tradeUrl` and `explorerUrl` open a page of the launched token and of the transaction, where the service is slipway's.";
    check!("tool-server-link-pages" [Write; ToolServer, Rest, PrimaryChain, Accounts] links_open_the_launch:
        "opens the links of a launch and looks for the token, its name as text, and the transaction");
}
pub(super) async fn links_open_the_launch(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    let hook = LaunchFixture::open(trial, PRIMARY).await?;
    let (reply, value, receipt) =
        session.launches(&json!({ "name": NAME }), "the arguments are right").await?;
    let created = hook.only_event::<LaunchHook::LaunchCreated>(&receipt)?;
    let block = receipt.block_number.unwrap_or_default();
    let (token, hash) = (created.token.to_string(), receipt.transaction_hash.to_string());
    opened(&session, &reply, &value["tradeUrl"], block, &[&token, NAME_ESCAPED]).await?;
    opened(&session, &reply, &value["explorerUrl"], block, &[&hash, &token, NAME_ESCAPED]).await
}

/// A link opens an HTML page that shows these texts.
async fn opened(
    fixture: &ToolServerFixture<'_>,
    reply: &ToolReply,
    link: &Value,
    block: u64,
    shown: &[&str],
) -> Verdict {
    let url = link.as_str().and_then(|text| Url::parse(text).ok());
    let Some(url) = url else {
        return Err(fixture.failure(reply, "the address of a page", link.to_string()));
    };
    let request = Request { method: Method::GET, url, headers: Vec::new(), body: None };
    let response =
        fixture.request_settled(PRIMARY, block, &request, |response| response.status.is_success()).await?;
    fixture.succeeded(&response)?;
    let kind = response.header("content-type").unwrap_or_default();
    fixture.require_or(&response, kind.starts_with("text/html"), "a page of HTML", || kind.to_owned())?;
    let page = String::from_utf8_lossy(&response.body);
    for text in shown {
        let missing = || "a page without it".to_owned();
        fixture.require_or(&response, page.contains(text), &format!("a page that shows {text}"), missing)?;
    }
    Ok(())
}
