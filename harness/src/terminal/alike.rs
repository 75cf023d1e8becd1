//! Suggests the known name that an unknown one is most similar to.

/// Minimum similarity, out of 1, for a suggestion: the same as clap's.
const ALIKE: f64 = 0.7;

/// The most similar known name; `None` if none is similar enough.
pub(crate) fn suggestion<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    // The letters of a short name stand in many long ones.
    let comparable = known.into_iter().filter(|known| known.len() <= 3 * name.len());
    let rated = comparable.map(|known| (strsim::jaro(name, known), known));
    let alike = rated.filter(|(likeness, _)| *likeness > ALIKE);
    alike.max_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, known)| known)
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
}
