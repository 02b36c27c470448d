//! How many machines are free from now on, if everything lasts as long as it may.
//!
//! A step function as two parallel lists, instants and counts; neighbours differ, and the last count
//! holds for ever. Steps that are over are passed by an offset and dropped now and then. Searching
//! costs the steps passed, changing it the steps behind the change; [`Profile::shift`] most often
//! costs the steps that it changes.

use crate::time::Time;

/// Steps that are over stay until they are so many.
const STALE: usize = 256;

/// What is sought in a profile: `nodes` machines that are free until `duration` has passed or `limit` is
/// reached, from before `limit` on.
#[derive(Clone, Copy, Debug)]
pub struct PlaceRequest {
    pub nodes: u32,
    pub duration: Time,
    pub limit: Time,
}

/// The first instant from `from` on at which what is wanted begins, with the step that it is in: of steps that
/// begin at `instants`, each with so many `free` machines, from `step` on.
pub fn earliest(
    instants: &[Time],
    free: &[u32],
    mut step: usize,
    from: Time,
    PlaceRequest { nodes, duration, limit }: PlaceRequest,
) -> Option<(usize, Time)> {
    loop {
        step += free[step..].iter().position(|free| *free >= nodes)?;
        let start = instants[step].max(from);
        if start >= limit {
            return None;
        }
        let (first, end) = (step, (start + duration).min(limit));
        step += 1;
        loop {
            if step == instants.len() || instants[step] >= end {
                return Some((first, start));
            }
            if free[step] < nodes {
                break;
            }
            step += 1;
        }
    }
}

/// Free machines over time.
#[derive(Debug)]
pub struct Profile {
    /// Steps before this one are over.
    first: usize,
    instants: Vec<Time>,
    free: Vec<u32>,
    /// What steps are to become.
    changed: (Vec<Time>, Vec<u32>),
}

impl Profile {
    /// `machines` are free for ever.
    pub fn new(machines: u32) -> Self {
        let instants = vec![Time::from_micros(i64::MIN / 4)];
        Self { first: 0, instants, free: vec![machines], changed: (Vec::new(), Vec::new()) }
    }

