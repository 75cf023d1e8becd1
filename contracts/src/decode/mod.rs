//! Decodes calls, events and errors into words, using the ABIs of our contracts, of Uniswap's and of the standards: the only place that
//! knows them.
mod bound;
mod known;
mod published;

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use alloy::dyn_abi::{DynSolType, DynSolValue, EventExt as _, JsonAbiExt, Specifier};
use alloy::hex;
use alloy::json_abi::{Error, Event, Function, JsonAbi, Param};
use alloy::primitives::{B256, LogData, Selector};
use alloy::sol_types::SolError as _;

pub use known::{DeclaredError, declared_errors};

use crate::artifacts::abis;
use crate::bindings::{
    IAllowanceTransfer, IERC20, IPoolManager, IPositionManager, IStateView, IUniswapV2Factory,
    IUniswapV2Pair, IUniswapV2Router02, IUniversalRouter, IV4Quoter, IWETH9,
};

/// Maximum characters of one argument as text: whoever deploys a contract chooses its texts.
const ARGUMENT: usize = 400;
/// Maximum depth of errors nested within errors.
const DEPTH: usize = 4;

/// A call, an event or an error with its arguments as text; amounts are in the smallest units.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// The arguments in order.
    pub arguments: Vec<Argument>,
}

/// One argument.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Argument {
    /// Its name; empty if the ABI gives none.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// `RaiseOutOfRange()`, `ERC20InsufficientBalance(sender: 0x…, balance: 0, needed: 5)`.
impl fmt::Display for Named {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}(", self.name)?;
        for (place, Argument { name, value }) in self.arguments.iter().enumerate() {
            let comma = if place == 0 { "" } else { ", " };
            let colon = if name.is_empty() { "" } else { ": " };
            write!(formatter, "{comma}{name}{colon}{value}")?;
        }
        formatter.write_str(")")
    }
}

/// The ABIs of our contracts, with their names.
fn each_abi() -> impl Iterator<Item = (&'static str, JsonAbi)> {
    abis().iter().map(|(name, text)| (*name, serde_json::from_str(text).expect("committed ABIs parse")))
}

static ERRORS: LazyLock<HashMap<Selector, Error>> = LazyLock::new(|| {
    let published = published::UNISWAP.iter().chain(published::OPEN_ZEPPELIN);
    let published =
        published.map(|text| Error::parse(&format!("error {text}")).expect("constant signatures parse"));
    let own = each_abi().flat_map(|(_, abi)| abi.errors.into_values().flatten());
    published.chain(own).map(|error| (error.selector(), error)).collect()
});

static FUNCTIONS: LazyLock<HashMap<Selector, Function>> = LazyLock::new(|| {
    let signatures = published::FUNCTIONS.iter();
    let signatures = signatures
        .map(|text| Function::parse(&format!("function {text}")).expect("constant signatures parse"));
    let published = [
        IERC20::abi::functions(),
        IWETH9::abi::functions(),
        IUniswapV2Factory::abi::functions(),
        IUniswapV2Pair::abi::functions(),
        IUniswapV2Router02::abi::functions(),
        IPoolManager::abi::functions(),
        IPositionManager::abi::functions(),
        IStateView::abi::functions(),
        IV4Quoter::abi::functions(),
        IUniversalRouter::abi::functions(),
        IAllowanceTransfer::abi::functions(),
    ];
    let published = published.into_iter().flat_map(|functions| functions.into_values().flatten());
    let own = each_abi().flat_map(|(_, abi)| abi.functions.into_values().flatten());
    signatures.chain(published).chain(own).map(|function| (function.selector(), function)).collect()
});

/// Every known event, by its topic and its number of topics: standards share names and differ in which fields are indexed.
static EVENTS: LazyLock<HashMap<(B256, usize), Event>> = LazyLock::new(|| {
    let own = each_abi().flat_map(|(_, abi)| abi.events.into_values().flatten());
    let published = [
        IERC20::abi::events(),
        IWETH9::abi::events(),
        IUniswapV2Factory::abi::events(),
        IUniswapV2Pair::abi::events(),
        IPoolManager::abi::events(),
    ];
    let published = published.into_iter().flat_map(|events| events.into_values().flatten());
    let topics = |event: &Event| 1 + event.inputs.iter().filter(|input| input.indexed).count();
    // Later entries win: our own contracts use the field names of the interface for events of the standards.
    published.chain(own).map(|event| ((event.selector(), topics(&event)), event)).collect()
});

/// The error in the data of a revert; `None` if no known contract declares it.
#[must_use]
pub fn error(data: &[u8]) -> Option<Named> {
    error_within(data, DEPTH)
}

/// The error in the data of a revert, or the data itself; empty data is a revert without a reason.
#[must_use]
pub fn error_text(data: &[u8]) -> String {
    match error(data) {
        Some(error) => error.to_string(),
        None if data.is_empty() => "no reason".to_owned(),
        None => clipped(format!("custom error {}", hex::encode_prefixed(data))),
    }
}

