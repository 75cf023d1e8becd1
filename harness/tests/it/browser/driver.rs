//! A headless Chromium, and the actions of tests in it.
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};
use slipway_contracts::toolchain::{TestTools, ToolchainOptions};
use slipway_test_support::TestBrowser;
use tempfile::TempDir;
use tokio::sync::Mutex;

use super::devtools::Session;

/// How long a page may take to show something.
const PATIENCE: Duration = Duration::from_secs(20);
const PACE: Duration = Duration::from_millis(25);

/// Resolves after the current state of the page has been painted.
pub(super) const PAINTED: &str = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(true)))))";

/// A name that resolves to this machine, as after DNS rebinding.
pub(super) const REBOUND: &str = "rebound.example";

/// The browser's process, first of its group: the whole group ends with the test, however that ends.
struct Process(Child);

impl Process {
    fn group(&self) -> Pid {
        Pid::from_child(&self.0)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // The group may have ended already.
        _ = kill_process_group(self.group(), Signal::KILL);
        _ = self.0.wait();
    }
}

#[derive(Clone, Copy)]
pub(super) enum Key {
    Tab,
    Enter,
    Space,
    Delete,
}

impl Key {
    /// Name, code, number and text of its key event.
    fn event(self) -> (&'static str, &'static str, u8, &'static str) {
        match self {
            Self::Tab => ("Tab", "Tab", 9, ""),
            Self::Enter => ("Enter", "Enter", 13, "\r"),
            Self::Space => (" ", "Space", 32, " "),
            Self::Delete => ("Delete", "Delete", 46, ""),
        }
    }
}

pub(super) struct Browser {
    page: Mutex<Session>,
    process: Process,
    /// Removed after the process has ended.
    _profile: TempDir,
}

impl Browser {
    pub(super) async fn start(chromium: &TestBrowser) -> Self {
        let profile = tempfile::tempdir().unwrap();
        let mut command = Command::new(&chromium.program);
        command.envs(chromium.variables.iter().map(|(name, value)| (name, value)));
        command.args([
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--window-size=1100,760",
            "--remote-debugging-port=0",
        ]);
        command.arg(format!("--host-resolver-rules=MAP {REBOUND} 127.0.0.1"));
        command.arg(format!("--user-data-dir={}", profile.path().display())).arg("about:blank");
        command.process_group(0).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let process = Process(command.spawn().expect("the browser starts"));
        // The browser writes its port, and the path on it, into this file.
        let file = profile.path().join("DevToolsActivePort");
        let begun = Instant::now();
        let address = loop {
            let written = std::fs::read_to_string(&file).unwrap_or_default();
            if let Some((port, path)) = written.split_once('\n').filter(|(_, path)| !path.is_empty()) {
                break format!("ws://127.0.0.1:{port}{path}");
            }
            assert!(begun.elapsed() < PATIENCE, "the browser did not start");
            tokio::time::sleep(PACE).await;
        };
        let page = Mutex::new(Session::open(&address).await);
        Self { page, process, _profile: profile }
    }

    /// Ends the browser; no page may have logged an error.
    pub(super) async fn end(self) {
        self.no_error().await;
    }

    pub(super) async fn open(&self, url: &str) {
        let mut page = self.page.lock().await;
        let went = page.call("Page.navigate", json!({ "url": url })).await;
        assert!(went["errorText"].is_null(), "{url}: {went}");
        drop(page);
        self.loaded().await;
        self.until("document.readyState === 'complete'").await;
    }

    /// Waits until no page is loading, up to the time limit of a page.
    async fn loaded(&self) {
        let begun = Instant::now();
        while self.page.lock().await.is_loading().await && begun.elapsed() < PATIENCE {
            tokio::time::sleep(PACE).await;
        }
    }

    /// Opens a page and waits until it receives updates.
    pub(super) async fn open_live(&self, url: &str) {
        self.open(url).await;
        self.until("document.getElementById('connection').textContent === 'live'").await;
    }

