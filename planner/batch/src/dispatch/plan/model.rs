//! The numbers of a constraint model: whole steps of time and amounts that the solver's 32 bits hold.

use super::{PlanJob, PlanProblem};
use crate::time::Time;

/// What times and the objective stay below.
const MOST: u64 = 1 << 29;

/// A job is planned as if it lasted no longer: those without a walltime would make all steps of time coarse.
pub(super) const LONGEST: Time = Time::from_seconds(30 * 86_400);

/// The model of a problem.
#[derive(Clone, Debug)]
pub(super) struct Model {
    /// A step of time, s.
    pub tick_s: u32,
    /// No job has to start later: equation 5.3, with the longest of the running jobs in place of their sum, as they run at once, and
    /// behind what is taken.
    pub last_start: i32,
    /// How many steps each waiting job waits at least.
    pub earliest: Vec<i32>,
    /// The greatest value of the objective.
    pub most: i32,
    /// How long waiting jobs last, in steps.
    pub lengths: Vec<i32>,
    /// What a step of waiting weighs.
    pub weights: Vec<i32>,
    /// Resources of which not all jobs together find enough.
    pub resources: Vec<ModelResource>,
    /// Waiting jobs in the order in which the search tries them.
    pub order: Vec<usize>,
}

/// A resource of the system as a whole.
#[derive(Clone, Debug)]
pub(super) struct ModelResource {
    pub capacity: i32,
    /// What running jobs have of it, and for how many steps yet.
    pub running: Vec<(i32, i32)>,
    /// What waiting jobs ask for, in their order.
    pub waiting: Vec<i32>,
    /// What is not there of it, from which step on, and for how many steps.
    pub taken: Vec<(i32, i32, i32)>,
}

impl Model {
    pub fn of(problem: &PlanProblem) -> Self {
        let lengths_s: Vec<u64> = problem.waiting.iter().map(|it| seconds(it.length)).collect();
        let running = problem.running.iter().map(|it| it.1);
        let earliest = problem.waiting.iter().map(|it| it.earliest);
        let before = running.chain(earliest).chain(problem.taken.iter().map(|it| it.until));
        let before_s = before.map(seconds).max().unwrap_or(0);
        let bound_s = lengths_s.iter().sum::<u64>() + before_s;
        let weights: u64 = problem.waiting.iter().map(|it| u64::from(it.weight)).sum();
        let tick_s = bound_s.saturating_mul(weights.max(1)).div_ceil(MOST).max(1);
        let lengths: Vec<i32> = lengths_s.iter().map(|it| ticks(*it, tick_s)).collect();
        // Lengths are rounded up one by one.
        let last_start = lengths.iter().sum::<i32>() + ticks(before_s, tick_s);
        let most = u64::from(last_start.unsigned_abs()) * weights;
        let kinds = 0..problem.capacity.len();
        Self {
            tick_s: u32::try_from(tick_s).unwrap_or(u32::MAX),
            last_start,
            earliest: problem.waiting.iter().map(|it| steps(it.earliest, tick_s)).collect(),
            most: within(most),
            weights: problem.waiting.iter().map(|it| within(u64::from(it.weight))).collect(),
            resources: kinds.filter_map(|kind| resource(problem, kind, tick_s)).collect(),
            order: order(problem),
            lengths,
        }
    }
}

/// Whole seconds, rounded up.
fn seconds(time: Time) -> u64 {
    u64::try_from(time.min(LONGEST).ceil().as_micros() / 1_000_000).unwrap_or(0)
}

fn steps(time: Time, tick_s: u64) -> i32 {
    ticks(seconds(time), tick_s)
}

fn ticks(seconds: u64, tick_s: u64) -> i32 {
    within(seconds.div_ceil(tick_s))
}

fn within(number: u64) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// A resource in numbers that are small enough: rounded so that whatever fits fits.
fn resource(problem: &PlanProblem, kind: usize, tick_s: u64) -> Option<ModelResource> {
    let capacity = problem.capacity[kind];
    let of_running = problem.running.iter().map(|it| it.0[kind]);
    let all: u64 = of_running.chain(problem.waiting.iter().map(|it| it.demand[kind])).sum();
    let taken = || problem.taken.iter().filter(|it| it.resource == kind);
    if all <= capacity && taken().next().is_none() {
        return None;
    }
    let by = all.div_ceil(MOST);
    let running = problem.running.iter().filter(|it| it.0[kind] > 0);
    Some(ModelResource {
        capacity: within(capacity.div_ceil(by)),
        running: running
            .map(|(demand, left)| (within(demand[kind] / by), steps(*left, tick_s)))
            .collect(),
        waiting: problem.waiting.iter().map(|it| within(it.demand[kind] / by)).collect(),
        taken: taken()
            .map(|it| {
                let (from, until) = (steps(it.from, tick_s), steps(it.until, tick_s));
                (within(it.amount / by), from, until - from)
            })
            .collect(),
    })
}

/// First those whose waiting weighs much for what they take away from others: Smith's rule, by length times the greatest share
/// of a resource over the weight.
fn order(problem: &PlanProblem) -> Vec<usize> {
    let cost = |job: &PlanJob| {
        let shares = job.demand.iter().zip(&problem.capacity);
        let share = shares.map(|(demand, all)| *demand as f64 / (*all).max(1) as f64);
        let length = seconds(job.length) as f64;
        length * share.fold(0.0, f64::max) / f64::from(job.weight.max(1))
    };
    let costs: Vec<f64> = problem.waiting.iter().map(cost).collect();
    let mut order: Vec<usize> = (0..costs.len()).collect();
    order.sort_by(|one, other| costs[*one].total_cmp(&costs[*other]));
    order
}
