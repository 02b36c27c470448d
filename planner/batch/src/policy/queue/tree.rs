//! Jobs in an order, as a tree whose branches know what their jobs ask for at least.

use super::Hole;
use super::least::Least;
use crate::scheduler::JobRequest;

/// Jobs of a leaf, and parts of a branch, at most; few in tests, so that their trees are high.
const FULL: usize = if cfg!(test) { 4 } else { 32 };

/// Gives a job its place: by its priority queue, and within that by an order.
#[derive(Clone, Copy, Debug)]
pub struct Rank(pub fn(&JobRequest) -> i64);

/// The priority queue and the rank within it.
type Place = (u32, i64);

/// Before everybody.
const FIRST: Place = (0, i64::MIN);

impl Rank {
    /// Of a job.
    pub fn of(self, job: &JobRequest) -> Place {
        (job.queue, (self.0)(job))
    }
}

/// A part of the tree: a leaf, or a branch. All leaves are equally far from the root.
#[derive(Debug)]
pub struct Tree {
    jobs: usize,
    /// No job here has a greater rank, and none behind has a less.
    last: Place,
    least: Least,
    /// Whether a job was removed that what is least may rest on.
    stale: bool,
    parts: Parts,
}

#[derive(Debug)]
enum Parts {
    Leaf(Vec<JobRequest>),
    /// None of them is empty.
    Branch(Vec<Tree>),
}

impl Tree {
    /// No jobs.
    pub fn new() -> Self {
        Self::of(Parts::Leaf(Vec::new()), FIRST)
    }

    fn of(parts: Parts, last: Place) -> Self {
        let jobs = match &parts {
            Parts::Leaf(jobs) => jobs.len(),
            Parts::Branch(parts) => parts.iter().map(Self::len).sum(),
        };
        let mut tree = Self { jobs, last, least: Least::default(), stale: false, parts };
        tree.renew();
        tree
    }

    /// How many jobs there are.
    pub const fn len(&self) -> usize {
        self.jobs
    }

    /// The first job.
    pub fn first(&self) -> Option<&JobRequest> {
        match &self.parts {
            Parts::Leaf(jobs) => jobs.first(),
            Parts::Branch(parts) => parts.first().and_then(Self::first),
        }
    }

    /// Looks anew what its jobs ask for at least.
    fn renew(&mut self) {
        let Self { least, parts, .. } = self;
        least.clear();
        self.stale = match parts {
            Parts::Leaf(jobs) => {
                for job in jobs {
                    least.add(job.nodes, job.walltime);
                }
                false
            }
            Parts::Branch(parts) => {
                for part in parts.iter() {
                    least.add_all(&part.least);
                }
                parts.iter().any(|part| part.stale)
            }
        };
    }

    /// Adds a job behind those of its rank.
    pub fn push(&mut self, job: JobRequest, rank: Rank) {
        if let Some(behind) = self.insert(job, rank) {
            let last = behind.last;
            let before = std::mem::replace(self, Self::new());
            *self = Self::of(Parts::Branch(vec![before, behind]), last);
        }
    }

    /// Adds a job behind those of its rank; what comes behind this part then, where there was no room in it.
    fn insert(&mut self, job: JobRequest, rank: Rank) -> Option<Self> {
        let own = rank.of(&job);
        self.jobs += 1;
        self.last = self.last.max(own);
        self.least.add(job.nodes, job.walltime);
        let (place, all) = match &mut self.parts {
            Parts::Leaf(jobs) => {
                let place = jobs.partition_point(|other| rank.of(other) <= own);
                jobs.insert(place, job);
                (place, jobs.len())
            }
            Parts::Branch(parts) => {
                let place = parts.partition_point(|part| part.last <= own).min(parts.len() - 1);
                let behind = parts[place].insert(job, rank)?;
                parts.insert(place + 1, behind);
                (place + 1, parts.len())
            }
        };
        (all > FULL).then(|| self.split(place, rank))
    }

    /// Splits off what comes behind: the last where all came in their order, else half.
    fn split(&mut self, place: usize, rank: Rank) -> Self {
        let ordered = place == FULL;
        let at = if ordered { FULL } else { FULL / 2 };
        let last = self.last;
        let behind = match &mut self.parts {
            Parts::Leaf(jobs) => {
                let behind = jobs.split_off(at);
                self.last = jobs.last().map_or(FIRST, |job| rank.of(job));
                Self::of(Parts::Leaf(behind), last)
            }
            Parts::Branch(parts) => {
                let behind = parts.split_off(at);
                self.last = parts.last().map_or(FIRST, |part| part.last);
                Self::of(Parts::Branch(behind), last)
            }
        };
        self.jobs -= behind.jobs;
        self.stale = true;
        behind
    }

    /// The next job at `place` or behind it that `hole` takes, and its place.
    pub fn next_in(&mut self, place: usize, hole: Hole) -> Option<(usize, JobRequest)> {
        if place >= self.jobs || !self.least.may_fit(hole) {
            return None;
        }
        let found = match &mut self.parts {
            Parts::Leaf(jobs) => {
                let fits = |job: &JobRequest| hole.takes(job.nodes, job.walltime);
                let more = jobs[place..].iter().position(fits);
                more.map(|more| (place + more, jobs[place + more]))
            }
            Parts::Branch(parts) => {
                let mut before = 0;
                parts.iter_mut().find_map(|part| {
                    let found = part.next_in(place.saturating_sub(before), hole);
                    let found = found.map(|(place, job)| (before + place, job));
                    before += part.jobs;
                    found
                })
            }
        };
        if found.is_none() && self.stale {
            self.renew();
        }
        found
    }

    /// Removes the job at a place, where there is one.
    pub fn remove(&mut self, place: usize) -> JobRequest {
        let job = self.take(place);
        while let Parts::Branch(parts) = &mut self.parts
            && parts.len() < 2
        {
            *self = parts.pop().unwrap_or_else(Self::new);
        }
        job
    }

    /// Removes the job at a place of this part, which may be empty then.
    fn take(&mut self, mut place: usize) -> JobRequest {
        let job = match &mut self.parts {
            Parts::Leaf(jobs) => jobs.remove(place),
            Parts::Branch(parts) => {
                let mut index = 0;
                while place >= parts[index].jobs {
                    place -= parts[index].jobs;
                    index += 1;
                }
                let job = parts[index].take(place);
                if parts[index].jobs == 0 {
                    parts.remove(index);
                }
                job
            }
        };
        self.jobs -= 1;
        self.stale |= self.least.rests_on(&job);
        job
    }
}
