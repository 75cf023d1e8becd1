//! An account on one chain, as its node and the deployment tell it.
use alloy::primitives::{Address, U256};
use alloy::providers::Provider as _;
use futures::future::try_join_all;
use slipway_contracts::bindings::IERC20;

use super::Api;
use super::explain::Names;
use super::refusal::Refusal;

/// An account on one chain.
#[derive(Clone, Debug)]
pub(crate) struct OnChain {
    /// Name of a contract of the platform.
    pub(crate) name: Option<String>,
    /// Whether it has code.
    pub(crate) is_contract: bool,
    /// Number of transactions that it has sent, or of contracts that it has created.
    pub(crate) nonce: u64,
    /// In wei.
    pub(crate) balance: U256,
    /// What it has of the wrapped coin and the quote assets: symbol, decimals, units.
    pub(crate) assets: Vec<(String, u8, U256)>,
}

impl Api {
    /// What the node of a chain says about an account.
    pub(crate) async fn account_on(&self, chain_id: u64, account: Address) -> Result<OnChain, Refusal> {
        let (chain, deployment) = self.engine.chain(chain_id)?;
        let provider = chain.provider();
        let wrapped = deployment.contract("WETH9").map(|address| ("WETH".to_owned(), 18, address));
        let quotes = deployment.quote_assets.iter();
        let known = quotes.map(|asset| (asset.symbol.clone(), asset.decimals, asset.address));
        let assets = wrapped.into_iter().chain(known).map(async |(symbol, decimals, address)| {
            let units = IERC20::new(address, provider).balanceOf(account).call().await;
            units.map(|units| (symbol, decimals, units))
        });
        let assets = async { try_join_all(assets).await.map_err(|_| Refusal::chain_out_of_reach(chain_id)) };
        let node = async {
            let answers = tokio::try_join!(
                provider.get_balance(account),
                provider.get_transaction_count(account),
                provider.get_code_at(account),
            );
            answers.map_err(|_| Refusal::chain_out_of_reach(chain_id))
        };
        let ((balance, nonce, code), assets) = tokio::try_join!(node, assets)?;
        let name = Names::on(self.read(), chain_id, deployment).party(account).name;
        Ok(OnChain { name, is_contract: !code.is_empty(), nonce, balance, assets })
    }
}
