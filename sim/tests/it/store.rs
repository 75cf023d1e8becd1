//! The store on both databases: both give the same guarantees, also for two processes at the same time.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use alloy::primitives::Address;
use futures::future::{join_all, try_join_all};
use slipway_sim::fact::Fact;
use slipway_sim::store::{Backend, CaptchaRefusal, Image, RateLimit, Store, StoreError};
use slipway_test_support::database::Server;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::JoinSet;

const TEN: RateLimit = RateLimit { name: "test-ten", limit: 10, span: 60 };

fn fact(number: usize) -> Fact {
    Fact::TokenDisabled { token: Address::left_padding_from(&number.to_be_bytes()), disabled: true }
}

#[tokio::test]
async fn both_databases_keep_the_same_promises() {
    let memory = Store::open(Backend::Memory).await.unwrap();
    promises(&[memory]).await;
    let folder = tempfile::tempdir().unwrap();
    let file = Store::open(Backend::Folder(folder.path())).await.unwrap();
    promises(&[file]).await;
    let server = Server::start().await;
    let url = server.url();
    let opened = try_join_all((0..3).map(|_| Store::open(Backend::Server(&url)))).await.unwrap();
    promises(&opened).await;
    two_processes(&opened[0], &opened[1]).await;
}

/// Writers over one database, which write until they are stopped.
pub(crate) struct Writers {
    tasks: JoinSet<()>,
    over: Arc<AtomicBool>,
    reported: UnboundedReceiver<i64>,
    acknowledged: BTreeSet<i64>,
}

impl Writers {
    /// Starts six writers in two processes; a hundred writes are acknowledged when this returns.
    pub(crate) async fn start(url: &str) -> Self {
        let stores = try_join_all((0..2).map(|_| Store::open(Backend::Server(url)))).await.unwrap();
        let over = Arc::new(AtomicBool::new(false));
        let (tell, reported) = unbounded_channel();
        let mut tasks = JoinSet::new();
        for writer in 0..6 {
            let (store, tell, over) = (stores[writer % 2].clone(), tell.clone(), Arc::clone(&over));
            tasks.spawn(async move {
                for count in 0.. {
                    if over.load(Ordering::SeqCst) {
                        return;
                    }
                    // Nothing is guaranteed about a write that failed.
                    if let Ok(number) = store.append(&fact(writer * 1_000_000 + count), 1).await {
                        tell.send(number).unwrap();
                    }
                    tokio::task::yield_now().await;
                }
            });
        }
        let mut writers = Self { tasks, over, reported, acknowledged: BTreeSet::new() };
        for _ in 0..100 {
            writers.acknowledged.insert(writers.reported.recv().await.unwrap());
        }
        writers
    }

