//! Judging every answer of a run together, after all other checks: what no single check looked at is still held.
use std::sync::Arc;

use reqwest::Method;

use super::endpoints::reads;
use crate::audit::{Audit, Seen, judge, on_every_core};
use crate::prelude::*;
use crate::reads::{LIST, OWNER};
use crate::sections::meaning;

clause! {
    SVC_FORM = "SVC-FORM" (S1, S12, S15, S26, S44, S45, S47, S70, S71, S77, S81, S82, S95, S96, S108, S134, S190, S194):
        "Every answer, to whatever request, has the form of its endpoint, and tells of tokens and quotes what the chain says.";
    check!("service-answers" [Read; Rest] answers after all:
        "judges the form and the figures of every answer that any check of the run received");
}
pub(super) async fn answers(trial: &Trial<'_>) -> Verdict {
    if trial.audit().is_some() {
        return judged(trial).await;
    }
    let world = trial.world().audited();
    judged(&trial.within(&world)).await
}

async fn judged(trial: &Trial<'_>) -> Verdict {
    let calls = trial.audit().map(Audit::calls).unwrap_or_default();
    for (request, answer) in &calls {
        judge::call(trial, request, answer)?;
    }
    judge::calls_agree(trial, &calls)?;
    if seen(trial).is_empty() {
        // Alone it has but what it reads itself.
        read_all(trial).await?;
    }
    let received = seen(trial);
    need_material(!received.is_empty(), "no service answered anything")?;
    forms(trial, &received).await?;
    meaning::tokens_told(trial, &received).await?;
    meaning::quotes_told(trial, &received).await?;
    // Answers that were read to judge the others are judged too.
    forms(trial, &seen(trial)[received.len()..]).await
}

async fn forms(trial: &Trial<'_>, seen: &[Seen]) -> Verdict {
    let judged = on_every_core(seen, |one| judge::form(trial, one));
    let Some((one, stop)) = seen.iter().zip(judged).find_map(|(one, form)| Some((one, form.err()?))) else {
        return Ok(());
    };
    // Where it is so again, the exchange that shows it is one of this check.
    if one.response.request.method == Method::GET {
        let response = Arc::new(trial.request(one.response.request.clone()).await?);
        judge::form(trial, &Seen { response, ..one.clone() })?;
    }
    Err(stop)
}

fn seen(trial: &Trial<'_>) -> Vec<Seen> {
    trial.audit().map(Audit::answers).unwrap_or_default()
}

async fn read_all(trial: &Trial<'_>) -> Verdict {
    let rest = trial.rest()?;
    let mut requests = reads(trial).await?;
    requests.push(get(rest, OWNER, &[]));
    requests.push(get(rest, LIST, &[param("sortBy", "mcap-high"), param("search", "a")]));
    requests.push(get(rest, "/api/no-such-path", &[]));
    requests.push(Request { method: Method::DELETE, ..get(rest, LIST, &[]) });
    for request in requests {
        trial.request(request).await?;
    }
    Ok(())
}
