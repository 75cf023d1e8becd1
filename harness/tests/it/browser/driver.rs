//! A headless Chromium behind its driver, and what the tests ask of it.
use std::io::{BufRead as _, BufReader};
use std::mem::ManuallyDrop;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use slipway_contracts::toolchain::{TestTools, ToolchainOptions};
use slipway_test_support::{Tool, need};
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::{By, DesiredCapabilities, LoggingPrefsLogLevel, WebDriver};

/// How long a page may take to show something.
const PATIENCE: Duration = Duration::from_secs(20);
const PACE: Duration = Duration::from_millis(25);

/// A name that leads to this machine, as after DNS rebinding.
pub(super) const REBOUND: &str = "rebound.example";

/// The driver's process, the first of a group that its browser is in too: both end with the test, however that ends.
struct Process(Child);

impl Process {
    fn group(&self) -> Pid {
        Pid::from_child(&self.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A group that has ended already needs no end.
        _ = kill_process_group(self.group(), Signal::KILL);
        _ = self.0.wait();
    }
}

/// Whether there is a browser; the test is skipped without.
pub(super) fn can_browse() -> bool {
    need(&[Tool::Chromium, Tool::Chromedriver])
}

/// A browser with one window.
pub(super) struct Browser {
    /// Quits where a test says so only: otherwise the end of its process ends the session, at once.
    pub(super) driver: ManuallyDrop<WebDriver>,
    process: Process,
}

impl Browser {
    pub(super) async fn start() -> Self {
        slipway_contracts::prepare_http();
        let mut process = Command::new("chromedriver")
            .arg("--port=0")
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver runs");
        let output = BufReader::new(process.stdout.take().unwrap());
        let process = Process(process);
        let port = output.lines().map_while(Result::ok).find_map(|line| {
            line.split_once("started successfully on port ")
                .map(|(_, port)| port.trim_end_matches('.').to_owned())
        });
        let port = port.expect("chromedriver says on which port it listens");
        let mut wishes = DesiredCapabilities::chrome();
        for argument in [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1100,760",
        ] {
            wishes.add_arg(argument).unwrap();
        }
        wishes.add_arg(&format!("--host-resolver-rules=MAP {REBOUND} 127.0.0.1")).unwrap();
        wishes.set_browser_log_level(LoggingPrefsLogLevel::All).unwrap();
        let driver = WebDriver::new(format!("http://127.0.0.1:{port}"), wishes).await.unwrap();
        Self { driver: ManuallyDrop::new(driver), process }
    }

    /// Ends the browser; nothing may have gone wrong in any page.
    pub(super) async fn end(self) {
        self.no_error().await;
        let Self { driver, process } = self;
        ManuallyDrop::into_inner(driver).quit().await.unwrap();
        drop(process);
    }

    pub(super) async fn open(&self, url: &str) {
        self.driver.goto(url).await.unwrap();
        self.until("document.readyState === 'complete'").await;
    }

    /// Opens a page and waits until it hears of changes.
    pub(super) async fn open_live(&self, url: &str) {
        self.open(url).await;
        self.until("document.getElementById('connection').textContent === 'live'").await;
    }

    /// What an expression of JavaScript is worth in the page.
    pub(super) async fn value(&self, expression: &str) -> Value {
        let script = format!("return {expression};");
        self.driver.execute(script, Vec::new()).await.unwrap().json().clone()
    }

    pub(super) async fn text(&self, selector: &str) -> String {
        let found =
            self.value(&format!("document.querySelector({})?.textContent ?? null", json!(selector))).await;
        found.as_str().unwrap_or_else(|| panic!("the page has no {selector}")).to_owned()
    }

    /// Waits until an expression is true; answers how long that took.
    pub(super) async fn until(&self, expression: &str) -> Duration {
        let begun = Instant::now();
        while self.value(expression).await != json!(true) {
            if begun.elapsed() > PATIENCE {
                let page = self.value("document.body.innerText").await;
                panic!("never true: {expression}\n{}", page.as_str().unwrap_or_default());
            }
            tokio::time::sleep(PACE).await;
        }
        begun.elapsed()
    }

