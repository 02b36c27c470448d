//! The priority rule puts the queue in order only where that matters: schedules are those of a queue that is put in order at each decision.

use batch::dispatch::jobs::UnitJob;
use batch::dispatch::system::System;
use proptest::prelude::*;

use super::{Row, jobs, play_capped, play_jobs};

/// Nodes without GPUs and with them, licences, and queues of which the first expects a twelfth and a third of the others' waits.
const SYSTEM: &str = "[[nodes]]\ncount = 3\ncores = 4\ngpu = 0\n[nodes.power]\ncores = { full_w = 3 }\n\
                      [[nodes]]\ncount = 3\ncores = 3\ngpu = 2\n[nodes.power]\ncores = { full_w = 3 }\n[shared]\nlicence = 3\n\
                      [[queues]]\nname = \"q0\"\nexpected_wait_s = 5\n[[queues]]\nname = \"q1\"\nexpected_wait_s = 15\n\
                      [[queues]]\nname = \"q2\"\nexpected_wait_s = 60\n";
const FITS: [&str; 7] =
    ["first_fit", "best_fit", "long_gaps", "priority_weighted", "balanced", "weighted", "hybrid"];

fn workload() -> impl Strategy<Value = Vec<UnitJob>> {
    let row = (0_i64..25, 1_u32..=5, (1_u32..=3, 0_u32..=1, 0_u32..=1), 0_i64..20, -2_i64..8, 0..3);
    let row = row.prop_map(|(submitted, units, (cores, gpu, licence), run, more, queue)| {
        // All fit into the empty system: 3 licences, and 6 units of a GPU.
        let units = if licence > 0 { units.min(3) } else { units };
        let unit = vec![cores, gpu, licence];
        let walltime = (run + more).max(1);
        (Row { submitted, units: units.min(3), unit, run, walltime, user: 0 }, queue)
    });
    prop::collection::vec(row, 1..40).prop_map(|rows| {
        let (rows, queues): (Vec<Row>, Vec<i32>) = rows.into_iter().unzip();
        let mut jobs = jobs(&rows, 2);
        jobs.iter_mut().zip(queues).for_each(|(job, queue)| job.queue = format!("q{queue}").into());
        jobs
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// Under a cap, even one that binds nobody, everybody is tried in an order that is made at each decision.
    #[test]
    fn who_goes_first_is_as_in_a_queue_in_order(jobs in workload(), estimate in prop::sample::select(vec!["walltime", "real"])) {
        let system = System::parse(SYSTEM).unwrap();
        for fit in FITS {
            let names = ["priority_rule", "none", fit, estimate];
            let (late, _) = play_jobs(&system, jobs.clone(), names, &[]);
            let (each, _) = play_capped(&system, jobs.clone(), names, &[(0, i64::MAX, 1_000_000)], "full");
            prop_assert_eq!(late.played, each.played, "{}", fit);
        }
    }
}
