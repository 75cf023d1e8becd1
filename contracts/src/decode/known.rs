//! The known errors of contracts, and what each of ours means: in the words of the sources that declare it.
use std::sync::LazyLock;

use alloy::json_abi::{Error, JsonAbi};
use alloy::primitives::Selector;

use super::{ERRORS, each_abi};

/// The sources that declare the errors of our contracts, each with the contract that a caller knows.
const SOURCES: [(&str, &str); 7] = [
    ("LaunchHook", include_str!("../../sol/interfaces/ILaunchErrors.sol")),
    ("EmperorAuction", include_str!("../../sol/interfaces/IEmperorAuction.sol")),
    ("TokenFactory", include_str!("../../sol/legacy/ITokenFactory.sol")),
    ("LegacyToken", include_str!("../../sol/legacy/LegacyToken.sol")),
    ("LaunchToken", include_str!("../../sol/LaunchToken.sol")),
    ("MintableToken", include_str!("../../sol/MintableToken.sol")),
    ("TradingModule", include_str!("../../sol/libraries/WideMath.sol")),
];

/// An error that a contract declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredError {
    /// Name and types: `InsufficientAllowance(uint256)`.
    pub signature: String,
    /// The first four bytes of its data.
    pub selector: Selector,
    /// The contracts of ours that declare it; none if a published one does.
    pub contracts: Vec<&'static str>,
    /// What it means where a contract of ours declares it, as sentences.
    pub meanings: Vec<String>,
}

impl DeclaredError {
    fn new(error: &Error, abis: &[(&'static str, JsonAbi)]) -> Self {
        let declares = |abi: &JsonAbi| abi.errors().any(|declared| declared.selector() == error.selector());
        let contracts: Vec<&str> =
            abis.iter().filter(|(_, abi)| declares(abi)).map(|(name, _)| *name).collect();
        let mut meanings = Vec::new();
        for (_, source) in SOURCES.iter().filter(|(contract, _)| contracts.contains(contract)) {
            meanings.extend(notice(source, &error.name).filter(|notice| !meanings.contains(notice)));
        }
        Self { signature: error.signature(), selector: error.selector(), contracts, meanings }
    }

    /// Its name, without the types.
    #[must_use]
    pub fn name(&self) -> &str {
        self.signature.split('(').next().unwrap_or_default()
    }
}

/// The sentence above the declaration of an error.
fn notice(source: &str, name: &str) -> Option<String> {
    let declaration = format!("error {name}(");
    let lines = source.lines().map(str::trim);
    let (above, _) = lines.clone().zip(lines.skip(1)).find(|(_, line)| line.starts_with(&declaration))?;
    above.strip_prefix("/// @notice ").map(str::to_owned)
}

/// Every known error, in the order of signatures.
pub fn declared_errors() -> &'static [DeclaredError] {
    static DECLARED: LazyLock<Vec<DeclaredError>> = LazyLock::new(|| {
        let abis: Vec<_> = each_abi().collect();
        let mut all: Vec<_> = ERRORS.values().map(|error| DeclaredError::new(error, &abis)).collect();
        all.sort_by(|one, other| one.signature.cmp(&other.signature));
        all
    });
    &DECLARED
}
