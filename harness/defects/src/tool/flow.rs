//! Ways in which messages go on: which are dropped, held, repeated or answered by the wrapper.

/// One way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// A line that is no message is printed before the first one.
    Banner,
    /// Malformed messages never reach the server.
    DropMalformed,
    /// A tool call reaches the server when the one before is answered.
    Queue,
    /// Cancellations never reach the server; a cancelled launch is looked for at each further call.
    DropCancellations,
    /// Peers of older protocol versions are refused.
    RefuseOlderVersions,
    /// Settings go to standard error as they are.
    LogSettings,
    /// `wallet_info` ends in a panic whose message has the RPC's address.
    Panic,
    /// The latest block's time is asked for before a launch with a start.
    ChainTime,
    /// A refusal after a look for a receipt takes ten times as long, and seven seconds more at least.
    HoldReceipt,
    /// A transaction without a receipt is sent again before the refusal goes out.
    SendAgain,
    /// The answer to a launch waits a moment for a second launch.
    AwaitSecondLaunch,
    /// A refusal of a page that the service has not finished is kept back.
    AwaitService,
    /// The service's answers are read to their end, and handed on without white space around them.
    ReadAll,
    /// A log notification is sent before each answer.
    Chatter,
    /// Messages are spelt in another way.
    Spelt,
}
