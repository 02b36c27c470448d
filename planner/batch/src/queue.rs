//! Waiting jobs in order of arrival, with a summary of every few dozen of them, so that a search for
//! a job that fits passes over those that cannot.

use std::collections::VecDeque;

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
    fn summarise(&mut self) {
        self.least_nodes = self.jobs.iter().map(|job| job.nodes).min().unwrap_or(u32::MAX);
        self.shortest = self.jobs.iter().map(|job| job.walltime).min().unwrap_or(Time::FOREVER);
    }
}

/// Waiting jobs, the first come first.
#[derive(Debug, Default)]
pub struct Queue {
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
    /// Adds a job at the end.
    pub fn push(&mut self, job: JobRequest) {
        if let Some(chunk) = self.chunks.back_mut().filter(|chunk| chunk.jobs.len() < FULL) {
            chunk.least_nodes = chunk.least_nodes.min(job.nodes);
            chunk.shortest = chunk.shortest.min(job.walltime);
            chunk.jobs.push(job);
        } else {
            let mut jobs = Vec::with_capacity(FULL);
            jobs.push(job);
            let (least_nodes, shortest) = (job.nodes, job.walltime);
            self.chunks.push_back(Chunk { least_nodes, shortest, jobs });
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
