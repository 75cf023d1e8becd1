//! The exchange against the published router: quotes of every size, amounts really moved, and cases that cannot be quoted.
mod exact_output;
mod graduated;

use std::collections::BTreeMap;

use alloy::network::TransactionBuilder;
use alloy::primitives::{Address, B256, Bytes, U256, keccak256};
use alloy::providers::{DynProvider, Provider};
use alloy::rpc::types::{TransactionReceipt, TransactionRequest};
use alloy::sol_types::{SolCall, SolValue};
use proptest::prelude::*;
use proptest::test_runner::{TestCaseError, TestRunner};
use serde_json::Value;
use slipway_contracts::artifacts::Artifacts;
use slipway_contracts::bindings::{IERC20, IUniswapV2Factory, IUniswapV2Router02 as Router};
use slipway_math::exchange::{Graph, MAX_RESERVE, Quote, Reserves};
use slipway_sim::Platform;

use crate::platform::{PRIMARY, provider, reached, start};

alloy::sol! {
    interface IToken {
        function mint(address to, uint256 amount) external;
        function approve(address spender, uint256 amount) external returns (bool);
    }
    interface IPair {
        function sync() external;
    }
}

/// Storage slot of a pair's reserves, 112 bits each.
const RESERVES_SLOT: u64 = 8;
const NATIVE: Address = Address::ZERO;

/// The exchange of a running platform, and its trader.
struct ExchangeFixture {
    platform: Platform,
    node: DynProvider,
    router: Address,
    factory: Address,
    trader: Address,
}

impl ExchangeFixture {
    async fn open() -> Self {
        let platform = start().await;
        let node = provider(&platform, PRIMARY);
        let ready = platform.ready();
        let chain = ready.chains.iter().find(|chain| chain.chain_id == PRIMARY).unwrap();
        let (router, factory) = (chain.contracts["UniswapV2Router02"], chain.contracts["UniswapV2Factory"]);
        let trader = ready.accounts[0].address;
        let _: Value = node.raw_request("anvil_autoImpersonateAccount".into(), (true,)).await.unwrap();
        Self { platform, node, router, factory, trader }
    }

    async fn send(&self, request: TransactionRequest) -> TransactionReceipt {
        let request = request.from(self.trader).with_gas_limit(10_000_000).with_gas_price(1_000_000_000);
        self.node.raw_request("eth_sendTransactionSync".into(), (request,)).await.unwrap()
    }

    async fn must(&self, to: Address, call: impl SolCall) -> TransactionReceipt {
        let request = TransactionRequest::default().to(to).input(bytes(&call).into());
        let receipt = self.send(request).await;
        assert!(receipt.status(), "{} is taken", std::any::type_name_of_val(&call));
        receipt
    }

    async fn call<C: SolCall>(&self, to: Address, call: &C) -> Option<C::Return> {
        let request = TransactionRequest::default().to(to).input(bytes(call).into());
        let answer = self.node.call(request).await.ok()?;
        Some(C::abi_decode_returns(&answer).unwrap())
    }

    async fn pair_of(&self, one: Address, other: Address) -> Address {
        let create = IUniswapV2Factory::createPairCall { tokenA: one, tokenB: other };
        self.must(self.factory, create).await;
        let find = IUniswapV2Factory::getPairCall { tokenA: one, tokenB: other };
        self.call(self.factory, &find).await.unwrap()
    }

    async fn set_reserves(&self, pair: Address, reserves: Reserves) {
        let word = (U256::from(reserves.reserve1) << 112) | U256::from(reserves.reserve0);
        let params = (pair, U256::from(RESERVES_SLOT), B256::from(word));
        let done: bool = self.node.raw_request("anvil_setStorageAt".into(), params).await.unwrap();
        assert!(done);
    }

    async fn amounts_out(&self, amount: u128, path: &[Address]) -> Option<Vec<U256>> {
        let call = Router::getAmountsOutCall { amountIn: U256::from(amount), path: path.to_vec() };
        self.call(self.router, &call).await
    }

