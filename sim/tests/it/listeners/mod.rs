//! The listeners from a client's perspective: what HTTP allows and what hostile peers send, byte by byte.
mod bounds;
mod http_semantics;
mod wire;

use alloy::primitives::Address;
use slipway_sim::{ListenerLimits, Platform};

use crate::platform::config;
use wire::{Reply, Wire};

async fn start(limits: ListenerLimits) -> Platform {
    Platform::start(slipway_sim::Config { listener_limits: limits, ..config() }).await.unwrap()
}

/// One request on a separate connection.
async fn ask(origin: &str, line: &str, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let mut wire = Wire::to(origin).await;
    wire.request(line, headers, body).await;
    wire.answer(line.starts_with("HEAD")).await.unwrap_or_else(|| panic!("no answer to {line}"))
}

/// Checks that a refusal has the common format.
fn refused(reply: &Reply, status: u16, what: &str) {
    let body = String::from_utf8_lossy(&reply.body).into_owned();
    assert_eq!(reply.status, status, "{what}: {body}");
    assert_eq!(reply.header("content-type"), "application/json", "{what}");
    let reported = reply.json();
    assert_eq!(reported["status"], status, "{what}: {reported}");
    assert!(reported["error"].is_string(), "{what}: {reported}");
}

/// The smallest possible GIF.
pub(crate) fn gif() -> Vec<u8> {
    let gif = "47494638396101000100800000ffffff00000021f90401000000002c00000000010001000002024401003b";
    alloy::hex::decode(gif).unwrap()
}

/// A form with an image, as a wallet uploads it.
pub(crate) fn form(captcha: &str, picture: &[u8], wallet: u8) -> Vec<u8> {
    let mut body =
        b"--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.gif\"\r\n\r\n".to_vec();
    body.extend(picture);
    let wallet = Address::repeat_byte(wallet).to_string();
    for (name, value) in [("captchaToken", captcha), ("walletAddress", wallet.as_str())] {
        let part = format!("\r\n--b\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}");
        body.extend(part.into_bytes());
    }
    body.extend(b"\r\n--b--\r\n");
    body
}

pub(crate) const FORM: (&str, &str) = ("content-type", "multipart/form-data; boundary=b");
const JSON: (&str, &str) = ("content-type", "application/json");
