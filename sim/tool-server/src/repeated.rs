//! Finds a member that an object has more than once, at any depth: readers of JSON differ in which of them they take (RFC 8259, section 4).
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The name of a repeated member of a text, which must be JSON.
pub(crate) fn repeated(text: &str) -> Option<String> {
    let mut found = None;
    let mut reader = serde_json::Deserializer::from_str(text);
    // Reading ends at the first; other errors are those of who reads the text for its content.
    _ = Search(&mut found).deserialize(&mut reader);
    found
}

struct Search<'f>(&'f mut Option<String>);

impl<'de> DeserializeSeed<'de> for Search<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Search(self.0))?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut names = BTreeSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if names.contains(&name) {
                members.next_value::<IgnoredAny>()?;
                *self.0 = Some(name);
                return Err(A::Error::custom("repeated"));
            }
            names.insert(name);
            members.next_value_seed(Search(self.0))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn repeated_members_are_found_at_any_depth() {
        for (text, found) in [
            (r#"{"a":1,"a":1}"#, Some("a")),
            (r#"{"a":1,"\u0061":2}"#, Some("a")),
            (r#"[1,{"b":{"c":[{"d":null,"e":"x","d":true}]}}]"#, Some("d")),
            (r#"{"a":{"a":1},"b":{"a":-1.5}}"#, None),
            (r#"{"a":99999999999999999999999999999999999}"#, None),
            ("{", None),
        ] {
            assert_eq!(repeated(text).as_deref(), found, "{text}");
        }
    }
}
