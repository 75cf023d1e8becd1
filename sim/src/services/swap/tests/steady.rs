//! Quotes while blocks arrive: each quote uses a single block, never two.
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;
use slipway_math::exchange::Reserves;

const READERS: usize = 2;
const QUOTES: usize = 400;

/// The exchange after a block that multiplied the output reserves of some pairs of the route.
fn after(pairs: &[u8], times: u128) -> ExchangeState {
    let mut state = exchange();
    for pair in pairs {
        let pair = Address::with_last_byte(*pair);
        let view = state.pairs().find(|view| view.address == pair).expect("a pair of the stand");
        let Reserves { reserve0, reserve1 } = view.reserves;
        let (reserve0, reserve1) =
            if view.token1 == WRAPPED { (reserve0 * times, reserve1) } else { (reserve0, reserve1 * times) };
        state.apply(&event(pair, EventKind::Sync { reserve0, reserve1 }));
    }
    state
}

/// The body of the quote that every reader requests: over two pairs, with everything derived from reserves.
async fn body(service: &Router) -> Value {
    let target = target(WRAPPED, MEADOW, "amount=1000000000000000000&slippage=50");
    let request = Request::get(target).body(Body::empty()).expect("a well-formed request");
    let response = service.clone().oneshot(request).await.expect("the service never fails");
    assert_eq!(response.status(), StatusCode::OK);
    let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body in memory");
    serde_json::from_slice(&bytes).expect("every body is JSON")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn quotes_never_mix_two_blocks() {
    const ROUTE: [u8; 2] = [0xc0, 0xc1];
    let stand = Stand::new().await;
    let mut of = Vec::new();
    for state in [exchange(), after(&ROUTE, 3), after(&ROUTE[..1], 3), after(&ROUTE[1..], 3)] {
        stand.exchange.store(Arc::new(state));
        of.push(body(&stand.service).await);
    }
    let (whole, mixed) = of.split_at(2);
    // A quote from two blocks would be detected.
    assert_eq!(whole[0]["path"], names(&[WRAPPED, STABLE, MEADOW]));
    assert!(whole[0] != whole[1] && mixed.iter().all(|mixed| !whole.contains(mixed)));

    let done = Arc::new(AtomicBool::new(false));
    let blocks = [exchange(), after(&ROUTE, 3)].map(Arc::new);
    // Readers may start before the writer does.
    stand.exchange.store(Arc::clone(&blocks[0]));
    let writer = thread::spawn({
        let (exchange, done) = (Arc::clone(&stand.exchange), Arc::clone(&done));
        move || {
            for block in blocks.iter().cycle() {
                if done.load(Ordering::Acquire) {
                    break;
                }
                exchange.store(Arc::clone(block));
            }
        }
    });
    let readers = (0..READERS).map(|_| {
        let (service, whole) = (stand.service.clone(), whole.to_vec());
        tokio::spawn(async move {
            let mut seen = [0; 2];
            for _ in 0..QUOTES {
                let quote = body(&service).await;
                let block = whole.iter().position(|whole| *whole == quote);
                let block =
                    block.unwrap_or_else(|| panic!("a quote of no one block: {quote}, not {whole:?}"));
                seen[block] += 1;
            }
            seen
        })
    });
    let seen = futures::future::join_all(readers.collect::<Vec<_>>()).await;
    done.store(true, Ordering::Release);
    writer.join().expect("the writer ends");
    let quotes: usize =
        seen.into_iter().map(|seen| seen.expect("no reader fails").iter().sum::<usize>()).sum();
    assert_eq!(quotes, READERS * QUOTES);
}
