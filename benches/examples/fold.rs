//! How many events a second a state is folded from, cold and without a node, and how much memory a token takes: the decoded
//! logs of a synthetic market lie in memory and are folded at once, beside a program that does only the unavoidable part; the
//! trades and volume of every launch are the same in both. `cargo run --release --example fold -- LAUNCHES EVENTS`.
//!
//! Every launch has the logs of a creation with its first purchase; the other events are further trades, half of them of
//! the newest thousand launches, half of any. One launch of a hundred graduates and is then traded in its pool.
use std::sync::Arc;
use std::time::Instant;

use alloy::primitives::map::AddressMap;
use alloy::primitives::{Address, B256, U256};
use slipway_contracts::ChainId;
use slipway_sim::event::{Event, EventKind, Metadata, Side};
use slipway_sim::state::{Ground, State};

const GENESIS_TIME: u64 = 1_700_000_000;
const ETHER: u128 = 1_000_000_000_000_000_000;
const SUPPLY: u128 = 1_000_000_000 * ETHER;
const HOOK: Address = Address::repeat_byte(0x11);
const POOL_MANAGER: Address = Address::repeat_byte(0x22);
const ROUTER: Address = Address::repeat_byte(0x33);
const OWNER: Address = Address::repeat_byte(0x44);
const CREATORS: u64 = 100_000;
const TRADERS: u64 = 200_000;
const EVENTS_A_BLOCK: usize = 64;
const ROUNDS: usize = 3;

