//! Whether each reason binds where it says: at that start some shape lacks just what is stated.

use super::Violation;
use super::agendas::first_gap;
use super::nodes::NodeJudge;
use super::reserved_power::ReservedPower;
use super::shapes::{Way, is_candidate_instant, ways, window};
use super::starts::power_against_cap;
use crate::decision::{Binding, Reason, ReasonCode, Shortage};
use crate::problem::{PlanningProblem, SearchMode};
use crate::quantity::Power;
use crate::time::{Span, Timestamp};

pub(super) fn judge(
    problem: &PlanningProblem,
    nodes: &NodeJudge<'_>,
    reasons: &[Reason],
    violations: &mut Vec<Violation>,
) {
    let ways = ways(problem);
    for &Reason { code, binding, .. } in reasons {
        let binds = match code {
            ReasonCode::NoSlot => is_between_slots(problem, &binding),
            _ => ways.iter().any(|way| binds(problem, nodes, code, &binding, way)),
        };
        if !binds {
            violations.push(Violation::NotBinding { code, start: binding.start });
        }
    }
}

/// Whether the window of every shape lies between the two slots that are named; whether one is in it the counts judge.
fn is_between_slots(problem: &PlanningProblem, binding: &Binding) -> bool {
    let (SearchMode::Slots { slot }, Shortage::Slot { slot: stated, before, after }) =
        (problem.search, binding.shortage)
    else {
        return false;
    };
    let windows = problem.request.shapes().filter_map(|it| window(problem, it.duration));
    let Some((first, last)) = windows.max_by_key(|(_, last)| *last) else { return false };
    let end = after.as_unix_seconds();
    let start = end - slot.get();
    let named = before.map(Timestamp::as_unix_seconds);
    let wanted = Some(start).filter(|start| *start >= problem.now.as_unix_seconds());
    let span = [binding.span.start(), binding.span.end()].map(Timestamp::as_unix_seconds);
    (stated, binding.start, span, named) == (slot, first, [start, end], wanted)
        && end % slot.get() == 0
        && start < first.as_unix_seconds()
        && last < after
}

/// Whether a start of that shape is a candidate, and excluded as stated.
fn binds(
    problem: &PlanningProblem,
    nodes: &NodeJudge<'_>,
    code: ReasonCode,
    binding: &Binding,
    Way { shape, state }: &Way,
) -> bool {
    let &Binding { start, span: missing, shortage } = binding;
    let in_window = window(problem, shape.duration)
        .is_some_and(|(first, last)| first <= start && start <= last);
    let Some(span) = Span::starting(start, shape.duration) else { return false };
    if !in_window
        || !is_candidate_instant(problem, start)
        || missing.intersection(span) != Some(missing)
    {
        return false;
    }
    if let (ReasonCode::AgendaGap, Shortage::Agenda(name)) = (code, shortage) {
        return gap(problem, name, missing) == Some(missing);
    }
    let state = state.as_ref().map(|(name, _)| &**name);
    let chosen = nodes.choose(shape.nodes, span, state);
    let covered =
        ["price", "co2", "power_cap"].iter().all(|name| gap(problem, name, span).is_none());
    covered
        && match (code, shortage, chosen) {
            (ReasonCode::Nodes, Shortage::Nodes(stated), Err(derived)) => {
                stated == derived && missing == span
            }
            (ReasonCode::PowerCap, Shortage::Power(stated), Ok(chosen)) => {
                is_short_of(problem, chosen.counted, span, missing, stated)
            }
            _ => false,
        }
}

/// The first part of `span` in which an agenda has no value.
fn gap(problem: &PlanningProblem, agenda: &str, span: Span) -> Option<Span> {
    let agendas = &problem.agendas;
    match agenda {
        "price" => first_gap(agendas.price.agenda(), span),
        "co2" => first_gap(agendas.co2.agenda(), span),
        "power_cap" => agendas.power_cap.as_ref().and_then(|cap| first_gap(cap, span)),
        _ => None,
    }
}

/// Whether so much power is missing throughout `missing`, and nowhere in `span` more.
fn is_short_of(
    problem: &PlanningProblem,
    chosen: i128,
    span: Span,
    missing: Span,
    stated: Power,
) -> bool {
    let Some(cap) = &problem.agendas.power_cap else { return false };
    let reserved = ReservedPower::new(problem, span);
    let above = |(_, power, cap): (_, i128, Power)| power - i128::from(cap.as_microwatts());
    let stated = i128::from(stated.as_microwatts());
    stated > 0
        && power_against_cap(cap, &reserved, chosen, span).map(above).max() == Some(stated)
        && power_against_cap(cap, &reserved, chosen, missing).map(above).all(|it| it == stated)
}
