//! Jobs that wait, in order: the order alone stands close together, since all of it is looked at whenever a job ends.

mod of_kind;

use std::collections::VecDeque;
use std::ops::Index;

use of_kind::OfKind;

use super::order::Waiting;
use super::unit::UnitId;
use crate::time::Time;

/// What a pass over the queue looks at.
#[derive(Clone, Copy, Debug)]
pub(super) struct QueuePlace {
    pub key: u32,
    pub unit: UnitId,
    pub units: u32,
    /// How many whole seconds it is taken to last at least.
    pub seconds: u32,
}

/// The whole seconds of a time, as far as they are kept.
pub(super) fn whole_seconds(time: Time) -> u32 {
    u32::try_from(time.as_micros() / 1_000_000).unwrap_or(u32::MAX)
}

/// Jobs that wait, the first one first.
#[derive(Debug, Default)]
pub(super) struct WaitingQueue {
    order: VecDeque<QueuePlace>,
    /// By key.
    jobs: Vec<Option<Waiting>>,
    /// By kind of unit.
    kinds: Vec<OfKind>,
    /// When the last one was submitted that ever waited.
    latest: Time,
    /// Used when they are ranked.
    ranked: Vec<((i64, i64), u64, QueuePlace)>,
}

impl WaitingQueue {
    /// How many jobs wait.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The first one.
    pub fn front(&self) -> Option<&Waiting> {
        self.order.front().and_then(|it| self.jobs[it.key as usize].as_ref())
    }

    /// Those that wait with units of a kind, where there are any.
    pub fn of_kind(&self, unit: UnitId) -> Option<&OfKind> {
        self.kinds.get(unit.index()).filter(|it| !it.is_empty())
    }

    /// When the last one was submitted of all that ever waited.
    pub const fn latest(&self) -> Time {
        self.latest
    }

    /// How long the job of a place is taken to last.
    pub fn lasts(&self, place: &QueuePlace) -> Time {
        let job = self.jobs[place.key as usize].as_ref();
        job.map_or(Time::FOREVER, |job| job.estimate.told)
    }

    /// The jobs from a place on.
    pub fn from(&self, at: usize) -> impl Iterator<Item = &Waiting> {
        self.order.range(at..).filter_map(|it| self.jobs[it.key as usize].as_ref())
    }

    /// The first place from `at` on that is as wanted.
    pub fn find(&self, at: usize, wanted: impl Fn(&QueuePlace) -> bool) -> Option<usize> {
        let (one, other) = self.order.as_slices();
        let first = one.get(at..).and_then(|rest| rest.iter().position(&wanted));
        first.map(|further| at + further).or_else(|| {
            let from = at.saturating_sub(one.len());
            let further = other.get(from..)?.iter().position(&wanted)?;
            Some(one.len() + from + further)
        })
    }

    /// Puts a job at its place; where that is.
    pub fn insert(&mut self, job: Waiting) -> usize {
        let place = (job.rank, job.arrival);
        let before = |other: &QueuePlace| {
            self.jobs[other.key as usize].is_some_and(|other| (other.rank, other.arrival) < place)
        };
        // Nearly all come last.
        let at = match self.order.back() {
            Some(last) if !before(last) => self.order.partition_point(before),
            _ => self.order.len(),
        };
        let place = self.keep(job);
        self.order.insert(at, place);
        at
    }

    /// Puts a job at the end, whatever its rank: all have to be ranked before their order counts.
    pub fn push(&mut self, job: Waiting) {
        let place = self.keep(job);
        self.order.push_back(place);
    }

    fn keep(&mut self, job: Waiting) -> QueuePlace {
        let key = job.key as usize;
        if self.jobs.len() <= key {
            self.jobs.resize(key + 1, None);
        }
        self.jobs[key] = Some(job);
        let kind = job.unit.index();
        if self.kinds.len() <= kind {
            self.kinds.resize(kind + 1, OfKind::default());
        }
        let lasts = job.estimate.told;
        self.kinds[kind].wait(job.units, lasts);
        self.latest = self.latest.max(job.submitted);
        QueuePlace { key: job.key, unit: job.unit, units: job.units, seconds: whole_seconds(lasts) }
    }

    /// Takes the job at a place out of the queue.
    pub fn remove(&mut self, at: usize) -> Option<Waiting> {
        let place = self.order.remove(at)?;
        self.kinds[place.unit.index()].leave(place.units);
        self.jobs[place.key as usize].take()
    }

    /// Takes the jobs at these places, which rise, out of the queue.
    pub fn remove_all(&mut self, places: &[usize]) {
        let (mut at, mut taken) = (0, places.iter().peekable());
        self.order.retain(|place| {
            let goes = taken.next_if_eq(&&at).is_some();
            at += 1;
            if goes {
                self.kinds[place.unit.index()].leave(place.units);
                self.jobs[place.key as usize] = None;
            }
            !goes
        });
    }

    /// Puts all of them in order anew.
    pub fn rank(&mut self, rank: impl Fn(&Waiting) -> (i64, i64)) {
        for place in &self.order {
            if let Some(job) = &mut self.jobs[place.key as usize] {
                job.rank = rank(job);
                self.ranked.push((job.rank, job.arrival, *place));
            }
        }
        self.ranked.sort_by_key(|(rank, arrival, _)| (*rank, *arrival));
        let places = self.ranked.drain(..).map(|(.., place)| place);
        self.order.iter_mut().zip(places).for_each(|(place, next)| *place = next);
    }
}

impl Index<usize> for WaitingQueue {
    type Output = Waiting;

    fn index(&self, at: usize) -> &Waiting {
        match &self.jobs[self.order[at].key as usize] {
            Some(job) => job,
            None => unreachable!("who has a place waits"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::estimate::Estimate;
    use crate::dispatch::unit::{UnitRequest, UnitRequests};

    /// Jobs of ranks 2, 1, 2 and 3 stand by rank, equal ones as they came; ranked anew by falling keys the last one comes first.
    #[test]
    fn jobs_stand_in_their_order() {
        let unit = UnitRequests::default().id(&UnitRequest::default());
        let mut queue = WaitingQueue::default();
        let places: Vec<usize> = [(7, 2), (0, 1), (4, 2), (2, 3)]
            .into_iter()
            .zip(0..)
            .map(|((key, rank), arrival)| {
                let estimate = Estimate::of(Time::from_seconds(rank));
                let (submitted, limit, rank) = (Time::ZERO, Time::FOREVER, (rank, 0));
                let (units, user, queue_of) = (key + 1, 0, None);
                queue.insert(Waiting {
                    key,
                    arrival,
                    submitted,
                    estimate,
                    limit,
                    unit,
                    units,
                    user,
                    queue: queue_of,
                    rank,
                })
            })
            .collect();
        assert_eq!(places, [0, 0, 2, 3]);
        let keys = |queue: &WaitingQueue| queue.from(0).map(|job| job.key).collect::<Vec<_>>();
        assert_eq!(keys(&queue), [0, 7, 4, 2]);
        assert_eq!(queue.find(1, |it| it.units < 6), Some(2));
        assert_eq!(queue.remove(2).map(|job| job.key), Some(4));
        queue.rank(|job| (-i64::from(job.key), 0));
        assert_eq!((keys(&queue), queue[0].key, queue.len()), (vec![7, 2, 0], 7, 3));
        assert_eq!((queue.front().map(|job| job.key), queue.find(9, |_| true)), (Some(7), None));
    }
}
