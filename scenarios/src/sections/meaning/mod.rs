//! Meaning: figures match the chain, the clock and the bytes, and reads never go backwards.
mod auction;
mod capabilities;
mod concurrency;
mod ether;
pub(super) mod exchange;
pub(super) mod hindsight;
pub(super) mod leaders;
mod listed;
mod percent;
mod posts;
mod quotes;
mod range;
mod referral;
mod same;
mod shown;
mod tally;
pub(super) mod timed;
pub(super) mod tokens;
mod volumes;

use crate::trial::declare::{check, clause, section};

section! {
    FIG_RANGE, FIG_PRICE, FIG_MCAP, FIG_PROGRESS, FIG_VOLUME, FIG_CHANGE, FIG_TXNS, FIG_HOLDERS, FIG_IDENTITY, FIG_CREATED, FIG_RECORD,
    FIG_LISTED, FIG_SAME, FIG_ALIKE, FIG_BIDS, FIG_DUTCH, FIG_CHAT, FIG_REF, FIG_PERIODS, FIG_CREDIT, FIG_LEAD, FIG_CAP, FIG_KINDS, FIG_PARTS, FIG_RATES, FIG_GAS, FIG_PAIRS, FIG_UPLOAD, HIST_READ, HIST_ORDER,
}

clause! {
    FIG_RANGE = "FIG-RANGE" (S26, S27, S28, S29, S30, S31, S32, S33, S34, S35, S36, S37, S38, S39, S40):
        "Prices and market caps are positive, a price is near one that the token had, no price falls by more than 100 percent, a change is that of its window, volumes are in one unit, not negative, and 0 where nothing was traded but not where most was, and counts are whole, an hour has no more than its day, no more hold a token than have a balance, nor nobody where several traders do, percentages are from 0 to 100, and funding_progress is from 0 to 1, 1 exactly when the token graduated, and above 0 once half of the target was raised.";
    check!("fig-range" [Read; Rest, PrimaryChain] range::held on Ledger:
        "compares the figures of every token with what they can be at all");
    check!("fig-volumes" [Read; Rest, PrimaryChain; S29, S33] volumes::held on Ledger:
        "looks whether the volumes of all tokens are in one unit, by the trades that the chain logged");
    check!("fig-percent" [Read; Rest, PrimaryChain; S30, S34, S38, S39] percent::held on Ledger:
        "looks whether changes of prices and shares of the supply are those of the chain in percent, or a hundred times off, and changes those of their window");
    check!("fig-ether" [Read; Rest, PrimaryChain; S26, S28] ether::held on Ledger:
        "looks whether prices and market caps are in ether, or as many decimals off as wei are, and prices among those that the token had");
}

clause! {
    FIG_PRICE = "FIG-PRICE" (choice S28):
        "price_eth is what a token costs on its curve or, once it graduated, in its pool or pair.";
    check!("fig-price" [Read; Rest, PrimaryChain] tokens::fields_of_its_clause on Ledger:
        "recomputes the price of every token from its curve, pool or pair");
}

clause! {
    FIG_MCAP = "FIG-MCAP" (choice S26):
        "market_cap is the price of the whole supply.";
    check!("fig-mcap" [Read; Rest, PrimaryChain] tokens::fields_of_its_clause on Ledger:
        "recomputes every market cap as price times supply");
}

clause! {
    FIG_PROGRESS = "FIG-PROGRESS" (choice S27, S102):
        "funding_progress is net contributions over target, in V1 and V2.";
    check!("fig-progress" [Read; Rest, PrimaryChain] tokens::fields_of_its_clause on Ledger:
        "recomputes the funding of every token from stored contributions and target");
}

clause! {
    FIG_VOLUME = "FIG-VOLUME" (choice S29, S33):
        "volume_24h and volume_1h are the sums of the trades of their windows.";
    check!("fig-volume" [Read; Rest, PrimaryChain] tokens::fields_of_its_clause on Ledger:
        "adds up the logged trades of each window");
}

clause! {
    FIG_CHANGE = "FIG-CHANGE" (choice S30, S34):
        "price_change_24h and price_change_1h compare with the price at the start of their windows.";
    check!("fig-change" [Read; Rest, PrimaryChain] tokens::fields_of_its_clause on Ledger:
        "compares the price with the one at the start of each window");
}