/// A number that looks drawn, of a number and of what it is for.
fn mixed(number: u64, salt: u64) -> u64 {
    let mut word = number.wrapping_add(salt << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

fn address(number: u64, salt: u64) -> Address {
    let mut bytes = [0; 20];
    bytes[..8].copy_from_slice(&mixed(number, salt).to_be_bytes());
    bytes[8..16].copy_from_slice(&mixed(number, salt + 1).to_be_bytes());
    bytes[16..].copy_from_slice(&mixed(number, salt + 2).to_be_bytes()[..4]);
    bytes.into()
}

fn token_of(launch: u64) -> Address {
    address(launch, 10)
}

fn creator_of(launch: u64) -> Address {
    address(mixed(launch, 1) % CREATORS, 20)
}

/// The logs of one chain.
struct Logs {
    events: Vec<Event>,
}

impl Logs {
    fn push(&mut self, emitter: Address, transaction: u64, kind: EventKind) {
        let number = self.events.len();
        let block = (number / EVENTS_A_BLOCK) as u64;
        self.events.push(Event {
            chain_id: ChainId::PRIMARY.0,
            block,
            timestamp: GENESIS_TIME + block * 2,
            transaction: B256::from(U256::from(transaction)),
            log_index: (number % EVENTS_A_BLOCK) as u64,
            emitter,
            kind,
        });
    }

    fn launch(&mut self, launch: u64) {
        let launch_id = launch + 1;
        let (token, creator) = (token_of(launch), creator_of(launch));
        let mint = EventKind::Transfer { from: Address::ZERO, to: HOOK, amount: U256::from(SUPPLY) };
        self.push(token, launch, mint);
        let created = EventKind::LaunchCreated { launch_id, creator, token, target_raise: 2 * ETHER };
        self.push(HOOK, launch, created);
        let website = if launch.is_multiple_of(3) { "https://site.invalid/" } else { "" };
        let metadata = Arc::new(Metadata {
            name: format!("Launch of the {launch}th morning"),
            ticker: format!("L{launch}"),
            description: format!("What number {launch} is about, in as many words as people use."),
            image_url: format!("https://images.invalid/{launch}.png"),
            website: website.to_owned(),
            ..Metadata::default()
        });
        self.push(HOOK, launch, EventKind::LaunchMetadata { launch_id, metadata });
        let configured = EventKind::LaunchConfigured {
            launch_id,
            quote_asset: Address::ZERO,
            sale_supply: SUPPLY / 2,
            liquidity_supply: SUPPLY / 2,
            gain_bps: 50_000,
            creator_fee_split_bps: 5_000,
            anti_snipe_duration: 0,
            launch_time: GENESIS_TIME,
        };
        self.push(HOOK, launch, configured);
        self.trade(launch, creator, Side::Buy, launch);
        if launch.is_multiple_of(100) {
            let amount = U256::from(SUPPLY / 2);
            self.push(token, launch, EventKind::Transfer { from: HOOK, to: POOL_MANAGER, amount });
            let pool_id = token.into_word();
            let (quote_seeded, tokens_seeded) = (U256::from(2 * ETHER), amount);
            let finalized = EventKind::LaunchFinalized { launch_id, pool_id, quote_seeded, tokens_seeded };
            self.push(HOOK, launch, finalized);
        }
    }

    /// A trade on the curve, with what accrues by it and with the transfer.
    fn trade(&mut self, launch: u64, trader: Address, side: Side, transaction: u64) {
        let launch_id = launch + 1;
        let size = u128::from(mixed(transaction, 2) % 1_000_000) + 1;
        let quote = U256::from(size * 1_000_000_000);
        for (account, amount) in [(OWNER, size), (creator_of(launch), size / 2)] {
            let accrued = EventKind::FeesAccrued { launch_id, account, amount: U256::from(amount) };
            self.push(HOOK, transaction, accrued);
        }
        self.push(HOOK, transaction, EventKind::BuybackAccrued { launch_id, amount: U256::from(size) });
        let token_amount = U256::from(size * 1_000_000_000_000_000);
        let kind = EventKind::Trade {
            launch_id,
            trader,
            side,
            price_after: U256::from(size),
            market_cap: U256::from(size * 1_000_000_000_000),
            quote_amount: quote,
            token_amount,
            fee: quote / U256::from(100),
            refund: U256::ZERO,
        };
        self.push(HOOK, transaction, kind);
        let (from, to) = if side == Side::Buy { (HOOK, trader) } else { (trader, HOOK) };
        self.push(token_of(launch), transaction, EventKind::Transfer { from, to, amount: token_amount });
    }

    fn swap(&mut self, launch: u64, trader: Address, transaction: u64) {
        let amount = 1_000_000 + i128::from(mixed(transaction, 2) >> 20);
        let pool_id = token_of(launch).into_word();
        let sqrt_price_x96 = U256::from(1_u128 << 96) + U256::from(mixed(transaction, 3));
        let (amount0, amount1) = (amount, -amount);
        let swap = EventKind::PoolSwap { pool_id, sender: ROUTER, amount0, amount1, sqrt_price_x96 };
        self.push(POOL_MANAGER, transaction, swap);
        let amount = U256::from(amount.unsigned_abs());
        self.push(
            token_of(launch),
            transaction,
            EventKind::Transfer { from: POOL_MANAGER, to: trader, amount },
        );
    }

    fn further(&mut self, launches: u64, transaction: u64) {
        let reach = if transaction.is_multiple_of(2) { launches.min(1_000) } else { launches };
        let launch = launches - 1 - mixed(transaction, 4) % reach;
        let trader = address(mixed(transaction, 5) % TRADERS, 30);
        if launch.is_multiple_of(100) {
            self.swap(launch, trader, transaction);
        } else {
            let side = if transaction % 5 < 3 { Side::Buy } else { Side::Sell };
            self.trade(launch, trader, side, transaction);
        }
    }
}

/// The logs of so many launches, spread over so many events.
fn logs(launches: u64, count: usize) -> Vec<Event> {
    let mut logs = Logs { events: Vec::with_capacity(count + 16) };
    let (mut launched, mut further) = (0, 0);
    while logs.events.len() < count {
        let due = (logs.events.len() as u64).saturating_mul(launches) / count as u64;
        if launched <= due && launched < launches {
            logs.launch(launched);
            launched += 1;
        } else {
            logs.further(launched, launches + further);
            further += 1;
        }
    }
    logs.events.truncate(count);
    logs.events
}

/// Bytes of memory that this process holds, as Linux says it.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().unwrap_or_default();
    kib * 1_024
}

/// Milliseconds that the processors have given to this thread, and to all threads of this process, as Linux says it.
fn processors() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let own: u64 = status.split(' ').next().and_then(|text| text.parse().ok()).unwrap_or_default();
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = status.rsplit(") ").next().unwrap_or_default().split(' ');
    let ticks: u64 = fields.skip(11).take(2).filter_map(|text| text.parse::<u64>().ok()).sum();
    (own / 1_000_000, ticks * 10)
}

/// The unavoidable part of the fold: for every event the look-up of its launch and of its wallet, and their figures written.
/// A launch is found by its number at once, by its token in a map.
#[derive(Default)]
struct Floor {
    /// Trades, their volume and what moved of each launch, by its number.
    launches: Vec<[u128; 3]>,
    by_token: AddressMap<u64>,
    wallets: AddressMap<[u128; 2]>,
}

