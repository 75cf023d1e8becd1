//! Generated parts of documents, for tests.
use std::path::Path;

/// Compares the text between the two markers of this part of a page with the generated text, or writes it if `SLIPWAY_WRITE` is set.
pub fn is_current(page: &Path, part: &str, made: &str) {
    let text = std::fs::read_to_string(page).unwrap();
    let (before, rest) = text.split_once(&format!("<!-- {part}: generated")).unwrap();
    let (remark, rest) = rest.split_once("-->\n").unwrap();
    let (_, after) = rest.split_once(&format!("<!-- end of {part} -->")).unwrap();
    let whole = format!("{before}<!-- {part}: generated{remark}-->\n{made}<!-- end of {part} -->{after}");
    if std::env::var_os("SLIPWAY_WRITE").is_some() {
        std::fs::write(page, whole).unwrap();
    } else {
        assert!(text == whole, "{} is stale: run this test with SLIPWAY_WRITE=1", page.display());
    }
}
