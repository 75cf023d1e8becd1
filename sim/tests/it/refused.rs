//! Transactions that fail in every way that a database knows: another connection sees every later write that was acknowledged.
use std::path::Path;

use alloy::primitives::Address;
use futures::FutureExt as _;
use slipway_sim::store::{Backend, Store, StoreError};
use slipway_test_support::database::Server;
use sqlx::{AnyConnection, Connection as _, Executor as _};

/// A sender whose messages are accepted.
const HONEST: Address = Address::ZERO;

/// Ways in which a write fails: actions of a database after a message of sender 1, 2, … is inserted.
const OF_A_FILE: [&str; 4] = [
    // SQLite rolls back by itself, as on a full disk or a read error.
    "SELECT RAISE(ROLLBACK, 'refused');",
    "SELECT RAISE(ABORT, 'refused');",
    "SELECT RAISE(FAIL, 'refused');",
    // The commit fails, and the transaction stays open.
    "INSERT INTO children VALUES (7);",
];
const OF_A_SERVER: [&str; 3] = [
    "RAISE EXCEPTION 'refused';",
    // Longer than the server's limit for a statement.
    "PERFORM pg_sleep(60);",
    "PERFORM pg_terminate_backend(pg_backend_pid());",
];

fn sender(fault: usize) -> Address {
    Address::with_last_byte(u8::try_from(fault + 1).unwrap())
}

/// Stores a message; returns its number.
async fn say(store: &Store, sender: Address) -> Result<i64, StoreError> {
    let mut transaction = store.write(1).await?;
    let said = transaction.add_message(Address::ZERO, sender, "said", 1).await?;
    transaction.commit().await?;
    Ok(said.id)
}

/// Each failure occurs an odd and an even number of times in a row, also after another one.
async fn keeps_what_it_acknowledges(store: &Store, faults: usize, reader: &mut AnyConnection) -> Vec<i64> {
    let mut acknowledged = Vec::new();
    for first in 0..faults {
        let second = (first + 1) % faults;
        for refused in [vec![first], vec![first, second], vec![first, second, first]] {
            for fault in refused {
                say(store, sender(fault)).await.unwrap_err();
            }
            for _ in 0..2 {
                acknowledged.push(seen(say(store, HONEST).await.unwrap(), reader).await);
            }
        }
    }
    acknowledged
}

/// The number of a message that another connection sees.
async fn seen(number: i64, reader: &mut AnyConnection) -> i64 {
    let (count,): (i64,) = sqlx::query_as("SELECT COUNT(*) FROM messages WHERE number = $1")
        .bind(number)
        .fetch_one(reader)
        .await
        .unwrap();
    assert_eq!(count, 1, "message {number} was acknowledged");
    number
}

async fn stored(place: Backend<'_>) -> Vec<i64> {
    let store = Store::open(place).await.unwrap();
    let mut stored: Vec<i64> =
        store.messages(Address::ZERO, 0, 10_000).await.unwrap().iter().map(|said| said.id).collect();
    stored.reverse();
    store.close().await;
    stored
}

async fn file_reader(folder: &Path) -> AnyConnection {
    let address = format!("sqlite://{}", folder.join("store.sqlite").display());
    AnyConnection::connect(&address).await.unwrap()
}

#[tokio::test]
async fn failed_transactions_of_a_file_take_nothing_back() {
    let folder = tempfile::tempdir().unwrap();
    let place = Backend::Folder(folder.path());
    let store = Store::open(place).await.unwrap();
    let mut reader = file_reader(folder.path()).await;
    let children = "CREATE TABLE parents (id INTEGER PRIMARY KEY);
        CREATE TABLE children (id INTEGER REFERENCES parents (id) DEFERRABLE INITIALLY DEFERRED);";
    reader.execute(children).await.unwrap();
    for (fault, effect) in OF_A_FILE.into_iter().enumerate() {
        let trigger = format!(
            "CREATE TRIGGER fault_{fault} AFTER INSERT ON messages WHEN NEW.sender = '{}' BEGIN {effect} END",
            sender(fault)
        );
        reader.execute(sqlx::AssertSqlSafe(trigger)).await.unwrap();
    }
    let acknowledged = keeps_what_it_acknowledges(&store, OF_A_FILE.len(), &mut reader).await;
    store.close().await;
    assert_eq!(stored(place).await, acknowledged);
}

