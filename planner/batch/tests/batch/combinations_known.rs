//! Combinations of parts that have no name: known answers with their arithmetic, and what is refused.

use batch::policy::GatePart;
use batch::reservation::Reservation;

use super::combinations::{combined, combined_starts, parts, parts_of};
use super::switching::{Case, witness};
use super::*;

/// Three machines; job 1 has 2 until 10 s. Job 2 takes 3 for 20 s; job 3 takes 2 for 9 s and goes before it: it is
/// promised 10 s, when 3 are free and 1 is left over. Job 4 takes 1 for 30 s and waits behind both: it gets that
/// one at once. At 10 s job 3 starts, until 19 s; job 2 waits until 33 s for job 4.
#[test]
fn easy_promises_a_start_to_the_shortest_job() {
    let rows = [(0, 2, 10, 10), (1, 3, 20, 20), (2, 2, 9, 9), (3, 1, 30, 30)];
    assert_eq!(combined_starts(3, &rows, parts("sjf", "easy", "count")), [0, 33, 10, 3]);
    // First come: job 2 is promised all machines at 10 s, so that job 4 would be in its way; both others wait for it.
    assert_eq!(combined_starts(3, &rows, parts("fcfs", "easy", "count")), [0, 10, 30, 30]);
}

/// Two machines; job 1 may hold both until 20 s. Job 2 takes 2 for 5 s: planned for 20 s. Job 3 takes 2 for 8 s: planned
/// for 25 s. Job 1 ends at 10 s. Longest first: job 3 moves first, to 10 s, where 15 s - 10 s before job 2's
/// place at 20 s leave it 8 s; then job 2 to 18 s, when job 3 has ended.
#[test]
fn conservative_moves_the_longest_job_first() {
    let rows = [(0, 2, 10, 20), (1, 2, 5, 5), (2, 2, 8, 8)];
    for fit in ["count", "set", "contiguous"] {
        assert_eq!(combined_starts(2, &rows, parts("ljf", "conservative", fit)), [0, 18, 10]);
        // In order of submission job 2 moves first: to 10 s, and job 3 to 15 s.
        assert_eq!(combined_starts(2, &rows, parts("fcfs", "conservative", fit)), [0, 10, 15]);
    }
}

/// Named policies choose machines as they always have, with every fit; what is said of their order, backfilling or gate,
/// or parts without a name, choose the lowest.
#[test]
fn named_conservative_policies_prefer_machines_that_were_free_for_longer() {
    let rested = |combination: Combination| combination.parts().unwrap().rested_first;
    for policy in
        [Policy::Conservative, Policy::ConservativeNoCompression, Policy::ConservativeLocal]
    {
        let said = parts("fcfs", "conservative", "contiguous").said;
        let fit = SaidParts { fit: said.fit, ..SaidParts::default() };
        assert!(rested(policy.into()) && rested(Combination { said: fit, ..policy.into() }));
        let gate = Some(GatePart::named("power_cap").unwrap());
        for other in [SaidParts { gate, ..fit }, SaidParts { order: said.order, ..fit }, said] {
            assert!(!rested(Combination { said: other, ..policy.into() }));
        }
    }
    assert!(!rested(parts("fcfs", "conservative", "set")) && !rested(Policy::Easy.into()));
}

/// Four machines: jobs 1 to 3 take 0, 1 and 2 until 10, 5 and 20 s. Job 4 takes two: neighbours are free from 10 s on, 0 and
/// 1, and it is promised these. Job 5 takes 3 for 6 s, until 8 s: it starts at once. Job 6 takes 1 for 30 s: machine
/// 3 is free from 8 s on, and not promised.
#[test]
fn easy_promises_neighbours() {
    let rows =
        [(0, 1, 10, 10), (0, 1, 5, 5), (0, 1, 20, 20), (1, 2, 9, 9), (2, 1, 6, 6), (3, 1, 30, 30)];
    let notes = combined(&platform(4), &rows, parts("fcfs", "easy", "contiguous"), &[], &[]);
    let of = |number| {
        let happened: &Happened = &notes.played[&number];
        (happened.started, happened.machines.positions().collect::<Vec<u32>>())
    };
    assert_eq!(of(4), (10, vec![0, 1]));
    assert_eq!(of(5), (2, vec![3]));
    assert_eq!(of(6), (8, vec![3]));
    // By set job 4 is promised 1 and 3 at 5 s, and job 5 has to wait.
    let notes = combined(&platform(4), &rows, parts("fcfs", "easy", "set"), &[], &[]);
    assert_eq!(notes.played[&4].started, 5);
}

/// Idle machines draw 570 W, and 760 W let two compute. Job 1 computes until 10 s on one; job 2 takes two and may last
/// 9 s, job 3 one and may last 20 s. Shortest first: job 2 waits for job 1, and job 3, which would be in its way,
/// for job 2. In order of submission it is the same without backfilling; job 4 of 5 s on one machine, which is
/// the shortest, starts at once.
#[test]
fn a_cap_goes_with_orders() {
    let rows = [(0, 1, 10, 10), (1, 2, 9, 9), (2, 1, 20, 20), (3, 1, 5, 5)];
    let options = [("cap_w", "760")];
    for backfill in ["none", "easy"] {
        let combination = parts_of(["sjf", backfill, "set", "power_cap", "none"]);
        let case = Case { combination, ..Case::of(Policy::PowerCap, &options) };
        let played = witness(&rows, &case).notes.played;
        let starts: Vec<i64> = played.values().map(|happened| happened.started).collect();
        assert_eq!(starts, [0, 10, 19, 3]);
    }
}

