//! Cost of a quote natively, in an in-process EVM, and through a node. Prints figures only after all three have given
//! equal answers to every case in the same run.
use std::hint::black_box;
use std::time::{Duration, Instant};

use alloy::primitives::{Address, Bytes};
use alloy::providers::Provider;
use alloy::rpc::types::TransactionRequest;
use alloy::sol_types::SolCall;
use slipway_benches::chart::Chart;
use slipway_benches::curve::{Question, questions};
use slipway_contracts::ChainId;
use slipway_contracts::artifacts::Artifacts;
use slipway_contracts::bindings::ILaunchViewer::{previewBuyLocalCall, previewSellLocalCall};
use slipway_contracts::node::{Node, NodeOptions};
use slipway_contracts::toolchain::{Toolchain, ToolchainOptions};
use slipway_math_proofs::evm::{Evm, VIEWER, local_buy, local_sell, small};
use tokio::runtime::Runtime;

const CASES: usize = 2_000;
const ROUNDS: usize = 15;
/// Calls to a node per round: each is a round trip.
const NODE_CALLS: usize = 100;

/// A question and its encoding for the chain.
struct EncodedCase {
    question: Question,
    buy: Bytes,
    sell: Bytes,
}

/// A node with the viewer, called over one persistent connection.
struct NodeClient {
    runtime: Runtime,
    node: Node,
    viewer: Address,
}

impl NodeClient {
    fn start() -> Self {
        slipway_contracts::prepare_http();
        let runtime = Runtime::new().expect("a runtime");
        let (node, viewer) = runtime.block_on(async {
            let tools = Toolchain::locate(&ToolchainOptions::from_environment(), &|_| {})
                .await
                .expect("the chain tools");
            let node = Node::start(tools.anvil(), &NodeOptions::new(ChainId::PRIMARY)).await.expect("a node");
            let code = Artifacts::sound().contract("LaunchViewer").expect("it is committed");
            node.set_code(VIEWER, &code.deployed_bytecode).await.expect("code can be set");
            (node, VIEWER)
        });
        Self { runtime, node, viewer }
    }

    fn call(&self, input: &Bytes) -> Bytes {
        let request = TransactionRequest::default().to(self.viewer).input(input.clone().into());
        self.runtime
            .block_on(self.node.provider().call(request).into_future())
            .expect("a pure preview answers")
    }
}

fn encoded_cases() -> Vec<EncodedCase> {
    let encoded = |question: Question| EncodedCase {
        buy: local_buy(&question.case.curve, question.case.position, question.net),
        sell: local_sell(&question.case),
        question,
    };
    questions(CASES).into_iter().map(encoded).collect()
}

fn bought(answer: &Bytes) -> [u128; 3] {
    let result = previewBuyLocalCall::abi_decode_returns(answer).expect("four words");
    [result.tokensOut, result.cost, result.refund].map(small)
}

fn paid(answer: &Bytes) -> u128 {
    let result = previewSellLocalCall::abi_decode_returns(answer).expect("four words");
    small(result.netPayout)
}

/// Checks that every answer of the EVM, and the node's first thousand, equal the native ones; ends the program otherwise.
fn assert_equal(encoded_cases: &[EncodedCase], evm: &mut Evm, node: &NodeClient) {
    for (place, encoded) in encoded_cases.iter().enumerate() {
        let buy = evm.call_encoded(VIEWER, encoded.buy.clone()).expect("a preview answers");
        assert_eq!(bought(&buy), encoded.question.buy(), "{:?}", encoded.question.case);
        let sell = evm.call_encoded(VIEWER, encoded.sell.clone()).expect("a preview answers");
        assert_eq!(paid(&sell), encoded.question.sell(), "{:?}", encoded.question.case);
        assert_eq!(
            encoded.question.case.position.sold + encoded.question.buy()[0],
            encoded.question.inverse()
        );
        if place < 1_000 {
            assert_eq!(node.call(&encoded.buy), buy);
            assert_eq!(node.call(&encoded.sell), sell);
        }
    }
}

fn timed(count: usize, mut work: impl FnMut(usize)) -> Duration {
    let start = Instant::now();
    for place in 0..count {
        work(place);
    }
    start.elapsed() / u32::try_from(count).expect("a count of a benchmark")
}

fn median(mut rounds: Vec<Duration>) -> Duration {
    rounds.sort();
    rounds[rounds.len() / 2]
}

/// Rounds of all three in turn, so that a busy moment of the machine affects each of them; medians and their ratios.
#[expect(clippy::print_stderr, reason = "figures are printed where a benchmark prints them")]
fn ratios(encoded_cases: &[EncodedCase], evm: &mut Evm, node: &NodeClient) {
    let cases = encoded_cases.len();
    let mut rounds: [[Vec<Duration>; 3]; 2] = Default::default();
    let mut inverse = Vec::new();
    for _ in 0..ROUNDS {
        let mut buy = |place: usize| {
            black_box(black_box(&encoded_cases[place]).question.buy());
        };
        // The node has evicted the caches since the previous round.
        timed(cases, &mut buy);
        rounds[0][0].push(timed(cases, &mut buy));
        rounds[1][0].push(timed(cases, |place| {
            black_box(black_box(&encoded_cases[place]).question.sell());
        }));
        inverse.push(timed(cases, |place| {
            black_box(black_box(&encoded_cases[place]).question.inverse());
        }));
        for (kind, input) in [
            (0, (|encoded: &EncodedCase| encoded.buy.clone()) as fn(&EncodedCase) -> Bytes),
            (1, |encoded| encoded.sell.clone()),
        ] {
            rounds[kind][1].push(timed(cases, |place| {
                let answer = evm.call_encoded(VIEWER, input(&encoded_cases[place]));
                black_box(answer.expect("a preview answers"));
            }));
            rounds[kind][2].push(timed(NODE_CALLS, |place| {
                black_box(node.call(&input(&encoded_cases[place])));
            }));
        }
    }
    eprintln!(
        "{CASES} cases: purchase, sale and inverse 0 wei apart, natively, in process, and for 1000 of them by eth_call"
    );
    let [buy, sell] = rounds.map(|kind| kind.map(median));
    // On chain, the pure preview of a net purchase is the inverse of the cost, so both native answers are compared with it.
    let inverse = [median(inverse), buy[1], buy[2]];
    for (name, [native, machine, node]) in
        [("buy quote", buy), ("sell quote", sell), ("exact inverse", inverse)]
    {
        eprintln!(
            "{name}: native {native:?}, in process {machine:?} ({}x), eth_call {node:?} ({}x)",
            machine.as_nanos() / native.as_nanos().max(1),
            node.as_nanos() / native.as_nanos().max(1),
        );
    }
    let figures = [("purchase", buy), ("sale", sell)].map(|(name, times)| {
        let sides = ["native", "in process (revm)", "by eth_call"].into_iter().zip(times);
        sides.map(|(side, time)| (format!("{name}, {side}"), time.as_secs_f64() * 1e9)).collect::<Vec<_>>()
    });
    let title = format!("A quote of the curve, {CASES} of each 0 wei apart");
    Chart { name: "curve", title: &title, unit: "ns a quote" }.bars(&figures.concat());
}

fn main() {
    let encoded_cases = encoded_cases();
    let mut evm = Evm::deployed(&Artifacts::sound()).expect("the committed contracts deploy");
    let node = NodeClient::start();
    assert_equal(&encoded_cases, &mut evm, &node);
    ratios(&encoded_cases, &mut evm, &node);
}
