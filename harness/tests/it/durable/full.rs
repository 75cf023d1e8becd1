//! A full disk: writes acknowledged before it is full, while it is full and once there is room again are kept, and another reader sees
//! them.
use std::io::Cursor;
use std::process::Stdio;

use image::{DynamicImage, ImageFormat, RgbImage};
use rustix::process::Signal;
use slipway_scenarios::client::message::Request;
use slipway_test_support::disk::SmallDisk;
use slipway_test_support::{Tool, need};
use sqlx::{AnyConnection, Connection as _};

use super::{Addresses, Known, wallet};
use crate::program::{Running, expect_code};
use serde_json::json;

/// Side length in pixels of an image of nearly a megabyte.
const SIDE: u32 = 550;

/// The acknowledged writes of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    images: i64,
    bearers: i64,
}

/// Writes to a platform whose store is on a small disk.
struct Writer {
    listener: Addresses,
    store: String,
    known: Vec<Known>,
    counts: Counts,
    number: usize,
}

impl Writer {
    /// Begins after a start, which kept every known write.
    async fn resume(up: &Running, store: &str, known: Vec<Known>, number: usize) -> Self {
        let listener = Addresses::of(&up.ready());
        for (place, known) in known.iter().enumerate() {
            listener.keeps(known, 900_000 + place).await;
        }
        Self { listener, store: store.to_owned(), known, counts: counts(store).await, number }
    }

    /// Makes a small write; returns whether it was acknowledged, and checks that another reader then sees it.
    async fn small(&mut self) -> bool {
        self.number += 1;
        let order = json!({ "address": wallet(self.number) });
        let token = self.listener.order("/_sim/bearers", &order, "token").await;
        self.counts.bearers += i64::from(token.is_some());
        self.seen().await;
        let is_taken = token.is_some();
        self.known.extend(token.map(Known::Bearer));
        is_taken
    }

    /// Makes a large write; returns whether it was acknowledged, and checks that another reader then sees it.
    async fn large(&mut self) -> bool {
        self.number += 1;
        let Some(captcha) = self.listener.order("/_sim/captchas", &json!({}), "token").await else {
            return false;
        };
        let answer = self.listener.upload_of(&noise(self.number), &captcha, self.number).await.unwrap();
        let is_taken = answer.status.is_success();
        assert!(is_taken || answer.status.is_server_error(), "{}", answer.excerpt());
        self.counts.images += i64::from(is_taken);
        self.seen().await;
        is_taken
    }

    /// Asserts that another reader sees exactly the acknowledged writes.
    async fn seen(&self) {
        assert_eq!(counts(&self.store).await, self.counts);
    }
}

async fn counts(store: &str) -> Counts {
    sqlx::any::install_default_drivers();
    let mut reader = AnyConnection::connect(&format!("sqlite://{store}")).await.unwrap();
    let counted =
        "SELECT (SELECT COUNT(*) FROM images), (SELECT COUNT(*) FROM facts WHERE body LIKE '%bearer%')";
    let (images, bearers) = sqlx::query_as(counted).fetch_one(&mut reader).await.unwrap();
    reader.close().await.unwrap();
    Counts { images, bearers }
}

/// An incompressible image that differs for every number.
fn noise(number: usize) -> Vec<u8> {
    let mut state = u32::try_from(number).unwrap();
    let bytes = (0..SIDE * SIDE * 3).map(|_| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_be_bytes()[0]
    });
    let image = RgbImage::from_raw(SIDE, SIDE, bytes.collect()).unwrap();
    let mut png = Cursor::new(Vec::new());
    DynamicImage::from(image).write_to(&mut png, ImageFormat::Png).unwrap();
    png.into_inner()
}

