//! Prices, budgets and windows: worked by hand, and against a plain program that looks at every second.

use std::convert::Infallible;
use std::io;

use batch::dispatch::simulation::UnitSimulation;
use batch::dispatch::{BudgetFile, UnitObserver, UnitPlayed, UnitRefusal, UnitResults, UnitSupply};
use batch::dispatch::{EstimatePart, UnitBackfill, UnitFitPart, UnitOrderPart};
use batch::dispatch::{jobs::UnitJob, system::System};
use batch::policy::PartKind;
use batch::steps::Steps;
use batch::supplier_tables::SupplierTables;
use batch::time::Time;
use planner::quantity::{CarbonIntensity, EnergyPrice};
use planner::time::Timestamp;
use proptest::prelude::*;

use super::{Row, jobs, number, seconds};

/// Four cores of 1 kW.
const SYSTEM: &str = "[[nodes]]\ncount = 1\ncores = 4\n[nodes.power]\ncores = { full_w = 1000 }\n";
/// A midnight is so many seconds after the beginning.
const MIDNIGHT: i64 = 30;
const DAY: i64 = 86_400;

/// Of each job by number: when it started, what its window saved and what was credited.
#[derive(Default)]
struct Starts {
    all: Vec<(i64, i64, Option<f64>, Option<f64>)>,
    refused: Vec<i64>,
}

impl UnitObserver for Starts {
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        let supply = played.supply;
        let started = seconds(played.started);
        self.all.push((number(played.job), started, supply.saved, supply.credit));
        Ok(())
    }

    fn refused(&mut self, job: &UnitJob, why: UnitRefusal) -> io::Result<()> {
        assert_eq!(why, UnitRefusal::AboveTheBudget);
        self.refused.push(number(job));
        Ok(())
    }
}

/// A job, and until when it may start where it has a window.
type Windowed = (Row, Option<i64>);

fn play(
    rows: &[Windowed],
    tables: &SupplierTables,
    budgets: Option<&BudgetFile>,
    options: &[(String, String)],
) -> (Starts, UnitResults) {
    let system = System::parse(SYSTEM).unwrap();
    let factors = std::collections::BTreeMap::new();
    let simulation = UnitSimulation {
        system: &system,
        order: UnitOrderPart::named("fcfs").unwrap(),
        backfill: UnitBackfill::None,
        fit: UnitFitPart::named("first_fit").unwrap(),
        estimate: EstimatePart::named("walltime").unwrap(),
        shares: None,
        energy_factors: &factors,
        options,
    };
    let plain: Vec<Row> = rows.iter().map(|it| it.0.clone()).collect();
    let with_windows = jobs(&plain, 1).into_iter().map(|mut job| {
        let latest = rows[usize::try_from(number(&job)).unwrap()].1;
        job.latest_start = latest.map(Time::from_seconds);
        Ok::<UnitJob, Infallible>(job)
    });
    let supply = UnitSupply {
        tables: Some(tables),
        allows_uncovered: true,
        budgets,
        ..UnitSupply::default()
    };
    let mut starts = Starts::default();
    let results = simulation.play_with(&supply, with_windows, &mut starts).unwrap();
    starts.all.sort_by_key(|it| it.0);
    (starts, results)
}

fn row(submitted: i64, units: u32, run: i64, walltime: i64, user: u32) -> Row {
    Row { submitted, units, unit: vec![1], run, walltime, user }
}

fn prices(pieces: &[(i64, i64, i64)]) -> SupplierTables {
    let piece = |&(from, until, millionths): &(i64, i64, i64)| {
        let price = EnergyPrice::from_millionths_per_mwh(millionths).unwrap();
        (Time::from_seconds(from), Time::from_seconds(until), price)
    };
    let price = Some(Steps::of(pieces.iter().map(piece)));
    SupplierTables { price, ..SupplierTables::default() }
}

