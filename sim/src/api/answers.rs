//! Answers as they were written, for callers who ask the same before anything has changed that an answer is made of.
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;

/// Most bytes of questions and answers that are kept.
const SIZE: usize = 1024 * 1024;

/// What an answer is made of besides its question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Moment {
    /// Version of the state.
    pub(crate) version: u64,
    /// What the clock shows.
    pub(crate) now: u64,
}

/// The answers of one moment, by their questions.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    moment: Moment,
    answers: HashMap<Box<str>, Bytes>,
    size: usize,
}

impl Answers {
    /// The answer to a question at a moment, if it was kept.
    pub(crate) fn get(&self, moment: Moment, question: &str) -> Option<Bytes> {
        let kept = self.lock();
        (kept.moment == moment).then(|| kept.answers.get(question).cloned()).flatten()
    }

    /// Keeps an answer until one of another moment is kept, or there are too many.
    pub(crate) fn keep(&self, moment: Moment, question: &str, answer: Bytes) {
        let size = question.len() + answer.len();
        if size > SIZE {
            return;
        }
        let mut kept = self.lock();
        if kept.moment != moment || kept.size + size > SIZE {
            *kept = Kept { moment, ..Kept::default() };
        }
        kept.size += size;
        kept.answers.insert(question.into(), answer);
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Answers, Moment, SIZE};

    #[test]
    fn answers_serve_their_own_moment_and_stay_bounded() {
        let (answers, first) = (Answers::default(), Moment { version: 1, now: 7 });
        answers.keep(first, "page=1", Bytes::from_static(b"one"));
        assert_eq!(answers.get(first, "page=1").as_deref(), Some(&b"one"[..]));
        assert_eq!(answers.get(first, "page=2"), None);
        for other in [Moment { version: 2, ..first }, Moment { now: 8, ..first }] {
            assert_eq!(answers.get(other, "page=1"), None);
        }
        answers.keep(first, "large", vec![0; SIZE].into());
        assert_eq!(answers.get(first, "large"), None);
        answers.keep(first, "page=2", vec![0; SIZE - 8].into());
        assert_eq!(answers.get(first, "page=1"), None);
        assert!(answers.get(first, "page=2").is_some());
        answers.keep(Moment { version: 2, ..first }, "page=1", Bytes::from_static(b"two"));
        assert_eq!(answers.get(first, "page=2"), None);
    }
}
