//! Defects of `/api/chat`.
use super::super::{chat, requests};
use crate::http::mutation::Mutation::{Comparison, Request, Response};
use crate::http::mutation::{Row, row};

const CHAT: &str = "/api/chat";

#[rustfmt::skip]
pub(in crate::http) const ROWS: &[Row] = &[
    row!(Rest, "chat-get-any", &["CHAT-GET-REQ"], "without a token the answer is an empty array", Response(CHAT, chat::any_token)),
    row!(Rest, "chat-get-wrapped", &["CHAT-GET-ARRAY"], "the messages are wrapped in an object", Response(CHAT, chat::wrapped)),
    row!(Rest, "chat-get-time-number", &["CHAT-GET-ARRAY"], "created_at is a number", Response(CHAT, chat::time_as_number)),
    row!(Rest, "chat-get-twenty", &["CHAT-GET-PAGE"], "twenty messages are shown unless told", Request(CHAT, chat::twenty_messages)),
    row!(Rest, "chat-get-offset-late", &["CHAT-GET-PAGE"], "every page but the first begins one message too late", Request(CHAT, requests::late_offset)),
    row!(Rest, "chat-get-any-page", &["CHAT-GET-BAD"], "a limit or an offset that means nothing is passed over", Request(CHAT, requests::any_page)),
    row!(Rest, "chat-fields-coerced", &["CHAT-POST-FIELDS"], "a number is taken for text", Response(CHAT, chat::coerced)),
    row!(Rest, "chat-text-trimmed", &["CHAT-POST-OK"], "messages are read without the space around them", Response(CHAT, chat::trimmed)),
    row!(Rest, "chat-length-bytes", &["CHAT-LEN-UNIT"], "the length of a message is counted in bytes", Response(CHAT, chat::length_in_bytes)),
    row!(Rest, "chat-length-501", &["CHAT-POST-LEN"], "501 characters are taken", Response(CHAT, chat::one_more)),
    row!(Rest, "chat-unsigned", &["CHAT-POST-SIG"], "a message with a bad signature is accepted", Response(CHAT, chat::unsigned)),
    row!(Rest, "chat-sender-claimed", &["CHAT-SIG-TEXT"], "the sender is whom the body names", Response(CHAT, chat::claimed_sender)),
    row!(Rest, "chat-captcha-again", &["CHAT-POST-CAPTCHA"], "a captcha serves as often as one likes", Response(CHAT, chat::captcha_again)),
    row!(Rest, "chat-open", &["CHAT-POST-CRED"], "anyone may post", Response(CHAT, chat::open)),
    row!(Rest, "chat-bearer", &["CHAT-CRED-HEADER"], "any bearer token is taken for the credential of the operator", Response(CHAT, chat::bearer)),
    row!(Rest, "chat-unlimited", &["CHAT-POST-RATE"], "an address speaks as often as it likes", Response(CHAT, chat::unlimited)),
    row!(Rest, "chat-retry-untold", &["SVC-LIMITS"], "who is refused for a limit is not told how long to wait", Response(CHAT, chat::without_retry)),
    row!(Rest, "chat-reset-late", &["SVC-LIMITS"], "the end of the window is told two seconds too late", Response(CHAT, chat::late_reset)),
    row!(Rest, "chat-of-another-token", &["FIG-CHAT"], "messages of another token are among those of a token, as if they were its own", Comparison(CHAT, chat::another_token, chat::messages_of_another)),
];