/// Fills a disk with writes and with another program, and makes room, an even and an odd number of times.
async fn keeps_what_it_acknowledges(disk: SmallDisk, end: Signal) {
    let folder = disk.path().join("state");
    let state = folder.to_str().unwrap().to_owned();
    let store = format!("{state}/store.sqlite");
    let arguments =
        ["up", "--json", "--port", "0", "--clock", "fixed", "--trust-forwarded", "--state", &state];
    let (mut known, mut before, mut number) = (Vec::new(), None, 0);
    for refusals in [2, 3] {
        let up = Running::start(&arguments, Stdio::null());
        let mut writer = Writer::resume(&up, &store, known, number).await;
        assert_eq!(*before.get_or_insert(writer.counts), writer.counts, "after a restart");
        for _ in 0..refusals {
            // Images fill it first, then another program.
            while writer.large().await {
                writer.small().await;
            }
            disk.fill();
            // The blocks that the database has already may take a few more.
            let mut more = 0..1_000;
            while writer.small().await {
                assert!(more.next().is_some(), "a full disk takes every write");
            }
            assert!(!writer.large().await);
            // A block that cannot be kept is mined by a caller: the platform says what is wrong with it.
            while writer.listener.call(0, "evm_mine", json!([])).await.is_some() {
                assert!(more.next().is_some(), "a full disk takes every block");
            }
            let ready = Request::get(&writer.listener.control, "/_sim/ready", &[]);
            let told = writer.listener.ask(ready).await.unwrap();
            assert!(told.code() == 503 && told.excerpt().contains("disk is full"), "{}", told.excerpt());
            disk.make_room();
            assert!(writer.small().await);
            assert!(writer.small().await);
        }
        Writer { known, number, .. } = writer;
        before = Some(writer.counts);
        up.signal(end);
        up.end();
    }
    assert_eq!(Some(counts(&store).await), before);
    disk.fill();
    let fresh = disk.path().join("fresh");
    for (state, reason) in [(state.as_str(), "database or disk is full"), (fresh.to_str().unwrap(), "")] {
        let refused = expect_code(&["up", "--port", "0", "--state", state], 3);
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(told.contains(state) && told.contains(reason), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_in_memory_loses_no_acknowledged_write() {
    if need(&[Tool::Mount]).is_some() {
        keeps_what_it_acknowledges(SmallDisk::tmpfs(), Signal::KILL).await;
        keeps_what_it_acknowledges(SmallDisk::tmpfs(), Signal::TERM).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn full_disk_with_small_blocks_loses_no_acknowledged_write() {
    if need(&[Tool::Mount]).is_some() {
        keeps_what_it_acknowledges(SmallDisk::ext4(), Signal::KILL).await;
        keeps_what_it_acknowledges(SmallDisk::ext4(), Signal::TERM).await;
    }
}

/// setrlimit(2), RLIMIT_FSIZE: a process that handles SIGXFSZ gets EFBIG from the write, instead of ending.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn limit_of_a_files_size_loses_no_acknowledged_write() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().to_str().unwrap();
    let store = format!("{state}/store.sqlite");
    let options = ["--clock", "fixed", "--trust-forwarded", "--state", state];
    let (mut known, mut before, mut number) = (Vec::new(), None, 0);
    for end in [Signal::KILL, Signal::TERM] {
        let up = Running::up(&options);
        let mut writer = Writer::resume(&up, &store, known, number).await;
        assert_eq!(*before.get_or_insert(writer.counts), writer.counts, "after a restart");
        for _ in 0..2 {
            assert!(writer.small().await && writer.large().await);
            up.limit_files(Some(0));
            assert!(!writer.small().await && !writer.large().await && !writer.small().await);
            up.limit_files(None);
            assert!(writer.small().await && writer.large().await);
        }
        Writer { known, number, .. } = writer;
        before = Some(writer.counts);
        up.signal(end);
        up.end();
    }
    assert_eq!(Some(counts(&store).await), before);
    let limited = format!("ulimit -f 0; exec {} up --port 0 --state {state}", env!("CARGO_BIN_EXE_slipway"));
    let refused = std::process::Command::new("sh").args(["-c", &limited]).output().unwrap();
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(3) && told.contains(state), "{told}");
}