fn error_within(data: &[u8], depth: usize) -> Option<Named> {
    use alloy::sol_types::{Panic, Revert};

    let (selector, body) = data.split_first_chunk::<4>()?;
    if *selector == Revert::SELECTOR {
        let reason = Revert::abi_decode(data).ok()?.reason;
        return Some(Named { name: "Error".to_owned(), arguments: vec![argument("reason", reason)] });
    }
    if *selector == Panic::SELECTOR {
        let code = Panic::abi_decode(data).ok()?;
        let meaning = code.kind().map_or("unknown", |kind| kind.as_str());
        let value = format!("{:#04x} ({meaning})", code.code);
        return Some(Named { name: "Panic".to_owned(), arguments: vec![argument("code", value)] });
    }
    let error = ERRORS.get(selector)?;
    // An error whose data does not decode is at least named.
    let values = values(error, &error.inputs, body);
    let mut arguments = Vec::new();
    for (input, value) in error.inputs.iter().zip(&values) {
        match within(value, depth) {
            Some(inner) => arguments.push(argument(&input.name, inner)),
            None => add(&mut arguments, &input.name, &input.components, value),
        }
    }
    Some(Named { name: error.name.clone(), arguments })
}

/// An argument that is itself another contract's error, or a function's selector.
fn within(value: &DynSolValue, depth: usize) -> Option<String> {
    match value {
        DynSolValue::Bytes(bytes) if depth > 0 => {
            error_within(bytes, depth - 1).map(|error| error.to_string())
        }
        DynSolValue::FixedBytes(word, 4) => {
            let selector = Selector::from_slice(&word[..4]);
            let function = FUNCTIONS.get(&selector)?;
            Some(format!("{selector} ({})", function.name))
        }
        _ => None,
    }
}

/// The called function with its arguments; `None` if no known contract declares it.
#[must_use]
pub fn call(input: &[u8]) -> Option<Named> {
    let (selector, body) = input.split_first_chunk::<4>()?;
    let function = FUNCTIONS.get(selector)?;
    let values = values(function, &function.inputs, body);
    let mut arguments = Vec::new();
    for (input, value) in function.inputs.iter().zip(&values) {
        add(&mut arguments, &input.name, &input.components, value);
    }
    Some(Named { name: function.name.clone(), arguments })
}

/// The event of a log; `None` if no known contract declares it.
#[must_use]
pub fn event(log: &LogData) -> Option<Named> {
    let event = EVENTS.get(&(*log.topics().first()?, log.topics().len()))?;
    if !is_bounded(event.inputs.iter().filter(|input| !input.indexed), &log.data) {
        return None;
    }
    let values = event.decode_log(log).ok()?;
    let (mut indexed, mut body) = (values.indexed.iter(), values.body.iter());
    let mut arguments = Vec::new();
    for input in &event.inputs {
        let value = if input.indexed { indexed.next() } else { body.next() };
        add(&mut arguments, &input.name, &input.components, value?);
    }
    Some(Named { name: event.name.clone(), arguments })
}

/// The values of the inputs of a call or an error; none if the data does not decode, or decodes to far more than itself.
fn values(item: &impl JsonAbiExt, inputs: &[Param], data: &[u8]) -> Vec<DynSolValue> {
    let decoded = is_bounded(inputs, data).then(|| item.abi_decode_input(data).ok());
    decoded.flatten().unwrap_or_default()
}

/// Whether the data decodes to no more than a few times its own size.
fn is_bounded<'a, P>(inputs: impl IntoIterator<Item = &'a P>, data: &[u8]) -> bool
where
    P: Specifier<DynSolType> + 'a,
{
    let kinds: Result<Vec<DynSolType>, _> = inputs.into_iter().map(Specifier::resolve).collect();
    kinds.is_ok_and(|kinds| bound::is_bounded(&kinds, data))
}

/// Adds an argument; for a struct, each of its fields, such as `amounts.tokens`.
fn add(arguments: &mut Vec<Argument>, name: &str, fields: &[Param], value: &DynSolValue) {
    match value {
        DynSolValue::Tuple(values) | DynSolValue::CustomStruct { tuple: values, .. }
            if fields.len() == values.len() && fields.iter().all(|field| !field.name.is_empty()) =>
        {
            for (field, value) in fields.iter().zip(values) {
                add(arguments, &format!("{name}.{}", field.name), &field.components, value);
            }
        }
        _ => arguments.push(argument(name, text(value))),
    }
}

fn argument(name: &str, value: String) -> Argument {
    Argument { name: name.to_owned(), value: clipped(value) }
}

fn clipped(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(ARGUMENT) {
        text.truncate(end);
        text.push('…');
    }
    text
}

fn text(value: &DynSolValue) -> String {
    match value {
        DynSolValue::Bool(flag) => flag.to_string(),
        DynSolValue::Int(number, _) => number.to_string(),
        DynSolValue::Uint(number, _) => number.to_string(),
        DynSolValue::FixedBytes(word, size) => hex::encode_prefixed(&word[..*size]),
        DynSolValue::Address(address) => address.to_checksum(None),
        DynSolValue::Function(function) => hex::encode_prefixed(function),
        DynSolValue::Bytes(bytes) => hex::encode_prefixed(bytes),
        DynSolValue::String(text) => text.clone(),
        DynSolValue::Array(values)
        | DynSolValue::FixedArray(values)
        | DynSolValue::Tuple(values)
        | DynSolValue::CustomStruct { tuple: values, .. } => {
            let values: Vec<String> = values.iter().map(text).collect();
            format!("[{}]", values.join(", "))
        }
    }
}

#[cfg(test)]
mod tests;
