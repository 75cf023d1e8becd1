//! Describes a transaction in words: its calls, its events and why it reverted, with the names of contracts and tokens and the units of
//! amounts.
use std::collections::HashMap;

use alloy::consensus::Transaction as _;
use alloy::primitives::utils::{ParseUnits, format_units, parse_units};
use alloy::primitives::{Address, B256, Selector, U64, U256};
use alloy::providers::Provider as _;
use alloy::rpc::types::{Log, Transaction, TransactionReceipt};
use parking_lot::RwLockReadGuard;
use serde::Serialize;
use slipway_contracts::decode::{self, Named};
use slipway_contracts::deploy::Deployment;

use super::Api;
use super::refusal::Refusal;
use crate::address;
use crate::chain::{Chain, ChainError, Frame};
use crate::state::State;

/// Maximum number of calls shown; a transaction can make tens of thousands.
const MOST_CALLS: usize = 500;
/// Maximum number of events shown.
const MOST_EVENTS: usize = 500;
const DECIMALS: u8 = 18;

/// A mined transaction.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explained {
    pub(crate) hash: B256,
    pub(crate) chain_id: u64,
    pub(crate) block: u64,
    pub(crate) succeeded: bool,
    /// The reason for the revert, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Failure>,
    /// The contract's error behind the revert, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) revert: Option<Named>,
    #[serde(serialize_with = "address::checksummed")]
    pub(crate) from: Address,
    pub(crate) value: String,
    pub(crate) gas_used: u64,
    pub(crate) fee: String,
    /// The outermost call first, each before the calls that it makes; only the outermost one if the node has no trace.
    pub(crate) calls: Vec<Call>,
    /// Whether there are more calls, or may be: the node gave no trace in time, or one that is too large.
    pub(crate) truncated: bool,
    /// The first events.
    pub(crate) events: Vec<Event>,
    /// Number of all events.
    pub(crate) event_count: usize,
    /// The first launched token with an event.
    #[serde(skip)]
    pub(crate) token: Option<Address>,
}

/// The reason for a transaction's revert.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Failure {
    pub(crate) text: String,
}

/// A call of one contract by another.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Call {
    /// Nesting depth: the number of calls around it.
    pub(crate) depth: usize,
    /// `CALL`, `DELEGATECALL`, `STATICCALL`, `CREATE` and so on.
    pub(crate) kind: String,
    pub(crate) contract: Party,
    /// The function; `None` for a plain payment, and if no known contract has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) function: Option<String>,
    /// The function's selector; `None` for a plain payment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) selector: Option<Selector>,
    pub(crate) arguments: Vec<Told>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) value: Option<String>,
    pub(crate) gas_used: u64,
    /// The reason for the failure, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
}

/// An event of a contract.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Event {
    pub(crate) contract: Party,
    /// The event's name; `None` if no known contract has such an event.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    pub(crate) arguments: Vec<Told>,
}

/// An address with the name under which the platform knows it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Party {
    #[serde(serialize_with = "address::checksummed")]
    pub(crate) address: Address,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
}

/// An argument; amounts are also given in whole units.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Told {
    pub(crate) name: String,
    pub(crate) value: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) amount: Option<String>,
}

impl Api {
    /// Explains a mined transaction of either chain; `None` if neither has it.
    pub(crate) async fn explain(&self, hash: B256) -> Result<Option<Explained>, Refusal> {
        for (chain, deployment) in self.engine.chains() {
            let explained = self.explain_on(chain, deployment, hash, true).await;
            if let Some(explained) = explained.map_err(|error| Refusal::of_chain(&error))? {
                return Ok(Some(explained));
            }
        }
        Ok(None)
    }

    /// Explains a transaction of one chain; its trace is read only if it reverted or `with_calls` is set.
    pub(super) async fn explain_on(
        &self,
        chain: &Chain,
        deployment: &Deployment,
        hash: B256,
        with_calls: bool,
    ) -> Result<Option<Explained>, ChainError> {
        let failed =
            |source| ChainError::Call { chain_id: chain.id(), method: "eth_getTransactionByHash", source };
        let provider = chain.provider();
        let answers =
            tokio::try_join!(provider.get_transaction_by_hash(hash), provider.get_transaction_receipt(hash));
        let (Some(transaction), Some(receipt)) = answers.map_err(failed)? else { return Ok(None) };
        let traced = if with_calls || !receipt.status() { chain.trace(hash).await } else { Ok(None) };
        let is_traced = traced.is_ok();
        let frame = traced.unwrap_or_else(|error| {
            tracing::debug!(chain_id = chain.id(), %hash, %error, "only the outermost call is told");
            None
        });
        let frame = frame.unwrap_or_else(|| outermost(&transaction, &receipt));
        let names = Names::on(self.read(), chain.id(), deployment);
        let mut calls = Vec::new();
        let is_whole = tell(&names, &frame, 0, &mut calls) && is_traced;
        let logs = receipt.logs();
        let is_launched = |contract: &Address| names.state.token_on(chain.id(), *contract).is_some();
        Ok(Some(Explained {
            hash,
            chain_id: chain.id(),
            block: receipt.block_number.unwrap_or_default(),
            succeeded: receipt.status(),
            error: frame.failure().map(|text| Failure { text }),
            revert: frame.revert(),
            from: receipt.from,
            value: ether(transaction.value()),
            gas_used: receipt.gas_used,
            fee: ether(U256::from(receipt.gas_used) * U256::from(receipt.effective_gas_price)),
            calls,
            truncated: !is_whole,
            events: logs.iter().take(MOST_EVENTS).map(|log| names.event(log)).collect(),
            event_count: logs.len(),
            token: logs.iter().map(Log::address).find(is_launched),
        }))
    }
}

