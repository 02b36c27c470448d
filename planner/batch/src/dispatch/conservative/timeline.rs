//! What is free over time in one place: on a node, or of what all nodes share.
//!
//! A step function whose values are amounts by resource; neighbours differ, and the last one holds for ever. Steps that are over stay
//! until something changes here.

use crate::time::Time;

/// Amounts over time.
#[derive(Clone, Debug)]
pub(in crate::dispatch) struct Timeline {
    kinds: usize,
    /// When each step begins.
    begins: Vec<Time>,
    /// By step and resource.
    free: Vec<u32>,
}

/// A step: from when to when so much is free.
#[derive(Clone, Copy, Debug)]
pub(in crate::dispatch) struct Step<'a> {
    pub begin: Time,
    /// [`Time::LAST`] of the last one.
    pub end: Time,
    pub free: &'a [u32],
}

impl Timeline {
    /// So much is free for ever.
    pub fn new(free: &[u32]) -> Self {
        let begins = vec![Time::from_micros(i64::MIN / 4)];
        Self { kinds: free.len(), begins, free: free.to_vec() }
    }

    /// The steps between two instants, of which the first begins before or at the former; at least one.
    pub fn steps(&self, from: Time, to: Time) -> impl DoubleEndedIterator<Item = Step<'_>> {
        let first = self.begins.partition_point(|at| *at <= from).saturating_sub(1);
        let further = self.begins[first + 1..].partition_point(|at| *at < to);
        (first..=first + further).map(|at| Step {
            begin: self.begins[at],
            end: self.begins.get(at + 1).copied().unwrap_or(Time::LAST),
            free: self.on(at),
        })
    }

    /// The instants behind one and before another at which more of something is free than just before.
    pub fn rises(&self, from: Time, to: Time) -> impl Iterator<Item = Time> {
        let pairs = self.steps(from, to).zip(self.steps(from, to).skip(1));
        pairs.filter_map(|(before, step)| {
            let rises = before.free.iter().zip(step.free).any(|(before, free)| free > before);
            rises.then_some(step.begin)
        })
    }

    /// The least that is free between two instants, by resource.
    pub fn least(&self, from: Time, to: Time, least: &mut Vec<u32>) {
        least.clear();
        least.resize(self.kinds, u32::MAX);
        for step in self.steps(from, to) {
            for (least, free) in least.iter_mut().zip(step.free) {
                *least = (*least).min(*free);
            }
        }
    }

    /// Since when all that is free until an instant is as wanted, at the earliest from another on.
    pub fn since(&self, until: Time, earliest: Time, wanted: impl Fn(&[u32]) -> bool) -> Time {
        let mut since = until;
        let mut step = self.begins.partition_point(|at| *at < until);
        while since > earliest && step > 0 && wanted(self.on(step - 1)) {
            step -= 1;
            since = self.begins[step];
        }
        since.max(earliest.min(until))
    }

    /// How many of what `fits` counts are free from an instant to another; and when the window would have to begin so that
    /// more are.
    pub fn room(&self, from: Time, to: Time, fits: impl Fn(&[u32]) -> u32) -> (u32, Option<Time>) {
        let (mut room, mut next) = (u32::MAX, None);
        // The last of the steps with the least counts, and behind one with nothing no other.
        for step in self.steps(from, to).rev() {
            let fits = fits(step.free);
            if fits < room {
                (room, next) = (fits, Some(step.end).filter(|end| *end < Time::LAST));
            }
            if room == 0 {
                break;
            }
        }
        (room, next)
    }

    /// Takes amounts from an instant to another, where there are so many.
    pub fn take(&mut self, now: Time, from: Time, to: Time, amounts: &[(usize, u32)]) {
        self.change(now, from, to, |free| {
            for &(resource, amount) in amounts {
                debug_assert!(free[resource] >= amount);
                free[resource] = free[resource].saturating_sub(amount);
            }
        });
    }

    /// Gives amounts back that were taken.
    pub fn give(&mut self, now: Time, from: Time, to: Time, amounts: &[(usize, u32)]) {
        self.change(now, from, to, |free| {
            for &(resource, amount) in amounts {
                free[resource] += amount;
            }
        });
    }

    fn on(&self, step: usize) -> &[u32] {
        &self.free[step * self.kinds..(step + 1) * self.kinds]
    }

    fn change(&mut self, now: Time, from: Time, to: Time, change: impl Fn(&mut [u32])) {
        self.forget(now);
        if from >= to {
            return;
        }
        let first = self.step_at(from);
        let last = self.step_at(to);
        let kinds = self.kinds;
        for step in first..last {
            change(&mut self.free[step * kinds..(step + 1) * kinds]);
        }
        self.join(last);
        self.join(first);
    }

    /// Forgets steps that are over.
    fn forget(&mut self, now: Time) {
        let over = self.begins.partition_point(|at| *at <= now).saturating_sub(1);
        if over > 0 {
            self.begins.drain(..over);
            self.free.drain(..over * self.kinds);
        }
    }

    /// The step that begins at an instant, made where there is none.
    fn step_at(&mut self, instant: Time) -> usize {
        let step = self.begins.partition_point(|at| *at < instant);
        if self.begins.get(step) != Some(&instant) {
            let (before, at) = (step.saturating_sub(1) * self.kinds, step * self.kinds);
            self.begins.insert(step, instant);
            let behind = self.free.len();
            self.free.resize(behind + self.kinds, 0);
            self.free.copy_within(at..behind, at + self.kinds);
            self.free.copy_within(before..before + self.kinds, at);
        }
        step
    }

    /// Joins a step to the one before it where they do not differ.
    fn join(&mut self, step: usize) {
        if step > 0 && step < self.begins.len() && self.on(step) == self.on(step - 1) {
            self.begins.remove(step);
            self.free.drain(step * self.kinds..(step + 1) * self.kinds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Time {
        Time::from_seconds(seconds)
    }

    fn told(line: &Timeline) -> Vec<(i64, Vec<u32>)> {
        let steps = line.steps(at(0), Time::LAST);
        steps.map(|it| (it.begin.max(at(0)).as_micros() / 1_000_000, it.free.to_vec())).collect()
    }

    /// Of 4 cores and 2 GPUs a job has 3 and 1 from 2 to 6 s, another 1 and 1 from 6 to 8 s. What is given back leaves no step.
    #[test]
    fn steps_are_where_something_changes() {
        let mut line = Timeline::new(&[4, 2]);
        line.take(at(0), at(2), at(6), &[(0, 3), (1, 1)]);
        line.take(at(0), at(6), at(8), &[(0, 1), (1, 1)]);
        let expected = vec![(0, vec![4, 2]), (2, vec![1, 1]), (6, vec![3, 1]), (8, vec![4, 2])];
        assert_eq!(told(&line), expected);
        // At 2 s less of both is free; at 6 s two cores more, at 8 s both.
        assert_eq!(line.rises(at(0), at(9)).collect::<Vec<_>>(), [at(6), at(8)]);
        assert_eq!(line.rises(at(6), at(8)).count(), 0);
        let mut least = Vec::new();
        line.least(at(5), at(7), &mut least);
        assert_eq!(least, [1, 1]);
        // Pairs of cores: none until 6 s, then one; the window must begin at 6 s.
        let pairs = |free: &[u32]| free[0] / 2;
        assert_eq!(line.room(at(0), at(2), pairs), (2, Some(at(2))));
        assert_eq!(line.room(at(0), at(3), pairs), (0, Some(at(6))));
        assert_eq!(line.room(at(6), at(9), pairs), (1, Some(at(8))));
        // 3 cores are free from 6 s on: until 9 s since 6 s, or since 7 s if that is the earliest; until 6 s at no time.
        let three = |free: &[u32]| free[0] >= 3;
        assert_eq!(
            [line.since(at(9), at(0), three), line.since(at(9), at(7), three)],
            [at(6), at(7)]
        );
        assert_eq!(line.since(at(6), at(0), three), at(6));
        line.give(at(3), at(3), at(6), &[(0, 3), (1, 1)]);
        line.give(at(3), at(6), at(8), &[(0, 1), (1, 1)]);
        // What was before 3 s is forgotten, or what it was.
        assert_eq!(told(&line).last(), Some(&(3, vec![4, 2])));
    }
}
