//! Every page at four widths, light and dark, against committed pictures. One pixel of those represents a block of the screen, so that
//! other fonts change little and a moved, lost or recoloured part changes much.
//!
//! `SLIPWAY_PICTURES=1` rewrites them, and writes the whole ones into the target folder.
use std::fs;
use std::path::{Path, PathBuf};

use alloy::primitives::Address;
use image::imageops::{FilterType, resize};
use image::{DynamicImage, RgbImage, load_from_memory, open};
use serde_json::json;
use slipway_contracts::toolchain::ToolchainOptions;
use slipway_test_support::TestBrowser;

use super::driver::{Browser, PAINTED};
use super::{Site, ended};

const SCREENS: [(u32, u32); 4] = [(390, 1_688), (768, 1_536), (1_280, 1_280), (1_920, 1_280)];
/// Pixels of the screen along each side of a block.
const BLOCK: u32 = 16;
/// Largest permitted mean difference of the blocks, of 255.
const MOST_IN_THE_MEAN: u32 = 2;
/// Largest permitted number of visibly different blocks in a thousand.
const MOST_CHANGED: usize = 15;
/// A visible difference of a block, of 255.
const VISIBLE: u8 = 24;

#[tokio::test]
async fn pages_look_as_in_the_committed_pictures() {
    // With its own fonts.
    let chromium = TestBrowser::pinned(&ToolchainOptions::from_environment()).await.unwrap();
    let site = Site::start(&["--clock", "fixed", "--no-trailing-blocks"]);
    let browser = Browser::start(&chromium).await;
    browser.devtools("Emulation.setScrollbarsHidden", json!({ "hidden": true })).await;
    // The King has a history.
    browser.open(&site.page("/")).await;
    let king = browser.king().await;
    let token = king.rsplit('/').next().unwrap();
    let bought = json!({ "token": token, "side": "buy", "amount": "0.01" });
    let bought = site.order("/_sim/trades", &bought).await["transactionHash"].as_str().unwrap().to_owned();
    browser.open(&site.page("/exchange")).await;
    let asked = "document.querySelector('select[name=tokenOut]').options[3].value";
    let asked = format!("tokenIn={}&tokenOut={}&amount=0.5", Address::ZERO, text(&browser, asked).await);
    let pages = [
        ("tokens", site.page("/")),
        ("trade", site.page(&format!("{king}?side=buy&amount=0.02"))),
        ("transaction", site.page(&format!("/tx/{bought}"))),
        ("auction", site.page("/auction")),
        ("exchange", site.page(&format!("/exchange?{asked}"))),
        ("console", site.console()),
        ("documents", format!("{}docs/reference/laws", site.console())),
    ];
    let mut differ = Vec::new();
    for (page, url) in &pages {
        if *page == "documents" {
            browser.open(url).await;
        } else {
            browser.open_live(url).await;
        }
        browser.until("document.getElementById('balances')?.textContent.includes('has ') ?? true").await;
        for (width, height) in SCREENS {
            for scheme in ["light", "dark"] {
                browser.screen(width, height, scheme).await;
                browser.value(PAINTED).await;
                let name = format!("{page}-{width}-{scheme}");
                let shown = browser.screenshot().await;
                differ.extend(compared(&name, &shown).map(|why| format!("{name}: {why}")));
            }
        }
    }
    // The control: a moved or recoloured part is found.
    let (width, height) = SCREENS[2];
    browser.screen(width, height, "light").await;
    let control = committed("tokens-1280-light");
    for (change, is_found) in [
        ("document.title", false),
        ("document.querySelector('main').style.marginTop = '2rem'", true),
        ("document.documentElement.style.setProperty('--back', '#eee8d5')", true),
        ("document.querySelector('#tokens').style.visibility = 'hidden'", true),
    ] {
        browser.open_live(&pages[0].1).await;
        browser.value(change).await;
        browser.value(PAINTED).await;
        let found = difference(&small(&browser.screenshot().await), &control);
        assert_eq!(found.is_some(), is_found, "{change}: {found:?}");
    }
    ended(site, browser).await;
    assert!(differ.is_empty(), "{differ:#?}; the pictures are in {}", whole().display());
}

async fn text(browser: &Browser, expression: &str) -> String {
    browser.value(expression).await.as_str().unwrap().to_owned()
}

/// The difference from the committed picture, if that is too large.
fn compared(name: &str, shown: &[u8]) -> Option<String> {
    fs::create_dir_all(whole()).unwrap();
    fs::write(whole().join(format!("{name}.png")), shown).unwrap();
    let shown = small(shown);
    if std::env::var_os("SLIPWAY_PICTURES").is_some() {
        fs::create_dir_all(folder()).unwrap();
        shown.save(folder().join(format!("{name}.png"))).unwrap();
    }
    difference(&shown, &committed(name))
}

fn difference(shown: &RgbImage, committed: &RgbImage) -> Option<String> {
    if shown.dimensions() != committed.dimensions() {
        return Some("another size".to_owned());
    }
    let differences: Vec<u8> = shown
        .pixels()
        .zip(committed.pixels())
        .map(|(one, other)| one.0.iter().zip(other.0).map(|(one, other)| one.abs_diff(other)).max().unwrap())
        .collect();
    let sum: u32 = differences.iter().copied().map(u32::from).sum();
    let changed = differences.iter().filter(|one| **one > VISIBLE).count();
    let (mean, changed) =
        (sum / u32::try_from(differences.len()).unwrap(), changed * 1_000 / differences.len());
    (mean > MOST_IN_THE_MEAN || changed > MOST_CHANGED).then(|| {
        format!("the mean difference is {mean} of 255, and {changed} of 1,000 blocks differ visibly")
    })
}

/// A picture with one pixel per block.
fn small(png: &[u8]) -> RgbImage {
    let picture = load_from_memory(png).unwrap().into_rgb8();
    resize(&picture, picture.width() / BLOCK, picture.height() / BLOCK, FilterType::Triangle)
}

fn committed(name: &str) -> RgbImage {
    let path = folder().join(format!("{name}.png"));
    open(&path).map(DynamicImage::into_rgb8).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/browser/pictures")
}

fn whole() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("pictures")
}
