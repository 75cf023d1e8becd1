//! `/api/referral`: who may ask, codes, registrations, stats, the leaderboard, rewards, and the limits of each.
mod access;
mod limits;
mod programme;
mod rewards;

use alloy::primitives::Address;
use serde_json::{Value, json};

use crate::check::{Check, Lane, Need, Verdict};
use crate::client::account::Account;
use crate::client::control::Control;
use crate::client::http::{Answer, Ask};
use crate::expect::figure::Figure;
use crate::expect::{failure, holds, ok_json, refusal, status};
use crate::reads::{get, param};
use crate::world::World;

const CODE: &str = "/api/referral/code";
const STATS: &str = "/api/referral/stats";
const REGISTER: &str = "/api/referral/register";
const BOARD: &str = "/api/referral/leaderboard";
/// The periods, from the shortest to the longest.
const PERIODS: [&str; 4] = ["24h", "7d", "30d", "all"];

const CONTROLLED: &[Need] = &[Need::Rest, Need::Control];
const TRADING: &[Need] = &[Need::Rest, Need::Control, Need::PrimaryChain, Need::Accounts];

/// The limits count by the minute and by the caller, so that each of these runs alone.
macro_rules! checks {
    ($($id:literal $clauses:expr, $needs:expr, $run:expr, $summary:literal;)*) => {
        pub(crate) const CHECKS: &[Check] = &[$(Check {
            id: $id,
            clauses: $clauses,
            summary: $summary,
            lane: Lane::Exclusive,
            needs: $needs,
            run: |world| Box::pin($run(world)),
        }),*];
    };
}

checks! {
    "referral-access" &["REF-AUTH"], CONTROLLED, access::refused_and_taken, "shows no credential, wrong ones, a bearer token and signatures of every age";
    "referral-code-once" &["REF-CODE"], CONTROLLED, programme::code_is_made_once, "asks for the codes of two wallets again and later";
    "referral-code-limit" &["REF-CODE-RATE"], CONTROLLED, limits::of_codes, "walks ten requests of a wallet to their edge and past the minute";
    "referral-read-limit" &["REF-READ-RATE"], CONTROLLED, limits::of_reads, "walks thirty reads of stats and of the leaderboard";
    "referral-register-limit" &["REF-REG-RATE"], CONTROLLED, limits::of_registrations, "walks five registrations";
    "referral-stats-sums" &["REF-STATS"], CONTROLLED, programme::stats_add_up, "adds up the stats of the best referrers for each period";
    "referral-stats-address" &["REF-STATS-ADDR"], CONTROLLED, programme::stats_by_address, "reads the same stats by address and by credential";
    "referral-register" &["REF-REG"], CONTROLLED, programme::registration, "registers with a code and an address, and tries what must not pass";
    "referral-leaderboard" &["REF-LEAD"], CONTROLLED, programme::leaderboard, "compares each period's ranks with the stats of the ranked";
    "referral-reward-buy" &["REF-REWARD-BUY"], TRADING, rewards::buys, "buys as a registered wallet and by a code, and counts the points to the wei";
    "referral-reward-sell" &["REF-REWARD-SELL"], TRADING, rewards::sales, "sells as a registered wallet and counts the points to the wei";
    "referral-reward-create" &["REF-REWARD-CREATE"], TRADING, rewards::creations, "launches by a code and as a registered wallet";
    "referral-reward-milestone" &["REF-REWARD-MILESTONE"], TRADING, rewards::milestones, "lets another wallet fill the curve of a referral";
}

/// The programme through the doors of a world, for one clause.
struct Programme<'a> {
    world: &'a World,
    control: Control,
    clause: &'static str,
}

impl<'a> Programme<'a> {
    fn open(world: &'a World, clause: &'static str) -> Verdict<Self> {
        Ok(Self { world, control: world.control()?, clause })
    }

    /// The header of a bearer token of a wallet.
    async fn bearer(&self, wallet: Address) -> Verdict<String> {
        Ok(format!("Bearer {}", self.control.bearer(wallet).await?))
    }

    /// A GET as somebody, sent whatever the limits say.
    async fn read_as(&self, path: &str, header: Option<&str>) -> Verdict<Answer> {
        let ask = get(self.world.rest()?, path, &[]);
        let ask = match header {
            Some(header) => ask.header("authorization", header),
            None => ask,
        };
        Ok(self.world.http().send(ask).await?)
    }

    /// The code of a wallet.
    async fn code(&self, wallet: Address) -> Verdict<(Answer, Value)> {
        let header = self.bearer(wallet).await?;
        let answer = self.read_as(CODE, Some(&header)).await?;
        let body = ok_json(self.clause, &answer)?;
        Ok((answer, body))
    }

    /// The text of a wallet's code.
    async fn code_text(&self, wallet: Address) -> Verdict<String> {
        let (answer, body) = self.code(wallet).await?;
        let code = body["code"].as_str().filter(|code| !code.is_empty());
        code.map(str::to_owned).ok_or_else(|| failure(self.clause, &answer, "a code", answer.excerpt()))
    }

    /// The stats of a wallet, by its address; the minute is let pass first, because this counts.
    async fn stats(&self, wallet: Address, period: &str) -> Verdict<(Answer, Value)> {
        let query = [param("address", wallet.to_string()), param("period", period.to_owned())];
        let answer = self.world.read(STATS, &query).await?;
        let body = ok_json(self.clause, &answer)?;
        Ok((answer, body))
    }

    async fn register(&self, body: &Value) -> Verdict<Answer> {
        let ask = Ask::post_json(self.world.rest()?, REGISTER, body);
        Ok(self.world.http().send(ask).await?)
    }

    /// Registers a wallet; anything but success breaks the clause.
    async fn must_register(&self, code: &str, wallet: Address) -> Verdict<(Answer, Value)> {
        let answer = self.register(&registration(code, wallet)).await?;
        let body = ok_json(self.clause, &answer)?;
        Ok((answer, body))
    }

    /// Lets every window of a minute end.
    async fn next_minute(&self) -> Verdict {
        self.control.advance(60).await?;
        Ok(())
    }

    /// The answer is refused with this status, by this rule.
    async fn refused(&self, answer: &Answer, code: u16, cause: &str) -> Verdict {
        status(self.clause, answer, code)?;
        refusal::body(self.clause, answer, code)?;
        let entry = self.control.entry_of(answer).await?;
        let told = entry.and_then(|entry| entry.cause);
        holds(
            self.clause,
            answer,
            told.as_deref() == Some(cause),
            &format!("the rule {cause} as the cause in the journal"),
            || format!("{told:?}"),
        )
    }
}

fn registration(code: &str, wallet: Address) -> Value {
    json!({ "referral_code": code, "wallet_address": wallet.to_string() })
}

/// A fresh account, without funds.
fn stranger(world: &World, label: &str) -> Account {
    Account::fresh(&mut world.choices(label))
}

/// A number of a body.
fn number(clause: &'static str, answer: &Answer, body: &Value, name: &str) -> Verdict<Figure> {
    let figure = match &body[name] {
        Value::Number(number) => Figure::parse(&number.to_string()),
        _ => None,
    };
    figure.ok_or_else(|| failure(clause, answer, format!("{name} as a number"), answer.excerpt()))
}
