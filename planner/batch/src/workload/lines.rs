//! On which line of a trace each job stands: traces count up, so runs of numbers and lines are kept.

use std::collections::BTreeMap;

/// Numbers that follow each other on lines that do.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: i64,
    last: i64,
    /// The line of the first.
    line: u64,
}

impl Run {
    fn line_of(self, number: i64) -> Option<u64> {
        let inside = (self.first..=self.last).contains(&number);
        inside.then(|| self.line + number.abs_diff(self.first))
    }
}

/// Jobs by number. Memory grows with the gaps in the numbers, not with the jobs.
#[derive(Debug, Default)]
pub(super) struct Lines {
    latest: Option<Run>,
    /// The other runs, by their first numbers.
    runs: BTreeMap<i64, Run>,
    greatest: Option<i64>,
}

impl Lines {
    /// Notes a job; the line of another of this number, if there is one.
    pub(super) fn insert(&mut self, number: i64, line: u64) -> Option<u64> {
        if self.greatest.is_some_and(|greatest| number <= greatest) {
            let run = self.runs.range(..=number).next_back().map(|(_, run)| *run);
            let earlier =
                [run, self.latest].into_iter().flatten().find_map(|run| run.line_of(number));
            if earlier.is_some() {
                return earlier;
            }
        }
        self.greatest = self.greatest.max(Some(number));
        match &mut self.latest {
            Some(run)
                if run.last.checked_add(1) == Some(number)
                    && run.line + run.first.abs_diff(number) == line =>
            {
                run.last = number;
            }
            latest => {
                let before = latest.replace(Run { first: number, last: number, line });
                self.runs.extend(before.map(|run| (run.first, run)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_are_those_of_a_table(steps in prop::collection::vec((-3_i64..6, 1_u64..3), 1..200)) {
            let (mut lines, mut table) = (Lines::default(), HashMap::new());
            let (mut number, mut line) = (0, 0);
            for (more, below) in steps {
                number += more;
                line += below;
                let earlier = table.get(&number).copied();
                table.entry(number).or_insert(line);
                prop_assert_eq!(lines.insert(number, line), earlier);
            }
        }
    }

    #[test]
    fn jobs_that_follow_each_other_are_one_run() {
        let mut lines = Lines::default();
        assert!(
            (1..1000).all(|line| lines.insert(i64::try_from(line).unwrap() + 40, line).is_none())
        );
        assert!(lines.runs.is_empty());
        assert_eq!(lines.insert(540, 1000), Some(500));
        assert_eq!(lines.insert(i64::MAX, 1001), None);
        assert_eq!(lines.insert(i64::MIN, 1002), None);
        assert_eq!(lines.insert(i64::MAX, 1003), Some(1001));
    }
}
