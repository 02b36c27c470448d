//! Energy, cost, CO2, peak power, delay and savings, derived again and compared exactly.

use super::agendas::integral;
use super::nodes::Chosen;
use super::{Place, Start, Violation};
use crate::criterion::Values;
use crate::decision::Offer;
use crate::problem::PlanningProblem;
use crate::slower_states::Speed;

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
    judge_speed(problem, place, offer, violations);
    let currencies = [values.cost.currency(), offer.saves.cost.currency()];
    if currencies != [problem.currency; 2] {
        violations.push(Violation::WrongCurrency { place });
    }
}

/// What a start states of idle energy against what the gaps of its nodes give.
pub(super) fn judge_idle(
    derived: Option<[i128; 3]>,
    place: Place,
    offer: &Offer,
    violations: &mut Vec<Violation>,
) {
    let stated = offer.idle_change.as_deref().map(amounts_of);
    match (stated, derived) {
        (Some(stated), Some(derived)) => {
            let names = ["idle energy", "idle cost", "idle co2"];
            compare(place, [0, 1, 2].map(|it| (names[it], stated[it], derived[it])), violations);
        }
        (None, None) => {}
        _ => violations.push(Violation::IdleChangeContradicted { place }),
    }
}

/// The speed is that of the state by its name; how much longer it takes is judged with the shape.
fn judge_speed(
    problem: &PlanningProblem,
    place: Place,
    offer: &Offer,
    violations: &mut Vec<Violation>,
) {
    let Some(slowing) = &offer.slowing else { return };
    let states = problem.nodes.slower_states().states().iter();
    for state in states.filter(|state| state.name == slowing.state.name) {
        let speed = |speed: Speed| i128::from(speed.as_millionths());
        let derived = [("speed", speed(slowing.state.speed), speed(state.speed))];
        compare(place, derived, violations);
    }
}

/// Savings are what the as-soon-as-possible start states less what the offer does, idle energy counted.
pub(super) fn judge_savings(
    soonest: Option<&Offer>,
    starts: &[Start<'_>],
    violations: &mut Vec<Violation>,
) {
    let Some(soonest) = soonest.map(counted) else { return };
    for &(place, offer) in starts {
        let (own, saves) = (counted(offer), &offer.saves);
        let derived = [
            ("saved energy", saves.energy.as_microjoules(), soonest[0] - own[0]),
            ("saved cost", saves.cost.as_exact(), soonest[1] - own[1]),
            ("saved co2", saves.co2.as_exact(), soonest[2] - own[2]),
        ];
        compare(place, derived, violations);
    }
}

/// What counts of an offer, by criterion: its values, and what it states of idle energy.
pub(super) fn counted(offer: &Offer) -> [i128; 3] {
    let idle = offer.idle_change.as_deref().map_or([0; 3], amounts_of);
    let own = amounts_of(&offer.values);
    std::array::from_fn(|it| own[it] + idle[it])
}

fn amounts_of(values: &Values) -> [i128; 3] {
    [values.energy.as_microjoules(), values.cost.as_exact(), values.co2.as_exact()]
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
