//! The bytecode of published contracts, read from their packages. Leaves out how it is used.

use std::fs;
use std::path::{Path, PathBuf};

use alloy::hex;
use alloy::primitives::Bytes;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::error::ToolchainError;

/// A contract that others published and that this crate deploys unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Published {
    /// Uniswap v4: the singleton of all pools.
    PoolManager,
    /// Uniswap v4: reads of pool state.
    StateView,
    /// Uniswap v4: quotes.
    V4Quoter,
    /// Uniswap v4: positions as tokens.
    PositionManager,
    /// Allowances by signature.
    Permit2,
    /// Uniswap's router for all versions.
    UniversalRouter,
    /// Uniswap v2: the factory of pairs.
    UniswapV2Factory,
    /// Uniswap v2: a pair; deployed by the factory only.
    UniswapV2Pair,
    /// Uniswap v2: the router.
    UniswapV2Router02,
    /// Ether as a token: the canonical contract, to which a plain transfer is a deposit.
    ///
    /// Clause: NODE-WRAPPED
    Weth9,
    /// Uniswap v2: a token that burns part of every transfer; deployed only by a market.
    DeflatingErc20,
}

/// The two codes of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublishedCode {
    /// Creation code, without the constructor arguments; empty if only the runtime code is published.
    pub creation: Bytes,
    /// Runtime code, with immutable values still zero.
    pub runtime: Bytes,
}

impl Published {
    /// Every published contract.
    pub const ALL: [Self; 11] = [
        Self::PoolManager,
        Self::StateView,
        Self::V4Quoter,
        Self::PositionManager,
        Self::Permit2,
        Self::UniversalRouter,
        Self::UniswapV2Factory,
        Self::UniswapV2Pair,
        Self::UniswapV2Router02,
        Self::Weth9,
        Self::DeflatingErc20,
    ];

    /// Its name in a deployment.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().0
    }

    /// The file that contains the code, in a folder of installed packages.
    #[must_use]
    pub fn file(self, node_modules: &Path) -> PathBuf {
        node_modules.join(self.entry().1)
    }

    /// Its name, and its file within the packages.
    fn entry(self) -> (&'static str, &'static str) {
        match self {
            Self::PoolManager => ("PoolManager", "@uniswap/v4-core/out/PoolManager.sol/PoolManager.json"),
            Self::StateView => {
                ("StateView", "@uniswap/v4-periphery/foundry-out/StateView.sol/StateView.json")
            }
            Self::V4Quoter => ("V4Quoter", "@uniswap/v4-periphery/foundry-out/V4Quoter.sol/V4Quoter.json"),
            Self::PositionManager => (
                "PositionManager",
                "@uniswap/v4-periphery/foundry-out/PositionManager.sol/PositionManager.json",
            ),
            Self::Permit2 => ("Permit2", "@uniswap/v4-periphery/lib/permit2/test/utils/DeployPermit2.sol"),
            Self::UniversalRouter => (
                "UniversalRouter",
                "@uniswap/universal-router/artifacts/contracts/UniversalRouter.sol/UniversalRouter.json",
            ),
            Self::UniswapV2Factory => ("UniswapV2Factory", "@uniswap/v2-core/build/UniswapV2Factory.json"),
            Self::UniswapV2Pair => ("UniswapV2Pair", "@uniswap/v2-core/build/UniswapV2Pair.json"),
            Self::UniswapV2Router02 => {
                ("UniswapV2Router02", "@uniswap/v2-periphery/build/UniswapV2Router02.json")
            }
            Self::Weth9 => ("WETH9", "canonical-weth/build/contracts/WETH9.json"),
            Self::DeflatingErc20 => ("DeflatingERC20", "@uniswap/v2-periphery/build/DeflatingERC20.json"),
        }
    }
}

