//! What became free since waiting jobs were planned, and from when on it may let them start.
//!
//! A job that found no earlier start finds one only where something became free since. Whether units of a kind could be there is
//! looked at once for all jobs with such units that last about as long; each of them then asks for the least instant among what it
//! has not seen. So is what searches found out: that jobs no smaller cannot start before an instant, until something becomes free.

use std::collections::VecDeque;

use super::Future;
use super::timeline::Timeline;
use crate::dispatch::unit::{UnitId, UnitRequest};
use crate::time::Time;

/// The shortest time that there is.
const INSTANT: Time = Time::from_micros(1);

/// What became free, in its order: not all of it has been seen by every waiting job.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    /// The node of each, or none for what all nodes share.
    places: VecDeque<(Option<u32>, GivenPlace)>,
    /// How much was forgotten as everybody had seen it.
    forgotten: u64,
    /// By node.
    on_nodes: Vec<VecDeque<GivenPlace>>,
    /// By unit.
    reaches: Vec<Vec<Reaches>>,
}

/// How much became free before it, and from when to when it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct GivenPlace {
    number: u64,
    from: Time,
    to: Time,
}

/// Jobs of one kind of units whose lengths have one magnitude.
#[derive(Clone, Debug)]
pub(in crate::dispatch) struct Reaches {
    shortest: Time,
    longest: Time,
    /// How much of what became free has been looked at.
    looked: u64,
    /// Numbers of what became free, and when a job can start at the earliest that has some of it or of what came later: both rise.
    firsts: VecDeque<(u64, Time)>,
    bounds: Vec<Bound>,
}

/// No `units` are free for `length` from any instant before `before`.
#[derive(Clone, Copy, Debug)]
struct Bound {
    units: u32,
    length: Time,
    before: Time,
}

impl Given {
    /// How much became free so far.
    pub fn count(&self) -> u64 {
        self.forgotten + self.places.len() as u64
    }

    /// Some of a node became free, or of what all nodes share.
    pub fn push(&mut self, node: Option<u32>, from: Time, to: Time) {
        let given = GivenPlace { number: self.count(), from, to };
        self.places.push_back((node, given));
        if let Some(node) = node {
            let place = node as usize;
            if self.on_nodes.len() <= place {
                self.on_nodes.resize(place + 1, VecDeque::new());
            }
            self.on_nodes[place].push_back(given);
        }
    }

    /// Forgets what became free before it was so much.
    pub fn forget(&mut self, seen: u64) {
        while self.forgotten < seen
            && let Some((node, _)) = self.places.pop_front()
        {
            self.forgotten += 1;
            if let Some(node) = node {
                self.on_nodes[node as usize].pop_front();
            }
        }
    }

    /// What became free on a node since it was so much.
    fn on(&self, node: u32, seen: u64) -> impl Iterator<Item = &GivenPlace> {
        let of_node = self.on_nodes.get(node as usize);
        of_node
            .into_iter()
            .flat_map(move |all| all.range(all.partition_point(|given| given.number < seen)..))
    }

    /// When a job could start at the earliest that has some of what became free on a node of its own since it was so much: what it is
    /// promised there from `start` to `end` is free for it.
    pub fn first_on_own(
        &self,
        now: Time,
        seen: u64,
        (node, line): (u32, &Timeline),
        unit: &UnitRequest,
        [start, end]: [Time; 2],
    ) -> Option<Time> {
        let mut new = self.on(node, seen).filter(|it| it.from < end && it.to > now).peekable();
        new.peek()?;
        let since = line.since(start, now, |free| unit.fits(free) > 0);
        let first = |it: &GivenPlace| since.max(it.from - (end - start) + INSTANT);
        new.filter(|it| it.to > since).map(first).min()
    }