/// Builds the outermost call of a transaction without its trace.
pub(super) fn outermost(transaction: &Transaction, receipt: &TransactionReceipt) -> Frame {
    Frame {
        kind: if receipt.to.is_some() { "CALL" } else { "CREATE" }.to_owned(),
        from: receipt.from,
        to: receipt.to.or(receipt.contract_address),
        value: Some(transaction.value()),
        gas: U64::from(transaction.gas_limit()),
        gas_used: U64::from(receipt.gas_used),
        input: transaction.input().clone(),
        error: (!receipt.status()).then(|| "execution reverted".to_owned()),
        ..Frame::default()
    }
}

impl Call {
    /// The function's name; `payment` or `create` if no function is called, and the selector of an unknown one.
    pub(crate) fn name(&self) -> String {
        match &self.function {
            Some(function) => function.clone(),
            None if self.kind.starts_with("CREATE") => "create".to_owned(),
            None => self.selector.map_or_else(|| "payment".to_owned(), |selector| selector.to_string()),
        }
    }
}

/// Adds a call and the calls within it, up to the limit; returns whether all fitted.
fn tell(names: &Names<'_>, frame: &Frame, depth: usize, calls: &mut Vec<Call>) -> bool {
    if calls.len() == MOST_CALLS {
        return false;
    }
    calls.push(names.call(frame, depth));
    frame.calls.iter().all(|inner| tell(names, inner, depth + 1, calls))
}

/// Everything that has a name on a chain, at one moment.
pub(super) struct Names<'a> {
    state: RwLockReadGuard<'a, State>,
    chain_id: u64,
    deployment: &'a Deployment,
    contracts: HashMap<Address, &'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn on(state: RwLockReadGuard<'a, State>, chain_id: u64, deployment: &'a Deployment) -> Self {
        let contracts = deployment.contracts.iter().map(|(name, address)| (*address, name.as_str()));
        Self { state, chain_id, deployment, contracts: contracts.collect() }
    }

    pub(super) fn party(&self, address: Address) -> Party {
        let token = self.state.token_on(self.chain_id, address);
        let token = token.map(|token| token.launch.metadata.ticker.clone());
        let asset = self.deployment.quote_assets.iter().find(|asset| asset.address == address);
        let name = token.or_else(|| asset.map(|asset| asset.symbol.clone()));
        Party { address, name: name.or_else(|| self.contracts.get(&address).map(|&name| name.to_owned())) }
    }

    pub(super) fn call(&self, frame: &Frame, depth: usize) -> Call {
        let contract = self.party(frame.to.unwrap_or_default());
        let input = Some(&frame.input).filter(|_| !frame.kind.starts_with("CREATE"));
        let named = input.and_then(|input| decode::call(input));
        // Code that is lent to another contract counts in the units of that one.
        let counts = if frame.kind == "DELEGATECALL" { frame.from } else { contract.address };
        let (function, arguments) = self.told(counts, named);
        let error = frame.failure();
        let value = frame.value.filter(|value| !value.is_zero()).map(ether);
        let (kind, gas_used) = (frame.kind.clone(), frame.gas_used.to());
        let selector = input.and_then(|input| input.first_chunk::<4>()).map(Selector::from);
        Call { depth, kind, contract, function, selector, arguments, value, gas_used, error }
    }

    fn event(&self, log: &Log) -> Event {
        let contract = self.party(log.address());
        let named = decode::event(log.data());
        if named.is_none() {
            let topics = log.topics().iter().map(|topic| ("topic", topic.to_string()));
            let data = std::iter::once(("data", log.data().data.to_string()));
            let raw =
                topics.chain(data).map(|(name, value)| Told { name: name.to_owned(), value, amount: None });
            return Event { contract, name: None, arguments: raw.collect() };
        }
        let (name, arguments) = self.told(contract.address, named);
        Event { contract, name, arguments }
    }

    fn told(&self, contract: Address, named: Option<Named>) -> (Option<String>, Vec<Told>) {
        let Some(Named { name, arguments }) = named else { return (None, Vec::new()) };
        let launch = arguments.iter().find(|argument| argument.name == "launchId");
        let launch = launch.and_then(|argument| argument.value.parse().ok());
        let arguments = arguments.into_iter().map(|argument| {
            let (name, value) = (argument.name, argument.value);
            let amount = self.unit(contract, launch, &name).and_then(|(symbol, decimals)| {
                Some(format!("{} {symbol}", whole(value.parse().ok()?, decimals)))
            });
            Told { name, value, amount }
        });
        (Some(name), arguments.collect())
    }

    /// The asset whose amount this argument of a contract's function or event counts.
    fn unit(&self, contract: Address, launch: Option<u64>, argument: &str) -> Option<(String, u8)> {
        let field = argument.rsplit('.').next().unwrap_or(argument);
        if let Some(asset) = self.asset(contract) {
            return ["amount", "value", "wad", "amount0", "amount1"].contains(&field).then_some(asset);
        }
        let quote = match self.deployment.quote_assets.iter().find(|asset| asset.hook == contract) {
            Some(asset) => (asset.symbol.clone(), asset.decimals),
            None if self.is_ours(contract) => ("ETH".to_owned(), DECIMALS),
            None => return None,
        };
        if QUOTED.contains(&field) {
            return Some(quote);
        }
        let ticker = || {
            let mut tokens = self.state.tokens().rev();
            let of_launch =
                tokens.find(|token| token.launch.hook == contract && Some(token.launch.launch_id) == launch);
            of_launch.map_or_else(|| "tokens".to_owned(), |token| token.launch.metadata.ticker.clone())
        };
        TOKENS.contains(&field).then(|| (ticker(), DECIMALS))
    }

    /// The symbol and decimals of a token.
    fn asset(&self, contract: Address) -> Option<(String, u8)> {
        if let Some(token) = self.state.token_on(self.chain_id, contract) {
            return Some((token.launch.metadata.ticker.clone(), DECIMALS));
        }
        let asset = self.deployment.quote_assets.iter().find(|asset| asset.address == contract);
        let asset = asset.map(|asset| (asset.symbol.clone(), asset.decimals));
        asset.or_else(|| {
            (self.contracts.get(&contract) == Some(&"WETH9")).then(|| ("WETH".to_owned(), DECIMALS))
        })
    }

    fn is_ours(&self, contract: Address) -> bool {
        let named = self.contracts.get(&contract).copied().unwrap_or_default();
        contract == self.deployment.hook || ["TokenFactory", "EmperorAuction"].contains(&named)
    }
}

