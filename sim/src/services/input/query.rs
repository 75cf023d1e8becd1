//! Query strings: a repeated or badly encoded parameter is refused by name; undeclared parameters are ignored.
use std::borrow::Cow;

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;

use super::{Declared, Sent, Values, excerpt, read};
use crate::api::refusal::Refusal;

/// The decoded parameters of a query, in order.
///
/// Clause: SVC-EXTRA
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Query<'a> {
    pairs: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl<'a> Query<'a> {
    /// Decodes the query of a request target.
    fn decode(uri: &'a Uri) -> Result<Self, Refusal> {
        let query = uri.query().unwrap_or_default();
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = decode(name).ok_or_else(|| badly_encoded("the name of a parameter"))?;
            let value = decode(value).ok_or_else(|| badly_encoded(&excerpt(&name)))?;
            Ok((name, value))
        });
        Ok(Self { pairs: pairs.collect::<Result<_, Refusal>>()? })
    }

    fn text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut values = self.pairs.iter().filter(|pair| pair.0 == name).map(|pair| &*pair.1);
        let value = values.next();
        if values.next().is_some() {
            return Err(Refusal::bad_input("query-repeated", format!("{name} is sent more than once")));
        }
        Ok(value)
    }
}

impl Values for Query<'_> {
    fn find(&self, name: &str) -> Result<Option<Sent<'_>>, Refusal> {
        Ok(self.text(name)?.filter(|text| !text.is_empty()).map(Sent::Text))
    }
}

/// Reads the query of a request target.
pub(crate) fn query<T: Declared>(uri: &Uri) -> Result<T, Refusal> {
    read(&Query::decode(uri)?)
}

/// The parameters of a query as a structure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parameters<T>(pub T);

impl<S: Send + Sync, T: Declared> FromRequestParts<S> for Parameters<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Refusal> {
        query(&parts.uri).map(Self)
    }
}

fn badly_encoded(what: &str) -> Refusal {
    Refusal::bad_input("query-encoding", format!("{what} is not percent-encoded UTF-8"))
}

/// Undoes percent-encoding, with `+` for a space; `None` if an escape is broken or the bytes are not UTF-8.
fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains(['%', '+']) {
        return Some(Cow::Borrowed(text));
    }
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => 16 * hex_digit(bytes.next()?)? + hex_digit(bytes.next()?)?,
            other => other,
        });
    }
    String::from_utf8(decoded).ok().map(Cow::Owned)
}

fn hex_digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::query;
    use crate::api::refusal::Refusal;

    #[derive(Deserialize, JsonSchema)]
    struct Search {
        #[schemars(extend("x-cause" = "test-q"))]
        q: Option<String>,
    }

    fn read(target: &str) -> Result<Option<String>, Refusal> {
        query::<Search>(&target.parse().unwrap()).map(|search| search.q)
    }

    #[test]
    fn values_are_decoded() {
        assert_eq!(read("/?q=a%20b+c%2B%C3%A9&x"), Ok(Some("a b c+é".into())));
        assert_eq!(read("/?%71=1"), Ok(Some("1".into())));
        assert_eq!(read("/?q=%00"), Ok(Some("\0".into())));
        assert_eq!([read("/?q"), read("/?q="), read("/")], [Ok(None), Ok(None), Ok(None)]);
    }

    #[test]
    fn ambiguous_queries_are_refused() {
        for (target, what) in [
            ("/?q=%", "q"),
            ("/?q=%4", "q"),
            ("/?%71=%zz", "q"),
            ("/?a=1&q=%ff", "q"),
            ("/?%=1", "the name of a parameter"),
        ] {
            let refusal = read(target).unwrap_err();
            let said = format!("{what} is not percent-encoded UTF-8");
            assert_eq!((refusal.cause, refusal.message), ("query-encoding", said), "{target}");
        }
        assert_eq!(read("/?q=1&q=1").unwrap_err().cause, "query-repeated");
        assert_eq!(read("/?x=1&x=2&q=3"), Ok(Some("3".into())));
    }
}
