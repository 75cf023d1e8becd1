//! Defects of `GET /api/tokens`.
use super::super::{lists, requests};
use crate::http::exchange::remove;
use crate::http::mutation::Mutation::{Comparison, Exchange, InformedResponse, Request, Response};
use crate::http::mutation::Need::Versions;
use crate::http::mutation::{MutationRow, row};

const LIST: &str = "/api/tokens";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[MutationRow] = &[
    row!(Rest, "list-holders-missing", &["LIST-SHAPE"], "the last token of a page lacks total_holders", Response(LIST, |_, response| response.last_token(|token| remove(token, "total_holders")))),
    row!(Rest, "list-market-cap-text", &["LIST-SHAPE"], "market_cap is text", Response(LIST, |_, response| response.each_token(|token| token["market_cap"] = token["market_cap"].to_string().into()))),
    row!(Rest, "list-page-overlap", &["LIST-PAGE"], "each page begins with the last token of the page before", Comparison(LIST, lists::page_before, lists::overlap)),
    row!(Rest, "list-page-past-end", &["LIST-NOTHING"], "a page past the end is 404", Response(LIST, lists::past_the_end)),
    row!(Rest, "list-pages-rounded-down", &["LIST-COUNT"], "totalPages leaves out a last page that is not full", Response(LIST, lists::pages_rounded_down)),
    row!(Rest, "list-count-everything", &["LIST-COUNT"], "totalCount ignores the filters", Comparison(LIST, lists::unfiltered, lists::count_everything)),
    row!(Rest, "list-search-case", &["LIST-READING"], "letter case counts in a search", Response(LIST, |request, response| lists::found(request, response, &["name", "ticker", "description", "owner", "address"], str::to_owned))),
    row!(Rest, "list-search-no-description", &["LIST-SEARCH"], "a search does not look into descriptions", Response(LIST, |request, response| lists::found(request, response, &["name", "ticker", "owner", "address"], str::to_lowercase))),
    row!(Rest, "list-status-last", &["LIST-STATUS"], "of several states only the last counts", Request(LIST, |request| request.change("status", |text| text.rsplit(',').next().unwrap_or_default().to_owned()))),
    row!(Rest, "list-live-address-unfound", &["CH-AFTER"], "a search for an address finds nothing among the live", Request(LIST, requests::live_address_unfound)),
    row!(Rest, "list-newest-neighbours", &["LIST-SORT-NEWEST"], "two neighbours within a page of the newest change places", Response(LIST, lists::newest_neighbours)),
    row!(Rest, "list-oldest-by-page", &["LIST-SORT-OLDEST"], "oldest turns around each page of newest by itself", Exchange(LIST, |request| request.replace("sortBy", "oldest", "newest"), lists::page_turned)),
    row!(Rest, "list-mcap-as-text", &["LIST-SORT-MCAP"], "market caps of a page are compared as text", Response(LIST, lists::market_cap_text_order)),
    row!(Rest, "list-trending-day", &["LIST-SORT-TRENDING"], "trending always looks at a day", Request(LIST, requests::day_timeframe)),
    row!(Rest, "list-trending-first-version-last", &["LIST-SORT-TRENDING"], "V1 tokens never trend", InformedResponse(LIST, Versions, lists::v1_never_trends)),
    row!(Rest, "list-socials-first", &["LIST-READING"], "of several links only the first counts", Request(LIST, |request| request.change("socials", |text| text.split(',').next().unwrap_or_default().to_owned()))),
    row!(Rest, "list-socials-ignored", &["LIST-SOCIALS"], "socials is passed over", Request(LIST, |request| request.drop("socials"))),
    row!(Rest, "list-funding-min-ignored", &["LIST-FUNDING"], "fundingMin is passed over", Request(LIST, |request| request.drop("fundingMin"))),
    row!(Rest, "list-funding-max-excluded", &["LIST-READING"], "fundingMax is not part of its range", Response(LIST, |request, response| lists::exclude(request, response, "fundingMax", "funding_progress"))),
    row!(Rest, "list-mcap-min-excluded", &["LIST-READING"], "marketCapMin is not part of its range", Response(LIST, |request, response| lists::exclude(request, response, "marketCapMin", "market_cap"))),
    row!(Rest, "list-mcap-max-ignored", &["LIST-MCAP"], "marketCapMax is ignored next to marketCapMin", Request(LIST, |request| request.drop_beside("marketCapMin", "marketCapMax"))),
    row!(Rest, "list-txcount-max-ignored", &["LIST-TXCOUNT"], "txCountMax is ignored next to txCountMin", Request(LIST, |request| request.drop_beside("txCountMin", "txCountMax"))),
    row!(Rest, "list-txcount-first-version-zero", &["LIST-TRADES"], "V1 tokens count as never traded", InformedResponse(LIST, Versions, lists::v1_untraded)),
    row!(Rest, "list-created-to-midnight", &["LIST-CREATED"], "createdTo loses its time of day", Request(LIST, |request| request.change("createdTo", |text| match text.split_once('T') { Some((date, _)) => date.to_owned(), None => text.to_owned(), }))),
    row!(Rest, "list-search-alone", &["LIST-COMBINE"], "a search passes over every other filter", Request(LIST, |request| if request.has("search") { request.query.retain(|(name, _)| matches!(name.as_str(), "search" | "page" | "sortBy" | "timeframe")) })),
    row!(Rest, "list-page-zero", &["LIST-BAD"], "page 0 is the first page", Request(LIST, |request| request.replace("page", "0", "1"))),
    row!(Rest, "list-range-exchanged", &["LIST-BAD"], "bounds upside down change places", Request(LIST, requests::exchange_bounds)),
    row!(Rest, "list-bad-date-500", &["LIST-BAD"], "a malformed date is 500", Response(LIST, lists::bad_date_breaks)),
    row!(Rest, "list-lies-now-and-then", &["FIG-SAME"], "each fifth page of an ordered list has doubled market caps, never twice in a row for one request", Response(LIST, lists::lie_now_and_then)),
];
