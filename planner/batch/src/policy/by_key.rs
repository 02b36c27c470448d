//! A table of what a scheduler knows of jobs, by key.

use crate::scheduler::JobKey;

/// A value for each of some jobs.
#[derive(Debug)]
pub struct ByKey<T>(Vec<Option<T>>);

impl<T> ByKey<T> {
    /// A table without values.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Sets a job's value.
    pub fn insert(&mut self, key: JobKey, value: T) {
        if self.0.len() <= key.index() {
            self.0.resize_with(key.index() + 1, || None);
        }
        self.0[key.index()] = Some(value);
    }

    /// A job's value.
    pub fn get_mut(&mut self, key: JobKey) -> Option<&mut T> {
        self.0.get_mut(key.index()).and_then(Option::as_mut)
    }

    /// Removes and returns a job's value.
    pub fn remove(&mut self, key: JobKey) -> Option<T> {
        self.0.get_mut(key.index()).and_then(Option::take)
    }
}
