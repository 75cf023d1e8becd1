//! A client for rehearsals that does everything right, or one thing wrong: slipway rehearse -- toy_client [websocket] [batch] [WRONG]
use std::collections::BTreeSet;
use std::error::Error;
use std::io::Write as _;
use std::time::Duration;

use alloy::eips::eip2718::Encodable2718 as _;
use alloy::network::{EthereumWallet, TransactionBuilder as _};
use alloy::primitives::{Address, B256, Bytes, U256, utils::parse_ether};
use alloy::rpc::types::TransactionRequest;
use alloy::signers::local::PrivateKeySigner;
use alloy::sol_types::{SolCall, SolEvent as _};
use futures::{SinkExt as _, StreamExt as _};
use reqwest::{RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use slipway_contracts::bindings::ILaunchHook::{LaunchCreated, buyCall, createLaunchCall, previewBuyCall};
use slipway_contracts::bindings::IUniswapV2Router02::swapExactETHForTokensCall;
use slipway_contracts::bindings::{CaptchaAuth, CreateLaunchParams, ILaunchToken};
use tokio_tungstenite::tungstenite::protocol::Message;

type Outcome<T> = Result<T, Box<dyn Error>>;

const CHAIN: u64 = 57073;
/// Maximum attempts of a read.
const TRIES: usize = 4;

struct Client {
    http: reqwest::Client,
    ready: Value,
    wallet: EthereumWallet,
    account: Address,
    /// Its mistakes.
    wrong: BTreeSet<String>,
}

#[tokio::main]
async fn main() -> Outcome<()> {
    slipway_contracts::prepare_http();
    let signer: PrivateKeySigner = std::env::var("SLIPWAY_PRIVATE_KEY")?.parse()?;
    let client = Client {
        http: reqwest::Client::builder().timeout(Duration::from_secs(10)).build()?,
        ready: serde_json::from_str(&std::env::var("SLIPWAY_READY")?)?,
        account: signer.address(),
        wallet: signer.into(),
        wrong: std::env::args().skip(1).collect(),
    };
    let said = match client.work().await {
        Ok(()) => "done".to_owned(),
        // A client may give up.
        Err(error) => format!("gave up: {error}"),
    };
    Ok(writeln!(std::io::stdout(), "{said}")?)
}

fn text<T: std::str::FromStr<Err: Error + 'static>>(value: &Value) -> Outcome<T> {
    Ok(value.as_str().ok_or("no text")?.parse()?)
}

/// An amount rounded to 53 bits.
fn in_53_bits(amount: U256) -> U256 {
    let dropped = amount.bit_len().saturating_sub(53);
    ((amount + (U256::ONE << dropped >> 1)) >> dropped) << dropped
}

impl Client {
    fn does(&self, wrong: &str) -> bool {
        self.wrong.contains(wrong)
    }

    fn url(&self, service: &str, path: &str) -> String {
        format!("{}{path}", self.ready[service].as_str().unwrap_or_default())
    }

    async fn work(&self) -> Outcome<()> {
        if self.rpc("eth_chainId", json!([])).await? != json!(format!("{CHAIN:#x}"))
            && !self.does("ignore-chain")
        {
            return Err("the node is one of another chain".into());
        }
        self.upload().await?;
        let token = self.launch("First").await?;
        if self.does("cache-capabilities") {
            self.launch_by_kept_answer("Second").await?;
        }
        self.buy(token).await?;
        // Repeating the purchase is a separate trade, and so is launching another token.
        self.buy(token).await?;
        self.approve(token).await?;
        if !self.does("cache-capabilities") {
            self.launch("Second").await?;
        }
        self.swap().await?;
        self.walk().await?;
        let leaderboard = self.url("baseUrl", "/api/referral/leaderboard");
        for _ in 0..if self.does("exceed-limit") { 40 } else { 0 } {
            if self.http.get(&leaderboard).send().await?.status() == StatusCode::TOO_MANY_REQUESTS {
                return Ok(());
            }
        }
        self.read(self.http.get(leaderboard)).await.map(drop)
    }