#[tokio::test]
async fn failed_transactions_on_a_server_take_nothing_back() {
    let server = Server::start().await;
    let url = server.url();
    let place = Backend::Server(&url);
    let schema = Store::open(place).await.unwrap();
    let mut reader = AnyConnection::connect(&url).await.unwrap();
    reader.execute("ALTER ROLE slipway SET statement_timeout = '1s'").await.unwrap();
    schema.close().await;
    let mut timing = vec!["AFTER INSERT"; OF_A_SERVER.len()];
    // The same failures at the commit.
    timing.extend(["CONSTRAINT"; OF_A_SERVER.len()]);
    let effects = OF_A_SERVER.into_iter().cycle();
    for (fault, (timing, effect)) in timing.iter().zip(effects).enumerate() {
        let (kind, at) = match *timing {
            "CONSTRAINT" => ("CONSTRAINT TRIGGER", "DEFERRABLE INITIALLY DEFERRED"),
            _ => ("TRIGGER", ""),
        };
        let trigger = format!(
            "CREATE FUNCTION fault_{fault}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {effect} RETURN NULL; END $$;
            CREATE {kind} fault_{fault} AFTER INSERT ON messages {at} FOR EACH ROW WHEN (NEW.sender = '{}')
            EXECUTE FUNCTION fault_{fault}();",
            sender(fault)
        );
        sqlx::raw_sql(sqlx::AssertSqlSafe(trigger)).execute(&mut reader).await.unwrap();
    }
    let store = Store::open(place).await.unwrap();
    let acknowledged = keeps_what_it_acknowledges(&store, timing.len(), &mut reader).await;
    store.close().await;
    // A server that ends a connection during a commit may have committed; nobody was told so.
    let stored = stored(place).await;
    assert!(acknowledged.iter().all(|number| stored.contains(number)), "{acknowledged:?} {stored:?}");
}

/// If a caller goes away, its write is whole or undone, and the next one is kept.
async fn outlives_its_callers(store: &Store, reader: &mut AnyConnection) {
    for polls in 0..40 {
        let mut write = Box::pin(say(store, HONEST));
        for _ in 0..polls {
            if write.as_mut().now_or_never().is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(write);
        seen(say(store, HONEST).await.unwrap(), reader).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_without_a_caller_take_nothing_back() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(Backend::Folder(folder.path())).await.unwrap();
    outlives_its_callers(&store, &mut file_reader(folder.path()).await).await;
    store.close().await;
    let server = Server::start().await;
    let store = Store::open(Backend::Server(&server.url())).await.unwrap();
    let mut reader = AnyConnection::connect(&server.url()).await.unwrap();
    outlives_its_callers(&store, &mut reader).await;
    store.close().await;
}

/// Damages a store in each way that the next start reports, and checks the report.
#[tokio::test]
async fn lost_and_damaged_stores_are_reported() {
    type Damage = fn(&Path);
    let damages: [(Damage, &str); 5] = [
        (|file| std::fs::remove_file(file).unwrap(), "its store.sqlite is missing or empty"),
        (|file| drop(std::fs::File::create(file).unwrap()), "its store.sqlite is missing or empty"),
        (
            |file| std::fs::File::options().write(true).open(file).unwrap().set_len(20_480).unwrap(),
            "cannot be used: (code: 11) database disk image is malformed",
        ),
        (
            |file| std::fs::write(file, [7_u8; 40_000]).unwrap(),
            "cannot be used: (code: 26) file is not a database",
        ),
        (
            |file| {
                let mut bytes = std::fs::read(file).unwrap();
                // The header of every page but the first, whose header says how to read the rest.
                bytes[4_096..].chunks_mut(4_096).for_each(|page| page[..8].fill(0xff));
                std::fs::write(file, bytes).unwrap();
            },
            "cannot be used: ",
        ),
    ];
    for (place, (damage, report)) in damages.into_iter().enumerate() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(Backend::Folder(folder.path())).await.unwrap();
        say(&store, HONEST).await.unwrap();
        store.close().await;
        damage(&folder.path().join("store.sqlite"));
        let error = Store::open(Backend::Folder(folder.path())).await.unwrap_err().to_string();
        assert!(
            error.contains(report) && error.contains(folder.path().to_str().unwrap()),
            "{place}: {error}"
        );
    }
    let folder = tempfile::tempdir().unwrap();
    Store::open(Backend::Folder(folder.path())).await.unwrap().close().await;
    std::fs::remove_file(folder.path().join("store.sqlite")).unwrap();
    std::fs::remove_file(folder.path().join("store.lock")).unwrap();
    Store::open(Backend::Folder(folder.path())).await.unwrap().close().await;
}
