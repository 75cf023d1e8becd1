//! Errors in a market file: the place, and the reason.
use std::fmt;

/// A place in a market file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct At {
    path: Vec<Part>,
    /// The ticker of the launch.
    label: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Key(&'static str),
    Index(usize),
}

/// A market file is refused, since a start would fail with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}{reason}")]
pub struct PlanError {
    at: At,
    reason: String,
}

impl At {
    /// The whole file.
    pub(super) fn file() -> Self {
        Self { path: Vec::new(), label: None }
    }

    pub(super) fn field(&self, key: &'static str) -> Self {
        self.with(Part::Key(key))
    }

    pub(super) fn index(&self, index: usize) -> Self {
        self.with(Part::Index(index))
    }

    /// The same place, labelled with the ticker of its launch.
    pub(super) fn labelled(self, ticker: &str) -> Self {
        Self { label: (!ticker.is_empty()).then(|| ticker.to_owned()), ..self }
    }

    /// The number of the row that contains the place.
    pub(super) fn row(&self) -> usize {
        let index = |part: &Part| if let Part::Index(index) = part { Some(*index) } else { None };
        self.path.iter().find_map(index).unwrap_or_default()
    }

    pub(super) fn wrong(&self, reason: impl Into<String>) -> PlanError {
        PlanError { at: self.clone(), reason: reason.into() }
    }

    fn with(&self, part: Part) -> Self {
        let path = self.path.iter().cloned().chain([part]).collect();
        Self { path, label: self.label.clone() }
    }
}

impl fmt::Display for At {
    /// Like `launch 3 (LIGHT), trades 2, buy: `; rows count from 1.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut label = self.label.as_deref();
        for (place, part) in self.path.iter().enumerate() {
            match part {
                Part::Key(key) if place == 0 => write!(formatter, "{key}")?,
                Part::Key(key) => write!(formatter, ", {key}")?,
                Part::Index(index) => write!(formatter, " {}", index + 1)?,
            }
            if let (Part::Index(_), Some(ticker)) = (part, label) {
                write!(formatter, " ({})", ticker.escape_debug())?;
                label = None;
            }
        }
        if self.path.is_empty() { Ok(()) } else { formatter.write_str(": ") }
    }
}

impl PlanError {
    /// The place as keys and numbers from 0, such as `launch`, `2`, `raise`.
    pub fn path(&self) -> impl Iterator<Item = String> + '_ {
        self.at.path.iter().map(|part| match part {
            Part::Key(key) => (*key).to_owned(),
            Part::Index(index) => index.to_string(),
        })
    }
}