    /// Types into a field that was emptied.
    pub(super) async fn fill(&self, selector: &str, text: &str) {
        let field = self.driver.find(By::Css(selector)).await.unwrap();
        field.clear().await.unwrap();
        field.send_keys(text).await.unwrap();
    }

    /// Gives a field of any kind a value, as a script would.
    pub(super) async fn set(&self, selector: &str, value: &str) {
        let found = self
            .value(&format!("(document.querySelector({}).value = {})", json!(selector), json!(value)))
            .await;
        assert_eq!(found, value);
        let taken = self.value(&format!("document.querySelector({}).value", json!(selector))).await;
        assert_eq!(taken, value, "{selector} does not take it");
    }

    pub(super) async fn click(&self, selector: &str) {
        self.driver.find(By::Css(selector)).await.unwrap().click().await.unwrap();
    }

    /// Nothing was written to the browser's console as an error.
    pub(super) async fn no_error(&self) {
        let log = self.driver.get_log("browser").await.unwrap();
        let errors: Vec<_> = log.iter().filter(|entry| entry.level == "SEVERE").collect();
        assert!(errors.is_empty(), "{errors:?}");
    }

    /// Forgets the errors that a test provoked.
    pub(super) async fn forget_errors(&self) {
        self.driver.get_log("browser").await.unwrap();
    }

    /// Sends a command of the DevTools protocol.
    pub(super) async fn devtools(&self, method: &str, parameters: Value) {
        self.driver.cdp().send_raw(method, parameters).await.unwrap();
    }

    /// Shows pages as this wide a screen with this colour scheme would.
    pub(super) async fn screen(&self, width: u32, height: u32, scheme: &str) {
        let phone = width < 600;
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", features).await;
    }

    /// Nothing on the page violates a rule of axe-core, and nothing is wider than the screen.
    pub(super) async fn accessible(&self, axe: &str) {
        self.driver.execute(axe, Vec::new()).await.unwrap();
        let script = "const done = arguments[0]; axe.run().then((found) => done(found.violations.map(\
                      (rule) => [rule.id, rule.help, rule.nodes.map((node) => node.html)])), (error) => done([String(error)]));";
        let found = self.driver.execute_async(script, Vec::new()).await.unwrap().json().clone();
        assert_eq!(found, json!([]), "{}", self.driver.current_url().await.unwrap());
        self.until("document.documentElement.scrollWidth <= innerWidth").await;
    }

    pub(super) async fn picture(&self, path: &Path) {
        self.driver.screenshot(path).await.unwrap();
    }
}

/// The script of axe-core, as its package publishes it.
pub(super) async fn axe() -> String {
    let tools = TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
    std::fs::read_to_string(tools.node_modules().join("axe-core/axe.min.js")).unwrap()
}

/// The programs of a group of processes.
fn members(group: Pid) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.ok()?.path().join("stat")).ok()?;
        let (front, rest) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        let is_member = fields.get(2)?.parse() == Ok(group.as_raw_nonzero().get());
        (is_member && fields[0] != "Z").then(|| front.split_once('(').map(|(_, name)| name.to_owned()))?
    });
    processes.collect()
}

#[tokio::test]
async fn a_browser_that_a_test_leaves_behind_ends_with_it() {
    if !can_browse() {
        return;
    }
    let browser = Browser::start().await;
    let group = browser.process.group();
    let running = members(group);
    assert!(running.iter().any(|name| name == "chromedriver"), "{running:?}");
    assert!(running.iter().any(|name| name.starts_with("chrom") && name != "chromedriver"), "{running:?}");
    drop(browser);
    let dropped = Instant::now();
    while !members(group).is_empty() {
        assert!(dropped.elapsed() < PATIENCE, "{:?}", members(group));
        tokio::time::sleep(PACE).await;
    }
}
