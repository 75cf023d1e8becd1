//! The protocol that drives a browser: calls, their answers, and the events that tests read.
use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async_with_config};

/// How long one call may take.
const CALL: Duration = Duration::from_secs(60);

pub(super) struct Session {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    session: Option<String>,
    last: u64,
    /// Whether the page is being replaced.
    loading: bool,
    /// The errors in the browser's console.
    errors: Vec<String>,
}

impl Session {
    pub(super) async fn open(address: &str) -> Self {
        // Pictures are sent whole.
        let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
        let (socket, _) = connect_async_with_config(address, Some(config), false).await.unwrap();
        let mut this = Self { socket, session: None, last: 0, loading: false, errors: Vec::new() };
        let target = this.call("Target.createTarget", json!({ "url": "about:blank" })).await;
        let attach = json!({ "targetId": target["targetId"], "flatten": true });
        let attached = this.call("Target.attachToTarget", attach).await;
        this.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log"] {
            this.call(&format!("{domain}.enable"), json!({})).await;
        }
        this.call("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })).await;
        this
    }

    /// Makes a call that must succeed.
    pub(super) async fn call(&mut self, method: &str, parameters: Value) -> Value {
        let answered = self.ask(method, parameters).await;
        answered.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Makes a call that the browser may refuse.
    pub(super) async fn ask(&mut self, method: &str, parameters: Value) -> Result<Value, String> {
        self.last += 1;
        let mut call = json!({ "id": self.last, "method": method, "params": parameters });
        if let Some(session) = &self.session {
            call["sessionId"] = json!(session);
        }
        self.socket.send(Message::text(call.to_string())).await.unwrap();
        let answer = timeout(CALL, async {
            loop {
                let message = self.socket.next().await.expect("the browser has ended").unwrap();
                let Message::Text(text) = message else { continue };
                let message: Value = serde_json::from_str(&text).unwrap();
                if message["id"] == self.last {
                    return message;
                }
                self.note(message["method"].as_str().unwrap_or_default(), &message["params"]);
            }
        });
        let mut answer = answer.await.unwrap_or_else(|_| panic!("{method} was not answered"));
        match answer["error"].take() {
            Value::Null => Ok(answer["result"].take()),
            error => Err(error.to_string()),
        }
    }

    fn note(&mut self, event: &str, parameters: &Value) {
        let is_error = match event {
            "Runtime.exceptionThrown" => true,
            "Runtime.consoleAPICalled" => parameters["type"] == "error" || parameters["type"] == "assert",
            "Log.entryAdded" => parameters["entry"]["level"] == "error",
            "Page.frameStartedLoading" | "Page.frameRequestedNavigation" => {
                self.loading = true;
                false
            }
            "Page.frameStoppedLoading" | "Page.navigatedWithinDocument" => {
                self.loading = false;
                false
            }
            _ => false,
        };
        if is_error {
            self.errors.push(parameters.to_string());
        }
    }

    /// Whether the page is being replaced by another, after the calls so far.
    pub(super) async fn is_loading(&mut self) -> bool {
        self.call("Page.getFrameTree", json!({})).await;
        self.loading
    }

    /// The errors since the last call of this function.
    pub(super) async fn errors(&mut self) -> Vec<String> {
        self.call("Page.getFrameTree", json!({})).await;
        std::mem::take(&mut self.errors)
    }
}
