//! A node with everything deployed, traders, and many transactions per block.
use alloy::primitives::{Address, Bytes, U256};
use alloy::rpc::client::BatchRequest;
use alloy::rpc::json_rpc::RpcRecv;
use alloy::rpc::types::TransactionRequest;
use alloy::sol_types::SolCall;
use serde_json::{Value, json};
use slipway_contracts::ChainId;
use slipway_contracts::bindings::{CaptchaAuth, CreateLaunchParams, IERC20, ILaunchHook, ITokenFactory};
use slipway_contracts::deploy::{Deployment, deploy};
use slipway_contracts::node::{Node, NodeOptions};
use slipway_contracts::toolchain::{Toolchain, ToolchainOptions};
use slipway_math::curve::Curve;

/// Requests in one batch: larger batches use more memory in the node and are no faster.
const BATCH: usize = 100;
const GAS: u64 = 3_500_000;

/// A node with free gas, so that only trades change a balance.
pub(crate) struct LocalChain {
    pub(crate) node: Node,
    pub(crate) deployment: Deployment,
    pub(crate) traders: Vec<Address>,
}

/// A launch on the node.
pub(crate) struct Launched {
    pub(crate) id: U256,
    pub(crate) token: Address,
    pub(crate) curve: Curve,
    pub(crate) split_bps: u16,
}

impl LocalChain {
    pub(crate) async fn start(traders: u16) -> Self {
        slipway_contracts::prepare_http();
        let tools = Toolchain::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
        let options = NodeOptions {
            accounts: traders,
            automine: false,
            unlimited_blocks: true,
            ..NodeOptions::new(ChainId::PRIMARY)
        };
        let node = Node::start(tools.anvil(), &options).await.unwrap();
        let deployment = deploy(&node, &tools).await.unwrap();
        let () = node.command("anvil_setNextBlockBaseFeePerGas", (U256::ZERO,)).await.unwrap();
        // Later blocks inherit the free gas from this one, even after a revert to it.
        node.mine(1).await.unwrap();
        let traders = node.command("eth_accounts", ()).await.unwrap();
        Self { node, deployment, traders }
    }

    /// Calls the same method many times, in batches, and returns the answers in order.
    pub(crate) async fn batch<Answer: RpcRecv>(
        &self,
        method: &'static str,
        parameters: Vec<Value>,
    ) -> Vec<Answer> {
        let mut answers = Vec::with_capacity(parameters.len());
        for part in parameters.chunks(BATCH) {
            let mut batch = BatchRequest::new(alloy::providers::Provider::client(self.node.provider()));
            let waiting: Vec<_> = part
                .iter()
                .map(|parameters| batch.add_call::<_, Answer>(method, parameters).unwrap())
                .collect();
            batch.send().await.unwrap();
            for answer in waiting {
                answers.push(answer.await.unwrap());
            }
        }
        answers
    }

    /// Puts transactions into the next block, in this order.
    pub(crate) async fn send(&self, transactions: Vec<TransactionRequest>) {
        let sent: Vec<alloy::primitives::B256> = self
            .batch("eth_sendTransaction", transactions.iter().map(|request| json!([request])).collect())
            .await;
        self.node.mine(1).await.unwrap();
        let receipts: Vec<Value> =
            self.batch("eth_getTransactionReceipt", sent.iter().map(|hash| json!([hash])).collect()).await;
        for (receipt, request) in receipts.iter().zip(&transactions) {
            assert_eq!(receipt["status"], "0x1", "{request:?}");
        }
    }

    pub(crate) fn transaction(
        &self,
        from: Address,
        to: Address,
        value: u128,
        call: &impl SolCall,
    ) -> TransactionRequest {
        let mut request = TransactionRequest::default()
            .from(from)
            .to(to)
            .value(U256::from(value))
            .input(Bytes::from(call.abi_encode()).into());
        request.gas = Some(GAS);
        request.gas_price = Some(0);
        request
    }

    pub(crate) fn buy(&self, from: Address, launch: U256, gross: u128) -> TransactionRequest {
        let call = ILaunchHook::buyCall { launchId: launch, minTokensOut: U256::ZERO, auth: no_captcha() };
        self.transaction(from, self.deployment.hook, gross, &call)
    }

