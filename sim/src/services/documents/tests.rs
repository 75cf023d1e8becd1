//! Links, files and searches of a small set of documents.
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode};
use tower::ServiceExt as _;

use super::{Documents, Found};

const FILES: Documents = Documents(&[
    ("docs/index.md", b"# Documents\n\nRead [one](how/one.md#a-clock) or [the source](../sim/src/lib.rs).\n"),
    (
        "docs/how/one.md",
        b"# One\n\n## A `clock`\n\nThe clock <b>runs</b>. ![p](../p.svg)\n\n```sh\n# no heading\n```\n\n## A clock\n\n[up](../../README.md)\n",
    ),
    ("docs/p.svg", b"<svg/>"),
    ("README.md", b"# Read me\n"),
]);

async fn get(path: &str) -> (StatusCode, String, String) {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let response = FILES.service().oneshot(request).await.unwrap();
    let kind = response.headers().get("content-type").map(|kind| kind.to_str().unwrap().to_owned());
    let status = response.status();
    let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
    (status, kind.unwrap_or_default(), String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test]
async fn links_lead_to_pages_and_files_of_the_documents() {
    let (_, kind, page) = get("/docs/").await;
    assert_eq!(kind, "text/html; charset=utf-8");
    assert!(page.contains("<a href=\"/docs/how/one#a-clock\">one</a> or the source."), "{page}");
    let (_, _, page) = get("/docs/how/one").await;
    for part in [
        "<h2 id=\"a-clock\">",
        "<h2 id=\"a-clock-1\">",
        "&lt;b&gt;runs",
        "src=\"/docs/p.svg\"",
        "href=\"/docs/README\"",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[tokio::test]
async fn files_are_plain_and_unknown_ones_missing() {
    let (_, kind, text) = get("/docs/how/one.md").await;
    assert_eq!((kind.as_str(), text.starts_with("# One")), ("text/markdown; charset=utf-8", true));
    assert_eq!(FILES.markdown("one"), FILES.markdown("how/one"));
    assert_eq!(get("/docs/p.svg").await.1, "image/svg+xml");
    for path in ["/docs/how/two", "/docs/../Cargo.toml", "/docs/index.md.md", "/elsewhere"] {
        assert_eq!(get(path).await.0, StatusCode::NOT_FOUND, "{path}");
    }
    assert_eq!(get("/assets/style.css").await.0, StatusCode::OK);
}

#[tokio::test]
async fn sections_are_found_by_all_words() {
    let found = FILES.search("RUNS clock");
    let expected = Found {
        page: "how/one",
        anchor: "a-clock".into(),
        heading: "A `clock`".into(),
        line: "The clock <b>runs</b>. ![p](../p.svg)".into(),
    };
    assert_eq!(found, [expected]);
    assert!(FILES.search("heading")[0].line.contains("# no heading"));
    assert!(FILES.search("clock elsewhere").is_empty() && FILES.search(" ").is_empty());
    let (_, _, page) = get("/docs/?q=%3Cb%3E").await;
    assert!(page.contains("&lt;b&gt;runs") && !page.contains("<b>"), "{page}");
}