impl Floor {
    fn take_in(&mut self, event: &Event) {
        match &event.kind {
            EventKind::LaunchCreated { launch_id, creator, token, .. } => {
                self.by_token.insert(*token, *launch_id);
                self.write(*launch_id, 0, Some(*creator), 0);
            }
            EventKind::LaunchMetadata { launch_id, .. }
            | EventKind::LaunchConfigured { launch_id, .. }
            | EventKind::LaunchFinalized { launch_id, .. } => self.write(*launch_id, 0, None, 0),
            EventKind::BuybackAccrued { launch_id, amount } => {
                self.write(*launch_id, 0, None, amount.to());
            }
            EventKind::FeesAccrued { launch_id, account, amount } => {
                self.write(*launch_id, 0, Some(*account), amount.to());
            }
            EventKind::Trade { launch_id, trader, quote_amount, .. } => {
                self.write(*launch_id, 1, Some(*trader), quote_amount.to());
            }
            EventKind::Transfer { from, to, amount } => {
                let launch = self.by_token.get(&event.emitter).copied().unwrap_or_default();
                let wallet = if *from == HOOK { to } else { from };
                self.write(launch, 0, Some(*wallet), amount.to());
            }
            EventKind::PoolSwap { pool_id, amount1, .. } => {
                let launch = self.by_token.get(&Address::from_word(*pool_id)).copied().unwrap_or_default();
                self.write(launch, 1, None, amount1.unsigned_abs());
            }
            _ => {}
        }
    }

    fn write(&mut self, launch: u64, trades: u128, wallet: Option<Address>, amount: u128) {
        let place = usize::try_from(launch).expect("it fits");
        if place >= self.launches.len() {
            self.launches.resize(place + 1, [0; 3]);
        }
        let [count, volume, moved] = &mut self.launches[place];
        *count += trades;
        *(if trades > 0 { volume } else { moved }) += amount;
        if let Some(wallet) = wallet {
            let [known, sum] = self.wallets.entry(wallet).or_default();
            (*known, *sum) = (*known + 1, *sum + amount);
        }
    }
}

/// How long something took: by the clock, on the first thread, and on all of them, in milliseconds.
fn timed<T>(run: impl FnOnce() -> T) -> (T, [u64; 3]) {
    let (busy, begun) = (processors(), Instant::now());
    let made = run();
    let (took, now) = (begun.elapsed().as_millis(), processors());
    (made, [u64::try_from(took).expect("it fits"), now.0 - busy.0, now.1 - busy.1])
}

fn median(rounds: &[[u64; 3]], which: usize) -> u64 {
    let mut times: Vec<_> = rounds.iter().map(|times| times[which]).collect();
    times.sort_unstable();
    times[times.len() / 2].max(1)
}

#[expect(clippy::print_stdout, reason = "the figures are what this program is run for")]
fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse().expect("a number"));
    let launches: u64 = arguments.next().unwrap_or(1_000_000);
    let count: usize = arguments.next().map_or(10_000_000, |count| usize::try_from(count).expect("it fits"));
    let events = logs(launches, count);
    let (mut folds, mut floors) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (floor, times) = timed(|| {
            let mut floor = Floor::default();
            events.iter().for_each(|event| floor.take_in(event));
            floor
        });
        floors.push(times);
        let before = resident();
        let ground = Ground { pool_manager: POOL_MANAGER, ..Ground::default() };
        let mut state = State::new([(ChainId::PRIMARY.0, ground)].into());
        let ((), times) = timed(|| events.iter().for_each(|event| state.apply(event)));
        folds.push(times);
        let (held, tokens) = (resident().saturating_sub(before), state.tokens().count() as u64);
        for (token, [trades, volume, _]) in state.tokens().zip(floor.launches.iter().skip(1)) {
            let all = token.trades.within(u64::MAX, u64::MAX);
            assert_eq!((u128::from(all.count()), all.volume), (*trades, *volume), "{:?}", token.birth);
        }
        println!("fold {times:?} ms, floor {:?} ms", floors[floors.len() - 1]);
        // Later rounds use the memory of the first again.
        if folds.len() == 1 {
            println!("{} MiB of state, {} bytes a token of {tokens}", held >> 20, held / tokens.max(1));
        }
    }
    let rate = |millis: u64| count as u64 * 1_000 / millis;
    for (which, name) in ["by the clock", "by the first thread", "by all threads"].into_iter().enumerate() {
        let (fold, floor) = (median(&folds, which), median(&floors, which));
        println!(
            "{name}: fold {fold} ms, {} a second; floor {floor} ms, {} a second",
            rate(fold),
            rate(floor)
        );
    }
}
