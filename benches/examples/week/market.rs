//! One chain that is traded on: wallets that sign their own transactions, sent by the block, and what the logs of each block say.
use std::collections::{HashMap, HashSet};

use alloy::consensus::{SignableTransaction as _, TxEip1559, TxEnvelope};
use alloy::eips::eip2718::Encodable2718 as _;
use alloy::network::TxSignerSync as _;
use alloy::primitives::{Address, B256, Bytes, U64, U256, keccak256};
use alloy::providers::{DynProvider, Provider as _, ProviderBuilder};
use alloy::rpc::client::BatchRequest;
use alloy::rpc::json_rpc::{RpcRecv, RpcSend};
use alloy::rpc::types::{Filter, Log};
use alloy::signers::local::PrivateKeySigner;
use alloy::sol_types::SolCall;
use serde_json::Value;
pub(crate) use slipway_benches::process::Failure;
use slipway_contracts::bindings::{CaptchaAuth, CreateLaunchParams, IERC20, ILaunchHook};
use slipway_contracts::deploy::Role;

use crate::tally::Tally;

pub(crate) const ETHER: u128 = 1_000_000_000_000_000_000;
/// How many wallets a chain has, and how many of them trade one launch.
const WALLETS: usize = 64;
const TRADERS: u64 = 8;
/// The wallet that earns the protocol's fees comes after the others.
const PROTOCOL: usize = WALLETS;
/// Trades of a block at most.
const MOST_TRADES: usize = 2_000;
/// A launch that has raised this much is only sold from here on, so that none graduates unplanned.
const RAISED: u128 = 3 * ETHER;
const TARGET: u128 = 5 * ETHER;
/// The contract carries out no smaller buyback.
const MIN_BUYBACK: u128 = ETHER / 1_000;
/// The contract takes no smaller sale.
const MIN_SELL: u128 = ETHER;
/// Requests of one batch; the node refuses a request beyond 2 MiB.
const BATCH: usize = 100;
const MAX_FEE: u128 = 20_000_000_000;

struct Wallet {
    signer: PrivateKeySigner,
    nonce: u64,
}

/// A chain with its wallets.
pub(crate) struct Side {
    pub(crate) chain_id: u64,
    pub(crate) hook: Address,
    pub(crate) pool_manager: Address,
    pub(crate) provider: DynProvider,
    pub(crate) tally: Tally,
    wallets: Vec<Wallet>,
    allowed: HashSet<(usize, u64)>,
    /// What the sales of the block that is being made take.
    selling: HashMap<(usize, u64), U256>,
    /// What the purchases of that block pay.
    raising: HashMap<u64, u128>,
    /// Launches that graduate or have.
    closed: HashSet<u64>,
    queue: Vec<Bytes>,
    /// Trades and launches that the next block brings.
    expected: (usize, usize),
    height: u64,
    random: u64,
    /// Trades that found no launch so far.
    due: usize,
}

impl Side {
    /// Reaches a chain as the ready line tells of it; its blocks hold any number of transactions and are mined on demand.
    pub(crate) async fn open(chain: &Value) -> Result<Self, Failure> {
        let text = |name: &str| chain[name].as_str().ok_or_else(|| format!("no {name}"));
        let url = text("rpcUrl")?.parse()?;
        let client = slipway_contracts::http_client(&url).build()?;
        let provider = ProviderBuilder::default().connect_reqwest(client, url).erased();
        let chain_id = chain["chainId"].as_u64().ok_or("no chainId")?;
        let mut wallets = (0..WALLETS)
            .map(|number| Ok(PrivateKeySigner::from_bytes(&keccak256(format!("week {number}")))?))
            .collect::<Result<Vec<_>, Failure>>()?;
        wallets.push(Role::ProtocolFeeRecipient.signer());
        let rich = |signer: &PrivateKeySigner| (signer.address(), U256::from(ETHER) * U256::from(1_000_000));
        batch::<_, Value>(&provider, "anvil_setBalance", wallets.iter().map(rich)).await?;
        ask::<_, Value>(&provider, "evm_setAutomine", (false,)).await?;
        ask::<_, Value>(&provider, "evm_setBlockGasLimit", (U64::from(100_000_000_000_u64),)).await?;
        let height: U64 = ask(&provider, "eth_blockNumber", ()).await?;
        let mut side = Self {
            chain_id,
            hook: text("hook")?.parse()?,
            pool_manager: chain["contracts"]["PoolManager"].as_str().ok_or("no pool manager")?.parse()?,
            provider,
            tally: Tally::default(),
            wallets: Vec::new(),
            allowed: HashSet::new(),
            selling: HashMap::new(),
            raising: HashMap::new(),
            closed: HashSet::new(),
            queue: Vec::new(),
            expected: (0, 0),
            height: height.to(),
            random: chain_id,
            due: 0,
        };
        for signer in wallets {
            let nonce: U64 =
                ask(&side.provider, "eth_getTransactionCount", (signer.address(), "latest")).await?;
            side.wallets.push(Wallet { signer, nonce: nonce.to() });
        }
        Ok(side)
    }

