//! Reads a request's values into a structure: fields in declaration order, refusing the first that is wrong or absent.
use std::fmt::{self, Display, Formatter};
use std::slice::Iter;

use serde::de::value::{SeqDeserializer, StrDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use super::{Declared, Inputs};
use crate::api::refusal::Refusal;

/// The value that was sent for a field.
#[derive(Clone, Copy)]
pub(crate) enum Sent<'a> {
    /// From a query parameter or a form field.
    Text(&'a str),
    /// From a field of a JSON object.
    Json(&'a Value),
}

/// The values of a request, by name.
pub(crate) trait Values {
    /// Finds the value of this name; an empty text counts as absent.
    fn find(&self, name: &str) -> Result<Option<Sent<'_>>, Refusal>;
}

impl Values for Map<String, Value> {
    fn find(&self, name: &str) -> Result<Option<Sent<'_>>, Refusal> {
        Ok(self.get(name).map(Sent::Json))
    }
}

/// Reads the fields of a structure; others are ignored.
///
/// Clause: SVC-EXTRA
pub(crate) fn read<T: Declared>(values: &impl Values) -> Result<T, Refusal> {
    T::deserialize(Object(values)).map_err(|Unread(field)| refusal(Inputs::of::<T>(), values, field))
}

/// Builds the refusal of the first field that is wrong or absent; `wrong` is the one that was read last.
fn refusal(inputs: &'static Inputs, values: &impl Values, wrong: Option<&str>) -> Refusal {
    let refused = inputs.names().find_map(|name| match values.find(name) {
        Err(refusal) => Some(refusal),
        Ok(None) => inputs.is_required(name).then(|| inputs.missing(name)),
        Ok(Some(_)) if wrong != Some(name) => None,
        Ok(Some(Sent::Text(text))) => Some(inputs.refuse(name, text)),
        Ok(Some(Sent::Json(value))) => Some(inputs.refuse(name, &value.to_string())),
    });
    refused.expect("a field was wrong or absent")
}

/// Reading failed, at this field if it is known.
#[derive(Debug)]
pub(crate) struct Unread(Option<&'static str>);

impl Display for Unread {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str("a field is wrong or absent")
    }
}

impl std::error::Error for Unread {}

impl Error for Unread {
    fn custom<T: Display>(_: T) -> Self {
        Self(None)
    }
}

struct Object<'a, S>(&'a S);

