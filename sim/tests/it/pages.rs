//! The public pages and the console without a browser: content, headers, and refusals.
use std::time::Duration;

use alloy::primitives::{B256, U256};
use alloy::providers::Provider as _;
use reqwest::header::{ACCEPT, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, LOCATION, ORIGIN};
use reqwest::{Client, Method, Response};
use serde_json::{Value, json};
use slipway_sim::{Config, Platform};
use tokio::time::timeout;

use crate::platform::{config, get, ordered, signal_nodes, start};

/// Time limit of a page.
const PATIENCE: Duration = Duration::from_secs(20);

async fn open(platform: &Platform, method: Method, path: &str) -> Response {
    let url = format!("{}{path}", platform.ready().base_url);
    Client::new().request(method, url).send().await.unwrap()
}

/// Checks an HTML page, whose policy must permit no inline code.
async fn page(response: Response, status: u16) -> String {
    let header =
        |name| response.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let (kind, policy) = (header(CONTENT_TYPE).to_owned(), header(CONTENT_SECURITY_POLICY).to_owned());
    assert_eq!((response.status().as_u16(), kind.as_str()), (status, "text/html; charset=utf-8"));
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; style-src 'self'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    let text = response.text().await.unwrap();
    assert!(text.starts_with("<!DOCTYPE html>") && !text.contains(" style="), "{text}");
    text
}

#[tokio::test]
async fn pages_are_served_without_a_control_plane() {
    let platform = Platform::start(Config { control: false, ..config() }).await.unwrap();
    assert_eq!(platform.ready().control_url, None);
    let listed = get(&platform, "/api/tokens?sortBy=mcap-high").await;
    let first = &listed["tokens"][0];
    let (address, name) = (first["address"].as_str().unwrap(), first["name"].as_str().unwrap());
    let text = page(open(&platform, Method::GET, "/?sortBy=mcap-high").await, 200).await;
    assert!(text.contains(&format!("{} tokens", listed["totalCount"])) && text.contains(address));
    let text = page(open(&platform, Method::GET, &format!("/trade/{address}")).await, 200).await;
    assert!(text.contains(name) && text.contains("id=\"trades\""));
    assert!(text.contains("</span> · <span class=\"address\">"), "the marks and the address are apart");
    let record = get(&platform, &format!("/api/token?address={address}")).await;
    let transaction = format!("/tx/{}", record["transaction_hash"].as_str().unwrap());
    let text = page(open(&platform, Method::GET, &transaction).await, 200).await;
    assert!(text.contains("succeeded") && text.contains(address));
    for path in ["/auction", "/exchange", "/create"] {
        page(open(&platform, Method::GET, path).await, 200).await;
    }
    let unknown = format!("/trade/0x{}", "1".repeat(40));
    let nothing = format!("/tx/0x{}", "0".repeat(64));
    for (path, status) in
        [(unknown.as_str(), 404), ("/trade/me", 404), (&nothing, 404), ("/tx/1", 404), ("/?page=0", 400)]
    {
        page(open(&platform, Method::GET, path).await, status).await;
    }
    let text = page(open(&platform, Method::GET, "/?sortBy=%3Cscript%3E").await, 400).await;
    assert!(text.contains("sortBy") && text.contains("&lt;script&gt;"), "{text}");
    assert_eq!(open(&platform, Method::POST, "/").await.status(), 405);
    assert_eq!(open(&platform, Method::GET, "/assets/secret.js").await.status(), 404);
    // An open stream of events does not delay the shutdown.
    let mut events = open(&platform, Method::GET, &format!("/live?token={address}")).await;
    assert_eq!(events.headers()[CONTENT_TYPE], "text/event-stream");
    let event = events.chunk().await.unwrap().unwrap();
    assert!(event.starts_with(b"event: changed"), "{event:?}");
    let store = platform.engine().store();
    let mut message = store.write(0).await.unwrap();
    message.add_message(address.parse().unwrap(), [7; 20].into(), "hello", 0).await.unwrap();
    message.commit().await.unwrap();
    assert_eq!(events.chunk().await.unwrap().unwrap(), event);
    platform.stop().await;
    assert!(events.chunk().await.unwrap().is_none());
}

