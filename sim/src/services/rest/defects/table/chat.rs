//! Defects of `/api/chat`.
use super::super::Act::{Ask, Tell};
use super::super::{chat, requests};
use super::{Seed, seed};

const CHAT: &str = "/api/chat";

#[rustfmt::skip]
pub(super) const SEEDS: &[Seed] = &[
    seed("chat-get-any", &["CHAT-GET-REQ"], "without a token the answer is an empty array", Tell(CHAT, chat::any_token)),
    seed("chat-get-wrapped", &["CHAT-GET-ARRAY"], "the messages are wrapped in an object", Tell(CHAT, chat::wrapped)),
    seed("chat-get-time-number", &["CHAT-GET-ARRAY"], "created_at is a number", Tell(CHAT, chat::time_as_number)),
    seed("chat-get-twenty", &["CHAT-GET-PAGE"], "twenty messages are shown unless told", Ask(CHAT, chat::twenty_messages)),
    seed("chat-get-offset-late", &["CHAT-GET-PAGE"], "every page but the first begins one message too late", Ask(CHAT, requests::late_offset)),
    seed("chat-fields-coerced", &["CHAT-POST-FIELDS"], "a number is taken for text", Tell(CHAT, chat::coerced)),
    seed("chat-text-trimmed", &["CHAT-POST-OK"], "messages are read without the space around them", Tell(CHAT, chat::trimmed)),
    seed("chat-length-bytes", &["CHAT-POST-LEN"], "the length of a message is counted in bytes", Tell(CHAT, chat::length_in_bytes)),
    seed("chat-length-501", &["CHAT-POST-LEN"], "501 characters are taken", Tell(CHAT, chat::one_more)),
    seed("chat-unsigned", &["CHAT-POST-SIG"], "what is no signature is taken for nobody's", Tell(CHAT, chat::unsigned)),
    seed("chat-sender-claimed", &["CHAT-POST-SIG"], "the sender is whom the body names", Tell(CHAT, chat::claimed_sender)),
    seed("chat-captcha-again", &["CHAT-POST-CAPTCHA"], "a captcha serves as often as one likes", Tell(CHAT, chat::captcha_again)),
    seed("chat-open", &["CHAT-POST-CRED"], "anyone may post", Tell(CHAT, chat::open)),
    seed("chat-unlimited", &["CHAT-POST-RATE"], "an address speaks as often as it likes", Tell(CHAT, chat::unlimited)),
    seed("chat-retry-untold", &["CHAT-POST-RATE"], "who is refused for a limit is not told how long to wait", Tell(CHAT, chat::without_retry)),
    seed("chat-reset-late", &["CHAT-POST-RATE"], "the end of the window is told two seconds too late", Tell(CHAT, chat::late_reset)),
];
