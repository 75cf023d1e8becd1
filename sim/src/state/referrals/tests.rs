//! Credits are correct in any order of events and facts.
use alloy::primitives::{Address, U256};
use proptest::prelude::{prop_assert_eq, proptest};

use super::{Points, Referrals};
use crate::account::referral_code;
use crate::event::{Event, EventKind};
use crate::state::figure::ONE;
use crate::state::script::{ETHER, HOOK, Plan, Script};

const NOW: u64 = 1_800_000_000;

fn wallet(number: u8) -> Address {
    Address::repeat_byte(number)
}

/// Puts the last events of a script, from `first` on, into one separate transaction.
fn one_transaction(script: &mut Script, first: usize, number: u64) {
    for event in &mut script.events[first..] {
        event.transaction = U256::from(1_000 + number).into();
    }
}

fn named(script: &mut Script, launch: usize, trader: Address, code: &str, at: u64) {
    let chain_id = script.launches[launch].plan.chain_id;
    let kind = EventKind::Referral {
        launch_id: script.launches[launch].launch_id,
        trader,
        referral_code: code.to_owned(),
    };
    script.push(chain_id, at, HOOK, kind);
}

/// Wallet 1 launches with the code of wallet 9; wallet 2 buys with that code and then without, sells, and fills the curve.
fn market() -> Script {
    let mut script = Script::default();
    let code = referral_code(wallet(9));
    let launch = script.launch(Plan { creator: wallet(1), ..Plan::numbered(1, NOW) });
    named(&mut script, launch, wallet(1), &code, NOW);
    one_transaction(&mut script, 0, 0);
    let steps: [(u128, Option<&str>, u64); 3] = [
        (ETHER / 3, Some(&code), NOW + 10),
        (ETHER / 7, None, NOW + 20),
        (3 * ETHER, Some("REF-22222222"), NOW + 40),
    ];
    for (number, (gross, code, at)) in (1..).zip(steps) {
        let first = script.events.len();
        script.buy(launch, wallet(2), gross, at);
        if let Some(code) = code {
            named(&mut script, launch, wallet(2), code, at);
        }
        one_transaction(&mut script, first, number);
    }
    script
}

#[derive(Clone, Debug)]
enum Fact {
    Event(Box<Event>),
    Issued(Address, String, u64),
    Registered(Address, Address, u64),
}

fn fold(reported: &[Fact]) -> Referrals {
    let mut referrals = Referrals::default();
    for one in reported {
        match one {
            Fact::Event(event) => referrals.apply(event),
            Fact::Issued(wallet, code, at) => referrals.issue(*wallet, code, *at),
            Fact::Registered(wallet, referrer, at) => referrals.register(*wallet, *referrer, *at),
        }
    }
    referrals
}

fn events(script: &Script) -> Vec<Fact> {
    script.events.iter().cloned().map(Box::new).map(Fact::Event).collect()
}

fn earned(referrals: &Referrals, referrer: Address) -> u128 {
    let earnings = referrals.referrer(referrer).map(|one| one.earned_after(None));
    let points: Points = earnings.into_iter().flatten().map(|(_, earning)| earning.points).sum();
    assert_eq!(referrals.score(referrer).referral, points);
    points.units()
}

/// Several calls in one transaction: a code does not apply to earlier calls, whatever is traded in between.
#[test]
fn code_credits_the_trade_of_its_own_call() {
    let code = format!("{:#x}", wallet(9));
    let trade = |script: &Script, launch: usize, nth: usize| {
        let id = script.launches[launch].launch_id;
        let trades = script.events.iter().filter_map(|event| match event.kind {
            EventKind::Trade { launch_id, quote_amount, .. } if launch_id == id => {
                Some(quote_amount.to::<u128>())
            }
            _ => None,
        });
        trades.collect::<Vec<_>>()[nth] * 10
    };
    let mut script = Script::default();
    let own = script.launch(Plan { creator: wallet(2), ..Plan::numbered(1, NOW) });
    let other = script.launch(Plan { creator: wallet(1), ..Plan::numbered(2, NOW) });
    let first = script.events.len();
    script.buy(own, wallet(2), ETHER / 11, NOW + 9);
    script.buy(own, wallet(2), ETHER / 13, NOW + 9);
    named(&mut script, own, wallet(2), &code, NOW + 9);
    script.buy(own, wallet(2), ETHER / 17, NOW + 9);
    script.buy(other, wallet(2), ETHER / 19, NOW + 9);
    named(&mut script, own, wallet(2), &code, NOW + 9);
    script.sell(own, wallet(2), 5 * ETHER, NOW + 9);
    named(&mut script, own, wallet(3), &code, NOW + 9);
    one_transaction(&mut script, first, 1);
    assert_eq!(earned(&fold(&events(&script)), wallet(9)), trade(&script, own, 1));
}

