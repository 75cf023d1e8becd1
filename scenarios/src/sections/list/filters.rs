//! The filters of the list, alone and combined, compared with the market as computed from outside.
use std::collections::BTreeSet;

use crate::answers::reads::{LIST, Walk, spellings, walk};
use crate::model::figure::Figure;
use crate::model::seed::Choices;
use crate::prelude::*;
use crate::truth::market::activity::Activity;
use crate::truth::market::filter::{Bound, Filter, Kept, LINKS, Reading};
use crate::truth::market::order::{ORDERS, Order, judge, judge_tokens, query};
use crate::truth::market::{Market, Token};
use crate::truth::steady::no_verdict_on;

/// Combinations of several filters, besides those of two.
const COMBINATIONS: usize = 8;
/// Pairs of values that are tried until each filter of a pair makes a difference.
const TRIES: usize = 24;
/// Kinds of filters that are combined.
const KINDS: usize = 9;
/// Number of tokens from which a filter's values are taken.
const SAMPLE: usize = 3;

type Cases = Vec<Vec<Filter>>;

/// Judges filters by a reading, with values that `cases` picks by the seed.
async fn filtered(
    trial: &Trial<'_>,
    market: &Market,
    cases: fn(&Market, &mut Choices) -> Cases,
    reading: Reading,
) -> Verdict {
    let cases = cases(market, &mut trial.choices(trial.check.id));
    market.at_least(1)?;
    for filters in cases {
        judge_tokens(trial, market, &Activity::default(), &filters, reading).await?;
    }
    Ok(())
}

/// Picks some tokens of the market by the seed.
fn sample<'m>(market: &'m Market, choices: &mut Choices) -> Vec<&'m Token> {
    let mut tokens: Vec<&Token> = market.tokens().collect();
    let mut chosen = Vec::new();
    while chosen.len() < SAMPLE && !tokens.is_empty() {
        chosen.push(tokens.swap_remove(choices.index(tokens.len())));
    }
    chosen
}

clause! {
    LIST_SEARCH = "LIST-SEARCH" (S110, S112, S113, S114, S115, S116):
        "A search finds a token by its name, ticker, description, owner or address, and none that does not match.";
    check!("list-search" [Read; Rest] filtered(searches, Reading::Interface) on Market:
        "searches for names, tickers, descriptions, owners and tokens as they are shown, and for a word of no token");
}
fn searches(market: &Market, choices: &mut Choices) -> Cases {
    let mut texts = vec![super::NOWHERE.to_owned()];
    for token in sample(market, choices) {
        let shown = [&token.name, &token.ticker, &token.description, &token.owner_text, &token.address_text];
        texts.extend(shown.into_iter().filter(|text| text.trim() == **text && !text.is_empty()).cloned());
    }
    texts.into_iter().map(|text| vec![Filter::Search(text)]).collect()
}

clause! {
    LIST_READING = "LIST-READING" (choice S112, S113, S114, S115, S116, S124, S125, S126):
        "A search finds substrings in any letter case, bounds are inclusive, and any one of several links is enough.";
    check!("list-search-parts" [Read; Rest] filtered(parts, Reading::Chosen) on Market:
        "searches for names, tickers, words, owners and tokens in changing case, and for what no token contains");
    check!("list-bounds-included" [Read; Rest] filtered(included, Reading::Chosen) on Market:
        "bounds progress and market cap at values that occur");
    check!("list-socials-any" [Read; Rest] filtered(several_socials, Reading::Chosen) on Market:
        "asks for every combination of several links and compares with each token's own links");
}
fn parts(market: &Market, choices: &mut Choices) -> Cases {
    let mut texts = vec![super::NOWHERE.to_owned(), "%".to_owned(), "_".to_owned()];
    for token in sample(market, choices) {
        texts.push(token.name.to_uppercase());
        texts.push(token.ticker.to_lowercase());
        texts.extend(inner_word(&token.description).map(|word| swap_case(&word)));
        texts.extend(inner_word(&token.name));
        let [_, owner_upper, owner_mixed] = spellings(token.owner);
        let [lower, _, mixed] = spellings(token.address);
        texts.extend([owner_upper, owner_mixed, lower, mixed]);
    }
    let mut known = BTreeSet::new();
    texts.retain(|text| !text.trim().is_empty() && known.insert(text.clone()));
    texts.into_iter().map(|text| vec![Filter::Search(text)]).collect()
}

fn included(market: &Market, choices: &mut Choices) -> Cases {
    let mut cases = fundings(market, choices);
    cases.extend(caps(market, choices));
    cases
}

