//! Random sequences of every action that moves a curve, on a node and in the native model. A failing sequence is shrunk.
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use slipway_contracts::bindings::{IERC20, ILaunchHook};
use slipway_math::curve::{Curve, MAX_GAIN_BPS, MINIMUM_BUY, MINIMUM_SELL, Position};
use slipway_math_proofs::evm::small;
use tokio::runtime::Runtime;

use crate::local_chain::{Launched, LocalChain};

const SEQUENCES: u32 = 32;
const ETHER: u128 = 1_000_000_000_000_000_000;
/// The least buyback that the hook executes, in wei.
const MINIMUM_BUYBACK: u128 = ETHER / 1_000;

/// One step; steps that are impossible in the current state are skipped.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// In 1/2^16 of 1.25 times the amount missing from the curve.
    Buy(u16),
    /// In 1/2^16 of the trader's balance.
    Sell(u16),
    Split(u16),
    Withdraw,
    BuyBack,
}

/// The expected state of the chain after each step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Model {
    position: Position,
    split_bps: u16,
    held: u128,
    earned: u128,
    aside: u128,
    burned: u128,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => any::<u16>().prop_map(Step::Buy),
        4 => any::<u16>().prop_map(Step::Sell),
        1 => (0..=10_000_u16).prop_map(Step::Split),
        1 => Just(Step::Withdraw),
        2 => Just(Step::BuyBack),
    ];
    prop::collection::vec(step, 1..16)
}

fn part(of: u128, parts: u16) -> u128 {
    of / 65_536 * (u128::from(parts) + 1)
}

/// Executes a step on both; false if the launch does not allow it.
async fn take(chain: &LocalChain, launched: &Launched, model: &mut Model, step: Step) -> bool {
    let (trader, hook, curve) = (chain.traders[0], chain.deployment.hook, &launched.curve);
    let missing = curve.target_raise() - model.position.contributions;
    let transaction = match step {
        Step::Buy(parts) if missing > 0 => {
            let gross = part(missing + missing / 4, parts).max(MINIMUM_BUY);
            let bought = curve.buy(model.position, gross, model.split_bps);
            model.position = bought.position_after;
            model.held += bought.tokens_out;
            model.earned += bought.fees.creator;
            model.aside += bought.fees.buyback;
            chain.buy(trader, launched.id, gross)
        }
        Step::Sell(parts) if missing > 0 && model.held >= MINIMUM_SELL => {
            let tokens = part(model.held, parts).clamp(MINIMUM_SELL, model.held);
            let sold = curve.sell(model.position, tokens, model.split_bps).unwrap();
            model.position = sold.position_after;
            model.held -= tokens;
            model.earned += sold.fees.creator;
            model.aside += sold.fees.buyback;
            chain.sell(trader, launched.id, tokens)
        }
        Step::Split(split_bps) => {
            model.split_bps = split_bps;
            let call = ILaunchHook::updateCreatorFeeSplitCall { launchId: launched.id, newBps: split_bps };
            chain.transaction(trader, hook, 0, &call)
        }
        Step::Withdraw if model.earned > 0 => {
            model.earned = 0;
            chain.transaction(trader, hook, 0, &ILaunchHook::withdrawFeesCall {})
        }
        Step::BuyBack if missing > 0 && model.aside >= MINIMUM_BUYBACK => {
            let bought = curve.buy_net(model.position, model.aside);
            model.position = bought.position_after;
            model.aside -= bought.net;
            model.burned += bought.tokens_out;
            let call = ILaunchHook::executeAccumulatedBuybackCall { launchId: launched.id };
            chain.transaction(trader, hook, 0, &call)
        }
        _ => return false,
    };
    chain.send(vec![transaction]).await;
    true
}

/// Reads the state of the chain, and whether the launch graduated.
async fn read(chain: &LocalChain, launched: &Launched) -> (Model, bool) {
    let (trader, hook) = (chain.traders[0], chain.deployment.hook);
    let state = chain.view(hook, &ILaunchHook::getLaunchStateCall { launchId: launched.id }).await;
    let earned = chain.view(hook, &ILaunchHook::withdrawableFeesCall { account: trader }).await;
    let aside = chain.view(hook, &ILaunchHook::accumulatedBuybackCall { launchId: launched.id }).await;
    let held = chain.view(launched.token, &IERC20::balanceOfCall { account: trader }).await;
    let at_hook = chain.view(launched.token, &IERC20::balanceOfCall { account: hook }).await;
    let model = Model {
        position: Position { sold: state.sold, contributions: state.netContributions },
        split_bps: state.creatorFeeSplitBps,
        held: small(held),
        earned: small(earned),
        aside: small(aside),
        // Tokens that are neither unsold at the hook nor with the only trader were burned; after graduation the pool has the rest.
        burned: if state.finalized { 0 } else { state.sold - small(held) },
    };
    let unsold = launched.curve.sale_supply() - state.sold + launched.curve.liquidity_supply();
    let expected = if state.finalized { 0 } else { unsold };
    (model, small(at_hook) == expected)
}

async fn follow(chain: &LocalChain, raise: u128, gain: u32, steps: &[Step]) -> Result<(), TestCaseError> {
    let snapshot: String = chain.node.command("evm_snapshot", ()).await.unwrap();
    let curve = Curve::new(raise, gain).unwrap();
    let launched = chain.launch(&[(chain.traders[0], curve, 5_000)]).await;
    let mut model = Model { split_bps: launched[0].split_bps, ..Model::default() };
    let mut outcome = Ok(());
    for step in steps {
        if !take(chain, &launched[0], &mut model, *step).await {
            continue;
        }
        let (found, conserved) = read(chain, &launched[0]).await;
        let mut expected = model;
        if expected.position.contributions == raise {
            expected.burned = 0;
        }
        if found != expected || !conserved {
            outcome = Err(TestCaseError::fail(format!(
                "after {step:?}: {found:?}, not {expected:?}; conserved: {conserved}"
            )));
            break;
        }
    }
    assert!(chain.node.command::<_, bool>("evm_revert", (snapshot,)).await.unwrap());
    outcome
}

#[test]
fn random_sequences_match_model() {
    let runtime = Runtime::new().unwrap();
    let chain = runtime.block_on(LocalChain::start(1));
    let config = Config { cases: SEQUENCES, failure_persistence: None, ..Config::default() };
    let shapes = (ETHER..=5 * ETHER, prop_oneof![Just(0), Just(MAX_GAIN_BPS), 0..=MAX_GAIN_BPS]);
    let ran = TestRunner::new(config).run(&(shapes, steps()), |((raise, gain), steps)| {
        runtime.block_on(follow(&chain, raise, gain, &steps))
    });
    assert!(ran.is_ok(), "{ran:?}");
}
