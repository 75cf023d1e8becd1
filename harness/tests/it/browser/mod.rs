//! The pages, the console and the report in a real browser.
mod balances;
mod console;
mod devtools;
mod driver;
mod list;
mod looks;
mod narrow;
mod quotes;
mod report;
mod sending;
mod steady;
mod trading;
mod wallet;

use slipway_test_support::need_browser;

use self::driver::Browser;
use crate::site::Site;

/// A platform with these options, and a browser; `None` if this machine has no browser.
async fn opened(options: &[&str]) -> Option<(Site, Browser)> {
    let chromium = need_browser().await?;
    let site = Site::start(options);
    Some((site, Browser::start(&chromium).await))
}

/// Ends both; asserts that no page reported an error.
async fn ended(site: Site, browser: Browser) {
    browser.end().await;
    site.end();
}
