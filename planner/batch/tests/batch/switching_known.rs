//! Switches, caps and budgets: known answers with their arithmetic.

use planner::quantity::Power;

use batch::steps::Steps;
use planner::quantity::EnergyPrice;

use super::switching::{Case, witness};
use super::*;

/// Machines idle for 4 s are switched off: at the stage at 10 s all six, until 12 s. The job of 2 machines that
/// comes at 20 s wakes two because it cannot start, and two because machines are off that were idle;
/// it runs from 23 s to 28 s, when the other two are switched off again.
#[test]
fn a_job_waits_until_machines_are_on() {
    let options = [("period_s", "10"), ("idle_s", "4")];
    let rows = [(0, 6, 1, 1), (20, 2, 5, 5)];
    let witness = witness(&rows, &Case::of(Policy::OpportunisticShutdown, &options));
    assert_eq!(witness.notes.played[&2].started, 23);
    let totals = witness.totals.unwrap();
    assert_eq!((totals.orders, totals.switches), (4, 12));
    // All: 190 x 1 + 95 x 9 + 101 x 2 = 1247 J each until 12 s. Then two of them 10 x 8 + 125 x 3 + 190 x 5,
    // two 10 x 8 + 125 x 3 + 95 x 5, two 10 x 16 J.
    let expected = 6 * 1_247 + 2 * 1_405 + 2 * 930 + 2 * 160;
    assert_eq!(totals.consumption.total.as_microjoules(), expected * 1_000_000);
}

/// One machine computing draws 190 + 5 x 95 = 665 W, two 760 W. Under 700 W the second job waits for the first.
#[test]
fn a_cap_lets_one_job_run_after_the_other() {
    let rows = [(0, 1, 10, 10), (0, 1, 5, 5)];
    let played = witness(&rows, &Case::of(Policy::PowerCap, &[("cap_w", "700")])).notes.played;
    assert_eq!((played[&1].started, played[&2].started), (0, 10));
    let capped = [("cap_w", "700"), ("until_s", "4")];
    let played = witness(&rows, &Case::of(Policy::PowerCap, &capped)).notes.played;
    assert_eq!(played[&2].started, 4);
}

/// The cap lets one machine compute until 20 s, all six until 30 s, one until 40 s, and then any. Job 2 takes all for 5 s: it is
/// promised 20 s, not 40 s. Job 3, one machine for 20 s, would be in its way from 15 s on, when job 1 has ended: it
/// waits for job 2 to end.
#[test]
fn the_first_job_is_promised_the_first_place_under_a_cap_that_rises_and_falls() {
    let s = Time::from_seconds;
    let watts = |watts| Power::from_watts(watts).unwrap();
    let pieces =
        [(s(0), s(20), watts(665.0)), (s(20), s(30), watts(1_140.0)), (s(30), s(40), watts(665.0))];
    let tables = SupplierTables { cap: Some(Steps::of(pieces)), ..NOTHING.clone() };
    let rows = [(0, 1, 15, 15), (1, 6, 5, 5), (2, 1, 20, 20)];
    let played = witness(&rows, &Case { tables, ..Case::of(Policy::PowerCap, &[]) }).notes.played;
    let starts: Vec<i64> = played.values().map(|happened| happened.started).collect();
    assert_eq!(starts, [0, 20, 25]);
}

/// 665 W become available: exactly what idle machines and one of them computing draw. Two that
/// compute for 10 s draw 95 W more than that: 950 J, which are saved after 10 s of 570 W.
#[test]
fn a_budget_saves_for_what_exceeds_its_rate() {
    let rows = [(0, 2, 10, 10)];
    let options = [("budget_j", "66500"), ("until_s", "100"), ("period_s", "1")];
    let played = witness(&rows, &Case::of(Policy::EnergyBud, &options)).notes.played;
    assert_eq!(played[&1].started, 10);
}

