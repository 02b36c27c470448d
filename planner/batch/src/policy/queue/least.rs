//! What some jobs ask for at least, so that a search passes over all of them where none fits.

use super::Hole;
use crate::scheduler::JobRequest;
use crate::time::Time;

/// Corners that are kept.
const MOST: usize = 16;

/// Numbers of machines, each with a walltime, such that every job asks for no less of both than one of them.
/// They ask for more and more machines for less and less time. As long as they are few, each is a job's.
#[derive(Clone, Debug, Default)]
pub struct Least(Vec<(u32, Time)>);

impl Least {
    /// Whether `hole` may take one of the jobs.
    pub fn may_fit(&self, hole: Hole) -> bool {
        let enough = self.0.partition_point(|(nodes, _)| *nodes <= hole.nodes);
        let narrowest = self.0.first().filter(|_| enough > 0);
        narrowest.is_some_and(|(nodes, _)| *nodes <= hole.extra)
            || enough > 0 && self.0[enough - 1].1 <= hole.before_shadow
    }

    /// Whether it may be another without such a job.
    pub fn rests_on(&self, job: &JobRequest) -> bool {
        self.0.iter().any(|(nodes, walltime)| *nodes == job.nodes || *walltime == job.walltime)
    }

    /// Nothing is known of no job.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// With a job that asks for so much.
    pub fn add(&mut self, nodes: u32, walltime: Time) {
        let no_wider = self.0.partition_point(|corner| corner.0 <= nodes);
        if no_wider > 0 && self.0[no_wider - 1].1 <= walltime {
            return;
        }
        let narrower = self.0.partition_point(|corner| corner.0 < nodes);
        let no_shorter = self.0.partition_point(|corner| corner.1 >= walltime);
        self.0.splice(narrower..no_shorter.max(narrower), [(nodes, walltime)]);
        if self.0.len() > MOST {
            let pairs = self.0.chunks(2);
            self.0 = pairs.map(|pair| (pair[0].0, pair[pair.len() - 1].1)).collect();
        }
    }

    /// With other jobs.
    pub fn add_all(&mut self, other: &Self) {
        for (nodes, walltime) in &other.0 {
            self.add(*nodes, *walltime);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Few corners say exactly whether a job fits; many never deny one that does.
        #[test]
        fn says_what_a_list_of_jobs_says(
            jobs in prop::collection::vec((1_u32..60, 1_i64..60), 0..80),
            sizes in prop::sample::select(vec![8_u32, 60]),
            hole in (1_u32..60, 0_i64..60, 0_u32..60),
        ) {
            let (nodes, before_shadow, extra) = hole;
            let hole = Hole { nodes, before_shadow: Time::from_seconds(before_shadow), extra };
            let jobs = jobs.iter().map(|(nodes, walltime)| (1 + nodes % sizes, Time::from_seconds(*walltime)));
            let (mut least, mut halves) = (Least::default(), [Least::default(), Least::default()]);
            for (index, (nodes, walltime)) in jobs.clone().enumerate() {
                least.add(nodes, walltime);
                halves[index % 2].add(nodes, walltime);
            }
            let [mut both, other] = halves;
            both.add_all(&other);
            let fits = jobs.clone().any(|(nodes, walltime)| hole.takes(nodes, walltime));
            for least in [least, both] {
                prop_assert!(least.0.len() <= MOST);
                prop_assert!(least.0.is_sorted_by(|a, b| a.0 < b.0 && a.1 > b.1));
                prop_assert!(least.may_fit(hole) || !fits);
                prop_assert!(sizes > 8 || least.may_fit(hole) == fits);
            }
        }
    }
}
