//! What Slurm's energy plugin measures, by the files that it reads of Cray's nodes (`pm_counters`) and a test writes: a known
//! curve has its integral, as power and as energy. The REST of 22.05 tells nothing of energy.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use planner::metering::{
    KeptSamples, Meter, MeterScope, QuarterSum, Sample, SampleTime, ValueKind, merge,
};
use planner::quantity::Power;
use planner::time::Seconds;

use crate::left_out::left_out;
use crate::peer::Peer;

/// Nodes that no test here switches off.
const NODES: [&str; 3] = ["n1", "n6", "n11"];

/// How long each of them is measured, in seconds.
const LENGTH: i64 = 30;

const FIRST_W: f64 = 200.0;
const RISE_W: f64 = 4.0;

/// Seconds by which a value may be of a later instant than is told: Slurm tells the whole second in which it collected,
/// and on a busy machine half a second may pass between its look at the clock and that at the files.
const LATER: f64 = 1.0 + 0.5;

fn unix_seconds() -> f64 {
    #[expect(clippy::disallowed_methods, reason = "Slurm collects by the world's time")]
    let now = SystemTime::now();
    now.duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

/// Watts so many seconds after the beginning.
fn watts(second: f64) -> f64 {
    FIRST_W + RISE_W * second
}

/// Joules since the beginning: the integral of [`watts`].
fn joules(second: f64) -> f64 {
    (FIRST_W + RISE_W / 2.0 * second) * second
}

/// Puts a whole number into a file, as a whole: the plugin opens it each time.
fn write(folder: &Path, name: &str, number: f64, unit: &str) {
    let beside = folder.join(format!("{name}.new"));
    std::fs::write(&beside, format!("{number:.0} {unit}\n")).unwrap();
    std::fs::rename(beside, folder.join(name)).unwrap();
}

/// Plays the curve until it is to end; how old a value in the files was at most, in seconds. The energy goes on from
/// what is there: one that falls would be none.
fn play(folder: &Path, begun: f64, ends: &AtomicBool) -> f64 {
    let before = std::fs::read_to_string(folder.join("energy")).unwrap();
    let before: f64 = before.split_whitespace().next().unwrap().parse().unwrap();
    let (mut oldest, mut written) = (0.0_f64, begun);
    while !ends.load(Ordering::Relaxed) {
        let now = unix_seconds();
        write(folder, "energy", before + joules(now - begun), "J");
        write(folder, "power", watts(now - begun), "W");
        oldest = oldest.max(unix_seconds() - written);
        written = now;
        std::thread::sleep(Duration::from_millis(20));
    }
    oldest.max(unix_seconds() - written)
}

/// What is kept of a node, as the service keeps it.
struct Measured {
    meter: Meter,
    kept: KeptSamples,
    sum: QuarterSum,
}

impl Measured {
    fn new(values: ValueKind) -> Self {
        let meter = Meter {
            name: "slurm".into(),
            covers: MeterScope::Node,
            values,
            unit: Meter::pushed_unit(values),
            period: Seconds::new(2),
            // However busy the machine is: a line is no less straight.
            longest_gap: Seconds::new(60),
            zero_is_missing: values == ValueKind::Gauge,
            least: Power::ZERO,
            most: Power::from_microwatts(100_000 * 1_000_000),
        };
        Self { meter, kept: KeptSamples::default(), sum: QuarterSum::default() }
    }

    fn take(&mut self, at: SampleTime, value: i64) {
        let sample = Sample { at, value_milli: value * 1000 };
        let merged = merge(&self.meter, &self.kept, &[sample]);
        assert_eq!(merged.resets, 0, "{merged:?}");
        merged.changes.into_values().for_each(|it| self.sum.add(it));
        self.kept = KeptSamples { samples: merged.samples, newest: merged.newest };
    }

    fn joules(&self) -> f64 {
        self.sum.energy_uj as f64 / 1e6
    }

    /// The instants of the first sample and of the last, in seconds.
    fn ends(&self) -> (f64, f64) {
        let second = |it: Option<&Sample>| it.unwrap().at.as_unix_milliseconds() as f64 / 1000.0;
        (second(self.kept.samples.first()), second(self.kept.samples.last()))
    }
}

/// A value told of the second `s` is that of an instant from `s - oldest` to `s + LATER`. So a power is off by its rise in
/// that time, and by half a watt; all others are linear, of which trapezia are exact. An energy is off by what is drawn
/// in that time at either end, and by half a joule.
#[tokio::test]
#[ignore = "needs a Slurm: .ci/slurm"]
async fn a_curve_that_the_energy_plugin_reads_has_its_integral_as_power_and_as_energy() {
    let peer = Peer::new().await;
    if peer.is_22_05() {
        let nodes = peer.slurm.node_energy().await.unwrap();
        let tells = nodes.iter().filter(|it| {
            it.current_w.is_some() || it.consumed_j.is_some() || it.collected.is_some()
        });
        assert_eq!((nodes.len(), tells.count()), (16, 0));
        left_out("a_curve_that_the_energy_plugin_reads", "Slurm 22.05 tells no energy of nodes");
        return;
    }
    let (begun, ends) = (unix_seconds(), Arc::new(AtomicBool::new(false)));
    let playing = std::thread::spawn({
        let (folder, ends) = (peer.text("pm_counters").to_owned(), Arc::clone(&ends));
        move || play(Path::new(&folder), begun, &ends)
    });

    let new = || (Measured::new(ValueKind::Gauge), Measured::new(ValueKind::Counter));
    let mut measured = BTreeMap::from(NODES.map(|node| (node, new())));
    let started = Instant::now();
    while measured.values().any(|(power, _)| power.sum.covered_ms < LENGTH * 1000) {
        assert!(started.elapsed() < Duration::from_mins(5), "Slurm does not collect");
        tokio::time::sleep(Duration::from_millis(500)).await;
        for node in peer.slurm.node_energy().await.unwrap() {
            let Some((power, energy)) = measured.get_mut(&*node.name) else { continue };
            let at = SampleTime::of(node.collected.unwrap());
            // The files were written before.
            if at.as_unix_milliseconds() as f64 / 1000.0 > begun + 1.0 {
                power.take(at, node.current_w.unwrap());
                energy.take(at, node.consumed_j.unwrap());
            }
        }
    }
    ends.store(true, Ordering::Relaxed);
    let oldest = playing.join().unwrap();

    for (node, (power, energy)) in measured {
        let (first, last) = power.ends();
        let truth = joules(last - begun) - joules(first - begun);
        let power_bound = (RISE_W * LATER.max(oldest) + 0.5) * (last - first);
        let energy_bound = watts(last - begun + LATER) * (LATER + oldest) + 1.0;
        for (told, bound) in [(power.joules(), power_bound), (energy.joules(), energy_bound)] {
            let error = told - truth;
            assert!(error.abs() <= bound, "{node}: {error} J of {truth} J, and {bound} J may be");
        }
    }
}