    async fn amounts_in(&self, amount: u128, path: &[Address]) -> Option<Vec<U256>> {
        let call = Router::getAmountsInCall { amountOut: U256::from(amount), path: path.to_vec() };
        self.call(self.router, &call).await
    }

    async fn get(&self, target: &str) -> (u16, Value) {
        let url = format!("{}{target}", self.platform.ready().swap_base_url);
        let answer = reqwest::get(url).await.unwrap();
        let status = answer.status().as_u16();
        (status, serde_json::from_str(&answer.text().await.unwrap()).unwrap())
    }

    async fn quote(&self, from: Address, to: Address, rest: &str) -> (u16, Value) {
        self.get(&format!("/api/quote?tokenIn={from}&tokenOut={to}&{rest}")).await
    }

    async fn token(&self) -> Address {
        let code = Artifacts::sound().contract("MintableToken").unwrap().bytecode;
        let arguments = ("Extreme", "XTRM", U256::from(18), self.trader).abi_encode_params();
        let input = Bytes::from([code.as_ref(), &arguments].concat());
        let receipt = self.send(TransactionRequest::default().with_deploy_code(input)).await;
        receipt.contract_address.unwrap()
    }

    async fn balance(&self, token: Address, account: Address) -> U256 {
        self.call(token, &IERC20::balanceOfCall { account }).await.unwrap()
    }
}

fn bytes(call: &impl SolCall) -> Bytes {
    call.abi_encode().into()
}

fn last(amounts: Option<Vec<U256>>) -> Option<U256> {
    amounts?.pop()
}

/// Amounts whose bit length is uniformly distributed, from 1 unit to the most a pair can hold.
fn any_amount() -> impl Strategy<Value = u128> {
    (1..=MAX_RESERVE, 0_u32..112).prop_map(|(value, shift)| (value >> shift).max(1))
}

#[tokio::test(flavor = "multi_thread")]
async fn quotes_equal_the_router_at_every_size() {
    let exchange = ExchangeFixture::open().await;
    // A triangle and a tail: a direct route, two routes of two pairs, and one of three.
    let mut tokens: Vec<Address> = (0_u8..4).map(|number| Address::from_word(keccak256([number]))).collect();
    tokens.sort();
    let mut pairs = BTreeMap::new();
    for (one, other) in [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3)] {
        pairs.insert((one, other), exchange.pair_of(tokens[one], tokens[other]).await);
    }
    let strategy = (prop::collection::vec((any_amount(), any_amount()), pairs.len()), any_amount());
    let mut runner =
        TestRunner::new(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(160) });
    let (handle, exchange, tokens, pairs) = (tokio::runtime::Handle::current(), &exchange, &tokens, &pairs);
    let compared = tokio::task::block_in_place(|| {
        runner.run(&strategy, |(held, amount)| {
            handle.block_on(quotes_are_the_routers(exchange, tokens, pairs, &held, amount))
        })
    });
    compared.unwrap();
}

async fn quotes_are_the_routers(
    exchange: &ExchangeFixture,
    tokens: &[Address],
    pairs: &BTreeMap<(usize, usize), Address>,
    held: &[(u128, u128)],
    amount: u128,
) -> Result<(), TestCaseError> {
    let mut graph = Graph::default();
    for ((&(one, other), &pair), &(reserve0, reserve1)) in pairs.iter().zip(held) {
        let reserves = Reserves { reserve0, reserve1 };
        exchange.set_reserves(pair, reserves).await;
        graph.add_pair(pair, tokens[one], tokens[other]).unwrap();
        graph.set_reserves(pair, reserves).unwrap();
    }
    for (from, to) in [(0, 1), (3, 0)] {
        if let Ok(quote) = graph.best_exact_in(tokens[from], tokens[to], amount) {
            let paid = last(exchange.amounts_out(amount, quote.path()).await);
            prop_assert_eq!(paid, Some(U256::from(quote.amount_out())));
        }
        if let Ok(quote) = graph.best_exact_out(tokens[from], tokens[to], amount) {
            least_input(exchange, &quote, amount).await?;
        }
    }
    Ok(())
}

