//! Judges every answer of a run together, after all other checks: whatever no single check examined is still covered.
use std::sync::Arc;

use reqwest::Method;

use super::endpoints::reads;
use crate::answers::reads::{LIST, OWNER};
use crate::audit::judge::{self, Forms};
use crate::audit::on_every_core;
use crate::client::kept::Service::{self, Rest, Swap};
use crate::client::kept::{Audit, Seen};
use crate::model::verdict::Failure;
use crate::prelude::*;
use crate::sections::meaning::{exchange::judge_quotes, hindsight::judge_tokens};
use crate::trial::check::Run;

clause! {
    SVC_FORM = "SVC-FORM" (S1, S2, S6, S7, S12, S15, S26, S30, S34, S44, S45, S47, S70, S71, S77, S81, S82, S108, S134, S190, S194):
        "Every answer, to any request, has the form of its endpoint, and its tokens and quotes match the chain.";
    check!("service-answers" [Read; Rest] on_audit(|trial| Box::pin(judged(trial))) after all:
        "judges the form and the figures of every answer that any check of the run received");
}

clause! {
    SVC_CHOSEN = "SVC-CHOSEN" (choice S1, S28, S47, S82, S84, S92, S101, S304):
        "Every answer has the members, headers, statuses and spellings that this project chose.";
    check!("service-choices" [Read; Rest] on_audit(|trial| Box::pin(async move { compared(trial) })) after all:
        "compares every answer that any check of the run received with what this project chose");
}

/// Service, method and path of an operation; an empty text stands for any.
type Shown = (Service, &'static str);

const ANY: &[Shown] = &[(Rest, ""), (Swap, "")];
const LISTED: Shown = (Rest, "GET /api/tokens");
const OWNED: Shown = (Rest, "GET /api/tokens/by-owner");
const BATCHED: Shown = (Rest, "POST /api/tokens/batch");
const RECENTS: Shown = (Rest, "GET /api/tokens/recent-v2");
const EMPEROR: Shown = (Rest, "GET /api/eoti");
const QUOTED: Shown = (Swap, "GET /api/quote");

/// The operations that a run must have seen to cover a statement: of each inner list, one success.
const SHOWN: &[(&str, &[&[Shown]])] = &[
    ("S1", &[ANY]),
    ("S2", &[&[(Rest, "")], &[(Swap, "")]]),
    (
        "S6",
        &[
            &[LISTED],
            &[OWNED],
            &[BATCHED],
            &[RECENTS],
            &[(Rest, "GET /api/token")],
            &[(Rest, "GET /api/leaderboard")],
            &[EMPEROR],
            &[(Rest, "GET /api/koti")],
        ],
    ),
    (
        "S7",
        &[
            &[(Rest, "GET /api/chat"), (Rest, "POST /api/chat")],
            &[(Rest, "GET /api/referral/leaderboard"), (Rest, "GET /api/referral/code")],
            &[(Rest, "POST /api/upload")],
        ],
    ),
    ("S12", &[ANY]),
    ("S15", &[&[LISTED, OWNED, BATCHED, RECENTS, EMPEROR]]),
    ("S26", &[&[LISTED, OWNED, BATCHED, EMPEROR]]),
    ("S30", &[&[LISTED, BATCHED, EMPEROR]]),
    ("S34", &[&[EMPEROR]]),
    ("S44", &[&[OWNED]]),
    ("S45", &[&[OWNED]]),
    ("S47", &[&[OWNED]]),
    ("S70", &[&[(Rest, "POST /api/referral/register")]]),
    ("S71", &[&[QUOTED]]),
    ("S77", &[&[QUOTED]]),
    ("S81", &[&[QUOTED]]),
    ("S82", &[&[QUOTED]]),
    ("S108", &[&[(Rest, "")], &[(Swap, "")]]),
    ("S134", &[&[OWNED]]),
    ("S190", &[&[(Rest, "POST /api/upload")]]),
    ("S194", &[&[(Rest, "GET /api/capabilities")]]),
];

/// Returns the statements that these answers cover.
fn shown_by(seen: &[Seen]) -> impl Iterator<Item = &'static str> {
    let is_seen = |(service, operation): &Shown| {
        seen.iter().filter(|one| one.service == *service && one.response.status.is_success()).any(|one| {
            operation.is_empty() || format!("{} {}", one.response.request.method, one.path) == *operation
        })
    };
    let shown = SHOWN.iter().filter(move |(_, lists)| lists.iter().all(|list| list.iter().any(is_seen)));
    shown.map(|(statement, _)| *statement)
}

