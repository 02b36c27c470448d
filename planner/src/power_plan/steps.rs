//! Whole numbers over time: how many more nodes may be missing, asked for and taken over spans.

use crate::time::{Span, Timestamp};

/// A number for each step between instants that are given beforehand, as a tree of steps: taking from a span, its least
/// number and the next step with or without anything left cost the logarithm of the steps.
pub(super) struct Steps {
    /// The starts of the steps, and the end of the last.
    edges: Vec<Timestamp>,
    /// For each node of the tree what was added to all below it, and the least and most below it with that.
    tree: Vec<Branch>,
    leaves: usize,
}

#[derive(Clone, Copy, Default)]
struct Branch {
    added: i64,
    least: i64,
    most: i64,
}

impl Steps {
    /// Steps between instants, and the number of each by its start. The instants are in order, each once.
    pub fn new(edges: Vec<Timestamp>, number: impl Fn(Timestamp) -> i64) -> Self {
        let leaves = edges.len().saturating_sub(1).next_power_of_two();
        let mut tree = vec![Branch::default(); 2 * leaves];
        for (leaf, start) in edges.iter().take(edges.len().saturating_sub(1)).enumerate() {
            let number = number(*start);
            tree[leaves + leaf] = Branch { added: 0, least: number, most: number };
        }
        let mut steps = Self { edges, tree, leaves };
        for branch in (1..leaves).rev() {
            steps.renew(branch);
        }
        steps
    }

    /// The least number in a span, steps that it only touches among them.
    pub fn least(&self, span: Span) -> i64 {
        let (from, until) = self.covering(span);
        self.least_below(1, (0, self.leaves), (from, until)).unwrap_or(i64::MAX)
    }

    /// Takes one from all steps that a span has a part of.
    pub fn take(&mut self, span: Span) {
        let range = self.covering(span);
        self.add_below(1, (0, self.leaves), range, -1);
    }

    /// The parts of a span in which something is left, so many at the most, in time order.
    pub fn runs(&self, span: Span, most: usize) -> Vec<Span> {
        let mut runs = Runs { most, found: Vec::new() };
        self.runs_below(1, (0, self.leaves), self.covering(span), 0, &mut runs);
        let spans = runs.found.into_iter().filter_map(|(start, end)| {
            Span::new(self.edges[start], self.edges[end])?.intersection(span)
        });
        spans.collect()
    }

    /// The first instant of a span at which nothing is left.
    pub fn first_without(&self, span: Span) -> Option<Timestamp> {
        let (from, until) = self.covering(span);
        let step = self.next(from, |branch| branch.least <= 0).filter(|step| *step < until)?;
        Some(self.edges[step].max(span.start()))
    }

    /// The steps that have an instant of a span.
    fn covering(&self, span: Span) -> (usize, usize) {
        let last = self.edges.len().saturating_sub(1);
        let from = self.edges.partition_point(|edge| *edge <= span.start());
        let until = self.edges.partition_point(|edge| *edge < span.end());
        (from.saturating_sub(1).min(last), until.min(last))
    }

    fn renew(&mut self, branch: usize) {
        let (left, right) = (self.tree[2 * branch], self.tree[2 * branch + 1]);
        let own = &mut self.tree[branch];
        own.least = left.least.min(right.least) + own.added;
        own.most = left.most.max(right.most) + own.added;
    }

    fn least_below(
        &self,
        branch: usize,
        (start, end): (usize, usize),
        (from, until): (usize, usize),
    ) -> Option<i64> {
        if until <= start || end <= from {
            return None;
        }
        if from <= start && end <= until {
            return Some(self.tree[branch].least);
        }
        let middle = usize::midpoint(start, end);
        let left = self.least_below(2 * branch, (start, middle), (from, until));
        let right = self.least_below(2 * branch + 1, (middle, end), (from, until));
        let both = left.into_iter().chain(right).min();
        both.map(|least| least + self.tree[branch].added)
    }

    fn add_below(
        &mut self,
        branch: usize,
        (start, end): (usize, usize),
        (from, until): (usize, usize),
        number: i64,
    ) {
        if until <= start || end <= from {
            return;
        }
        if from <= start && end <= until {
            let own = &mut self.tree[branch];
            own.added += number;
            own.least += number;
            own.most += number;
            return;
        }
        let middle = usize::midpoint(start, end);
        self.add_below(2 * branch, (start, middle), (from, until), number);
        self.add_below(2 * branch + 1, (middle, end), (from, until), number);
        self.renew(branch);
    }

