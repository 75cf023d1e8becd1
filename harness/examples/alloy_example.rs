//! The whole life of a launch with alloy: slipway exec -- cargo run --example alloy_example
use std::time::{SystemTime, UNIX_EPOCH};
use std::{error::Error, io::Write as _, str::FromStr};

use alloy::network::TransactionBuilder as _;
use alloy::primitives::{Address, B256, Bytes, U256, address, bytes, utils::parse_ether};
use alloy::providers::{Provider, ProviderBuilder};
use alloy::rpc::types::{TransactionReceipt, TransactionRequest};
use alloy::signers::{Signer as _, local::PrivateKeySigner};
use alloy::sol_types::{SolCall, SolValue as _};
use serde_json::{Value, json};

// `slipway show abi --format solidity` prints all of it.
alloy::sol! {
    struct Params {
        string name; string ticker; string description; string imageUrl; string messenger; string microblog; string website;
        uint16 creatorFeeSplitBps; uint32 gainBps; uint96 targetRaise; uint32 antiSnipeDuration; uint64 startTime;
    }
    struct Auth { uint64 deadline; bytes32 nonce; bytes signature; } struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }
    struct Quote { Key poolKey; bool zeroForOne; uint128 exactAmount; bytes hookData; } struct Swap { Key poolKey; bool zeroForOne; uint128 amountIn; uint128 amountOutMinimum; bytes hookData; }
    event LaunchCreated(uint256 indexed launchId, address indexed creator, address token, uint96 targetRaise);
    function createLaunch(Params params) returns (uint256, address);
    function buy(uint256 launchId, uint256 minTokensOut, Auth auth) returns (uint256);
    function sell(uint256 launchId, uint128 tokenAmount, uint256 minEthOut, Auth auth) returns (uint256);
    function previewBuy(uint256 launchId, uint256 ethIn) returns (uint256 tokensOut, uint256, uint256, uint256); function previewSell(uint256 launchId, uint128 tokenAmount) returns (uint256 netPayout, uint256, uint256, uint256);
    function balanceOf(address owner) returns (uint256); function approve(address spender, uint256 amount) returns (bool);
    function quoteExactInputSingle(Quote params) returns (uint256 amountOut, uint256 gasEstimate);
    function execute(bytes commands, bytes[] inputs, uint256 deadline);
}

type Outcome<T> = Result<T, Box<dyn Error>>;
#[rustfmt::skip]
struct Client<P> { http: reqwest::Client, ready: Value, provider: P, wallet: Address }
#[rustfmt::skip]
impl<P: Provider> Client<P> {
    fn url(&self, service: &str, path: &str) -> String { format!("{}{path}", self.ready[service].as_str().unwrap_or_default()) }
    async fn get(&self, url: String) -> Outcome<Value> { Ok(self.http.get(url).send().await?.error_for_status()?.json().await?) }
    async fn control(&self, path: &str, body: Value) -> Outcome<Value> {
        let request = self.http.post(self.url("controlUrl", &format!("/_sim{path}"))).json(&body);
        Ok(request.send().await?.error_for_status()?.json().await?)
    }
    async fn send(&self, transaction: TransactionRequest) -> Outcome<TransactionReceipt> {
        let receipt = self.provider.send_transaction(transaction).await?.get_receipt().await?;
        assert!(receipt.status(), "the transaction was reverted");
        // REST shows the transaction's effects once the block is indexed.
        let block = receipt.block_number.unwrap_or_default();
        self.get(self.url("controlUrl", &format!("/_sim/indexed?chainId=57073&block={block}"))).await?;
        Ok(receipt)
    }
    async fn call(&self, to: Address, call: impl SolCall, value: U256) -> Outcome<TransactionReceipt> {
        self.send(TransactionRequest::default().with_to(to).with_call(&call).with_value(value)).await
    }
    async fn read<C: SolCall>(&self, to: Address, call: C) -> Outcome<C::Return> {
        let request = TransactionRequest::default().with_from(self.wallet).with_to(to).with_call(&call);
        Ok(C::abi_decode_returns(&self.provider.call(request).await?)?)
    }
    async fn buy(&self, hook: Address, launch: U256, paid: U256, auth: Auth) -> Outcome<()> {
        let quoted = self.read(hook, previewBuyCall { launchId: launch, ethIn: paid }).await?.tokensOut;
        self.call(hook, buyCall { launchId: launch, minTokensOut: least(quoted), auth }, paid).await.map(drop)
    }
    async fn held(&self, token: Address) -> Outcome<U256> { self.read(token, balanceOfCall { owner: self.wallet }).await }
}