impl<'de, S: Values> Deserializer<'de> for Object<'de, S> {
    type Error = Unread;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unread> {
        visitor.visit_map(Members { values: self.0, names: names.iter(), found: None })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Unread> {
        Err(Unread(None))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The fields of the request, in declaration order.
struct Members<'a, V> {
    values: &'a V,
    names: Iter<'static, &'static str>,
    found: Option<(&'static str, Sent<'a>)>,
}

impl<'de, V: Values> MapAccess<'de> for Members<'de, V> {
    type Error = Unread;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Unread> {
        for name in self.names.by_ref() {
            if let Some(sent) = self.values.find(name).map_err(|_| Unread(None))? {
                self.found = Some((name, sent));
                return seed.deserialize((*name).into_deserializer()).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Unread> {
        let (name, sent) = self.found.take().ok_or(Unread(None))?;
        seed.deserialize(sent).map_err(|_| Unread(Some(name)))
    }
}

impl<'de> Deserializer<'de> for Sent<'de> {
    type Error = Unread;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        match self {
            Self::Text(text) => visitor.visit_borrowed_str(text),
            Self::Json(value) => value.deserialize_any(visitor).map_err(Unread::custom),
        }
    }

    /// Digits, and after a point only zeros.
    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        match self {
            Self::Text(text) => visitor.visit_u64(whole_number(text).ok_or(Unread(None))?),
            Self::Json(_) => self.deserialize_any(visitor),
        }
    }

    /// `true`, `false`, `1` or `0` in any letter case.
    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        match self {
            Self::Text(text) if text == "1" || text.eq_ignore_ascii_case("true") => visitor.visit_bool(true),
            Self::Text(text) if text == "0" || text.eq_ignore_ascii_case("false") => {
                visitor.visit_bool(false)
            }
            _ => self.deserialize_any(visitor),
        }
    }

    /// Items with commas between; spaces around them and empty ones are ignored.
    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        match self {
            Self::Text(text) => {
                let items = items(text).map(Sent::Text);
                visitor.visit_seq(SeqDeserializer::new(items))
            }
            Self::Json(_) => self.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Unread> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Unread> {
        visitor.visit_newtype_struct(self)
    }

    /// One of several words.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Unread> {
        let word = match self {
            Self::Text(text) => text,
            Self::Json(value) => value.as_str().ok_or(Unread(None))?,
        };
        StrDeserializer::new(word).deserialize_enum(name, words, visitor)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u8 u16 u32 u128 f32 f64 char str string bytes byte_buf unit unit_struct tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Unread> for Sent<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Digits, and after a point only zeros.
pub(crate) fn whole_number(text: &str) -> Option<u64> {
    let digits = match text.split_once('.') {
        Some((digits, zeros)) if !zeros.is_empty() && zeros.bytes().all(|byte| byte == b'0') => digits,
        Some(_) => return None,
        None => text,
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok()).flatten()
}

/// The items of a list, trimmed, without empty ones.
fn items(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::super::LARGEST;
    use super::super::kinds::{KnownChain, Whole};
    use super::Sent;

    fn text<T: DeserializeOwned>(text: &str) -> Option<T> {
        T::deserialize(Sent::Text(text)).ok()
    }

    fn member<T: DeserializeOwned>(value: &Value) -> Option<T> {
        T::deserialize(Sent::Json(value)).ok()
    }

    #[test]
    fn whole_numbers_are_digits_within_bounds() {
        for (sent, expected) in [
            ("007", Some(7)),
            ("50.0", Some(50)),
            ("50.000", Some(50)),
            ("0", Some(0)),
            ("9007199254740991", Some(LARGEST)),
            ("9007199254740992", None),
            ("99999999999999999999", None),
            ("", None),
            ("-1", None),
            ("+1", None),
            ("1.5", None),
            ("50.", None),
            (".0", None),
            ("1.0.0", None),
            ("1e3", None),
            (" 1", None),
            ("١", None),
        ] {
            assert_eq!(text::<Whole>(sent).map(|number| number.0), expected, "{sent}");
        }
        for (value, expected) in
            [(json!(7), Some(7)), (json!(7.0), None), (json!("7"), None), (json!(-7), None)]
        {
            assert_eq!(member::<Whole>(&value).map(|number| number.0), expected, "{value}");
        }
        assert_eq!(["0", "1", "50", "51"].map(text), [None, Some(Whole::<1, 50>(1)), Some(Whole(50)), None]);
        assert_eq!(
            ["4663", "1"].map(|sent| text::<KnownChain>(sent).map(|chain| chain.0)),
            [Some(4663), None]
        );
    }

    #[test]
    fn boolean_parsing_ignores_case() {
        for (sent, expected) in [
            ("true", Some(true)),
            ("TRUE", Some(true)),
            ("1", Some(true)),
            ("False", Some(false)),
            ("0", Some(false)),
            ("yes", None),
            ("01", None),
            (" true", None),
        ] {
            assert_eq!(text::<bool>(sent), expected, "{sent}");
        }
        assert_eq!(
            [json!(true), json!("true"), json!(1)].map(|sent| member(&sent)),
            [Some(true), None, None]
        );
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Letter {
        X,
        Y,
    }

    #[test]
    fn words_are_texts_and_lists_ignore_spaces_and_empty_items() {
        assert_eq!(["y", "Y", "z"].map(text), [Some(Letter::Y), None, None]);
        assert_eq!([json!("x"), json!({ "x": null })].map(|sent| member(&sent)), [Some(Letter::X), None]);
        assert_eq!(text(" y , ,x,"), Some(vec![Letter::Y, Letter::X]));
        assert_eq!((text(" ,"), text::<Vec<Letter>>("x,z")), (Some(Vec::<Letter>::new()), None));
        assert_eq!(text(" a,,b "), Some(vec!["a".to_owned(), "b".to_owned()]));
        assert_eq!(member(&json!([" a", ""])), Some(vec![" a".to_owned(), String::new()]));
        assert_eq!(member::<Vec<String>>(&json!(["a", 1])), None);
    }
}
