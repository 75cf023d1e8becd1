//! The orders of the list.
use std::cmp::{Ordering, Reverse};

use crate::check::{Check, Lane, Need, Verdict};
use crate::market::activity::Activity;
use crate::market::order::{Order, judge, ordered, same_tokens};
use crate::market::{Market, on_steady_market};
use crate::reads::{Query, param, walk};
use crate::world::World;

pub(super) const NEWEST: Check = Check {
    id: "list-newest",
    clauses: &["LIST-SORT-NEWEST"],
    summary: "walks the list without an order and by newest, and looks at the times of creation",
    lane: Lane::Read,
    needs: &[Need::Rest],
    run: |world| {
        Box::pin(on_steady_market(world, |world, market| {
            Box::pin(in_orders(world, "LIST-SORT-NEWEST", market, &[Order::Default, Order::Newest]))
        }))
    },
};

pub(super) const OLDEST: Check = Check {
    id: "list-oldest",
    clauses: &["LIST-SORT-OLDEST"],
    summary: "walks the list by oldest and looks at the times of creation",
    lane: Lane::Read,
    needs: &[Need::Rest],
    run: |world| {
        Box::pin(on_steady_market(world, |world, market| {
            Box::pin(in_orders(world, "LIST-SORT-OLDEST", market, &[Order::Oldest]))
        }))
    },
};

pub(super) const CAP: Check = Check {
    id: "list-by-market-cap",
    clauses: &["LIST-SORT-MCAP"],
    summary: "walks the list by market cap, both ways, and looks at the market caps",
    lane: Lane::Read,
    needs: &[Need::Rest],
    run: |world| {
        Box::pin(on_steady_market(world, |world, market| {
            Box::pin(in_orders(world, "LIST-SORT-MCAP", market, &[Order::HighestCap, Order::LowestCap]))
        }))
    },
};

pub(super) const TRENDING: Check = Check {
    id: "list-trending",
    clauses: &["LIST-SORT-TRENDING"],
    summary: "walks the trending list of each timeframe and counts trades in it, from figures and from logs",
    lane: Lane::Read,
    needs: &[Need::Rest],
    run: |world| Box::pin(on_steady_market(world, |world, market| Box::pin(trending(world, market)))),
};

/// Timeframes with their seconds.
const TIMEFRAMES: [(&str, u64); 4] = [("5m", 300), ("1h", 3_600), ("6h", 21_600), ("24h", 86_400)];

async fn in_orders(world: &World, clause: &'static str, market: &Market, orders: &[Order]) -> Verdict {
    market.at_least(2)?;
    for order in orders {
        judge(world, clause, market, &Activity::default(), &[], *order).await?;
    }
    Ok(())
}

async fn trending(world: &World, market: &Market) -> Verdict {
    market.at_least(2)?;
    trending_by_figures(world, market).await?;
    if world.has(Need::Control) && world.has(Need::PrimaryChain) && world.has(Need::SecondChain) {
        trending_by_logs(world, market).await?;
    }
    Ok(())
}

/// A day's trend, asked for and by default, against the figures of a day: trades, then volume, then newest.
async fn trending_by_figures(world: &World, market: &Market) -> Verdict {
    const CLAUSE: &str = "LIST-SORT-TRENDING";
    let plain: Query = vec![param("sortBy", "trending")];
    let day: Query = vec![param("sortBy", "trending"), param("timeframe", "24h")];
    for query in [plain, day] {
        let walk = walk(world, CLAUSE, &query).await?;
        same_tokens(CLAUSE, market, &Activity::default(), &[], &walk)?;
        ordered(CLAUSE, market, &walk, |one, other| {
            let key = |token: &crate::market::Token| {
                Reverse((token.trades.clone(), token.volume.clone(), token.created))
            };
            key(one).cmp(&key(other))
        })?;
    }
    Ok(())
}

/// Every timeframe against the trades in the logs; a trade at its very edge may count or not.
async fn trending_by_logs(world: &World, market: &Market) -> Verdict {
    const CLAUSE: &str = "LIST-SORT-TRENDING";
    let control = world.control()?;
    let activity = Activity::read(world).await?;
    for (name, seconds) in TIMEFRAMES {
        let before = control.now().await?;
        let query: Query = vec![param("sortBy", "trending"), param("timeframe", name)];
        let walk = walk(world, CLAUSE, &query).await?;
        let after = control.now().await?;
        same_tokens(CLAUSE, market, &activity, &[], &walk)?;
        let (early, late) = (before.saturating_sub(seconds), after.saturating_sub(seconds) + 1);
        ordered(CLAUSE, market, &walk, |one, other| {
            let (_, most) = activity.within(&one.address, early, late);
            let (least, highest) = activity.within(&other.address, early, late);
            if (most, highest) == (0, 0) {
                // Nothing was traded, so there is no volume either.
                return other.created.cmp(&one.created);
            }
            if most < least { Ordering::Greater } else { Ordering::Equal }
        })?;
    }
    Ok(())
}
