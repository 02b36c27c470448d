//! Waiting jobs in the order of the queue, with a summary of every few dozen of them, so that a search for
//! a job that fits passes over those that cannot.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::order::OrderPart;
use crate::scheduler::JobRequest;
use crate::time::Time;

/// Jobs in a chunk at most.
const FULL: usize = 64;

#[derive(Debug)]
struct Chunk {
    least_nodes: u32,
    shortest: Time,
    /// Never empty.
    jobs: Vec<JobRequest>,
}

impl Chunk {
    fn of(mut jobs: Vec<JobRequest>) -> Self {
        jobs.reserve_exact(FULL.saturating_sub(jobs.len()));
        let mut chunk = Self { least_nodes: u32::MAX, shortest: Time::FOREVER, jobs };
        chunk.summarise();
        chunk
    }

    fn insert(&mut self, place: usize, job: JobRequest) {
        self.least_nodes = self.least_nodes.min(job.nodes);
        self.shortest = self.shortest.min(job.walltime);
        self.jobs.insert(place, job);
    }

    fn summarise(&mut self) {
        self.least_nodes = self.jobs.iter().map(|job| job.nodes).min().unwrap_or(u32::MAX);
        self.shortest = self.jobs.iter().map(|job| job.walltime).min().unwrap_or(Time::FOREVER);
    }
}

/// Jobs in the order of their ranks; those of equal ranks stay as they are.
pub fn in_order(jobs: &[JobRequest], rank: fn(&JobRequest) -> i64) -> Cow<'_, [JobRequest]> {
    if jobs.is_sorted_by_key(rank) {
        return Cow::Borrowed(jobs);
    }
    let mut sorted = jobs.to_vec();
    sorted.sort_by_key(rank);
    Cow::Owned(sorted)
}

/// Waiting jobs in an order; those of equal ranks in the order in which they came.
#[derive(Debug)]
pub struct Queue {
    rank: fn(&JobRequest) -> i64,
    chunks: VecDeque<Chunk>,
}

/// A place in a queue; removing the job there leaves it at the next one.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cursor {
    chunk: usize,
    job: usize,
}

impl Cursor {
    /// Goes past the job that it is at.
    pub const fn pass(&mut self) {
        self.job += 1;
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
    pub const fn new(order: &OrderPart) -> Self {
        Self { rank: order.rank, chunks: VecDeque::new() }
    }

    /// Jobs that come now in the order in which they would wait; none where one of them would be before
    /// those that wait already.
    pub fn behind<'a>(&self, jobs: &'a [JobRequest]) -> Option<Cow<'a, [JobRequest]>> {
        let jobs = in_order(jobs, self.rank);
        let leads = |job: &JobRequest, first: &JobRequest| (self.rank)(job) < (self.rank)(first);
        let led = jobs.first().zip(self.first()).is_some_and(|(job, first)| leads(job, first));
        (!led).then_some(jobs)
    }

    /// Adds a job behind those of its rank.
    pub fn push(&mut self, job: JobRequest) {
        let rank = (self.rank)(&job);
        let before = |other: &JobRequest| (self.rank)(other) <= rank;
        let last = |chunk: &Chunk| chunk.jobs.last().is_some_and(before);
        let Some(end) = self.chunks.back() else {
            return self.chunks.push_back(Chunk::of(vec![job]));
        };
        let (index, place) = if last(end) {
            (self.chunks.len() - 1, end.jobs.len())
        } else {
            let index = self.chunks.partition_point(last);
            (index, self.chunks[index].jobs.partition_point(before))
        };
        if self.chunks[index].jobs.len() < FULL {
            self.chunks[index].insert(place, job);
        } else if place == FULL {
            self.chunks.insert(index + 1, Chunk::of(vec![job]));
        } else {
            let later = self.chunks[index].jobs.split_off(place);
            self.chunks[index].jobs.push(job);
            self.chunks[index].summarise();
            self.chunks.insert(index + 1, Chunk::of(later));
        }
    }

    /// The first job.
    pub fn first(&self) -> Option<&JobRequest> {
        self.chunks.front().and_then(|chunk| chunk.jobs.first())
    }

    /// The place after the first job.
    pub const fn second() -> Cursor {
        Cursor { chunk: 0, job: 1 }
    }

    /// Removes the first job.
    pub fn pop(&mut self) -> Option<JobRequest> {
        self.first().is_some().then(|| self.remove(Cursor::default()))
    }

    /// Whether nobody waits.
    pub fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// The next job at `cursor` or after it that `hole` takes; `cursor` is then its place.
    pub fn next_in(&self, cursor: &mut Cursor, hole: Hole) -> Option<JobRequest> {
        while let Some(chunk) = self.chunks.get(cursor.chunk) {
            if hole.takes(chunk.least_nodes, chunk.shortest) {
                let rest = chunk.jobs.get(cursor.job..).unwrap_or_default();
                if let Some(more) = rest.iter().position(|job| hole.takes(job.nodes, job.walltime))
                {
                    cursor.job += more;
                    return Some(chunk.jobs[cursor.job]);
                }
            }
            *cursor = Cursor {
                chunk: cursor.chunk + 1,
                job: cursor.job.saturating_sub(chunk.jobs.len()),
            };
        }
        None
    }

    /// Removes the job at `cursor`, where there is one.
    pub fn remove(&mut self, cursor: Cursor) -> JobRequest {
        let chunk = &mut self.chunks[cursor.chunk];
        let job = chunk.jobs.remove(cursor.job);
        if chunk.jobs.is_empty() {
            self.chunks.remove(cursor.chunk);
        } else if job.nodes == chunk.least_nodes || job.walltime == chunk.shortest {
            chunk.summarise();
        }
        job
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::policy::order::{fcfs, ljf, sjf};
    use crate::scheduler::JobKey;

    proptest! {
        /// Against a plain list that is sorted after every job, with more jobs than a chunk holds.
        #[test]
        fn keeps_the_order_of_a_sorted_list(
            jobs in prop::collection::vec((1_u32..9, 1_i64..30, any::<bool>()), 1..500),
            nodes in 1_u32..9,
        ) {
            for order in [&fcfs::ORDER, &sjf::ORDER, &ljf::ORDER] {
                let (mut queue, mut list) = (Queue::new(order), Vec::<JobRequest>::new());
                for (number, &(nodes, walltime, leaves)) in (0..).zip(&jobs) {
                    let walltime = Time::from_seconds(walltime);
                    let job = JobRequest { key: JobKey(number), nodes, walltime };
                    let leads = queue.behind(&[job]).is_none();
                    list.push(job);
                    list.sort_by_key(order.rank);
                    prop_assert_eq!(leads, list.len() > 1 && list[0] == job);
                    queue.push(job);
                    if leaves {
                        prop_assert_eq!(queue.pop(), Some(list.remove(0)));
                    }
                }
                let hole = Hole { nodes, before_shadow: Time::FOREVER, extra: nodes };
                let fits = list.iter().filter(|job| job.nodes <= nodes);
                let mut cursor = Cursor::default();
                for job in fits {
                    prop_assert_eq!(queue.next_in(&mut cursor, hole), Some(*job));
                    cursor.pass();
                }
                prop_assert_eq!(queue.next_in(&mut cursor, hole), None);
            }
        }
    }
}
