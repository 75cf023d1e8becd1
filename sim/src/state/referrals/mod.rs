//! Points and referral rewards, folded from the events of both chains, from registrations and from issued codes, independent of their
//! order. Swaps in pools do not count, since no event names their trader; nor do launches that raise another asset.
//!
//! A trade or launch belongs to a referrer if its wallet was registered before it, or else if the `Referral` event of the same call
//! contains a code. Late information (a registration, or the owner of a code) moves earlier credits.
mod earnings;
mod points;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use alloy::primitives::{Address, B256};

use super::LaunchKey;
use super::figure::saturated;
use super::shared_list::SharedList;
use crate::account::referral_code;
use crate::event::{Event, EventKind};
pub use earnings::{Earning, Member, Referrer};
pub use points::{Points, Score};

/// A code in the form used for comparisons, which ignore letter case.
type CodeKey = Arc<str>;

/// Time and place of an event; a total order across chains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventPosition {
    /// Block timestamp, Unix seconds.
    pub at: u64,
    /// Chain id.
    pub chain_id: u64,
    /// Block number.
    pub block: u64,
    /// Position of the log in its block.
    pub log_index: u64,
}

/// An action of a wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointSource {
    /// A trade on a curve with this volume in wei, gross of fees.
    Trade {
        /// Volume in wei.
        volume: u128,
    },
    /// The creation of a launch.
    Creation,
    /// The graduation of its launch.
    Milestone,
}

/// A registration of a wallet with its referrer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registration {
    /// The referrer.
    pub referrer: Address,
    /// Time of the registration, Unix seconds.
    pub at: u64,
}

/// An issued code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IssuedCode {
    /// The code.
    pub code: String,
    /// Time of issue, Unix seconds.
    pub at: u64,
}

/// The activities of one call of a hook. A hook is locked during a call, so the logs of its calls do not mix.
#[derive(Clone, Debug)]
struct HookCall {
    transaction: B256,
    launch_id: u64,
    wallet: Address,
    /// Whether it created the launch and has not traded yet: the first purchase after it may belong to it.
    is_creation: bool,
    /// The number of its activity that earns points.
    creation: Option<usize>,
    trade: Option<usize>,
}

#[derive(Clone, Debug)]
struct Activity {
    place: EventPosition,
    source: PointSource,
    code: Option<CodeKey>,
    wallet: Address,
    credited: Option<Address>,
}

#[derive(Clone, Debug)]
struct LaunchRecord {
    creator: Address,
    is_native: bool,
    code: Option<CodeKey>,
}

/// The data of a wallet: its activities, by number, and its points.
#[derive(Clone, Debug, Default)]
struct Wallet {
    activities: SharedList<usize>,
    score: Score,
}

/// All activities that earned points.
#[derive(Clone, Debug, Default)]
pub struct Referrals {
    launches: BTreeMap<LaunchKey, LaunchRecord>,
    /// By number.
    activities: SharedList<Activity>,
    by_code: HashMap<CodeKey, SharedList<usize>>,
    /// The latest call of each hook that created or traded, by chain and hook.
    calls: BTreeMap<(u64, Address), HookCall>,
    registrations: BTreeMap<Address, Registration>,
    codes: BTreeMap<Address, IssuedCode>,
    owners: HashMap<CodeKey, Address>,
    referrers: BTreeMap<Address, Arc<Referrer>>,
    wallets: BTreeMap<Address, Wallet>,
}

impl Referrals {
    /// Whether this fold uses an event.
    pub(super) fn concerns(event: &Event) -> bool {
        matches!(
            event.kind,
            EventKind::LaunchCreated { .. }
                | EventKind::LaunchConfigured { .. }
                | EventKind::Trade { .. }
                | EventKind::LaunchFinalized { .. }
                | EventKind::Referral { .. }
        )
    }

