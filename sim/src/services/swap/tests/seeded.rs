//! Every seeded defect changes what it says, and is gone when it is off.
use super::*;

/// A request whose answer the defect must change.
fn sample(id: &str) -> String {
    let routed = |rest: &str| target(NATIVE, MEADOW, rest);
    match id {
        "swap-missing-token-guessed" => format!("/api/quote?tokenIn={NATIVE}&amount=1000"),
        "swap-both-amounts-taken" => routed("amount=1000000000000&amountOut=1"),
        "swap-no-amount-guessed" => target(STABLE, MEADOW, ""),
        "swap-slippage-unchecked" => routed("amount=1000000000000&slippage=10001"),
        "swap-slippage-edge-refused" => routed("amount=1000000000000&slippage=10000"),
        "swap-minimum-rounded-up" => routed("amount=1000000000000&slippage=10"),
        "swap-input-one-less" | "swap-input-one-more" | "swap-maximum-missing" => {
            routed("amountOut=1000000000000")
        }
        "swap-maximum-without-slippage" => routed("amountOut=1000000000000&slippage=10"),
        "swap-wrap-costs" => target(NATIVE, WRAPPED, "amount=1000"),
        "swap-native-unknown" => target(STABLE, NATIVE, "amount=1000"),
        "swap-build-without-user" => routed("amount=1000000000000&buildTx=true"),
        "swap-fee-on-transfer-promised" => target(NATIVE, KEEPER, "amount=1000"),
        "swap-build-refused-silently" => {
            target(COPPER, CLAY, &format!("amount=1000&buildTx=true&userAddress={PAUPER}"))
        }
        "swap-build-without-value" | "swap-build-unbound" => {
            routed(&format!("amount=1000000000000&buildTx=true&userAddress={USER}"))
        }
        "swap-no-route-as-empty" | "swap-no-route-as-missing" => target(NATIVE, ISLET, "amount=1000"),
        "swap-pairs-incomplete" | "swap-pairs-reserves-exchanged" => "/api/pairs".into(),
        "swap-tokens-incomplete" | "swap-tokens-all-18" => "/api/tokens".into(),
        _ => routed("amount=1000000000000"),
    }
}

#[tokio::test]
async fn every_defect_changes_its_sample_and_no_other_kind_of_answer() {
    let stand = Stand::new().await;
    let wraps = target(WRAPPED, NATIVE, "amount=1000&slippage=5");
    for defect in defects::DEFECTS {
        let sample = sample(defect.id);
        let (clean, untouched) = (stand.get(&sample).await, stand.get(&wraps).await);
        stand.api.defects().turn(defect.id, true).expect("the table is in the catalogue");
        assert_ne!(stand.get(&sample).await, clean, "{}", defect.id);
        let about_every_quote = ["QUOTE-SHAPE", "QUOTE-WRAP", "QUOTE-MIN-OUT"];
        if !defect.clauses.iter().any(|clause| about_every_quote.contains(clause)) {
            assert_eq!(stand.get(&wraps).await, untouched, "{}", defect.id);
        }
        stand.api.defects().clear();
        assert_eq!(stand.get(&sample).await, clean, "{}", defect.id);
    }
}

#[test]
fn every_clause_of_the_swap_service_has_a_defect() {
    let clauses = [
        "QUOTE-REQ",
        "QUOTE-ONE-AMOUNT",
        "QUOTE-SLIP",
        "QUOTE-SHAPE",
        "QUOTE-EXACT-IN",
        "QUOTE-EXACT-OUT",
        "QUOTE-MIN-OUT",
        "QUOTE-MAX-IN",
        "QUOTE-ROUTE",
        "QUOTE-RATES",
        "QUOTE-WRAP",
        "QUOTE-NATIVE",
        "QUOTE-BUILD",
        "QUOTE-NO-ROUTE",
        "PAIRS",
        "SWAP-TOKENS",
    ];
    for clause in clauses {
        assert!(defects::DEFECTS.iter().any(|defect| defect.clauses.contains(&clause)), "{clause}");
    }
}