fn several_socials(_: &Market, _: &mut Choices) -> Cases {
    combinations_of_links()
        .filter(|links| links.len() > 1)
        .map(|links| vec![Filter::Socials(links)])
        .collect()
}

fn combinations_of_links() -> impl Iterator<Item = Vec<usize>> {
    (1_usize..1 << LINKS.len()).map(|mask| (0..LINKS.len()).filter(|link| mask >> link & 1 == 1).collect())
}

/// Returns the longest word of a text, without its first and last letter if it is long enough.
fn inner_word(text: &str) -> Option<String> {
    let word = text.split_whitespace().max_by_key(|word| word.chars().count())?;
    let letters: Vec<char> = word.chars().collect();
    let cut = usize::from(letters.len() > 4);
    Some(letters[cut..letters.len() - cut].iter().collect())
}

fn swap_case(text: &str) -> String {
    text.chars()
        .map(|letter| {
            if letter.is_ascii_lowercase() {
                letter.to_ascii_uppercase()
            } else {
                letter.to_ascii_lowercase()
            }
        })
        .collect()
}

clause! {
    LIST_STATUS = "LIST-STATUS" (S102, S103, S110, S117): "status keeps the tokens of the named states: live, funding, or both.";
    check!("list-status" [Read; Rest] filtered(statuses, Reading::Interface) on Market:
        "asks for live, funding and both, and compares with each token's own state");
}
fn statuses(_: &Market, _: &mut Choices) -> Cases {
    [vec!["live"], vec!["funding"], vec!["live", "funding"], vec!["funding", "live"]]
        .map(|states| vec![Filter::Status(states)])
        .to_vec()
}

clause! {
    LIST_SOCIALS = "LIST-SOCIALS" (S110, S124): "socials keeps the tokens that have the named link.";
    check!("list-socials" [Read; Rest] filtered(socials, Reading::Interface) on Market:
        "asks for each link and for several, and compares with each token's own links");
}
fn socials(_: &Market, _: &mut Choices) -> Cases {
    combinations_of_links().map(|links| vec![Filter::Socials(links)]).collect()
}

clause! {
    LIST_FUNDING = "LIST-FUNDING" (S110, S125):
        "fundingMin and fundingMax keep the tokens whose progress is between them.";
    check!("list-funding" [Read; Rest] filtered(fundings, Reading::Interface) on Market:
        "bounds progress at values that occur, at 0 and 1, and between values");
}
fn fundings(market: &Market, choices: &mut Choices) -> Cases {
    let (mut occurring, middles) = values(&market.distinct(|token| &token.funding_progress), choices);
    occurring.extend([Figure::whole(0), Figure::whole(1)]);
    bounds(&occurring, &middles, Bound::Funding)
}

clause! {
    LIST_MCAP = "LIST-MCAP" (S110, S126): "marketCapMin and marketCapMax bound the market cap, in ETH.";
    check!("list-market-cap" [Read; Rest] filtered(caps, Reading::Interface) on Market:
        "bounds market cap at values that occur, at 0, and between them");
}
fn caps(market: &Market, choices: &mut Choices) -> Cases {
    let distinct = market.distinct(|token| &token.market_cap);
    let (mut occurring, middles) = values(&distinct, choices);
    occurring.extend(distinct.iter().take(1).chain(distinct.last()).cloned());
    occurring.push(Figure::whole(0));
    bounds(&occurring, &middles, Bound::MarketCap)
}

/// Picks some occurring values, and the midpoints of some neighbours.
fn values(distinct: &[Figure], choices: &mut Choices) -> (Vec<Figure>, Vec<Figure>) {
    let (mut occurring, mut middles) = (Vec::new(), Vec::new());
    if distinct.len() > 1 {
        for _ in 0..2 {
            occurring.push(choices.pick(distinct).clone());
            let lower = choices.index(distinct.len() - 1);
            middles.push(Figure::between(&distinct[lower], &distinct[lower + 1]));
        }
    }
    (occurring, middles)
}

/// Builds ranges: each occurring value as a lower bound, an upper bound and both; values in between as the ends of a range.
fn bounds<T: Clone + Ord>(occurring: &[T], between: &[T], of: fn(T) -> Bound) -> Cases {
    let low = |value: &T| Filter::Least(of(value.clone()));
    let high = |value: &T| Filter::Most(of(value.clone()));
    let ascending = |values: &[T]| {
        let mut sorted = values.to_vec();
        sorted.sort();
        sorted.dedup();
        sorted
    };
    let mut cases = Cases::new();
    for value in &ascending(occurring) {
        cases.extend([vec![low(value)], vec![high(value)], vec![low(value), high(value)]]);
    }
    let between = ascending(between);
    cases.extend(between.first().map(|value| vec![low(value)]));
    cases.extend(between.last().map(|value| vec![high(value)]));
    cases.extend(between.windows(2).map(|pair| vec![low(&pair[0]), high(&pair[1])]));
    cases
}