clause! {
    FIG_TXNS = "FIG-TXNS" (S31, S32, S35, S36):
        "Buys and sells count the trades of their side and window, or the transactions of these.";
    check!("fig-txns" [Read; Rest, PrimaryChain] tokens::fields_of_its_clause on Ledger:
        "counts the logged buys and sells of each window");
}

clause! {
    FIG_HOLDERS = "FIG-HOLDERS" (choice S37, S38, S39):
        "Holder count and percentages follow from the balances.";
    check!("fig-holders" [Read; Rest, PrimaryChain] tokens::fields_of_its_clause on Ledger:
        "adds up the balances of every token from its transfers");
}

clause! {
    FIG_IDENTITY = "FIG-IDENTITY" (S18, S19, S20, S21, S22, S23, S24, S25, S40, S197):
        "Name, ticker, description, image, links, owner and hook are those of the launch, to the character, and is_graduated is whether its funding is complete.";
    check!("fig-identity" [Read; Rest, PrimaryChain] tokens::fields_of_its_clause on Ledger:
        "compares texts, links, owner and hook with the log of the launch");
}

clause! {
    FIG_CREATED = "FIG-CREATED" (S17):
        "Creation time is that of the creating transaction.";
    check!("fig-created" [Read; Rest, PrimaryChain] tokens::fields_of_its_clause on Ledger:
        "compares the time with the block of the creating log");
}

clause! {
    FIG_RECORD = "FIG-RECORD" (choice S41, S165):
        "The record of a launch matches what its contract stores and logs, and its quote asset matches the asset's contract.";
    check!("fig-record" [Read; Rest, PrimaryChain] tokens::fields_of_its_clause on Ledger:
        "compares the whole record with the stored state of the launch and its asset");
    check!("fig-record-assets" [Read; Rest, PrimaryChain] capabilities::assets:
        "compares each quote asset with its hook and its contract");
}

clause! {
    FIG_LISTED = "FIG-LISTED" (S46, S328):
        "Every launch of the chains is in the list, among its owner's tokens, in its batch and, of V2, among the recent launches of its chain, unless it is inactive.";
    check!("fig-listed" [Read; Rest, PrimaryChain] listed::everywhere on Ledger:
        "looks for every launch of the chains in the list, its batch, its owner's tokens and the recent launches");
}

clause! {
    FIG_SAME = "FIG-SAME" (S16, S328):
        "Every endpoint returns the same data of one token at one moment, King and Emperor included.";
    check!("fig-same" [Read; Rest, PrimaryChain] same::everywhere on Ledger:
        "compares what every endpoint returns of each token");
    check!("fig-same-again" [Read; Rest, PrimaryChain] same::again on Ledger:
        "reads the list in every order and the recent launches five times, and compares what they return of each token");
}

clause! {
    FIG_ALIKE = "FIG-ALIKE" (choice S16, S328):
        "Every endpoint writes an address in one form and a figure with the same digits.";
    check!("fig-alike" [Read; Rest, PrimaryChain] same::alike on Ledger:
        "compares how every endpoint writes each address and figure");
}

clause! {
    FIG_BIDS = "FIG-BIDS" (S49, S51, S52, S55, S56, S57, S58, S170):
        "Winning bids, their times and the tokens of yesterday, today and tomorrow follow from the events of the auction.";
    check!("fig-bids" [Read; Rest, PrimaryChain] auction::held(auction::won) on Ledger:
        "recomputes bids, times and tokens of the bid data from the events of the auction");
}

clause! {
    FIG_DUTCH = "FIG-DUTCH" (choice S49, S50, S52):
        "A day opens at twice the last bid, at least at ten floors, its price falls to the floor in even steps until it is won, and before the first bid there is none.";
    check!("fig-dutch" [Read; Rest, PrimaryChain] auction::held(auction::priced) on Ledger:
        "recomputes opening and current price from the events of the auction and the second");
}

clause! {
    FIG_CHAT = "FIG-CHAT" (S60, S61, S63, S181):
        "Message, sender, token and time of a chat message are those of its post.";
    check!("fig-chat" [Exclusive; Rest, Control] posts::chat:
        "posts messages and compares what is answered and read with them, and with the clock");
    check!("fig-chat-apart" [Exclusive; Rest, Control] posts::apart:
        "posts to two tokens, and looks for the message of one among those of the other");
}

clause! {
    FIG_REF = "FIG-REF" (choice S64, S65, S66, S67, S68, S201, S205):
        "Points, counts, times and ranks of the referral programme follow from events and registrations.";
    check!("fig-ref" [Exclusive; Rest, Control, PrimaryChain, Accounts] referral::programme:
        "lives a story of codes, registrations, launches and trades, and recomputes all that is reported of it");
}

