//! Dialects over the platform's vocabulary: they translate, they do not decide.
pub mod body;
pub mod control;
pub mod form;
pub mod http;
pub mod openapi;
pub mod parameters;
pub mod rest;
pub mod swap;

use crate::defect::Defect;

/// The defect tables of the dialects.
pub(crate) const DEFECTS: &[&[Defect]] = &[rest::defects::DEFECTS, swap::defects::DEFECTS];
