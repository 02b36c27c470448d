//! How many machines are free from now on, if everything lasts as long as it may.
//!
//! A step function as two parallel lists, instants and counts; neighbours differ, and the last count
//! holds for ever. Steps that are over are passed by an offset and dropped now and then. Searching
//! costs the steps passed, changing it the steps behind the change.

use super::time::Time;

/// Steps that are over stay until they are so many.
const STALE: usize = 256;

/// Free machines over time.
#[derive(Debug)]
pub struct Profile {
    /// Steps before this one are over.
    first: usize,
    instants: Vec<Time>,
    free: Vec<u32>,
}

impl Profile {
    /// `machines` are free for ever.
    pub fn new(machines: u32) -> Self {
        Self { first: 0, instants: vec![Time::from_micros(i64::MIN / 4)], free: vec![machines] }
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

    /// The first instant from `now` on, and before `limit`, from which `nodes` machines are free
    /// until `duration` has passed or `limit` is reached.
    pub fn earliest(&self, now: Time, nodes: u32, duration: Time, limit: Time) -> Option<Time> {
        let steps = self.instants.len();
        let mut step = self.first;
        loop {
            step += self.free[step..].iter().position(|free| *free >= nodes)?;
            let start = self.instants[step].max(now);
            if start >= limit {
                return None;
            }
            let end = (start + duration).min(limit);
            step += 1;
            loop {
                if step == steps || self.instants[step] >= end {
                    return Some(start);
                }
                if self.free[step] < nodes {
                    break;
                }
                step += 1;
            }
        }
    }

    /// Takes `nodes` machines from `start` to `end`, where they are free.
    pub fn take(&mut self, start: Time, end: Time, nodes: u32) {
        self.change(start, end, |free| *free -= nodes);
    }

    /// Gives back `nodes` machines from `start` to `end`.
    pub fn give(&mut self, start: Time, end: Time, nodes: u32) {
        self.change(start, end, |free| *free += nodes);
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
