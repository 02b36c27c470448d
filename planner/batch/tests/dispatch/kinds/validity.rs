//! What must hold of every schedule of such jobs, whatever the parts are.

use batch::dispatch::UnitRefusal;
use proptest::prelude::*;

use super::super::validity::a_combination;
use super::super::{Notes, play_jobs};
use super::{Asked, CAPACITY, LICENCES, MARKS, room, system, unit_jobs, workload};

/// Nothing is over-used at any second, nobody is on the nodes of an exclusive job, each unit is on a node with its properties, and
/// every job has all its units and runs as long as it should.
fn check(asked: &[Asked], notes: &Notes) -> Result<(), TestCaseError> {
    prop_assert_eq!(notes.played.len() + notes.refused.len(), asked.len());
    for at in notes.played.values().map(|it| it.started) {
        let mut used = [[0; 2]; 4];
        let mut jobs_on = [0; 4];
        let mut alone_on = [false; 4];
        let mut licences = 0;
        for (number, it) in
            notes.played.iter().filter(|(_, it)| it.started <= at && at < it.finished)
        {
            let job = &asked[usize::try_from(*number).unwrap()];
            licences += job.licences();
            let mut places = it.places.iter();
            let mut here = [false; 4];
            for kind in &job.kinds {
                let mut left = kind.units;
                while left > 0 {
                    let &(node, units) = places.next().unwrap();
                    let node = node as usize;
                    prop_assert!(units > 0 && units <= left && kind.wanted & !MARKS[node] == 0);
                    left -= units;
                    here[node] = true;
                    (0..2).for_each(|of| used[node][of] += kind.of_node[of] * units);
                }
            }
            prop_assert!(places.next().is_none());
            for node in (0..4).filter(|node| here[*node]) {
                jobs_on[node] += 1;
                alone_on[node] |= job.alone;
            }
        }
        prop_assert!(licences <= LICENCES);
        for node in 0..4 {
            prop_assert!(
                (0..2).all(|of| used[node][of] <= CAPACITY[node][of]),
                "node {} at {} s",
                node,
                at
            );
            prop_assert!(!alone_on[node] || jobs_on[node] == 1, "node {} at {} s", node, at);
        }
    }
    for (number, it) in &notes.played {
        let job = &asked[usize::try_from(*number).unwrap()];
        prop_assert!(it.started >= job.submitted);
        prop_assert_eq!(it.finished - it.started, job.lasts());
    }
    for (number, why) in &notes.refused {
        let job = &asked[usize::try_from(*number).unwrap()];
        let sums: Vec<u32> = job
            .kinds
            .iter()
            .map(|kind| (0..4).map(|node| room(kind, node, CAPACITY[node])).sum())
            .collect();
        match why {
            UnitRefusal::AsksForNothing => {
                prop_assert!(job.kinds.iter().any(|it| it.of_node == [0, 0]));
            }
            UnitRefusal::NoNodeHoldsIt => prop_assert!(sums.contains(&0)),
            UnitRefusal::TooManyUnits => {
                let enough = job.kinds.iter().zip(&sums).all(|(kind, sum)| *sum >= kind.units);
                let licensed = job.licences() <= LICENCES;
                prop_assert!(!enough || !licensed || job.kinds.len() > 1 && !sums.contains(&0));
            }
            UnitRefusal::AboveTheQueue | UnitRefusal::AboveTheBudget | UnitRefusal::AboveTheCap => {
                prop_assert!(false, "there are no queues, budgets and caps");
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// Every order, backfilling, fit and estimate together.
    #[test]
    fn nothing_is_overused_and_nobody_disturbs_exclusive_jobs(asked in workload(), names in a_combination()) {
        check(&asked, &play_jobs(&system(), unit_jobs(&asked), names, &[]).0)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Plans count what jobs ask for of the system as a whole; the fit finds the nodes.
    #[test]
    fn plans_overuse_nothing_either(asked in workload()) {
        let names = ["plan", "none", "best_fit", "history"];
        check(&asked, &play_jobs(&system(), unit_jobs(&asked), names, &[]).0)?;
    }
}