fn text<T: FromStr<Err: Error + 'static>>(value: &Value) -> Outcome<T> {
    Ok(value.as_str().ok_or("no text")?.parse()?)
}

/// A trade without a bound takes any price: the bound is 99 % of a preview.
fn least(quoted: U256) -> U256 {
    quoted * U256::from(99) / U256::from(100)
}
#[tokio::main]
#[rustfmt::skip]
async fn main() -> Outcome<()> {
    slipway_contracts::prepare_http();
    let ready: Value = serde_json::from_str(&std::env::var("SLIPWAY_READY")?)?;
    let signer: PrivateKeySigner = std::env::var("SLIPWAY_PRIVATE_KEY")?.parse()?;
    let (chain, wallet) = (ready["chains"][0].clone(), signer.address());
    let provider = ProviderBuilder::new().wallet(signer.clone()).connect_http(text(&chain["rpcUrl"])?);
    let (hook, weth): (Address, Address) = (text(&chain["hook"])?, text(&chain["contracts"]["WETH9"])?);
    let client = Client { http: reqwest::Client::new(), ready, provider, wallet };

    // A logo, uploaded with a fresh captcha.
    let captcha = client.control("/captchas", json!({})).await?["token"].clone();
    let field = |name: &str, value: &str| format!("--part\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
    let mut form = field("captchaToken", captcha.as_str().unwrap_or_default()) + &field("walletAddress", &wallet.to_string());
    form += "--part\r\ncontent-disposition: form-data; name=\"file\"; filename=\"logo.png\"\r\ncontent-type: image/png\r\n\r\n";
    let body = [form.as_bytes(), include_bytes!("logo.png"), b"\r\n--part--\r\n"].concat();
    let upload = client.http.post(client.url("baseUrl", "/api/upload")).header("content-type", "multipart/form-data; boundary=part");
    let uploaded: Value = upload.body(body).send().await?.error_for_status()?.json().await?;

    // A launch whose first minute needs a captcha for each trade. Nothing is signed for a node of another chain.
    assert_eq!(chain["chainId"], client.provider.get_chain_id().await?, "the node is one of another chain");
    let capabilities = client.get(client.url("baseUrl", "/api/capabilities?chainId=57073")).await?;
    assert!(capabilities["flags"]["create"] == true && capabilities["activeCreationDeployment"]["status"] == "active", "creation is closed");
    let params = Params {
        name: "Example".into(), ticker: "EXMPL".into(), description: "made with alloy".into(), imageUrl: text(&uploaded["url"])?,
        messenger: String::new(), microblog: String::new(), website: String::new(),
        creatorFeeSplitBps: 5_000, gainBps: 50_000, targetRaise: parse_ether("1")?.to(), antiSnipeDuration: 60, startTime: 0,
    };
    let created = client.call(hook, createLaunchCall { params }, U256::ZERO).await?;
    let LaunchCreated { launchId: launch, token, .. } = created.decoded_log::<LaunchCreated>().ok_or("no launch was announced")?.data;
    let signed = client.control("/captcha-auths", json!({ "chainId": 57073, "trader": wallet, "launchId": launch.to::<u64>() })).await?;
    let auth = Auth { deadline: signed["deadline"].as_u64().ok_or("no deadline")?, nonce: text(&signed["nonce"])?, signature: text(&signed["signature"])? };
    client.buy(hook, launch, parse_ether("0.1")?, auth).await?;
    let record = client.url("baseUrl", &format!("/api/token?address={token}"));
    let (bought, shown) = (client.held(token).await?, client.get(record.clone()).await?);
    assert!(!bought.is_zero() && shown["image_url"] == uploaded["url"], "REST does not show the purchase");

    // After the window no trade needs a captcha. The last purchase fills the raise, and the launch graduates into its pool.
    client.control("/clock/advance", json!({ "seconds": 61 })).await?;
    let auth = Auth { deadline: 0, nonce: B256::ZERO, signature: Bytes::new() };
    client.call(token, approveCall { spender: hook, amount: bought }, U256::ZERO).await?;
    let sold = (bought / U256::from(2)).to();
    let payout = least(client.read(hook, previewSellCall { launchId: launch, tokenAmount: sold }).await?.netPayout);
    client.call(hook, sellCall { launchId: launch, tokenAmount: sold, minEthOut: payout, auth: auth.clone() }, U256::ZERO).await?;
    client.buy(hook, launch, parse_ether("3")?, auth).await?;
    let graduated = client.get(record).await?;
    assert!(graduated["is_graduated"] == true, "the launch did not graduate");

    // A purchase in the pool, for exactly the quoter's amount.
    let v4 = &capabilities["activeCreationDeployment"]["v4"];
    let (zero, amount) = (weth < token, parse_ether("0.01")?);
    let (currency0, currency1) = if zero { (weth, token) } else { (token, weth) };
    let key = Key { currency0, currency1, fee: "1000".parse()?, tickSpacing: "60".parse()?, hooks: text(&graduated["hook_address"])? };
    let params = Quote { poolKey: key.clone(), zeroForOne: zero, exactAmount: amount.to(), hookData: Bytes::new() };
    let quoted = client.read(text(&v4["quoter"])?, quoteExactInputSingleCall { params }).await?.amountOut;
    let swap = Swap { poolKey: key, zeroForOne: zero, amountIn: amount.to(), amountOutMinimum: quoted.to(), hookData: Bytes::new() };
    let steps: Vec<Bytes> =
        vec![swap.abi_encode().into(), (weth, amount, false).abi_encode_params().into(), (token, quoted).abi_encode_params().into()];
    let inputs = vec![(address!("0x0000000000000000000000000000000000000002"), amount).abi_encode_params().into(), (bytes!("060b0f"), steps).abi_encode_params().into()];
    let (before, now) = (client.held(token).await?, SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs());
    let execute = executeCall { commands: bytes!("0b10"), inputs, deadline: U256::from(now + 600) };
    client.call(text(&v4["universalRouter"])?, execute, amount).await?;
    assert!(client.held(token).await? - before == quoted, "the pool paid something else than was quoted");

    // A swap on the exchange, as quoted.
    let pairs = client.get(client.url("swapBaseUrl", "/api/pairs")).await?;
    let sides = |pair: &Value| Ok::<[Address; 2], Box<dyn Error>>([text(&pair["token0"]["address"])?, text(&pair["token1"]["address"])?]);
    let mut pairs = pairs.as_array().ok_or("no pairs")?.iter();
    let pair = pairs.find(|pair| pair["reserve0"] != "0" && sides(pair).is_ok_and(|sides| sides.contains(&weth)));
    let other = sides(pair.ok_or("no pair of WETH9")?)?.into_iter().find(|side| *side != weth).ok_or("no other side")?;
    let query = format!("/api/quote?tokenIn={}&tokenOut={other}&amount={amount}&slippage=50&buildTx=true&userAddress={wallet}", Address::ZERO);
    let quote = client.get(client.url("swapBaseUrl", &query)).await?;
    let (held, built) = (client.held(other).await?, &quote["transaction"]);
    let transaction = TransactionRequest::default().with_to(text(&built["to"])?).with_input(text::<Bytes>(&built["data"])?);
    client.send(transaction.with_value(text(&built["value"])?)).await?;
    assert!(client.held(other).await? - held == text::<U256>(&quote["amountOut"])?, "the exchange paid something else");

    // A message about the token, signed for one captcha.
    let captcha = client.control("/captchas", json!({})).await?["token"].clone();
    let (message, lower) = ("gm from alloy", token.to_string().to_lowercase());
    let signed = format!("Launch platform chat\nToken: {lower}\nCaptcha: {}\nMessage: {message}", captcha.as_str().unwrap_or_default());
    let signature = signer.sign_message(signed.as_bytes()).await?.to_string();
    let post = client.http.post(client.url("baseUrl", "/api/chat")).header("x-operator-key", client.ready["operatorKey"].as_str().unwrap_or_default());
    post.json(&json!({ "token": captcha, "tokenAddress": token, "message": message, "signature": signature })).send().await?.error_for_status()?;
    let chat = client.get(client.url("baseUrl", &format!("/api/chat?tokenAddress={token}"))).await?;
    assert!(chat[0]["message"] == message, "the chat does not show the message");
    Ok(writeln!(std::io::stdout(), "launched, traded and graduated {token}")?)
}