    /// The next of a sequence of numbers that is the same in every run (SplitMix64).
    fn draw(&mut self, below: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.random;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % below
    }

    /// One more launch in the next block.
    pub(crate) fn create(&mut self) -> Result<(), Failure> {
        let number = self.tally.launches.len() + self.expected.1;
        let params = CreateLaunchParams {
            name: format!("Week {number}"),
            ticker: format!("W{number}"),
            description: "One of a week".to_owned(),
            creatorFeeSplitBps: u16::try_from(self.draw(10_001))?,
            gainBps: 50_000,
            targetRaise: U256::from(TARGET).to(),
            ..CreateLaunchParams::default()
        };
        self.expected.1 += 1;
        self.sign(number % WALLETS, self.hook, 0, 3_500_000, &ILaunchHook::createLaunchCall { params })
    }

    /// So many more trades in the next block; those that find no launch come with later ones.
    pub(crate) fn trade(&mut self, count: usize) -> Result<(), Failure> {
        self.due += count;
        for _ in 0..self.due.min(MOST_TRADES) {
            if !self.trade_once()? {
                break;
            }
            self.due -= 1;
        }
        Ok(())
    }

    /// One more trade in the next block; false when no launch can be traded.
    fn trade_once(&mut self) -> Result<bool, Failure> {
        let launches = self.tally.launches.len() as u64;
        for _ in 0..100 {
            if launches == 0 {
                break;
            }
            let id = 1 + self.draw(launches);
            let wallet = usize::try_from(id * 13 + self.draw(TRADERS))? % WALLETS;
            let raising = self.raising.get(&id).copied().unwrap_or_default();
            let raised = self.tally.launches[&id].contributions + U256::from(raising);
            let sells = self.draw(5) < 2 || raised > U256::from(RAISED);
            if self.closed.contains(&id) || (sells && !self.sell(id, wallet)?) {
                continue;
            }
            self.raising.entry(id).or_default();
            if !sells {
                let value = ETHER / 1_000 * u128::from(1 + self.draw(20));
                *self.raising.entry(id).or_default() += value;
                self.buy(id, wallet, value, 450_000)?;
            }
            self.expected.0 += 1;
            return Ok(true);
        }
        Ok(false)
    }