/// Job 1 has five of six machines until 20 s; the last one is off from 4 s on. Job 2 takes four and waits for job 1;
/// job 3 takes one. In a strict queue that waits for job 2, and starts beside it on the fifth of job 1's
/// machines: nothing is switched on for it. Backfilled it starts when the machine is on, 3 s after 9 s.
#[test]
fn a_strict_queue_wakes_no_machines_for_jobs_behind_the_first() {
    let rows = [(0, 5, 20, 20), (8, 4, 5, 5), (9, 1, 5, 5)];
    let options = [("period_s", "4"), ("idle_s", "3")];
    let played = |backfill| {
        let combination = parts_of(["fcfs", backfill, "set", "none", "opportunistic"]);
        let case = Case { combination, ..Case::of(Policy::OpportunisticShutdown, &options) };
        let witness = witness(&rows, &case);
        (witness.notes.played[&3].started, witness.switched_on())
    };
    assert_eq!(played("none"), (20, Vec::new()));
    assert_eq!(played("easy"), (12, vec![Time::from_seconds(9)]));
}

/// Under 760 W two machines may compute. Job 1 has one until 10 s; job 2 of two is planned for 10 s, and job 3 of one for 5 s
/// fits beside job 1. Job 4 of one for 9 s would end at 3 + 9 = 12 s: it is planned after job 2. Job 5 takes three,
/// now and for ever: it is refused.
#[test]
fn conservative_plans_under_a_cap() {
    let rows = [(0, 1, 10, 10), (1, 2, 9, 9), (2, 1, 5, 5), (3, 1, 9, 9), (4, 3, 1, 1)];
    let options = [("cap_w", "760")];
    for fit in ["count", "set", "contiguous"] {
        let combination = parts_of(["fcfs", "conservative", fit, "power_cap", "none"]);
        let case = Case { combination, ..Case::of(Policy::PowerCap, &options) };
        let notes = witness(&rows, &case).notes;
        let starts: Vec<i64> = notes.played.values().map(|happened| happened.started).collect();
        assert_eq!(starts, [0, 10, 2, 19]);
        assert_eq!(notes.refused, [JobId::Number(5)]);
    }
}

/// Parts, options and reservations, and what is told of them.
type Refused<'a> = ([&'a str; 5], &'a [(&'a str, &'a str)], &'a [Reservation], &'a str);

#[test]
fn what_does_not_go_together_is_refused_with_a_way_out() {
    let platform = platform(4);
    let reservations = [Reservation {
        from: Time::ZERO,
        until: Time::from_seconds(5),
        machines: NodeSet::from_positions([0]),
    }];
    let budget = [("budget_j", "1e6"), ("until_s", "100")];
    let cases: [Refused<'_>; 5] = [
        (["fcfs", "conservative", "set", "none", "inertial"], &[], &[], "say --backfill easy"),
        (
            ["fcfs", "conservative", "set", "energy_bud", "none"],
            &budget,
            &[],
            "say --backfill easy",
        ),
        (["fcfs", "conservative", "count", "none", "none"], &[], &reservations, "say --fit set"),
        (
            ["fcfs", "easy", "set", "none", "opportunistic"],
            &[],
            &reservations,
            "leave out --reservations",
        ),
        (["fcfs", "none", "local", "none", "none"], &[], &[], "the option group_size"),
    ];
    for (names, options, reservations, told) in cases {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let options: Vec<(String, String)> = options.iter().map(owned).collect();
        let setting = Setting { options: &options, reservations, ..setting(&platform) };
        let errors = parts_of(names).scheduler(&setting).err().unwrap();
        assert!(errors.len() == 1 && errors[0].contains(told), "{errors:?}");
    }
    let threshold = [("threshold_s".to_owned(), "9".to_owned())];
    let promised = Setting { options: &threshold, ..setting(&platform) };
    let names = ["fcfs", "conservative", "set", "none", "inertial"];
    let errors = parts_of(names).scheduler(&promised).err().unwrap();
    assert!(errors[0].contains("say --backfill easy"), "{errors:?}");
    assert_eq!(
        errors[1..],
        [
            "threshold_s is no option of composed: Its own are compression; those of every policy tau_s, launch_s, \
         delay_power, utilisation, job_utilisation, network",
        ]
    );
    let estimate = [("cap_w", "1e6"), ("idle_estimate_w", "1")];
    let estimate = estimate.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let unknown = Platform::of_machines(4);
    let unknown = Setting { options: &estimate, ..setting(&unknown) };
    let errors = Combination::from(Policy::PowerCap).scheduler(&unknown).err().unwrap();
    assert_eq!(errors, ["this policy needs a platform that says what machines draw"]);
    let said = parts("sjf", "easy", "set").said;
    let in_turn = Combination { said, ..Policy::RoundRobin.into() };
    let errors = in_turn.scheduler(&setting(&platform)).err().unwrap();
    assert!(errors.len() == 3 && errors[0].contains("no queue for the order sjf"), "{errors:?}");
}
