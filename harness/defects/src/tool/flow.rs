//! Ways to pass messages on: which ones the wrapper drops, holds, repeats or answers itself.

/// One way to pass messages on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Prints a line that is not a message before the first one.
    Banner,
    /// Malformed messages never reach the server.
    DropMalformed,
    /// A tool call reaches the server only after the previous one is answered.
    Queue,
    /// Cancellations never reach the server; every later call looks for the receipt of a cancelled launch.
    DropCancellations,
    /// Peers of older protocol versions are refused.
    RefuseOlderVersions,
    /// Logs settings to standard error unredacted.
    LogSettings,
    /// `wallet_info` panics with a message that contains the RPC's address.
    Panic,
    /// Reads the latest block's time before a launch with a start time.
    ChainTime,
    /// A refusal after a receipt lookup takes ten times as long, and at least seven seconds longer.
    HoldReceipt,
    /// Sends a transaction without a receipt again before the refusal goes out.
    SendAgain,
    /// Holds the answer to a launch briefly, for a second launch.
    AwaitSecondLaunch,
    /// Withholds a refusal of a page that the service has not finished.
    AwaitService,
    /// Reads the service's answers to their end, and passes them on without leading white space.
    ReadAll,
    /// Sends a log notification before each answer.
    Chatter,
    /// Lists two tools a page.
    Paged,
    /// Spells messages differently.
    Spelt,
}
