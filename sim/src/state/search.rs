//! Text search without regard to letter case: both sides are folded the same way, then compared as text.

/// Separates the fields of one token; no field and no query holds it.
const SEPARATOR: char = '\0';

/// Lower-cases letter by letter, so that a part of a text folds to a part of the folded text; the two small sigmas are one.
#[must_use]
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars()
        .flat_map(char::to_lowercase)
        .map(|letter| if letter == 'ς' { 'σ' } else { letter })
        .collect()
}

/// The folded fields of one token in one text.
#[must_use]
pub fn haystack(fields: &[&str]) -> String {
    let mut text = String::new();
    for field in fields {
        text.push_str(&fold(&field.replace(SEPARATOR, " ")));
        text.push(SEPARATOR);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{fold, haystack};

    #[test]
    fn a_part_folds_to_a_part() {
        for (text, part) in [
            ("ΟΔΟΣ", "ΔΟΣ"),
            ("ΟΔΟΣΑ", "οδος"),
            ("Straße", "STRA"),
            ("İx", "İ"),
            ("ÀB", "àb"),
        ] {
            assert!(fold(text).contains(&fold(part)), "{part} in {text}");
        }
    }

    #[test]
    fn fields_do_not_run_into_each_other() {
        let text = haystack(&["Moon", "DOG"]);
        assert!(text.contains(&fold("moon")) && text.contains(&fold("Dog")));
        assert!(!text.contains(&fold("ondo")));
    }
}
