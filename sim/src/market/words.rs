//! Invented names, tickers, texts and links of launches; nothing here is a brand.
use super::rng::SeededRng;
use crate::event::Metadata;

const FIRST: &[&str] = &[
    "Amber", "Brisk", "Cedar", "Dapple", "Ember", "Fallow", "Gentle", "Hollow", "Ivory", "Jolly", "Kindly",
    "Lofty", "Mellow", "Nimble", "Ochre", "Placid", "Quiet", "Rustic", "Silver", "Tawny", "Umber", "Velvet",
    "Wistful", "Yonder", "Zesty",
];
const SECOND: &[&str] = &[
    "Acorn", "Beacon", "Comet", "Dune", "Eddy", "Fjord", "Glade", "Harbor", "Inlet", "Jetty", "Kettle",
    "Lantern", "Meadow", "Nettle", "Orchard", "Pebble", "Quill", "Ridge", "Sparrow", "Thicket", "Urchin",
    "Vale", "Willow", "Yarrow", "Zephyr",
];
const OPENINGS: &[&str] = &[
    "A small token about patience.",
    "For people who walk the long way home.",
    "Made on a rainy afternoon, kept for a dry one.",
    "Nothing is promised here except the curve.",
    "Half joke, half experiment, fully on chain.",
    "Collected by those who like quiet evenings.",
];
const CLOSINGS: &[&str] = &[
    "No road map, only a map.",
    "Fees go where the split says.",
    "Holders feed the birds in turn.",
    "Bring a friend or bring tea.",
    "Read the contract before the slogan.",
    "It glows a little in the dark.",
];
/// Texts that a careless service would corrupt: patterns, quotes, markup, other scripts.
const AWKWARD: &[(&str, &str, &str)] = &[
    ("100% Wool", "WOOL", "Warm in winter, 100% scratchy; under_scored and \"quoted\"."),
    ("Under_Score", "U_S", "One_of the names that a pattern search takes for a wildcard."),
    ("Café Méridien", "CAFÉ", "Ünïcode in every word, naïvely kept."),
    ("夜の灯台", "灯台", "海のそばの小さな灯台。"),
    ("Bold <b>Move</b>", "BOLD", "Markup & ampersands; 'single' quotes -- and dashes."),
    ("Rocket 🚀 Garden 🌱", "GROW", "Plants first, rockets later 🌿."),
];

/// Texts of the launch with this index on its chain; names and tickers of one chain differ.
pub(crate) fn metadata(rng: &mut SeededRng, index: usize, label: &str) -> Metadata {
    let awkward = (index % 7 == 3).then(|| AWKWARD.get(index / 7)).flatten();
    let (name, ticker, description) = match awkward {
        Some(&(name, ticker, description)) => (name.to_owned(), ticker.to_owned(), description.to_owned()),
        None => plain(rng, index),
    };
    let slug = format!("{label}-{index:03}");
    let mut link = |chances: u64, url: String| if rng.happens(chances) { url } else { String::new() };
    Metadata {
        messenger: link(45, format!("https://example.com/channel/{slug}")),
        microblog: link(55, format!("https://example.net/profile/{slug}")),
        website: link(40, format!("https://example.org/site/{slug}")),
        image_url: format!("https://example.org/images/{slug}.png"),
        name,
        ticker,
        description,
    }
}

fn plain(rng: &mut SeededRng, index: usize) -> (String, String, String) {
    let first = rng.one_of(FIRST);
    // Indexing the second list this way keeps names distinct while indices stay below the product of both lengths.
    let second = SECOND[index % SECOND.len()];
    let name = match index / SECOND.len() {
        0 => format!("{first} {second}"),
        round => format!("{first} {second} {}", round + 1),
    };
    let letters = |word: &str, count: usize| word.chars().take(count).collect::<String>().to_uppercase();
    let ticker = format!("{}{}{}", letters(first, 2), letters(second, 3), suffix(index / SECOND.len()));
    let description = format!("{} {}", rng.one_of(OPENINGS), rng.one_of(CLOSINGS));
    (name, ticker, description)
}

fn suffix(round: usize) -> String {
    if round == 0 { String::new() } else { (round + 1).to_string() }
}

#[cfg(test)]
mod tests {
    use super::{Metadata, SeededRng, metadata};
    use std::collections::BTreeSet;

    #[test]
    fn names_and_tickers_are_unique_per_chain() {
        let mut rng = SeededRng::new(11, 0);
        let all: Vec<_> = (0..60).map(|index| metadata(&mut rng, index, "a")).collect();
        let names: BTreeSet<_> = all.iter().map(|texts| &texts.name).collect();
        let tickers: BTreeSet<_> = all.iter().map(|texts| &texts.ticker).collect();
        assert_eq!((names.len(), tickers.len()), (60, 60));
    }

    #[test]
    fn links_are_present_and_absent() {
        let mut rng = SeededRng::new(11, 0);
        let all: Vec<_> = (0..60).map(|index| metadata(&mut rng, index, "a")).collect();
        let links: [fn(&Metadata) -> &String; 3] = [|t| &t.messenger, |t| &t.microblog, |t| &t.website];
        for link in links {
            let absent = all.iter().filter(|texts| link(texts).is_empty()).count();
            assert!((10..50).contains(&absent), "{absent}");
        }
    }
}