    /// `machines` are free for ever, but at most so many from an instant to another as `limits` say.
    pub fn limited(machines: u32, limits: &[(Time, Time, u32)]) -> Self {
        let mut profile = Self::new(machines);
        for (from, until, most) in limits {
            profile.take(*from, *until, machines.saturating_sub(*most));
        }
        profile
    }

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: Time) {
        while self.instants.get(self.first + 1).is_some_and(|next| *next <= now) {
            self.first += 1;
        }
        if self.first >= STALE {
            self.instants.drain(..self.first);
            self.free.drain(..self.first);
            self.first = 0;
        }
    }

    /// When it changes next after what it was advanced to.
    pub fn next_change(&self) -> Option<Time> {
        self.instants.get(self.first + 1).copied()
    }

    /// The first instant from `from` on, and before `limit`, from which `nodes` machines are free
    /// until `duration` has passed or `limit` is reached.
    pub fn earliest(&self, from: Time, nodes: u32, duration: Time, limit: Time) -> Option<Time> {
        let wanted = PlaceRequest { nodes, duration, limit };
        earliest(&self.instants, &self.free, self.step_of(from), from, wanted)
            .map(|(_, start)| start)
    }

    /// Whether `nodes` machines are free for as long as `duration` together, and somewhen between
    /// `start` and `end` of that.
    pub fn has_room_about(&self, start: Time, end: Time, nodes: u32, duration: Time) -> bool {
        let at = |step: usize| self.instants.get(step).copied().unwrap_or(Time::LAST);
        let fits = |step: usize| self.free.get(step).is_some_and(|free| *free >= nodes);
        let mut step = self.step_of(start);
        while at(step) < end {
            let (mut first, mut next) = (step, step + 1);
            if fits(step) {
                while first > self.first && fits(first - 1) && at(step) < at(first) + duration {
                    first -= 1;
                }
                while fits(next) && at(next) < at(first) + duration {
                    next += 1;
                }
                if at(next) >= at(first) + duration {
                    return true;
                }
            }
            step = next;
        }
        false
    }

    /// Takes `nodes` machines from `start` to `end`, where they are free.
    pub fn take(&mut self, start: Time, end: Time, nodes: u32) {
        self.change(start, end, |free| *free -= nodes);
    }

    /// Gives back `nodes` machines from `start` to `end`.
    pub fn give(&mut self, start: Time, end: Time, nodes: u32) {
        self.change(start, end, |free| *free += nodes);
    }

    /// What was taken from `start` on for `duration` is taken from `to` on in its place: the steps from
    /// the first change to the last are written anew, and those behind stay where they are as long as
    /// their number does.
    pub fn shift(&mut self, start: Time, to: Time, duration: Time, nodes: u32) {
        let (taken, given) = (nodes.wrapping_neg(), nodes);
        let mut changes =
            [(to, taken), (to + duration, given), (start, given), (start + duration, taken)];
        changes.sort_unstable_by_key(|(at, _)| *at);
        let (instants, free) = (&mut self.changed.0, &mut self.changed.1);
        instants.clear();
        free.clear();
        let begin =
            self.first + self.instants[self.first..].partition_point(|at| *at < changes[0].0);
        let mut before = self.free[begin.max(1) - 1];
        let mut last = (begin > self.first).then_some(before);
        let (mut step, mut more) = (begin, 0_u32);
        let mut changes = changes.into_iter().peekable();
        while let Some((change, _)) = changes.peek() {
            let at = self.instants.get(step).map_or(*change, |at| *at.min(change));
            if self.instants.get(step) == Some(&at) {
                before = self.free[step];
                step += 1;
            }
            while let Some((_, change)) = changes.next_if(|(change, _)| *change == at) {
                more = more.wrapping_add(change);
            }
            let count = before.wrapping_add(more);
            if last != Some(count) {
                instants.push(at);
                free.push(count);
                last = Some(count);
            }
        }
        step += usize::from(self.free.get(step).is_some_and(|free| Some(*free) == last));
        if instants.len() == step - begin {
            self.instants[begin..step].copy_from_slice(instants);
            self.free[begin..step].copy_from_slice(free);
        } else {
            self.instants.splice(begin..step, instants.drain(..));
            self.free.splice(begin..step, free.drain(..));
        }
    }

    fn change(&mut self, start: Time, end: Time, change: impl Fn(&mut u32)) {
        if start >= end {
            return;
        }
        let first = self.step_at(start);
        let last = self.step_at(end);
        self.free[first..last].iter_mut().for_each(change);
        self.join(last);
        self.join(first);
    }

    /// The step that `instant` is in; the first one for what is over.
    fn step_of(&self, instant: Time) -> usize {
        let first = self.first;
        if self.instants.get(first + 1).is_none_or(|next| *next > instant) {
            return first;
        }
        first + self.instants[first..].partition_point(|at| *at <= instant) - 1
    }

    /// The step that begins at `instant`, made where there is none.
    fn step_at(&mut self, instant: Time) -> usize {
        let step = self.first + self.instants[self.first..].partition_point(|at| *at < instant);
        if self.instants.get(step) != Some(&instant) {
            self.instants.insert(step, instant);
            self.free.insert(step, self.free[step.max(1) - 1]);
        }
        step
    }

    /// Joins a step to the one before it where they do not differ.
    fn join(&mut self, step: usize) {
        if step > self.first && self.free[step] == self.free[step - 1] {
            self.instants.remove(step);
            self.free.remove(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SPAN: i64 = 40;

    proptest! {
        /// Against an array of seconds.
        #[test]
        fn finds_what_an_array_of_seconds_finds(
            taken in prop::collection::vec((0_i64..SPAN, 1_i64..10, 1_u32..4), 0..30),
            now in 0_i64..SPAN,
            nodes in 1_u32..10,
            duration in 1_i64..20,
            limit in 1_i64..80,
        ) {
            let machines = 8;
            let mut profile = Profile::new(machines);
            let mut seconds = vec![machines; 100];
            let at = Time::from_seconds;
            let mut given = Vec::new();
            for (start, length, nodes) in taken {
                let span = usize::try_from(start).unwrap()..usize::try_from(start + length).unwrap();
                if seconds[span.clone()].iter().all(|free| *free >= nodes) {
                    seconds[span.clone()].iter_mut().for_each(|free| *free -= nodes);
                    profile.take(at(start), at(start + length), nodes);
                    given.push((start, length, nodes, span));
                }
            }
            for (start, length, nodes, _) in given.iter().skip(1).step_by(3).cloned() {
                let to = (0..start).find(|to| {
                    (*to..start.min(to + length))
                        .all(|second| seconds[usize::try_from(second).unwrap()] >= nodes)
                });
                if let Some(to) = to {
                    let span = |start| {
                        usize::try_from(start).unwrap()..usize::try_from(start + length).unwrap()
                    };
                    seconds[span(start)].iter_mut().for_each(|free| *free += nodes);
                    seconds[span(to)].iter_mut().for_each(|free| *free -= nodes);
                    profile.shift(at(start), at(to), at(length), nodes);
                }
            }
            for (start, length, nodes, span) in given.into_iter().step_by(3) {
                seconds[span].iter_mut().for_each(|free| *free += nodes);
                profile.give(at(start), at(start + length), nodes);
            }
            profile.advance(at(now));
            let fits = |start: &i64| {
                let end = (start + duration).min(limit);
                (*start..end).all(|second| seconds[usize::try_from(second).unwrap()] >= nodes)
            };
            let expected = (now..limit.min(60)).find(fits).map(at);
            let found = profile.earliest(at(now), nodes, at(duration), at(limit.min(60)));
            if nodes <= machines && limit <= 60 {
                prop_assert_eq!(found, expected);
            }
            let steps = profile.free[profile.first..].windows(2).all(|pair| pair[0] != pair[1]);
            prop_assert!(steps);
        }
    }
}