    /// What is known of jobs with such units that last about so long, with all that became free so far.
    pub fn reaches(
        &mut self,
        now: Time,
        future: &Future,
        (id, unit): (UnitId, &UnitRequest),
        length: Time,
    ) -> &mut Reaches {
        let count = self.count();
        if self.reaches.len() <= id.index() {
            self.reaches.resize(id.index() + 1, Vec::new());
        }
        let of_unit = &mut self.reaches[id.index()];
        let magnitude = |length: Time| length.as_micros().leading_zeros();
        let at = of_unit.iter().position(|it| magnitude(it.shortest) == magnitude(length));
        let at = at.unwrap_or_else(|| {
            of_unit.push(Reaches::of(length, count));
            of_unit.len() - 1
        });
        let reaches = &mut of_unit[at];
        if reaches.looked < self.forgotten {
            // None of its jobs waited.
            *reaches = Reaches::of(length, count);
        }
        let unseen = usize::try_from(reaches.looked - self.forgotten).unwrap_or(usize::MAX);
        for (node, given) in self.places.range(unseen..) {
            reaches.look(now, future, unit, *node, given);
        }
        reaches.looked = count;
        while reaches.firsts.front().is_some_and(|first| first.0 < self.forgotten) {
            reaches.firsts.pop_front();
        }
        reaches.shortest = reaches.shortest.min(length);
        reaches.longest = reaches.longest.max(length);
        reaches
    }
}

impl Reaches {
    fn of(length: Time, looked: u64) -> Self {
        let (firsts, bounds) = (VecDeque::new(), Vec::new());
        Self { shortest: length, longest: length, looked, firsts, bounds }
    }

    /// When a job could start at the earliest that has some of what became free since it was so much.
    pub fn first_since(&self, seen: u64) -> Option<Time> {
        let at = self.firsts.partition_point(|first| first.0 < seen);
        self.firsts.get(at).map(|first| first.1)
    }

    /// Before when so many units cannot be free for so long; what is promised to the job itself from `limit` on is not
    /// free here.
    pub fn bound(&self, units: u32, length: Time, limit: Time) -> Option<Time> {
        let holds = |it: &&Bound| it.units <= units && it.length <= length;
        self.bounds.iter().filter(holds).map(|it| it.before.min(limit - it.length)).max()
    }

    /// So many units are not free for so long from any instant before this one.
    pub fn learn(&mut self, units: u32, length: Time, before: Time) {
        let new = Bound { units, length, before };
        let same = |it: &&mut Bound| it.units.leading_zeros() == units.leading_zeros();
        match self.bounds.iter_mut().find(same) {
            None => self.bounds.push(new),
            Some(old) => {
                let wider = units <= old.units && length <= old.length;
                if wider || before >= old.before {
                    *old = new;
                }
            }
        }
    }

    /// Looks at what became free.
    fn look(
        &mut self,
        now: Time,
        future: &Future,
        unit: &UnitRequest,
        node: Option<u32>,
        given: &GivenPlace,
    ) {
        let first = match node {
            Some(node) if !future.has_properties(unit, node) => None,
            Some(node) => self.first_on(now, future.on(node), unit, given),
            None if unit.shared.is_empty() || given.to <= now => None,
            None => Some(given.from - self.longest + INSTANT),
        };
        let Some(first) = first else { return };
        while self.firsts.back().is_some_and(|last| last.1 >= first) {
            self.firsts.pop_back();
        }
        self.firsts.push_back((given.number, first));
        self.bounds.iter_mut().for_each(|bound| bound.before = bound.before.min(first));
    }

