//! The store in memory and in a file.
use alloy::primitives::Address;

use super::{Backend, CaptchaRefusal, RateLimit, RateLimitStatus, Store, StoreError};
use crate::fact::Fact;

const PAIR: RateLimit = RateLimit { name: "test-pair", limit: 2, span: 60 };

fn fact(byte: u8, disabled: bool) -> Fact {
    Fact::TokenDisabled { token: Address::repeat_byte(byte), disabled }
}

async fn memory() -> Store {
    Store::open(Backend::Memory).await.unwrap()
}

fn status(remaining: u32, reset: u64) -> RateLimitStatus {
    RateLimitStatus { limit: 2, remaining, reset }
}

#[tokio::test]
async fn rolled_back_numbers_are_not_reused() {
    let store = memory().await;
    store.append(&fact(1, true), 1).await.unwrap();
    let savepoint = store.hold().await.unwrap().savepoint().await.unwrap();
    let forgotten = store.append(&fact(1, false), 9).await.unwrap();
    store.rollback_to(savepoint, 3).await.unwrap().commit().await.unwrap();
    assert_eq!(*store.latest().borrow(), 1);
    assert_eq!(store.last_time().await.unwrap(), 3);
    assert_eq!(store.facts_after(0).await.unwrap(), [(1, fact(1, true))]);
    assert!(store.append(&fact(3, true), 4).await.unwrap() > forgotten);
}

#[tokio::test]
async fn named_facts_are_unique_within_batched_writes() {
    let store = memory().await;
    let mut transaction = store.write(1).await.unwrap();
    assert_eq!(transaction.append(&fact(1, true), Some("one")).await.unwrap(), Some(1));
    assert_eq!(transaction.append(&fact(2, true), None).await.unwrap(), Some(2));
    assert_eq!(transaction.append(&fact(3, true), Some("one")).await.unwrap(), None);
    transaction.commit().await.unwrap();
    assert_eq!(*store.latest().borrow(), 2);
    let facts = [(1, fact(1, true)), (2, fact(2, true))];
    assert_eq!(store.facts_after(0).await.unwrap(), facts);
    let mut dropped = store.write(1).await.unwrap();
    dropped.append(&fact(4, true), None).await.unwrap();
    drop(dropped);
    assert_eq!(store.facts_after(0).await.unwrap(), facts);
}

#[tokio::test]
async fn sliding_window_is_per_key() {
    let store = memory().await;
    let take = async |key, now| store.take(&PAIR, key, now).await.unwrap();
    assert_eq!(take("a", 100).await, Ok(status(1, 160)));
    assert_eq!(take("a", 130).await, Ok(status(0, 160)));
    let refused = take("a", 159).await.unwrap_err();
    assert_eq!((refused.status, refused.retry_after), (status(0, 160), 1));
    assert!(take("b", 159).await.is_ok());
    assert_eq!(take("a", 160).await, Ok(status(0, 190)));
    assert!(take("a", 189).await.is_err());
    assert!(take("a", 190).await.is_ok());
}

#[tokio::test]
async fn exhausted_limit_consumes_no_other_limit() {
    let store = memory().await;
    let wide = RateLimit { name: "test-wide", limit: 3, span: 600 };
    let both = async |now| {
        let mut transaction = store.write(now).await.unwrap();
        let taken = transaction.take(&[(&PAIR, "a"), (&wide, "x")], now).await.unwrap();
        transaction.commit().await.unwrap();
        taken
    };
    assert_eq!(both(0).await, Ok(status(1, 60)));
    assert_eq!(both(0).await, Ok(status(0, 60)));
    assert_eq!(both(30).await.unwrap_err().rule, "test-pair");
    assert_eq!(both(60).await.unwrap().remaining, 0);
    let refused = both(61).await.unwrap_err();
    assert_eq!((refused.rule, refused.retry_after), ("test-wide", 539));
}

