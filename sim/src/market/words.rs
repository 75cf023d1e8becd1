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
/// Names beyond the pairs of the first two lists are a second and a third word, and later begin with a word of the last list. Tickers are made of
/// the first letters: two words of one list have other ones.
const THIRD: &[&str] = &[
    "Club",
    "House",
    "League",
    "Society",
    "Guild",
    "Union",
    "Circle",
    "Company",
    "Parade",
    "Market",
    "Garden",
    "Kitchen",
    "Workshop",
    "Theatre",
    "Express",
    "Brigade",
    "Academy",
    "Orchestra",
    "Picnic",
    "Station",
];
const BEFORE: &[&str] = &[
    "Old", "New", "Little", "Great", "Royal", "Northern", "Southern", "Eastern", "Western", "Upper", "Lower",
    "Inner", "Outer", "Distant", "Merry", "Secret", "Sunny", "Hidden", "Famous", "Proud",
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
        None => plain(rng, index, label),
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

fn plain(rng: &mut SeededRng, index: usize, label: &str) -> (String, String, String) {
    let first = rng.one_of(FIRST);
    let place = index % SECOND.len();
    let second = SECOND[place];
    let letters = |word: &str, count: usize| word.chars().take(count).collect::<String>().to_uppercase();
    let (name, ticker) = match (index / SECOND.len()).checked_sub(1) {
        None => (format!("{first} {second}"), format!("{}{}", letters(first, 2), letters(second, 3))),
        // The index determines all words: names differ up to the product of the lengths.
        Some(round) => {
            // The chains have different ones.
            let begin: usize = label.bytes().map(usize::from).sum();
            let third = THIRD[(begin + place + round) % THIRD.len()];
            let name = format!("{second} {third}");
            let ticker = letters(second, 3) + &letters(third, 3);
            match (round / THIRD.len()).checked_sub(1) {
                None => (name, ticker),
                Some(set) => {
                    let before = BEFORE[set % BEFORE.len()];
                    (format!("{before} {name}"), letters(before, 2) + &ticker)
                }
            }
        }
    };
    let description = format!("{} {}", rng.one_of(OPENINGS), rng.one_of(CLOSINGS));
    (name, ticker, description)
}

#[cfg(test)]
mod tests {
    use super::{Metadata, SeededRng, metadata};
    use crate::market::MOST_LAUNCHES;
    use std::collections::{BTreeMap, BTreeSet};

    fn of_the_largest_market() -> Vec<Metadata> {
        of_chain("57073", MOST_LAUNCHES as usize)
    }

    fn of_chain(label: &str, launches: usize) -> Vec<Metadata> {
        let mut rng = SeededRng::new(11, 0);
        (0..launches).map(|index| metadata(&mut rng, index, label)).collect()
    }

    #[test]
    fn names_and_tickers_are_unique_per_chain() {
        let all = of_the_largest_market();
        let names: BTreeSet<_> = all.iter().map(|texts| &texts.name).collect();
        let tickers: BTreeSet<_> = all.iter().map(|texts| &texts.ticker).collect();
        assert_eq!((names.len(), tickers.len()), (10_000, 10_000));
    }

    #[test]
    fn no_word_is_in_every_other_name() {
        let names = of_the_largest_market();
        let mut counts = BTreeMap::<&str, usize>::new();
        // The default market has fewer launches on each chain.
        for word in names[..50].iter().flat_map(|texts| texts.name.split(' ')) {
            *counts.entry(word).or_default() += 1;
        }
        assert_eq!(counts.into_iter().find(|&(_, count)| count > 5), None);
    }

    #[test]
    fn later_names_of_the_chains_differ() {
        let [one, other] = ["57073", "4663"].map(|label| of_chain(label, 50));
        assert!(one.iter().zip(&other).skip(25).all(|(one, other)| one.name != other.name
            || super::AWKWARD.iter().any(|&(name, ..)| name == one.name)));
    }

    #[test]
    fn no_name_or_ticker_is_told_apart_by_a_number() {
        let numbered = |texts: &Metadata| {
            let plain = !super::AWKWARD.iter().any(|&(name, ..)| name == texts.name);
            plain && (texts.name.clone() + &texts.ticker).contains(|letter: char| letter.is_ascii_digit())
        };
        let found = of_the_largest_market().into_iter().find(numbered);
        assert_eq!(found.map(|texts| texts.name), None);
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