/// A MWh costs 90 for an hour, then 30 for two hours, then 60. At 200 g/kWh all day.
///
/// Job 0 of two cores may start until 7200 s and asks for an hour: from 3600 to 7200 s it costs least, so it starts at 3600 s, although
/// it fits at 0. It runs for half an hour: 2 kW x 0.5 h = 1 kWh, 0.03 in place of 0.09: 0.06 saved, of which a quarter is credited, 0.015.
/// It emits 200 g. Job 1 has no window: an hour of one core from 0 on is 1 kWh, 0.09. Job 2 of four cores comes at 3600 s and waits for
/// job 0 until 5400 s; its window until 9000 s has no cheaper start than 3600 s, and one as cheap until 7200 s; what was free held it at
/// 5400 s first, so that nothing was saved: 4 kW x 0.5 h = 2 kWh, 0.06. The facility draws nothing idle: 0.18 in all, 800 g.
#[test]
fn a_window_moves_a_job_to_cheap_hours() {
    let mut tables =
        prices(&[(0, 3600, 90_000_000), (3600, 10_800, 30_000_000), (10_800, 20_000, 60_000_000)]);
    let co2 = CarbonIntensity::from_millionths_g_per_kwh(200_000_000).unwrap();
    tables.co2 = Some(Steps::of([(Time::ZERO, Time::from_seconds(20_000), co2)]));
    let rows = [
        (row(0, 2, 1800, 3600, 0), Some(7200)),
        (row(0, 1, 3600, 3600, 1), None),
        (row(3600, 4, 1800, 3600, 1), Some(9000)),
    ];
    let options = [("credit_share".to_owned(), "0.25".to_owned())];
    let (starts, results) = play(&rows, &tables, None, &options);
    let when: Vec<i64> = starts.all.iter().map(|it| it.1).collect();
    assert_eq!(when, [3600, 0, 5400]);
    let near = |value: Option<f64>, expected: f64| (value.unwrap() - expected).abs() < 1e-12;
    assert!(near(starts.all[0].2, 0.06) && near(starts.all[0].3, 0.015));
    assert_eq!((starts.all[1].2, starts.all[2].2), (None, Some(0.0)));
    let supply = results.supply.unwrap();
    assert!(near(supply.jobs_cost, 0.18) && near(supply.energy_cost, 0.18));
    assert!(near(supply.jobs_co2_g, 800.0) && near(supply.energy_co2_g, 800.0));
    assert_eq!((supply.jobs_with_window, supply.jobs_shifted, supply.mean_shift), (2, 1, 3600.0));
    assert!(near(supply.saved, 0.06) && near(supply.credited, 0.015));
    let (ada, eve) = (results.users[0].bill, results.users[1].bill);
    assert!(near(ada.cost, 0.03) && near(ada.credit, 0.015) && near(eve.cost, 0.15));
    assert_eq!((supply.energy_cost_covered_share, supply.uncovered), (Some(1.0), Vec::new()));
}

/// Each user has 0.02 kWh a day, 72 s of a core. Ada's first job may take 2 x 20 = 40 s, so that her second, 2 x 20 s, is held back: 80 are
/// above 72. Eve's job is not, although it came later. The first ends after 10 s and took 20 s of a core: with it the second takes 60
/// and starts. Her third, 1 x 60 s, is held until midnight, at 30 s. Her fourth asks for 80 s of a core, and is refused.
#[test]
fn a_job_above_its_budget_waits_for_the_next_period() {
    let text = "[[budgets]]\nuser = \"/\"\nenergy_kwh = 0.02\nper = \"day\"\n";
    let budgets = BudgetFile::parse(text, Timestamp::from_unix_seconds(DAY - MIDNIGHT)).unwrap();
    let rows = [
        (row(0, 2, 10, 20, 0), None),
        (row(0, 2, 5, 20, 0), None),
        (row(1, 1, 5, 20, 1), None),
        (row(2, 1, 5, 60, 0), None),
        (row(2, 2, 5, 40, 0), None),
    ];
    let (starts, results) = play(&rows, &SupplierTables::default(), Some(&budgets), &[]);
    let when: Vec<i64> = starts.all.iter().map(|it| it.1).collect();
    assert_eq!((when, starts.refused), (vec![0, 10, 1, 30], vec![4]));
    let supply = results.supply.unwrap();
    assert_eq!((supply.jobs_held_by_budget, supply.jobs_refused_by_budget), (2, 1));
    assert_eq!(results.users[0].bill.jobs_held_by_budget, 2);
}

