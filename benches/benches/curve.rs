//! Cost of a quote natively, in an in-process EVM, and through a node. Measures only after all three have given equal answers to every
//! case in the same run.
use std::hint::black_box;

use alloy::primitives::{Address, Bytes};
use alloy::providers::Provider;
use alloy::rpc::types::TransactionRequest;
use alloy::sol_types::SolCall;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use slipway_benches::curve::{Question, questions};
use slipway_contracts::ChainId;
use slipway_contracts::artifacts::Artifacts;
use slipway_contracts::bindings::ILaunchViewer::{previewBuyLocalCall, previewSellLocalCall};
use slipway_contracts::node::{Node, NodeOptions};
use slipway_contracts::toolchain::{Toolchain, ToolchainOptions};
use slipway_math_proofs::evm::{Evm, VIEWER, local_buy, local_sell, small};
use tokio::runtime::Runtime;

const CASES: usize = 2_000;
/// Calls to a node per iteration.
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

/// Each side of one kind of quote: natively, in process, and by `eth_call` for the first cases, each of which is a round trip.
fn sides(
    criterion: &mut Criterion,
    name: &str,
    cases: &[EncodedCase],
    (evm, node): (&mut Evm, &NodeClient),
    native: impl Fn(&Question),
    input: impl Fn(&EncodedCase) -> Bytes,
) {
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(CASES as u64));
    group.bench_function("native", |bencher| {
        bencher.iter(|| cases.iter().for_each(|case| native(black_box(&case.question))));
    });
    group.bench_function("revm in process", |bencher| {
        bencher.iter(|| {
            for case in cases {
                black_box(evm.call_encoded(VIEWER, input(case)).expect("a preview answers"));
            }
        });
    });
    group.throughput(Throughput::Elements(NODE_CALLS as u64));
    group.bench_function("eth_call", |bencher| {
        bencher.iter(|| {
            for case in &cases[..NODE_CALLS] {
                black_box(node.call(&input(case)));
            }
        });
    });
    group.finish();
}

fn quotes(criterion: &mut Criterion) {
    let cases = encoded_cases();
    let mut evm = Evm::deployed(&Artifacts::sound()).expect("the committed contracts deploy");
    let node = NodeClient::start();
    assert_equal(&cases, &mut evm, &node);
    let buy = |question: &Question| _ = black_box(question.buy());
    sides(criterion, "purchase", &cases, (&mut evm, &node), buy, |case| case.buy.clone());
    let sell = |question: &Question| _ = black_box(question.sell());
    sides(criterion, "sale", &cases, (&mut evm, &node), sell, |case| case.sell.clone());
    let mut group = criterion.benchmark_group("tokens to cost");
    group.throughput(Throughput::Elements(CASES as u64));
    group.bench_function("native", |bencher| {
        bencher.iter(|| cases.iter().for_each(|case| _ = black_box(black_box(&case.question).inverse())));
    });
    group.finish();
}

criterion_group!(benches, quotes);
criterion_main!(benches);
