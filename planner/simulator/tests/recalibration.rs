//! A month of the site example (`docs/examples/site-month`) with noisy measured power, replayed: calibration converges,
//! and nodes that drift and fail are told. The figures are in `docs/CALIBRATION.md`; `--nocapture` prints them.
#![expect(clippy::unwrap_used, reason = "tests")]
#![expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small numbers")]
#![expect(clippy::print_stdout, reason = "the figures")]

use std::collections::BTreeMap;

use planner::decimal::Fraction;
use planner::metering::QuarterHour;
use planner::node::{Node, Nodes};
use planner::node_set::NodeSet;
use planner::quantity::{MILLION, Power};
use planner::recalibration::{
    ErrorSums, ExpectedDraw, FollowRules, Gathering, NodeFault, NodeFinding, NodeUse,
    ProposalState, UsedFor, judge, learn_utilisation, propose,
};
use planner::time::Span;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal};
use swf::{Field, Reader};

const NODES: &str = include_str!("../../../docs/examples/site-month/nodes.csv");
const TRACE: &[u8] = include_bytes!("../../../docs/examples/site-month/trace.swf");

const SEED: u64 = 2026;
const DAY: i64 = 96;
const DAYS: i64 = 31;
/// Quarter-hours since the epoch at which the month begins: 2026-03-01T00:00:00Z.
const BEGIN: i64 = 1_772_323_200 / 900;
/// Nodes are judged twice a day.
const TURN: i64 = DAY / 2;
/// Standard deviation of a quarter-hour's measurement, and how many of them are spikes or missing.
const NOISE: f64 = 0.01;
const SPIKES: f64 = 0.001;
const MISSING: f64 = 0.01;

/// What happens to which node, by position, and when, in quarter-hours.
const DRIFTS: (usize, i64) = (9, 10 * DAY);
const DRIFTS_A_LITTLE: (usize, i64) = (49, 10 * DAY);
const DIES: (usize, i64) = (19, 12 * DAY);
const FALLS_SILENT: (usize, i64) = (29, 15 * DAY);
const GETS_STUCK: (usize, i64) = (39, 18 * DAY);

/// A run of the trace: first come, first served, on the first free nodes.
struct Run {
    user: i64,
    start: i64,
    end: i64,
    nodes: NodeSet,
    /// How hard it works its nodes.
    utilisation: f64,
    /// Whether its request says so, and how hard.
    said: Option<f64>,
}

/// What is measured: by quarter-hour and node.
struct Month {
    truth: Vec<(f64, f64)>,
    runs: Vec<Run>,
    measured: Vec<Vec<Option<Power>>>,
}

fn watts(watts: f64) -> Power {
    Power::from_watts(watts).unwrap()
}

/// True idle and maximum powers.
fn truth() -> Vec<(f64, f64)> {
    let number = |text: &str| text.parse::<f64>().unwrap();
    let of_line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        (number(fields[1]), number(fields[2]))
    };
    NODES.lines().skip(1).map(of_line).collect()
}

/// Every fifth user burns power on each core, and says so; the others use their nodes as their application does, and say
/// nothing.
fn runs(count: usize, rng: &mut ChaCha8Rng) -> Vec<Run> {
    let mut reader = Reader::new(TRACE);
    let mut free_from = vec![0_i64; count];
    let mut usual: BTreeMap<i64, f64> = BTreeMap::new();
    let (mut runs, mut last) = (Vec::new(), 0);
    while let Some(record) = reader.next_record().unwrap() {
        let known = |field| record.known(field).map(|value| value as i64);
        let (Some(processors), Some(lasted_s)) =
            (known(Field::RequestedProcessors), known(Field::RunS))
        else {
            continue;
        };
        let wanted = (processors as usize).div_ceil(32).min(count);
        let length = (lasted_s + 899).div_euclid(900).max(1);
        let mut by_time: Vec<usize> = (0..count).collect();
        by_time.sort_by_key(|node| (free_from[*node], *node));
        let chosen = &by_time[..wanted];
        let free = chosen.iter().map(|node| free_from[*node]).max().unwrap_or(0);
        let start = free.max(known(Field::SubmitS).unwrap() / 900 + 1).max(last);
        last = start;
        if start >= DAYS * DAY {
            break;
        }
        for node in chosen {
            free_from[*node] = start + length;
        }
        let user = known(Field::User).unwrap_or(0);
        let burns = user % 5 == 0;
        let of_user = *usual.entry(user).or_insert_with(|| rng.random_range(0.3..0.9));
        let varied = of_user + rng.random_range(-0.03..0.03);
        runs.push(Run {
            user,
            start,
            end: (start + length).min(DAYS * DAY),
            nodes: NodeSet::from_positions(chosen.iter().map(|it| *it as u32)),
            utilisation: if burns { 1.0 } else { varied },
            said: burns.then_some(1.0),
        });
    }
    runs
}