    /// One launch that nobody trades in the next block is bought out in it; false when none is found.
    pub(crate) fn graduate(&mut self) -> Result<bool, Failure> {
        let launches = self.tally.launches.len() as u64;
        for _ in 0..launches.min(100) {
            let id = 1 + self.draw(launches);
            if !self.raising.contains_key(&id) && self.closed.insert(id) {
                self.buy(id, usize::try_from(id)? % WALLETS, 2 * TARGET, 2_500_000)?;
                self.expected.0 += 1;
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Half of those who are owed fees withdraw them in the next block, and some buybacks are carried out.
    pub(crate) fn collect(&mut self) -> Result<(), Failure> {
        for wallet in (0..=PROTOCOL).step_by(2) {
            let owed = self.tally.withdrawable.get(&self.wallets[wallet].signer.address());
            if owed.is_some_and(|owed| !owed.is_zero()) {
                self.sign(wallet, self.hook, 0, 200_000, &ILaunchHook::withdrawFeesCall {})?;
            }
        }
        let aside =
            self.tally.launches.iter().filter(|(id, launch)| {
                launch.buyback >= U256::from(MIN_BUYBACK) && !self.closed.contains(id)
            });
        let mut ids: Vec<u64> = aside.map(|(id, _)| *id).collect();
        ids.sort_unstable();
        for id in ids.into_iter().take(20) {
            let call = ILaunchHook::executeAccumulatedBuybackCall { launchId: U256::from(id) };
            self.sign(1, self.hook, 0, 600_000, &call)?;
        }
        Ok(())
    }

    fn buy(&mut self, id: u64, wallet: usize, value: u128, gas: u64) -> Result<(), Failure> {
        let call = ILaunchHook::buyCall {
            launchId: U256::from(id),
            minTokensOut: U256::ZERO,
            auth: CaptchaAuth::default(),
        };
        self.sign(wallet, self.hook, value, gas, &call)
    }

    /// Sells half of what the wallet holds and is not selling yet; false when that is too little.
    fn sell(&mut self, id: u64, wallet: usize) -> Result<bool, Failure> {
        let token = self.tally.launches[&id].token;
        let held = self.tally.balance(token, self.wallets[wallet].signer.address());
        let selling = self.selling.entry((wallet, id)).or_default();
        let amount = held.saturating_sub(*selling) / U256::from(2);
        if amount < U256::from(MIN_SELL) {
            return Ok(false);
        }
        *selling += amount;
        if self.allowed.insert((wallet, id)) {
            let allow = IERC20::approveCall { spender: self.hook, amount: U256::MAX };
            self.sign(wallet, token, 0, 80_000, &allow)?;
        }
        let call = ILaunchHook::sellCall {
            launchId: U256::from(id),
            tokenAmount: amount.try_into()?,
            minEthOut: U256::ZERO,
            auth: CaptchaAuth::default(),
        };
        self.sign(wallet, self.hook, 0, 400_000, &call)?;
        Ok(true)
    }

    fn sign(
        &mut self,
        wallet: usize,
        to: Address,
        value: u128,
        gas_limit: u64,
        call: &impl SolCall,
    ) -> Result<(), Failure> {
        let Wallet { signer, nonce } = &mut self.wallets[wallet];
        let mut transaction = TxEip1559 {
            chain_id: self.chain_id,
            nonce: *nonce,
            gas_limit,
            max_fee_per_gas: MAX_FEE,
            max_priority_fee_per_gas: 1,
            to: to.into(),
            value: U256::from(value),
            access_list: Default::default(),
            input: call.abi_encode().into(),
        };
        *nonce += 1;
        let signature = signer.sign_transaction_sync(&mut transaction)?;
        self.queue.push(TxEnvelope::from(transaction.into_signed(signature)).encoded_2718().into());
        Ok(())
    }

    /// Hands everything to the node that is signed.
    pub(crate) async fn send(&mut self) -> Result<(), Failure> {
        let queue = std::mem::take(&mut self.queue);
        let calls = queue.into_iter().map(|transaction| (transaction,));
        batch::<_, B256>(&self.provider, "eth_sendRawTransaction", calls).await?;
        Ok(())
    }

    /// Takes in the logs of the blocks that were mined since the last call; everything that was sent must be in them.
    pub(crate) async fn learn(&mut self, now: u64) -> Result<(), Failure> {
        let head: U64 = ask(&self.provider, "eth_blockNumber", ()).await?;
        let head = head.to::<u64>();
        let before = (self.tally.trades, self.tally.launches.len());
        for block in self.height + 1..=head {
            let filter = Filter::new().from_block(block).to_block(block);
            let logs: Vec<Log> = ask(&self.provider, "eth_getLogs", (filter,)).await?;
            for log in logs {
                self.tally.take(self.hook, &log.inner, now)?;
            }
        }
        let found = (self.tally.trades - before.0, self.tally.launches.len() - before.1);
        if found != self.expected {
            let refused = self.refused(head).await?;
            let (chain, expected) = (self.chain_id, self.expected);
            return Err(format!(
                "block {head} of chain {chain}: {found:?} trades and launches, not {expected:?}; {refused}"
            )
            .into());
        }
        (self.height, self.expected) = (head, (0, 0));
        self.selling.clear();
        self.raising.clear();
        self.tally.forget(now);
        Ok(())
    }

    /// The first transaction of a block that was reverted, in words.
    async fn refused(&self, block: u64) -> Result<String, Failure> {
        let receipts: Vec<Value> = ask(&self.provider, "eth_getBlockReceipts", (U64::from(block),)).await?;
        let Some(receipt) = receipts.iter().find(|receipt| receipt["status"] == "0x0") else {
            return Ok("none was reverted".to_owned());
        };
        let hash = &receipt["transactionHash"];
        let sent: Value = ask(&self.provider, "eth_getTransactionByHash", (hash,)).await?;
        Ok(format!("reverted with {} gas: {sent}", receipt["gasUsed"]))
    }

    /// The answers of one contract call each, in order.
    pub(crate) async fn calls<C: SolCall>(
        &self,
        calls: impl Iterator<Item = (Address, C)>,
    ) -> Result<Vec<C::Return>, Failure> {
        let calls = calls.map(|(to, call)| {
            (serde_json::json!({ "to": to, "data": Bytes::from(call.abi_encode()) }), "latest")
        });
        let answers: Vec<Bytes> = batch(&self.provider, "eth_call", calls).await?;
        answers.iter().map(|answer| Ok(C::abi_decode_returns(answer)?)).collect()
    }
}

pub(crate) async fn ask<P: RpcSend, R: RpcRecv>(
    provider: &DynProvider,
    method: &'static str,
    params: P,
) -> Result<R, Failure> {
    let answer = provider.client().request(method, params).await;
    answer.map_err(|error| format!("{method}: {error}").into())
}

async fn batch<P: RpcSend, R: RpcRecv>(
    provider: &DynProvider,
    method: &'static str,
    calls: impl Iterator<Item = P>,
) -> Result<Vec<R>, Failure> {
    let (mut calls, mut answers) = (calls.peekable(), Vec::new());
    while calls.peek().is_some() {
        let mut batch = BatchRequest::new(provider.client());
        let waiting = calls.by_ref().take(BATCH).map(|params| batch.add_call::<P, R>(method, &params));
        let waiting = waiting.collect::<Result<Vec<_>, _>>()?;
        batch.send().await?;
        for answer in waiting {
            answers.push(answer.await.map_err(|error| format!("{method}: {error}"))?);
        }
    }
    Ok(answers)
}
