//! A deployment works: the contracts are at the expected addresses, a launch trades until it graduates, and its pool trades through the router.

use alloy::eips::BlockId;
use alloy::network::TransactionBuilder;
use alloy::primitives::utils::parse_ether;
use alloy::primitives::{Address, B256, Bytes, U256, address, b256, keccak256};
use alloy::providers::bindings::IMulticall3;
use alloy::providers::{Provider, RootProvider};
use alloy::rpc::types::{TransactionReceipt, TransactionRequest};
use alloy::sol_types::{SolCall, SolEvent, SolValue};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::{
    CaptchaAuth, CreateLaunchParams, IERC20, ILaunchHook, ILaunchToken, IStateView, IUniswapV2Factory,
    IUniswapV2Pair, IUniswapV2Router02, IUniversalRouter, IV4Quoter, IWETH9, PoolKey,
};
use slipway_contracts::deploy::{Deployment, Role, deploy, fingerprint};
use slipway_contracts::node::{Node, NodeOptions};

use crate::{dump_state, stand_at, tools};

const GENESIS: u64 = 1_772_452_800;
const TRADER: Address = address!("f39Fd6e51aad88F6F4ce6aB8827279cffFb92266");

/// Commands and actions of the universal router, and the constant by which it refers to itself.
const WRAP_ETH: u8 = 0x0b;
const V4_SWAP: u8 = 0x10;
const SWAP_EXACT_IN_SINGLE: u8 = 0x06;
const SETTLE: u8 = 0x0b;
const TAKE_ALL: u8 = 0x0f;
const ROUTER_ITSELF: Address = Address::with_last_byte(2);

struct Stage {
    node: Node,
    deployment: Deployment,
}

impl Stage {
    async fn new(chain: ChainId) -> Self {
        let options = NodeOptions { genesis_time: Some(GENESIS), ..NodeOptions::new(chain) };
        let node = Node::start(tools().await.anvil(), &options).await.unwrap();
        stand_at(&node, GENESIS).await;
        let deployment = deploy(&node, tools().await).await.unwrap();
        Self { node, deployment }
    }

    fn at(&self, name: &str) -> Address {
        self.deployment.contract(name).unwrap_or_else(|| panic!("{name} is not deployed"))
    }

    fn provider(&self) -> RootProvider {
        self.node.provider().clone()
    }

    fn hook(&self) -> ILaunchHook::ILaunchHookInstance<RootProvider> {
        ILaunchHook::new(self.deployment.hook, self.provider())
    }

    async fn send(&self, to: Address, value: U256, call: impl SolCall) -> TransactionReceipt {
        let request = TransactionRequest::default()
            .with_from(TRADER)
            .with_to(to)
            .with_value(value)
            .with_gas_limit(10_000_000)
            .with_input(call.abi_encode());
        let receipt: TransactionReceipt =
            self.node.command("eth_sendTransactionSync", (&request,)).await.unwrap();
        if !receipt.status() {
            let reason = self.provider().call(request).block(BlockId::latest()).await;
            panic!("refused: {reason:?}");
        }
        receipt
    }

    async fn launch(&self) -> (U256, Address) {
        let params = CreateLaunchParams {
            name: "Harbour".to_owned(),
            ticker: "HARB".to_owned(),
            description: String::new(),
            imageUrl: String::new(),
            messenger: String::new(),
            microblog: String::new(),
            website: String::new(),
            creatorFeeSplitBps: 5_000,
            gainBps: 50_000,
            targetRaise: parse_ether("1").unwrap().to(),
            antiSnipeDuration: 0,
            startTime: 0,
        };
        let receipt =
            self.send(self.deployment.hook, U256::ZERO, ILaunchHook::createLaunchCall { params }).await;
        let created = events::<ILaunchHook::LaunchCreated>(&receipt);
        assert_eq!((created.len(), created[0].creator), (1, TRADER));
        (created[0].launchId, created[0].token)
    }

    async fn buy(&self, launch: U256, wei: U256) -> TransactionReceipt {
        let call =
            ILaunchHook::buyCall { launchId: launch, minTokensOut: U256::ZERO, auth: CaptchaAuth::default() };
        self.send(self.deployment.hook, wei, call).await
    }

