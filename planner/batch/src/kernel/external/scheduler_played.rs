//! Jobs that the scheduler plays by itself: they run on no machine and end when it says so.

use std::collections::HashMap;

use crate::job::Job;
use crate::time::Time;

/// Jobs that the scheduler plays by itself, with their starts, by name.
#[derive(Debug, Default)]
pub(super) struct SchedulerPlayed(HashMap<String, (Job, Time)>);

impl SchedulerPlayed {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn start(&mut self, name: &str, job: Job, now: Time) {
        self.0.insert(name.to_owned(), (job, now));
    }

    pub(super) fn end(&mut self, name: &str) -> Option<(Job, Time)> {
        self.0.remove(name)
    }
}
