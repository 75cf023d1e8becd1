//! Runs our committed artifacts in an in-process EVM. Pools are left out: nothing here graduates.
use alloy::primitives::{Address, Bytes, TxKind, U256, address};
use alloy::sol_types::{SolCall, SolValue};
use revm::context::{BlockEnv, CfgEnv, Context, TxEnv};
use revm::context_interface::result::{ExecutionResult, HaltReason};
use revm::database::{CacheDB, EmptyDB};
use revm::handler::{MainnetContext, MainnetEvm};
use revm::primitives::hardfork::SpecId;
use revm::state::{AccountInfo, Bytecode};
use revm::{ExecuteCommitEvm, ExecuteEvm, MainBuilder, MainContext};
use slipway_contracts::artifacts::{ArtifactError, Artifacts};
use slipway_contracts::bindings::{ILaunchHook, ILaunchViewer, ITokenFactory};
use slipway_math::curve::{Curve, Position};

use crate::cases::{Answers, Case};
use crate::v1_cases::{V1Answers, V1Case};

/// Address of the hook: `beforeInitialize` is its only permission bit.
pub const HOOK: Address = address!("5117000000000000000000000000000000002000");
const CALCULATOR: Address = address!("5117000000000000000000000000000000000001");
const MODULE: Address = address!("5117000000000000000000000000000000000002");
/// Address of a viewer for previews from given figures; the hook deploys its own.
pub const VIEWER: Address = address!("5117000000000000000000000000000000000003");
/// Stands in for the pool manager and the wrapped asset, which previews never call; the hook only checks that there is code.
const PLACEHOLDER: Address = address!("5117000000000000000000000000000000000004");
/// Address of the V1 factory.
pub const FACTORY: Address = address!("5117000000000000000000000000000000000007");
/// The only token that the factory knows.
pub const V1_TOKEN: Address = address!("5117000000000000000000000000000000000008");
const SOMEBODY: Address = address!("5117000000000000000000000000000000000005");
/// Gas for any preview or deployment.
const GAS: u64 = 10_000_000;

/// The reason why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum EvmError {
    /// A contract is missing.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    /// The EVM rejected the transaction itself.
    #[error("the EVM rejected a call of {to}: {reason}")]
    Refused {
        /// The called contract.
        to: Address,
        /// The EVM's error.
        reason: String,
    },
    /// The code reverted.
    #[error("{to} reverted with {output}")]
    Reverted {
        /// The called contract.
        to: Address,
        /// Its revert data.
        output: Bytes,
    },
    /// The code neither returned nor reverted.
    #[error("{to} halted: {reason:?}")]
    Halted {
        /// The called contract.
        to: Address,
        /// The reason for the halt.
        reason: HaltReason,
    },
}

/// An EVM with a hook, its viewer and its modules, and the V1 factory.
pub struct Evm {
    engine: MainnetEvm<MainnetContext<CacheDB<EmptyDB>>>,
}

impl std::fmt::Debug for Evm {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Evm").finish_non_exhaustive()
    }
}

impl Evm {
    /// Deploys the committed contracts by running their creation code.
    ///
    /// # Errors
    /// If a contract is missing or its constructor reverts.
    pub fn deployed(artifacts: &Artifacts) -> Result<Self, EvmError> {
        let context: MainnetContext<CacheDB<EmptyDB>> = Context::mainnet()
            .with_db(CacheDB::new(EmptyDB::default()))
            .with_block(BlockEnv::default())
            .modify_cfg_chained(|cfg: &mut CfgEnv| {
                cfg.set_spec_and_mainnet_gas_params(SpecId::CANCUN);
                cfg.disable_nonce_check = true;
            });
        let mut evm = Self { engine: context.build_mainnet() };
        evm.place(PLACEHOLDER, Bytes::from_static(&[0]));
        for (name, at) in
            [("SaleSplitCalculator", CALCULATOR), ("TradingModule", MODULE), ("LaunchViewer", VIEWER)]
        {
            evm.create(at, artifacts.contract(name)?.bytecode)?;
        }
        let setup =
            (PLACEHOLDER, PLACEHOLDER, Address::ZERO, MODULE, CALCULATOR, SOMEBODY, SOMEBODY, SOMEBODY);
        let code = [&artifacts.contract("LaunchHook")?.bytecode[..], &setup.abi_encode()].concat();
        evm.create(HOOK, code.into())?;
        // Pairs are never called: nothing here graduates.
        let surroundings = (PLACEHOLDER, PLACEHOLDER, SOMEBODY, SOMEBODY).abi_encode();
        let factory = artifacts.contract("TokenFactory")?.bytecode;
        evm.create(FACTORY, [&factory[..], &surroundings].concat().into())?;
        Ok(evm)
    }

    /// Sets launch 1 to this case.
    pub fn set_case(&mut self, case: &Case) {
        for (slot, word) in case.storage() {
            self.write(HOOK, slot, word);
        }
    }

    /// Sets the factory's token to this case.
    pub fn set_v1_case(&mut self, case: &V1Case) {
        for (slot, word) in case.storage(V1_TOKEN) {
            self.write(FACTORY, slot, word);
        }
    }

