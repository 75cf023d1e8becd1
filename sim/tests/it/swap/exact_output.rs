//! Transactions for an exact output: they contain the requested slippage.
use super::*;

/// With these reserves the router charges one unit more than the least input, and another account trades first.
#[tokio::test(flavor = "multi_thread")]
async fn exact_output_survives_a_trade_within_its_slippage() {
    let exchange = ExchangeFixture::open().await;
    let (from, to) = (exchange.token().await, exchange.token().await);
    let pair = exchange.pair_of(from, to).await;
    for (token, reserve) in [(from, 997_000_000_u64), (to, 2_000_000_000)] {
        exchange.must(token, IToken::mintCall { to: pair, amount: U256::from(reserve) }).await;
    }
    let synced = exchange.must(pair, IPair::syncCall {}).await;
    exchange
        .must(from, IToken::mintCall { to: exchange.trader, amount: U256::from(2_000_000_000_u64) })
        .await;
    exchange.must(from, IToken::approveCall { spender: exchange.router, amount: U256::MAX }).await;
    indexed(&exchange, &synced).await;

    let rest = format!("amountOut=1000000000&slippage=500&buildTx=true&userAddress={}", exchange.trader);
    let (status, quote) = exchange.quote(from, to, &rest).await;
    assert_eq!((status, &quote["amountIn"]), (200, &"1000000000".into()), "{quote}");
    let wanted = U256::from(1_000_000_000_u64);
    let charge = exchange.amounts_in(1_000_000_000, &[from, to]).await.unwrap()[0];
    assert_eq!(charge, wanted + U256::ONE, "the router charges its extra unit");

    let path = vec![from, to];
    let first = Router::swapExactTokensForTokensCall {
        amountIn: U256::from(100_000),
        amountOutMin: U256::ZERO,
        path,
        to: Address::repeat_byte(0xab),
        deadline: U256::MAX,
    };
    exchange.must(exchange.router, first).await;

    let transaction = &quote["transaction"];
    let request = TransactionRequest::default()
        .to(transaction["to"].as_str().unwrap().parse().unwrap())
        .input(transaction["data"].as_str().unwrap().parse::<Bytes>().unwrap().into());
    let receipt = exchange.send(request).await;
    assert!(receipt.status(), "{quote}");
    assert_eq!(exchange.balance(to, exchange.trader).await, wanted);
    exchange.platform.stop().await;
}
