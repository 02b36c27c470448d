//! Waiting jobs in the order of the queue, as a tree: adding and removing a job cost the logarithm of those that
//! wait, and so does most often the search for one that fits, which passes over branches of which none does.

mod least;
mod tree;

use std::borrow::Cow;

use super::order::OrderPart;
use crate::scheduler::JobRequest;
use crate::time::Time;
pub use tree::Rank;
use tree::Tree;

/// Jobs in the order of their ranks; those of equal ranks stay as they are.
pub fn in_order(jobs: &[JobRequest], rank: Rank) -> Cow<'_, [JobRequest]> {
    if jobs.is_sorted_by_key(|job| rank.of(job)) {
        return Cow::Borrowed(jobs);
    }
    let mut sorted = jobs.to_vec();
    sorted.sort_by_key(|job| rank.of(job));
    Cow::Owned(sorted)
}

/// Waiting jobs in an order; those of equal ranks in the order in which they came.
#[derive(Debug)]
pub struct Queue {
    rank: Rank,
    jobs: Tree,
}

/// A place in a queue; removing the job there leaves it at the next one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor(usize);

impl Cursor {
    /// Goes past the job that it is at.
    pub const fn pass(&mut self) {
        self.0 += 1;
    }
}

/// What a job must fit into: `nodes` machines are free; only `extra` of them for longer than
/// `before_shadow`.
#[derive(Clone, Copy, Debug)]
pub struct Hole {
    /// Free now.
    pub nodes: u32,
    /// Until somebody else needs them.
    pub before_shadow: Time,
    /// Free beyond that.
    pub extra: u32,
}

impl Hole {
    /// Whether `job` may start in it.
    pub fn takes(&self, nodes: u32, walltime: Time) -> bool {
        nodes <= self.nodes && (walltime <= self.before_shadow || nodes <= self.extra)
    }
}

impl Queue {
    /// A queue without jobs.
    pub fn new(order: &OrderPart) -> Self {
        Self { rank: Rank(order.rank), jobs: Tree::new() }
    }

    /// Jobs that come now in the order in which they would wait; none where one of them would be before
    /// those that wait already.
    pub fn behind<'a>(&self, jobs: &'a [JobRequest]) -> Option<Cow<'a, [JobRequest]>> {
        let jobs = in_order(jobs, self.rank);
        let leads = |job: &JobRequest, first: &JobRequest| self.rank.of(job) < self.rank.of(first);
        let led = jobs.first().zip(self.first()).is_some_and(|(job, first)| leads(job, first));
        (!led).then_some(jobs)
    }

    /// Adds a job behind those of its rank.
    pub fn push(&mut self, job: JobRequest) {
        self.jobs.push(job, self.rank);
    }

    /// The first job.
    pub fn first(&self) -> Option<&JobRequest> {
        self.jobs.first()
    }

    /// The place after the first job.
    pub const fn second() -> Cursor {
        Cursor(1)
    }

    /// Removes the first job.
    pub fn pop(&mut self) -> Option<JobRequest> {
        (!self.is_empty()).then(|| self.remove(Cursor::default()))
    }

    /// Whether nobody waits.
    pub const fn is_empty(&self) -> bool {
        self.jobs.len() == 0
    }

    /// The next job at `cursor` or after it that `hole` takes; `cursor` is then its place.
    pub fn next_in(&mut self, cursor: &mut Cursor, hole: Hole) -> Option<JobRequest> {
        let (place, job) = self.jobs.next_in(cursor.0, hole)?;
        cursor.0 = place;
        Some(job)
    }

    /// Removes the job at `cursor`, where there is one.
    pub fn remove(&mut self, cursor: Cursor) -> JobRequest {
        self.jobs.remove(cursor.0)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::order::{fcfs, ljf, sjf};
    use crate::scheduler::JobKey;

    proptest! {
        /// Against a plain list that is sorted after every job, from which the first leaves, or one behind it that
        /// fits, or nobody.
        #[test]
        fn does_as_a_sorted_list(
            jobs in prop::collection::vec((1_u32..9, 1_i64..30, 0..4, 0_u32..3), 1..300),
            (nodes, extra, before) in (1_u32..9, 0_u32..4, 0_i64..30),
        ) {
            let hole = Hole { nodes, before_shadow: Time::from_seconds(before), extra };
            let fits = |job: &JobRequest| hole.takes(job.nodes, job.walltime);
            for order in [&fcfs::ORDER, &sjf::ORDER, &ljf::ORDER] {
                let (mut queue, mut list) = (Queue::new(order), Vec::<JobRequest>::new());
                for (number, &(nodes, walltime, leaves, own_queue)) in (0..).zip(&jobs) {
                    let walltime = Time::from_seconds(walltime);
                    let job = JobRequest { key: JobKey(number), nodes, walltime, queue: own_queue };
                    let leads = queue.behind(&[job]).is_none();
                    list.push(job);
                    list.sort_by_key(|job| (job.queue, (order.rank)(job)));
                    prop_assert_eq!(leads, list.len() > 1 && list[0] == job);
                    queue.push(job);
                    if leaves == 0 {
                        prop_assert_eq!(queue.pop(), Some(list.remove(0)));
                    } else if leaves == 1 {
                        let mut cursor = Queue::second();
                        let place = (1..list.len()).find(|place| fits(&list[*place]));
                        let found = queue.next_in(&mut cursor, hole);
                        prop_assert_eq!(found, place.map(|place| list.remove(place)));
                        prop_assert_eq!(found.map(|_| queue.remove(cursor)), found);
                    }
                    prop_assert_eq!((queue.first(), queue.is_empty()), (list.first(), list.is_empty()));
                }
                let mut cursor = Cursor::default();
                for job in list.iter().filter(|job| fits(job)) {
                    prop_assert_eq!(queue.next_in(&mut cursor, hole), Some(*job));
                    cursor.pass();
                }
                prop_assert_eq!(queue.next_in(&mut cursor, hole), None);
            }
        }
    }
}
