//! Conditions of a registration.
use super::boards::rows_of;
use super::{Programme, REGISTER};
use crate::model::figure::Figure;
use crate::prelude::*;

clause! {
    REF_REG_REQ = "REF-REG-REQ" (S64, S65, S70, S202):
        "A registration takes a code and a wallet, is refused without either, and gives its referrer, whom it names, one referral more.";
    check!("referral-register-required" [Write; Rest; S202] required: "leaves the code out, and the wallet");
    check!("referral-register-result" [Exclusive; Rest, Control] result:
        "registers a wallet by the code of another one, and reads that one's code and stats");
}
pub(super) async fn required(trial: &Trial<'_>) -> Verdict {
    let (_, rows) = rows_of(trial, &[]).await?;
    let code = rows.first().map_or_else(|| json!("REF-CODE"), |row| row["referral_code"].clone());
    let wallet = Account::fresh(&mut trial.choices("registration-required")).address();
    for body in [json!({ "referral_code": code }), json!({ "wallet_address": wallet })] {
        let response = trial.request(Request::post_json(trial.rest()?, REGISTER, &body)).await?;
        trial.require(&response, is_refused(&response), "a refusal")?;
    }
    Ok(())
}

pub(super) async fn result(trial: &Trial<'_>) -> Verdict {
    let programme = Programme::open(trial).await?;
    let [owner, wallet] = ["result-owner", "result"].map(|label| programme.stranger(label).address());
    let code = programme.code_text(owner).await?;
    let (response, body) = programme.must_register(&code, wallet).await?;
    trial.require_equal(&response, "success", &json!(true), &body["success"])?;
    trial.require_equal(&response, "referrer", &Some(owner), &parsed(&body["referrer"]))?;
    let (of_code, record) = programme.code(owner).await?;
    let (of_stats, body) = programme.stats(owner, "all").await?;
    trial.require_equal(&of_stats, "referral_code", &json!(code), &body["referral_code"])?;
    for (response, shown) in [(&of_code, &record), (&of_stats, &body["stats"])] {
        let referrals = trial.number(response, shown, "total_referrals")?;
        let one = referrals == Figure::whole(1);
        trial.require_or(response, one, "total_referrals = 1", || referrals.text().to_owned())?;
    }
    Ok(())
}

/// Whether a registration is refused: by its status, or in its result. Which one is left open.
pub(in crate::sections) fn is_refused(response: &Response) -> bool {
    !response.status.is_success() || response.json().is_some_and(|result| result["success"] == false)
}