#[tokio::test]
async fn accounts_and_blocks_have_pages() {
    let platform = start().await;
    let newest = get(&platform, "/api/tokens").await["tokens"][0].clone();
    let address = newest["address"].as_str().unwrap();
    let record = get(&platform, &format!("/api/token?address={address}")).await;
    let (owner, launch) =
        (record["owner"].as_str().unwrap(), record["transaction_hash"].as_str().unwrap().parse().unwrap());
    let chain_id = record["chain_id"].as_u64().unwrap();
    let node = platform.engine().chain(chain_id).unwrap().0.provider().clone();
    let text = page(open(&platform, Method::GET, &format!("/account/{owner}")).await, 200).await;
    let ether = node.get_balance(owner.parse().unwrap()).await.unwrap();
    assert!(text.contains(&format!("value=\"{ether}\"")), "{ether} is not on the page of {owner}");
    assert!(text.contains(&format!("/trade/{address}")), "{address} is not on the page of its creator");
    let referrer = get(&platform, "/api/referral/leaderboard").await["leaderboard"][0].clone();
    let [who, code] = ["address", "referral_code"].map(|name| referrer[name].as_str().unwrap());
    let text = page(open(&platform, Method::GET, &format!("/account/{who}")).await, 200).await;
    assert!(code != who && text.contains(&format!("title=\"{code}\"")), "{referrer} {text}");
    // A contract with its name, and an account that nobody knows.
    let hook = platform.engine().chain(chain_id).unwrap().1.hook;
    let text = page(open(&platform, Method::GET, &format!("/account/{hook}")).await, 200).await;
    assert!(text.contains("<h1>Contract</h1>") && text.contains("LaunchHook"));
    let nobody = format!("/account/0x{}", "1".repeat(40));
    assert!(page(open(&platform, Method::GET, &nobody).await, 200).await.contains("<h1>Account</h1>"));
    // A node that makes a block does not respond: the rest of the page must not wait for it.
    signal_nodes(&platform, "-STOP");
    let waited = timeout(PATIENCE, open(&platform, Method::GET, &format!("/account/{owner}"))).await;
    signal_nodes(&platform, "-CONT");
    let text = page(waited.expect("the page waits a second"), 200).await;
    assert!(text.contains("The node has not answered.") && text.contains(&format!("/trade/{address}")));

    let mined = node.get_transaction_receipt(launch).await.unwrap().unwrap();
    let (number, hash) = (mined.block_number.unwrap(), mined.block_hash.unwrap());
    for path in [format!("/block/{hash}"), format!("/block/{number}?chainId={chain_id}")] {
        let text = page(open(&platform, Method::GET, &path).await, 200).await;
        for part in
            [hash.to_string(), launch.to_string(), format!("/account/{owner}"), "createLaunch".to_owned()]
        {
            assert!(text.contains(&part), "{path}: {part}");
        }
    }
    let text = page(open(&platform, Method::GET, "/block/1").await, 200).await;
    for (chain, _) in platform.engine().chains() {
        let first = chain.provider().get_block_by_number(1.into()).await.unwrap().unwrap();
        assert!(text.contains(&format!("/block/1?chainId={}", chain.id())));
        assert!(text.contains(&first.header.hash.to_string()), "{}", chain.id());
    }
    let text = page(open(&platform, Method::GET, &format!("/block/{hash}?page=2")).await, 200).await;
    assert!(text.contains("ends before this page"));
    let unmined = format!("/block/0x{}", "1".repeat(64));
    for (path, status, named) in [
        ("/account/me", 400, "40 hexadecimal digits"),
        ("/referral?address=me", 400, "40 hexadecimal digits"),
        ("/block/latest", 400, "64 hexadecimal digits"),
        ("/block/18446744073709551616", 400, "below 2⁶⁴"),
        ("/block/1?chainId=1", 400, "chainId"),
        ("/block/1?page=0", 400, "page"),
        ("/block/18446744073709551615", 404, "no chain has such a block"),
        ("/block/18446744073709551615?chainId=4663", 404, "chain 4663 has no such block"),
        (&unmined, 404, "no chain has such a block"),
    ] {
        let text = page(open(&platform, Method::GET, path).await, status).await;
        assert!(text.contains(named) && text.contains("href=\"/\""), "{path}: {text}");
    }
    platform.stop().await;
}

