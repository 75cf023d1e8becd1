//! A REST service between a tool server and a real one: it records every request and answers some of them itself.
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::response::Response;
use url::Url;

use super::http::{Incoming, Listening, json, listen};
use crate::check::Inconclusive;
use crate::door::http::{Ask, Http};

/// The service; it ends with this.
#[derive(Debug)]
pub struct ServiceHost {
    listening: Listening,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    http: Http,
    real: Url,
    told: Mutex<BTreeMap<String, (u16, String)>>,
    targets: Mutex<Vec<String>>,
}

impl ServiceHost {
    /// An honest one before a real service.
    pub async fn start(http: Http, real: Url) -> Result<Self, Inconclusive> {
        let shared = Arc::new(Shared {
            http,
            real,
            told: Mutex::default(),
            targets: Mutex::default(),
        });
        let answering = Arc::clone(&shared);
        let listening = listen(move |request| {
            let shared = Arc::clone(&answering);
            Box::pin(async move { shared.answer(request).await })
        })
        .await?;
        Ok(Self { listening, shared })
    }

    /// Its origin, without a slash at the end.
    #[must_use]
    pub fn origin(&self) -> String {
        self.listening.origin.as_str().trim_end_matches('/').to_owned()
    }

    /// Answers a path with this status and body from now on.
    pub fn tell(&self, path: &str, status: u16, body: String) {
        let mut told = self.shared.told.lock().unwrap_or_else(PoisonError::into_inner);
        told.insert(path.to_owned(), (status, body));
    }

    /// Paths and queries that were asked for, in order.
    #[must_use]
    pub fn targets(&self) -> Vec<String> {
        let targets = self.shared.targets.lock().unwrap_or_else(PoisonError::into_inner);
        targets.clone()
    }
}

impl Shared {
    async fn answer(&self, request: Incoming) -> Response {
        let path = request.target.split('?').next().unwrap_or_default().to_owned();
        let told = {
            let mut targets = self.targets.lock().unwrap_or_else(PoisonError::into_inner);
            targets.push(request.target.clone());
            let told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
            told.get(&path).cloned()
        };
        match told {
            Some((status, body)) => json(status, body),
            None => self.forward(request).await,
        }
    }

    async fn forward(&self, request: Incoming) -> Response {
        let Ok(url) = self.real.join(&request.target) else {
            return json(502, "{}".into());
        };
        let ask = Ask {
            method: request.method,
            url,
            headers: vec![("content-type".into(), "application/json".into())],
            body: (!request.body.is_empty()).then(|| request.body.to_vec()),
        };
        match self.http.send(ask).await {
            Ok(answer) => Response::builder()
                .status(answer.status)
                .header("content-type", answer.header("content-type").unwrap_or_default())
                .body(Body::from(answer.body))
                .unwrap_or_default(),
            Err(_) => json(502, "{}".into()),
        }
    }
}