clause! {
    LIST_CREATED = "LIST-CREATED" (S110, S128, S129): "createdFrom and createdTo bound when a token was created.";
    check!("list-created" [Read; Rest] created on Market:
        "bounds creation around moments at which tokens were created, also by times of another zone");
}
async fn created(trial: &Trial<'_>, market: &Market) -> Verdict {
    filtered(trial, market, creations, Reading::Interface).await?;
    for token in sample(market, &mut trial.choices("created-abroad")) {
        for bound in [-1, 1].map(|off| Bound::CreatedAbroad(second_of(token) + off)) {
            for filters in [[Filter::Least(bound.clone())], [Filter::Most(bound)]] {
                // A platform may refuse such a time, but may not mistake it for another.
                if trial.read(LIST, &query(&filters, None)).await?.status.is_success() {
                    judge_tokens(trial, market, &Activity::default(), &filters, Reading::Interface).await?;
                }
            }
        }
    }
    Ok(())
}

fn creations(market: &Market, choices: &mut Choices) -> Cases {
    let mut cases = Cases::new();
    for token in sample(market, choices).into_iter().take(2) {
        let second = second_of(token);
        let around = [second - 1, second + 1];
        cases.extend(bounds(&around, &[], Bound::Created));
        cases.push(vec![Filter::Least(Bound::Created(around[0])), Filter::Most(Bound::Created(around[1]))]);
    }
    let mut midnights: Vec<i64> = market.tokens().map(|token| second_of(token) / 86_400 * 86_400).collect();
    midnights.sort_unstable();
    midnights.dedup();
    midnights.truncate(SAMPLE);
    cases.extend(bounds(&[], &midnights, Bound::CreatedOn));
    cases
}

/// Returns the Unix second in which a token was created.
fn second_of(token: &Token) -> i64 {
    i64::try_from(token.created.div_euclid(1_000_000_000)).unwrap_or_default()
}

clause! {
    LIST_TXCOUNT = "LIST-TXCOUNT" (S110, S127): "txCountMin and txCountMax bound how many transactions a token has had.";
    check!("list-transactions" [Read; Rest] counts on Market:
        "asks for counts from and to, apart, together and beside other filters, and compares the answers with each other");
}
/// What counts as a transaction is left open, so the answers are only compared with each other: no token is both above and below a bound, a
/// higher lower bound keeps no more tokens, and a range keeps what both of its bounds keep. So does a bound beside another filter.
async fn counts(trial: &Trial<'_>, market: &Market) -> Verdict {
    market.at_least(2)?;
    let all = u64::try_from(market.len()).unwrap_or(u64::MAX);
    let keeps = async |filters: &[Filter]| walk(trial, &filters.iter().map(Filter::param).collect()).await;
    let plain = keeps(&[]).await?;
    let most = |count: u64| Filter::Most(Bound::Transactions(count));
    let least_of = |count: u64| Filter::Least(Bound::Transactions(count));
    // Whether a bound itself is kept is left open.
    let any = keeps(&[least_of(0)]).await?;
    trial.require(
        &any.first,
        any.total_count <= plain.total_count,
        "no more tokens from 0 than without a bound",
    )?;
    let (mut before, mut least) = (any.total_count, u64::MAX);
    let mut divided = None;
    for bound in [1, 2, 4, 8, 16, 64, 1_000_000_000] {
        let from = least_of(bound);
        let up = keeps(std::slice::from_ref(&from)).await?;
        let down = keeps(&[most(bound - 1)]).await?;
        let apart =
            up.total_count + down.total_count <= plain.total_count && set(&up).is_disjoint(&set(&down));
        let expected = format!("no token of txCountMin={bound} among those of txCountMax={}", bound - 1);
        trial.require(&down.first, apart, &expected)?;
        trial.require(&up.first, up.total_count <= before, "no more tokens by a higher bound")?;
        let below = keeps(&[most(bound * 4)]).await?;
        let both = keeps(&[from.clone(), most(bound * 4)]).await?;
        let fits = if up.whole && below.whole {
            set(&both) == &set(&up) & &set(&below)
        } else {
            // For long lists only the counts are known.
            let most = up.total_count.min(below.total_count);
            (up.total_count + below.total_count).saturating_sub(plain.total_count) <= both.total_count
                && both.total_count <= most
        };
        trial.require(&both.first, fits, "the tokens that each bound keeps")?;
        (before, least) = (up.total_count, up.total_count);
        // The highest bound that tells tokens apart is tried beside others.
        if up.total_count > 0 && down.total_count > 0 {
            divided = Some([(from, up), (most(bound - 1), down)]);
        }
    }
    beside_others(trial, &divided.into_iter().flatten().collect::<Vec<_>>()).await?;
    let every = keeps(&[most(1_000_000_000)]).await?;
    let whole = every.total_count == plain.total_count && (!market.is_whole() || every.total_count == all);
    trial.require(&every.first, least == 0 && whole, "every token below a thousand million")
}