    /// Folds one event; events of one chain must arrive in order.
    pub(super) fn apply(&mut self, event: &Event) {
        let (chain_id, hook) = (event.chain_id, event.emitter);
        match &event.kind {
            EventKind::LaunchCreated { launch_id, creator, .. } => {
                let record = LaunchRecord { creator: *creator, is_native: true, code: None };
                self.launches.insert((chain_id, hook, *launch_id), record);
                let activity = self.push(event, *creator, PointSource::Creation, None);
                self.begin_call(event, *launch_id, *creator, true).creation = Some(activity);
            }
            EventKind::LaunchConfigured { launch_id, quote_asset, .. } => {
                if let Some(record) = self.launches.get_mut(&(chain_id, hook, *launch_id)) {
                    record.is_native = quote_asset.is_zero();
                }
            }
            EventKind::Trade { launch_id, trader, quote_amount, .. } => {
                let record = self.launches.get(&(chain_id, hook, *launch_id));
                let is_native = record.is_some_and(|record| record.is_native);
                let source = PointSource::Trade { volume: saturated(*quote_amount) };
                let activity = is_native.then(|| self.push(event, *trader, source, None));
                self.trade_call(event, *launch_id, *trader).trade = activity;
            }
            EventKind::LaunchFinalized { launch_id, .. } => {
                if let Some(record) = self.launches.get(&(chain_id, hook, *launch_id)) {
                    let (creator, code) = (record.creator, record.code.clone());
                    self.push(event, creator, PointSource::Milestone, code);
                }
            }
            EventKind::Referral { launch_id, trader, referral_code } => {
                self.refer(event, *launch_id, *trader, &key_of(referral_code));
            }
            _ => {}
        }
    }

    /// Records the code of a wallet; the first code of a wallet stays, and so does the first owner of a code.
    pub fn issue(&mut self, wallet: Address, code: &str, at: u64) {
        let key = key_of(code);
        if self.codes.contains_key(&wallet) || self.owners.contains_key(&key) {
            return;
        }
        let code = code.to_owned();
        self.codes.insert(wallet, IssuedCode { code, at });
        self.owners.insert(key.clone(), wallet);
        let known = self.by_code.get(&key).cloned().unwrap_or_default();
        for &index in known.iter() {
            self.credit(index);
        }
    }

    /// Records the referrer of a wallet; only a wallet's first registration counts.
    pub fn register(&mut self, wallet: Address, referrer: Address, at: u64) {
        if wallet == referrer || self.registrations.contains_key(&wallet) {
            return;
        }
        self.registrations.insert(wallet, Registration { referrer, at });
        Arc::make_mut(self.referrers.entry(referrer).or_default()).join(wallet, at);
        let known = self.wallets.get(&wallet).map(|known| known.activities.clone()).unwrap_or_default();
        for &index in known.iter() {
            self.credit(index);
        }
    }

    /// The registration of a wallet.
    #[must_use]
    pub fn registration(&self, wallet: Address) -> Option<Registration> {
        self.registrations.get(&wallet).copied()
    }

    /// The code of a wallet.
    #[must_use]
    pub fn code(&self, wallet: Address) -> Option<&IssuedCode> {
        self.codes.get(&wallet)
    }

    /// The owner of a code: the wallet it was issued to, or the address that the code spells.
    #[must_use]
    pub fn owner_of(&self, code: &str) -> Option<Address> {
        self.resolve(&key_of(code))
    }

    /// The code that a wallet would be issued now: derived from its address, or from a hash of the address if that code is taken.
    #[must_use]
    pub fn free_code(&self, wallet: Address) -> String {
        let mut source = wallet;
        loop {
            let code = referral_code(source);
            if !self.owners.contains_key(code.as_str()) {
                return code;
            }
            source = Address::from_word(alloy::primitives::keccak256(source));
        }
    }

    /// The earnings of a wallet as a referrer.
    #[must_use]
    pub fn referrer(&self, wallet: Address) -> Option<&Referrer> {
        self.referrers.get(&wallet).map(Arc::as_ref)
    }

    /// Every wallet that has or had a referral, by address.
    pub fn referrers(&self) -> impl Iterator<Item = (Address, &Referrer)> {
        self.referrers.iter().map(|(wallet, referrer)| (*wallet, &**referrer))
    }

    /// The points of a wallet.
    #[must_use]
    pub fn score(&self, wallet: Address) -> Score {
        self.wallets.get(&wallet).map(|known| known.score).unwrap_or_default()
    }

    /// Every wallet with points and its score, in descending order of points, ties by address.
    #[must_use]
    pub fn ranking(&self) -> Vec<(Address, Score)> {
        let scores = self.wallets.iter().map(|(wallet, known)| (*wallet, known.score));
        let mut ranked: Vec<_> = scores.filter(|(_, score)| score.total() > Points::default()).collect();
        ranked.sort_by_key(|(_, score)| Reverse(score.total()));
        ranked
    }

