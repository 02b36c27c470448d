//! The sleeps of one node, of which only so many may begin on a day.

use super::amounts::{Key, sum};

/// A sleep that a gap may have, when it begins on one day.
#[derive(Clone, Copy, Debug)]
pub(super) struct DayOption<T> {
    /// The day of UTC on which the node is switched off, since the Unix epoch.
    pub day: i64,
    /// What it is worth.
    pub worth: Key,
    pub sleep: T,
}

/// The milliseconds of a day.
pub(super) const DAY_MS: i64 = 86_400_000;

/// For each gap, in time order, the option that is taken of it, so that no more than `most` begin on a day and together they
/// are worth the most.
///
/// A gap is after those before it: what begins in it begins on no earlier day. So all that matters of what was chosen is the
/// day on which the last one began, and how many began on it.
pub(super) fn choose<T: Copy>(gaps: &[Vec<DayOption<T>>], most: u32) -> Vec<Option<T>> {
    let mut plans = vec![Plan { day: i64::MIN, began: 0, worth: [0; 3], last: None }];
    let mut taken: Vec<Taken> = Vec::new();
    for (gap, options) in gaps.iter().enumerate() {
        let mut next = plans.clone();
        for plan in &plans {
            for (place, option) in options.iter().enumerate() {
                let began = if option.day == plan.day { plan.began + 1 } else { 1 };
                if option.day < plan.day || began > most {
                    continue;
                }
                taken.push(Taken { gap, place, before: plan.last });
                let worth = sum(plan.worth, option.worth);
                next.push(Plan { day: option.day, began, worth, last: Some(taken.len() - 1) });
            }
        }
        plans = without_the_worse(next);
    }
    let best = plans.iter().max_by_key(|plan| plan.worth);
    let mut chosen = vec![None; gaps.len()];
    let mut last = best.and_then(|plan| plan.last);
    while let Some(Taken { gap, place, before }) = last.map(|last| taken[last]) {
        chosen[gap] = Some(gaps[gap][place].sleep);
        last = before;
    }
    chosen
}

/// What was chosen of the gaps so far.
#[derive(Clone, Copy)]
struct Plan {
    /// The day on which the last one began, and how many began on it.
    day: i64,
    began: u32,
    worth: Key,
    /// The last that was taken.
    last: Option<usize>,
}

/// An option that was taken, and the one before it.
#[derive(Clone, Copy)]
struct Taken {
    gap: usize,
    place: usize,
    before: Option<usize>,
}

/// Of plans with the same last day and the same number on it, the one that is worth the most.
fn without_the_worse(mut plans: Vec<Plan>) -> Vec<Plan> {
    plans.sort_unstable_by_key(|plan| (plan.day, plan.began, std::cmp::Reverse(plan.worth)));
    plans.dedup_by_key(|plan| (plan.day, plan.began));
    plans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn option(day: i64, worth: i128) -> DayOption<(i64, i128)> {
        DayOption { day, worth: [worth, 0, 0], sleep: (day, worth) }
    }

    /// One a day. The first gap is worth 5 on day 0; the second 9 on day 0 or 8 on day 1; the third 2 on day 1 or 3 on day 2:
    /// 5 + 8 + 3 = 16, though the second alone is worth more on day 0.
    #[test]
    fn what_is_worth_most_together_is_chosen() {
        let gaps = [
            vec![option(0, 5)],
            vec![option(0, 9), option(1, 8)],
            vec![option(1, 2), option(2, 3)],
        ];
        assert_eq!(choose(&gaps, 1), [Some((0, 5)), Some((1, 8)), Some((2, 3))]);
        assert_eq!(choose(&gaps, 2), [Some((0, 5)), Some((0, 9)), Some((2, 3))]);
        assert_eq!(choose(&gaps, 0), [None, None, None]);
    }
}
