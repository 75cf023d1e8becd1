//! Places of a message: a JSON pointer with wildcards into a body, or a parameter of the query.
use std::str::FromStr;

use serde_json::{Map, Value};

use super::edit::{Edit, Fate};

/// A place that a change is made at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// `/tokens/*/price_eth`: values in the body of the response.
    Answer(Pointer),
    /// `request/addresses`: values in the body of the request.
    Request(Pointer),
    /// `?limit`: a parameter of the query.
    Query(String),
}

/// A JSON pointer (RFC 6901) whose segments may be wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pointer(Vec<Segment>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Segment {
    /// The member of this name, or the item of this number from 0.
    Name(String),
    /// `*`: each item of a list or member of an object.
    Each(Option<Test>),
    /// `^`: the first item of a list.
    First,
    /// `$`: the last item of a list.
    Last,
    /// `**`: the value itself and each value inside it, at any depth.
    Deep(Option<Test>),
}

/// `[name]`: the object has this member; `[name=text]`: with this value.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Test {
    name: String,
    value: Option<Value>,
}

/// Why a text is not a place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PlaceError {
    #[error(
        "a place is a pointer such as \"/tokens/*/name\", \"request/message\", or a parameter such as \"?limit\""
    )]
    Form,
    #[error("{0:?} is no segment of a pointer: only \"*\" and \"**\" take a test, such as \"*[type=trade]\"")]
    Segment(String),
}

impl FromStr for Place {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        match text.strip_prefix('?') {
            Some("") => Err(PlaceError::Form),
            Some(name) => Ok(Self::Query(name.to_owned())),
            None => match text.strip_prefix("request") {
                Some(pointer) => pointer.parse().map(Self::Request),
                None => text.parse().map(Self::Answer),
            },
        }
    }
}

impl FromStr for Pointer {
    type Err = PlaceError;

    /// The empty text is the whole body.
    fn from_str(text: &str) -> Result<Self, PlaceError> {
        if text.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let segments = text.strip_prefix('/').ok_or(PlaceError::Form)?;
        segments.split('/').map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl FromStr for Segment {
    type Err = PlaceError;

    fn from_str(text: &str) -> Result<Self, PlaceError> {
        let (wildcard, test) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((wildcard, test)) => (wildcard, Some(test)),
            None => (text, None),
        };
        let test = test.map(|test| match test.split_once('=') {
            Some((name, value)) => Test { name: name.to_owned(), value: Some(literal(value)) },
            None => Test { name: test.to_owned(), value: None },
        });
        match (wildcard, test) {
            ("*", test) => Ok(Self::Each(test)),
            ("**", test) => Ok(Self::Deep(test)),
            (_, Some(_)) => Err(PlaceError::Segment(text.to_owned())),
            ("^", None) => Ok(Self::First),
            ("$", None) => Ok(Self::Last),
            (name, None) => Ok(Self::Name(name.replace("~1", "/").replace("~0", "~"))),
        }
    }
}

/// A number, `true`, `false` or `null`; anything else is taken as text.
fn literal(text: &str) -> Value {
    serde_json::from_str(text)
        .ok()
        .filter(|value: &Value| value.is_number() || value.is_boolean() || value.is_null())
        .unwrap_or_else(|| text.into())
}

impl Test {
    fn holds(test: Option<&Self>, value: &Value) -> bool {
        test.is_none_or(|test| match &test.value {
            Some(wanted) => value.get(&test.name) == Some(wanted),
            None => value.get(&test.name).is_some_and(|member| !member.is_null()),
        })
    }
}

impl Place {
    /// The whole body of the answer.
    pub(super) fn whole_answer() -> Self {
        Self::Answer(Pointer(Vec::new()))
    }

    /// Whether a value can be added there.
    pub(super) fn can_be_added_to(&self) -> bool {
        match self {
            Self::Answer(pointer) | Self::Request(pointer) => {
                matches!(pointer.0.last(), Some(Segment::Name(_)))
            }
            Self::Query(_) => true,
        }
    }
}

impl Pointer {
    /// Applies an edit at every place that the pointer matches.
    pub(super) fn change(&self, root: &mut Value, edit: &Edit) {
        if change(root, &self.0, edit) == Fate::Dropped {
            *root = Value::Null;
        }
    }
}

fn change(value: &mut Value, path: &[Segment], edit: &Edit) -> Fate {
    let Some((segment, rest)) = path.split_first() else { return edit.change(value) };
    match segment {
        Segment::Name(name) => match value {
            Value::Object(members) => change_member(members, name, rest, edit),
            Value::Array(items) => change_item(items, name.parse().ok(), rest, edit),
            _ => {}
        },
        Segment::Each(test) => {
            let stays = |value: &mut Value| {
                !Test::holds(test.as_ref(), value) || change(value, rest, edit) == Fate::Kept
            };
            match value {
                Value::Array(items) => items.retain_mut(stays),
                Value::Object(members) => members.retain(|_, member| stays(member)),
                _ => {}
            }
        }
        Segment::First | Segment::Last => {
            if let Value::Array(items) = value {
                let at = if *segment == Segment::First { Some(0) } else { items.len().checked_sub(1) };
                change_item(items, at, rest, edit);
            }
        }
        Segment::Deep(test) => {
            // Inner values first, so that a changed value is not searched again.
            match value {
                Value::Array(items) => items.retain_mut(|item| change(item, path, edit) == Fate::Kept),
                Value::Object(members) => {
                    members.retain(|_, member| change(member, path, edit) == Fate::Kept);
                }
                _ => {}
            }
            if Test::holds(test.as_ref(), value) {
                return change(value, rest, edit);
            }
        }
    }
    Fate::Kept
}

fn change_item(items: &mut Vec<Value>, at: Option<usize>, rest: &[Segment], edit: &Edit) {
    if let Some(at) = at.filter(|at| *at < items.len())
        && change(&mut items[at], rest, edit) == Fate::Dropped
    {
        items.remove(at);
    }
}

/// Changes the value under a member, which may be missing.
fn change_member(members: &mut Map<String, Value>, name: &str, rest: &[Segment], edit: &Edit) {
    if !rest.is_empty() {
        if let Some(member) = members.get_mut(name)
            && change(member, rest, edit) == Fate::Dropped
        {
            members.shift_remove(name);
        }
    } else if let Some(other) = edit.sibling() {
        edit.change_beside(members, name, other);
    } else if let Some(member) = members.get_mut(name) {
        if edit.change(member) == Fate::Dropped {
            members.shift_remove(name);
        }
    } else if let Some(added) = edit.added() {
        members.insert(name.to_owned(), added.clone());
    }
}
