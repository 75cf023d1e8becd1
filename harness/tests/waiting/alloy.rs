//! Sends COUNT payments for each number of confirmations, waits for each with alloy's defaults, and prints the milliseconds of each wait
//! as JSON: slipway exec -- alloy_waits CONFIRMATIONS[,CONFIRMATIONS…] COUNT http|ws
use std::error::Error;
use std::io::Write as _;
use std::time::Instant;

use alloy::network::TransactionBuilder as _;
use alloy::primitives::U256;
use alloy::providers::{Provider, ProviderBuilder};
use alloy::rpc::types::TransactionRequest;
use alloy::signers::local::PrivateKeySigner;
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    slipway_contracts::prepare_http();
    let arguments: Vec<String> = std::env::args().collect();
    let [_, confirmations, count, way] = &arguments[..] else { return Err("three arguments".into()) };
    let ready: Value = serde_json::from_str(&std::env::var("SLIPWAY_READY")?)?;
    let signer: PrivateKeySigner = std::env::var("SLIPWAY_PRIVATE_KEY")?.parse()?;
    let url = ready["chains"][0]["rpcUrl"].as_str().ok_or("no address")?.replacen("http", way, 1);
    let own = signer.address();
    let provider = ProviderBuilder::new().wallet(signer).connect(&url).await?;
    let mut waits = Vec::new();
    for confirmations in confirmations.split(',') {
        let confirmations: u64 = confirmations.parse()?;
        for _ in 0..count.parse()? {
            let payment = TransactionRequest::default().with_to(own).with_value(U256::ONE);
            let sent = provider.send_transaction(payment).await?;
            let begun = Instant::now();
            let receipt = sent.with_required_confirmations(confirmations).get_receipt().await?;
            waits.push(begun.elapsed().as_secs_f64() * 1_000.0);
            let block = receipt.block_number.ok_or("no block")?;
            let confirmed = provider.get_block_number().await? - block + 1;
            assert!(confirmed >= confirmations, "{confirmed} confirmations");
        }
    }
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&waits)?)?;
    Ok(())
}
