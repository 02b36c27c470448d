//! Whether each start is feasible and states what it consumes.

use super::agendas::{first_gap, pieces_in};
use super::nodes::NodeJudge;
use super::reserved_power::ReservedPower;
use super::shapes::is_candidate_instant;
use super::{Place, Start, Violation, shapes, values};
use crate::agenda::Agenda;
use crate::problem::{PlanningProblem, SearchMode};
use crate::quantity::Power;
use crate::time::{Span, Timestamp};

pub(super) fn judge(
    problem: &PlanningProblem,
    nodes: &mut NodeJudge<'_>,
    starts: &[Start<'_>],
    violations: &mut Vec<Violation>,
) {
    let Some(reach) = reach(starts) else { return };
    let cap = problem.agendas.power_cap.as_ref();
    let capped = cap.map(|cap| (cap, ReservedPower::new(problem, reach)));
    for &(place, offer) in starts {
        judge_time(problem, place, offer.span, violations);
        shapes::judge(problem, place, offer, violations);
        judge_cover(problem, place, offer.span, violations);
        let Some(chosen) = nodes.judge(place, offer, violations) else { continue };
        if let Some((cap, reserved)) = &capped {
            judge_cap(cap, reserved, chosen.counted, place, offer.span, violations);
        }
        values::judge(problem, chosen, place, offer, violations);
        values::judge_idle(nodes.idle_change(offer), place, offer, violations);
    }
}

/// From the first start to the last end.
fn reach(starts: &[Start<'_>]) -> Option<Span> {
    let first = starts.iter().map(|(_, offer)| offer.span.start()).min()?;
    let last = starts.iter().map(|(_, offer)| offer.span.end()).max()?;
    Span::new(first, last)
}

/// C1, the deadline and the slots.
fn judge_time(
    problem: &PlanningProblem,
    place: Place,
    span: Span,
    violations: &mut Vec<Violation>,
) {
    let request = &problem.request;
    let (start, end, latest) = (span.start(), span.end(), request.latest_start);
    let earliest = request.earliest_start.max(problem.now);
    if start < earliest || start > latest {
        violations.push(Violation::OutsideWindow { place, start, earliest, latest });
    }
    if let Some(latest_end) = request.latest_end.filter(|&latest_end| end > latest_end) {
        violations.push(Violation::EndsTooLate { place, end, latest_end });
    }
    if let SearchMode::Slots { slot } = problem.search
        && !is_candidate_instant(problem, start)
    {
        violations.push(Violation::NoSlot { place, start, slot });
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

fn judge_cap(
    cap: &Agenda<Power>,
    reserved: &ReservedPower,
    chosen: i128,
    place: Place,
    span: Span,
    violations: &mut Vec<Violation>,
) {
    let exceeded = power_against_cap(cap, reserved, chosen, span)
        .find(|(_, power, cap)| *power > i128::from(cap.as_microwatts()));
    if let Some((at, power_uw, cap)) = exceeded {
        violations.push(Violation::CapExceeded { place, at, power_uw, cap });
    }
}

/// C3: instant, power that counts and cap. Both are constant between the changes of either, so
/// those instants are enough.
pub(super) fn power_against_cap(
    cap: &Agenda<Power>,
    reserved: &ReservedPower,
    chosen: i128,
    span: Span,
) -> impl Iterator<Item = (Timestamp, i128, Power)> {
    pieces_in(cap, span).flat_map(move |(part, cap)| {
        std::iter::once(part.start())
            .chain(reserved.changes_in(part))
            .map(move |at| (at, reserved.at(at) + chosen, cap))
    })
}
