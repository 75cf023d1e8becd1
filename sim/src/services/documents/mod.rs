//! The documents of the project as pages under `/docs/`: HTML, a search, and the original Markdown. The program that embeds
//! them provides them.
mod markdown;
mod search;

use axum::Router;
use axum::extract::Query;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;

pub use markdown::Slugs;

use super::http::{GET, PathParameter, endpoint};
use super::pages::layout::{Frame, page};
use super::pages::{assets, hardened};
use crate::api::refusal::Refusal;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";
/// The page at `/docs/`.
const INDEX: &str = "docs/index.md";
const MOST_FOUND: usize = 50;

/// A document: its path from the project root, and its bytes.
pub type Document = (&'static str, &'static [u8]);

/// A section that contains all the words of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The page, by its name in `/docs/` and on the command line.
    pub page: &'static str,
    /// The fragment of the section in the page; empty for the beginning of the page.
    pub anchor: String,
    /// The heading of the section.
    pub heading: String,
    /// The first line with any of the words.
    pub line: String,
}

/// The documents, and the pages that serve them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Documents(pub &'static [Document]);

impl Documents {
    /// The names of all pages.
    pub fn pages(self) -> impl Iterator<Item = &'static str> {
        self.0.iter().filter_map(|(path, _)| name(path))
    }

    /// The Markdown of a page.
    #[must_use]
    pub fn markdown(self, page: &str) -> Option<&'static str> {
        self.page(page).map(|(_, text)| text)
    }

    /// Path and Markdown of a page; the folder may be omitted if no other page has the same name.
    fn page(self, page: &str) -> Option<(&'static str, &'static str)> {
        let last = |path| name(path).and_then(|name| Some(name.rsplit_once('/')?.1));
        let mut alike = self.0.iter().filter(|(path, _)| last(path) == Some(page));
        let alone = alike.next().filter(|_| alike.next().is_none());
        let (path, bytes) = self.0.iter().find(|(path, _)| name(path) == Some(page)).or(alone)?;
        Some((path, std::str::from_utf8(bytes).ok()?))
    }

    /// The sections that contain all these words, those with a word in their heading first.
    #[must_use]
    pub fn search(self, words: &str) -> Vec<Found> {
        let texts = self.pages().filter_map(|page| Some((page, self.markdown(page)?)));
        search::search(texts, words, MOST_FOUND)
    }

    /// The pages under `/docs/`.
    pub fn router(self) -> Router {
        let pages = Router::new()
            .route("/docs", endpoint(get(async || Redirect::permanent("/docs/")), GET))
            .route("/docs/", endpoint(get(async move |query: Query<Asked>| self.start(&query)), GET))
            .route("/docs/{*path}", endpoint(get(async move |path| self.read(&path)), GET));
        hardened(pages, POLICY)
    }

    /// The same with the style sheet, for an origin without other pages.
    pub fn service(self) -> Router {
        Router::new()
            .route("/", endpoint(get(async || Redirect::temporary("/docs/")), GET))
            .route("/assets/{name}", endpoint(get(assets::get), GET))
            .merge(self.router())
            .fallback(async || Refusal::not_found("path", "no such path"))
    }

    fn start(self, Query(asked): &Query<Asked>) -> Response {
        if asked.q.trim().is_empty() {
            let text = self.markdown("index").unwrap_or_default();
            return self.shown(INDEX, text).into_response();
        }
        let found = self.search(&asked.q);
        let content = html! {
            (search_box(&asked.q))
            h1 { "Sections with " q { (asked.q) } }
            @if found.is_empty() { p { "No section has all of these words." } }
            ul.found {
                @for found in &found {
                    li {
                        a href={ "/docs/" (found.page) "#" (found.anchor) } { (found.heading) }
                        " " span.muted { (found.page) }
                        p { (found.line) }
                    }
                }
            }
        };
        framed("Search", &content).into_response()
    }

    fn read(self, PathParameter(path): &PathParameter) -> Result<Response, Refusal> {
        let missing = || Refusal::not_found("path", "no such document");
        if let Some((path, text)) = self.page(path) {
            return Ok(self.shown(path, text).into_response());
        }
        let (path, bytes) = self.0.iter().find(|(known, _)| address(known) == path).ok_or_else(missing)?;
        let kind = match path.rsplit_once('.') {
            Some((_, "md")) => "text/markdown; charset=utf-8",
            Some((_, "png")) => "image/png",
            Some((_, "svg")) => "image/svg+xml",
            _ => "application/octet-stream",
        };
        Ok(([(CONTENT_TYPE, kind)], *bytes).into_response())
    }

    fn shown(self, path: &str, text: &str) -> Markup {
        let (title, content) = markdown::render(text, |link| self.resolved(path, link));
        let content = html! {
            (search_box(""))
            article.document { (PreEscaped(content)) }
            p.muted { a href={ "/docs/" (address(path)) } { "This page as Markdown" } }
        };
        framed(&title, &content)
    }

    /// The target of a link in a page: a page or a file of the documents; `None` for other files.
    fn resolved(self, from: &str, link: &str) -> Option<String> {
        if link.starts_with('#') || link.contains("://") || link.starts_with('/') {
            return Some(link.to_owned());
        }
        let (file, fragment) = link.split_once('#').map_or((link, None), |(file, part)| (file, Some(part)));
        let mut parts: Vec<&str> = from.split('/').collect();
        parts.pop();
        for part in file.split('/') {
            match part {
                ".." => drop(parts.pop()),
                "." => {}
                part => parts.push(part),
            }
        }
        let path = parts.join("/");
        let (path, _) = self.0.iter().find(|(known, _)| *known == path)?;
        let fragment = fragment.map(|fragment| format!("#{fragment}")).unwrap_or_default();
        Some(format!("/docs/{}{fragment}", name(path).unwrap_or_else(|| address(path))))
    }
}

#[derive(Debug, Default, Deserialize)]
struct Asked {
    #[serde(default)]
    q: String,
}

/// The address of a file under `/docs/`.
fn address(path: &str) -> &str {
    path.strip_prefix("docs/").unwrap_or(path)
}

/// The name of a page: its address without the extension; `None` for other files.
fn name(path: &str) -> Option<&str> {
    address(path).strip_suffix(".md")
}

fn framed(title: &str, content: &Markup) -> Markup {
    let links = [("/", "Start"), ("/docs/", "Documents")];
    page(&Frame { title, source: None, scripts: &[], links: &links }, &html! {}, content)
}

fn search_box(words: &str) -> Markup {
    html! {
        form.search action="/docs/" role="search" {
            label { "Search the documents " input type="search" name="q" value=(words); }
            button { "Search" }
        }
    }
}

#[cfg(test)]
mod tests;
