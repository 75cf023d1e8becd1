//! Input that this project's tool server refuses although the interface leaves it open.
use super::fixture::{Session, WRITES, confirmed};
use crate::prelude::*;

clause! {
    MCP_STRICT = "MCP-STRICT" (choice S236, S237, S252, S253, S257, S261, S264, S265, S266, S268, S269, S272, S278, S281):
        "What the interface leaves open and could do harm is refused: starts in the past, referral codes beyond ASCII, amounts over a cap, unusable key files, base addresses with a path, hosts of which an address is not public, long texts.";
    check!("tool-server-times" [Write; ToolServer, Rest, PrimaryChain, Accounts] times_are_offered:
        "asks for protections of other lengths, for starts in the past and for a referral code beyond ASCII");
    check!("tool-server-key-file-only" [Read; ToolServer, Rest, PrimaryChain] super::settings::key_files_are_final:
        "gives a raw key together with key files that cannot be used, and files that others may write");
}
pub(super) async fn times_are_offered(trial: &Trial<'_>) -> Verdict {
    let mut session = Session::start(trial, ether(1), &[WRITES]).await?;
    for (name, value) in [
        ("antiSnipeSeconds", json!(-1)),
        ("antiSnipeSeconds", json!(30)),
        ("startTimestamp", json!(-1)),
        ("startTimestamp", json!(1)),
        ("startTimestamp", json!(1_600_000_000)),
        ("referralCode", json!("ünïcode")),
    ] {
        let arguments = confirmed(&json!({ name: value }));
        session.refuses_both(&arguments, &format!("{name} {value} is not offered")).await?;
    }
    Ok(())
}