    /// The answers of the factory's previews for its token.
    ///
    /// # Errors
    /// If a preview reverts.
    pub fn v1_answers(&mut self, gross: u128, tokens: u128) -> Result<V1Answers, EvmError> {
        let buy =
            self.call(FACTORY, &ITokenFactory::previewBuyCall { token: V1_TOKEN, ethIn: U256::from(gross) })?;
        let sell = self.call(
            FACTORY,
            &ITokenFactory::previewSellCall { token: V1_TOKEN, tokenAmount: U256::from(tokens) },
        )?;
        Ok(V1Answers {
            buy: [buy.tokensOut, buy.cost, buy.refund].map(small),
            sell: [sell.payout, sell.fee].map(small),
        })
    }

    /// The answers of the hook's previews for launch 1.
    ///
    /// # Errors
    /// If a preview reverts.
    pub fn answers(&mut self, gross: u128, tokens: u128) -> Result<Answers, EvmError> {
        let buy =
            self.call(HOOK, &ILaunchHook::previewBuyCall { launchId: U256::ONE, ethIn: U256::from(gross) })?;
        let sell =
            self.call(HOOK, &ILaunchHook::previewSellCall { launchId: U256::ONE, tokenAmount: tokens })?;
        Ok(Answers {
            buy: [buy.tokensOut, buy.cost, buy.refund, buy.tokensRemaining].map(small),
            sell: [sell.netPayout, sell.protocolFee, sell.creatorFee, sell.buybackFee].map(small),
        })
    }

    /// Calls a contract and discards the state changes.
    ///
    /// # Errors
    /// If it does not return.
    pub fn call<Call: SolCall>(&mut self, to: Address, call: &Call) -> Result<Call::Return, EvmError> {
        let output = self.call_encoded(to, call.abi_encode().into())?;
        Call::abi_decode_returns(&output).map_err(|_| EvmError::Reverted { to, output })
    }

    /// Calls a contract with encoded input and discards the state changes.
    ///
    /// # Errors
    /// If it does not return.
    pub fn call_encoded(&mut self, to: Address, input: Bytes) -> Result<Bytes, EvmError> {
        let outcome = self.engine.transact(transaction(to, input));
        let result = outcome.map_err(|error| EvmError::Refused { to, reason: error.to_string() })?;
        output(to, result.result)
    }

    fn write(&mut self, account: Address, slot: U256, word: U256) {
        let database = &mut self.engine.ctx.journaled_state.database;
        let Ok(()) = database.insert_account_storage(account, slot, word);
    }

    fn place(&mut self, at: Address, code: Bytes) {
        let info = AccountInfo::default().with_code(Bytecode::new_raw(code));
        self.engine.ctx.journaled_state.database.insert_account_info(at, info);
    }

    /// Runs creation code at the address itself, so that its storage stays there, and stores the returned code.
    fn create(&mut self, at: Address, code: Bytes) -> Result<(), EvmError> {
        self.place(at, code);
        let outcome = self.engine.transact_commit(transaction(at, Bytes::new()));
        let result = outcome.map_err(|error| EvmError::Refused { to: at, reason: error.to_string() })?;
        let runtime = output(at, result)?;
        self.place(at, runtime);
        Ok(())
    }
}

fn transaction(to: Address, input: Bytes) -> TxEnv {
    TxEnv { caller: SOMEBODY, gas_limit: GAS, kind: TxKind::Call(to), data: input, ..TxEnv::default() }
}

fn output(to: Address, result: ExecutionResult) -> Result<Bytes, EvmError> {
    match result {
        ExecutionResult::Success { output, .. } => Ok(output.into_data()),
        ExecutionResult::Revert { output, .. } => Err(EvmError::Reverted { to, output }),
        ExecutionResult::Halt { reason, .. } => Err(EvmError::Halted { to, reason }),
    }
}

/// Converts the answer of a preview, which is bounded by the supply or by the amount offered.
///
/// # Panics
/// If the answer is larger than any launch can hold: then it comes from another contract than the one this crate was built for.
#[must_use]
pub fn small(value: U256) -> u128 {
    value.try_into().expect("no amount of a launch exceeds 128 bits")
}

/// Encodes the pure preview of a purchase with `net` wei.
#[must_use]
pub fn local_buy(curve: &Curve, position: Position, net: u128) -> Bytes {
    let call = ILaunchViewer::previewBuyLocalCall {
        saleSupply: curve.sale_supply(),
        targetRaise: curve.target_raise().try_into().expect("a raise fits 96 bits"),
        gainBps: curve.gain_bps(),
        sold: position.sold,
        remaining: curve.sale_supply() - position.sold,
        ethIn: U256::from(net),
    };
    call.abi_encode().into()
}

/// Encodes the pure preview of a sale.
#[must_use]
pub fn local_sell(case: &Case) -> Bytes {
    let call = ILaunchViewer::previewSellLocalCall {
        saleSupply: case.curve.sale_supply(),
        targetRaise: case.curve.target_raise().try_into().expect("a raise fits 96 bits"),
        gainBps: case.curve.gain_bps(),
        sold: case.position.sold,
        tokenAmount: case.tokens,
        netContributions: case.position.contributions,
        creatorFeeSplitBps: case.split_bps,
        protocolFeeBps: 100,
        variableFeeBps: 100,
        bpsDenominator: 10_000,
    };
    call.abi_encode().into()
}