/// Checks by the router's own figures that the quoted input buys the output and one unit less does not, and that the router's charge is as
/// expected.
async fn least_input(exchange: &ExchangeFixture, quote: &Quote, amount: u128) -> Result<(), TestCaseError> {
    let (input, wanted) = (quote.amount_in(), U256::from(amount));
    let enough = last(exchange.amounts_out(input, quote.path()).await);
    prop_assert!(enough >= Some(wanted), "{:?} for {}", enough, wanted);
    // The library rejects a zero input.
    let short = last(exchange.amounts_out(input - 1, quote.path()).await).unwrap_or_default();
    prop_assert!(short < wanted, "{} for {}", short, wanted);
    let charged = exchange.amounts_in(amount, quote.path()).await.map(|amounts| amounts[0]);
    if let Some(charge) = quote.router_charge_up() {
        prop_assert_eq!(charged, Some(U256::from(charge)));
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn pairs_at_reserve_extremes_trade_as_quoted() {
    const HALF: u128 = 1 << 111;
    // The pair's reserves of the input and of the output token, and the input.
    let cases = [
        (1, MAX_RESERVE, 1),
        (1_000, 1_001, 7),
        (MAX_RESERVE - 1_000, 2, 1_000),
        (HALF, HALF, HALF - 1),
        (5, MAX_RESERVE, MAX_RESERVE - 5),
        (MAX_RESERVE - 5, MAX_RESERVE, 5),
    ];
    let exchange = ExchangeFixture::open().await;
    for (near, far, paid) in cases {
        let (from, to) = (exchange.token().await, exchange.token().await);
        let pair = exchange.pair_of(from, to).await;
        for (token, reserve) in [(from, near), (to, far)] {
            let (pool, own) = (U256::from(reserve), U256::from(paid));
            exchange.must(token, IToken::mintCall { to: pair, amount: pool }).await;
            let mint = IToken::mintCall { to: exchange.trader, amount: own };
            exchange.must(token, mint).await;
        }
        let receipt = exchange.must(pair, IPair::syncCall {}).await;
        indexed(&exchange, &receipt).await;
        let rest = format!("amount={paid}&buildTx=true&userAddress={}", exchange.trader);
        let (status, refused) = exchange.quote(from, to, &rest).await;
        let (_, quote) = exchange.quote(from, to, &format!("amount={paid}")).await;
        if quote.get("amountOut").is_none() {
            // Too little to buy one unit.
            assert_eq!(
                (status, last(exchange.amounts_out(paid, &[from, to]).await)),
                (500, Some(U256::ZERO))
            );
            continue;
        }
        // Without an approval the estimate fails, and the reason is reported.
        let reason = refused["details"].as_str().unwrap();
        assert!(status == 500 && reason.contains("TRANSFER_FROM_FAILED"), "{refused}");
        let approve = IToken::approveCall { spender: exchange.router, amount: U256::MAX };
        exchange.must(from, approve).await;
        let (_, quote) = exchange.quote(from, to, &rest).await;
        let transaction = &quote["transaction"];
        let request = TransactionRequest::default()
            .to(transaction["to"].as_str().unwrap().parse().unwrap())
            .input(transaction["data"].as_str().unwrap().parse::<Bytes>().unwrap().into());
        let before = exchange.balance(to, exchange.trader).await;
        let receipt = exchange.send(request).await;
        assert!(receipt.status(), "{near} {far} {paid}");
        let came = exchange.balance(to, exchange.trader).await - before;
        assert_eq!(quote["amountOut"], came.to_string(), "{near} {far} {paid}");
        assert_eq!(exchange.balance(from, exchange.trader).await, U256::ZERO);
        indexed(&exchange, &receipt).await;
    }
    exchange.platform.stop().await;
}

async fn indexed(exchange: &ExchangeFixture, receipt: &TransactionReceipt) {
    let block = receipt.block_number.unwrap();
    reached(&exchange.platform, PRIMARY, |height| height >= block).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fee_on_transfer_is_listed_not_quoted() {
    let exchange = ExchangeFixture::open().await;
    let (_, tokens) = exchange.get("/api/tokens").await;
    let named = |symbol: &str| -> Address {
        let row = tokens.as_array().unwrap().iter().find(|row| row["symbol"] == symbol);
        row.unwrap()["address"].as_str().unwrap().parse().unwrap()
    };
    let (keeping, stable) = (named("DTT"), named("HNOTE"));
    let amount = "1000000000000000";
    for (from, to) in [(NATIVE, keeping), (keeping, stable)] {
        for side in ["amount", "amountOut"] {
            let (status, body) = exchange.quote(from, to, &format!("{side}={amount}")).await;
            assert_eq!(status, 500, "{body}");
            assert!(body["details"].as_str().unwrap().contains("fee on transfer"), "{body}");
        }
    }
    // The route through it would yield more if there were no transfer fee.
    let (_, quote) = exchange.quote(NATIVE, stable, &format!("amount={amount}")).await;
    let wrapped: Address = quote["path"][0].as_str().unwrap().parse().unwrap();
    let through = exchange.amounts_out(amount.parse().unwrap(), &[wrapped, keeping, stable]).await;
    let reported: U256 = quote["amountOut"].as_str().unwrap().parse().unwrap();
    assert!(last(through).unwrap() > reported);
    let path = quote["path"].as_array().unwrap();
    assert!(!path.contains(&keeping.to_checksum(None).into()), "{quote}");
    exchange.platform.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fee_on_transfer_is_detected_at_first_liquidity() {
    let exchange = ExchangeFixture::open().await;
    let (_, pairs) = exchange.get("/api/pairs").await;
    let row = |pair: &&Value| pair["token0"]["symbol"] == "DTT" || pair["token1"]["symbol"] == "DTT";
    let known = pairs.as_array().unwrap().iter().find(row).unwrap();
    let side = if known["token0"]["symbol"] == "DTT" { "token0" } else { "token1" };
    let published: Address = known[side]["address"].as_str().unwrap().parse().unwrap();
    // Its code at another address is a new token for the exchange; the test writes its balances to the same slots.
    let twin = Address::repeat_byte(0xdd);
    let code = exchange.node.get_code_at(published).await.unwrap();
    let _: Value = exchange.node.raw_request("anvil_setCode".into(), (twin, code)).await.unwrap();
    let other = exchange.token().await;
    let pair = exchange.pair_of(twin, other).await;
    let held = B256::from(U256::from(5_000_000));
    let balance = U256::from_be_bytes(keccak256((pair, U256::from(1)).abi_encode()).0);
    // The supply is in the first slot; it must be positive because part of it is burned.
    for slot in [U256::ZERO, balance] {
        let _: bool =
            exchange.node.raw_request("anvil_setStorageAt".into(), (twin, slot, held)).await.unwrap();
    }
    let mint = IToken::mintCall { to: pair, amount: U256::from(5_000_000) };
    indexed(&exchange, &exchange.must(other, mint).await).await;
    let (_, before) = exchange.quote(other, twin, "amount=1000").await;
    assert!(before["details"].as_str().unwrap().contains("insufficient"), "{before}");
    indexed(&exchange, &exchange.must(pair, IPair::syncCall {}).await).await;
    let (status, after) = exchange.quote(other, twin, "amount=1000").await;
    assert_eq!(status, 500);
    assert!(after["details"].as_str().unwrap().contains("fee on transfer"), "{after}");
    exchange.platform.stop().await;
}