/// The row of a transaction in the tables of a page.
fn row<'a>(page: &'a str, hash: &Value) -> &'a str {
    let begin = format!("<tr data-transaction={hash}>");
    let (_, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("no row of {hash}: {page}"));
    rest.split_once("</tr>").unwrap().0
}

#[tokio::test]
async fn trades_are_shown_with_what_their_account_paid_and_got() {
    let platform = start().await;
    let node = platform.engine().chain(57_073).unwrap().0.provider().clone();
    let seller = platform.ready().accounts[0].address;
    let launch = json!({ "name": "Sold", "ticker": "SLD", "targetRaise": "1", "prebuy": "0.1" });
    let token = ordered(&platform, "POST /_sim/launches", launch).await["token"].clone();
    let token = token.as_str().unwrap();
    let trade = async |side: &str, amount: &str| {
        let trade = json!({ "token": token, "side": side, "amount": amount });
        ordered(&platform, "POST /_sim/trades", trade).await["transactionHash"].clone()
    };
    let (before, height) = (node.get_balance(seller).await.unwrap(), node.get_block_number().await.unwrap());
    let sold = trade("sell", "1000000.5").await;
    // What the account has more is what the sale brought, but for the gas of the approval and the sale.
    let mut got = node.get_balance(seller).await.unwrap() - before;
    let hash: B256 = sold.as_str().unwrap().parse().unwrap();
    let block = node.get_transaction_receipt(hash).await.unwrap().unwrap().block_number.unwrap();
    for number in height + 1..=block {
        let receipts = node.get_block_receipts(number.into()).await.unwrap().unwrap();
        for receipt in receipts.iter().filter(|receipt| receipt.from == seller) {
            got += U256::from(receipt.gas_used) * U256::from(receipt.effective_gas_price);
        }
    }
    let trades = format!("/trade/{token}");
    for path in [trades.clone(), format!("/account/{seller}")] {
        let text = page(open(&platform, Method::GET, &path).await, 200).await;
        let row = row(&text, &sold);
        assert!(row.contains(&format!("<data value=\"{got}\"")), "{path}: {got} {row}");
    }
    // The code that the hook delegates to counts in the hook's units.
    let text = page(open(&platform, Method::GET, &format!("/tx/{hash}")).await, 200).await;
    let delegated = text.split("<li data-depth=").find(|call| call.contains("DELEGATECALL")).unwrap();
    assert!(delegated.contains("<bdi>1,000,000.5 SLD</bdi>"), "{delegated}");
    // Behind a router the trade is that of the account, in both directions.
    ordered(&platform, &format!("POST /_sim/tokens/{token}/graduate"), json!({})).await;
    for (side, amount) in [("buy", "0.01"), ("sell", "500")] {
        let traded = trade(side, amount).await;
        let text = page(open(&platform, Method::GET, &trades).await, 200).await;
        let row = row(&text, &traded);
        assert_eq!(row.matches("/account/").count(), 1, "{side}: {row}");
        assert!(row.contains(&format!("/account/{seller}")), "{side}: {row}");
    }
    platform.stop().await;
}

