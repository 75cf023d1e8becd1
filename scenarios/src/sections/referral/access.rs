//! Who may read a code and stats.
use super::{CODE, Programme, STATS};
use crate::model::conventions::{WalletAccess, undeclared};
use crate::prelude::*;

clause! {
    REF_AUTH = "REF-AUTH" (S199, S293):
        "Code and stats refuse a request without an Authorization header, or with a bearer token that nobody issued.";
    check!("referral-access" [Exclusive; Rest, Control] anonymous:
        "asks for code and stats without a credential and with a made-up one, and for the code with an issued one");
    check!("referral-anonymous" [Read; Rest] refused_anonymously:
        "asks for code and stats without a credential, and with a made-up one");
}
pub(super) async fn anonymous(trial: &Trial<'_>) -> Verdict {
    refused_anonymously(trial).await?;
    let programme = Programme::open(trial).await?;
    programme.code(programme.stranger("access-one").address()).await.map(drop)
}

pub(super) async fn refused_anonymously(trial: &Trial<'_>) -> Verdict {
    let made_up = format!("Bearer {}", trial.choices("made-up").word());
    for path in [CODE, STATS] {
        trial.refuses(path, &[], 401, &["access-missing"]).await?;
        let request = get(trial.rest()?, path, &[]).header("authorization", &made_up);
        trial.refused(&trial.request(request).await?, 401, &["access-bearer"]).await?;
    }
    Ok(())
}

clause! {
    REF_CREDENTIAL = "REF-CREDENTIAL" (choice S199, S293):
        "A credential is an issued bearer token or a recent signature of a wallet; anything else is 401.";
    check!("referral-credentials" [Exclusive; Rest, Control] refused_and_taken:
        "shows no credential, wrong ones, a bearer token and signatures of every age");
}
pub(super) async fn refused_and_taken(trial: &Trial<'_>) -> Verdict {
    let programme = Programme::open(trial).await?;
    let (wallet, other) = (programme.stranger("access-one"), programme.stranger("access-two"));
    let token = programme.bearer(wallet.address()).await?;
    let taken = programme.read_as(CODE, Some(&token)).await?;
    let code = trial.ok_json(&taken)?["code"].clone();
    let spoilt: String = token.chars().rev().collect();
    for path in [CODE, STATS] {
        let wrong = [
            (None, "access-missing"),
            (Some(String::new()), "access-scheme"),
            (Some("Bearer".to_owned()), "access-bearer"),
            (Some("Bearer none".to_owned()), "access-bearer"),
            (Some(token[..token.len() - 1].to_owned()), "access-bearer"),
            (Some(format!("{token}0")), "access-bearer"),
            (Some(token["Bearer ".len()..].to_owned()), "access-scheme"),
            (Some(format!("Basic {}", &token[7..])), "access-scheme"),
            (Some(spoilt.clone()), "access-scheme"),
        ];
        for (header, cause) in wrong {
            let response = programme.read_as(path, header.as_deref()).await?;
            programme.trial.refused(&response, 401, &[cause]).await?;
        }
    }
    // A wallet may only read its own code.
    for (header, own) in [(token, true), (programme.bearer(other.address()).await?, false)] {
        let response = programme.read_as(CODE, Some(&header)).await?;
        let shown = trial.ok_json(&response)?["code"].clone();
        trial.require_equal(&response, "the code is the first wallet's", &own, &(shown == code))?;
    }
    signatures(&programme, &wallet, &other).await
}

clause! {
    REF_SCHEME = "REF-SCHEME" (standard "RFC 9110 section 11.1: the name of an authentication scheme is case-insensitive"):
        "A bearer token is taken whatever the letter case of its scheme.";
    check!("referral-scheme" [Exclusive; Rest, Control] any_letter_case:
        "asks for a code with the scheme in small letters and in capitals");
}
pub(super) async fn any_letter_case(trial: &Trial<'_>) -> Verdict {
    let programme = Programme::open(trial).await?;
    let credential = programme.bearer(programme.stranger("scheme").address()).await?;
    for scheme in ["bearer", "BEARER"] {
        let header = credential.replacen("Bearer", scheme, 1);
        trial.succeeded(&programme.read_as(CODE, Some(&header)).await?)?;
    }
    Ok(())
}

/// Builds the header with a text that a wallet signed.
fn signed(access: &WalletAccess, signer: &Account, claimed: &str, issued: u64) -> Verdict<String> {
    let (lower, issued) = (claimed.to_lowercase(), issued.to_string());
    let values = [("address", claimed), ("address-lower", &lower), ("issued-at", &issued)];
    let signature = signer.sign_text(&access.message.fill(&values))?.to_string();
    Ok(access.authorization.fill(&[&values[..], &[("signature", &signature)]].concat()))
}

async fn signatures(programme: &Programme<'_>, wallet: &Account, other: &Account) -> Verdict {
    let access = programme.trial.conventions().await?.wallet.as_ref();
    let access = access.ok_or_else(|| undeclared("the text that a wallet signs", "wallet-message"))?;
    programme.next_minute().await?;
    let now = programme.trial.control()?.now().await?;
    let signed = |signer, claimed: &str, issued| signed(access, signer, claimed, issued);
    let (claimed, lower) = (wallet.address().to_string(), format!("{:#x}", wallet.address()));
    let good = signed(wallet, &claimed, now)?;
    for header in [good.clone(), signed(wallet, &lower, now)?, signed(wallet, &claimed, now - 299)?] {
        let response = programme.read_as(CODE, Some(&header)).await?;
        programme.trial.require(&response, response.status.is_success(), "a signature is taken")?;
    }
    let cut = &good[..good.len() - 2];
    let later = good.replace(&now.to_string(), &(now + 1).to_string());
    let wrong = [
        (signed(other, &claimed, now)?, "access-wallet-signature"),
        // A header that does not contain the time cannot be changed to another time, so it is cut instead.
        (if later == good { cut.to_owned() } else { later }, "access-wallet-signature"),
        (signed(wallet, &claimed, now - 301)?, "access-wallet-time"),
        (signed(wallet, &claimed, now + 3_600)?, "access-wallet-time"),
        (cut.to_owned(), "access-wallet-form"),
        (format!("Wallet {claimed}:{now}"), "access-wallet-form"),
        ("Wallet 0x0:0:0x".to_owned(), "access-wallet-form"),
    ];
    for (header, cause) in wrong {
        let response = programme.read_as(STATS, Some(&header)).await?;
        programme.trial.refused(&response, 401, &[cause]).await?;
    }
    Ok(())
}
