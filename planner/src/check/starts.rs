//! Whether each start is feasible and states what it consumes.

use super::agendas::{first_gap, pieces_in};
use super::nodes::NodeJudge;
use super::reserved_power::ReservedPower;
use super::{Place, Start, Violation, values};
use crate::agenda::Agenda;
use crate::order::{NodeOrder, Preference};
use crate::problem::{PlanningProblem, SearchMode};
use crate::quantity::Power;
use crate::time::Span;

pub(super) fn judge(
    problem: &PlanningProblem,
    preference: Preference,
    order: &NodeOrder,
    starts: &[Start<'_>],
    violations: &mut Vec<Violation>,
) {
    let Some(reach) = reach(starts) else { return };
    let mut nodes = NodeJudge::new(problem, preference, order);
    let capped = problem
        .agendas
        .power_cap
        .as_ref()
        .map(|cap| (cap, ReservedPower::new(&problem.reservations, &problem.nodes, reach)));
    for &(place, offer) in starts {
        judge_time(problem, place, offer.span, violations);
        judge_cover(problem, place, offer.span, violations);
        let Some(chosen) = nodes.judge(place, offer, violations) else { continue };
        if let Some((cap, reserved)) = &capped {
            judge_cap(cap, reserved, chosen.max, place, offer.span, violations);
        }
        values::judge(problem, chosen, place, offer, violations);
    }
}

/// From the first start to the last end.
fn reach(starts: &[Start<'_>]) -> Option<Span> {
    let first = starts.iter().map(|(_, offer)| offer.span.start()).min()?;
    let last = starts.iter().map(|(_, offer)| offer.span.end()).max()?;
    Span::new(first, last)
}

/// C1, the grid and the length.
fn judge_time(
    problem: &PlanningProblem,
    place: Place,
    span: Span,
    violations: &mut Vec<Violation>,
) {
    let request = &problem.request;
    let (start, latest) = (span.start(), request.latest_start);
    let earliest = request.earliest_start.max(problem.now);
    if start < earliest || start > latest {
        violations.push(Violation::OutsideWindow { place, start, earliest, latest });
    }
    if let SearchMode::Slots { slot } = problem.search
        && start.as_unix_seconds().rem_euclid(slot.get()) != 0
    {
        violations.push(Violation::OffGrid { place, start, slot });
    }
    let (length, duration) = (span.length(), request.duration);
    if length != duration {
        violations.push(Violation::WrongLength { place, length, duration });
    }
}

fn judge_cover(
    problem: &PlanningProblem,
    place: Place,
    span: Span,
    violations: &mut Vec<Violation>,
) {
    let agendas = &problem.agendas;
    let gaps = [
        ("price", first_gap(agendas.price.agenda(), span)),
        ("co2", first_gap(agendas.co2.agenda(), span)),
        ("power_cap", agendas.power_cap.as_ref().and_then(|cap| first_gap(cap, span))),
    ];
    for (agenda, gap) in gaps {
        violations.extend(gap.map(|gap| Violation::AgendaGap { place, agenda, gap }));
    }
}

/// C3: both sides are constant between the changes of either, so those instants are enough.
fn judge_cap(
    cap: &Agenda<Power>,
    reserved: &ReservedPower,
    chosen_max: i128,
    place: Place,
    span: Span,
    violations: &mut Vec<Violation>,
) {
    let exceeded = pieces_in(cap, span).find_map(|(part, cap)| {
        std::iter::once(part.start())
            .chain(reserved.changes_in(part))
            .map(|at| (at, reserved.at(at) + chosen_max, cap))
            .find(|(_, power, cap)| *power > i128::from(cap.as_microwatts()))
    });
    if let Some((at, power_uw, cap)) = exceeded {
        violations.push(Violation::CapExceeded { place, at, power_uw, cap });
    }
}
