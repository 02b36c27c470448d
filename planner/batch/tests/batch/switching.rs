//! Machines that are switched, and power and energy that are bounded: what must hold of every schedule.

use std::collections::BTreeMap;

use batch::kernel::{Entered, Entering, Totals};
use batch::platform::Activity;
use batch::quantity::TotalTime;
use batch::reservation::Reservation;
use batch::steps::Steps;
use proptest::prelude::*;

use super::*;

const MACHINES: u32 = 6;

/// What happens, in order, to every machine: since when, and doing what.
pub struct Witness {
    pub notes: Notes,
    doing: Vec<(Time, Doing)>,
    /// Spans of each machine: from, until, what.
    past: Vec<Vec<(Time, Time, Doing)>>,
    pub totals: Option<Totals>,
    energies: i128,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    Idle,
    Computing(i64),
    Off,
    SwitchingOff,
    SwitchingOn,
}

impl Witness {
    fn new() -> Self {
        let doing = vec![(Time::ZERO, Doing::Idle); MACHINES as usize];
        let past = vec![Vec::new(); MACHINES as usize];
        Self { notes: Notes::default(), doing, past, totals: None, energies: 0 }
    }

    /// When a job or a switch begins.
    pub fn changes(&self) -> impl Iterator<Item = Time> {
        let spans = self.past.iter().flatten();
        spans
            .filter(|(.., doing)| !matches!(doing, Doing::Idle | Doing::Off))
            .map(|(from, ..)| *from)
    }

    /// When machines begin to be switched on.
    pub fn switched_on(&self) -> Vec<Time> {
        let spans = self.past.iter().flatten();
        let on = spans.filter(|(.., doing)| *doing == Doing::SwitchingOn);
        on.map(|(from, ..)| *from).collect()
    }

    /// Machines go from one thing to another; they did the first.
    fn change(&mut self, now: Time, machines: &NodeSet, from: Doing, to: Doing) {
        for machine in machines.positions() {
            let (since, doing) = self.doing[machine as usize];
            assert_eq!(doing, from, "machine {machine} at {now}");
            self.past[machine as usize].push((since, now, doing));
            self.doing[machine as usize] = (now, to);
        }
    }
}

fn number(job: &Job) -> i64 {
    let JobId::Number(number) = job.id else { panic!("jobs have numbers here") };
    number
}

impl Observer for Witness {
    fn started(&mut self, now: Time, job: &Job, machines: &NodeSet) -> io::Result<()> {
        self.change(now, machines, Doing::Idle, Doing::Computing(number(job)));
        Ok(())
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        let doing = Doing::Computing(number(played.job));
        self.change(played.finished, played.machines, doing, Doing::Idle);
        self.energies += played.energy.unwrap().as_microjoules();
        self.notes.played(played)
    }

    fn refused(&mut self, job: &Job, reason: Option<RefusalReason>) -> io::Result<()> {
        self.notes.refused(job, reason)
    }

    fn entered(&mut self, entering: &Entering<'_>) -> io::Result<()> {
        let (from, to) = match entering.state {
            Entered::SwitchingOff => (Doing::Idle, Doing::SwitchingOff),
            Entered::Off(_) => (Doing::SwitchingOff, Doing::Off),
            Entered::SwitchingOn => (Doing::Off, Doing::SwitchingOn),
            Entered::On(_) => (Doing::SwitchingOn, Doing::Idle),
            Entered::Other(_) => panic!("nobody changes states here"),
        };
        self.change(entering.now, entering.machines, from, to);
        Ok(())
    }

    fn finished(&mut self, totals: &Totals) -> io::Result<()> {
        self.totals = Some(*totals);
        Ok(())
    }
}

/// W of each machine, as [`platform`] says.
fn draws_w(doing: Doing) -> i64 {
    match doing {
        Doing::Idle => 95,
        Doing::Computing(_) => 190,
        Doing::Off => 10,
        Doing::SwitchingOff => 101,
        Doing::SwitchingOn => 125,
    }
}

