//! The deployment plan, made before the first transaction: code, constructor arguments, salts and addresses.
use alloy::primitives::aliases::{I24, U24, U160};
use alloy::primitives::{Address, B256, Bytes, U256, address, keccak256};
use alloy::providers::bindings::IMulticall3;
use alloy::sol;
use alloy::sol_types::{SolCall as _, SolValue};

use super::{DEPLOYER, DeployError, QuoteAsset, Role};
use crate::ChainId;
use crate::artifacts::Artifacts;
use crate::bindings::{HookSetup, IPoolManager, PoolKey};
use crate::toolchain::{Published, Toolchain};

sol! {
    /// Argument of the universal router's constructor.
    struct RouterParameters {
        address permit2;
        address weth9;
        address v2Factory;
        address v3Factory;
        bytes32 pairInitCodeHash;
        bytes32 poolInitCodeHash;
        address v4PoolManager;
        address v3NFTPositionManager;
        address v4PositionManager;
        address spokePool;
    }
}

/// Our own contracts, each on at least one chain.
pub(super) const OWN_CONTRACTS: [&str; 7] = [
    "SaleSplitCalculator",
    "LaunchViewer",
    "TradingModule",
    "LaunchHook",
    "TokenFactory",
    "EmperorAuction",
    "MintableToken",
];

/// A tokenised stock on the second chain.
pub(super) struct Stock {
    /// Name of its token in a deployment.
    asset: &'static str,
    /// Name of its hook.
    hook: &'static str,
    /// Name of the hook's own viewer.
    viewer: &'static str,
    name: &'static str,
    symbol: &'static str,
    /// Square root of the number of shares that one ether buys.
    root: u8,
}

impl Stock {
    pub(super) fn symbol(&self) -> &'static str {
        self.symbol
    }

    /// The pool of the native coin and the stock, which sets the stock's price. It has no liquidity.
    fn priced_in(asset: Address) -> PoolKey {
        PoolKey {
            currency0: Address::ZERO,
            currency1: asset,
            fee: U24::from(3_000),
            tickSpacing: I24::unchecked_from(60),
            hooks: Address::ZERO,
        }
    }

    /// Price of a share, in wei.
    fn price(&self) -> u128 {
        ETHER / (u128::from(self.root) * u128::from(self.root))
    }
}

/// Wei of an ether.
const ETHER: u128 = 1_000_000_000_000_000_000;

/// The decimals of every stock: a hook accepts no other quote asset.
const STOCK_DECIMALS: u8 = 18;

pub(super) const STOCKS: [Stock; 3] = [
    Stock {
        asset: "Stock NRTH",
        hook: "LaunchHook NRTH",
        viewer: "LaunchViewer NRTH",
        name: "Northline Freight Share",
        symbol: "NRTH",
        root: 5,
    },
    Stock {
        asset: "Stock ORCH",
        hook: "LaunchHook ORCH",
        viewer: "LaunchViewer ORCH",
        name: "Orchard Foods Share",
        symbol: "ORCH",
        root: 10,
    },
    Stock {
        asset: "Stock QUAY",
        hook: "LaunchHook QUAY",
        viewer: "LaunchViewer QUAY",
        name: "Quayside Energy Share",
        symbol: "QUAY",
        root: 4,
    },
];

/// The wrapped native asset of the primary chain.
const PRIMARY_WETH: Address = address!("0x4200000000000000000000000000000000000006");
/// The address of Multicall3 on every chain.
const MULTICALL3: Address = address!("0xcA11bde05977b3631167028862bE2a173976CA11");
/// The address of Permit2 on every chain.
const PERMIT2: Address = address!("0x000000000022D473030F116dDEE9F6B43aC78BA3");
/// The address bits that v4 reads as a hook's permissions, and the one for `beforeInitialize`.
const PERMISSION_BITS: u64 = 0x3fff;
const BEFORE_INITIALIZE: u64 = 0x2000;
/// The nonce of the first contract that a contract creates.
const FIRST_NONCE: u64 = 1;
/// Gas limit of the `unsubscribe` notification to a position's subscriber.
const UNSUBSCRIBE_GAS: u64 = 300_000;

/// One step of the deployment.
pub(super) enum Step {
    /// Created by the deterministic deployer.
    Create { salt: B256, code: Bytes, address: Address },
    /// Written to its fixed address, with the storage its constructor would have set.
    Place { at: Address, code: Bytes, storage: Vec<(u64, B256)> },
    /// Created by the constructor of the previous step.
    Within { address: Address },
}

impl Step {
    pub(super) fn address(&self) -> Address {
        match self {
            Self::Create { address, .. } | Self::Within { address } => *address,
            Self::Place { at, .. } => *at,
        }
    }
}

