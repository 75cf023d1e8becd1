//! The orders that lists are read in, and where each token stands in them. Leaves out how an order is kept.
use super::State;
use super::books::MANY;
use super::figure::Figure;
use super::ordered::{Class, Entry, Ordered};
use super::token::Birth;

/// The orders and bounds of the list; what moves in one of them is the token's number there and its birth.
#[derive(Clone, Debug, Default)]
pub struct Orders {
    /// By age.
    pub birth: Ordered<Birth>,
    /// By the market capitalization shown.
    pub market_cap: Ordered<(Figure, Birth)>,
    /// By the funding progress shown.
    pub progress: Ordered<(Figure, Birth)>,
    /// By the number of trades.
    pub trades: Ordered<(u64, Birth)>,
}

/// Where a token stands in every order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// What filters without bounds look at.
    pub class: Class,
    /// Its age.
    pub birth: Birth,
    /// Market capitalization shown.
    pub market_cap: Figure,
    /// Funding progress shown.
    pub progress: Figure,
    /// Trades ever.
    pub trades: u64,
    last_trade: Option<u64>,
}

/// One part of the tokens in so many: when more than that have moved, putting all in order anew costs less than moving each.
const FEW: usize = 8;

impl State {
    /// Puts the tokens that events have moved where they stand now.
    pub(super) fn settle(&mut self) {
        let mut moved = std::mem::take(&mut self.moved);
        for index in &moved {
            self.tokens[*index].has_moved = false;
        }
        let known = self.standings.len();
        if moved.len() * FEW > self.tokens.len() {
            self.reorder_all();
            return;
        }
        moved.sort_unstable();
        for index in moved {
            if index < known {
                self.reorder(index);
            } else {
                let standing = self.measure(index);
                self.standings.push(standing);
                self.classes.push(standing.class);
                self.enter(index, standing);
            }
        }
    }

    /// Puts all tokens in order, whatever the orders were; each order on a thread of its own when they are many.
    fn reorder_all(&mut self) {
        self.standings = (0..self.tokens.len()).map(|index| self.measure(index)).collect();
        self.classes = self.standings.iter().map(|standing| standing.class).collect();
        fn order<K: Ord + Copy>(standings: &[Standing], key: impl Fn(&Standing) -> K) -> Ordered<K> {
            let entries = standings.iter().enumerate();
            let entry = |(index, standing): (usize, &Standing)| Entry {
                key: key(standing),
                class: standing.class,
                index,
            };
            Ordered::of(entries.map(entry).collect())
        }
        let standings = &self.standings;
        let traded = standings.iter().enumerate();
        let traded = traded.filter_map(|(index, token)| Some(((token.last_trade?, token.birth), index)));
        let orders = &mut self.orders;
        let (birth, market_cap) = (&mut orders.birth, &mut orders.market_cap);
        let (progress, trades) = (&mut orders.progress, &mut orders.trades);
        let by_last_trade = &mut self.by_last_trade;
        let mut tasks: [Box<dyn FnMut() + Send>; 5] = [
            Box::new(|| *birth = order(standings, |token| token.birth)),
            Box::new(|| *market_cap = order(standings, |token| (token.market_cap, token.birth))),
            Box::new(|| *progress = order(standings, |token| (token.progress, token.birth))),
            Box::new(|| *trades = order(standings, |token| (token.trades, token.birth))),
            Box::new(|| *by_last_trade = traded.clone().collect()),
        ];
        if standings.len() < MANY {
            tasks.iter_mut().for_each(|task| task());
            return;
        }
        std::thread::scope(|scope| {
            for task in &mut tasks {
                scope.spawn(task);
            }
        });
    }

    /// Moves a token from where it stood to where it stands now.
    pub(super) fn reorder(&mut self, index: usize) {
        let now = self.measure(index);
        let before = std::mem::replace(&mut self.standings[index], now);
        self.classes[index] = now.class;
        if now == before {
            return;
        }
        let Standing { birth, market_cap, progress, trades, last_trade, .. } = before;
        self.orders.birth.remove(&birth);
        self.orders.market_cap.remove(&(market_cap, birth));
        self.orders.progress.remove(&(progress, birth));
        self.orders.trades.remove(&(trades, birth));
        if let Some(at) = last_trade {
            self.by_last_trade.remove(&(at, birth));
        }
        self.enter(index, now);
    }

    fn enter(&mut self, index: usize, standing: Standing) {
        let Standing { class, birth, market_cap, progress, trades, last_trade } = standing;
        let orders = &mut self.orders;
        orders.birth.insert(Entry { key: birth, class, index });
        orders.market_cap.insert(Entry { key: (market_cap, birth), class, index });
        orders.progress.insert(Entry { key: (progress, birth), class, index });
        orders.trades.insert(Entry { key: (trades, birth), class, index });
        if let Some(at) = last_trade {
            self.by_last_trade.insert((at, birth), index);
        }
    }

    fn measure(&self, index: usize) -> Standing {
        let token = &self.tokens[index];
        let links = &token.launch.metadata;
        let links = [&links.messenger, &links.microblog, &links.website].map(|link| !link.is_empty());
        Standing {
            class: Class::of(token.is_graduated(), self.is_disabled(token), links),
            birth: token.birth,
            market_cap: token.market_cap_shown(),
            progress: token.progress(),
            trades: token.trade_count(),
            last_trade: token.trades.last_at(),
        }
    }
}
