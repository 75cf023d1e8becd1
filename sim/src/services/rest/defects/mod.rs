//! Seeded defects of the REST service, applied here and nowhere else: around the whole service, before and after the real
//! handlers. While none is on, a request passes through untouched.
mod answers;
mod chat;
mod exchange;
mod featured;
mod lists;
mod referral;
mod requests;
mod table;
mod uploads;

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::api::Api;
pub(crate) use table::DEFECTS;

use exchange::{Asked, Query, Told};
use table::seeds;

/// How a defect goes about it; those for one path are asked about no other.
enum Act {
    /// Rewrites a request of a path before the handler sees it.
    Ask(&'static str, fn(&mut Asked)),
    /// Rewrites a request of a path, and the answer to it.
    Both(&'static str, fn(&mut Asked), fn(&Asked, &mut Told)),
    /// Rewrites the answer of a path.
    Tell(&'static str, fn(&Asked, &mut Told)),
    /// Rewrites the answer of a path with the help of the answer to another query on it.
    Compare(&'static str, fn(&Asked) -> Option<Query>, fn(&mut Told, &Told)),
    /// Rewrites the answer of a path by what the platform knows and the answer does not tell.
    Know(&'static str, fn(&Api, &Asked, &mut Told)),
    /// Rewrites any answer.
    Everywhere(fn(&Asked, &mut Told)),
}

/// One defect and its act.
struct Seed {
    id: &'static str,
    clauses: &'static [&'static str],
    summary: &'static str,
    act: Act,
}

/// Applies the selected defects in the order of the table.
pub(super) async fn apply(State(api): State<Arc<Api>>, request: Request, next: Next) -> Response {
    if api.defects().is_off() {
        return next.run(request).await;
    }
    let selected = api.defects().load();
    let seeds: Vec<&Seed> = seeds().filter(|seed| selected.on(seed.id)).collect();
    let mut asked = match Asked::of(request, api.clock.now()).await {
        Ok(asked) => asked,
        Err(request) => return next.run(*request).await,
    };
    let original = asked.clone();
    for seed in &seeds {
        if let Act::Ask(path, rewrite) | Act::Both(path, rewrite, _) = seed.act
            && path == asked.path
        {
            rewrite(&mut asked);
        }
    }
    let mut told = Told::of(next.clone().run(asked.request()).await).await;
    for seed in &seeds {
        match seed.act {
            Act::Tell(path, rewrite) | Act::Both(path, _, rewrite) if path == original.path => {
                rewrite(&original, &mut told);
            }
            Act::Know(path, rewrite) if path == original.path => rewrite(&api, &original, &mut told),
            Act::Everywhere(rewrite) => rewrite(&original, &mut told),
            Act::Compare(path, other, rewrite) if path == original.path => {
                if let Some(query) = other(&original) {
                    let mut second = asked.clone();
                    second.query = query;
                    let other = Told::of(next.clone().run(second.request()).await).await;
                    rewrite(&mut told, &other);
                }
            }
            Act::Tell(..) | Act::Both(..) | Act::Compare(..) | Act::Know(..) | Act::Ask(..) => {}
        }
    }
    told.response()
}
