//! Why an argument was refused.
use crate::decimal::DecimalError;

/// An argument does not match its declaration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArgumentError {
    /// No argument has this name.
    #[error("there is no argument {argument:?}")]
    Unknown { argument: String },
    /// A required argument is absent.
    #[error("{argument} is required")]
    Missing { argument: &'static str },
    /// It has the wrong JSON type.
    #[error("{argument} must be {expected}")]
    Type { argument: &'static str, expected: &'static str },
    /// It is not a number that can be used exactly.
    #[error("{argument} is no exact amount: {reason}")]
    Decimal { argument: &'static str, reason: DecimalError },
    /// It is outside its declared bounds.
    #[error("{argument} must {constraint}")]
    Bounds {
        argument: &'static str,
        /// The requirement of the declaration, continuing "must".
        constraint: String,
        code: &'static str,
    },
}

impl ArgumentError {
    pub(crate) const fn code(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "argument-unknown",
            Self::Missing { .. } => "argument-missing",
            Self::Type { .. } => "argument-type",
            Self::Decimal { .. } => "amount",
            Self::Bounds { code, .. } => code,
        }
    }
}
