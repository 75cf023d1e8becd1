//! The pages, the console and the report in a real browser.
mod balances;
mod console;
mod devtools;
mod driver;
mod list;
mod looks;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod pictures;
mod quotes;
mod report;
mod steady;
mod trading;

use crate::site::Site;
