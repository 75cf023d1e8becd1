//! Links of the Markdown files: each leads to a file or folder of the tree, and one with a fragment to a heading of that file.
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::tree::{root, tracked_files};

#[test]
fn links_of_the_documents_lead_somewhere() {
    let is_page = |path: &PathBuf| path.extension().is_some_and(|end| end == "md") && !path.is_symlink();
    let pages = tracked_files().into_iter().filter(is_page);
    let mut broken = Vec::new();
    for page in pages {
        let text = std::fs::read_to_string(&page).unwrap();
        let found = broken_links(&text, page.parent().unwrap());
        broken.extend(found.into_iter().map(|link| format!("{}: {link}", page.display())));
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The book's contents are those of the first page, without files outside the folder.
#[test]
fn the_book_has_every_page_in_the_order_of_its_first() {
    let docs = root().join("docs");
    let listed = |page: &str| {
        let text = std::fs::read_to_string(docs.join(page)).unwrap();
        let links =
            destinations(&text).into_iter().filter(|link| !link.contains(':') && !link.starts_with("../"));
        links.map(|link| docs.join(link)).collect::<Vec<_>>()
    };
    let mut book = listed("SUMMARY.md");
    assert_eq!(book, [vec![docs.join("index.md")], listed("index.md")].concat());
    let mut pages = tracked_files();
    pages.retain(|path| {
        path.starts_with(&docs)
            && path.extension().is_some_and(|end| end == "md")
            && !path.ends_with("SUMMARY.md")
    });
    book.sort();
    pages.sort();
    assert_eq!(book, pages);
}

/// The control: broken links are found, and nothing else.
#[test]
fn links_that_lead_nowhere_are_found() {
    let text = "# A `title`\n# A title\n[a](#a-title-1) [a](#a-title) [b](docs/index.md#how-to) [c](https://a.example/b) ![d](docs/pictures/up.svg) [e](docs/)\n\
        [f](#a-heading) [g](docs/index.md#nothing) [h](docs/nothing.md) ![i](up.svg) [j](/docs/index.md) [k](LICENSE-MIT#part)\n";
    let broken = [
        "#a-heading",
        "docs/index.md#nothing",
        "docs/nothing.md",
        "up.svg",
        "/docs/index.md",
        "LICENSE-MIT#part",
    ];
    assert_eq!(broken_links(text, &root()), broken);
}

/// The broken links of a text in a folder. Other origins are not requested.
fn broken_links(text: &str, folder: &Path) -> Vec<String> {
    let leads = |link: &str| {
        let (file, fragment) = link.split_once('#').map_or((link, None), |(file, part)| (file, Some(part)));
        if link.contains(':') {
            return true;
        }
        let target = folder.join(file);
        let Some(fragment) = fragment else { return !file.starts_with('/') && target.exists() };
        let heads = |text: &str| fragments(text).iter().any(|known| known == fragment);
        if file.is_empty() {
            heads(text)
        } else {
            std::fs::read_to_string(target).is_ok_and(|text| heads(&text))
        }
    };
    destinations(text).into_iter().filter(|link| !leads(link)).collect()
}

/// The targets of a text's links and pictures.
fn destinations(text: &str) -> Vec<String> {
    let links = parsed(text).into_iter().filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    });
    links.collect()
}

fn parsed(text: &str) -> Vec<Event<'_>> {
    Parser::new_ext(text, Options::ENABLE_TABLES).collect()
}

/// The fragments of anchors and of headings, as repository hosts and the book make them: lower-case letters, digits and hyphens; repeated
/// ones are numbered.
fn fragments(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut heading = None;
    let mut earlier: Vec<String> = Vec::new();
    for event in parsed(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(text) = &mut heading {
                    String::push_str(text, &words);
                }
            }
            Event::End(TagEnd::Heading(_)) => {
                let slug = slug(&heading.take().unwrap_or_default());
                let count = earlier.iter().filter(|known| **known == slug).count();
                found.push(if count == 0 { slug.clone() } else { format!("{slug}-{count}") });
                earlier.push(slug);
            }
            Event::InlineHtml(tag) => {
                let anchor = tag.strip_prefix("<a id=\"").and_then(|rest| rest.strip_suffix("\">"));
                found.extend(anchor.map(str::to_owned));
            }
            _ => {}
        }
    }
    found
}

fn slug(heading: &str) -> String {
    let heading = heading.to_lowercase();
    let kept = heading.chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        letter => letter.is_alphanumeric().then_some(letter),
    });
    kept.collect()
}
