//! Folds events of the V1 factory and of its tokens' pairs. Trades on the V1 curve are handled elsewhere, like those of a launch.
use std::sync::Arc;

use crate::event::{Event, EventKind, Side};
use slipway_math::exponential;

use super::figure::saturated;
use super::token::{Launch, Pool, Token, Version};
use super::{State, ordered};

impl State {
    /// Records a new token, its graduation, and the events of its pair; other events change nothing.
    pub(super) fn apply_v1(&mut self, event: &Event) {
        match &event.kind {
            EventKind::TokenCreated { launch_id, creator, token, pair, metadata } => {
                let launch = Launch {
                    version: Version::V1,
                    hook: event.emitter,
                    launch_id: *launch_id,
                    token: *token,
                    pair: *pair,
                    creator: *creator,
                    transaction: event.transaction,
                    metadata: Arc::clone(metadata),
                    target_raise: exponential::TARGET,
                    ..Launch::default()
                };
                let index = self.tokens.len();
                Arc::make_mut(&mut self.places).by_pair.insert((event.chain_id, *pair), index);
                self.announce(event, launch);
                self.change(event, *launch_id, Token::open_v1);
            }
            EventKind::TokenGraduated { launch_id, pair, .. } => {
                self.change(event, *launch_id, |token| {
                    token.graduate(event.timestamp, Pool::Pair(*pair));
                });
            }
            EventKind::Sync { reserve0, reserve1 } => self.change_pair(event, |token, token_is_first| {
                let (tokens, quote) = ordered(token_is_first, *reserve0, *reserve1);
                token.hold(event.timestamp, quote, tokens);
            }),
            EventKind::PairSwap { amount0_in, amount1_in, amount0_out, amount1_out } => {
                self.change_pair(event, |token, token_is_first| {
                    let (tokens_in, quote_in) = ordered(token_is_first, *amount0_in, *amount1_in);
                    let (tokens_out, quote_out) = ordered(token_is_first, *amount0_out, *amount1_out);
                    let side = if tokens_out > tokens_in { Side::Buy } else { Side::Sell };
                    token.swap_in_pair(event.timestamp, side, saturated(quote_in.abs_diff(quote_out)));
                });
            }
            _ => {}
        }
    }

    /// Changes the token of a pair; unknown pairs are ignored.
    fn change_pair(&mut self, event: &Event, apply: impl FnOnce(&mut Token, bool)) {
        let Some(&index) = self.places.by_pair.get(&(event.chain_id, event.emitter)) else {
            return;
        };
        let quote = self.quote_token(&self.tokens[index]);
        let token = Arc::make_mut(&mut self.tokens[index]);
        let token_is_first = token.launch.token < quote;
        apply(token, token_is_first);
    }
}