    pub(crate) fn sell(&self, from: Address, launch: U256, tokens: u128) -> TransactionRequest {
        let call = ILaunchHook::sellCall {
            launchId: launch,
            tokenAmount: tokens,
            minEthOut: U256::ZERO,
            auth: no_captcha(),
        };
        self.transaction(from, self.deployment.hook, 0, &call)
    }

    pub(crate) fn factory(&self) -> Address {
        self.deployment.token_factory().unwrap()
    }

    pub(crate) fn buy_v1(&self, from: Address, token: Address, gross: u128) -> TransactionRequest {
        let call = ITokenFactory::buyCall { token, minTokensOut: U256::ZERO };
        self.transaction(from, self.factory(), gross, &call)
    }

    pub(crate) fn sell_v1(&self, from: Address, token: Address, tokens: u128) -> TransactionRequest {
        let call = ITokenFactory::sellCall { token, tokenAmount: U256::from(tokens), minEthOut: U256::ZERO };
        self.transaction(from, self.factory(), 0, &call)
    }

    /// Creates a V1 token for each trader, who also approves the factory; creation is still open here.
    pub(crate) async fn create_v1(&self, traders: &[Address]) -> Vec<Address> {
        let factory = self.factory();
        let before: U256 = self.view(factory, &ITokenFactory::tokenCountCall {}).await;
        let creation = ITokenFactory::createTokenCall {
            name: "Equal".to_owned(),
            symbol: "EQ".to_owned(),
            description: String::new(),
            imageUrl: String::new(),
        };
        let creations = traders.iter().map(|trader| self.transaction(*trader, factory, 0, &creation));
        self.send(creations.collect()).await;
        let mut created = Vec::new();
        for place in 0..traders.len() {
            let index = before + U256::from(place);
            created.push(self.view(factory, &ITokenFactory::tokensCall { index }).await);
        }
        let allow = IERC20::approveCall { spender: factory, amount: U256::MAX };
        let allowances = traders.iter().zip(&created);
        let allowances = allowances.map(|(trader, token)| self.transaction(*trader, *token, 0, &allow));
        self.send(allowances.collect()).await;
        created
    }

    /// Launches curves, each by its trader, who also approves the hook.
    pub(crate) async fn launch(&self, curves: &[(Address, Curve, u16)]) -> Vec<Launched> {
        let hook = self.deployment.hook;
        let before: U256 = self.view(hook, &ILaunchHook::launchCountCall {}).await;
        let calls = curves.iter().map(|(creator, curve, split_bps)| {
            let params = CreateLaunchParams {
                name: "Equal".to_owned(),
                ticker: "EQ".to_owned(),
                creatorFeeSplitBps: *split_bps,
                gainBps: curve.gain_bps(),
                targetRaise: curve.target_raise().try_into().unwrap(),
                description: String::new(),
                imageUrl: String::new(),
                messenger: String::new(),
                microblog: String::new(),
                website: String::new(),
                antiSnipeDuration: 0,
                startTime: 0,
            };
            self.transaction(*creator, hook, 0, &ILaunchHook::createLaunchCall { params })
        });
        self.send(calls.collect()).await;
        let mut launched = Vec::new();
        let mut allowances = Vec::new();
        for (place, (creator, curve, split_bps)) in curves.iter().enumerate() {
            let id = before + U256::from(place + 1);
            let state = self.view(hook, &ILaunchHook::getLaunchStateCall { launchId: id }).await;
            allowances.push(self.transaction(
                *creator,
                state.token,
                0,
                &IERC20::approveCall { spender: hook, amount: U256::MAX },
            ));
            launched.push(Launched { id, token: state.token, curve: *curve, split_bps: *split_bps });
        }
        self.send(allowances).await;
        launched
    }

    pub(crate) async fn view<Call: SolCall>(&self, to: Address, call: &Call) -> Call::Return {
        let request = json!([{ "to": to, "input": Bytes::from(call.abi_encode()) }, "latest"]);
        let answer: Vec<Bytes> = self.batch("eth_call", vec![request]).await;
        Call::abi_decode_returns(&answer[0]).unwrap()
    }

    pub(crate) async fn balances(&self, accounts: &[Address]) -> Vec<U256> {
        let parameters = accounts.iter().map(|account| json!([account, "latest"]));
        self.batch("eth_getBalance", parameters.collect()).await
    }
}

fn no_captcha() -> CaptchaAuth {
    CaptchaAuth { deadline: 0, nonce: alloy::primitives::B256::ZERO, signature: Bytes::new() }
}
