//! Suggests the known name that an unknown one is most similar to.

/// Minimum similarity, out of 1, for a suggestion: the same as clap's.
const ALIKE: f64 = 0.7;

/// The most similar known name; `None` if none is similar enough.
pub(crate) fn suggestion<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // The letters of a short name stand in many long ones.
    let comparable = known.into_iter().filter(|known| known.len() <= 3 * name.len());
    let rated = comparable.map(|known| (strsim::jaro(name, known), known));
    let alike = rated.filter(|(likeness, _)| *likeness > ALIKE);
    // A whole word in common says more than letters that happen to be alike.
    let common = |known: &str| words(known).filter(|word| words(name).any(|other| other == *word)).count();
    alike
        .max_by(|(one, first), (other, second)| {
            common(first).cmp(&common(second)).then_with(|| one.total_cmp(other))
        })
        .map(|(_, known)| known)
}

fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::suggestion;

    #[test]
    fn a_misspelt_name_finds_the_one_that_is_most_like_it() {
        let known = ["chat-message", "captcha-command", "wallet-message"];
        assert_eq!(suggestion("chat_message", known), Some("chat-message"));
        assert_eq!(suggestion("wallet-mesage", known), Some("wallet-message"));
        assert_eq!(suggestion("zzz", known), None);
        assert_eq!(suggestion("foo", ["ref-board-one-rank"]), None);
    }

    #[test]
    fn a_name_with_a_word_in_common_comes_before_one_with_similar_letters() {
        let known = ["list-newest", "slow-answers", "cut-answer"];
        assert_eq!(suggestion("late-answers", known), Some("slow-answers"));
        assert_eq!(suggestion("list-newets", known), Some("list-newest"));
    }
}