    /// When one of the jobs could start at the earliest that has some of what became free on a node.
    fn first_on(
        &self,
        now: Time,
        line: &Timeline,
        unit: &UnitRequest,
        given: &GivenPlace,
    ) -> Option<Time> {
        let (from, to) = (given.from.max(now), given.to);
        if from >= to {
            return None;
        }
        let room = |free: &[u32]| unit.fits(free) > 0;
        let mut since = Some(line.since(from, now.max(from - self.longest + INSTANT), room));
        for step in line.steps(from, to + self.shortest) {
            if room(step.free) {
                since.get_or_insert(step.begin);
                continue;
            }
            let open = since.take().filter(|_| step.begin > from);
            let first = open.filter(|first| *first + self.shortest <= step.begin);
            if first.is_some() || step.end >= to {
                return first.filter(|first| *first < to);
            }
        }
        since.filter(|first| *first < to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dispatch::conservative::Held;
    use crate::dispatch::free::{FreeResources, UnitsOnNode};
    use crate::dispatch::system::System;
    use crate::dispatch::unit::UnitRequests;

    fn at(seconds: i64) -> Time {
        Time::from_seconds(seconds)
    }

    /// A node of 4 cores of which 3 are taken from 4 to 10 s and from 13 to 20 s: between them 3 s are free for units of 2. A job
    /// of 3 s can start there at 10 s, one of 4 s cannot. The latter can start at 20 s or before 4 s, which the former can too: with some
    /// of what is given from 3 s on not before 3 - 3 s and an instant, that is now. Who has seen the first finds only the second.
    #[test]
    fn what_became_free_is_looked_at_by_length() {
        let free = FreeResources::all_of(&System::of_one_resource("cores", 1, 4));
        let mut units = UnitRequests::default();
        let (two, three) = (UnitRequest::of(&[2], 1), UnitRequest::of(&[3], 1));
        let id = units.id(&two);
        let mut future = Future::new(&free);
        for (from, to) in [(4, 10), (13, 20)] {
            let places = [UnitsOnNode { node: 0, units: 1 }];
            future.take(at(0), Held { unit: &three, places: &places, from: at(from), to: at(to) });
        }
        let mut given = Given::default();
        let firsts = |given: &mut Given, length: i64| {
            let reaches = given.reaches(at(0), &future, (id, &two), at(length));
            [0, 1].map(|seen| reaches.first_since(seen))
        };
        // Lengths from 2.1 to 4.2 s have one magnitude: that is why each is looked at with lists of its own here.
        let (mut of_three, mut of_four) = (given.clone(), given.clone());
        assert_eq!((firsts(&mut of_three, 3), firsts(&mut of_four, 4)), ([None; 2], [None; 2]));
        for given in [&mut of_three, &mut of_four, &mut given] {
            given.push(Some(0), at(3), at(4));
            given.push(Some(0), at(11), at(12));
        }
        let instant = Some(at(0) + INSTANT);
        assert_eq!(firsts(&mut of_three, 3), [instant, Some(at(10))]);
        assert_eq!(firsts(&mut of_four, 4), [Some(at(0)), None]);
        // Nobody waited: what was before is not looked at.
        assert_eq!(firsts(&mut given, 3), [None, None]);
        of_three.forget(1);
        assert_eq!((of_three.count(), firsts(&mut of_three, 3)[0]), (2, Some(at(10))));
        // On an own node that is promised from 4 to 13 s all of it is one window, from now on.
        let own = of_three.first_on_own(at(0), 1, (0, future.on(0)), &two, [at(4), at(13)]);
        assert_eq!(own, Some(at(11) - at(9) + INSTANT));
    }

    /// No 3 units before 9 s: nor 4, nor for longer, but 2 perhaps. Whoever is promised 11 s itself may overlap that from 11 - 5 s
    /// on.
    #[test]
    fn bounds_hold_for_what_is_no_smaller() {
        let mut reaches = Reaches::of(at(5), 0);
        reaches.learn(3, at(5), at(9));
        assert_eq!(reaches.bound(4, at(6), Time::LAST), Some(at(9)));
        assert_eq!(
            (reaches.bound(2, at(6), Time::LAST), reaches.bound(3, at(4), Time::LAST)),
            (None, None)
        );
        assert_eq!(reaches.bound(3, at(5), at(11)), Some(at(6)));
        // For 2 units of the same magnitude it is known of less: the later one stays, unless the new one holds for more.
        reaches.learn(3, at(6), at(8));
        assert_eq!(reaches.bound(3, at(6), Time::LAST), Some(at(9)));
        reaches.learn(2, at(5), at(8));
        assert_eq!(reaches.bound(2, at(5), Time::LAST), Some(at(8)));
    }
}