/// The price in a second, where there is one.
fn price_at(pieces: &[(i64, i64, i64)], second: i64) -> Option<i64> {
    pieces.iter().find(|it| it.0 <= second && second < it.1).map(|it| it.2)
}

fn price_over(pieces: &[(i64, i64, i64)], start: i64, length: i64) -> Option<i64> {
    (start..start + length).map(|second| price_at(pieces, second)).sum()
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Coming,
    Submitted,
    /// For its window, until this second.
    Held(i64),
    /// For its budget.
    Poor,
    Queued,
    Started(i64),
    Refused,
}

/// When each job starts, and since when what was free held it.
fn plain(
    rows: &[Windowed],
    pieces: &[(i64, i64, i64)],
    limit: i64,
) -> Vec<(Option<i64>, Option<i64>)> {
    let mut states = vec![State::Coming; rows.len()];
    let mut earliest = vec![None; rows.len()];
    let day = |second: i64| (second - MIDNIGHT).div_euclid(DAY);
    let asked = |row: &Row| i64::from(row.units) * row.walltime;
    let mut by_submission: Vec<usize> = (0..rows.len()).collect();
    by_submission.sort_by_key(|at| (rows[*at].0.submitted, *at));
    let mut now = 0;
    loop {
        let at_work = |state: State, row: &Row, now: i64| match state {
            State::Started(at) => at <= now && now < at + row.run.min(row.walltime),
            _ => false,
        };
        let mut event = false;
        for (state, (row, _)) in states.iter_mut().zip(rows) {
            if *state == State::Coming && row.submitted == now {
                *state = if asked(row) > limit { State::Refused } else { State::Submitted };
                event = true;
            }
            event |= matches!(state, State::Started(at) if *at + row.run.min(row.walltime) == now);
            event |= *state == State::Held(now);
            event |= *state == State::Poor && day(now) != day(now - 1);
        }
        if event {
            // Who is in the queue.
            let mut reserved = [0; 4];
            for &at in &by_submission {
                let (row, latest) = &rows[at];
                match states[at] {
                    State::Submitted | State::Queued | State::Poor => {}
                    State::Held(until) if until <= now => {}
                    _ => continue,
                }
                let own = price_over(pieces, now, row.walltime);
                let cheaper =
                    latest.filter(|latest| now < *latest).zip(own).and_then(|(latest, own)| {
                        let rate = |at: &i64| price_over(pieces, *at, row.walltime);
                        let least = (now + 1..=latest).filter_map(|at| rate(&at)).min()?;
                        (least < own)
                            .then(|| (now + 1..=latest).find(|at| rate(at) == Some(least)))?
                    });
                let of_user =
                    rows.iter().zip(&states).filter(|((other, _), _)| other.user == row.user);
                let taken: i64 = of_user
                    .map(|((other, _), state)| match *state {
                        State::Started(start) if day(start) != day(now) => 0,
                        State::Started(_) if at_work(*state, other, now) => asked(other),
                        State::Started(_) => i64::from(other.units) * other.run.min(other.walltime),
                        _ => 0,
                    })
                    .sum();
                let sum = &mut reserved[row.user as usize];
                states[at] = match cheaper {
                    Some(best) => State::Held(best),
                    None if taken + *sum + asked(row) > limit => State::Poor,
                    None => {
                        *sum += asked(row);
                        State::Queued
                    }
                };
            }
            // Strictly in the order of submission.
            let mut free: i64 = 4;
            for (state, (row, _)) in states.iter().zip(rows) {
                free -= if at_work(*state, row, now) { i64::from(row.units) } else { 0 };
            }
            for &at in &by_submission {
                let (row, _) = &rows[at];
                if states[at] == State::Queued {
                    if i64::from(row.units) > free {
                        break;
                    }
                    free -= i64::from(row.units);
                    states[at] = State::Started(now);
                    earliest[at] = earliest[at].or(Some(now));
                }
            }
            for (at, (row, latest)) in rows.iter().enumerate() {
                let waits = matches!(states[at], State::Held(_) | State::Queued | State::Poor);
                if waits
                    && latest.is_some()
                    && earliest[at].is_none()
                    && i64::from(row.units) <= free
                {
                    earliest[at] = Some(now);
                }
            }
        }
        if states.iter().all(|it| matches!(it, State::Started(_) | State::Refused)) {
            break;
        }
        now += 1;
        if now > 300
            && now < DAY
            && states.iter().zip(rows).all(|(it, (row, _))| !at_work(*it, row, now))
        {
            now = (now - MIDNIGHT).div_euclid(DAY) * DAY + DAY + MIDNIGHT;
        }
        assert!(now < 20 * DAY);
    }
    let start = |state: &State| if let State::Started(at) = state { Some(*at) } else { None };
    states.iter().map(start).zip(earliest).collect()
}