fn activity(doing: Doing) -> Activity {
    match doing {
        Doing::Idle => Activity::Idle,
        Doing::Computing(_) => Activity::Computing,
        Doing::Off => Activity::Off,
        Doing::SwitchingOff => Activity::SwitchingOff,
        Doing::SwitchingOn => Activity::SwitchingOn,
    }
}

/// How a workload is played.
#[derive(Clone)]
pub struct Case<'a> {
    pub combination: Combination,
    pub options: &'a [(&'a str, &'a str)],
    pub tables: SupplierTables,
    pub reservations: &'a [Reservation],
}

impl<'a> Case<'a> {
    pub fn of(policy: Policy, options: &'a [(&'a str, &'a str)]) -> Self {
        let combination = combination(policy, SET);
        Self { combination, options, tables: NOTHING.clone(), reservations: &[] }
    }
}

/// Plays and watches.
pub fn witness(rows: &[Row], case: &Case<'_>) -> Witness {
    let platform = platform(MACHINES);
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let options: Vec<(String, String)> = case.options.iter().map(owned).collect();
    let setting = Setting {
        options: &options,
        tables: &case.tables,
        reservations: case.reservations,
        ..setting(&platform)
    };
    let mut scheduler = case.combination.scheduler(&setting).unwrap();
    let cluster = Cluster { tables: Some(&case.tables), ..cluster(&platform) };
    let mut witness = Witness::new();
    let jobs = jobs(rows).into_iter().map(Ok::<Job, Infallible>);
    simulate(jobs, cluster, scheduler.as_mut(), &mut witness).unwrap();
    // Everything ends with the last job.
    let ends = witness.notes.played.values().map(|happened| happened.finished);
    let end = Time::from_seconds(ends.max().unwrap());
    for (past, (since, doing)) in witness.past.iter_mut().zip(&witness.doing) {
        past.push((*since, end, *doing));
    }
    witness
}

/// What all machines draw at an instant, W.
pub fn drawn_w(witness: &Witness, at: Time) -> i64 {
    let of = |past: &Vec<(Time, Time, Doing)>| {
        let now = past.iter().find(|(from, until, _)| *from <= at && at < *until);
        now.map_or(0, |(_, _, doing)| draws_w(*doing))
    };
    witness.past.iter().map(of).sum()
}

/// What all machines consumed from one instant to another, W us.
fn consumed(witness: &Witness, from: Time, until: Time) -> i128 {
    let spans = witness.past.iter().flatten();
    let of = |(start, end, doing): &(Time, Time, Doing)| {
        let length = ((*end).min(until) - (*start).max(from)).as_micros().max(0);
        i128::from(draws_w(*doing)) * i128::from(length)
    };
    spans.map(of).sum()
}

fn workload() -> impl Strategy<Value = Vec<Row>> {
    let row = (0_i64..120, 1..=MACHINES, 1_i64..25, 0_i64..12)
        .prop_map(|(submitted, nodes, run, more)| (submitted, nodes, run, run + more));
    prop::collection::vec(row, 1..25)
}