#[tokio::test]
async fn captcha_is_single_use_and_expires() {
    let store = memory().await;
    let (first, second) = (
        store.mint_captcha("secret", 100, 0).await.unwrap(),
        store.mint_captcha("secret", 100, 0).await.unwrap(),
    );
    assert_ne!(first, second);
    let spend = async |token: &str, now| {
        let mut transaction = store.write(now).await.unwrap();
        let spent = transaction.use_captcha(token, now).await.unwrap();
        transaction.commit().await.unwrap();
        spent
    };
    assert_eq!(spend("junk", 5).await, Err(CaptchaRefusal::Unknown));
    assert_eq!(spend(&first, 99).await, Ok(()));
    assert_eq!(spend(&first, 99).await, Err(CaptchaRefusal::Used));
    assert_eq!(spend(&second, 100).await, Err(CaptchaRefusal::Expired));
}

#[tokio::test]
async fn file_store_is_durable_and_exclusive() {
    let folder = tempfile::tempdir().unwrap();
    let odd = folder.path().join("a #?% name");
    let store = Store::open(Backend::Folder(&odd)).await.unwrap();
    store.append(&fact(7, true), 1).await.unwrap();
    let second = Store::open(Backend::Folder(&odd)).await;
    assert!(matches!(second, Err(StoreError::InUse(_))), "{second:?}");
    store.close().await;
    let again = Store::open(Backend::Folder(&odd)).await.unwrap();
    assert_eq!(again.facts_after(0).await.unwrap(), [(1, fact(7, true))]);
    assert_eq!(*again.latest().borrow(), 1);
}

#[tokio::test]
async fn unknown_database_scheme_is_refused() {
    let opened = Store::open(Backend::Server("mysql://host/name")).await;
    assert!(matches!(opened, Err(StoreError::Address)), "{opened:?}");
}

#[tokio::test(start_paused = true)]
async fn absent_database_server_is_reported_at_the_start() {
    let opened = Store::open(Backend::Server("postgres://127.0.0.1:1/name")).await;
    let Err(StoreError::Unreachable(reason)) = opened else { panic!("{opened:?}") };
    assert_eq!(reason, "it takes no connection within 5 s");
}

/// Refuses large images until there is room, in a database limited to `pages` pages.
async fn goes_on_when_full(store: &Store, pages: u32) {
    let image = |size| super::Image { media_type: "image/gif".into(), bytes: vec![7; size] };
    let add = async |hash: String, size| {
        let mut transaction = store.write(1).await?;
        transaction.add_image(&hash, &image(size)).await?;
        transaction.append(&fact(9, true), None).await?;
        transaction.commit().await
    };
    let limit = async |pages: u32| {
        let limit = format!("PRAGMA max_page_count = {pages}");
        sqlx::query(sqlx::AssertSqlSafe(limit)).execute(&store.pool).await.unwrap();
    };
    limit(pages).await;
    let mut kept = Vec::new();
    for number in 0..12 {
        // An odd and an even number of refusals in a row.
        for refused in 0..number % 4 {
            let error = add(format!("large {number} {refused}"), 900_000).await.unwrap_err();
            assert!(matches!(error, StoreError::Database(_)), "{error}");
        }
        let hash = format!("small {number}");
        add(hash.clone(), 100).await.unwrap();
        kept.push(hash);
    }
    limit(u32::MAX / 2).await;
    add("large".to_owned(), 900_000).await.unwrap();
    kept.push("large".to_owned());
    for hash in &kept {
        assert!(store.image(hash).await.unwrap().is_some(), "{hash}");
    }
    assert_eq!(store.facts_after(0).await.unwrap().len(), kept.len());
}

#[tokio::test]
async fn full_databases_keep_what_they_acknowledge() {
    goes_on_when_full(&memory().await, 100).await;
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(Backend::Folder(folder.path())).await.unwrap();
    goes_on_when_full(&store, 100).await;
    let kept = store.facts_after(0).await.unwrap();
    store.close().await;
    let again = Store::open(Backend::Folder(folder.path())).await.unwrap();
    assert_eq!(again.facts_after(0).await.unwrap(), kept);
}
