//! The golden OpenAPI documents of both services.
use serde_json::Value;

fn is_golden(name: &str, document: &Value) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../documents");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| insta::assert_json_snapshot!(name, document));
}

#[test]
fn rest_document_matches_golden() {
    is_golden("rest", &slipway_sim::rest_document("/"));
}

#[test]
fn swap_document_matches_golden() {
    is_golden("swap", &slipway_sim::swap_document("/"));
}