/// The clauses by which the services' answers are judged.
pub(crate) const FORMS: Forms = Forms { binding: &SVC_FORM, chosen: &SVC_CHOSEN };

/// Judges the answers of the run; a check that runs alone has only its own answers.
async fn on_audit(trial: &Trial<'_>, judge: for<'a> fn(&'a Trial<'a>) -> Run<'a>) -> Verdict {
    let own = trial.world.audited();
    let own = trial.within(&own);
    let trial = if trial.audit().is_some() { trial } else { &own };
    if seen(trial).is_empty() {
        read_all(trial).await?;
    }
    need_material(!seen(trial).is_empty(), "no service answered anything")?;
    judge(trial).await
}

/// No answer breaks a binding clause; choices are left to [`compared`].
async fn judged(trial: &Trial<'_>) -> Verdict {
    let received = seen(trial);
    trial.looks_at(shown_by(&received));
    forms(trial, &received).await?;
    judge_tokens(trial, &received).await?;
    judge_quotes(trial, &received).await?;
    // Answers that were read in order to judge the others are judged too.
    forms(trial, &seen(trial)[received.len()..]).await
}

/// Records every difference of all answers from the choices.
fn compared(trial: &Trial<'_>) -> Verdict {
    let found = on_every_core(&seen(trial), |one| judge::form(trial, FORMS, one)).into_iter().flatten();
    let found = found.chain(judge::calls(trial, FORMS)).filter(|one| !one.binding.binds_every_platform());
    found.into_iter().try_for_each(|one| trial.part::<()>(Err(one.into())).map(drop))
}

async fn forms(trial: &Trial<'_>, seen: &[Seen]) -> Verdict {
    let judged = on_every_core(seen, |one| binds(judge::form(trial, FORMS, one)));
    let Some((one, stop)) = seen.iter().zip(judged).find_map(|(one, form)| Some((one, form.err()?))) else {
        return Ok(());
    };
    // If the repeated request fails as well, the failure shows an exchange of this check.
    if one.response.request.method == Method::GET {
        let response = Arc::new(trial.request(one.response.request.clone()).await?);
        binds(judge::form(trial, FORMS, &Seen { response, ..one.clone() }))?;
    }
    Err(stop)
}

/// Fails with the first of these failures that binds every platform.
pub(crate) fn binds(found: Vec<Failure>) -> Verdict {
    let breach = found.into_iter().find(|one| one.binding.binds_every_platform());
    breach.map_or(Ok(()), |breach| Err(breach.into()))
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

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(service: Service, operation: &str) -> Seen {
        let (method, path) = operation.split_once(' ').unwrap();
        let mut request = Request::get(&"http://a".parse().unwrap(), path, &[]);
        request.method = method.parse().unwrap();
        let response = Response {
            request,
            status: reqwest::StatusCode::OK,
            headers: Default::default(),
            body: Default::default(),
            exchange: None,
        };
        Seen { service, path: path.to_owned(), response: Arc::new(response) }
    }

    #[test]
    fn only_what_answers_show_is_looked_at() {
        let stated: Vec<&str> = SHOWN.iter().map(|(statement, _)| *statement).collect();
        assert_eq!(stated, SVC_FORM.statements());
        let shown = |seen: &[Seen]| shown_by(seen).collect::<Vec<_>>();
        let reads = [seen(Rest, "GET /api/tokens"), seen(Rest, "GET /api/tokens/by-owner")];
        assert_eq!(shown(&reads), ["S1", "S12", "S15", "S26", "S30", "S44", "S45", "S47", "S134"]);
        let swap = [&reads[..1], &[seen(Swap, "GET /api/quote")]].concat();
        let of_both = ["S1", "S2", "S12", "S15", "S26", "S30", "S71", "S77", "S81", "S82", "S108"];
        assert_eq!(shown(&swap), of_both);
        let same_path = [seen(Swap, "GET /api/tokens")];
        assert_eq!(shown(&same_path), ["S1", "S12"]);
        assert!(shown(&[]).is_empty());
    }
}
