//! Golden texts of the command: `tests/golden`, written again by `INSTA_UPDATE=always`.

/// Until it is dropped, golden files are in this crate's folder, named only by what they show.
pub(crate) fn golden_folder() -> impl Drop {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind_to_scope()
}