    /// Reads, and retries if that is permitted.
    async fn read(&self, request: RequestBuilder) -> Outcome<Value> {
        let mut last = String::new();
        for _ in 0..TRIES {
            let sent = request.try_clone().ok_or("a body that cannot be repeated")?.send().await;
            let answered = match sent {
                Ok(response) => self.answered(response).await,
                Err(error) => Err(error.to_string()),
            };
            match answered {
                Ok(answer) => return Ok(answer),
                Err(reason) => last = reason,
            }
        }
        Err(last.into())
    }

    /// The JSON of an answer; after a rate-limit refusal, returns an error once the wait is over.
    async fn answered(&self, response: Response) -> Result<Value, String> {
        let status = response.status();
        let wait =
            response.headers().get("retry-after").and_then(|seconds| seconds.to_str().ok()?.parse().ok());
        let body = response.bytes().await.map_err(|error| error.to_string())?;
        if status == StatusCode::TOO_MANY_REQUESTS && !self.does("ignore-retry-after") {
            tokio::time::sleep(Duration::from_secs(wait.unwrap_or(60))).await;
        }
        if !status.is_success() {
            return Err(format!("{status}: {}", String::from_utf8_lossy(&body)));
        }
        serde_json::from_slice(&body).map_err(|error| error.to_string())
    }

    fn rpc_url(&self) -> Outcome<&str> {
        Ok(self.ready["chains"][0]["rpcUrl"].as_str().ok_or("no node")?)
    }

    async fn rpc(&self, method: &str, params: Value) -> Outcome<Value> {
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let asked = if self.does("batch") { json!([call]) } else { call };
        let mut answer: Value = if self.does("websocket") {
            self.by_websocket(&asked).await?
        } else {
            let response = self.http.post(self.rpc_url()?).json(&asked).send().await?.error_for_status()?;
            serde_json::from_slice(&response.bytes().await?)?
        };
        if self.does("batch") {
            answer = answer[0].take();
        }
        if !answer["error"].is_null() {
            return Err(answer["error"].to_string().into());
        }
        Ok(answer["result"].take())
    }

    /// Asks over a new WebSocket.
    async fn by_websocket(&self, asked: &Value) -> Outcome<Value> {
        let url = self.rpc_url()?.replacen("http", "ws", 1);
        let (mut socket, _) = tokio_tungstenite::connect_async(url).await?;
        socket.send(Message::text(asked.to_string())).await?;
        loop {
            match socket.next().await.ok_or("the connection ended")?? {
                Message::Text(answer) => return Ok(serde_json::from_str(&answer)?),
                Message::Close(_) => return Err("the connection was closed".into()),
                _ => {}
            }
        }
    }

    async fn call<C: SolCall>(&self, to: Address, call: C) -> Outcome<C::Return> {
        let asked =
            json!([{ "from": self.account, "to": to, "data": Bytes::from(call.abi_encode()) }, "latest"]);
        let answer: Bytes = text(&self.rpc("eth_call", asked).await?)?;
        Ok(C::abi_decode_returns(&answer)?)
    }

