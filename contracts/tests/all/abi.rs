//! Selectors and topics that real clients encode, written as literals: the bindings may not drift from them.

use std::collections::BTreeSet;

use alloy::primitives::{B256, b256, fixed_bytes, keccak256};
use alloy::sol_types::{SolCall, SolError, SolEvent};
use serde_json::Value;
use slipway_contracts::bindings::{
    IEmperorAuction::{
        IEmperorAuctionCalls as AuctionCalls, IEmperorAuctionErrors as AuctionErrors,
        IEmperorAuctionEvents as AuctionEvents,
    },
    ILaunchHook::{
        ILaunchHookCalls as HookCalls, ILaunchHookErrors as HookErrors, ILaunchHookEvents as HookEvents,
    },
    ILaunchToken::ILaunchTokenCalls as TokenCalls,
    ILaunchViewer::ILaunchViewerCalls as ViewerCalls,
    IMintableToken::IMintableTokenCalls as MintableCalls,
    ISaleSplitCalculator::ISaleSplitCalculatorCalls as SplitCalls,
    ITokenFactory::{
        ITokenFactoryCalls as FactoryCalls, ITokenFactoryErrors as FactoryErrors,
        ITokenFactoryEvents as FactoryEvents,
    },
};
use slipway_contracts::bindings::{
    ILaunchHook as Hook, ILaunchViewer as Viewer, ISaleSplitCalculator as Split,
};

#[test]
fn selectors_are_those_that_clients_encode() {
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
fn topics_are_those_that_indexers_filter() {
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

/// The signatures of one kind in a committed artifact, as their hashes.
fn compiled(contract: &str, kind: &str) -> BTreeSet<B256> {
    let path = format!("{}/artifacts/{contract}.json", env!("CARGO_MANIFEST_DIR"));
    let artifact: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let items = artifact["abi"].as_array().unwrap().iter().filter(|item| item["type"] == kind);
    items
        .map(|item| keccak256(format!("{}{}", item["name"].as_str().unwrap(), types(&item["inputs"]))))
        .collect()
}

/// The types of parameters in brackets, tuples spelled out.
fn types(parameters: &Value) -> String {
    let one = |parameter: &Value| match parameter["type"].as_str().unwrap().strip_prefix("tuple") {
        Some(array) => format!("{}{array}", types(&parameter["components"])),
        None => parameter["type"].as_str().unwrap().to_owned(),
    };
    format!("({})", parameters.as_array().unwrap().iter().map(one).collect::<Vec<_>>().join(","))
}

fn topics(selectors: &[[u8; 32]]) -> BTreeSet<B256> {
    selectors.iter().map(B256::from).collect()
}

fn first_four(hashes: BTreeSet<B256>) -> BTreeSet<[u8; 4]> {
    hashes.into_iter().map(|hash| hash[..4].try_into().unwrap()).collect()
}

#[test]
fn what_is_bound_is_what_is_compiled() {
    let whole = [
        ("LaunchHook", topics(HookEvents::SELECTORS), HookErrors::SELECTORS),
        ("TokenFactory", topics(FactoryEvents::SELECTORS), FactoryErrors::SELECTORS),
        ("EmperorAuction", topics(AuctionEvents::SELECTORS), AuctionErrors::SELECTORS),
    ];
    for (contract, events, errors) in whole {
        assert_eq!(events, compiled(contract, "event"), "{contract}");
        let errors = BTreeSet::from_iter(errors.iter().copied());
        assert_eq!(errors, first_four(compiled(contract, "error")), "{contract}");
    }
    let contracts: [(&str, &[[u8; 4]]); 7] = [
        ("LaunchHook", HookCalls::SELECTORS),
        ("LaunchViewer", ViewerCalls::SELECTORS),
        ("SaleSplitCalculator", SplitCalls::SELECTORS),
        ("LaunchToken", TokenCalls::SELECTORS),
        ("TokenFactory", FactoryCalls::SELECTORS),
        ("EmperorAuction", AuctionCalls::SELECTORS),
        ("MintableToken", MintableCalls::SELECTORS),
    ];
    for (contract, bound) in contracts {
        let compiled = first_four(compiled(contract, "function"));
        for selector in bound {
            assert!(compiled.contains(selector), "{contract} has no function {selector:02x?}");
        }
    }
}
