//! Conditions of a registration.
use super::REGISTER;
use super::boards::rows_of;
use crate::prelude::*;

clause! {
    REF_REG_REQ = "REF-REG-REQ" (S202): "A registration takes a code and a wallet, and is refused without either.";
    check!("referral-register-required" [Write; Rest] required: "leaves the code out, and the wallet");
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

/// Whether a registration is refused: by its status, or in its result. Which one is left open.
pub(in crate::sections) fn is_refused(response: &Response) -> bool {
    !response.status.is_success() || response.json().is_some_and(|result| result["success"] == false)
}
