//! Renders a page from its Markdown: headings have the fragments that links to them use; HTML in the text is shown as text.
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

/// Title and HTML of a text. `resolved` returns the targets of links; a link without one becomes text.
pub(super) fn render(text: &str, resolved: impl Fn(&str) -> Option<String>) -> (String, String) {
    let mut events: Vec<Event<'_>> = Parser::new_ext(text, Options::ENABLE_TABLES).collect();
    let mut title = String::new();
    let mut heading: Option<(usize, String)> = None;
    let mut slugs = Slugs::default();
    let mut dropped = Vec::new();
    for at in 0..events.len() {
        match &mut events[at] {
            Event::Start(Tag::Heading { .. }) => heading = Some((at, String::new())),
            Event::End(TagEnd::Heading(level)) => {
                let level = *level;
                let Some((start, words)) = heading.take() else { continue };
                if let Event::Start(Tag::Heading { id, .. }) = &mut events[start] {
                    *id = Some(slugs.next(&words).into());
                }
                if level == HeadingLevel::H1 {
                    title = words;
                }
            }
            Event::Text(words) | Event::Code(words) => {
                if let Some((_, text)) = &mut heading {
                    text.push_str(words);
                }
            }
            Event::Start(Tag::Link { dest_url, .. }) => match resolved(dest_url) {
                Some(address) => *dest_url = address.into(),
                None => dropped.push(at),
            },
            Event::Start(Tag::Image { dest_url, .. }) => {
                *dest_url = resolved(dest_url).map_or(CowStr::Borrowed(""), Into::into);
            }
            Event::Html(words) | Event::InlineHtml(words) => {
                let words = std::mem::replace(words, CowStr::Borrowed(""));
                events[at] = Event::Text(words);
            }
            _ => {}
        }
    }
    let mut page = String::new();
    html::push_html(&mut page, without(events, &dropped).into_iter());
    (title, page)
}

/// The events without these links; their content stays. Links do not nest.
fn without<'a>(events: Vec<Event<'a>>, links: &[usize]) -> Vec<Event<'a>> {
    let mut inside = false;
    let keep = |(at, event): (usize, Event<'a>)| {
        if links.contains(&at) {
            inside = true;
            return None;
        }
        if inside && matches!(event, Event::End(TagEnd::Link)) {
            inside = false;
            return None;
        }
        Some(event)
    };
    events.into_iter().enumerate().filter_map(keep).collect()
}

/// Fragments of headings, in the format of repository hosts: lower-case letters, digits and hyphens; repeated ones are numbered.
#[derive(Debug, Default)]
pub struct Slugs(Vec<String>);

impl Slugs {
    /// The fragment of the next heading of a page.
    pub fn next(&mut self, heading: &str) -> String {
        let heading = heading.to_lowercase();
        let kept = heading.chars().filter_map(|letter| match letter {
            ' ' => Some('-'),
            '-' | '_' => Some(letter),
            letter => letter.is_alphanumeric().then_some(letter),
        });
        let slug: String = kept.collect();
        let earlier = self.0.iter().filter(|known| **known == slug).count();
        self.0.push(slug.clone());
        if earlier == 0 { slug } else { format!("{slug}-{earlier}") }
    }
}
