//! Pictures of accounts and tokens: a small pattern derived from the address, or the uploaded image of a token.
use alloy::primitives::{Address, keccak256};
use maud::{Markup, html};

use crate::api::tokens::view::TokenView;

/// Cells in each direction; the right half mirrors the left one.
const SIDE: usize = 5;

pub(super) fn account(address: Address) -> Markup {
    let (hue, cells) = pattern(address);
    html! { svg.icon viewBox="0 -.5 5 5" aria-hidden="true" { path stroke={ "hsl(" (hue) " 60% 50%)" } d=(cells) {} } }
}

/// The picture of a token: its uploaded image, or else its pattern.
pub(super) fn token(token: &TokenView) -> Markup {
    let (hue, cells) = pattern(token.launch.token);
    html! {
        @match own_image(&token.launch.metadata.image_url) {
            Some(image) => img.picture src=(image) alt="" width="32" height="32";,
            None => {
                svg.picture viewBox="-1 -1.5 7 7" aria-hidden="true" {
                    path fill={ "hsl(" (hue) " 55% 40%)" } d="M-1-1.5h7v7h-7z" {}
                    path stroke={ "hsl(" (hue) " 80% 88%)" } d=(cells) {}
                }
            }
        }
    }
}

/// The colour and the path of a pattern, which consists of lines as wide as its cells; equal addresses have equal patterns.
fn pattern(address: Address) -> (u16, String) {
    let hash = keccak256(address);
    let hue = u16::from_be_bytes([hash[0], hash[1]]) % 360;
    let is_filled = |x: usize, y: usize| hash[2 + SIDE * y + x.min(SIDE - 1 - x)] & 1 == 1;
    let row = |y: usize| {
        let filled: Vec<usize> = (0..SIDE).filter(|x| is_filled(*x, y)).collect();
        let runs = filled.chunk_by(|one, next| next - one == 1);
        runs.map(|run| format!("M{} {y}h{}", run[0], run.len())).collect::<String>()
    };
    (hue, (0..SIDE).map(row).collect())
}

/// The path of an image that was uploaded here; other images would make the browser call another server.
fn own_image(url: &str) -> Option<&str> {
    let path = &url[url.find("/cdn/")?..];
    path["/cdn/".len()..]
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
        .then_some(path)
}

#[cfg(test)]
mod tests {
    use alloy::primitives::Address;

    use super::{account, own_image, pattern};

    #[test]
    fn only_images_uploaded_here_are_shown() {
        assert_eq!(own_image("http://127.0.0.1:4700/cdn/ab12.png"), Some("/cdn/ab12.png"));
        for url in ["https://host/logo.png", "http://host/cdn/../x", "http://host/cdn/a?b", "", "/cdn/é"] {
            assert_eq!(own_image(url), None, "{url}");
        }
    }

    #[test]
    fn patterns_are_mirrored_and_differ_between_addresses() {
        let patterns: Vec<_> = (0..32).map(|byte| pattern(Address::repeat_byte(byte))).collect();
        for (place, (hue, cells)) in patterns.iter().enumerate() {
            assert!(*hue < 360 && !patterns[..place].contains(&(*hue, cells.clone())));
            for y in 0..5 {
                for (left, right) in [(0, 4), (1, 3)] {
                    let run = |from: usize, cells: usize| format!("M{from} {y}h{cells}");
                    let has = |x: usize| {
                        (0..=x).any(|from| (x - from + 1..=5).any(|count| cells.contains(&run(from, count))))
                    };
                    assert_eq!(has(left), has(right), "{cells}");
                }
            }
        }
        let again = account(Address::repeat_byte(7)).into_string();
        assert_eq!(again, account(Address::repeat_byte(7)).into_string());
        assert!(!again.contains("style"));
    }
}
