//! The funded accounts are unlocked: calls on behalf of one are signed here, since the node has no key.
use alloy::eips::eip2718::Encodable2718 as _;
use alloy::network::{EthereumWallet, TransactionBuilder as _};
use alloy::primitives::{Address, Bytes, Signature, TxKind};
use alloy::providers::{ProviderBuilder, SendableTx};
use alloy::rpc::types::TransactionRequest;
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use alloy::transports::TransportError;
use serde::de::DeserializeOwned;

use super::call::{Call, INVALID_PARAMS, Refused, SERVER_ERROR};
use super::forward::{Answer, Backend, CALL_LIMIT, silent};
use super::rules::Owned;
use super::typed;

impl Backend {
    /// Carries out a call on behalf of its account. For an account that is not ours the call goes to the node, which knows whom it
    /// impersonates.
    pub(super) async fn own(&self, call: &mut Call, owned: Owned) -> Result<Answer, Refused> {
        match owned {
            Owned::List => {
                let accounts = self.engine.accounts().iter().map(|account| account.address);
                Ok(call.result(accounts.collect::<Vec<_>>()).into())
            }
            Owned::Send | Owned::SignTransaction => self.own_transaction(call, owned).await,
            Owned::SignMessage(place) => {
                let Some(signer) = self.signer(Some(parameter(call, 1 - place)?)) else {
                    return self.ask(call).await;
                };
                let message: Bytes = parameter(call, place)?;
                Ok(signed(call, signer.sign_message_sync(&message)))
            }
            Owned::SignTyped => {
                let Some(signer) = self.signer(Some(parameter(call, 0)?)) else {
                    return self.ask(call).await;
                };
                let data = typed::read(call.parameter(1)).map_err(|error| invalid(call, 1, &error))?;
                Ok(signed(call, signer.sign_dynamic_typed_data_sync(&data)))
            }
        }
    }

    async fn own_transaction(&self, call: &mut Call, owned: Owned) -> Result<Answer, Refused> {
        let mut transaction: TransactionRequest = parameter(call, 0)?;
        let Some(signer) = self.signer(transaction.from) else {
            return self.ask(call).await;
        };
        transaction.set_from(signer.address());
        // A transaction without a receiver creates a contract.
        transaction.to.get_or_insert(TxKind::Create);
        // The account's next transaction gets the next nonce only once this one is at the node.
        let _turn = self.chain.hold_nonces().await;
        let url = self.url.parse().expect("a started node has an address");
        let wallet = EthereumWallet::new(signer);
        let filler = ProviderBuilder::new().wallet(wallet).connect_reqwest(self.client.clone(), url);
        let filled = tokio::time::timeout(CALL_LIMIT, filler.fill(transaction));
        let envelope = match filled.await.map_err(|_| silent(self.chain.id()))? {
            Ok(SendableTx::Envelope(envelope)) => envelope,
            Ok(SendableTx::Builder(_)) => {
                return Err(Refused::new(INVALID_PARAMS, "not a transaction that can be signed"));
            }
            Err(TransportError::ErrorResp(error)) => return Ok(call.failure(&error).into()),
            Err(error @ TransportError::LocalUsageError(_)) => {
                return Err(Refused::new(INVALID_PARAMS, error.to_string()));
            }
            Err(_) => return Err(silent(self.chain.id())),
        };
        let raw = Bytes::from(envelope.encoded_2718());
        if owned == Owned::SignTransaction {
            return Ok(call.result(raw).into());
        }
        call.method = call.method.replacen("send", "sendRaw", 1);
        call.set_params(&[raw]);
        self.ask(call).await
    }

    /// The key of one of our accounts, the first one's if a call names none; `None` for other accounts.
    fn signer(&self, named: Option<Address>) -> Option<PrivateKeySigner> {
        let mut accounts = self.engine.accounts().iter();
        let account = accounts.find(|account| named.is_none_or(|named| named == account.address))?;
        PrivateKeySigner::from_bytes(&account.private_key).ok()
    }
}

fn parameter<T: DeserializeOwned>(call: &Call, place: usize) -> Result<T, Refused> {
    serde_json::from_value(call.parameter(place)).map_err(|error| invalid(call, place, &error.to_string()))
}

fn invalid(call: &Call, place: usize, error: &str) -> Refused {
    Refused::new(INVALID_PARAMS, format!("parameter {} of {}: {error}", place + 1, call.method))
}

fn signed(call: &Call, signature: alloy::signers::Result<Signature>) -> Answer {
    match signature {
        Ok(signature) => call.result(Bytes::from(signature.as_bytes())).into(),
        Err(error) => call.error(&Refused::new(SERVER_ERROR, error.to_string())).into(),
    }
}
