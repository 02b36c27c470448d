//! Energies: what machines consume is the integral of what they draw.

use batch::energy::MeterReading;
use batch::job::Utilisation;
use batch::kernel::Totals;
use batch::platform::Activity;
use proptest::prelude::*;

use super::*;

/// What was said of each job, and of all machines.
#[derive(Default)]
struct Metered {
    jobs: Vec<(i64, NodeSet, Option<Utilisation>, i128)>,
    last_uj: i128,
    totals: Option<Totals>,
}

impl Observer for Metered {
    fn started(&mut self, _: Time, _: &Job, _: &NodeSet) -> io::Result<()> {
        Ok(())
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        let run = seconds(played.finished - played.started);
        let energy = played.energy.unwrap();
        let (machines, utilisation) = (played.machines.clone(), played.job.utilisation);
        self.jobs.push((run, machines, utilisation, energy.as_microjoules()));
        Ok(())
    }

    fn refused(&mut self, _: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        Ok(())
    }

    fn metered(&mut self, reading: &MeterReading) -> io::Result<()> {
        assert!(reading.consumed.as_microjoules() >= self.last_uj);
        self.last_uj = reading.consumed.as_microjoules();
        Ok(())
    }

    fn finished(&mut self, totals: &Totals) -> io::Result<()> {
        self.totals = Some(*totals);
        Ok(())
    }
}

/// Two machines of 100 W idle and 200 W computing, 60 s. Job 1 has one at a utilisation of a quarter for 20 s: 125 W, 2500 J. Job 2
/// does not say, 40 s on the other: 200 W, 8000 J. Job 3 says nothing is done, 10 s from 50 s on: 1000 J. All
/// together: 2 * 100 * 60 = 12000 J idle, 25 * 20 = 500 J and 100 * 40 = 4000 J more.
#[test]
fn jobs_draw_as_hard_as_they_drive() {
    let watts = |watts| Power::from_watts(watts).unwrap();
    let draws = Draws { idle: watts(100.0), computing: watts(200.0) };
    let platform = Platform::new(&[
        Machine::of(PowerStates::always_on(1.0, Some(draws))),
        Machine::of(PowerStates::always_on(1.0, Some(draws))),
    ]);
    let platform = platform.unwrap();
    let rows = [(0, 1, 20, 60), (0, 1, 40, 60), (50, 1, 10, 60)];
    let shares = [Some(0.25), None, Some(0.0)];
    let with_utilisation = jobs(&rows).into_iter().zip(shares).map(|(job, share)| {
        Ok::<Job, Infallible>(Job { utilisation: share.and_then(Utilisation::of), ..job })
    });
    let cluster = cluster(&platform);
    let mut scheduler = combination(Policy::Easy, SET).scheduler(&setting(&platform)).unwrap();
    let mut metered = Metered::default();
    let played: Result<(), SimulationError<Infallible>> =
        simulate(with_utilisation, cluster, scheduler.as_mut(), &mut metered);
    played.unwrap();
    let joules = |microjoules: i128| i64::try_from(microjoules / 1_000_000).unwrap();
    let each: Vec<i64> = metered.jobs.iter().map(|(.., energy)| joules(*energy)).collect();
    assert_eq!(each, [2_500, 8_000, 1_000]);
    let totals = metered.totals.unwrap().consumption;
    assert_eq!(joules(totals.total.as_microjoules()), 16_500);
    assert!((totals.joules(Activity::Computing) - 11_500.0).abs() < 1e-9);
    assert!((totals.joules(Activity::Idle) - 5_000.0).abs() < 1e-9);
}

/// 100,000 machines of 1 MW draw 1e11 W, as much as can be reckoned with; one more is refused, and so are estimates
/// by which fewer would.
#[test]
fn powers_that_could_overflow_are_refused() {
    let megawatts = |draws| {
        let machine = Machine::of(PowerStates::always_on(1.0, Some(draws)));
        move |machines: usize| Platform::new(&vec![machine.clone(); machines])
    };
    let watts = |watts| Power::from_watts(watts).unwrap();
    let large = megawatts(Draws { idle: Power::ZERO, computing: watts(1e6) });
    assert!(large(100_000).is_ok());
    let told = "all machines of a platform together draw at most 1e11 W; powers are in watts";
    assert_eq!(large(100_001).unwrap_err().to_string(), told);
    let small = megawatts(Draws { idle: watts(1.0), computing: watts(2.0) })(100_001).unwrap();
    let options = [("cap_w", "1e9"), ("computing_estimate_w", "1e6")];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let setting = Setting { options: &options, ..setting(&small) };
    let errors = combination(Policy::PowerCap, SET).scheduler(&setting).err().unwrap();
    assert_eq!(errors, [format!("{told}, by what each is taken to draw at most")]);
}

proptest! {
    /// Machines of different powers, and jobs whose utilisation is in quarters or not said. A job consumes so much
    /// of the way from idle to computing power of its machines while it runs; all machines together that of
    /// the jobs, and their idle power for the rest of the time.
    #[test]
    fn energy_is_the_integral_of_power_over_machines(
        powers in prop::collection::vec((1_i64..200, 0_i64..200), 5),
        rows in prop::collection::vec((0_i64..40, 1_u32..=5, 1_i64..12), 1..30),
        quarters in prop::collection::vec(0_i64..6, 30),
        allocation in prop::sample::select(vec![COUNT, SET]),
    ) {
        let watts = |watts: i64| Power::from_microwatts(watts * 1_000_000);
        let machine = |&(idle, more): &(i64, i64)| {
            let draws = Draws { idle: watts(idle), computing: watts(idle + more) };
            Machine::of(PowerStates::always_on(1.0, Some(draws)))
        };
        let machines: Vec<Machine> = powers.iter().map(machine).collect();
        let platform = Platform::new(&machines).unwrap();
        let rows: Vec<Row> = rows.into_iter().map(|(at, nodes, run)| (at, nodes, run, run + 3)).collect();
        let cluster = cluster(&platform);
        let mut scheduler = combination(Policy::Easy, allocation).scheduler(&setting(&platform)).unwrap();
        let mut metered = Metered::default();
        let share = |quarters: i64| Utilisation::of(quarters as f64 / 4.0);
        let with_utilisation = jobs(&rows).into_iter().zip(&quarters).map(|(job, quarters)| {
            Ok::<Job, Infallible>(Job { utilisation: share(*quarters), ..job })
        });
        let played: Result<(), SimulationError<Infallible>> =
            simulate(with_utilisation, cluster, scheduler.as_mut(), &mut metered);
        played.unwrap();
        // Run time of each machine times quarters.
        let mut busy = [0_i64; 5];
        for (run, machines, utilisation, energy_uj) in &metered.jobs {
            let same = |quarters: &i64| share(*quarters) == *utilisation;
            let quarters = (0..=4).find(same).unwrap_or(4);
            let mut quarter_watts = 0;
            for machine in machines.positions() {
                let (idle, more) = powers[machine as usize];
                busy[machine as usize] += run * quarters;
                quarter_watts += 4 * idle + quarters * more;
            }
            prop_assert_eq!(*energy_uj, i128::from(quarter_watts * run) * 250_000);
        }
        let end = play(5, &rows, Way(Policy::Easy, allocation, Tie::Batch));
        let end = end.played.values().map(|happened| happened.finished).max().unwrap();
        let total: i64 = powers.iter().zip(busy).map(|((idle, more), busy)| 4 * idle * end + more * busy).sum();
        let consumed = metered.totals.unwrap().consumption.total;
        prop_assert_eq!(consumed.as_microjoules(), i128::from(total) * 250_000);
    }
}