#[tokio::test]
async fn a_search_leads_to_the_page_of_what_is_searched() {
    let platform = start().await;
    let token = get(&platform, "/api/tokens").await["tokens"][0].clone();
    let address = token["address"].as_str().unwrap();
    let record = get(&platform, &format!("/api/token?address={address}")).await;
    let chain_id = record["chain_id"].as_u64().unwrap();
    let launch = record["transaction_hash"].as_str().unwrap();
    let node = platform.engine().chain(chain_id).unwrap().0.provider().clone();
    let mined = node.get_transaction_receipt(launch.parse().unwrap()).await.unwrap().unwrap();
    let block = mined.block_hash.unwrap().to_string();
    let account = record["owner"].as_str().unwrap();
    let unmined = format!("0x{}", "1".repeat(64));
    let client = Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    for (text, path) in [
        (address, format!("/trade/{address}?chainId={chain_id}")),
        (account, format!("/account/{account}")),
        (launch, format!("/tx/{launch}")),
        (&block, format!("/block/{block}")),
        (&unmined, format!("/tx/{unmined}")),
        ("0", "/block/0".to_owned()),
        (" #1 ", "/block/1".to_owned()),
        ("0,1", "/block/1".to_owned()),
        ("99999999999", "/?search=99999999999".to_owned()),
        ("a&b", "/?search=a%26b".to_owned()),
    ] {
        let found = client.get(format!("{}/search", platform.ready().base_url)).query(&[("q", text)]);
        let found = found.send().await.unwrap();
        assert_eq!(found.headers()[LOCATION], path, "{text}");
    }
    platform.stop().await;
}

#[tokio::test]
async fn messages_are_taken_of_the_platforms_own_pages_only() {
    let platform = start().await;
    let own = platform.ready().base_url.trim_end_matches('/').to_owned();
    let token = get(&platform, "/api/tokens").await["tokens"][0]["address"].clone();
    let draft = json!({ "tokenAddress": token, "message": "hello" });
    let ask = |path: &str, origin: Option<&str>| {
        let mut request = Client::new().post(format!("{own}{path}")).json(&draft);
        if let Some(origin) = origin {
            request = request.header(ORIGIN, origin);
        }
        async move { request.send().await.unwrap() }
    };
    let given = ask("/chat/captchas", Some(&own)).await;
    assert_eq!(given.status(), 200);
    let given: Value = given.json().await.unwrap();
    assert!(given["text"].as_str().unwrap().contains("hello") && given["token"].is_string(), "{given}");
    let foreign = [None, Some("null"), Some("http://localhost:5173"), Some("http://page.invalid")];
    for path in ["/chat/captchas", "/chat/messages"] {
        for origin in foreign {
            let refused = ask(path, origin).await;
            assert_eq!(refused.status(), 403, "{path} {origin:?}");
            assert!(refused.text().await.unwrap().contains("pages on the same machine"), "{path} {origin:?}");
        }
    }
    platform.stop().await;
}

/// The node calls of a page's script.
fn balances(page: &str) -> Value {
    let (_, text) = page.split_once("data-balances=\"").unwrap();
    serde_json::from_str(&text.split_once('"').unwrap().0.replace("&quot;", "\"")).unwrap()
}