/// A bound beside another filter keeps the tokens that each of them keeps, and in any order the same.
async fn beside_others(trial: &Trial<'_>, bounds: &[(Filter, Walk)]) -> Verdict {
    if bounds.is_empty() {
        return Ok(());
    }
    for (name, value) in [
        ("status", "live"),
        ("status", "funding"),
        ("socials", "website"),
        ("sortBy", "oldest"),
        ("sortBy", "mcap-high"),
    ] {
        let alone = walk(trial, &vec![param(name, value)]).await?;
        for (bound, kept) in bounds {
            let (limit, text) = bound.param();
            let expected = format!("the tokens that {limit}={text} and {name}={value} keep each");
            let both = walk(trial, &vec![(limit, text), param(name, value)]).await?;
            let fits = if kept.whole && alone.whole {
                set(&both) == &set(kept) & &set(&alone)
            } else {
                both.total_count <= kept.total_count.min(alone.total_count)
            };
            trial.require_or(&both.first, fits, &expected, || format!("{} tokens", both.total_count))?;
        }
    }
    Ok(())
}

fn set(walk: &Walk) -> BTreeSet<Address> {
    walk.addresses.iter().copied().collect()
}

clause! {
    LIST_TRADES = "LIST-TRADES" (choice S127): "The transactions of a token are all its trades ever, and bounds are inclusive.";
    check!("list-transactions-ever" [Read; Rest, PrimaryChain] transactions on Market:
        "bounds transaction counts at counts taken from the logs of the chains");
}
async fn transactions(trial: &Trial<'_>, market: &Market) -> Verdict {
    let activity = Activity::read(trial).await?;
    let counts: Vec<u64> = market
        .tokens()
        .filter(|token| activity.knows(token.address))
        .map(|token| activity.transactions(token.address).0)
        .collect();
    let (Some(least), Some(most)) = (counts.iter().min(), counts.iter().max()) else {
        return Err(no_material("none of the listed tokens was found in the logs of the chains"));
    };
    let mut choices = trial.choices("list-transactions");
    let occurring = [*least, *most, *choices.pick(&counts)];
    let between = [0, *least + 1, *most + 1];
    for filters in bounds(&occurring, &between, Bound::Transactions) {
        judge_tokens(trial, market, &activity, &filters, Reading::Chosen).await?;
    }
    Ok(())
}

clause! {
    LIST_COMBINE = "LIST-COMBINE" (S110): "Combined filters keep exactly the tokens that each of them keeps.";
    check!("list-combinations" [Read; Rest] combinations on Market:
        "asks for every two kinds of filters in changing orders, each of which makes a difference, and for more at once, and reports the smallest combination that is wrong");
}
async fn combinations(trial: &Trial<'_>, market: &Market) -> Verdict {
    market.at_least(1)?;
    let orders = good_orders(trial, market).await?;
    let mut choices = trial.choices("list-combinations");
    let mut cases = pairs(market, &mut choices, &orders);
    for _ in 0..COMBINATIONS {
        cases.push((combination(market, &mut choices), *choices.pick(&orders)));
    }
    for (filters, order) in cases {
        let verdict = judge(trial, market, &filters, order).await;
        if let Err(Stop::Failed(_)) = verdict {
            return smallest(trial, market, filters, order, verdict).await;
        }
        verdict?;
    }
    Ok(())
}

/// Returns the orders that are right without a filter; the others are left to their own checks.
async fn good_orders(trial: &Trial<'_>, market: &Market) -> Verdict<Vec<Order>> {
    let mut orders = Vec::new();
    for order in ORDERS {
        match judge(trial, market, &[], order).await {
            Ok(()) => orders.push(order),
            Err(Stop::Failed(_)) => {}
            Err(stop) => return Err(stop),
        }
    }
    need_material(!orders.is_empty(), "no order of the list holds, so its combinations cannot be judged")?;
    Ok(orders)
}