/// The powers of a node in a quarter-hour, after what happens to it.
fn powers_at(node: usize, at: i64, (idle, max): (f64, f64)) -> (f64, f64) {
    match node {
        _ if (node, true) == (DRIFTS.0, at >= DRIFTS.1) => (idle * 1.15, max * 1.10),
        _ if (node, true) == (DRIFTS_A_LITTLE.0, at >= DRIFTS_A_LITTLE.1) => {
            (idle * 1.03, max * 1.03)
        }
        _ => (idle, max),
    }
}

impl Month {
    fn new() -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let truth = truth();
        let runs = runs(truth.len(), &mut rng);
        let mut utilisations = vec![vec![0.0; truth.len()]; (DAYS * DAY) as usize];
        for run in &runs {
            for at in run.start..run.end {
                for node in run.nodes.positions() {
                    utilisations[at as usize][node as usize] = run.utilisation;
                }
            }
        }
        let noise = Normal::new(1.0, NOISE).unwrap();
        let mut measured = Vec::with_capacity(utilisations.len());
        for (at, of_nodes) in (0..).zip(&utilisations) {
            let of_node = |(node, utilisation): (usize, &f64)| {
                let (idle, max) = powers_at(node, at, truth[node]);
                let spike = if rng.random_bool(SPIKES) { rng.random_range(1.2..3.0) } else { 1.0 };
                let power = (idle + utilisation * (max - idle)) * noise.sample(&mut rng) * spike;
                let missing = rng.random_bool(MISSING);
                match node {
                    _ if (node, true) == (FALLS_SILENT.0, at >= FALLS_SILENT.1) || missing => None,
                    _ if (node, true) == (DIES.0, at >= DIES.1) => Some(watts(3.0)),
                    _ if (node, true) == (GETS_STUCK.0, at >= GETS_STUCK.1) => Some(watts(201.0)),
                    _ => Some(watts(power)),
                }
            };
            measured.push(of_nodes.iter().enumerate().map(of_node).collect());
        }
        Self { truth, runs, measured }
    }

    /// What is gathered up to a quarter-hour.
    fn gathered(&self, until: i64, nodes: &Nodes, rules: &FollowRules) -> Gathering {
        let mut gathering = Gathering::new(nodes.count());
        let mut uses = Vec::new();
        for run in self.runs.iter().filter(|run| run.start < until) {
            let utilisation = Fraction::new(run.said.unwrap_or(1.0)).unwrap();
            let said = run.said.is_some();
            let number = gathering.add_run(ExpectedDraw { utilisation, said });
            let at = |quarter: i64| QuarterHour::from_number(BEGIN + quarter).start();
            let span = Span::new(at(run.start), at(run.end)).unwrap();
            let used_for = UsedFor::Run(number);
            uses.push((run, NodeUse { span, nodes: run.nodes.clone(), used_for }));
        }
        for at in (0..until).rev() {
            let during = uses.iter().filter(|(run, _)| run.start <= at && at < run.end);
            let uses: Vec<NodeUse> = during.map(|(_, it)| it.clone()).collect();
            let quarter = QuarterHour::from_number(BEGIN + at);
            gathering.add_quarter(quarter, nodes, &uses, &self.measured[at as usize], rules);
        }
        gathering
    }
}