    /// Uploads an image, with a fresh captcha token for each attempt.
    async fn upload(&self) -> Outcome<()> {
        let mut kept = None;
        for _ in 0..TRIES {
            let captcha = match kept.take() {
                Some(captcha) if self.does("reuse-captcha") => captcha,
                _ => self.captcha().await?,
            };
            let field = |name: &str, value: &str| {
                format!("--part\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
            };
            let mut form =
                field("captchaToken", &captcha) + field("walletAddress", &self.account.to_string()).as_str();
            form += "--part\r\ncontent-disposition: form-data; name=\"file\"; filename=\"logo.png\"\r\ncontent-type: image/png\r\n\r\n";
            let body = [form.as_bytes(), include_bytes!("logo.png"), b"\r\n--part--\r\n"].concat();
            let request = self.http.post(self.url("baseUrl", "/api/upload"));
            let sent =
                request.header("content-type", "multipart/form-data; boundary=part").body(body).send().await;
            if let Ok(response) = sent
                && self.answered(response).await.is_ok()
            {
                return Ok(());
            }
            kept = Some(captcha);
        }
        Err("no image could be uploaded".into())
    }

    async fn captcha(&self) -> Outcome<String> {
        let request = self.http.post(self.url("controlUrl", "/_sim/captchas"));
        Ok(self.read(request).await?["token"].as_str().ok_or("no captcha")?.to_owned())
    }

    async fn launch(&self, name: &str) -> Outcome<Address> {
        let url = self.url("baseUrl", &format!("/api/capabilities?chainId={CHAIN}"));
        let mut request = self.http.get(url);
        if self.does("revalidate-capabilities") {
            request = request.header("if-none-match", "*");
        }
        let capabilities = self.read(request).await?;
        let active = &capabilities["activeCreationDeployment"];
        let is_open = capabilities["chainId"] == CHAIN
            && capabilities["flags"]["create"] == true
            && active["status"] == "active";
        if !is_open && !self.does("ignore-capabilities") {
            return Err("creation is closed".into());
        }
        self.launch_by_kept_answer(name).await
    }

    async fn launch_by_kept_answer(&self, name: &str) -> Outcome<Address> {
        let params = CreateLaunchParams {
            name: name.to_owned(),
            ticker: "TOY".to_owned(),
            creatorFeeSplitBps: 5_000,
            gainBps: 50_000,
            targetRaise: parse_ether("1")?.to(),
            ..CreateLaunchParams::default()
        };
        let input = createLaunchCall { params }.abi_encode().into();
        let receipt = self.send(self.hook()?, input, U256::ZERO).await?;
        for log in receipt["logs"].as_array().into_iter().flatten() {
            let topics: Vec<B256> = serde_json::from_value(log["topics"].clone())?;
            if topics.first() == Some(&LaunchCreated::SIGNATURE_HASH) {
                let data: Bytes = text(&log["data"])?;
                return Ok(LaunchCreated::decode_raw_log(topics, &data)?.token);
            }
        }
        Err("no launch was announced".into())
    }

    fn hook(&self) -> Outcome<Address> {
        text(&self.ready["chains"][0]["hook"])
    }

    /// Buys for at least the preview less one percent.
    async fn buy(&self, token: Address) -> Outcome<()> {
        let url = self.url("baseUrl", &format!("/api/token?address={token}"));
        // The index may be a moment behind the chain.
        let record = self.read(self.http.get(url)).await?;
        let launch = U256::from(record["launch_id"].as_u64().ok_or("no launch id")?);
        let (hook, value) = (self.hook()?, parse_ether("0.1")?);
        let quote = self.call(hook, previewBuyCall { launchId: launch, ethIn: value }).await?;
        let least = quote.tokensOut * U256::from(99) / U256::from(100);
        let least = if self.does("any-price") { U256::ZERO } else { least };
        let auth = CaptchaAuth { deadline: 0, nonce: B256::ZERO, signature: Bytes::new() };
        let input = buyCall { launchId: launch, minTokensOut: least, auth }.abi_encode().into();
        self.send(hook, input, value).await.map(drop)
    }

    /// Resets the hook's allowance to zero, then approves the whole balance.
    async fn approve(&self, token: Address) -> Outcome<()> {
        let held = self.call(token, ILaunchToken::balanceOfCall { account: self.account }).await?;
        let held = if self.does("round-amounts") { in_53_bits(held) } else { held };
        for amount in [U256::ZERO, held] {
            let call = ILaunchToken::approveCall { spender: self.hook()?, amount };
            self.send(token, call.abi_encode().into(), U256::ZERO).await?;
        }
        Ok(())
    }

    /// Reads the list of tokens, which may change meanwhile, to its end.
    async fn walk(&self) -> Outcome<()> {
        let (mut page, mut pages) = (1, 1);
        while page <= pages {
            let url = self.url("baseUrl", &format!("/api/tokens?page={page}"));
            let stated = self.read(self.http.get(url)).await?["totalPages"].as_u64().ok_or("no pages")?;
            if page == 1 || !self.does("keep-first-total") {
                pages = stated;
            }
            page += 1;
        }
        Ok(())
    }

    async fn swap(&self) -> Outcome<()> {
        let pairs = self.read(self.http.get(self.url("swapBaseUrl", "/api/pairs"))).await?;
        let weth = self.ready["chains"][0]["contracts"]["WETH9"].clone();
        let sides = |pair: &Value| [pair["token0"]["address"].clone(), pair["token1"]["address"].clone()];
        let mut pairs =
            pairs.as_array().ok_or("no pairs")?.iter().filter(|pair| pair["reserve0"] != "0").map(sides);
        let pair = pairs.find(|pair| pair.contains(&weth)).ok_or("no pair of WETH9")?;
        let other: Address = text(pair.iter().find(|side| **side != weth).ok_or("no other side")?)?;
        let query = format!(
            "/api/quote?tokenIn={}&tokenOut={other}&amount=10000000000000000&slippage=50&buildTx=true&userAddress={}",
            Address::ZERO,
            self.account
        );
        let quote = self.read(self.http.get(self.url("swapBaseUrl", &query))).await?;
        let built = &quote["transaction"];
        let (to, mut input, value): (Address, Bytes, U256) =
            (text(&built["to"])?, text(&built["data"])?, text(&built["value"])?);
        if self.does("redirect-quote") {
            let mut call = swapExactETHForTokensCall::abi_decode(&input)?;
            call.to = to;
            input = call.abi_encode().into();
        }
        if !self.does("skip-simulation") {
            let asked = json!([{ "from": self.account, "to": to, "data": input, "value": value }, "latest"]);
            self.rpc("eth_call", asked).await?;
        }
        self.send(to, input, value).await.map(drop)
    }

    /// Signs once and sends once; whatever the node answers, the receipt decides.
    async fn send(&self, to: Address, input: Bytes, value: U256) -> Outcome<Value> {
        let nonce: U256 =
            text(&self.rpc("eth_getTransactionCount", json!([self.account, "pending"])).await?)?;
        let price: U256 = text(&self.rpc("eth_gasPrice", json!([])).await?)?;
        let request = TransactionRequest::default()
            .with_to(to)
            .with_input(input)
            .with_value(value)
            .with_chain_id(CHAIN)
            .with_nonce(nonce.to())
            .with_gas_limit(5_000_000)
            .with_max_fee_per_gas(2 * price.to::<u128>())
            .with_max_priority_fee_per_gas(0);
        let signed = alloy::network::NetworkTransactionBuilder::<alloy::network::Ethereum>::build(
            request,
            &self.wallet,
        )
        .await?;
        let raw = json!([Bytes::from(signed.encoded_2718())]);
        let sent = self.rpc("eth_sendRawTransaction", raw.clone()).await;
        if sent.is_err() && self.does("retry-broadcast") {
            _ = self.rpc("eth_sendRawTransaction", raw.clone()).await;
        }
        if sent.is_err() && self.does("retry-in-batch") {
            let call =
                json!({ "jsonrpc": "2.0", "id": 1, "method": "eth_sendRawTransaction", "params": raw });
            _ = self.http.post(self.rpc_url()?).json(&[call]).send().await;
        }
        for _ in 0..100 {
            let receipt = self.rpc("eth_getTransactionReceipt", json!([signed.tx_hash()])).await?;
            if receipt["status"] == "0x1" {
                return self.indexed(receipt).await;
            }
            if !receipt.is_null() {
                return Err("the transaction was reverted".into());
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Err("no receipt in time".into())
    }

    /// Waits until the services have indexed the block of a receipt.
    async fn indexed(&self, receipt: Value) -> Outcome<Value> {
        let block: U256 = text(&receipt["blockNumber"])?;
        let path = format!("/_sim/indexed?chainId={CHAIN}&block={block}");
        self.read(self.http.get(self.url("controlUrl", &path))).await?;
        Ok(receipt)
    }
}