/// Every step, ordered so that each constructor finds the contracts it needs.
pub(super) struct Plan {
    pub(super) steps: Vec<(&'static str, Step)>,
}

impl Plan {
    pub(super) fn of(chain: ChainId, toolchain: &Toolchain) -> Result<Self, DeployError> {
        let mut plan = Self { steps: Vec::new() };
        plan.wrapped_native(chain, toolchain)?;
        plan.multicall();
        plan.pools(toolchain)?;
        if chain == ChainId::PRIMARY {
            plan.exchange(toolchain)?;
        }
        plan.universal_router(toolchain)?;
        plan.launches()?;
        if chain == ChainId::PRIMARY {
            plan.v1()?;
            plan.auction()?;
        } else {
            plan.stocks()?;
        }
        Ok(plan)
    }

    /// The stocks that this plan has a hook for.
    pub(super) fn quote_assets(&self) -> Vec<QuoteAsset> {
        let planned =
            STOCKS.iter().filter_map(|stock| Some((stock, self.find(stock.asset)?, self.find(stock.hook)?)));
        planned
            .map(|(stock, address, hook)| QuoteAsset {
                address,
                symbol: stock.symbol.to_owned(),
                name: stock.name.to_owned(),
                decimals: STOCK_DECIMALS,
                hook,
                price_pool: keccak256(Stock::priced_in(address).abi_encode()),
                price: stock.price(),
            })
            .collect()
    }

    /// Calls of the pool manager that give each stock its price.
    pub(super) fn prices(&self) -> Vec<(Address, Bytes)> {
        let priced = STOCKS.iter().filter_map(|stock| Some((stock.root, self.find(stock.asset)?)));
        priced
            .map(|(root, asset)| {
                let price: U160 = U160::from(root) << 96;
                let call = IPoolManager::initializeCall { key: Stock::priced_in(asset), sqrtPriceX96: price };
                (self.address("PoolManager"), call.abi_encode().into())
            })
            .collect()
    }

    /// The address of a step that is already in the plan.
    pub(super) fn address(&self, name: &str) -> Address {
        self.find(name).expect("a contract is planned before those that need it")
    }

    fn find(&self, name: &str) -> Option<Address> {
        self.steps.iter().find(|(known, _)| *known == name).map(|(_, step)| step.address())
    }

    fn wrapped_native(&mut self, chain: ChainId, toolchain: &Toolchain) -> Result<(), DeployError> {
        let code = toolchain.published(Published::Weth9)?;
        if chain == ChainId::PRIMARY {
            let storage = vec![
                (0, short_text("Wrapped Ether")),
                (1, short_text("WETH")),
                (2, B256::with_last_byte(18)),
            ];
            self.steps.push(("WETH9", Step::Place { at: PRIMARY_WETH, code: code.runtime, storage }));
        } else {
            self.create("WETH9", &code.creation, &[]);
        }
        Ok(())
    }

    /// Its published creation code is a constructor of one word, which copies the runtime code behind it.
    fn multicall(&mut self) {
        let code = IMulticall3::BYTECODE.slice(32..);
        self.steps.push(("Multicall3", Step::Place { at: MULTICALL3, code, storage: Vec::new() }));
    }

    fn pools(&mut self, toolchain: &Toolchain) -> Result<(), DeployError> {
        let permit2 = toolchain.published(Published::Permit2)?.runtime;
        self.steps.push(("Permit2", Step::Place { at: PERMIT2, code: permit2, storage: Vec::new() }));
        let creation = |contract| toolchain.published(contract).map(|code| code.creation);
        self.create("PoolManager", &creation(Published::PoolManager)?, &Role::Owner.address().abi_encode());
        let manager = self.address("PoolManager");
        self.create("StateView", &creation(Published::StateView)?, &manager.abi_encode());
        self.create("V4Quoter", &creation(Published::V4Quoter)?, &manager.abi_encode());
        let arguments = (manager, PERMIT2, U256::from(UNSUBSCRIBE_GAS), Address::ZERO, self.address("WETH9"));
        self.create(
            "PositionManager",
            &creation(Published::PositionManager)?,
            &arguments.abi_encode_params(),
        );
        Ok(())
    }

    fn exchange(&mut self, toolchain: &Toolchain) -> Result<(), DeployError> {
        let factory = toolchain.published(Published::UniswapV2Factory)?.creation;
        self.create("UniswapV2Factory", &factory, &Role::Owner.address().abi_encode());
        let arguments = (self.address("UniswapV2Factory"), self.address("WETH9"));
        let router = toolchain.published(Published::UniswapV2Router02)?.creation;
        self.create("UniswapV2Router02", &router, &arguments.abi_encode_params());
        Ok(())
    }

