//! `/api/referral`: who may ask, codes, registrations, stats, the leaderboard, rewards, and the limits of each.
mod access;
mod limits;
mod programme;
mod rewards;

use std::ops::Deref;

use alloy::primitives::Address;
use serde_json::{Value, json};

use crate::check::Verdict;
use crate::clause::section;
use crate::client::account::Account;
use crate::client::control::Control;
use crate::client::http::{Answer, Ask};
use crate::reads::{get, param};
use crate::trial::{Evidence as _, Trial};

const CODE: &str = "/api/referral/code";
const STATS: &str = "/api/referral/stats";
const REGISTER: &str = "/api/referral/register";
const BOARD: &str = "/api/referral/leaderboard";
/// The periods, from the shortest to the longest.
const PERIODS: [&str; 4] = ["24h", "7d", "30d", "all"];

section! {
    access::REF_AUTH, programme::REF_CODE, limits::REF_CODE_RATE, programme::REF_STATS,
    programme::REF_STATS_ADDR, limits::REF_READ_RATE, programme::REF_REG, limits::REF_REG_RATE,
    programme::REF_LEAD, rewards::REF_REWARD_BUY, rewards::REF_REWARD_SELL, rewards::REF_REWARD_CREATE,
    rewards::REF_REWARD_MILESTONE,
}

/// The programme through the doors of a world, for one clause.
struct Programme<'a> {
    trial: Trial<'a>,
    control: Control,
}

impl<'a> Deref for Programme<'a> {
    type Target = Trial<'a>;

    fn deref(&self) -> &Trial<'a> {
        &self.trial
    }
}

impl<'a> Programme<'a> {
    fn open(trial: &Trial<'a>) -> Verdict<Self> {
        Ok(Self { trial: *trial, control: trial.control()? })
    }

    /// The header of a bearer token of a wallet.
    async fn bearer(&self, wallet: Address) -> Verdict<String> {
        Ok(format!("Bearer {}", self.control.bearer(wallet).await?))
    }

    /// A GET as somebody, sent whatever the limits say.
    async fn read_as(&self, path: &str, header: Option<&str>) -> Verdict<Answer> {
        let ask = get(self.rest()?, path, &[]);
        let ask = match header {
            Some(header) => ask.header("authorization", header),
            None => ask,
        };
        Ok(self.http().send(ask).await?)
    }

    /// The code of a wallet.
    async fn code(&self, wallet: Address) -> Verdict<(Answer, Value)> {
        let header = self.bearer(wallet).await?;
        let answer = self.read_as(CODE, Some(&header)).await?;
        let body = self.ok_json(&answer)?;
        Ok((answer, body))
    }

    /// The text of a wallet's code.
    async fn code_text(&self, wallet: Address) -> Verdict<String> {
        let (answer, body) = self.code(wallet).await?;
        let code = body["code"].as_str().filter(|code| !code.is_empty());
        code.map(str::to_owned).ok_or_else(|| self.failure(&answer, "a code", answer.excerpt()))
    }

    /// The stats of a wallet, by its address; the minute is let pass first, because this counts.
    async fn stats(&self, wallet: Address, period: &str) -> Verdict<(Answer, Value)> {
        let query = [param("address", wallet.to_string()), param("period", period.to_owned())];
        let answer = self.read(STATS, &query).await?;
        let body = self.ok_json(&answer)?;
        Ok((answer, body))
    }

    async fn register(&self, body: &Value) -> Verdict<Answer> {
        let ask = Ask::post_json(self.rest()?, REGISTER, body);
        Ok(self.http().send(ask).await?)
    }

    /// Registers a wallet; anything but success breaks the clause.
    async fn must_register(&self, code: &str, wallet: Address) -> Verdict<(Answer, Value)> {
        let answer = self.register(&registration(code, wallet)).await?;
        let body = self.ok_json(&answer)?;
        Ok((answer, body))
    }

    /// Lets every window of a minute end.
    async fn next_minute(&self) -> Verdict {
        self.control.advance(60).await?;
        Ok(())
    }
}

fn registration(code: &str, wallet: Address) -> Value {
    json!({ "referral_code": code, "wallet_address": wallet.to_string() })
}

/// A fresh account, without funds.
fn stranger(trial: &Trial<'_>, label: &str) -> Account {
    Account::fresh(&mut trial.choices(label))
}
