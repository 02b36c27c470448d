//! Round Robin as in Simbatch: machines are dealt in turn at submission, whatever they are doing, and
//! every machine plays its jobs in the order in which it got them. A job starts when it is the next
//! one on all its machines. A job costs its number of machines.

use std::collections::VecDeque;

use planner::node_set::NodeSet;

use super::by_key::ByKey;
use crate::scheduler::{Decisions, JobKey, JobRequest, Moment, Scheduler};

/// A job on its machines.
#[derive(Debug)]
struct Dealt {
    machines: NodeSet,
    /// On how many of them it is not the next yet.
    behind: u32,
}

/// Machines in turn.
#[derive(Debug)]
pub(super) struct RoundRobin {
    /// The machine that is dealt next.
    next: u32,
    /// What each machine has to do; the first is running or waits for its other machines.
    queues: Vec<VecDeque<JobKey>>,
    jobs: ByKey<Dealt>,
}

impl RoundRobin {
    pub(super) fn new(machines: u32) -> Self {
        let queues = (0..machines).map(|_| VecDeque::new()).collect();
        Self { next: 0, queues, jobs: ByKey::new() }
    }

    /// The next machines in turn.
    fn deal(&mut self, nodes: u32) -> NodeSet {
        let machines = u32::try_from(self.queues.len()).unwrap_or(u32::MAX);
        let end = self.next + nodes;
        // The second range is empty unless the turn begins again.
        let dealt = vec![self.next..end.min(machines), 0..end.saturating_sub(machines)];
        self.next = end % machines.max(1);
        NodeSet::from_ranges(dealt)
    }

    fn submit(&mut self, job: &JobRequest, decisions: &mut Decisions) {
        let machines = self.deal(job.nodes);
        let mut behind = 0;
        for machine in machines.positions() {
            let queue = &mut self.queues[machine as usize];
            behind += u32::from(!queue.is_empty());
            queue.push_back(job.key);
        }
        if behind == 0 {
            decisions.start_on(job.key, machines.clone());
        }
        self.jobs.insert(job.key, Dealt { machines, behind });
    }

    fn end(&mut self, key: JobKey, decisions: &mut Decisions) {
        let Some(ended) = self.jobs.remove(key) else { return };
        for machine in ended.machines.positions() {
            let queue = &mut self.queues[machine as usize];
            queue.pop_front();
            let Some(&next) = queue.front() else { continue };
            let Some(job) = self.jobs.get_mut(next) else { continue };
            job.behind -= 1;
            if job.behind == 0 {
                decisions.start_on(next, job.machines.clone());
            }
        }
    }
}

impl Scheduler for RoundRobin {
    fn decide(&mut self, moment: &Moment<'_>, decisions: &mut Decisions) {
        for &key in moment.ended {
            self.end(key, decisions);
        }
        for job in moment.submitted {
            self.submit(job, decisions);
        }
    }
}