/// Reads one contract. Three compilers wrote these files, each in its own format.
pub(super) fn read(node_modules: &Path, contract: Published) -> Result<PublishedCode, ToolchainError> {
    let path = contract.file(node_modules);
    let text = fs::read_to_string(&path).map_err(|source| ToolchainError::file(&path, source))?;
    if contract == Published::Permit2 {
        let runtime = hex_literal(&text).ok_or(ToolchainError::UnexpectedForm {
            path,
            member: "hexadecimal literal of the runtime code",
        })?;
        return Ok(PublishedCode { creation: Bytes::new(), runtime });
    }
    let lacks = |member| ToolchainError::UnexpectedForm { path: path.clone(), member };
    let json: Value = serde_json::from_str(&text).map_err(|_| lacks("json object"))?;
    let creation = code(&json, "bytecode").ok_or_else(|| lacks("bytecode"))?;
    let runtime = code(&json, "deployedBytecode").ok_or_else(|| lacks("deployed bytecode"))?;
    Ok(PublishedCode { creation, runtime })
}

/// Interfaces of Permit2 as compiled by another package: Permit2's own package has no ABI.
const PERMIT2_INTERFACES: [&str; 2] = [
    "IAllowanceTransfer.sol/IAllowanceTransfer.default.json",
    "ISignatureTransfer.sol/ISignatureTransfer.json",
];

/// Reads the ABI of one contract.
pub(super) fn abi(node_modules: &Path, contract: Published) -> Result<Value, ToolchainError> {
    if contract != Published::Permit2 {
        return abi_of(&contract.file(node_modules));
    }
    let folder = node_modules.join("@uniswap/v4-periphery/foundry-out");
    let mut merged: Vec<Value> = Vec::new();
    for interface in PERMIT2_INTERFACES {
        let abi = abi_of(&folder.join(interface))?;
        let items = abi.as_array().cloned().unwrap_or_default();
        merged.extend(items.into_iter().filter(|item| !merged.contains(item)).collect::<Vec<_>>());
    }
    Ok(merged.into())
}

fn abi_of(path: &Path) -> Result<Value, ToolchainError> {
    let text = fs::read_to_string(path).map_err(|source| ToolchainError::file(path, source))?;
    let json: Value = serde_json::from_str(&text)
        .map_err(|_| ToolchainError::UnexpectedForm { path: path.to_owned(), member: "json object" })?;
    let abi = Some(&json["abi"]).filter(|abi| abi.is_array()).cloned();
    abi.ok_or_else(|| ToolchainError::UnexpectedForm { path: path.to_owned(), member: "abi" })
}

fn code(json: &Value, member: &str) -> Option<Bytes> {
    let text = [&json[member]["object"], &json[member], &json["evm"][member]["object"]]
        .into_iter()
        .find_map(Value::as_str)?;
    hex::decode(text).ok().filter(|bytes| !bytes.is_empty()).map(Bytes::from)
}

fn hex_literal(solidity: &str) -> Option<Bytes> {
    let (_, after) = solidity.split_once("hex\"")?;
    let (digits, _) = after.split_once('"')?;
    hex::decode(digits).ok().map(Bytes::from)
}

/// The SHA-256 over the files of every published contract.
pub(super) fn hash(node_modules: &Path) -> Result<String, ToolchainError> {
    let mut hash = Sha256::new();
    for contract in Published::ALL {
        let path = contract.file(node_modules);
        let bytes = fs::read(&path).map_err(|source| ToolchainError::file(&path, source))?;
        hash.update(Sha256::digest(bytes));
    }
    Ok(hex::encode(hash.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn artifacts_of_every_compiler_parse() {
        let forms = [
            r#"{"bytecode":{"object":"0x6001"}}"#,
            r#"{"bytecode":"6001","evm":{"bytecode":{"object":"6002"}}}"#,
            r#"{"evm":{"bytecode":{"object":"6001"}}}"#,
            r#"{"bytecode":"0x6001"}"#,
        ];
        for form in forms {
            let json = serde_json::from_str(form).unwrap();
            assert_eq!(code(&json, "bytecode"), Some(Bytes::from_static(&[0x60, 0x01])), "{form}");
        }
        for form in ["{}", r#"{"bytecode":"0x"}"#, r#"{"bytecode":"0xz"}"#] {
            assert_eq!(code(&serde_json::from_str(form).unwrap(), "bytecode"), None, "{form}");
        }
    }
}