    async fn balance(&self, token: Address) -> U256 {
        IERC20::new(token, self.provider()).balanceOf(TRADER).call().await.unwrap()
    }
}

fn events<Event: SolEvent>(receipt: &TransactionReceipt) -> Vec<Event> {
    receipt.logs().iter().filter_map(|log| Event::decode_log(&log.inner).ok()).map(|log| log.data).collect()
}

#[tokio::test]
async fn deployment_is_complete_on_both_chains() {
    let both = [
        "Multicall3",
        "Permit2",
        "PoolManager",
        "PositionManager",
        "StateView",
        "UniversalRouter",
        "V4Quoter",
        "WETH9",
    ];
    let ours = ["LaunchHook", "LaunchViewer", "SaleSplitCalculator", "TradingModule"];
    let exchange = ["UniswapV2Factory", "UniswapV2Router02"];
    for chain in ChainId::ALL {
        let stage = Stage::new(chain).await;
        for name in both.iter().chain(&ours) {
            let code = stage.provider().get_code_at(stage.at(name)).await.unwrap();
            assert!(!code.is_empty(), "{name} on {chain}");
        }
        for name in exchange {
            assert_eq!(
                stage.deployment.contract(name).is_some(),
                chain == ChainId::PRIMARY,
                "{name} on {chain}"
            );
        }
        let canonical = address!("4200000000000000000000000000000000000006");
        assert_eq!(stage.at("WETH9") == canonical, chain == ChainId::PRIMARY);
        let weth = IWETH9::new(stage.at("WETH9"), stage.provider());
        assert_eq!(weth.name().call().await.unwrap(), "Wrapped Ether");
        assert_eq!(weth.symbol().call().await.unwrap(), "WETH");
        assert_eq!(weth.decimals().call().await.unwrap(), 18);
        assert_plain_ether_is_wrapped(&stage).await;
        assert_calls_are_aggregated(&stage).await;
        assert_hook_is_bound(&stage).await;
    }
}

/// The canonical contract deposits ether that is sent to it without data, or with the data of an unknown method.
async fn assert_plain_ether_is_wrapped(stage: &Stage) {
    let weth = stage.at("WETH9");
    for (data, deposited) in [(Bytes::new(), 5_u64), (Bytes::from_static(&[1, 2, 3, 4]), 7)] {
        let before = stage.balance(weth).await;
        let request = TransactionRequest::default().from(TRADER).to(weth).value(U256::from(deposited));
        let request = request.input(data.into());
        let receipt: TransactionReceipt =
            stage.node.command("eth_sendTransactionSync", (&request,)).await.unwrap();
        assert!(receipt.status());
        assert_eq!(stage.balance(weth).await, before + U256::from(deposited));
    }
}

/// The contract at the address that clients know is the published one.
async fn assert_calls_are_aggregated(stage: &Stage) {
    let address = address!("cA11bde05977b3631167028862bE2a173976CA11");
    assert_eq!(stage.at("Multicall3"), address);
    let code = stage.provider().get_code_at(address).await.unwrap();
    assert_eq!(keccak256(code), b256!("d5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891"));
    let call =
        TransactionRequest::default().to(address).input(IMulticall3::getChainIdCall {}.abi_encode().into());
    let chain_id = stage.provider().get_chain_id().await.unwrap();
    assert_eq!(stage.provider().call(call).await.unwrap(), U256::from(chain_id).abi_encode());
}

async fn assert_hook_is_bound(stage: &Stage) {
    let bits = U256::from_be_slice(stage.deployment.hook.as_slice()) & U256::from(0x3fff);
    assert_eq!(bits, U256::from(0x2000));
    assert_eq!(stage.at("LaunchHook"), stage.deployment.hook);
    let hook = stage.hook();
    assert_eq!(hook.poolManager().call().await.unwrap(), stage.at("PoolManager"));
    assert_eq!(hook.weth().call().await.unwrap(), stage.at("WETH9"));
    assert_eq!(hook.viewer().call().await.unwrap(), stage.at("LaunchViewer"));
    assert_eq!(hook.tradingModule().call().await.unwrap(), stage.at("TradingModule"));
    assert_eq!(hook.splitCalculator().call().await.unwrap(), stage.at("SaleSplitCalculator"));
    assert_eq!(hook.owner().call().await.unwrap(), Role::Owner.address());
    assert_eq!(hook.captchaSigner().call().await.unwrap(), Role::CaptchaSigner.address());
    assert_eq!(hook.protocolFeeRecipient().call().await.unwrap(), Role::ProtocolFeeRecipient.address());
}

