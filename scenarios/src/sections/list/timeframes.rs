//! The timeframes of `trending`: each is accepted, and a day is the default.
use crate::answers::reads::{LIST, ListPage, Query, page};
use crate::prelude::*;
use crate::truth::market::Listing;

const TIMEFRAMES: [&str; 4] = ["5m", "1h", "6h", "24h"];
/// How often the default is compared with a day: a trade that leaves the window in between changes the order.
const READINGS: usize = 5;

clause! {
    LIST_TIMEFRAME = "LIST-TIMEFRAME" (S110, S123):
        "timeframe takes 5m, 1h, 6h and 24h, and trending without it is that of 24h.";
    check!("list-timeframes" [Read; Rest] taken on Listing:
        "asks what trends in each timeframe, names one without an order, and compares the default with a day");
}
pub(super) async fn taken(trial: &Trial<'_>, listing: &Listing) -> Verdict {
    for timeframe in TIMEFRAMES {
        let (response, page) = trending(trial, Some(timeframe)).await?;
        // The measure of a trend, and so the tokens in it, is left open.
        let known = addresses(&page).iter().all(|address| !listing.whole || listing.knows(address));
        trial.require(&response, known, "listed tokens")?;
    }
    // Every parameter is optional, and so is the order that the window belongs to.
    trial.read_json(LIST, &[param("timeframe", "1h")]).await?;
    for _ in 0..READINGS {
        let (_, before) = trending(trial, None).await?;
        let (response, day) = trending(trial, Some("24h")).await?;
        let (_, after) = trending(trial, None).await?;
        let [before, day, after] = [&before, &day, &after].map(addresses);
        if before == after {
            return trial.require_equal(&response, "the order without a timeframe", &before, &day);
        }
    }
    Err(no_material("what trends keeps changing"))
}

async fn trending(trial: &Trial<'_>, timeframe: Option<&'static str>) -> Verdict<(Response, ListPage)> {
    let window = timeframe.map(|timeframe| param("timeframe", timeframe));
    let query: Query = [param("sortBy", "trending")].into_iter().chain(window).collect();
    let response = trial.read(LIST, &query).await?;
    let page = page(trial, &response)?;
    Ok((response, page))
}

fn addresses(page: &ListPage) -> Vec<Address> {
    page.tokens.iter().filter_map(|row| row.address("address")).collect()
}
