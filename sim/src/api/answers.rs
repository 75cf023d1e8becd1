//! Answers as they were written, for callers who ask the same before anything has changed that an answer is made of.
use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most bytes that are kept.
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
#[derive(Debug)]
pub(crate) struct Answers<Q, A> {
    kept: Mutex<Kept<Q, A>>,
}

#[derive(Debug)]
struct Kept<Q, A> {
    moment: Moment,
    answers: HashMap<Q, A>,
    size: usize,
}

impl<Q, A> Default for Answers<Q, A> {
    fn default() -> Self {
        Self { kept: Mutex::new(Kept { moment: Moment::default(), answers: HashMap::new(), size: 0 }) }
    }
}

impl<Q: Eq + Hash, A: Clone> Answers<Q, A> {
    /// The answer to a question at a moment, if it was kept.
    pub(crate) fn get<B: Eq + Hash + ?Sized>(&self, moment: Moment, question: &B) -> Option<A>
    where
        Q: Borrow<B>,
    {
        let kept = self.lock();
        (kept.moment == moment).then(|| kept.answers.get(question).cloned()).flatten()
    }

    /// Keeps an answer, of so many bytes with its question, until one of another moment is kept, or there are too many.
    pub(crate) fn keep(&self, moment: Moment, question: Q, answer: A, size: usize) {
        if size > SIZE {
            return;
        }
        let mut kept = self.lock();
        if kept.moment != moment || kept.size + size > SIZE {
            *kept = Kept { moment, answers: HashMap::new(), size: 0 };
        }
        kept.size += size;
        kept.answers.insert(question, answer);
    }

    fn lock(&self) -> MutexGuard<'_, Kept<Q, A>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::{Answers, Moment, SIZE};

    #[test]
    fn answers_serve_their_own_moment_and_stay_bounded() {
        let (answers, first) = (Answers::<Box<str>, Bytes>::default(), Moment { version: 1, now: 7 });
        let keep = |moment, question: &str, answer: Bytes| {
            answers.keep(moment, question.into(), answer.clone(), question.len() + answer.len());
        };
        keep(first, "page=1", Bytes::from_static(b"one"));
        assert_eq!(answers.get(first, "page=1").as_deref(), Some(&b"one"[..]));
        assert_eq!(answers.get(first, "page=2"), None);
        for other in [Moment { version: 2, ..first }, Moment { now: 8, ..first }] {
            assert_eq!(answers.get(other, "page=1"), None);
        }
        keep(first, "large", vec![0; SIZE].into());
        assert_eq!(answers.get(first, "large"), None);
        keep(first, "page=2", vec![0; SIZE - 8].into());
        assert_eq!(answers.get(first, "page=1"), None);
        assert!(answers.get(first, "page=2").is_some());
        keep(Moment { version: 2, ..first }, "page=1", Bytes::from_static(b"two"));
        assert_eq!(answers.get(first, "page=2"), None);
    }
}