#[tokio::test]
async fn deployment_is_deterministic() {
    let (first, second) = tokio::join!(Stage::new(ChainId::PRIMARY), Stage::new(ChainId::PRIMARY));
    assert_eq!(first.deployment, second.deployment);
    let root = async |stage: &Stage| {
        let block = stage.provider().get_block(BlockId::latest()).await.unwrap().unwrap();
        (block.header.number, block.header.hash, block.header.state_root)
    };
    assert_eq!(root(&first).await, root(&second).await);
    let tools = tools().await;
    let name = |chain| fingerprint(chain, tools).unwrap();
    assert_eq!(name(ChainId::PRIMARY), name(ChainId::PRIMARY));
    assert_ne!(name(ChainId::PRIMARY), name(ChainId::SECOND));
}

#[tokio::test]
async fn graduated_pool_trades_through_router() {
    for chain in ChainId::ALL {
        let stage = Stage::new(chain).await;
        let (launch, token) = stage.launch().await;
        assert_eq!(ILaunchToken::new(token, stage.provider()).symbol().call().await.unwrap(), "HARB");
        trade_on_the_curve(&stage, launch, token).await;
        let filled = stage.buy(launch, parse_ether("2").unwrap()).await;
        let finalized = events::<ILaunchHook::LaunchFinalized>(&filled);
        assert_eq!(finalized.len(), 1);
        // Liquidity is a whole number: the remainder is not deposited.
        let left = parse_ether("1").unwrap().checked_sub(finalized[0].ethSeeded).unwrap();
        assert!(left < U256::from(1_000_000), "{left}");
        let state = stage.hook().getLaunchState(launch).call().await.unwrap();
        assert!(state.finalized && state.poolId == finalized[0].poolId && state.sold == state.saleSupply);
        trade_in_the_pool(&stage, token, finalized[0].poolId).await;
    }
}

async fn trade_on_the_curve(stage: &Stage, launch: U256, token: Address) {
    let wei = parse_ether("0.25").unwrap();
    let preview = stage.hook().previewBuy(launch, wei).call().await.unwrap();
    let bought = events::<ILaunchHook::Trade>(&stage.buy(launch, wei).await);
    assert_eq!(bought[0].amounts.tokenAmount, preview.tokensOut);
    assert_eq!(stage.balance(token).await, preview.tokensOut);
    let half = preview.tokensOut / U256::from(2);
    let approve = IERC20::approveCall { spender: stage.deployment.hook, amount: half };
    stage.send(token, U256::ZERO, approve).await;
    let sell = ILaunchHook::sellCall {
        launchId: launch,
        tokenAmount: half.to(),
        minEthOut: U256::from(1),
        auth: CaptchaAuth::default(),
    };
    let sold = events::<ILaunchHook::Trade>(&stage.send(stage.deployment.hook, U256::ZERO, sell).await);
    assert_eq!((sold[0].tradeType, sold[0].amounts.tokenAmount), (1, half));
}

async fn trade_in_the_pool(stage: &Stage, token: Address, pool: B256) {
    let weth = stage.at("WETH9");
    let key = PoolKey {
        currency0: weth.min(token),
        currency1: weth.max(token),
        fee: alloy::primitives::aliases::U24::from(1_000),
        tickSpacing: alloy::primitives::aliases::I24::try_from(60).unwrap(),
        hooks: stage.deployment.hook,
    };
    assert_eq!(keccak256(key.abi_encode()), pool);
    let view = IStateView::new(stage.at("StateView"), stage.provider());
    assert!(view.getLiquidity(pool).call().await.unwrap() > 0);
    let wei = parse_ether("0.01").unwrap();
    let zero_for_one = weth == key.currency0;
    let quoter = IV4Quoter::new(stage.at("V4Quoter"), stage.provider());
    let ask = IV4Quoter::QuoteExactSingleParams {
        poolKey: key.clone(),
        zeroForOne: zero_for_one,
        exactAmount: wei.to(),
        hookData: Bytes::new(),
    };
    let quoted = quoter.quoteExactInputSingle(ask).call().await.unwrap().amountOut;
    let before = stage.balance(token).await;
    stage.send(stage.at("UniversalRouter"), wei, swap_of_native(key, zero_for_one, weth, token, wei)).await;
    assert_eq!(stage.balance(token).await - before, quoted);
}