    fn runs_below(
        &self,
        branch: usize,
        (start, end): (usize, usize),
        (from, until): (usize, usize),
        above: i64,
        runs: &mut Runs,
    ) {
        let (first, last) = (start.max(from), end.min(until));
        if first >= last || runs.are_complete(first) {
            return;
        }
        let own = self.tree[branch];
        if own.least + above > 0 {
            runs.add(first, last);
        } else if own.most + above > 0 {
            let middle = usize::midpoint(start, end);
            let above = above + own.added;
            self.runs_below(2 * branch, (start, middle), (from, until), above, runs);
            self.runs_below(2 * branch + 1, (middle, end), (from, until), above, runs);
        }
    }

    /// The first step from one on that is as asked for; what is asked holds for a branch where it holds for a step below.
    fn next(&self, from: usize, holds: impl Fn(Branch) -> bool) -> Option<usize> {
        self.next_below(1, (0, self.leaves), from, 0, &holds)
            .filter(|step| *step + 1 < self.edges.len())
    }

    fn next_below(
        &self,
        branch: usize,
        (start, end): (usize, usize),
        from: usize,
        above: i64,
        holds: &impl Fn(Branch) -> bool,
    ) -> Option<usize> {
        let own = self.tree[branch];
        let told = Branch { least: own.least + above, most: own.most + above, ..own };
        if end <= from || !holds(told) {
            return None;
        }
        if end - start == 1 {
            return Some(start);
        }
        let middle = usize::midpoint(start, end);
        let above = above + own.added;
        self.next_below(2 * branch, (start, middle), from, above, holds)
            .or_else(|| self.next_below(2 * branch + 1, (middle, end), from, above, holds))
    }
}

/// Runs of steps in which something is left, found from left to right.
struct Runs {
    most: usize,
    found: Vec<(usize, usize)>,
}

impl Runs {
    /// Whether nothing that begins at a step or later is looked for any more.
    fn are_complete(&self, step: usize) -> bool {
        self.found.len() == self.most && self.found.last().is_none_or(|last| last.1 < step)
    }

    fn add(&mut self, start: usize, end: usize) {
        match self.found.last_mut() {
            Some(last) if last.1 == start => last.1 = end,
            _ => self.found.push((start, end)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(second: usize) -> Timestamp {
        Timestamp::from_unix_seconds(i64::try_from(second).unwrap())
    }

    fn span(start: usize, end: usize) -> Span {
        Span::new(at(start), at(end)).unwrap()
    }

    proptest! {
        /// Steps of one second each: the same as an array of numbers.
        #[test]
        fn a_tree_tells_what_an_array_tells(
            numbers in prop::collection::vec(-1_i64..4, 1..40),
            taken in prop::collection::vec((0_usize..40, 1_usize..20), 0..12),
            asked in (0_usize..40, 1_usize..40),
        ) {
            let mut array = numbers.clone();
            let end = array.len();
            let number = |at: Timestamp| numbers[usize::try_from(at.as_unix_seconds()).unwrap()];
            let mut steps = Steps::new((0..=end).map(at).collect(), number);
            for (start, length) in taken {
                let (start, until) = (start.min(end - 1), (start + length).min(end));
                if start < until {
                    steps.take(span(start, until));
                    array[start..until].iter_mut().for_each(|number| *number -= 1);
                }
            }
            let (start, until) = (asked.0.min(end - 1), (asked.0 + asked.1).clamp(1, end));
            if start < until {
                let part = &array[start..until];
                prop_assert_eq!(steps.least(span(start, until)), *part.iter().min().unwrap());
                let first = part.iter().position(|left| *left <= 0).map(|place| at(start + place));
                prop_assert_eq!(steps.first_without(span(start, until)), first);
                let runs = steps.runs(span(start, until), 100);
                let first_two = steps.runs(span(start, until), 2);
                prop_assert_eq!(&first_two[..], &runs[..runs.len().min(2)]);
                let inside = |second: usize| runs.iter().any(|run| run.contains(at(second)));
                for (second, left) in part.iter().enumerate().map(|(place, left)| (start + place, left)) {
                    prop_assert_eq!(inside(second), *left > 0, "second {}", second);
                }
            }
        }
    }
}