    /// The value of a JavaScript expression in the page; a promise is awaited.
    pub(super) async fn value(&self, expression: &str) -> Value {
        self.evaluated(&format!("({expression})")).await
    }

    /// The path of the King's page, from a page that shows him.
    pub(super) async fn king(&self) -> String {
        self.value("document.querySelector('#crowned a').pathname").await.as_str().unwrap().to_owned()
    }

    pub(super) async fn run(&self, script: &str) {
        self.evaluated(&format!("(() => {{ {script} }})()")).await;
    }

    async fn evaluated(&self, expression: &str) -> Value {
        // Earlier statements may have opened another page.
        self.loaded().await;
        let call = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let begun = Instant::now();
        loop {
            let answer = self.page.lock().await.ask("Runtime.evaluate", call.clone()).await;
            match answer {
                Ok(mut answer) => {
                    assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
                    return answer["result"]["value"].take();
                }
                // The page was replaced meanwhile.
                Err(error) => assert!(begun.elapsed() < PATIENCE, "{expression}: {error}"),
            }
            tokio::time::sleep(PACE).await;
        }
    }

    pub(super) async fn text(&self, selector: &str) -> String {
        let found =
            self.value(&format!("document.querySelector({})?.textContent ?? null", json!(selector))).await;
        found.as_str().unwrap_or_else(|| panic!("the page has no {selector}")).to_owned()
    }

    pub(super) async fn until(&self, expression: &str) {
        let begun = Instant::now();
        while self.value(expression).await != json!(true) {
            if begun.elapsed() > PATIENCE {
                let page = self.value("document.body.innerText").await;
                panic!("never true: {expression}\n{}", page.as_str().unwrap_or_default());
            }
            tokio::time::sleep(PACE).await;
        }
    }

    /// Clears a field and types into it.
    pub(super) async fn fill(&self, selector: &str, text: &str) {
        self.run(&format!(
            "const field = document.querySelector({}); field.focus(); field.select()",
            json!(selector)
        ))
        .await;
        if text.is_empty() {
            self.press(Key::Delete).await;
        } else {
            self.insert(text).await;
        }
    }

    /// Types into the element with the focus.
    pub(super) async fn insert(&self, text: &str) {
        self.devtools("Input.insertText", json!({ "text": text })).await;
    }

    /// Presses a key in the element with the focus.
    pub(super) async fn press(&self, key: Key) {
        let (name, code, number, text) = key.event();
        let mut event = json!({ "type": if text.is_empty() { "rawKeyDown" } else { "keyDown" }, "key": name,
            "code": code, "windowsVirtualKeyCode": number, "text": text });
        self.devtools("Input.dispatchKeyEvent", event.clone()).await;
        event["type"] = json!("keyUp");
        event["text"] = json!("");
        self.devtools("Input.dispatchKeyEvent", event).await;
        self.loaded().await;
    }

    /// Sets the value of a field of any kind, as a script would.
    pub(super) async fn set(&self, selector: &str, value: &str) {
        let found = self
            .value(&format!("(document.querySelector({}).value = {})", json!(selector), json!(value)))
            .await;
        assert_eq!(found, value);
        let taken = self.value(&format!("document.querySelector({}).value", json!(selector))).await;
        assert_eq!(taken, value, "{selector} does not take it");
    }

    /// Moves the pointer to the middle of an element; returns its coordinates.
    pub(super) async fn point(&self, selector: &str) -> (Value, Value) {
        let place = self
            .value(&format!(
                "(() => {{ const found = document.querySelector({}); \
                 found.scrollIntoView({{ block: 'center', inline: 'center', behavior: 'instant' }}); \
                 const {{ left, top, width, height }} = found.getClientRects()[0]; \
                 return [left + width / 2, top + height / 2]; }})()",
                json!(selector)
            ))
            .await;
        let (x, y) = (place[0].clone(), place[1].clone());
        self.devtools("Input.dispatchMouseEvent", json!({ "type": "mouseMoved", "x": x, "y": y })).await;
        (x, y)
    }