    fn resolve(&self, key: &CodeKey) -> Option<Address> {
        let owner = self.owners.get(key).copied();
        owner.or_else(|| address_in(key))
    }

    /// Adds an activity and returns its number.
    fn push(&mut self, event: &Event, wallet: Address, source: PointSource, code: Option<CodeKey>) -> usize {
        let index = self.activities.len();
        if let Some(code) = &code {
            self.by_code.entry(code.clone()).or_default().push(index);
        }
        let place = EventPosition {
            at: event.timestamp,
            chain_id: event.chain_id,
            block: event.block,
            log_index: event.log_index,
        };
        self.activities.push(Activity { place, source, code, wallet, credited: None });
        let known = self.wallets.entry(wallet).or_default();
        known.score.earn(source);
        known.activities.push(index);
        self.credit(index);
        index
    }

    fn begin_call(
        &mut self,
        event: &Event,
        launch_id: u64,
        wallet: Address,
        is_creation: bool,
    ) -> &mut HookCall {
        let transaction = event.transaction;
        let call = HookCall { transaction, launch_id, wallet, is_creation, creation: None, trade: None };
        self.calls.entry((event.chain_id, event.emitter)).insert_entry(call).into_mut()
    }

    /// The call that a trade belongs to: the call that created the launch just before, for its first purchase, or a new one.
    fn trade_call(&mut self, event: &Event, launch_id: u64, wallet: Address) -> &mut HookCall {
        let key = (event.chain_id, event.emitter);
        let is_first_purchase = self.calls.get(&key).is_some_and(|call| {
            call.is_creation
                && (call.transaction, call.launch_id, call.wallet) == (event.transaction, launch_id, wallet)
        });
        if !is_first_purchase {
            return self.begin_call(event, launch_id, wallet, false);
        }
        let call = self.calls.get_mut(&key).expect("it was just looked at");
        call.is_creation = false;
        call
    }

    /// Records the code at the end of a call: it applies to the activities of that call only.
    fn refer(&mut self, event: &Event, launch_id: u64, trader: Address, code: &CodeKey) {
        let Some(call) = self.calls.remove(&(event.chain_id, event.emitter)) else {
            return;
        };
        if (call.transaction, call.launch_id, call.wallet) != (event.transaction, launch_id, trader) {
            return;
        }
        for index in [call.creation, call.trade].into_iter().flatten() {
            let activity = &mut self.activities[index];
            activity.code = Some(code.clone());
            if activity.source == PointSource::Creation
                && let Some(record) = self.launches.get_mut(&(event.chain_id, event.emitter, launch_id))
            {
                record.code = Some(code.clone());
            }
            self.by_code.entry(code.clone()).or_default().push(index);
            self.credit(index);
        }
    }

    /// Credits an activity to its referrer, if the referrer is known.
    fn credit(&mut self, index: usize) {
        let activity = &self.activities[index];
        let &Activity { place, source, wallet, credited, .. } = activity;
        let registered = self.registration(wallet).filter(|one| one.at <= place.at);
        let by_code = || activity.code.as_ref().and_then(|code| self.resolve(code));
        let due = registered.map(|one| one.referrer).or_else(by_code);
        let due = due.filter(|referrer| *referrer != wallet);
        if due == credited {
            return;
        }
        let points = Points::of_referral(source);
        self.activities[index].credited = due;
        if let Some(former) = credited {
            self.take_back(former, place);
            let earned = &mut self.wallets.entry(former).or_default().score.referral;
            *earned = earned.less(points);
        }
        if let Some(referrer) = due {
            let earning = Earning { wallet, source, points };
            Arc::make_mut(self.referrers.entry(referrer).or_default()).earn(place, earning);
            let earned = &mut self.wallets.entry(referrer).or_default().score.referral;
            *earned = earned.plus(points);
        }
    }

    fn take_back(&mut self, referrer: Address, place: EventPosition) {
        let Some(held) = self.referrers.get_mut(&referrer) else {
            return;
        };
        let held = Arc::make_mut(held);
        held.lose(place);
        if held.members().is_empty() {
            self.referrers.remove(&referrer);
        }
    }
}

fn key_of(code: &str) -> CodeKey {
    code.to_ascii_uppercase().into()
}

/// The address that a code spells, if any.
fn address_in(key: &CodeKey) -> Option<Address> {
    let digits = key.strip_prefix("0X").filter(|digits| digits.len() == 40)?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests;