    /// Stops the writers; checks that every acknowledged write is there.
    pub(crate) async fn keep_everything(mut self, url: &str) {
        self.over.store(true, Ordering::SeqCst);
        while let Some(ended) = self.tasks.join_next().await {
            ended.unwrap();
        }
        while let Ok(number) = self.reported.try_recv() {
            self.acknowledged.insert(number);
        }
        let after = Store::open(Backend::Server(url)).await.unwrap();
        let kept: BTreeSet<i64> =
            after.facts_after(0).await.unwrap().iter().map(|(number, _)| *number).collect();
        assert!(kept.is_superset(&self.acknowledged), "{:?}", self.acknowledged.difference(&kept));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn database_sigkill_loses_no_acknowledged_write() {
    let mut server = Server::start().await;
    let url = server.url();
    let before = Store::open(Backend::Server(&url)).await.unwrap();
    for _ in 0..2 {
        let writers = Writers::start(&url).await;
        server.crash().await;
        writers.keep_everything(&url).await;
        // A store that was connected before reconnects to the server.
        before.append(&fact(7), 1).await.unwrap();
    }
}

/// The guarantees for any number of stores over one database.
async fn promises(stores: &[Store]) {
    captchas_serve_once(stores).await;
    limits_hold(stores).await;
    facts_have_one_order(stores).await;
    facts_that_exclude_each_other(stores).await;
    everything_goes_back(stores).await;
}

async fn captchas_serve_once(stores: &[Store]) {
    let token = stores[0].mint_captcha("secret", 100, 1).await.unwrap();
    let uses = (0..64).map(async |number: usize| {
        let mut transaction = stores[number % stores.len()].write(1).await?;
        let used = transaction.use_captcha(&token, 1).await?;
        transaction.commit().await?;
        Ok::<_, StoreError>(used)
    });
    let uses = try_join_all(uses).await.unwrap();
    let won = uses.iter().filter(|used| used.is_ok()).count();
    let lost = uses.iter().filter(|used| **used == Err(CaptchaRefusal::Used)).count();
    assert_eq!((won, lost), (1, 63));
}

async fn limits_hold(stores: &[Store]) {
    let uses = (0..64).map(|number| stores[number % stores.len()].take(&TEN, "key", 5));
    let uses = try_join_all(uses).await.unwrap();
    let left: BTreeSet<u32> = uses.iter().flatten().map(|status| status.remaining).collect();
    assert_eq!(left, (0..10).collect());
    assert_eq!(uses.iter().flatten().count(), 10);
    for (at, taken) in [(64, false), (65, true)] {
        assert_eq!(stores[0].take(&TEN, "key", at).await.unwrap().is_ok(), taken, "at {at}");
    }
}

/// A reader that continues from the last number it saw misses nothing, whatever is written meanwhile.
async fn facts_have_one_order(stores: &[Store]) {
    const FACTS: usize = 48;
    let before = stores[0].facts_after(0).await.unwrap().len();
    let append = (0..FACTS).map(async |number| {
        stores[number % stores.len()].append(&fact(number), 9).await.unwrap();
    });
    let reader = async {
        let mut seen: Vec<(i64, Fact)> = Vec::new();
        while seen.len() < before + FACTS {
            let last = seen.last().map_or(0, |(number, _)| *number);
            seen.extend(stores[0].facts_after(last).await.unwrap());
            tokio::task::yield_now().await;
        }
        seen
    };
    let (_, seen) = tokio::join!(join_all(append), reader);
    assert_eq!(seen, stores[0].facts_after(0).await.unwrap());
    let numbers: BTreeSet<i64> = seen.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers.len(), before + FACTS);
    let mut transaction = stores[0].write(9).await.unwrap();
    assert!(transaction.append(&fact(1), Some("named")).await.unwrap().is_some());
    assert!(transaction.append(&fact(2), Some("named")).await.unwrap().is_none());
    transaction.commit().await.unwrap();
}

/// Of two facts that are each stored only without the other, one is stored, however many write them at once.
async fn facts_that_exclude_each_other(stores: &[Store]) {
    for pair in 0..8 {
        let names = [format!("one {pair}"), format!("other {pair}")];
        let writes = (0..2 * stores.len()).map(async |writer| {
            let (own, other) = (&names[writer % 2], &names[1 - writer % 2]);
            let mut transaction = stores[writer / 2].write(9).await?;
            if transaction.fact(other).await?.is_some() {
                return Ok(false);
            }
            let is_stored = transaction.append(&fact(pair), Some(own)).await?.is_some();
            transaction.commit().await?;
            Ok::<_, StoreError>(is_stored)
        });
        let stored = try_join_all(writes).await.unwrap();
        assert_eq!(stored.iter().filter(|stored| **stored).count(), 1, "{stored:?}");
    }
}

async fn everything_goes_back(stores: &[Store]) {
    let store = &stores[0];
    let (token, sender) = (Address::repeat_byte(1), Address::repeat_byte(2));
    let image = Image { media_type: "image/gif".into(), bytes: (0..=255).collect() };
    let captcha = store.mint_captcha("secret", 1_000, 100).await.unwrap();
    let savepoint = store.hold().await.unwrap().savepoint().await.unwrap();
    let facts = store.facts_after(0).await.unwrap();
    for _ in 0..2 {
        let mut transaction = store.write(200).await.unwrap();
        transaction.use_captcha(&captcha, 200).await.unwrap().unwrap();
        transaction.take(&[(&TEN, "key")], 200).await.unwrap().unwrap();
        transaction.append(&fact(500), None).await.unwrap();
        let said = transaction.add_message(token, sender, "nul \0, ö and 😀", 200).await.unwrap();
        transaction.add_image("hash", &image).await.unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(store.messages(token, 0, 5).await.unwrap(), [said]);
        assert_eq!(store.image("hash").await.unwrap(), Some(image.clone()));
        store.rollback_to(savepoint, 100).await.unwrap().commit().await.unwrap();
        assert_eq!(store.facts_after(0).await.unwrap(), facts);
        assert!(store.messages(token, 0, 5).await.unwrap().is_empty());
        assert_eq!(store.image("hash").await.unwrap(), None);
    }
    // The use at 65 counts again, although it was too old when the later one was counted.
    assert_eq!(store.take(&TEN, "key", 100).await.unwrap().unwrap().remaining, 8);
    assert_eq!(store.last_time().await.unwrap(), 100);
}

/// Each process finds what the other has written.
async fn two_processes(one: &Store, other: &Store) {
    let savepoint = one.hold().await.unwrap().savepoint().await.unwrap();
    let before = other.progress().await.unwrap();
    let number = one.append(&fact(900), 300).await.unwrap();
    assert_eq!(other.progress().await.unwrap().latest_fact, number);
    let rollbacks = one.rollback_to(savepoint, 300).await.unwrap().commit().await.unwrap();
    one.publish_clock("fixed 77", 77).await.unwrap();
    let after = other.progress().await.unwrap();
    assert_eq!((after.latest_fact, after.rollbacks), (before.latest_fact, before.rollbacks + 1));
    assert_eq!((after.rollbacks, after.clock.as_deref()), (rollbacks, Some("fixed 77")));
}

/// The stores of released versions, as SQL: they could not be opened if a released schema step had been edited.
#[tokio::test]
async fn stores_of_released_versions_are_opened() {
    let texts = [include_str!("../previous/0.1.0.sql")];
    sqlx::any::install_default_drivers();
    for text in texts {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("sqlite://{}?mode=rwc", folder.path().join("store.sqlite").display());
        let pool = sqlx::AnyPool::connect(&address).await.unwrap();
        sqlx::raw_sql(text).execute(&pool).await.unwrap();
        pool.close().await;

        let store = Store::open(Backend::Folder(folder.path())).await.unwrap();
        let facts = store.facts_after(0).await.unwrap();
        assert_eq!(facts.len(), 23);
        let (number, last) = facts.last().unwrap();
        assert!(*number == 24 && matches!(last, Fact::Referred { .. }), "{last:?}");
        assert_eq!(store.last_time().await.unwrap(), 1_772_625_600);
        store.append(&fact(1), 1_772_625_601).await.unwrap();
        store.close().await;
    }
}
