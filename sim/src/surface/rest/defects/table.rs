//! The table of the service's defects.
use super::Act::{Ask, Both, Compare, Everywhere, Tell};
use super::{Act, Seed, answers, lists, requests};
use crate::defect::{Defect, Layer};

const LIST: &str = "/api/tokens";
const OWNER: &str = "/api/tokens/by-owner";
const BATCH: &str = "/api/tokens/batch";
const RECENT: &str = "/api/tokens/recent-v2";
const TOKEN: &str = "/api/token";
const CAPABILITIES: &str = "/api/capabilities";

const fn seed(id: &'static str, clauses: &'static [&'static str], summary: &'static str, act: Act) -> Seed {
    Seed {
        id,
        clauses,
        summary,
        act,
    }
}

/// Every defect with its act.
pub(super) static SEEDS: [Seed; COUNT] = TABLE;

/// The defects as the catalogue lists them.
pub(crate) const DEFECTS: &[Defect] = &{
    let mut defects = [const {
        Defect {
            id: "",
            layer: Layer::Rest,
            summary: "",
            clauses: &[],
        }
    }; COUNT];
    let mut index = 0;
    while index < COUNT {
        let Seed {
            id, clauses, summary, ..
        } = TABLE[index];
        defects[index] = Defect {
            id,
            layer: Layer::Rest,
            summary,
            clauses,
        };
        index += 1;
    }
    defects
};

const COUNT: usize = 73;

#[rustfmt::skip]
const TABLE: [Seed; COUNT] = [
    seed("svc-refusal-as-text", &["SVC-JSON"], "refusals are sent as text/plain", Everywhere(answers::refusals_as_text)),
    seed("svc-refusal-with-source", &["SVC-ERR"], "refusals carry a trace with a path of the host", Everywhere(answers::refusals_with_source)),
    seed("svc-refusal-without-status", &["SVC-ERR"], "the body of a refusal lacks its status", Everywhere(answers::refusals_without_status)),
    seed("svc-method-without-allow", &["SVC-METHOD"], "405 comes without the Allow header", Everywhere(answers::no_allow)),
    seed("svc-method-not-found", &["SVC-METHOD"], "a wrong method on a known path is 404", Everywhere(answers::method_not_found)),
    seed("svc-junk-authorization", &["SVC-NOAUTH"], "a junk Authorization header is refused where none is needed", Everywhere(answers::junk_authorization)),
    seed("svc-unknown-parameter", &["SVC-EXTRA"], "the list refuses parameters that it does not know", Tell(LIST, answers::unknown_parameter)),
    seed("svc-unknown-field", &["SVC-EXTRA"], "the batch refuses body fields that it does not know", Tell(BATCH, answers::unknown_field)),
    seed("svc-amount-exponent", &["SVC-AMOUNT"], "round amounts in wei are written with an exponent", Tell(TOKEN, answers::amount_with_exponent)),
    seed("svc-time-without-zone", &["SVC-TIME"], "created_at does not say its zone", Everywhere(answers::time_without_zone)),
    seed("svc-address-capitals", &["SVC-ADDR"], "an address in capital letters is unknown", Ask(TOKEN, requests::capital_address)),
    seed("svc-preflight-unanswered", &["SVC-CORS"], "a preflight is not told which methods and headers are allowed", Everywhere(answers::preflight_without_methods)),
    seed("svc-refusal-without-origin", &["SVC-CORS"], "refusals lack Access-Control-Allow-Origin", Everywhere(answers::refusals_without_origin)),

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
    seed("list-socials-first", &["LIST-SOCIALS"], "of several links only the first counts", Ask(LIST, requests::first_social)),
    seed("list-funding-max-excluded", &["LIST-FUNDING"], "fundingMax is not part of its range", Tell(LIST, lists::funding_max_excluded)),
    seed("list-mcap-min-excluded", &["LIST-MCAP"], "marketCapMin is not part of its range", Tell(LIST, lists::market_cap_min_excluded)),
    seed("list-mcap-max-ignored", &["LIST-MCAP"], "marketCapMax is passed over beside marketCapMin", Ask(LIST, requests::lone_market_cap_min)),
    seed("list-txcount-max-ignored", &["LIST-TXCOUNT"], "txCountMax is passed over beside txCountMin", Ask(LIST, requests::lone_count_min)),
    seed("list-created-to-midnight", &["LIST-CREATED"], "createdTo loses its time of day", Ask(LIST, requests::created_to_midnight)),
    seed("list-search-alone", &["LIST-COMBINE"], "a search passes over every other filter", Ask(LIST, requests::search_alone)),
    seed("list-page-zero", &["LIST-BAD"], "page 0 is the first page", Ask(LIST, requests::page_zero)),
    seed("list-range-exchanged", &["LIST-BAD"], "bounds upside down change places", Ask(LIST, requests::exchange_bounds)),
    seed("list-bad-date-500", &["LIST-BAD"], "a malformed date is 500", Tell(LIST, lists::bad_date_breaks)),

    seed("owner-missing-empty", &["OWNER-REQ"], "without an owner the answer is an empty list", Tell(OWNER, lists::owner_missing)),
    seed("owner-total-pages-renamed", &["OWNER-SHAPE"], "pagination has total_pages instead of totalPages", Tell(OWNER, lists::total_pages_renamed)),
    seed("owner-graduated-missing", &["OWNER-SHAPE"], "is_graduated is left out while it is false", Tell(OWNER, lists::graduated_missing)),
    seed("owner-limit-clamped", &["OWNER-LIMIT"], "a limit above 100 is taken for 100", Ask(OWNER, requests::clamp_to_hundred)),
    seed("owner-limit-default", &["OWNER-LIMIT"], "ten tokens are shown unless told", Ask(OWNER, requests::ten_rows)),
    seed("owner-total-of-page", &["OWNER-PAGE"], "total counts the tokens of the page", Tell(OWNER, lists::total_of_page)),
    seed("owner-volume-as-mcap", &["OWNER-SORT"], "volume_24h_desc orders by market cap", Ask(OWNER, requests::volume_as_market_cap)),
    seed("owner-unknown-404", &["OWNER-ONLY"], "an owner without tokens is 404", Tell(OWNER, lists::unknown_owner)),
    seed("owner-inactive-always", &["OWNER-INACTIVE"], "disabled tokens are always shown", Ask(OWNER, requests::always_inactive)),

    seed("batch-any-content-type", &["BATCH-REQ"], "a body that does not say it is JSON is read", Ask(BATCH, requests::any_content_type)),
    seed("batch-cut-at-50", &["BATCH-MAX"], "addresses beyond the fiftieth are cut off instead of refused", Ask(BATCH, requests::cut_at_fifty)),
    seed("batch-errors-missing", &["BATCH-SHAPE"], "errors is left out while it is empty", Tell(BATCH, answers::errors_missing)),
    seed("batch-last-lost", &["BATCH-FOUND"], "of more than ten addresses the last that is found is lost", Tell(BATCH, answers::last_of_many_lost)),
    seed("batch-malformed-unmentioned", &["BATCH-INVALID"], "malformed addresses are not in notFound", Tell(BATCH, answers::malformed_unmentioned)),
    seed("batch-metrics-null", &["BATCH-METRICS"], "metrics that were not asked for are null", Tell(BATCH, answers::metrics_null)),
    seed("batch-holders-kept", &["BATCH-HOLDERS"], "total_holders is there although it was not asked for", Tell(BATCH, answers::holders_kept)),
    seed("batch-null-links-missing", &["BATCH-SOCIALS"], "links that a token lacks are left out", Tell(BATCH, answers::null_links_missing)),
    seed("batch-flags-linked", &["BATCH-FLAGS"], "two flags off turn off the third", Ask(BATCH, requests::linked_flags)),
    seed("batch-get-without-links", &["BATCH-GET"], "the GET form leaves the links out", Tell(BATCH, answers::get_without_links)),

    seed("recent-chain-default", &["RECENT-CHAIN"], "without a chain the primary one is meant", Ask(RECENT, requests::default_chain)),
    seed("recent-chain-any", &["RECENT-CHAIN"], "an unknown chain is taken for the primary one", Ask(RECENT, requests::any_chain)),
    seed("recent-limit-clamped", &["RECENT-LIMIT"], "a limit above 50 is taken for 50", Ask(RECENT, requests::clamp_to_fifty)),
    seed("recent-limit-default", &["RECENT-LIMIT"], "twenty rows are shown unless told", Ask(RECENT, requests::twenty_rows)),
    seed("recent-offset-late", &["RECENT-OFFSET"], "every page but the first begins one row too late", Ask(RECENT, requests::late_offset)),
    seed("recent-next-always", &["RECENT-NEXT"], "a page that is not full has a nextOffset", Tell(RECENT, lists::next_always)),
    seed("recent-launch-id-text", &["RECENT-SHAPE"], "launch_id is text", Tell(RECENT, lists::launch_id_as_text)),

    seed("token-market-cap-coarse", &["TOKEN-ONE"], "market_cap is rounded to five decimals", Tell(TOKEN, answers::coarse_market_cap)),
    seed("token-unknown-null", &["TOKEN-BAD"], "an unknown token is null with 200", Tell(TOKEN, answers::unknown_is_null)),
    seed("token-malformed-404", &["TOKEN-BAD"], "a malformed address is 404", Tell(TOKEN, answers::malformed_not_found)),
    seed("token-new-late", &["TOKEN-AFTER-LAUNCH"], "a token is unknown for the first thirty seconds of its life", Tell(TOKEN, answers::new_token_late)),

    seed("cap-chain-default", &["CAP-CHAIN"], "without a chain the primary one is meant", Ask(CAPABILITIES, requests::default_chain)),
    seed("cap-chain-any", &["CAP-CHAIN"], "an unknown chain is taken for the primary one", Ask(CAPABILITIES, requests::any_chain)),
    seed("cap-permit2-missing", &["CAP-SHAPE"], "the v4 contracts lack permit2", Tell(CAPABILITIES, answers::permit2_missing)),
    seed("cap-cacheable", &["CAP-CACHE"], "the answer may be kept for a minute", Tell(CAPABILITIES, answers::cacheable)),
    seed("cap-hash-of-nothing", &["CAP-HOOK"], "runtimeHash is the hash of no code", Tell(CAPABILITIES, answers::hash_of_nothing)),
    seed("cap-pause-untold", &["CAP-INACTIVE"], "a pause of creation is not told", Tell(CAPABILITIES, answers::pause_untold)),
    seed("cap-hook-unlisted", &["CAP-TRADE"], "the hook of today's launches is not among the tradeable ones", Tell(CAPABILITIES, answers::current_hook_unlisted)),
];