#[test]
fn what_is_wrong_with_options_is_said_at_once() {
    let platform = Platform::of_machines(4);
    let options = [("period_s", "0"), ("idle_s", "soon"), ("speed", "2")];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let setting = Setting { options: &options, ..setting(&platform) };
    let errors = combination(Policy::OpportunisticShutdown, SET).scheduler(&setting).err().unwrap();
    let expected = [
        "this policy needs a platform whose machines can be switched off",
        "period_s: \"0\" is not a time in seconds above 0",
        "idle_s: \"soon\" is not a time in seconds, or never",
        "speed is no option of opportunistic_shutdown: Its own are sedate_while_waking, period_s, idle_s, \
         sedate_at_events, decide_at_stages, switch_on_s, switch_off_s; those of every policy tau_s, launch_s, \
         delay_power, utilisation, job_utilisation, network",
    ];
    assert_eq!(errors, expected);
}

/// Exact sums where machines differ in what they draw and how long they take.
#[test]
fn machines_may_differ_in_everything() {
    let watts = |watts| Power::from_watts(watts).unwrap();
    let machine = |scale: f64, seconds| {
        let transition =
            |power, time| Transition { power: watts(power), time: Duration::from_secs(time) };
        let draws = Draws { idle: watts(10.0 * scale), computing: watts(20.0 * scale) };
        let sleep = Sleep {
            number: 1,
            off: watts(scale),
            switching_off: transition(11.0 * scale, seconds),
            switching_on: transition(12.0 * scale, 2 * seconds),
        };
        Machine::of(PowerStates::always_on(1.0, Some(draws)).with_sleep(sleep))
    };
    let platform = Platform::new(&[machine(1.0, 1), machine(2.0, 3)]).unwrap();
    let options = [("idle_s", "0"), ("period_s", "100")];
    let options = options.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let setting = Setting {
        platform: &platform,
        tie: Tie::Batch,
        options: &options,
        tables: &NOTHING,
        reservations: &[],
    };
    let mut scheduler =
        combination(Policy::OpportunisticShutdown, SET).scheduler(&setting).unwrap();
    let cluster = cluster(&platform);
    let mut tally = Tally::new(Time::ZERO);
    let rows = [(0, 1, 5, 5), (20, 2, 1, 1)];
    let jobs = jobs(&rows).into_iter().map(Ok::<Job, Infallible>);
    simulate(jobs, cluster, scheduler.as_mut(), &mut tally).unwrap();
    let summary = tally.summary(2);
    // At 0 job 1 starts on machine 0; machine 1 is switched off, which takes until 3. Machine 0 is at 5,
    // until 6. At 20 both are switched on, until 22 and 26; job 2 runs from 26 to 27.
    // Machine 0: 20 x 5 + 11 + 14 + 12 x 2 + 10 x 4 + 20 = 209 J;
    // machine 1: 22 x 3 + 2 x 17 + 24 x 6 + 40 = 284 J.
    assert!((summary.makespan - 27.0).abs() < 1e-9);
    assert_eq!(summary.consumed_joules, Some(493.0));
    // At 27, as the last job ends, both are ordered off again.
    assert_eq!(summary.nb_machine_switches, 6);
}

/// Energy at 2 until 10 s and at 1 from then on becomes available at 570 W, which idle machines draw, and then
/// at 1140 W: 17.1 kJ in 20 s. One machine computing is 95 W more than idle ones: it waits for 10 s.
#[test]
fn a_budget_follows_prices() {
    let s = Time::from_seconds;
    let price = |millionths| EnergyPrice::from_millionths_per_mwh(millionths).unwrap();
    let price = Steps::of([(s(0), s(10), price(2_000_000)), (s(10), s(20), price(1_000_000))]);
    let tables = SupplierTables { price: Some(price), ..NOTHING.clone() };
    let options = [("budget_j", "17100"), ("until_s", "20"), ("follow", "price")];
    let rows = [(0, 1, 5, 5)];
    let played = witness(&rows, &Case { tables, ..Case::of(Policy::EnergyBud, &options) });
    assert_eq!(played.notes.played[&1].started, 10);
    // 570 W x 10 s at 2 per MWh and 665 W x 5 s at 1: (11,400 + 3,325) J x 1 / MWh.
    let cost = played.totals.unwrap().consumption.bill.cost.unwrap();
    assert!((cost - 14_725.0 / 3.6e9).abs() < 1e-12);
}
