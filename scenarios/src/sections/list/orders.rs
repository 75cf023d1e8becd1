//! The orders of the list.
use std::cmp::{Ordering, Reverse};

use crate::answers::reads::{Query, walk};
use crate::prelude::*;
use crate::truth::market::activity::Activity;
use crate::truth::market::filter::Reading;
use crate::truth::market::order::{Order, judge, ordered, same_tokens};
use crate::truth::market::{Market, Token};
use crate::truth::steady::Snapshot as _;

/// Timeframes with their lengths in seconds.
const TIMEFRAMES: [(&str, u64); 4] = [("5m", 300), ("1h", 3_600), ("6h", 21_600), ("24h", 86_400)];

clause! {
    LIST_SORT_NEWEST = "LIST-SORT-NEWEST" (S110, S118, S119):
        "Without sortBy, and with newest, the most recently created come first.";
    check!("list-newest" [Read; Rest] in_orders(&[None, Some("newest")]) on Market:
        "walks the list without an order and by newest, and looks at the times of creation");
}

clause! {
    LIST_SORT_OLDEST = "LIST-SORT-OLDEST" (S110, S120): "With oldest, the earliest created come first.";
    check!("list-oldest" [Read; Rest] in_orders(&[Some("oldest")]) on Market:
        "walks the list by oldest and looks at the times of creation");
}

clause! {
    LIST_SORT_MCAP = "LIST-SORT-MCAP" (S110, S122): "mcap-high orders by market cap descending, mcap-low ascending.";
    check!("list-by-market-cap" [Read; Rest] in_orders(&[Some("mcap-high"), Some("mcap-low")]) on Market:
        "walks the list by market cap, both ways, and looks at the market caps");
}
async fn in_orders(trial: &Trial<'_>, market: &Market, orders: &[Order]) -> Verdict {
    market.at_least(2)?;
    for order in orders {
        judge(trial, market, &[], *order).await?;
    }
    Ok(())
}

clause! {
    LIST_SORT_TRENDING = "LIST-SORT-TRENDING" (choice S6, S110, S121, S123):
        "trending orders by what was traded within the timeframe, by default a day.";
    check!("list-trending" [Read; Rest] trending on Market:
        "walks the trending list of each timeframe and counts trades in it, from figures and from logs");
}
async fn trending(trial: &Trial<'_>, market: &Market) -> Verdict {
    market.at_least(2)?;
    trending_by_figures(trial, market).await?;
    if trial.has(Need::Control) && trial.has(Need::PrimaryChain) && trial.has(Need::SecondChain) {
        trending_by_logs(trial, market).await?;
    }
    Ok(())
}

/// Judges the trend of a day, by default and on request, by each token's figures of a day: trades, then volume, then newest first. Tokens
/// that changed in between may be anywhere: the clock alone changes these figures, and a limit may move it far.
async fn trending_by_figures(trial: &Trial<'_>, market: &Market) -> Verdict {
    let plain: Query = vec![param("sortBy", "trending")];
    let day: Query = vec![param("sortBy", "trending"), param("timeframe", "24h")];
    for query in [plain, day] {
        let walk = walk(trial, &query).await?;
        let market = market.with(trial, &walk.addresses).await?;
        same_tokens(trial, &market, &Activity::default(), (&[], Reading::Chosen), &walk)?;
        if !trial.tried(|trial| ordered(trial, &market, &walk, most_traded_first)).holds() {
            let after = Market::read(trial).await?;
            let unmoved = market.unmoved(&*after.with(trial, &walk.addresses).await?);
            ordered(trial, &unmoved, &walk, most_traded_first)?;
        }
    }
    Ok(())
}

fn most_traded_first(one: &Token, other: &Token) -> Ordering {
    let key = |token: &Token| Reverse((token.trades.clone(), token.volume.clone(), token.created));
    key(one).cmp(&key(other))
}

/// Judges every timeframe by the trades in the logs; a trade at the very edge may or may not count.
async fn trending_by_logs(trial: &Trial<'_>, market: &Market) -> Verdict {
    let control = trial.control()?;
    let activity = Activity::read(trial).await?;
    for (name, seconds) in TIMEFRAMES {
        let before = control.now().await?;
        let query: Query = vec![param("sortBy", "trending"), param("timeframe", name)];
        let walk = walk(trial, &query).await?;
        let after = control.now().await?;
        let market = market.with(trial, &walk.addresses).await?;
        same_tokens(trial, &market, &activity, (&[], Reading::Chosen), &walk)?;
        let (early, late) = (before.saturating_sub(seconds), after.saturating_sub(seconds) + 1);
        ordered(trial, &market, &walk, |one, other| {
            let (_, most) = activity.within(one.address, early, late);
            let (least, highest) = activity.within(other.address, early, late);
            if (most, highest) == (0, 0) {
                // Without trades there is no volume either.
                return other.created.cmp(&one.created);
            }
            if most < least { Ordering::Greater } else { Ordering::Equal }
        })?;
    }
    Ok(())
}