/// Returns two filters of every two kinds, with every order for each kind. Where the market has such values, each of the two leaves out a
/// token that the other keeps, so that a filter that is passed over beside another filter, or in an order, is seen.
fn pairs(market: &Market, choices: &mut Choices, orders: &[Order]) -> Vec<(Vec<Filter>, Order)> {
    let (tokens, mut cases) = (market.tokens().collect::<Vec<_>>(), Vec::new());
    for one in 0..KINDS {
        for other in one + 1..KINDS {
            let tried: Vec<(usize, [Filter; 2])> = (0..TRIES)
                .map(|_| {
                    let mut of = |kind| {
                        let token = tokens[choices.index(tokens.len())];
                        around(token, choices).swap_remove(kind)
                    };
                    let pair = [of(one), of(other)];
                    (differences(&tokens, &pair), pair)
                })
                .collect();
            let best = tried.into_iter().filter(|(made, _)| *made > 0).max_by_key(|(made, _)| *made);
            cases.extend(best.map(|(_, pair)| (pair.to_vec(), orders[(one + other) % orders.len()])));
        }
    }
    cases
}

/// Returns how many of two filters leave out a token that the other keeps; none if they keep nothing together.
fn differences(tokens: &[&Token], pair: &[Filter; 2]) -> usize {
    let kept = |filter: &Filter, token| filter.keeps(token, &Activity::default(), Reading::Interface);
    let found: BTreeSet<[Kept; 2]> =
        tokens.iter().map(|token| pair.each_ref().map(|filter| kept(filter, token))).collect();
    let made = [[Kept::No, Kept::Yes], [Kept::Yes, Kept::No]].iter().filter(|case| found.contains(*case));
    if found.contains(&[Kept::Yes, Kept::Yes]) { made.count() } else { 0 }
}

/// Returns some filters, each with a value around the same token.
fn combination(market: &Market, choices: &mut Choices) -> Vec<Filter> {
    let token = *sample(market, choices).first().expect("the market has a token");
    let mut filters = around(token, choices);
    // With more filters, hardly any token would be left.
    let wanted = 2 + choices.index(3);
    while filters.len() > wanted {
        filters.swap_remove(choices.index(filters.len()));
    }
    filters
}

/// Returns a filter of every kind, with a value around a token.
fn around(token: &Token, choices: &mut Choices) -> Vec<Filter> {
    let second = second_of(token);
    let states = [vec!["live"], vec!["funding"], vec!["live", "funding"]];
    let word = inner_word(&token.description).unwrap_or_else(|| token.ticker.clone());
    let filters: [Filter; KINDS] = [
        Filter::Search(choices.pick(&[word, token.owner_text.clone()]).clone()),
        Filter::Status(choices.pick(&states).clone()),
        Filter::Socials(choices.pick(&[vec![0], vec![1], vec![2], vec![0, 2], vec![1, 2]]).clone()),
        Filter::Least(Bound::Funding(token.funding_progress.clone())),
        Filter::Most(Bound::Funding(token.funding_progress.clone())),
        Filter::Least(Bound::MarketCap(token.market_cap.clone())),
        Filter::Most(Bound::MarketCap(token.market_cap.clone())),
        Filter::Least(Bound::Created(second - 1)),
        Filter::Most(Bound::Created(second + 1)),
    ];
    filters.into()
}

/// Removes filters one by one as long as the answer stays wrong. A fault of a single filter in any order is left to that
/// filter's own check.
async fn smallest(
    trial: &Trial<'_>,
    market: &Market,
    mut filters: Vec<Filter>,
    order: Order,
    mut verdict: Verdict,
) -> Verdict {
    let mut at = 0;
    while at < filters.len() {
        let mut fewer = filters.clone();
        fewer.remove(at);
        match judge(trial, market, &fewer, order).await {
            Err(Stop::Failed(failure)) => {
                filters = fewer;
                verdict = Err(Stop::Failed(failure));
            }
            Ok(()) => at += 1,
            stopped => return stopped,
        }
    }
    let subjects: BTreeSet<&str> = filters.iter().map(Filter::subject).collect();
    let is_of_the_order = order.is_some() && judge(trial, market, &filters, None).await.is_ok();
    if subjects.len() > 1 || is_of_the_order { verdict } else { verdict.map_err(no_verdict_on) }
}
