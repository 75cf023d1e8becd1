//! Defects of `GET /api/tokens`.
use super::super::Act::{Ask, Both, Compare, Know, Tell};
use super::super::{lists, requests};
use super::{Seed, seed};

const LIST: &str = "/api/tokens";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("list-holders-missing", &["LIST-SHAPE"], "the last token of a page lacks total_holders", Tell(LIST, lists::holders_missing)),
    seed("list-market-cap-text", &["LIST-SHAPE"], "market_cap is text", Tell(LIST, lists::market_cap_as_text)),
    seed("list-page-overlap", &["LIST-PAGE"], "each page begins with the last token of the page before", Compare(LIST, lists::page_before, lists::overlap)),
    seed("list-page-past-end", &["LIST-PAGE"], "a page past the end is 404", Tell(LIST, lists::past_the_end)),
    seed("list-pages-rounded-down", &["LIST-COUNT"], "totalPages leaves out a last page that is not full", Tell(LIST, lists::pages_rounded_down)),
    seed("list-count-everything", &["LIST-COUNT"], "totalCount ignores the filters", Compare(LIST, lists::unfiltered, lists::count_everything)),
    seed("list-search-case", &["LIST-SEARCH"], "letter case counts in a search", Tell(LIST, lists::search_by_case)),
    seed("list-search-no-description", &["LIST-SEARCH"], "a search does not look into descriptions", Tell(LIST, lists::search_without_description)),
    seed("list-status-last", &["LIST-STATUS"], "of several states only the last counts", Ask(LIST, requests::last_status)),
    seed("list-newest-neighbours", &["LIST-SORT-NEWEST"], "two neighbours within a page of the newest change places", Tell(LIST, lists::newest_neighbours)),
    seed("list-oldest-by-page", &["LIST-SORT-OLDEST"], "oldest turns around each page of newest by itself", Both(LIST, requests::oldest_as_newest, lists::page_turned)),
    seed("list-mcap-as-text", &["LIST-SORT-MCAP"], "market caps of a page are compared as text", Tell(LIST, lists::market_cap_text_order)),
    seed("list-trending-day", &["LIST-SORT-TRENDING"], "trending always looks at a day", Ask(LIST, requests::day_timeframe)),
    seed("list-trending-first-version-last", &["LIST-SORT-TRENDING"], "tokens of the first version never trend", Know(LIST, lists::v1_never_trends)),
    seed("list-socials-first", &["LIST-SOCIALS"], "of several links only the first counts", Ask(LIST, requests::first_social)),
    seed("list-funding-max-excluded", &["LIST-FUNDING"], "fundingMax is not part of its range", Tell(LIST, lists::funding_max_excluded)),
    seed("list-mcap-min-excluded", &["LIST-MCAP"], "marketCapMin is not part of its range", Tell(LIST, lists::market_cap_min_excluded)),
    seed("list-mcap-max-ignored", &["LIST-MCAP"], "marketCapMax is passed over beside marketCapMin", Ask(LIST, requests::lone_market_cap_min)),
    seed("list-txcount-max-ignored", &["LIST-TXCOUNT"], "txCountMax is passed over beside txCountMin", Ask(LIST, requests::lone_count_min)),
    seed("list-txcount-first-version-zero", &["LIST-TXCOUNT"], "tokens of the first version count as never traded", Know(LIST, lists::v1_untraded)),
    seed("list-created-to-midnight", &["LIST-CREATED"], "createdTo loses its time of day", Ask(LIST, requests::created_to_midnight)),
    seed("list-search-alone", &["LIST-COMBINE"], "a search passes over every other filter", Ask(LIST, requests::search_alone)),
    seed("list-page-zero", &["LIST-BAD"], "page 0 is the first page", Ask(LIST, requests::page_zero)),
    seed("list-range-exchanged", &["LIST-BAD"], "bounds upside down change places", Ask(LIST, requests::exchange_bounds)),
    seed("list-bad-date-500", &["LIST-BAD"], "a malformed date is 500", Tell(LIST, lists::bad_date_breaks)),
];
