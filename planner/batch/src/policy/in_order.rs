//! Strict queues: the first waiting job of an order starts as soon as it fits, and until then nobody
//! behind it does. A decision costs the logarithm of the queue for each job that starts.

use std::collections::BTreeMap;

use super::ByKey;
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler};

/// A strict queue in the order of `rank`; equals in the order of submission.
#[derive(Debug)]
pub(super) struct InOrder {
    rank: fn(&JobRequest) -> i64,
    free: u32,
    submitted: u64,
    waiting: BTreeMap<(i64, u64), (JobKey, u32)>,
    running: ByKey<u32>,
}

impl InOrder {
    pub(super) fn new(machines: u32, rank: fn(&JobRequest) -> i64) -> Self {
        Self { rank, free: machines, submitted: 0, waiting: BTreeMap::new(), running: ByKey::new() }
    }
}

impl Scheduler for InOrder {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        for &key in moment.ended {
            self.free += self.running.remove(key).unwrap_or(0);
        }
        for job in moment.submitted {
            self.waiting.insert(((self.rank)(job), self.submitted), (job.key, job.nodes));
            self.submitted += 1;
        }
        while let Some(first) = self.waiting.first_entry() {
            let (key, nodes) = *first.get();
            if nodes > self.free {
                break;
            }
            first.remove();
            self.free -= nodes;
            self.running.insert(key, nodes);
            decisions.start(key);
        }
    }
}
