//! Draws the actions of the market's accounts while a platform runs. It reads nothing after its start: equal seeds give equal actions.
use slipway_contracts::ChainId;

use super::accounts::{Account, Accounts, Roster};
use super::file::LaunchOutcome;
use super::plan::{CREATORS, PlannedLaunch, TRADERS, any_creator, any_trader, planned_launch};
use super::rng::SeededRng;
use super::stocks;
use crate::event::Side;

/// Maximum number of holdings remembered for sales.
const HOLDINGS: usize = 256;

const TEXTS: [&str; 12] = [
    "Just bought a little.",
    "Who else is holding this one?",
    "That curve is steeper than it looks.",
    "Sold half, sleeping better.",
    "Is the creator around?",
    "Nice picture, at least.",
    "This will be full by the evening.",
    "Down again. I am not worried.",
    "Where is everyone today?",
    "Read the description before you ask.",
    "One more and it graduates.",
    "gm 🌱",
];

/// One action of one account. Tokens and pairs are numbered in the order of the opening; launches drawn later follow its tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Launch {
        chain: ChainId,
        launch: Box<PlannedLaunch>,
    },
    /// Buys for a fraction of the launch's target, or sells a fraction of the trader's holding.
    Trade {
        trader: Account,
        token: usize,
        side: Side,
        bps: u64,
    },
    /// Buys or sells in a pair of the exchange, for a fraction of its reserve.
    Swap {
        trader: Account,
        pair: usize,
        side: Side,
        bps: u64,
    },
    Chat {
        sender: Account,
        token: usize,
        text: &'static str,
    },
    /// Bids for the next day of the auction.
    Bid {
        bidder: Account,
        token: usize,
    },
    /// Registers with a referrer.
    Register {
        wallet: Account,
        referrer: Account,
    },
}

/// A token that accounts may trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) chain: ChainId,
    /// Whether it is sold for the native coin.
    pub(crate) is_native: bool,
}

/// The market at the time when the actions begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Opening {
    pub(crate) tokens: Vec<Listed>,
    /// Accounts with the tokens that they hold.
    pub(crate) holdings: Vec<(Account, usize)>,
    /// The number of pairs on the exchange in which accounts swap.
    pub(crate) pairs: usize,
    /// The accounts without a referrer.
    pub(crate) unregistered: Vec<Account>,
}

/// The sequence of actions.
#[derive(Debug)]
pub(crate) struct Drawing {
    rng: SeededRng,
    tokens: Vec<Listed>,
    holdings: Vec<(Account, usize)>,
    pairs: usize,
    unregistered: Vec<Account>,
    launches: usize,
}

/// The acting accounts with their keys; users are given none of them.
pub(crate) fn accounts(seed: u64) -> Accounts {
    Accounts::new(seed, ChainId::PRIMARY.0, &Roster::default())
}

/// The accounts that launch and trade.
pub(crate) fn people() -> impl Iterator<Item = Account> {
    (0..CREATORS).map(Account::Creator).chain((0..TRADERS).map(Account::Trader))
}

impl Drawing {
    pub(crate) fn new(seed: u64, opening: Opening) -> Self {
        const PURPOSE: u64 = 4_801_000_000;
        let Opening { tokens, holdings, pairs, unregistered } = opening;
        // A platform that continues with more tokens draws other actions.
        let mut rng = SeededRng::new(seed, PURPOSE + tokens.len() as u64);
        let mut holdings = rng.shuffled(holdings);
        holdings.truncate(HOLDINGS);
        let unregistered = rng.shuffled(unregistered);
        Self { rng, tokens, holdings, pairs, unregistered, launches: 0 }
    }

    pub(crate) fn next(&mut self) -> Action {
        let drawn = match self.rng.between(1, 100) {
            1..=40 => self.buy(),
            41..=70 => self.sell(),
            71..=79 => self.swap(),
            80..=89 => self.chat(),
            90..=93 => self.register(),
            94..=95 => self.bid(),
            _ => Some(self.launch()),
        };
        // If there is nothing to sell, an account buys; if there is nothing to buy, it launches.
        drawn.or_else(|| self.buy()).unwrap_or_else(|| self.launch())
    }

    fn buy(&mut self) -> Option<Action> {
        let token = self.token()?;
        let trader = match self.tokens[token].is_native {
            true => any_trader(&mut self.rng),
            false => Account::Trader(self.rng.index(stocks::TRADERS)),
        };
        self.hold(trader, token);
        Some(Action::Trade { trader, token, side: Side::Buy, bps: self.rng.between(20, 400) })
    }

    fn sell(&mut self) -> Option<Action> {
        if self.holdings.is_empty() {
            return None;
        }
        let (trader, token) = *self.rng.one_of(&self.holdings);
        Some(Action::Trade { trader, token, side: Side::Sell, bps: self.rng.between(500, 6_000) })
    }

    /// Traders pay with the native coin, the maker of the exchange with its tokens.
    fn swap(&mut self) -> Option<Action> {
        if self.pairs == 0 {
            return None;
        }
        let pair = self.rng.index(self.pairs);
        let (trader, side) = match self.rng.happens(50) {
            true => (any_trader(&mut self.rng), Side::Buy),
            false => (Account::Maker, Side::Sell),
        };
        Some(Action::Swap { trader, pair, side, bps: self.rng.between(1, 100) })
    }

    fn chat(&mut self) -> Option<Action> {
        let token = self.token()?;
        let sender = any_trader(&mut self.rng);
        Some(Action::Chat { sender, token, text: TEXTS[self.rng.index(TEXTS.len())] })
    }

