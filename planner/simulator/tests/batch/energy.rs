//! Energies: what machines consume is the integral of what they draw.

use proptest::prelude::*;
use simulator::batch::energy::Reading;
use simulator::batch::kernel::Totals;

use super::*;

/// What was said of each job, and of all machines.
#[derive(Default)]
struct Metered {
    jobs: Vec<(i64, NodeSet, i128)>,
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
        self.jobs.push((run, played.machines.clone(), energy.as_microjoules()));
        Ok(())
    }

    fn refused(&mut self, _: &Job) -> io::Result<()> {
        Ok(())
    }

    fn metered(&mut self, reading: &Reading) -> io::Result<()> {
        assert!(reading.consumed.as_microjoules() >= self.last_uj);
        self.last_uj = reading.consumed.as_microjoules();
        Ok(())
    }

    fn finished(&mut self, totals: &Totals) -> io::Result<()> {
        self.totals = Some(*totals);
        Ok(())
    }
}

proptest! {
    /// Machines of different powers. A job consumes the computing power of its machines while it runs; all
    /// machines together that of the jobs, and their idle power for the rest of the time.
    #[test]
    fn energy_is_the_integral_of_power_over_machines(
        powers in prop::collection::vec((1_i64..200, 0_i64..200), 5),
        rows in prop::collection::vec((0_i64..40, 1_u32..=5, 1_i64..12), 1..30),
        allocation in prop::sample::select(vec![COUNT, SET]),
    ) {
        let watts = |watts: i64| Power::from_microwatts(watts * 1_000_000);
        let machine = |&(idle, more): &(i64, i64)| {
            let draws = Draws { idle: watts(idle), computing: watts(idle + more) };
            Machine::always_on(1.0, Some(draws))
        };
        let machines: Vec<Machine> = powers.iter().map(machine).collect();
        let platform = Platform::new(&machines).unwrap();
        let rows: Vec<Row> = rows.into_iter().map(|(at, nodes, run)| (at, nodes, run, run + 3)).collect();
        let cluster = Cluster { platform: &platform, tie: Tie::Batch, launch: Time::ZERO, places: true, delays_compute: true, tariff: None };
        let setting = Setting { platform: &platform, allocation, tie: Tie::Batch, options: &[], tariff: &NOTHING, reservations: &[] };
        let mut scheduler = Policy::Easy.scheduler(&setting).unwrap();
        let mut metered = Metered::default();
        let jobs = jobs(&rows).into_iter().map(Ok::<Job, Infallible>);
        let played: Result<(), SimulationError<Infallible>> =
            simulate(jobs, cluster, scheduler.as_mut(), &mut metered);
        played.unwrap();
        let mut busy = [0_i64; 5];
        for (run, machines, energy_uj) in &metered.jobs {
            let mut computing = 0;
            for machine in machines.positions() {
                let (idle, more) = powers[machine as usize];
                busy[machine as usize] += run;
                computing += idle + more;
            }
            prop_assert_eq!(*energy_uj, i128::from(computing * run) * 1_000_000);
        }
        let end = play(5, &rows, Way(Policy::Easy, allocation, Tie::Batch));
        let end = end.played.values().map(|happened| happened.finished).max().unwrap();
        let total: i64 = powers.iter().zip(busy).map(|((idle, more), busy)| idle * end + more * busy).sum();
        let consumed = metered.totals.unwrap().consumption.total;
        prop_assert_eq!(consumed.as_microjoules(), i128::from(total) * 1_000_000);
    }
}