clause! {
    FIG_PERIODS = "FIG-PERIODS" (choice S201, S205):
        "An event counts in the stats of a period, and in its leaderboard, until it is as old as the period is long.";
    check!("fig-periods" [Exclusive; Rest, Control, PrimaryChain, Accounts] referral::edges:
        "reads stats and leaderboard of every period a minute before and after an event leaves it");
}

clause! {
    FIG_CREDIT = "FIG-CREDIT" (choice S202, S207, S208, S209):
        "An event earns points for the referrer that its wallet registered with, else for the referrer whose code its call names, and for no other.";
    check!("fig-credit" [Exclusive; Rest, Control, PrimaryChain, Accounts] referral::credit:
        "launches, buys and sells as a registered wallet that names another's code, and as a wallet that never registered");
}

clause! {
    FIG_LEAD = "FIG-LEAD" (choice S167):
        "Points and volume of the leaderboard follow from events.";
    check!("fig-lead" [Read; Rest, PrimaryChain] leaders::board on Ledger:
        "recomputes points and volume of every wallet of the board from logs");
}

clause! {
    FIG_CAP = "FIG-CAP" (S8, S89, S92, S94, S100, S101, S107):
        "The chain of the capabilities is the requested one, the hook of the active deployment is one of its contracts, and create and its status report whether launches are accepted.";
    check!("fig-cap" [Read; Rest, PrimaryChain] capabilities::works:
        "asks the chain about the hook, and simulates a launch");
}

clause! {
    FIG_KINDS = "FIG-KINDS" (S98, S101):
        "A contract that a deployment names by its kind, such as quoter or permit2, is of that kind.";
    check!("fig-kinds" [Read; Rest, PrimaryChain] capabilities::kinds:
        "calls every named contract of the deployments with a function that only its kind has");
}

clause! {
    FIG_PARTS = "FIG-PARTS" (choice S92, S93, S97, S98, S99, S101):
        "Every contract, version, hash, block, status and flag in the capabilities matches its chain.";
    check!("fig-parts" [Read; Rest, PrimaryChain] capabilities::named:
        "asks the chain about every contract, hash, block and flag of the capabilities");
}

clause! {
    FIG_RATES = "FIG-RATES" (choice S73, S74, S75, S76, S78, S79, S80):
        "Rates, impact, fee and bounds of a quote follow from amounts, decimals, slippage and reserves.";
    check!("fig-rates" [Read; Swap, PrimaryChain] exchange::rates on ExchangeLedger:
        "recomputes rates, impact, fee and bounds of quotes from amounts, decimals, slippage and reserves");
}

clause! {
    FIG_GAS = "FIG-GAS" (choice S84):
        "Gas and gas price of a built transaction suffice and are at most twice what is needed.";
    check!("fig-gas" [Read; Swap, PrimaryChain, Accounts] exchange::gas on ExchangeLedger:
        "estimates built transactions and compares the gas they name");
}

clause! {
    FIG_PAIRS = "FIG-PAIRS" (choice S223):
        "Liquidity, volume, fees and prices of pairs and tokens follow from reserves and logs.";
    check!("fig-pairs" [Read; Swap, PrimaryChain] exchange::pairs on ExchangeLedger:
        "recomputes liquidity, volume, fees and prices from reserves and logs");
}

clause! {
    FIG_UPLOAD = "FIG-UPLOAD" (choice S187):
        "An upload is served byte for byte, and its answer describes it truthfully.";
    check!("fig-upload" [Exclusive; Rest, Control] posts::upload:
        "uploads pictures and compares bytes, headers and proofs with them");
}

clause! {
    HIST_READ = "HIST-READ" (choice S163):
        "What has been reported as indexed, or read once, is in every later read, unless the chain was rolled back.";
    check!("hist-read" [Exclusive; Rest, PrimaryChain, Accounts] concurrency::reads:
        "launches and reads as several clients at once, and looks for reads that lost something");
}

clause! {
    HIST_ORDER = "HIST-ORDER" (choice S59):
        "Concurrent writes appear in one order, in which a write that ended before another began comes first.";
    check!("hist-order" [Exclusive; Rest, PrimaryChain, Accounts] concurrency::orders:
        "launches and posts as several clients at once, and checks that one order of events explains all reads");
}
