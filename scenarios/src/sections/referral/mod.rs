//! `/api/referral`: access, codes, registrations, stats, the leaderboard, rewards, and the limits of each.
mod access;
mod boards;
pub(super) mod limits;
mod programme;
pub(super) mod registering;
mod rewards;

use crate::answers::reads::{REFERRAL_STATS as STATS, REFERRERS as BOARD};
use crate::model::seed::Choices;
use crate::prelude::*;

const CODE: &str = "/api/referral/code";
const REGISTER: &str = "/api/referral/register";
/// The periods, from the shortest to the longest.
const PERIODS: [&str; 4] = ["24h", "7d", "30d", "all"];

section! {
    access::REF_AUTH, access::REF_CREDENTIAL, access::REF_SCHEME, programme::REF_CODE, limits::REF_CODE_RATE, programme::REF_STATS,
    programme::REF_STATS_ADDR, limits::REF_READ_RATE, programme::REF_REG, limits::REF_REG_RATE,
    registering::REF_REG_REQ, programme::REF_LEAD, programme::REF_BAD, rewards::REF_REWARD_BUY, rewards::REF_REWARD_SELL,
    rewards::REF_REWARD_CREATE, rewards::REF_REWARD_MILESTONE, rewards::REF_POINTS,
}

/// The referral programme of a target, for one trial.
struct Programme<'a> {
    trial: Trial<'a>,
    /// When the check began: this makes its wallets different from those of earlier runs.
    began: u64,
}

impl<'a> Programme<'a> {
    async fn open(trial: &Trial<'a>) -> Verdict<Self> {
        Ok(Self { trial: *trial, began: trial.now().await? })
    }

    /// Returns the choices of a label in this check and this run.
    fn choices(&self, label: &str) -> Choices {
        self.trial.choices(&format!("{}-{label}-{}", self.trial.check.id, self.began))
    }

    /// Returns a new account without funds.
    fn stranger(&self, label: &str) -> Account {
        Account::fresh(&mut self.choices(label))
    }

    /// Returns the header of a wallet's bearer token.
    async fn bearer(&self, wallet: Address) -> Verdict<String> {
        self.trial.bearer(wallet).await
    }

    /// Sends a GET with a credential once, even if a limit refuses it.
    async fn read_as(&self, path: &str, header: Option<&str>) -> Verdict<Response> {
        let request = get(self.trial.rest()?, path, &[]);
        let request = match header {
            Some(header) => request.header("authorization", header),
            None => request,
        };
        Ok(self.trial.http().send_once(request).await?)
    }

    async fn code(&self, wallet: Address) -> Verdict<(Response, Value)> {
        let header = self.bearer(wallet).await?;
        self.trial.with_json(self.read_as(CODE, Some(&header)).await?)
    }

    async fn code_text(&self, wallet: Address) -> Verdict<String> {
        let (response, body) = self.code(wallet).await?;
        let code = body["code"].as_str().filter(|code| !code.is_empty());
        code.map(str::to_owned).ok_or_else(|| self.trial.failure(&response, "a code", response.excerpt()))
    }

    async fn stats(&self, wallet: Address, period: &str) -> Verdict<(Response, Value)> {
        self.stats_with(wallet, &[param("period", period)]).await
    }

    /// Reads the stats of a wallet with its address and its credential: whether the address alone is enough is left open.
    async fn stats_with(
        &self,
        wallet: Address,
        query: &[(&'static str, String)],
    ) -> Verdict<(Response, Value)> {
        let query = [&[param("address", wallet.to_string())], query].concat();
        let header = self.bearer(wallet).await?;
        let request = get(self.trial.rest()?, STATS, &query).header("authorization", &header);
        self.trial.with_json(self.trial.request(request).await?)
    }

    async fn register(&self, body: &Value) -> Verdict<Response> {
        let request = Request::post_json(self.trial.rest()?, REGISTER, body);
        Ok(self.trial.http().send(request).await?)
    }

    /// Registers a wallet, which must succeed.
    async fn must_register(&self, code: &str, wallet: Address) -> Verdict<(Response, Value)> {
        self.trial.with_json(self.register(&registration(code, wallet)).await?)
    }

    /// Waits until every window of a minute has ended.
    async fn next_minute(&self) -> Verdict {
        self.trial.control()?.advance(60).await?;
        Ok(())
    }
}

fn registration(code: &str, wallet: Address) -> Value {
    json!({ "referral_code": code, "wallet_address": wallet.to_string() })
}