    /// Moves the pointer to the coordinates that an expression gives.
    pub(super) async fn point_at(&self, expression: &str) {
        let place = self.value(expression).await;
        let event = json!({ "type": "mouseMoved", "x": place[0], "y": place[1] });
        self.devtools("Input.dispatchMouseEvent", event).await;
    }

    /// Clicks, and waits for the page that this may open.
    pub(super) async fn click(&self, selector: &str) {
        let (x, y) = self.point(selector).await;
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.devtools("Input.dispatchMouseEvent", event).await;
        }
        self.loaded().await;
    }

    /// Asserts that no error was written to the browser's console.
    pub(super) async fn no_error(&self) {
        let errors = self.page.lock().await.errors().await;
        assert!(errors.is_empty(), "{errors:?}");
    }

    pub(super) async fn forget_errors(&self) {
        self.page.lock().await.errors().await;
    }

    /// Sends a command of the DevTools protocol.
    pub(super) async fn devtools(&self, method: &str, parameters: Value) {
        self.page.lock().await.call(method, parameters).await;
    }

    /// Shows pages as on a screen of this size with this colour scheme.
    pub(super) async fn screen(&self, width: u32, height: u32, scheme: &str) {
        let phone = width < 600;
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": phone });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.devtools("Emulation.setEmulatedMedia", features).await;
    }

    /// Asserts that nothing on the page violates a rule of axe-core or is wider than the screen.
    pub(super) async fn accessible(&self, axe: &str) {
        self.run(axe).await;
        let found = self
            .value(
                "axe.run().then(({ violations }) => violations.map((rule) => \
                    [rule.id, rule.help, rule.nodes.map((node) => node.html)]))",
            )
            .await;
        assert_eq!(found, json!([]), "{}", self.value("location.href").await);
        self.until("document.documentElement.scrollWidth <= innerWidth").await;
    }

    /// Writes a screenshot, as a PNG.
    pub(super) async fn picture(&self, path: &Path) {
        let shot = self.page.lock().await.call("Page.captureScreenshot", json!({})).await;
        std::fs::write(path, BASE64_STANDARD.decode(shot["data"].as_str().unwrap()).unwrap()).unwrap();
    }
}

/// The axe-core script from its package.
pub(super) async fn axe() -> String {
    let tools = TestTools::locate(&ToolchainOptions::from_environment(), &|_| {}).await.unwrap();
    std::fs::read_to_string(tools.node_modules().join("axe-core/axe.min.js")).unwrap()
}

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
    let Some(chromium) = slipway_test_support::need_browser().await else { return };
    let browser = Browser::start(&chromium).await;
    let group = browser.process.group();
    let running = members(group);
    assert!(running.len() > 1 && running.iter().any(|name| name.starts_with("chrom")), "{running:?}");
    drop(browser);
    let dropped = Instant::now();
    while !members(group).is_empty() {
        assert!(dropped.elapsed() < PATIENCE, "{:?}", members(group));
        tokio::time::sleep(PACE).await;
    }
}

/// The download for machines without a browser also works on this one.
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
#[tokio::test]
async fn the_pinned_browser_shows_a_page() {
    let pinned = TestBrowser::pinned(&ToolchainOptions::from_environment()).await.unwrap();
    let browser = Browser::start(&pinned).await;
    browser.open("data:text/html,<input id=x oninput='document.title=this.value'><p>text").await;
    browser.fill("#x", "typed").await;
    browser.until("document.title === 'typed'").await;
    assert_ne!(browser.value("document.querySelector('p').getBoundingClientRect().height").await, 0);
    let folder = tempfile::tempdir().unwrap();
    browser.picture(&folder.path().join("page.png")).await;
    browser.end().await;
}
