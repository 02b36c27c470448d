//! Energy, cost, CO2, peak power, delay and savings, derived again and compared exactly.

use super::agendas::integral;
use super::nodes::Chosen;
use super::{Place, Start, Violation};
use crate::decision::Offer;
use crate::problem::PlanningProblem;

/// What a start states against what its nodes and agendas give (paper, section V).
pub(super) fn judge(
    problem: &PlanningProblem,
    chosen: Chosen,
    place: Place,
    offer: &Offer,
    violations: &mut Vec<Violation>,
) {
    let (agendas, span, values) = (&problem.agendas, offer.span, &offer.values);
    let duration = i128::from(span.length().get());
    let earliest = problem.request.earliest_start.max(problem.now);
    let price = integral(agendas.price.agenda(), span);
    let intensity = integral(agendas.co2.agenda(), span);
    let derived = [
        ("energy", values.energy.as_microjoules(), chosen.draw * duration),
        ("cost", values.cost.as_exact(), chosen.draw * price),
        ("co2", values.co2.as_exact(), chosen.draw * intensity),
        ("peak_power", offer.peak_power.as_microwatts().into(), chosen.max),
        ("delay", offer.delay.get().into(), (span.start() - earliest).get().into()),
    ];
    compare(place, derived, violations);
    let currencies = [values.cost.currency(), offer.saves.cost.currency()];
    if currencies != [problem.currency; 2] {
        violations.push(Violation::WrongCurrency { place });
    }
}

/// Savings are the as-soon-as-possible start's stated values less the offer's.
pub(super) fn judge_savings(
    soonest: Option<&Offer>,
    starts: &[Start<'_>],
    violations: &mut Vec<Violation>,
) {
    let Some(soonest) = soonest.map(|offer| &offer.values) else { return };
    for &(place, Offer { values, saves, .. }) in starts {
        let energy = soonest.energy.as_microjoules() - values.energy.as_microjoules();
        let cost = soonest.cost.as_exact() - values.cost.as_exact();
        let co2 = soonest.co2.as_exact() - values.co2.as_exact();
        let derived = [
            ("saved energy", saves.energy.as_microjoules(), energy),
            ("saved cost", saves.cost.as_exact(), cost),
            ("saved co2", saves.co2.as_exact(), co2),
        ];
        compare(place, derived, violations);
    }
}

fn compare<const N: usize>(
    place: Place,
    derived: [(&'static str, i128, i128); N],
    violations: &mut Vec<Violation>,
) {
    for (quantity, stated, derived) in derived {
        if stated != derived {
            violations.push(Violation::WrongValue { place, quantity, stated, derived });
        }
    }
}
