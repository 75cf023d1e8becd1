//! The schema, the same on both databases: every migration step, oldest first.
use std::borrow::Cow;

use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::{AnyPool, SqlSafeStr};

use super::StoreError;

/// Number, name and statements; a released step is never edited. Types are SQLite's; `BLOB` has another name on a
/// PostgreSQL server.
const STEPS: &[(i64, &str, &str)] = &[
    (
    1,
    "facts, limits, captchas, chat and images",
    "CREATE TABLE progress (
        last BIGINT NOT NULL,
        pinned BIGINT NOT NULL,
        at BIGINT NOT NULL
    );
    INSERT INTO progress (last, pinned, at) VALUES (0, 0, 0);
    CREATE TABLE facts (number BIGINT PRIMARY KEY, once TEXT UNIQUE, body TEXT NOT NULL);
    CREATE TABLE uses (rule TEXT NOT NULL, key TEXT NOT NULL, at BIGINT NOT NULL, number BIGINT NOT NULL);
    CREATE INDEX uses_by_key ON uses (rule, key, at);
    CREATE INDEX uses_by_time ON uses (rule, at);
    CREATE TABLE captchas (hash TEXT PRIMARY KEY, expires_at BIGINT NOT NULL, number BIGINT NOT NULL);
    CREATE TABLE captcha_uses (hash TEXT PRIMARY KEY, number BIGINT NOT NULL);
    CREATE TABLE messages (
        number BIGINT PRIMARY KEY,
        token TEXT NOT NULL,
        sender TEXT NOT NULL,
        body BLOB NOT NULL,
        at BIGINT NOT NULL
    );
    CREATE INDEX messages_by_token ON messages (token, number);
    CREATE TABLE images (hash TEXT PRIMARY KEY, media_type TEXT NOT NULL, body BLOB NOT NULL, number BIGINT NOT NULL);",
),
    (
        2,
        "several processes over one database",
        "ALTER TABLE progress ADD COLUMN rewinds BIGINT NOT NULL DEFAULT 0;
        ALTER TABLE progress ADD COLUMN clock TEXT;",
    ),
    (
        3,
        "what was written after a savepoint is found without reading the rest",
        "CREATE INDEX uses_by_number ON uses (number);
        CREATE INDEX captchas_by_number ON captchas (number);
        CREATE INDEX captcha_uses_by_number ON captcha_uses (number);
        CREATE INDEX images_by_number ON images (number);",
    ),
];

/// Steps for a server only. Each process there gets its own number; `last` is no longer used.
const SERVER_STEPS: &[(i64, &str, &str)] = &[(
    4,
    "writes of several processes go on side by side",
    "CREATE SEQUENCE processes;
    CREATE SEQUENCE numbers;
    SELECT setval('numbers', last) FROM progress WHERE last > 0;",
)];

/// Steps for a database of one process: a folder also keeps the chains.
const OWN_STEPS: &[(i64, &str, &str)] = &[(
    5,
    "the chains",
    "CREATE TABLE platform (body TEXT NOT NULL);
    CREATE TABLE journal (
        number BIGINT PRIMARY KEY,
        chain BIGINT NOT NULL,
        kind TEXT NOT NULL,
        once TEXT UNIQUE,
        body TEXT NOT NULL
    );",
)];

/// Applies the steps that a database lacks.
pub(super) async fn bring_up_to_date(pool: &AnyPool, server: bool) -> Result<(), StoreError> {
    let own = if server { SERVER_STEPS } else { OWN_STEPS };
    let steps = STEPS.iter().chain(own).map(|&(version, description, statements)| {
        let statements: Cow<'static, str> =
            if server { statements.replace(" BLOB ", " BYTEA ").into() } else { statements.into() };
        Migration::new(
            version,
            description.into(),
            MigrationType::Simple,
            sqlx::AssertSqlSafe(statements.into_owned()).into_sql_str(),
            false,
        )
    });
    match Migrator::with_migrations(steps.collect()).run(pool).await {
        Err(MigrateError::VersionMissing(_)) => Err(StoreError::Newer),
        done => Ok(done?),
    }
}
