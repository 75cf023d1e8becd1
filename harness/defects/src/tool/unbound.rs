//! Transactions without their chain id: what the server signed is signed again without the id, so that it is valid on any chain, while the
//! server sees the hash of its own transaction.
use parking_lot::Mutex;

use alloy::consensus::{SignableTransaction as _, Transaction as _, TxEnvelope, TxLegacy};
use alloy::eips::eip2718::{Decodable2718 as _, Encodable2718 as _};
use alloy::primitives::Bytes;
use alloy::signers::SignerSync as _;
use alloy::signers::local::PrivateKeySigner;
use serde_json::{Value, json};

/// Signs transactions again, and maps the hashes.
pub(super) struct Unbound {
    signer: PrivateKeySigner,
    /// Hash of the server's transaction, and hash of the transaction sent instead.
    hashes: Mutex<Vec<(String, String)>>,
}

impl Unbound {
    /// Signs with the server's key; `None` if the text is not a key.
    pub(super) fn new(key: &str) -> Option<Self> {
        Some(Self { signer: key.trim_start_matches("0x").parse().ok()?, hashes: Mutex::default() })
    }

    /// Changes a request: a transaction to send, or a hash of one already sent.
    pub(super) fn send(&self, message: &mut Value) {
        let sends = message["method"].as_str().is_some_and(|method| method.starts_with("eth_sendRaw"));
        let raw = message["params"][0].as_str().and_then(|text| text.parse::<Bytes>().ok());
        if let Some(signed) = raw.filter(|_| sends).and_then(|raw| self.sign_again(&raw)) {
            message["params"][0] = json!(signed);
        }
        self.exchange(message, |(own, sent)| (own.as_str(), sent.as_str()));
    }

    /// Changes hashes in an answer.
    pub(super) fn answer(&self, body: &mut Value) {
        self.exchange(body, |(own, sent)| (sent.as_str(), own.as_str()));
    }

    fn sign_again(&self, raw: &[u8]) -> Option<Bytes> {
        let own = TxEnvelope::decode_2718(&mut &*raw).ok()?;
        let unbound = TxLegacy {
            chain_id: None,
            nonce: own.nonce(),
            gas_price: own.max_fee_per_gas(),
            gas_limit: own.gas_limit(),
            to: own.kind(),
            value: own.value(),
            input: own.input().clone(),
        };
        let signature = self.signer.sign_hash_sync(&unbound.signature_hash()).ok()?;
        let sent = TxEnvelope::from(unbound.into_signed(signature));
        let mut hashes = self.hashes.lock();
        hashes.push((own.tx_hash().to_string(), sent.tx_hash().to_string()));
        Some(sent.encoded_2718().into())
    }

    fn exchange(&self, message: &mut Value, names: impl Fn(&(String, String)) -> (&str, &str)) {
        let hashes = self.hashes.lock();
        if hashes.is_empty() {
            return;
        }
        let text = hashes.iter().fold(message.to_string(), |text, pair| {
            let (from, to) = names(pair);
            text.replace(from, to)
        });
        if let Ok(exchanged) = serde_json::from_str(&text) {
            *message = exchanged;
        }
    }
}
