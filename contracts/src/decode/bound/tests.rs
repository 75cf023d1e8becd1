//! Canonical encodings pass, and those whose offsets overlap do not.
use alloy::dyn_abi::{DynSolType, DynSolValue};
use alloy::primitives::{Address, B256, U256};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{FACTOR, Walk, is_bounded};

fn kind(text: &str) -> DynSolType {
    text.parse().unwrap()
}

fn words(words: &[usize]) -> Vec<u8> {
    words.iter().flat_map(|word| U256::from(*word).to_be_bytes::<32>()).collect()
}

/// An array of `count` offsets that all point at what follows them.
fn alias(count: usize, inner: &[u8]) -> Vec<u8> {
    let mut data = words(&[count]);
    data.extend(words(&vec![count * 32; count]));
    data.extend(inner);
    data
}

/// A parameter at an offset.
fn parameter(inner: &[u8]) -> Vec<u8> {
    [&words(&[32])[..], inner].concat()
}

fn text(length: usize) -> Vec<u8> {
    [words(&[length]), vec![0; length.next_multiple_of(32)]].concat()
}

#[test]
fn offsets_that_point_at_one_place_are_bounded() {
    let blob = text(100_000);
    for (name, data) in [
        ("bytes[]", alias(10_000, &blob)),
        ("string[]", alias(10_000, &blob)),
        ("bytes[][]", alias(100, &alias(100, &blob))),
        ("uint256[][]", alias(1_000, &[words(&[1_000]), vec![7; 32_000]].concat())),
        ("bool[][][]", alias(100, &alias(100, &words(&[3, 0, 1, 0])))),
        ("(bytes,uint256)[]", alias(1_000, &[words(&[64, 7]), blob.clone()].concat())),
        ("bytes[2][]", alias(1_000, &[words(&[64, 64]), blob.clone()].concat())),
        ("bytes[100]", [words(&[3_200; 100]), blob.clone()].concat()),
        ("uint256[][][][][][][][]", (0..7).fold(words(&[1, 7]), |inner, _| alias(2, &inner))),
    ] {
        let data = parameter(&data);
        assert!(!is_bounded(&[kind(name)], &data), "{name}");
    }
}

#[test]
fn a_few_values_may_be_at_one_place() {
    for (count, is_fine) in [(1, true), (FACTOR - 1, true), (FACTOR + 1, false)] {
        let data = parameter(&alias(count, &text(10_000)));
        assert_eq!(is_bounded(&[kind("bytes[]")], &data), is_fine, "{count}");
        assert!(kind("bytes[]").abi_decode(&data).is_ok());
    }
}

#[test]
fn values_beyond_the_data_are_refused() {
    let most = [U256::from(32).to_be_bytes::<32>(), [0xff; 32]].concat();
    for name in ["bytes", "string", "uint256[]", "bytes[]", "(uint256,bool)[]", "uint256[9][]", "bytes[][]"] {
        let kinds = [kind(name)];
        assert!(!is_bounded(&kinds, &most), "{name}");
        for length in [1, 1 << 32, usize::MAX / 32, usize::MAX] {
            assert!(!is_bounded(&kinds, &words(&[32, length])), "{name} {length}");
        }
        for offset in [33, 64, usize::MAX] {
            assert!(!is_bounded(&kinds, &words(&[offset, 0])), "{name} {offset}");
        }
        assert!(is_bounded(&kinds, &words(&[32, 0])), "{name}");
        assert!(!is_bounded(&kinds, &[]), "{name}");
    }
    assert!(!is_bounded(&[kind("uint256"), kind("bool")], &words(&[1])));
    assert!(is_bounded(&[], &[]));
}

#[test]
fn elements_without_size_cost_nothing() {
    let nothing = DynSolType::Tuple(vec![]);
    let nothings = DynSolType::Array(Box::new(nothing.clone()));
    for length in [0, 1, 1 << 40] {
        assert!(is_bounded(std::slice::from_ref(&nothings), &words(&[32, length])));
        let value = DynSolType::Tuple(vec![nothings.clone(), DynSolType::Bool]);
        let data = words(&[64, 1, length]);
        assert!(is_bounded(&[nothings.clone(), DynSolType::Bool], &data));
        assert!(value.abi_decode_params(&data).is_ok());
    }
    // Many arrays of them are bounded as other arrays.
    let many = DynSolType::Array(Box::new(nothings));
    assert!(!is_bounded(&[many], &words(&[32, 1 << 40, 0])));
}

fn kinds() -> impl Strategy<Value = DynSolType> {
    let leaves =
        ["bool", "uint256", "int24", "address", "bytes32", "function", "bytes", "string"].map(kind).to_vec();
    prop::sample::select(leaves).prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            inner.clone().prop_map(|inner| DynSolType::Array(Box::new(inner))),
            (inner.clone(), 1_usize..4)
                .prop_map(|(inner, count)| DynSolType::FixedArray(Box::new(inner), count)),
            vec(inner, 0..4).prop_map(DynSolType::Tuple),
        ]
    })
}

fn values(kind: &DynSolType) -> BoxedStrategy<DynSolValue> {
    match kind {
        DynSolType::Bool => any::<bool>().prop_map(DynSolValue::Bool).boxed(),
        DynSolType::Uint(bits) => {
            let bits = *bits;
            any::<u128>().prop_map(move |number| DynSolValue::Uint(U256::from(number), bits)).boxed()
        }
        DynSolType::Int(bits) => Just(DynSolValue::Int(alloy::primitives::I256::MINUS_ONE, *bits)).boxed(),
        DynSolType::FixedBytes(size) => Just(DynSolValue::FixedBytes(B256::repeat_byte(7), *size)).boxed(),
        DynSolType::Address => Just(DynSolValue::Address(Address::repeat_byte(7))).boxed(),
        DynSolType::Function => Just(DynSolValue::Function([7; 24].into())).boxed(),
        DynSolType::Bytes => vec(any::<u8>(), 0..100).prop_map(DynSolValue::Bytes).boxed(),
        DynSolType::String => ".{0,40}".prop_map(DynSolValue::String).boxed(),
        DynSolType::Array(inner) => vec(values(inner), 0..4).prop_map(DynSolValue::Array).boxed(),
        DynSolType::FixedArray(inner, count) => {
            vec(values(inner), *count).prop_map(DynSolValue::FixedArray).boxed()
        }
        DynSolType::Tuple(kinds) | DynSolType::CustomStruct { tuple: kinds, .. } => {
            kinds.iter().map(values).collect::<Vec<_>>().prop_map(DynSolValue::Tuple).boxed()
        }
    }
}

proptest! {
    /// What other programs encode is no larger than its values, and keeps the bound.
    #[test]
    fn encoded_values_are_within_the_bound(
        (kinds, values) in vec(kinds(), 0..4).prop_flat_map(|kinds| {
            let values: Vec<_> = kinds.iter().map(values).collect();
            (Just(kinds), values)
        })
    ) {
        let data = DynSolValue::Tuple(values).abi_encode_params();
        prop_assert!(is_bounded(&kinds, &data));
        let mut walk = Walk { data: &data, left: data.len() };
        prop_assert!(walk.sequence(&kinds, 0).is_some());
    }

    /// Any bytes can be walked.
    #[test]
    fn other_data_ends_the_walk(kinds in vec(kinds(), 0..4), data in vec(0_u8..70, 0..2_000)) {
        let data: Vec<u8> = data.iter().flat_map(|byte| words(&[usize::from(*byte)])).collect();
        is_bounded(&kinds, &data);
    }
}
