//! The whole service in process, over a handmade exchange and a chain with scripted responses.
mod steady;
mod transactions;

use alloy::primitives::{Address, B256, Bytes, U256, address};
use alloy::providers::{Provider as _, ProviderBuilder};
use alloy::sol_types::SolCall;
use alloy::transports::mock::Asserter;
use arc_swap::ArcSwap;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use serde_json::Value;
use slipway_contracts::ChainId;
use slipway_contracts::bindings::IUniswapV2Router02 as Exchange;
use tower::ServiceExt;

use super::*;
use crate::api::quote::Venue;
use crate::chain::Chain;
use crate::clock::{Clock, ClockMode};
use crate::event::{Event, EventKind, ExchangeToken};
use crate::services::openapi::tests::{is_routed, is_whole};
use crate::state;
use crate::state::exchange::ExchangeState;

const NOW: u64 = 1_772_625_600;
const WRAPPED: Address = address!("4200000000000000000000000000000000000006");
const STABLE: Address = address!("00000000000000000000000000000000000000a1");
const MEADOW: Address = address!("00000000000000000000000000000000000000a3");
const CLAY: Address = address!("00000000000000000000000000000000000000a6");
const COPPER: Address = address!("00000000000000000000000000000000000000a7");
const ROUTER: Address = address!("00000000000000000000000000000000000000f0");
const USER: Address = address!("00000000000000000000000000000000000000ee");
const COIN: u128 = 1_000_000_000_000_000_000;

struct Stand {
    api: Arc<Api>,
    /// The next responses of the chain's node.
    node: Asserter,
    exchange: Arc<ArcSwap<ExchangeState>>,
    service: Router,
}

fn event(emitter: Address, kind: EventKind) -> Event {
    Event {
        chain_id: ChainId::PRIMARY.0,
        block: 1,
        timestamp: NOW - 60,
        transaction: B256::ZERO,
        log_index: 0,
        emitter,
        kind,
    }
}

fn token(address: Address) -> ExchangeToken {
    let decimals = if address == STABLE { 6 } else { 18 };
    let symbol = format!("T{:X}", address[19]);
    ExchangeToken { address, name: format!("Token {symbol}"), symbol, decimals }
}

/// Pairs of the fixture: STABLE with WRAPPED and with MEADOW, and a pair with reserves of a few units.
fn exchange() -> ExchangeState {
    let pairs = [
        (STABLE, WRAPPED, 1_200_000_000_000, 400 * COIN),
        (STABLE, MEADOW, 500_000_000_000, 250_000 * COIN),
        (CLAY, COPPER, 997, 1_001),
    ];
    let mut state = ExchangeState::default();
    for (number, (token0, token1, reserve0, reserve1)) in (0xc0_u8..).zip(pairs) {
        let pair = Address::with_last_byte(number);
        let (token0, token1) = (token(token0), token(token1));
        state.apply(&event(Address::ZERO, EventKind::PairCreated { pair, token0, token1 }));
        state.apply(&event(pair, EventKind::Sync { reserve0, reserve1 }));
    }
    state
}

impl Stand {
    async fn new() -> Self {
        let api = Api::for_test(state::State::default(), NOW).await;
        let node = Asserter::new();
        let provider = ProviderBuilder::default().connect_mocked_client(node.clone()).erased();
        let chain = Chain::over(ChainId::PRIMARY.0, "", provider, None);
        let venue = Venue { wrapped: WRAPPED, router: ROUTER, native_price_usd: 3_000 };
        let exchange = Arc::new(ArcSwap::from_pointee(exchange()));
        let clock = Clock::starting_at(ClockMode::Manual, NOW);
        let swap_api = SwapApi::new(venue, Arc::clone(&exchange), clock, chain);
        let service = service(Arc::clone(&api), Arc::new(swap_api), "/", Elsewhere::default());
        Self { api, node, exchange, service }
    }

    /// Scripts the node's responses for one transaction: its gas, and the gas price.
    fn answers_gas(&self) {
        self.node.push_success(&"0x186a0");
        self.node.push_success(&"0x7");
    }

    async fn get(&self, target: &str) -> (StatusCode, Value) {
        let request = Request::get(target).body(Body::empty()).expect("a well-formed request");
        let response = self.service.clone().oneshot(request).await.expect("the service never fails");
        let status = response.status();
        let bytes = to_bytes(response.into_body(), usize::MAX).await.expect("a body in memory");
        (status, serde_json::from_slice(&bytes).expect("every body is JSON"))
    }

    async fn quote(&self, token_in: Address, token_out: Address, rest: &str) -> Value {
        let (status, body) = self.get(&target(token_in, token_out, rest)).await;
        assert_eq!(status, StatusCode::OK, "{body}");
        body
    }

    async fn refused(&self, target: &str) -> (u16, &'static str) {
        let (status, body) = self.get(target).await;
        assert_eq!(body["status"], status.as_u16(), "{target}: {body}");
        assert!(body["error"].is_string(), "{target}: {body}");
        let (entries, _) = self.api.requests_after(self.api.recorded().requests - 1, None);
        (status.as_u16(), entries[0].cause.expect("a refusal has a cause"))
    }
}

fn target(token_in: Address, token_out: Address, rest: &str) -> String {
    format!("/api/quote?tokenIn={token_in}&tokenOut={token_out}&{rest}")
}

fn names(path: &[Address]) -> Value {
    path.iter().map(|token| token.to_checksum(None)).collect::<Vec<_>>().into()
}

#[tokio::test]
async fn openapi_and_routes_agree() {
    let stand = Stand::new().await;
    let document = document("/");
    is_whole(&document);
    is_routed(&document, &stand.service).await;
}
