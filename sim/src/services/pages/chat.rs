//! Messages on a token's page, and the paths through which its script posts one.
//!
//! `POST /api/chat` requires the operator's credential, which no page may have. Instead, a page of this origin gets a captcha with the text
//! to sign, has it signed by a wallet or by the node, and posts both here. This is only for browsers on this machine, which may do as much
//! through the control plane; elsewhere it would bypass the captcha that a person solves.
use std::sync::Arc;

use alloy::primitives::Address;
use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderMap;
use maud::{Markup, html};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json as value;

use super::Pages;
use super::layout::address;
use super::number::ago;
use crate::api::chat::{Message, signed_text};
use crate::api::refusal::Refusal;
use crate::services::guard::{is_of_own_page, is_to_loopback};
use crate::services::http::{Served, json};
use crate::services::input::json_body;
use crate::services::input::kinds::AccountAddress;
use crate::services::rest::chat::{BODY_LIMIT, posted};

/// Validity of a captcha: the time to sign, in seconds.
const CAPTCHA_LIFE: u64 = 300;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct UnsignedMessage {
    #[schemars(extend("x-cause" = "chat-token-address"))]
    token_address: AccountAddress,
    #[schemars(extend("x-cause" = "chat-message"))]
    message: String,
}

/// Answers a captcha, and the text with it that the sender signs.
pub(super) async fn captcha(State(pages): State<Arc<Pages>>, headers: HeaderMap, body: Body) -> Served {
    pages.takes_posts(&headers)?;
    let unsigned: UnsignedMessage = json_body(&headers, body, BODY_LIMIT).await?;
    let captcha = pages.api.mint_captcha(CAPTCHA_LIFE).await?.token;
    let text = signed_text(&format!("{:#x}", unsigned.token_address.0), &captcha, &unsigned.message);
    Ok(json(&value!({ "token": captcha, "text": text })))
}

/// Posts a signed message, like `POST /api/chat`.
pub(super) async fn post(State(pages): State<Arc<Pages>>, headers: HeaderMap, body: Body) -> Served {
    pages.takes_posts(&headers)?;
    posted(&pages.api, &headers, body).await
}

impl Pages {
    /// Whether the page in this browser can post.
    fn is_writable(&self, headers: &HeaderMap) -> bool {
        self.nodes.is_writable && is_to_loopback(headers)
    }

    /// Refuses all requests but those of this platform's pages on this machine: a script of another page cannot forge `Origin`.
    fn takes_posts(&self, headers: &HeaderMap) -> Result<(), Refusal> {
        if self.is_writable(headers) && is_of_own_page(headers) {
            return Ok(());
        }
        Err(Refusal::forbidden(
            "page-post",
            "this path accepts messages only from this platform's pages on the same machine; programs use POST /api/chat",
        ))
    }

    pub(super) fn chat(&self, token: Address, messages: &[Message], headers: &HeaderMap) -> Markup {
        let now = self.now();
        html! {
            section.chat aria-labelledby="chat-title" {
                h2 #chat-title { "Chat" }
                @if self.is_writable(headers) {
                    form #say data-token=(token) {
                        input name="message" autocomplete="off" required aria-label="Message" placeholder="Write as this account";
                        button.plain type="submit" { "Send" }
                    }
                    p #said role="status" {}
                } @else {
                    p.muted { "Messages are written on the machine of the platform, or by a client." }
                }
                div #chat data-live {
                    @if messages.is_empty() { p.muted { "No messages yet." } }
                    ol {
                        @for message in messages {
                            li { (address(message.sender)) " " span.muted { (ago(message.at, now)) } p { bdi { (message.text) } } }
                        }
                    }
                }
            }
        }
    }
}
