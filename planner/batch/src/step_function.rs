//! A value over time that changes in places: neighbours differ, and the last value holds for ever.

use crate::time::Time;

/// A step function of time that has a value always.
#[derive(Clone, Debug)]
pub struct StepFunction<V> {
    /// When each step begins, and its value.
    steps: Vec<(Time, V)>,
}

impl<V: Clone + PartialEq> StepFunction<V> {
    /// One value for ever.
    pub fn of(value: V) -> Self {
        Self { steps: vec![(Time::from_micros(i64::MIN / 4), value)] }
    }

    /// The steps: when each begins, and its value.
    pub fn steps(&self) -> &[(Time, V)] {
        &self.steps
    }

    /// The place of the step that an instant is in; the first one for what was forgotten.
    pub fn step_of(&self, instant: Time) -> usize {
        self.steps.partition_point(|(at, _)| *at <= instant).saturating_sub(1)
    }

    /// Forgets what was before `now`.
    pub fn forget(&mut self, now: Time) {
        self.steps.drain(..self.step_of(now));
    }

    /// Changes the values from an instant to another.
    pub fn change(&mut self, from: Time, to: Time, change: impl Fn(&V) -> V) {
        if from >= to {
            return;
        }
        let first = self.step_at(from);
        let last = self.step_at(to);
        for (_, value) in &mut self.steps[first..last] {
            *value = change(value);
        }
        self.join(last);
        self.join(first);
    }

    /// The step that begins at `instant`, made where there is none.
    fn step_at(&mut self, instant: Time) -> usize {
        let step = self.steps.partition_point(|(at, _)| *at < instant);
        if self.steps.get(step).is_none_or(|(at, _)| *at != instant) {
            let before = self.steps[step.max(1) - 1].1.clone();
            self.steps.insert(step, (instant, before));
        }
        step
    }

    /// Joins a step to the one before it where they do not differ.
    fn join(&mut self, step: usize) {
        if step > 0 && self.steps[step].1 == self.steps[step - 1].1 {
            self.steps.remove(step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 5 for ever, 2 less from 10 to 20 s and 1 less from 15 to 30 s: 5, 3, 2, 4, 5. Given back, it is 5 again.
    #[test]
    fn equal_neighbours_are_one_step() {
        let s = Time::from_seconds;
        let mut function = StepFunction::of(5);
        function.change(s(10), s(20), |value| value - 2);
        function.change(s(15), s(30), |value| value - 1);
        let values = |it: &StepFunction<i32>| it.steps().iter().map(|it| it.1).collect::<Vec<_>>();
        assert_eq!(values(&function), [5, 3, 2, 4, 5]);
        assert_eq!((function.step_of(s(9)), function.step_of(s(20))), (0, 3));
        function.change(s(10), s(20), |value| value + 2);
        function.change(s(30), s(30), |_| 0);
        assert_eq!(values(&function), [5, 4, 5]);
        function.forget(s(29));
        assert_eq!((values(&function), function.step_of(s(0))), (vec![4, 5], 0));
    }
}
