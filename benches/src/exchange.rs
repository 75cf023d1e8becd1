//! Trades of one pair, and exchanges of growing size.
use alloy::primitives::{Address, keccak256};
use slipway_math::exchange::{Graph, MAX_RESERVE, Reserves};

/// An amount and both reserves of the pair.
pub type Trade = (u128, u128, u128);

/// Pseudo-random numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u128 {
        self.0 += 1;
        let word = keccak256(self.0.to_be_bytes());
        u128::from_be_bytes(word[..16].try_into().expect("a word has 32 bytes"))
    }

    fn between(&mut self, least: u128, most: u128) -> u128 {
        least + self.next() % (most - least + 1)
    }

    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.next() % length as u128).expect("below the length")
    }

    fn any_size(&mut self) -> u128 {
        let shift = self.next() % 112;
        ((self.next() & MAX_RESERVE) >> shift).max(1)
    }
}

/// Trades of a coin with 18 decimals against a stable token with 6: at most a thousandth of the pair.
#[must_use]
pub fn typical_trades(count: usize) -> Vec<Trade> {
    let mut random = Random(1);
    let coin = 10_u128.pow(18);
    let trade = |_| {
        let coins = random.between(100, 5_000) * coin + random.between(0, coin);
        let dollars = coins / coin * 3_000_000_000 + random.between(0, 1_000_000);
        (random.between(coin / 1_000, coin), coins, dollars)
    };
    (0..count).map(trade).collect()
}

/// Trades of every size that a pair can hold.
#[must_use]
pub fn trades_of_any_size(count: usize) -> Vec<Trade> {
    let mut random = Random(2);
    (0..count).map(|_| (random.any_size(), random.any_size(), random.any_size())).collect()
}

/// The token with this number; most pairs include one of the first four.
#[must_use]
pub fn token(number: usize) -> Address {
    Address::from_word(keccak256(number.to_be_bytes()))
}

/// An exchange like a real one: a few tokens that most pairs include, many tokens with one pair, some with several.
#[must_use]
pub fn exchange(pairs: usize) -> Graph {
    const HUBS: usize = 4;
    let mut random = Random(3);
    let mut graph = Graph::default();
    let (mut made, mut tokens) = (0, HUBS);
    while made < pairs {
        let (one, other) = match random.index(10) {
            _ if made < HUBS - 1 => (made, made + 1),
            0..6 => {
                tokens += 1;
                (tokens - 1, random.index(HUBS))
            }
            6..9 => (random.index(tokens), random.index(HUBS)),
            _ => (random.index(tokens), random.index(tokens)),
        };
        let (token0, token1) = (token(one).min(token(other)), token(one).max(token(other)));
        let pair = Address::from_word(keccak256(((one << 32) | other).to_be_bytes()));
        if one == other || graph.add_pair(pair, token0, token1).is_err() {
            continue;
        }
        let reserves = Reserves {
            reserve0: random.between(1 << 60, 1 << 80),
            reserve1: random.between(1 << 60, 1 << 80),
        };
        graph.set_reserves(pair, reserves).expect("the pair was made");
        made += 1;
    }
    graph
}

/// Two tokens for each of this many searches, drawn from the whole exchange.
#[must_use]
pub fn asked(graph: &Graph, count: usize) -> Vec<(Address, Address)> {
    let tokens: Vec<Address> = graph.tokens().collect();
    let mut random = Random(4);
    let mut any = || tokens[random.index(tokens.len())];
    (0..count).map(|_| (any(), any())).collect()
}
