//! A condition as a result.

/// Returns `error` unless `condition` holds.
pub(crate) fn ensure<E>(condition: bool, error: E) -> Result<(), E> {
    if condition { Ok(()) } else { Err(error) }
}
