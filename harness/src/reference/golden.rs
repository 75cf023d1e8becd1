//! Golden texts of the command, in `tests/golden`; `INSTA_UPDATE=always` rewrites them.

/// Uses golden files in this crate's folder, named only by their content, until the result is dropped.
pub(crate) fn golden_folder() -> impl Drop {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind_to_scope()
}
