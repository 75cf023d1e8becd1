//! Links of the Markdown files: each leads to a file or folder of the tree, and one with a fragment to a heading in it.
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use slipway_sim::Slugs;

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

/// The control: broken links are found, and nothing else.
#[test]
fn links_that_lead_nowhere_are_found() {
    let text = "# A `title`\n[a](#a-title) [b](docs/index.md#how-to) [c](https://a.example/b) ![d](docs/pictures/up.svg) [e](docs/)\n\
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
    let links = parsed(text).into_iter().filter_map(|event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
            Some(dest_url.into_string())
        }
        _ => None,
    });
    links.filter(|link| !leads(link)).collect()
}

fn parsed(text: &str) -> Vec<Event<'_>> {
    Parser::new_ext(text, Options::ENABLE_TABLES).collect()
}

/// The fragments of the headings.
fn fragments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut heading, mut slugs) = (None, Slugs::default());
    for event in parsed(text) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::Text(words) | Event::Code(words) => {
                if let Some(text) = &mut heading {
                    String::push_str(text, &words);
                }
            }
            Event::End(TagEnd::Heading(_)) => found.push(slugs.next(&heading.take().unwrap_or_default())),
            _ => {}
        }
    }
    found
}