/// What became of a month.
struct Replay {
    /// After each turn: how far idle and maximum powers are from the truth on average, in percent, over the nodes to
    /// which nothing happens.
    off: Vec<(f64, f64)>,
    /// When each node was first said to have drifted after the first week, in hours after what happened to it or, where
    /// nothing did, after the month began.
    drifted: BTreeMap<usize, i64>,
    /// When each node first had a fault.
    faults: BTreeMap<usize, (NodeFault, i64)>,
    taken: usize,
    /// How often a node was said to have drifted whose powers in force were both within half of the threshold.
    wrongly: usize,
}

fn happened(node: usize) -> Option<i64> {
    let all = [DRIFTS, DRIFTS_A_LITTLE, DIES, FALLS_SILENT, GETS_STUCK];
    all.into_iter().find(|(it, _)| *it == node).map(|(_, at)| at)
}

/// The month with everything taken that is proposed, from a calibration that is up to 10 % wrong.
fn replay(month: &Month, drift: i64) -> Replay {
    let rules = FollowRules {
        least_quarters: 24,
        drift,
        outlying_scales: 5,
        silent_quarters: DAY,
        may_be_off: false,
    };
    let mut rng = ChaCha8Rng::seed_from_u64(SEED + 1);
    let mut wrong = |power: f64| watts(power * rng.random_range(0.9..1.1));
    let node = |(idle, max): &(f64, f64)| Node::new(wrong(*idle), wrong(*max), None).unwrap();
    let mut nodes = Nodes::numbered(month.truth.iter().map(node).collect()).unwrap();
    let mut findings = vec![NodeFinding::default(); month.truth.len()];
    let mut proposals: Vec<Option<ProposalState>> = vec![None; findings.len()];
    let (mut drifted, mut faults) = (BTreeMap::new(), BTreeMap::new());
    let (mut off, mut taken, mut wrongly) = (Vec::new(), 0, 0);
    for until in (TURN..=DAYS * DAY).step_by(TURN as usize) {
        let gathering = month.gathered(until, &nodes, &rules);
        let newest = gathering.newest().unwrap();
        let mut powers = nodes.as_slice().to_vec();
        for (at, evidence) in gathering.nodes().iter().enumerate() {
            let finding = judge(&powers[at], evidence, &findings[at], newest, &rules);
            let since = (until - happened(at).unwrap_or(0)) / 4;
            if finding.drifted && since > 0 && until > 7 * DAY {
                drifted.entry(at).or_insert(since);
            }
            let (idle, max) = powers_at(at, until, month.truth[at]);
            let right = |power: Power, truth: f64| {
                (power.as_watts() - truth).abs() * MILLION as f64 <= truth * (drift / 2) as f64
            };
            let is_right = right(powers[at].idle(), idle) && right(powers[at].max(), max);
            wrongly += usize::from(finding.drifted && is_right && at != GETS_STUCK.0);
            if let Some(fault) = finding.fault {
                faults.entry(at).or_insert((fault, since));
            }
            proposals[at] = propose(&powers[at], &finding, proposals[at], &rules);
            if let Some(ProposalState::Open(proposed)) = proposals[at] {
                powers[at] = proposed.applied_to(&powers[at]).unwrap();
                taken += 1;
            }
            findings[at] = finding;
        }
        nodes = nodes.with_powers(powers).unwrap();
        off.push(month.off(&nodes));
    }
    Replay { off, drifted, faults, taken, wrongly }
}

impl Month {
    fn off(&self, nodes: &Nodes) -> (f64, f64) {
        let untouched = || (0..self.truth.len()).filter(|node| happened(*node).is_none());
        let mean = |of: &dyn Fn(&Node) -> f64, truth: &dyn Fn((f64, f64)) -> f64| {
            let off = untouched().map(|it| {
                let truth = truth(self.truth[it]);
                (of(&nodes.as_slice()[it]) - truth).abs() / truth * 100.0
            });
            off.sum::<f64>() / untouched().count() as f64
        };
        let idle = mean(&|node| node.idle().as_watts(), &|truth| truth.0);
        let max = mean(&|node| node.max().as_watts(), &|truth| truth.1);
        (idle, max)
    }

