//! The batch simulator and the month on the same machines: both draw as much where both apply.

use std::convert::Infallible;
use std::io;

use batch::energy::Consumption;
use batch::job::{Job, JobId, Work};
use batch::kernel::{Cluster, Observer, Played, SimulationError, Totals, simulate};
use batch::platform::{Activity, Machine, Platform};
use batch::policy::{Combination, FitPart, PartKind, Policy, Setting};
use batch::scheduler::{RefusalReason, Tie};
use batch::supplier_tables::SupplierTables;
use batch::time::Time;
use planner::power_states::{Draws, PowerStates};

use super::*;

/// Jobs in seconds: submission, machines and run time.
const JOBS: [(i64, u32, i64); 2] = [(0, 1, 1_000), (5_000, 2, 1_000)];

/// Keeps what all machines consumed.
#[derive(Default)]
struct Consumed(Consumption);

impl Observer for Consumed {
    fn started(&mut self, _: Time, _: &Job, _: &NodeSet) -> io::Result<()> {
        Ok(())
    }

    fn played(&mut self, _: &Played<'_>) -> io::Result<()> {
        Ok(())
    }

    fn refused(&mut self, job: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        panic!("{:?} fits", job.id)
    }

    fn finished(&mut self, totals: &Totals) -> io::Result<()> {
        self.0 = totals.consumption;
        Ok(())
    }
}

/// A queue under opportunistic shutdown, which switches off what is idle at once.
fn queue() -> Consumption {
    let draws = Draws { idle: watts(95.0), computing: watts(190.0) };
    let machine = Machine::of(PowerStates::always_on(1.0, Some(draws)).with_sleep(thesis_sleep()));
    let platform = Platform::new(&[machine.clone(), machine]).unwrap();
    let tables = SupplierTables { price: None, co2: None, cap: None };
    let options = [("idle_s", "0"), ("period_s", "100000")];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let setting = Setting {
        platform: &platform,
        tie: Tie::Batch,
        options: &options,
        tables: &tables,
        reservations: &[],
    };
    let combination = Combination {
        allocation: Some(FitPart::named("set").unwrap()),
        ..Policy::OpportunisticShutdown.into()
    };
    let mut scheduler = combination.scheduler(&setting).unwrap();
    let job = |(number, (submitted, nodes, run)): (i64, (i64, u32, i64))| Job {
        utilisation: None,
        id: JobId::Number(number),
        profile: None,
        submitted: Time::from_seconds(submitted),
        nodes,
        work: Work::Delay(Time::from_seconds(run)),
        walltime: Some(Time::from_seconds(run)),
    };
    let jobs = (1..).zip(JOBS).map(job).map(Ok::<Job, Infallible>);
    let cluster = Cluster {
        platform: &platform,
        tie: Tie::Batch,
        launch: Time::ZERO,
        places: true,
        delays_compute: true,
        tables: None,
        network: None,
    };
    let mut consumed = Consumed::default();
    let played: Result<(), SimulationError<Infallible>> =
        simulate(jobs, cluster, scheduler.as_mut(), &mut consumed);
    played.unwrap();
    consumed.0
}

/// Machine 0 computes until 1,000 s and is off from 1,006.1 s to 5,000 s, machine 1 from 6.1 s on: 3,993.9 s + 4,993.9 s at 9.75 W are
/// 87,631.05 J. Both switch off and on once: 39,163.7168 J. Neither idles. The queue's second job computes from 5,151.52 s to 6,151.52 s; a booking
/// ends when it was to, so that the month's computes 2 x 151.52 s less: 57,577.6 J.
#[test]
fn opportunistic_shutdown_draws_as_much() {
    let consumption = queue();
    let rows: [Row<'_>; 2] = [(0, 0, 1_000, &[0]), (5_000, 5_000, 6_000, &[0, 1])];
    let month = month(6_000, 2, &rows);
    let of = account(&month, &played(&month, boots(0, 0)));
    let drawn = |activity: Activity| consumption.by_activity[activity as usize].0.as_microjoules();
    let switching = drawn(Activity::SwitchingOff) + drawn(Activity::SwitchingOn);
    let queue = [drawn(Activity::Off), switching, drawn(Activity::Idle)];
    assert_eq!(queue, [87_631_050_000, 39_163_716_800, 0]);
    assert_eq!([of.off, of.switching, of.idle].map(microjoules), queue);
    assert_eq!(drawn(Activity::Computing) - microjoules(of.computing), 57_577_600_000);
    // Machines that are on throughout idle for 4,000 s and for 5,000 s.
    assert_eq!(microjoules(without_manager(&month).idle), 95 * 9_000 * 1_000_000);
}
