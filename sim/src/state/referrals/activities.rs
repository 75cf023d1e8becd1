//! Activities by their number, in chunks that a copy shares until one of the two changes.
use std::ops::{Index, IndexMut};
use std::sync::Arc;

use super::Activity;

/// Activities of a chunk: what the first change of one costs after a copy.
const CHUNK: usize = 256;

/// Activities by their number, from zero on.
#[derive(Clone, Debug, Default)]
pub(super) struct Activities {
    chunks: Vec<Arc<Vec<Activity>>>,
    count: usize,
}

impl Activities {
    /// How many there are; also the number of the next.
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Adds one.
    pub(super) fn push(&mut self, activity: Activity) {
        if self.count.is_multiple_of(CHUNK) {
            self.chunks.push(Arc::default());
        }
        if let Some(last) = self.chunks.last_mut() {
            Arc::make_mut(last).push(activity);
        }
        self.count += 1;
    }
}

impl Index<usize> for Activities {
    type Output = Activity;

    fn index(&self, number: usize) -> &Activity {
        &self.chunks[number / CHUNK][number % CHUNK]
    }
}

impl IndexMut<usize> for Activities {
    fn index_mut(&mut self, number: usize) -> &mut Activity {
        &mut Arc::make_mut(&mut self.chunks[number / CHUNK])[number % CHUNK]
    }
}