    fn universal_router(&mut self, toolchain: &Toolchain) -> Result<(), DeployError> {
        let pair = toolchain.published(Published::UniswapV2Pair)?.creation;
        let arguments = RouterParameters {
            permit2: PERMIT2,
            weth9: self.address("WETH9"),
            v2Factory: self.find("UniswapV2Factory").unwrap_or_default(),
            v3Factory: Address::ZERO,
            pairInitCodeHash: keccak256(&pair),
            poolInitCodeHash: B256::ZERO,
            v4PoolManager: self.address("PoolManager"),
            v3NFTPositionManager: Address::ZERO,
            v4PositionManager: self.address("PositionManager"),
            spokePool: Address::ZERO,
        };
        let router = toolchain.published(Published::UniversalRouter)?.creation;
        self.create("UniversalRouter", &router, &arguments.abi_encode());
        Ok(())
    }

    fn launches(&mut self) -> Result<(), DeployError> {
        for name in ["SaleSplitCalculator", "TradingModule"] {
            self.create(name, &own(name)?, &[]);
        }
        self.hook("LaunchHook", "LaunchViewer", Address::ZERO)
    }

    /// A hook whose launches are sold for `quote_asset` (the zero address is the native one), and the viewer that its constructor
    /// deploys.
    fn hook(
        &mut self,
        name: &'static str,
        viewer: &'static str,
        quote_asset: Address,
    ) -> Result<(), DeployError> {
        let setup = HookSetup {
            poolManager: self.address("PoolManager"),
            weth: self.address("WETH9"),
            quoteAsset: quote_asset,
            tradingModule: self.address("TradingModule"),
            splitCalculator: self.address("SaleSplitCalculator"),
            captchaSigner: Role::CaptchaSigner.address(),
            owner: Role::Owner.address(),
            protocolFeeRecipient: Role::ProtocolFeeRecipient.address(),
        };
        let code: Bytes = [&own("LaunchHook")?[..], &setup.abi_encode()].concat().into();
        let (salt, address) = mined(&code);
        self.steps.push((name, Step::Create { salt, code, address }));
        self.steps.push((viewer, Step::Within { address: address.create(FIRST_NONCE) }));
        Ok(())
    }

    fn stocks(&mut self) -> Result<(), DeployError> {
        for stock in &STOCKS {
            let arguments = (stock.name, stock.symbol, U256::from(STOCK_DECIMALS), Role::Owner.address());
            let token = &own("MintableToken")?;
            self.create(stock.asset, token, &arguments.abi_encode_params());
            self.hook(stock.hook, stock.viewer, self.address(stock.asset))?;
        }
        Ok(())
    }

    fn v1(&mut self) -> Result<(), DeployError> {
        let arguments = (
            self.address("UniswapV2Factory"),
            self.address("WETH9"),
            Role::Owner.address(),
            Role::ProtocolFeeRecipient.address(),
        );
        let factory = &own("TokenFactory")?;
        self.create("TokenFactory", factory, &arguments.abi_encode_params());
        Ok(())
    }

    fn auction(&mut self) -> Result<(), DeployError> {
        let registries = vec![self.address("LaunchHook"), self.address("TokenFactory")];
        let arguments = (registries, Role::ProtocolFeeRecipient.address());
        let auction = &own("EmperorAuction")?;
        self.create("EmperorAuction", auction, &arguments.abi_encode_params());
        Ok(())
    }

    fn create(&mut self, name: &'static str, creation: &Bytes, arguments: &[u8]) {
        let (salt, code) = (B256::ZERO, Bytes::from([creation, arguments].concat()));
        let address = DEPLOYER.create2_from_code(salt, &code);
        self.steps.push((name, Step::Create { salt, code, address }));
    }
}

/// The first salt whose address has the hook's permission and no other.
fn mined(code: &Bytes) -> (B256, Address) {
    let hash = keccak256(code);
    let carries = |address: &Address| {
        let low = U256::from_be_slice(address.as_slice()) & U256::from(PERMISSION_BITS);
        low == U256::from(BEFORE_INITIALIZE)
    };
    (0_u64..)
        .map(|number| B256::from(U256::from(number)))
        .map(|salt| (salt, DEPLOYER.create2(salt, hash)))
        .find(|(_, address)| carries(address))
        .expect("one address in 16384 carries the bits, and the salts do not end")
}

/// The creation code of one of our own contracts.
fn own(name: &str) -> Result<Bytes, DeployError> {
    Ok(Artifacts::sound().contract(name)?.bytecode)
}

/// A text of at most 31 bytes as Solidity stores it.
fn short_text(text: &str) -> B256 {
    let mut word = [0; 32];
    word[..text.len()].copy_from_slice(text.as_bytes());
    word[31] = u8::try_from(text.len() * 2).expect("the text is at most 31 bytes long");
    B256::from(word)
}
