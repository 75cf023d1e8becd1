//! What a tool server of this project refuses although the interface leaves it open.
use super::fixture::{Session, WRITES, confirmed};
use crate::prelude::*;

clause! {
    MCP_STRICT = "MCP-STRICT" (choice S252, S253, S261, S268, S269, S281):
        "Protections that the contract does not offer, starts in the past, amounts over a cap, unknown launches and key files that are unusable, or writable by others, are refused.";
    check!("tool-server-times" [Write; ToolServer, Rest, PrimaryChain, Accounts] times_are_offered:
        "asks for protections of other lengths and for starts in the past");
    check!("tool-server-key-file-only" [Read; ToolServer, Rest, PrimaryChain] super::settings::key_files_are_final:
        "gives a raw key together with key files that cannot be used, and files that others may write");
}
pub(super) async fn times_are_offered(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    for (name, value) in [
        ("antiSnipeSeconds", -1),
        ("antiSnipeSeconds", 30),
        ("startTimestamp", -1),
        ("startTimestamp", 1),
        ("startTimestamp", 1_600_000_000),
    ] {
        let arguments = confirmed(&json!({ name: value }));
        session.refuses_both(&arguments, &format!("{name} {value} is not offered")).await?;
    }
    Ok(())
}
