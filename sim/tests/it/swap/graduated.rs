//! Tokens that graduated from the V1 curve into a pair of the exchange: quoted, compared with the router, and really traded in parts and
//! back again.
use super::*;
use crate::platform::get;

const COIN: u128 = 1_000_000_000_000_000_000;
/// Input of a test's trade.
const STAKE: u128 = COIN / 10;

alloy::sol! {
    interface IWrapped {
        function deposit() external payable;
    }
}

/// The route in an answer, with the amounts at its ends.
struct QuotedRoute {
    path: Vec<Address>,
    amount_in: u128,
    amount_out: u128,
}

impl QuotedRoute {
    fn of(quote: &Value) -> Self {
        let amount = |name: &str| quote[name].as_str().unwrap().parse().unwrap();
        let path = quote["path"].as_array().unwrap().iter();
        Self {
            path: path.map(|token| token.as_str().unwrap().parse().unwrap()).collect(),
            amount_in: amount("amountIn"),
            amount_out: amount("amountOut"),
        }
    }
}

/// V1 tokens with a pair.
async fn graduated(exchange: &ExchangeFixture) -> Vec<(Address, Address)> {
    let live = get(&exchange.platform, "/api/tokens?status=live").await;
    let mut found = Vec::new();
    for row in live["tokens"].as_array().unwrap() {
        let address = row["address"].as_str().unwrap();
        let token = get(&exchange.platform, &format!("/api/token?address={address}")).await;
        if token["version"] == "v1" {
            let pair = token["pool"].as_str().unwrap().parse().unwrap();
            found.push((address.parse().unwrap(), pair));
        }
    }
    found
}

/// Executes a quote through the router's plain token trade; returns the output.
async fn trade(exchange: &ExchangeFixture, reported: &QuotedRoute) -> u128 {
    let (from, to) = (reported.path[0], *reported.path.last().unwrap());
    let approve = IToken::approveCall { spender: exchange.router, amount: U256::MAX };
    exchange.must(from, approve).await;
    let before = exchange.balance(to, exchange.trader).await;
    let call = Router::swapExactTokensForTokensCall {
        amountIn: U256::from(reported.amount_in),
        amountOutMin: U256::ZERO,
        path: reported.path.clone(),
        to: exchange.trader,
        deadline: U256::MAX,
    };
    let receipt = exchange.must(exchange.router, call).await;
    indexed(exchange, &receipt).await;
    (exchange.balance(to, exchange.trader).await - before).to()
}

/// Gets a quote and checks that the router confirms it.
async fn quoted(exchange: &ExchangeFixture, from: Address, to: Address, amount: u128) -> QuotedRoute {
    let (status, quote) = exchange.quote(from, to, &format!("amount={amount}")).await;
    assert_eq!(status, 200, "{from} {to} {amount}: {quote}");
    let reported = QuotedRoute::of(&quote);
    let paid = last(exchange.amounts_out(amount, &reported.path).await);
    assert_eq!(paid, Some(U256::from(reported.amount_out)), "{quote}");
    reported
}

#[tokio::test(flavor = "multi_thread")]
async fn graduated_v1_tokens_trade_as_quoted() {
    let exchange = ExchangeFixture::open().await;
    let wrapped = exchange.call(exchange.router, &Router::WETHCall {}).await.unwrap();
    let wrap = TransactionRequest::default()
        .to(wrapped)
        .value(U256::from(20 * STAKE))
        .input(bytes(&IWrapped::depositCall {}).into());
    let receipt = exchange.send(wrap).await;
    assert!(receipt.status(), "{receipt:?}");
    let graduated = graduated(&exchange).await;
    assert_eq!(graduated.len(), 1, "the seeded market has one such token");
    for &(token, pair) in &graduated {
        let find = IUniswapV2Factory::getPairCall { tokenA: token, tokenB: wrapped };
        assert_eq!(exchange.call(exchange.factory, &find).await, Some(pair));
        for amount in [1_000_000, COIN / 1_000, COIN, 50 * COIN] {
            quoted(&exchange, NATIVE, token, amount).await;
        }
        // An exact output for its least input, and the router's charge for it.
        let (_, exact) = exchange.quote(wrapped, token, &format!("amountOut={}", 1_000 * COIN)).await;
        let exact = QuotedRoute::of(&exact);
        let enough = last(exchange.amounts_out(exact.amount_in, &exact.path).await).unwrap();
        let short = last(exchange.amounts_out(exact.amount_in - 1, &exact.path).await).unwrap();
        assert!(enough >= U256::from(exact.amount_out) && short < U256::from(exact.amount_out));

        // Bought in two parts it yields no more than at once, and sold back it yields no more than it cost.
        let whole = quoted(&exchange, wrapped, token, STAKE).await;
        let mut came = 0;
        for part in [STAKE / 3, STAKE - STAKE / 3] {
            let reported = quoted(&exchange, wrapped, token, part).await;
            assert_eq!(reported.path, whole.path);
            assert_eq!(trade(&exchange, &reported).await, reported.amount_out);
            came += reported.amount_out;
        }
        assert!(came <= whole.amount_out, "{came} and {}", whole.amount_out);
        let back = quoted(&exchange, token, wrapped, came).await;
        assert_eq!(trade(&exchange, &back).await, back.amount_out);
        assert!(back.amount_out < STAKE, "{} of {STAKE}", back.amount_out);
    }
    exchange.platform.stop().await;
}
