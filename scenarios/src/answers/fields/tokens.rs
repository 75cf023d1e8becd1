//! The fields of a token object, endpoint by endpoint.
use std::sync::LazyLock;

use serde_json::{Map, Value};

use super::shape::Shape;
use super::{FIELDS, Field};
use crate::answers::members::excerpt;
use crate::client::message::Response;
use crate::model::verdict::{Binding, Verdict};
use crate::trial::Trial;

/// An answer, or a part of one, that contains an object which several answers share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// A token of the list.
    List,
    /// A token of an owner.
    Owner,
    /// A token of a batch, whatever the flags.
    Batch,
    /// The fields that `includeMetrics` adds.
    Metrics,
    /// The fields that `includeHolders` adds.
    Holders,
    /// The fields that `includeSocials` adds.
    Socials,
    /// A recent launch.
    Recent,
    /// The record of a token.
    Record,
    /// The token of the day.
    Emperor,
    /// The deployment that takes new launches.
    Active,
    /// A deployment whose launches are traded.
    Tradeable,
}

impl Place {
    /// Returns the place of a letter of the table, in either case.
    pub(super) fn of_letter(letter: char) -> Option<Self> {
        Some(match letter.to_ascii_uppercase() {
            'L' => Self::List,
            'O' => Self::Owner,
            'B' => Self::Batch,
            'M' => Self::Metrics,
            'H' => Self::Holders,
            'S' => Self::Socials,
            'R' => Self::Recent,
            'T' => Self::Record,
            'E' => Self::Emperor,
            'A' => Self::Active,
            'D' => Self::Tradeable,
            _ => return None,
        })
    }
}

/// A required or optional field of a token object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TokenField {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// The clause that checks its meaning.
    pub(crate) clause: &'static str,
    place: Place,
    optional: bool,
}

static TOKENS: LazyLock<Vec<TokenField>> = LazyLock::new(|| FIELDS.iter().filter_map(of_token).collect());

fn of_token(field: &'static Field) -> Option<TokenField> {
    let place = field.place.filter(|place| ![Place::Active, Place::Tradeable].contains(place))?;
    let (_, name) = field.pointer.rsplit_once('/')?;
    let shape = super::shape(field.form, &[], "");
    Some(TokenField { name, shape, clause: field.held, place, optional: field.binding == Binding::Choice })
}

pub(crate) fn token(places: &[Place]) -> Vec<TokenField> {
    once(TOKENS.iter().filter(|field| places.contains(&field.place)))
}

/// Returns every field that a token has anywhere.
pub(crate) fn tokens() -> impl Iterator<Item = &'static TokenField> {
    static EVERY: LazyLock<Vec<TokenField>> = LazyLock::new(|| once(TOKENS.iter()));
    EVERY.iter()
}

fn once(fields: impl Iterator<Item = &'static TokenField>) -> Vec<TokenField> {
    let mut found: Vec<TokenField> = Vec::new();
    for field in fields {
        if found.iter().all(|known| known.name != field.name) {
            found.push(*field);
        }
    }
    found
}

impl Trial<'_> {
    /// Requires the right type of each field of these places that is present; all of them may be absent.
    pub(crate) fn typed_where_present(
        &self,
        response: &Response,
        members: &Map<String, Value>,
        places: &[Place],
    ) -> Verdict {
        token(places).iter().try_for_each(|field| match members.get(field.name) {
            Some(value) => self.typed(response, field, value),
            None => Ok(()),
        })
    }

    /// Requires that an object has the token fields of these places with their types, and returns its members.
    pub(crate) fn object<'v>(
        &self,
        response: &Response,
        value: &'v Value,
        places: &[Place],
    ) -> Verdict<&'v Map<String, Value>> {
        let members =
            value.as_object().ok_or_else(|| self.failure(response, "a token object", excerpt(value)))?;
        let missing = |field: &&TokenField| !field.optional && !members.contains_key(field.name);
        if let Some(field) = token(places).iter().find(missing) {
            let named = members.get("address").map_or_else(String::new, excerpt);
            let actual = format!("no {} in the object of {named}", field.name);
            return Err(self.failure(response, format!("a field {}", field.name), actual));
        }
        self.typed_where_present(response, members, places)?;
        Ok(members)
    }

    fn typed(&self, response: &Response, field: &TokenField, value: &Value) -> Verdict {
        // Whether the string is a time is left to the checks of its meaning.
        let shape = if matches!(field.shape, Shape::Moment) { Shape::Text } else { field.shape };
        let bad = shape.judge(value).into_iter().find(|bad| bad.binding.binds_every_platform());
        let expected = bad.as_ref().map(|bad| format!("{} as {}", field.name, bad.expected));
        self.require_or(response, bad.is_none(), &expected.unwrap_or_default(), || {
            format!("{} = {}", field.name, excerpt(value))
        })
    }
}