/// Ways to switch, with parameters of all kinds.
fn switching() -> Vec<Case<'static>> {
    vec![
        Case::of(Policy::OpportunisticShutdown, &[("period_s", "7"), ("idle_s", "4")]),
        Case::of(Policy::OpportunisticShutdown, &[("idle_s", "0"), ("sedate_at_events", "false")]),
        Case::of(
            Policy::OpportunisticShutdown,
            &[("idle_s", "5"), ("period_s", "9"), ("sedate_while_waking", "true")],
        ),
        Case::of(
            Policy::ProportionalShutdown,
            &[("share", "0.5"), ("period_s", "5"), ("idle_s", "never")],
        ),
        Case::of(
            Policy::ProportionalShutdown,
            &[("share", "0"), ("period_s", "3"), ("idle_s", "2")],
        ),
        Case::of(
            Policy::InertialShutdown,
            &[("period_s", "4"), ("idle_s", "3"), ("threshold_s", "20")],
        ),
        Case::of(
            Policy::InertialShutdown,
            &[("period_s", "3"), ("growth", "p1"), ("idle_s", "never"), ("threshold_s", "1e9")],
        ),
        Case::of(
            Policy::InertialShutdown,
            &[("period_s", "5"), ("future_switches", "false"), ("decide_at_stages", "false")],
        ),
        Case::of(
            Policy::EnergyBud,
            &[("budget_j", "90000"), ("until_s", "120"), ("shutdown", "true"), ("period_s", "5")],
        ),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Every change is from what the machine did to something that may follow (the witness sees to that);
    /// all jobs run, none before its submission or past its walltime; energies are the integral of powers,
    /// by activity too.
    #[test]
    fn machines_only_do_what_they_can_and_energy_is_its_integral(rows in workload()) {
        for case in switching() {
            let witness = witness(&rows, &case);
            prop_assert_eq!(witness.notes.played.len(), rows.len(), "{:?}", case.combination);
            for (number, happened) in &witness.notes.played {
                let (submitted, nodes, run, walltime) = rows[usize::try_from(number - 1).unwrap()];
                prop_assert!(happened.started >= submitted);
                prop_assert_eq!(happened.finished - happened.started, run.min(walltime));
                prop_assert_eq!(happened.machines.count(), nodes);
            }
            let consumption = witness.totals.unwrap().consumption;
            let total = consumed(&witness, Time::ZERO, Time::FOREVER);
            prop_assert_eq!(consumption.total.as_microjoules(), total);
            let mut sums = BTreeMap::new();
            for (from, until, doing) in witness.past.iter().flatten() {
                let length = *until - *from;
                let entry: &mut (i128, TotalTime) =
                    sums.entry(activity(*doing) as usize).or_default();
                entry.0 += i128::from(draws_w(*doing)) * i128::from(length.as_micros());
                entry.1 += length.into();
            }
            for activity in Activity::ALL {
                let (energy, time) = consumption.by_activity[activity as usize];
                let expected = sums.get(&(activity as usize)).copied().unwrap_or_default();
                prop_assert_eq!((energy.as_microjoules(), time), expected);
            }
            prop_assert_eq!(consumption.by_activity[0].0.as_microjoules(), witness.energies);
        }
    }

    /// The cap changes over time; jobs that never fit under it wait for its end.
    #[test]
    fn a_cap_is_never_exceeded(
        rows in workload(),
        caps in prop::collection::vec((1_i64..60, 600_i64..1_200), 1..6),
        shutdown in any::<bool>(),
    ) {
        let mut at = 0;
        let pieces: Vec<(Time, Time, Power)> = caps.into_iter().map(|(length, cap)| {
            let from = Time::from_seconds(at);
            at += length;
            (from, Time::from_seconds(at), Power::from_microwatts(cap * 1_000_000))
        }).collect();
        let shutdown = if shutdown { "true" } else { "false" };
        let options = [("shutdown", shutdown), ("period_s", "9")];
        let cap = Steps::of(pieces);
        let tables = SupplierTables { cap: Some(cap.clone()), ..NOTHING.clone() };
        let witness = witness(&rows, &Case { tables, ..Case::of(Policy::PowerCap, &options) });
        for (from, _, doing) in witness.past.iter().flatten() {
            if *doing == Doing::Idle || *doing == Doing::Off {
                continue;
            }
            let drawn = drawn_w(&witness, *from);
            let within = |cap: Power| drawn * 1_000_000 <= cap.as_microwatts();
            prop_assert!(cap.at(*from).is_none_or(within), "{} W at {}", drawn, from);
        }
        // Nor where it falls: every change of it.
        for (from, _, cap) in cap.pieces() {
            let computing = drawn_w(&witness, from) > 6 * 125;
            prop_assert!(!computing || drawn_w(&witness, from) * 1_000_000 <= cap.as_microwatts());
        }
    }

    /// At no instant was more consumed than had become available, where that is enough for idle machines.
    #[test]
    fn a_budget_is_never_overspent(
        rows in workload(),
        rate in 600_i64..1_200,
        from in 0_i64..40,
        length in 10_i64..100,
        policy in prop::sample::select(vec![Policy::EnergyBud, Policy::ReducePc]),
        shutdown in any::<bool>(),
    ) {
        let (budget, until) = ((rate * length).to_string(), (from + length).to_string());
        let from_s = from.to_string();
        let shutdown = if shutdown { "true" } else { "false" };
        let options = [
            ("budget_j", budget.as_str()), ("from_s", &from_s), ("until_s", &until),
            ("shutdown", shutdown), ("period_s", "8"), ("idle_estimate_w", "100"),
            ("computing_estimate_w", "200"),
        ];
        let witness = witness(&rows, &Case::of(policy, &options));
        let start = Time::from_seconds(from);
        for second in 0..=length {
            let now = Time::from_seconds(from + second);
            let available = i128::from(rate * second) * 1_000_000;
            let consumed = consumed(&witness, start, now);
            prop_assert!(consumed <= available, "{} of {} at {}", consumed, available, now);
        }
    }

    #[test]
    fn an_unlimited_budget_and_a_cap_above_all_are_easy(rows in workload()) {
        let budget = [("budget_j", "1e12"), ("until_s", "1e6")];
        let cap = [("cap_w", "1e6")];
        for allocation in [COUNT, SET] {
            let easy = starts(MACHINES, &rows, Way(Policy::Easy, allocation, Tie::Batch));
            let gated = [
                (Policy::EnergyBud, &budget[..]),
                (Policy::ReducePc, &budget),
                (Policy::PowerCap, &cap),
            ];
            for (policy, options) in gated {
                let combination = combination(policy, allocation);
                let case = Case { combination, ..Case::of(policy, options) };
                let played = witness(&rows, &case).notes.played;
                let starts: Vec<i64> = played.values().map(|happened| happened.started).collect();
                prop_assert_eq!(&starts, &easy);
            }
        }
    }

    #[test]
    fn reservations_are_kept_and_none_are_easy(
        rows in workload(),
        reserved in prop::collection::vec((0_i64..150, 1_i64..40, 0..MACHINES, 1..=MACHINES), 0..6),
    ) {
        let mut reservations: Vec<Reservation> = Vec::new();
        for (from, length, first, count) in reserved {
            let (from, until) = (Time::from_seconds(from), Time::from_seconds(from + length));
            let range = first..(first + count).min(MACHINES);
            let machines = NodeSet::from_ranges(vec![range]);
            let together = |other: &Reservation| {
                other.from < until && from < other.until && other.machines.intersects(&machines)
            };
            if !reservations.iter().any(together) {
                reservations.push(Reservation { from, until, machines });
            }
        }
        let case = Case { reservations: &reservations, ..Case::of(Policy::EasyReservations, &[]) };
        let witness = witness(&rows, &case);
        prop_assert_eq!(witness.notes.played.len(), rows.len());
        for happened in witness.notes.played.values() {
            let start = Time::from_seconds(happened.started);
            let end = Time::from_seconds(happened.finished);
            for reservation in &reservations {
                let together = start < reservation.until && reservation.from < end;
                prop_assert!(!together || !happened.machines.intersects(&reservation.machines));
            }
        }
        if reservations.is_empty() {
            let starts: Vec<i64> = witness.notes.played.values().map(|happened| happened.started).collect();
            let easy = super::starts(MACHINES, &rows, Way(Policy::Easy, SET, Tie::Batch));
            prop_assert_eq!(starts, easy);
        }
    }
}
