//! Selectors and topics that real clients encode, written as literals: the bindings must match them.

use std::path::Path;

use alloy::json_abi::JsonAbi;
use alloy::primitives::{b256, fixed_bytes};
use alloy::sol_types::{SolCall, SolError, SolEvent};
use serde_json::Value;
use slipway_contracts::bindings::{
    ILaunchHook as Hook, ILaunchViewer as Viewer, ISaleSplitCalculator as Split,
};
use slipway_contracts::compile::ABI;
use slipway_contracts::decode;
use slipway_contracts::toolchain::Published;

use crate::tools;

#[test]
fn selectors_are_pinned() {
    let pinned = [
        (Hook::createLaunchCall::SELECTOR, fixed_bytes!("8dbbea4d")),
        (Hook::createLaunchWithReferralCall::SELECTOR, fixed_bytes!("2e9fb454")),
        (Hook::updateCreatorFeeSplitCall::SELECTOR, fixed_bytes!("40c8aa3d")),
        (Hook::withdrawFeesCall::SELECTOR, fixed_bytes!("476343ee")),
        (Hook::executeAccumulatedBuybackCall::SELECTOR, fixed_bytes!("827f1c10")),
        (Hook::getLaunchStateCall::SELECTOR, fixed_bytes!("f92d05cd")),
        (Hook::withdrawableFeesCall::SELECTOR, fixed_bytes!("fd874995")),
        (Hook::accumulatedBuybackCall::SELECTOR, fixed_bytes!("1f4efc39")),
        (Hook::viewerCall::SELECTOR, fixed_bytes!("f30878c1")),
        (Hook::tradingModuleCall::SELECTOR, fixed_bytes!("637e8ab4")),
        (Hook::previewBuyCall::SELECTOR, fixed_bytes!("b20d0ece")),
        (Hook::previewSellCall::SELECTOR, fixed_bytes!("616f3f22")),
        (Viewer::previewBuyCall::SELECTOR, fixed_bytes!("b20d0ece")),
        (Viewer::previewSellCall::SELECTOR, fixed_bytes!("616f3f22")),
        (Viewer::previewBuyLocalCall::SELECTOR, fixed_bytes!("bb43523e")),
        (Viewer::previewSellLocalCall::SELECTOR, fixed_bytes!("b3b13593")),
        (Viewer::previewSaleSplitCall::SELECTOR, fixed_bytes!("f267f959")),
        (Split::previewSaleSplitCall::SELECTOR, fixed_bytes!("f267f959")),
        (Hook::CaptchaRequired::SELECTOR, fixed_bytes!("d36d42c7")),
    ];
    for (bound, literal) in pinned {
        assert_eq!(alloy::primitives::FixedBytes(bound), literal);
    }
}

#[test]
fn topics_are_pinned() {
    let pinned = [
        (
            Hook::LaunchCreated::SIGNATURE_HASH,
            b256!("9d3b921bcb0eb03c555acd3968d3b3424efbad89ba35d7ad446cf59deb21d5f7"),
        ),
        (
            Hook::LaunchMetadata::SIGNATURE_HASH,
            b256!("b8d0bebe0e358eae23ed5f98164441fbcebf8633fe5443703bde57afd23f69cd"),
        ),
        (
            Hook::Trade::SIGNATURE_HASH,
            b256!("61ab18b5181aca8cde53038ebbb8e53710124d8ec33fabd6868730d011561643"),
        ),
        (
            Hook::Referral::SIGNATURE_HASH,
            b256!("796dfbc4bdc1de15340f520a4b17fb287a10b2f6c50e702ee8dc9fa2c714dfc5"),
        ),
        (
            Hook::LaunchFinalized::SIGNATURE_HASH,
            b256!("40e86f43c64a7ad3634ed32d4aa688b0843106625abeaf8251b09088380e9736"),
        ),
    ];
    for (bound, literal) in pinned {
        assert_eq!(bound, literal);
    }
}

/// The committed ABIs by the names of their contracts.
pub(crate) fn abis() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("artifacts").join(ABI);
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let read = |path: &Path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let abis: Vec<(String, Value)> = paths.map(|path| (name(&path), read(&path))).collect();
    assert!(!abis.is_empty());
    abis
}

/// Clients find a name for each argument in an ABI, even where the source does not read it.
#[test]
fn abi_names_every_argument() {
    for (contract, abi) in abis() {
        for item in abi.as_array().unwrap().iter().filter(|item| item["type"] == "function") {
            // The compiler gives no names to the keys in the getter of a mapping.
            let is_getter = item["stateMutability"] == "view";
            let is_named = |input: &Value| input["name"] != "" || is_getter;
            assert!(item["inputs"].as_array().unwrap().iter().all(is_named), "{contract}.{}", item["name"]);
        }
    }
}

/// With all-zero arguments, which are a valid encoding of every type.
#[tokio::test]
async fn each_error_of_the_published_contracts_is_decoded() {
    let tools = tools().await;
    let mut seen = 0;
    for contract in Published::ALL {
        let abi: JsonAbi = serde_json::from_value(tools.published_abi(contract).unwrap()).unwrap();
        for error in abi.errors() {
            let data = [error.selector().as_slice(), &[0; 32 * 8]].concat();
            let decoded =
                decode::error(&data).unwrap_or_else(|| panic!("{contract:?}: {}", error.signature()));
            let names: Vec<&str> = decoded.arguments.iter().map(|argument| argument.name.as_str()).collect();
            let declared: Vec<&str> = error.inputs.iter().map(|input| input.name.as_str()).collect();
            assert_eq!((decoded.name.as_str(), names), (error.name.as_str(), declared), "{contract:?}");
            seen += 1;
        }
    }
    assert!(seen > 90, "{seen}");
}