    fn register(&mut self) -> Option<Action> {
        let wallet = self.unregistered.pop()?;
        let referrer = any_creator(&mut self.rng);
        (referrer != wallet).then_some(Action::Register { wallet, referrer })
    }

    /// The auction takes tokens of the primary chain.
    fn bid(&mut self) -> Option<Action> {
        let first = self.token()?;
        let count = self.tokens.len();
        let mut from_first = (first..count).chain(0..first);
        let token = from_first.find(|token| self.tokens[*token].chain == ChainId::PRIMARY)?;
        Some(Action::Bid { bidder: any_trader(&mut self.rng), token })
    }

    fn launch(&mut self) -> Action {
        let chain = if self.rng.happens(60) { ChainId::PRIMARY } else { ChainId::SECOND };
        let launch = planned_launch(&mut self.rng, self.launches, LaunchOutcome::Early, "live");
        self.launches += 1;
        if !launch.prebuy.is_zero() {
            self.hold(launch.creator, self.tokens.len());
        }
        self.tokens.push(Listed { chain, is_native: true });
        Action::Launch { chain, launch: Box::new(launch) }
    }

    fn token(&mut self) -> Option<usize> {
        (!self.tokens.is_empty()).then(|| self.rng.index(self.tokens.len()))
    }

    /// Remembers a holding, replacing another once there are many.
    fn hold(&mut self, account: Account, token: usize) {
        if self.holdings.len() < HOLDINGS {
            self.holdings.push((account, token));
        } else {
            let place = self.rng.index(HOLDINGS);
            self.holdings[place] = (account, token);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use slipway_contracts::ChainId;

    use super::{Account, Action, CREATORS, Drawing, HOLDINGS, Listed, Opening, people, stocks};
    use crate::event::Side;

    fn opening() -> Opening {
        let tokens = (0..30).map(|number| {
            let chain = if number % 2 == 0 { ChainId::PRIMARY } else { ChainId::SECOND };
            Listed { chain, is_native: number != 7 }
        });
        Opening {
            tokens: tokens.collect(),
            holdings: vec![(Account::Trader(3), 5), (Account::Creator(0), 7)],
            pairs: 4,
            unregistered: people().collect(),
        }
    }

    fn drawn(seed: u64, opening: Opening, count: usize) -> Vec<Action> {
        let mut drawing = Drawing::new(seed, opening);
        (0..count).map(|_| drawing.next()).collect()
    }

    #[test]
    fn equal_seeds_give_equal_actions() {
        let first = drawn(5, opening(), 2_000);
        assert_eq!(first, drawn(5, opening(), 2_000));
        assert_ne!(first[..20], drawn(6, opening(), 20));
        let mut later = opening();
        later.tokens.push(Listed { chain: ChainId::SECOND, is_native: true });
        assert_ne!(first[..20], drawn(5, later, 20));
    }

    /// Every kind and direction is drawn; an action names a token only once it is launched, and sells only what was held or bought.
    #[test]
    fn actions_name_what_there_is() {
        let Opening { tokens, holdings, pairs, unregistered } = opening();
        let (mut tokens, mut unregistered) = (tokens, unregistered);
        let mut held: BTreeSet<(Account, usize)> = holdings.into_iter().collect();
        let mut kinds = BTreeSet::new();
        for action in drawn(1, opening(), 3_000) {
            let kind = match action {
                Action::Launch { chain, launch } => {
                    if !launch.prebuy.is_zero() {
                        held.insert((launch.creator, tokens.len()));
                    }
                    tokens.push(Listed { chain, is_native: true });
                    "launch"
                }
                Action::Trade { trader, token, side: Side::Buy, bps: 20..=400 } => {
                    let has_stocks = matches!(trader, Account::Trader(number) if number < stocks::TRADERS);
                    assert!(tokens[token].is_native || has_stocks);
                    held.insert((trader, token));
                    "buy"
                }
                Action::Trade { trader, token, side: Side::Sell, bps: 500..=6_000 } => {
                    assert!(held.contains(&(trader, token)));
                    "sell"
                }
                Action::Swap { trader, pair, side, bps: 1..=100 } => {
                    assert!(pair < pairs);
                    assert_eq!(trader == Account::Maker, side == Side::Sell);
                    if side == Side::Buy { "swap" } else { "swap back" }
                }
                Action::Chat { token, .. } if token < tokens.len() => "chat",
                Action::Bid { token, .. } => {
                    assert_eq!(tokens[token].chain, ChainId::PRIMARY);
                    "bid"
                }
                Action::Register { wallet, referrer } => {
                    let place = unregistered.iter().position(|known| *known == wallet).unwrap();
                    unregistered.remove(place);
                    assert!(matches!(referrer, Account::Creator(number) if number < CREATORS));
                    assert_ne!(wallet, referrer);
                    "register"
                }
                other => panic!("{other:?}"),
            };
            kinds.insert(kind);
        }
        assert_eq!(kinds.len(), 8, "{kinds:?}");
        assert!(tokens.len() > 100, "{}", tokens.len());
    }

    #[test]
    fn an_empty_market_begins_with_a_launch() {
        let actions = drawn(3, Opening::default(), 50);
        assert!(matches!(actions[0], Action::Launch { .. }));
        assert!(actions.iter().any(|action| matches!(action, Action::Trade { side: Side::Sell, .. })));
    }

    #[test]
    fn remembered_holdings_are_bounded() {
        let all = (0..1_000).map(|token| (Account::Trader(0), token % 30)).collect();
        let mut drawing = Drawing::new(2, Opening { holdings: all, ..opening() });
        (0..2_000).for_each(|_| drop(drawing.next()));
        assert_eq!(drawing.holdings.len(), HOLDINGS);
    }
}
