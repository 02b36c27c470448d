//! The search for a plan, by the solver Pumpkin.
//!
//! It is bounded by a number of steps, decisions and conflicts, and not by time: so results are the same on every machine.

use std::ops::ControlFlow;

use pumpkin_conflict_resolvers::resolvers::ResolutionResolver;
use pumpkin_constraints::{cumulative, less_than_or_equals};
use pumpkin_core::Solver;
use pumpkin_core::branching::Brancher;
use pumpkin_core::branching::branchers::autonomous_search::AutonomousSearch;
use pumpkin_core::branching::branchers::independent_variable_value_brancher::IndependentVariableValueBrancher;
use pumpkin_core::branching::value_selection::InDomainMin;
use pumpkin_core::branching::variable_selection::InputOrder;
use pumpkin_core::optimisation::OptimisationDirection;
use pumpkin_core::optimisation::linear_sat_unsat::LinearSatUnsat;
use pumpkin_core::options::SolverOptions;
use pumpkin_core::results::{OptimisationResult, ProblemSolution, SolutionReference};
use pumpkin_core::termination::TerminationCondition;
use pumpkin_core::variables::{DomainId, TransformableVariable};

use super::model::Model;

/// The starts of a plan in steps of time, and whether none is better. At first the search has `steps`, and if it finds nothing twice as
/// many and so on, up to `most_steps`.
pub(super) fn search(model: &Model, steps: u64, most_steps: u64) -> Option<(Vec<i32>, bool)> {
    // Few megabytes for what is learned: models are small, and there are many of them.
    let options = SolverOptions { memory_preallocated: 1, ..SolverOptions::default() };
    let mut solver = Solver::with_options(options);
    let mut start = |earliest: &i32| solver.new_bounded_integer(*earliest, model.last_start);
    let starts: Vec<DomainId> = model.earliest.iter().map(&mut start).collect();
    let objective = solver.new_bounded_integer(0, model.most);
    constrain(&mut solver, model, &starts, objective);
    let variables: Vec<DomainId> =
        model.order.iter().map(|at| starts[*at]).chain([objective]).collect();
    let earliest = IndependentVariableValueBrancher::new(InputOrder::new(&variables), InDomainMin);
    let mut brancher = AutonomousSearch::new(earliest);
    let mut steps = steps.max(1);
    loop {
        let found = minimise(&mut solver, &mut brancher, objective, steps.min(most_steps));
        match found {
            OptimisationResult::Optimal(it) => return Some((values(&it, &starts), true)),
            OptimisationResult::Satisfiable(it) | OptimisationResult::Stopped(it, ()) => {
                return Some((values(&it, &starts), false));
            }
            OptimisationResult::Unknown if steps < most_steps => steps = steps.saturating_mul(2),
            OptimisationResult::Unknown | OptimisationResult::Unsatisfiable => return None,
        }
    }
}

/// For each resource a cumulative constraint over all jobs (equations 5.4 and 5.5), and what the objective is.
fn constrain(solver: &mut Solver, model: &Model, starts: &[DomainId], objective: DomainId) {
    let now = solver.new_bounded_integer(0, 0);
    for resource in &model.resources {
        let running = resource.running.iter().map(|&(amount, left)| (now, left, amount));
        let waiting = starts.iter().zip(&model.lengths).zip(&resource.waiting);
        let waiting = waiting.map(|((start, length), amount)| (*start, *length, *amount));
        let mut tasks: Vec<_> = running.chain(waiting).filter(|task| task.2 > 0).collect();
        for &(amount, from, length) in resource.taken.iter().filter(|task| task.2 > 0) {
            tasks.push((solver.new_bounded_integer(from, from), length, amount));
        }
        let tag = solver.new_constraint_tag();
        let begins: Vec<DomainId> = tasks.iter().map(|task| task.0).collect();
        let lengths: Vec<i32> = tasks.iter().map(|task| task.1).collect();
        let amounts: Vec<i32> = tasks.iter().map(|task| task.2).collect();
        let constraint = cumulative(begins, lengths, amounts, resource.capacity, tag);
        solver.add_constraint(constraint).post();
    }
    let waits = starts.iter().zip(&model.weights).map(|(start, weight)| start.scaled(*weight));
    let terms: Vec<_> = waits.chain([objective.scaled(-1)]).collect();
    let tag = solver.new_constraint_tag();
    solver.add_constraint(less_than_or_equals(terms, 0, tag)).post();
}

fn minimise<B: Brancher>(
    solver: &mut Solver,
    brancher: &mut B,
    objective: DomainId,
    steps: u64,
) -> OptimisationResult<()> {
    let go_on = |_: &Solver, _: SolutionReference<'_>, _: &B, _: &ResolutionResolver| {
        ControlFlow::<()>::Continue(())
    };
    let procedure = LinearSatUnsat::new(OptimisationDirection::Minimise, objective, go_on);
    solver.optimise(brancher, &mut Steps(steps), &mut ResolutionResolver::default(), procedure)
}

fn values(solution: &impl ProblemSolution, starts: &[DomainId]) -> Vec<i32> {
    starts.iter().map(|start| solution.get_integer_value(*start)).collect()
}

/// Ends a search after so many steps: the solver asks before each decision and after each conflict.
struct Steps(u64);

impl TerminationCondition for Steps {
    fn should_stop(&mut self) -> bool {
        let stops = self.0 == 0;
        self.0 = self.0.saturating_sub(1);
        stops
    }
}
