//! The pages, the console and the report in a real browser.
mod balances;
mod console;
mod devtools;
mod driver;
mod list;
mod looks;
mod quotes;
mod report;
mod trading;

use crate::site::Site;