/// Wraps the ether sent along, swaps it in one pool, and sends the output to the caller.
fn swap_of_native(
    key: PoolKey,
    zero_for_one: bool,
    weth: Address,
    token: Address,
    wei: U256,
) -> IUniversalRouter::executeCall {
    let swap = IUniversalRouter::ExactInputSingleParams {
        poolKey: key,
        zeroForOne: zero_for_one,
        amountIn: wei.to(),
        amountOutMinimum: 1,
        hookData: Bytes::new(),
    };
    let actions = Bytes::from_static(&[SWAP_EXACT_IN_SINGLE, SETTLE, TAKE_ALL]);
    let parameters: Vec<Bytes> = vec![
        swap.abi_encode().into(),
        (weth, wei, false).abi_encode_params().into(),
        (token, U256::from(1)).abi_encode_params().into(),
    ];
    let wrap = (ROUTER_ITSELF, wei).abi_encode_params();
    IUniversalRouter::executeCall {
        commands: Bytes::from_static(&[WRAP_ETH, V4_SWAP]),
        inputs: vec![wrap.into(), (actions, parameters).abi_encode_params().into()],
        deadline: U256::MAX,
    }
}

#[tokio::test]
async fn exchange_router_finds_pair_and_trades() {
    let stage = Stage::new(ChainId::PRIMARY).await;
    let (launch, token) = stage.launch().await;
    stage.buy(launch, parse_ether("0.5").unwrap()).await;
    let router = stage.at("UniswapV2Router02");
    let tokens = stage.balance(token).await;
    stage.send(token, U256::ZERO, IERC20::approveCall { spender: router, amount: tokens }).await;
    let add = IUniswapV2Router02::addLiquidityETHCall {
        token,
        amountTokenDesired: tokens,
        amountTokenMin: U256::ZERO,
        amountETHMin: U256::ZERO,
        to: TRADER,
        deadline: U256::MAX,
    };
    let ether = parse_ether("1").unwrap();
    stage.send(router, ether, add).await;
    let factory = IUniswapV2Factory::new(stage.at("UniswapV2Factory"), stage.provider());
    let pair = factory.getPair(token, stage.at("WETH9")).call().await.unwrap();
    let reserves = IUniswapV2Pair::new(pair, stage.provider()).getReserves().call().await.unwrap();
    assert_eq!(U256::from(reserves.reserve0).max(U256::from(reserves.reserve1)), tokens);

    let wei = U256::from(1_000_000_u64);
    let with_fee = wei * U256::from(997);
    let expected = with_fee * tokens / (ether * U256::from(1_000) + with_fee);
    let swap = IUniswapV2Router02::swapExactETHForTokensCall {
        amountOutMin: expected,
        path: vec![stage.at("WETH9"), token],
        to: TRADER,
        deadline: U256::MAX,
    };
    stage.send(router, wei, swap).await;
    assert_eq!(stage.balance(token).await, expected);
}

#[tokio::test]
async fn deployment_survives_dump_and_load() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state.json");
    let stage = Stage::new(ChainId::SECOND).await;
    let (launch, token) = stage.launch().await;
    stage.buy(launch, parse_ether("0.5").unwrap()).await;
    dump_state(&stage.node, &file).await;
    let options = NodeOptions { state: Some(file), ..NodeOptions::new(ChainId::SECOND) };
    let node = Node::start(tools().await.anvil(), &options).await.unwrap();
    let loaded = Stage { node, deployment: stage.deployment.clone() };
    assert_eq!(loaded.balance(token).await, stage.balance(token).await);
    let state = async |stage: &Stage| stage.hook().getLaunchState(launch).call().await.unwrap();
    assert_eq!(state(&loaded).await, state(&stage).await);
    let filled = loaded.buy(launch, parse_ether("2").unwrap()).await;
    assert_eq!(events::<ILaunchHook::LaunchFinalized>(&filled).len(), 1);
}