/// Argument names in our contracts that count the quote asset of a launch.
const QUOTED: [&str; 19] = [
    "amount",
    "buybackAmount",
    "buybackFee",
    "creatorAmount",
    "creatorFee",
    "ethAmount",
    "ethSeeded",
    "fee",
    "grossAmount",
    "marketCap",
    "minEthOut",
    "netAmount",
    "prebuyAmount",
    "priceAfter",
    "protocolFee",
    "quoteAmount",
    "refund",
    "startBid",
    "targetRaise",
];
/// Argument names that count launched tokens.
const TOKENS: [&str; 7] = [
    "liquiditySupply",
    "minTokensOut",
    "saleSupply",
    "tokenAmount",
    "tokensBurned",
    "tokensOut",
    "tokensSeeded",
];

fn ether(wei: U256) -> String {
    format!("{} ETH", whole(wei, DECIMALS))
}

/// Formats units as a decimal number with all significant digits.
fn whole(units: U256, decimals: u8) -> String {
    let text = format_units(units, decimals).unwrap_or_else(|_| units.to_string());
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// An amount in whole units without a part of it, such as its fee.
pub(super) fn less(amount: &str, part: &str) -> Option<String> {
    let (number, symbol) = amount.split_once(' ')?;
    let [all, part] = [number, part.split_once(' ')?.0]
        .map(|number| parse_units(number, DECIMALS).ok().map(ParseUnits::get_absolute));
    Some(format!("{} {symbol}", whole(all?.checked_sub(part?)?, DECIMALS)))
}

#[cfg(test)]
mod tests {
    use alloy::primitives::U256;

    use super::{ether, less, whole};

    #[test]
    fn an_amount_without_a_part_is_exact() {
        for (amount, part, rest) in [
            ("0.05 ETH", "0.000500000000000001 ETH", Some("0.049499999999999999 ETH")),
            ("12.5 USDG", "0.125 USDG", Some("12.375 USDG")),
            ("1 ETH", "1 ETH", Some("0 ETH")),
            ("1 ETH", "2 ETH", None),
            ("1", "1 ETH", None),
        ] {
            assert_eq!(less(amount, part).as_deref(), rest, "{amount} {part}");
        }
    }

    #[test]
    fn amounts_have_all_significant_digits() {
        for (units, decimals, text) in [
            (0, 18, "0"),
            (1_500_000, 6, "1.5"),
            (1_000_000, 6, "1"),
            (7, 0, "7"),
            (10, 0, "10"),
            (1, 6, "0.000001"),
        ] {
            assert_eq!(whole(U256::from(units), decimals), text);
        }
        assert_eq!(ether(U256::from(50_000_000_000_000_000_u64)), "0.05 ETH");
    }
}
