//! Walks a listing page by page; a numbered page also describes the whole listing.
use std::collections::BTreeSet;
use std::iter;

use alloy::primitives::U256;
use serde::Deserialize;

use crate::model::seed::Choices;
use crate::model::verdict::Verdict;
use crate::trial::Trial;

/// Sampled positions of a long listing, two pages each, besides its first and last pages.
const SAMPLES: usize = 10;

/// How to get from one page to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Paging {
    /// Pages have numbers, from 1.
    Number,
    /// The next page begins after the rows read so far; an empty page ends the listing.
    Offset,
    /// Each page names the offset of the next one.
    NextOffset,
}

/// The parts of a page that a walk needs.
pub(crate) trait Page {
    fn rows(&self) -> usize;

    /// The number of pages, if pages are numbered.
    fn pages(&self) -> u64 {
        0
    }

    /// The offset of the next page, if the page names it.
    fn next_offset(&self) -> Option<u64> {
        None
    }
}

/// The pages that were read, in order.
#[derive(Debug)]
pub(crate) struct Pages<P> {
    /// Each page with its number or offset.
    pub(crate) read: Vec<(u64, P)>,
    /// Whether every page was read.
    pub(crate) whole: bool,
}

/// Reads every page of a listing by number or offset. Of more than `most` pages it reads a sample if pages are numbered, else the first
/// ones.
pub(crate) async fn walk<P: Page, F: Future<Output = Verdict<P>>>(
    trial: &Trial<'_>,
    paging: Paging,
    most: u64,
    read: impl Fn(u64) -> F,
) -> Verdict<Pages<P>> {
    if paging == Paging::Number {
        let first = read(1).await?;
        let count = first.pages();
        let whole = count <= most;
        let others = if whole { (2..=count).collect() } else { sample(&mut trial.choices("pages"), count) };
        let read = &read;
        let others =
            others.into_iter().map(|number| async move { Ok((number, read(number).await?)) }).collect();
        let others = trial.read_all(others).await?;
        return Ok(Pages { read: iter::once((1, first)).chain(others).collect(), whole });
    }
    let (mut pages, mut next) = (Vec::new(), Some(0));
    for _ in 0..most {
        let Some(at) = next else { break };
        let page = read(at).await?;
        let after = at.saturating_add(page.rows() as u64);
        let named = if paging == Paging::Offset { Some(after) } else { page.next_offset() };
        // A page without rows ends the listing, and so does a next offset that does not grow.
        next = named.filter(|next| *next > at && after > at);
        pages.push((at, page));
    }
    Ok(Pages { read: pages, whole: next.is_none() })
}

/// Picks the page numbers that represent a long listing, besides the first: the second, pairs of neighbours in between, and the last two.
fn sample(choices: &mut Choices, last: u64) -> BTreeSet<u64> {
    let within = |choices: &mut Choices| choices.between(U256::from(2), U256::from(last - 1)).to::<u64>();
    let mut numbers = BTreeSet::from([2, last - 1, last]);
    for _ in 0..SAMPLES {
        let number = within(choices);
        numbers.extend([number, number + 1]);
    }
    numbers
}

/// The pagination object of a numbered page: the page itself and the totals.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pagination {
    pub(crate) page: u64,
    pub(crate) limit: u64,
    pub(crate) total: u64,
    pub(crate) total_pages: u64,
}

impl Pagination {
    /// Returns the number of pages that the rows fill.
    pub(crate) fn filled(&self) -> u64 {
        self.total.div_ceil(self.limit.max(1))
    }

    /// Returns the number of rows that belong on this page.
    pub(crate) fn left(&self) -> u64 {
        let before = self.page.saturating_sub(1).saturating_mul(self.limit);
        self.total.saturating_sub(before).min(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::{Page, Pages, Pagination, Paging, SAMPLES, sample, walk};
    use crate::clause;
    use crate::model::seed::Choices;
    use crate::model::target::Target;
    use crate::trial::Trial;
    use crate::trial::world::World;

    #[test]
    fn sample_has_ends_and_neighbours() {
        for last in [61, 400, u64::MAX] {
            let numbers = sample(&mut Choices::new(1, "pages"), last);
            assert!([2, last - 1, last].iter().all(|number| numbers.contains(number)), "{numbers:?}");
            assert!(numbers.iter().all(|number| (2..=last).contains(number)), "{numbers:?}");
            assert!(numbers.len() > SAMPLES && numbers.len() <= 2 * SAMPLES + 3, "{numbers:?}");
        }
    }

    /// Row count, page count and the offset of the next page.
    struct Given(usize, u64, Option<u64>);

    impl Page for Given {
        fn rows(&self) -> usize {
            self.0
        }

        fn pages(&self) -> u64 {
            self.1
        }

        fn next_offset(&self) -> Option<u64> {
            self.2
        }
    }

    #[tokio::test]
    async fn a_walk_ends_at_the_last_page() {
        let world = World::new(Target::default(), 1).unwrap();
        let trial = Trial::new(&world, &clause("LIST-PAGE").unwrap().checks[0]);
        // Seven rows in pages of three, for each kind of paging; then pages that never end.
        let by_offset = |at: u64| Given(7_u64.saturating_sub(at).min(3) as usize, 0, None);
        let named = |at: u64| Given(3, 0, (at < 6).then_some(at + 3));
        let endless = |at: u64| Given(3, 0, Some(at + 3));
        let stuck = |_: u64| Given(3, 0, Some(0));
        let numbered = |_: u64| Given(3, 3, None);
        let many = |_: u64| Given(3, 1_000, None);
        type Case<'a> = (Paging, &'a dyn Fn(u64) -> Given, Option<&'a [u64]>, bool);
        let cases: [Case<'_>; 6] = [
            (Paging::Offset, &by_offset, Some(&[0, 3, 6, 7]), true),
            (Paging::NextOffset, &named, Some(&[0, 3, 6]), true),
            (Paging::NextOffset, &endless, Some(&[0, 3, 6, 9, 12]), false),
            (Paging::NextOffset, &stuck, Some(&[0]), true),
            (Paging::Number, &numbered, Some(&[1, 2, 3]), true),
            (Paging::Number, &many, None, false),
        ];
        for (paging, page, expected, whole) in cases {
            let walked: Pages<Given> = walk(&trial, paging, 5, |at| {
                let page = page(at);
                async move { Ok(page) }
            })
            .await
            .unwrap();
            let places: Vec<u64> = walked.read.iter().map(|(at, _)| *at).collect();
            assert_eq!(walked.whole, whole, "{paging:?} {places:?}");
            assert!(expected.is_none_or(|expected| places == expected), "{paging:?} {places:?}");
        }
    }

    #[test]
    fn a_page_has_what_the_pages_before_it_leave() {
        for (page, limit, total, pages, left) in
            [(1, 20, 41, 3, 20), (3, 20, 41, 3, 1), (4, 20, 41, 3, 0), (1, 20, 0, 0, 0), (1, 0, 5, 5, 0)]
        {
            let pagination = Pagination { page, limit, total, total_pages: pages };
            assert_eq!((pagination.filled(), pagination.left()), (pages, left), "{pagination:?}");
        }
    }
}