fn workload() -> impl Strategy<Value = Vec<Windowed>> {
    let one = (0_i64..40, 1_u32..=4, 1_i64..12, -2_i64..8, 0_u32..3, prop::option::of(0_i64..40));
    let one = one.prop_map(|(submitted, units, run, more, user, window)| {
        (row(submitted, units, run, (run + more).max(1), user), window.map(|it| submitted + it))
    });
    prop::collection::vec(one, 1..16)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Every job starts when the plain program starts it, and saves what it says.
    #[test]
    fn jobs_start_as_in_the_plain_program(
        rows in workload(),
        steps in prop::collection::vec((1_i64..12, 1_i64..6), 1..12),
        limit in 20_i64..150,
        gap in 0_i64..60,
    ) {
        let (mut pieces, mut at) = (Vec::new(), 0);
        for (length, price) in steps {
            if at != gap {
                pieces.push((at, at + length, price));
            }
            at += length;
        }
        // A core-second is 1 kWs, 1/3600 kWh; the file is read to the millionth, and a millionth more changes nothing.
        let kwh = (limit as f64 / 3600.0 * 1e6).ceil() / 1e6;
        let text = format!("[[budgets]]\nuser = \"/\"\nenergy_kwh = {kwh}\nper = \"day\"\n");
        let origin = Timestamp::from_unix_seconds(DAY - MIDNIGHT);
        let budgets = BudgetFile::parse(&text, origin).unwrap();
        let (starts, _) = play(&rows, &prices(&pieces), Some(&budgets), &[]);
        let expected = plain(&rows, &pieces, limit);
        let played = |at: usize| starts.all.iter().find(|it| it.0 == i64::try_from(at).unwrap());
        for (at, (start, earliest)) in expected.iter().enumerate() {
            prop_assert_eq!(played(at).map(|it| it.1), *start, "job {}", at);
            let (row, latest) = &rows[at];
            if let (Some((_, start, saved, credit)), true) = (played(at), latest.is_some()) {
                let run = row.run.min(row.walltime);
                let over = |from: i64| -> i64 {
                    (from..from + run).filter_map(|it| price_at(&pieces, it)).sum()
                };
                let micros = (over(earliest.unwrap()) - over(*start)) * i64::from(row.units) * 1000;
                let expected = micros as f64 / 1e6 / 3.6e9;
                prop_assert!((saved.unwrap() - expected).abs() < 1e-15, "job {}", at);
                prop_assert!((credit.unwrap() - expected.max(0.0) / 2.0).abs() < 1e-15);
            }
        }
    }
}