    /// The error of predicted energies of runs over the last week: with a utilisation of 1 where the request says none,
    /// and with what was learnt from runs that had ended before each began. Means and means without signs, percent.
    fn errors(&self, drift: i64) -> [(f64, f64, u32); 2] {
        let rules = FollowRules {
            least_quarters: 24,
            drift,
            outlying_scales: 5,
            silent_quarters: DAY,
            may_be_off: false,
        };
        let node = |(idle, max): &(f64, f64)| Node::new(watts(*idle), watts(*max), None).unwrap();
        let nodes = Nodes::numbered(self.truth.iter().map(node).collect()).unwrap();
        let gathering = self.gathered(DAYS * DAY, &nodes, &rules);
        let (mut plain, mut learnt) = (ErrorSums::default(), ErrorSums::default());
        for (number, run) in self.runs.iter().enumerate() {
            let sums = gathering.run(number);
            if run.start < 24 * DAY || sums.quarters < 4 || run.said.is_some() {
                continue;
            }
            plain.add(sums.max, sums.measured);
            let mut earlier: Vec<(i64, i64)> = Vec::new();
            for (other, it) in self.runs.iter().enumerate() {
                let of_other = gathering.run(other);
                if it.user == run.user && it.end <= run.start && of_other.quarters >= 4 {
                    earlier.extend(of_other.utilisation().map(|utilisation| (it.end, utilisation)));
                }
            }
            earlier.sort_by_key(|(end, _)| -end);
            let earlier: Vec<i64> =
                earlier.into_iter().map(|(_, utilisation)| utilisation).collect();
            let expected = learn_utilisation(&earlier, 3).map_or(MILLION, |it| it.utilisation);
            let above_idle = (sums.max - sums.idle) * i128::from(expected) / i128::from(MILLION);
            learnt.add(sums.idle + above_idle, sums.measured);
        }
        [plain, learnt].map(|sums| {
            let error = sums.error();
            let percent = |millionths: Option<i64>| millionths.unwrap() as f64 / 10_000.0;
            (percent(error.mean), percent(error.mean_absolute), error.count)
        })
    }
}

#[test]
fn a_month_of_noisy_measurements_calibrates_the_nodes_and_tells_which_drift_and_fail() {
    let month = Month::new();
    println!("{} runs", month.runs.len());
    for drift in [50_000, 20_000] {
        let replay = replay(&month, drift);
        println!(
            "drift_percent = {}: {} calibrations taken",
            drift as f64 / 10_000.0,
            replay.taken
        );
        for day in [1, 2, 3, 7, 14, 31] {
            let (idle, max) = replay.off[day * 2 - 1];
            println!(
                "  after {day} days idle powers are off by {idle:.2} %, maximum powers by {max:.2} %"
            );
        }
        println!("  drifted, hours after it happened: {:?}", replay.drifted);
        println!("  wrongly said to have drifted: {}", replay.wrongly);
        println!("  faults, hours after they happened: {:?}", replay.faults);
        let limit = drift as f64 / 10_000.0;
        let (idle, max) = replay.off.last().unwrap();
        assert!(*idle < limit / 2.0 && *max < limit, "{idle} {max}");
        let (at_first, _) = replay.off[0];
        assert!(*idle < at_first.max(limit / 2.0));
        assert!(replay.drifted.get(&DRIFTS.0).is_some_and(|hours| *hours <= 48));
        let expected = [
            (DIES.0, NodeFault::DrawsNothing, 24),
            (FALLS_SILENT.0, NodeFault::Unmeasured, 48),
            (GETS_STUCK.0, NodeFault::Stuck, 12 * 24),
        ];
        for (node, fault, hours) in expected {
            let told = replay.faults.get(&node);
            assert!(told.is_some_and(|it| it.0 == fault && it.1 <= hours), "{node}: {told:?}");
        }
        assert_eq!(replay.faults.len(), expected.len(), "{:?}", replay.faults);
        if drift == 50_000 {
            assert!(replay.wrongly <= 1, "{}", replay.wrongly);
            assert!(!replay.drifted.contains_key(&DRIFTS_A_LITTLE.0));
        }
    }
    let [plain, learnt] = month.errors(50_000);
    for (name, (mean, absolute, runs)) in [("full", plain), ("learnt", learnt)] {
        println!(
            "{name} utilisation: {runs} runs of the last week, mean {mean:.1} %, absolute {absolute:.1} %"
        );
    }
    assert!(learnt.1 < plain.1 / 3.0, "{learnt:?} {plain:?}");
}