#[tokio::test]
async fn pages_of_tokens_ask_no_node_until_an_amount_is_typed() {
    let platform = start().await;
    let listed = get(&platform, "/api/tokens").await;
    let mut records = Vec::new();
    for token in listed["tokens"].as_array().unwrap() {
        records.push(
            get(&platform, &format!("/api/token?address={}", token["address"].as_str().unwrap())).await,
        );
    }
    let account = platform.ready().accounts[1].address.to_checksum(None);
    // A node does not respond while it makes a block either.
    signal_nodes(&platform, "-STOP");
    let mut quoted = 0;
    for token in &records {
        let text = |name: &str| token[name].as_str().unwrap();
        let path = format!("/trade/{}?side=sell&account={account}", text("address"));
        let served = timeout(PATIENCE, async { page(open(&platform, Method::GET, &path).await, 200).await });
        let served = served.await.expect("the page waits for no node");
        assert!(
            served.contains(r#"<p id="balances" role="status"></p>"#) && !served.contains("The account has")
        );
        let of = |contract: &str| {
            let data = format!("0x70a08231{:0>64}", account[2..].to_lowercase());
            json!([{ "to": contract.to_lowercase(), "data": data }, "latest"])
        };
        let quote = match token["quote_asset"].as_str() {
            None => json!({
                "symbol": "ETH", "decimals": 18, "method": "eth_getBalance", "params": [account.to_lowercase(), "latest"],
            }),
            Some(contract) => {
                quoted += 1;
                let (symbol, decimals) = (&token["quote_asset_symbol"], &token["quote_asset_decimals"]);
                json!({ "symbol": symbol, "decimals": decimals, "method": "eth_call", "params": of(contract) })
            }
        };
        let tokens = json!({
            "symbol": text("ticker"), "decimals": 18, "method": "eth_call", "params": of(text("address")),
        });
        assert_eq!(balances(&served), json!([quote, tokens]));
    }
    assert!(quoted > 0, "no token is sold for another one");
    let asked = format!("/trade/{}?amount=1", records[0]["address"].as_str().unwrap());
    let answered = timeout(Duration::from_secs(1), open(&platform, Method::GET, &asked)).await;
    assert!(answered.is_err(), "the nodes are not silent: {answered:?}");
    signal_nodes(&platform, "-CONT");
    page(open(&platform, Method::GET, &asked).await, 200).await;
    platform.stop().await;
}

#[tokio::test]
async fn console_answers_its_own_page_only() {
    let platform = start().await;
    let origin = platform.ready().control_url.clone().unwrap();
    let client = Client::new();
    let text = page(client.get(format!("{origin}/")).send().await.unwrap(), 200).await;
    let (_, token) = text.split_once("data-token=\"").unwrap();
    let token = token.split_once('"').unwrap().0;
    let advance = || client.post(format!("{origin}/_sim/clock/advance")).body("{\"seconds\": 1}");
    let refused = [
        advance().header(HOST, "rebound.example:4702"),
        advance().header(ORIGIN, "http://elsewhere.example"),
        advance().header(ORIGIN, "null").header("x-console-token", token),
        advance().header(ORIGIN, &origin),
        advance().header(ORIGIN, &origin).header("x-console-token", "guessed"),
        client.get(format!("{origin}/")).header(HOST, "rebound.example"),
    ];
    for request in refused {
        assert_eq!(request.send().await.unwrap().status(), 403);
    }
    let taken = [advance(), advance().header(ORIGIN, &origin).header("x-console-token", token)];
    for request in taken {
        assert_eq!(request.send().await.unwrap().status(), 200);
    }
    platform.stop().await;
}

#[tokio::test]
async fn browsers_get_pages_where_programs_get_json() {
    let platform = start().await;
    let (rest, swap) = (&platform.ready().base_url, &platform.ready().swap_base_url);
    let control = platform.ready().control_url.clone().unwrap();
    let client = Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
    let asked = async |url: String, accept: &str, host: Option<&str>| {
        let request = client.get(url).header(ACCEPT, accept);
        host.map_or(request.try_clone().unwrap(), |host| request.header(HOST, host)).send().await.unwrap()
    };
    for (origin, host, status) in
        [(rest, None, 404), (&control, None, 404), (&control, Some("rebound.example"), 403)]
    {
        let text = page(asked(format!("{origin}/nowhere"), browser, host).await, status).await;
        assert!(text.contains(&format!("Error {status}")) && text.contains("class=\"button\" href=\"/\""));
        for accept in ["*/*", "application/json", "application/json, text/html"] {
            let answer = asked(format!("{origin}/nowhere"), accept, host).await;
            assert_eq!(answer.status(), status);
            assert_eq!(answer.json::<Value>().await.unwrap()["status"], status, "{accept}");
        }
    }
    // The services themselves answer a browser like any other caller.
    for url in [format!("{rest}/api/tokens?page=nonsense"), format!("{swap}/nowhere")] {
        let answer = asked(url, browser, None).await;
        assert_eq!(answer.headers()[CONTENT_TYPE], "application/json");
    }
    for origin in [rest, &control] {
        let icon = asked(format!("{origin}/favicon.ico"), "image/*", None).await;
        assert_eq!(
            (icon.status().as_u16(), icon.headers()[CONTENT_TYPE].to_str().unwrap()),
            (200, "image/svg+xml")
        );
    }
    let answer = asked(format!("{rest}/console"), browser, None).await;
    assert_eq!(answer.headers()[LOCATION].to_str().unwrap().trim_end_matches('/'), control);
    platform.stop().await;
    let alone = Platform::start(Config { control: false, ..config() }).await.unwrap();
    let text = page(open(&alone, Method::GET, "/console").await, 404).await;
    assert!(text.contains("no control plane"), "{text}");
    alone.stop().await;
}