/// A launch with its first purchase and its code, and then a purchase without a code, in one transaction.
#[test]
fn creation_code_credits_only_the_first_purchase() {
    let code = format!("{:#x}", wallet(9));
    for referred_at in [1, 2] {
        let mut script = Script::default();
        let launch = script.launch(Plan { creator: wallet(1), ..Plan::numbered(1, NOW) });
        for purchase in 1..=2 {
            script.buy(launch, wallet(1), ETHER / 10, NOW);
            if purchase == referred_at {
                named(&mut script, launch, wallet(1), &code, NOW);
            }
        }
        one_transaction(&mut script, 0, 0);
        let creation = if referred_at == 1 { 10 * ONE } else { 0 };
        assert_eq!(earned(&fold(&events(&script)), wallet(9)), ETHER / 10 * 10 + creation);
    }
}

#[test]
fn registration_takes_precedence_over_codes() {
    let mut reported = events(&market());
    reported.push(Fact::Issued(wallet(9), referral_code(wallet(9)), NOW));
    reported.push(Fact::Registered(wallet(2), wallet(7), NOW + 20));
    reported.push(Fact::Registered(wallet(2), wallet(8), NOW + 21));
    reported.push(Fact::Registered(wallet(1), wallet(1), NOW));
    let referrals = fold(&reported);
    let own = referrals.score(wallet(2)).trading.units();
    assert_eq!(earned(&referrals, wallet(7)), own / 10 - ETHER / 3 * 10, "all but the first buy");
    assert_eq!(
        earned(&referrals, wallet(9)),
        ETHER / 3 * 10 + 60 * ONE,
        "what was done before stays with the code"
    );
    assert_eq!(earned(&referrals, wallet(8)), 0, "only the first registration counts");
    assert_eq!(referrals.registration(wallet(1)), None, "no wallet refers itself");
}

#[test]
fn address_codes_ignore_case_and_refuse_self_referral() {
    for (referrer, expected) in [(3, 10 * ONE), (1, 0)] {
        let mut script = Script::default();
        let launch = script.launch(Plan { creator: wallet(1), ..Plan::numbered(1, NOW) });
        let code = format!("{:#x}", wallet(referrer));
        named(&mut script, launch, wallet(1), &code, NOW);
        one_transaction(&mut script, 0, 0);
        assert_eq!(earned(&fold(&events(&script)), wallet(referrer)), expected);
    }
}

#[test]
fn quote_asset_trades_earn_no_points() {
    let mut script = market();
    for event in &mut script.events {
        if let EventKind::LaunchConfigured { quote_asset, .. } = &mut event.kind {
            *quote_asset = wallet(0x55);
        }
    }
    let mut reported = events(&script);
    reported.push(Fact::Issued(wallet(9), referral_code(wallet(9)), NOW));
    let referrals = fold(&reported);
    assert_eq!(earned(&referrals, wallet(9)), 60 * ONE);
    assert_eq!(referrals.score(wallet(2)).volume, 0);
}

#[test]
fn codes_are_unique() {
    let mut referrals = Referrals::default();
    let mut other = wallet(4).into_array();
    other[19] = 0;
    let other = Address::from(other);
    let code = referrals.free_code(wallet(4));
    assert_eq!(code, referrals.free_code(other));
    referrals.issue(wallet(4), &code, NOW);
    referrals.issue(other, &code, NOW);
    assert!(referrals.code(other).is_none());
    assert_ne!(referrals.free_code(other), code);
    assert_eq!(referrals.owner_of(&code.to_lowercase()), Some(wallet(4)));
}

proptest! {
    #[test]
    fn fold_is_order_independent(places in proptest::collection::vec(0_usize..64, 4)) {
        let facts = [
            Fact::Issued(wallet(9), referral_code(wallet(9)), NOW + 5),
            Fact::Issued(wallet(8), "REF-22222222".to_owned(), NOW + 6),
            Fact::Registered(wallet(2), wallet(7), NOW + 20),
            Fact::Registered(wallet(1), wallet(2), NOW + 30),
        ];
        let all = events(&market());
        let mut last = all.clone();
        last.extend(facts.clone());
        let mut mixed = all.clone();
        for (fact, place) in facts.into_iter().zip(places) {
            mixed.insert(place % (mixed.len() + 1), fact);
        }
        let (last, mixed) = (fold(&last), fold(&mixed));
        prop_assert_eq!(last.ranking(), mixed.ranking());
        prop_assert_eq!(
            last.referrers().collect::<Vec<_>>(),
            mixed.referrers().collect::<Vec<_>>()
        );
        for number in 1..10 {
            prop_assert_eq!(last.score(wallet(number)), mixed.score(wallet(number)));
        }
    }
}
