//! The knee of the Pareto front: the start nearest to the best of everything.
//!
//! Energy, cost, CO2 and delay of the front's starts are scaled to 0 (the front's least) to 1 (its
//! greatest; a criterion in which all are equal counts 0). The knee is the start with the least
//! Euclidean distance from the origin, the earliest of equals: no ranking, and no unit, decides.

use planner::criterion::Criterion;
use planner::decision::{Decision, Offer};

pub(super) const NAME: &str = "knee";

pub(super) fn choose(decision: &Decision) -> Option<&Offer> {
    let front = &decision.pareto;
    let columns = [0, 1, 2, 3].map(|column| {
        let values = front.iter().map(|offer| exact(offer)[column]);
        values.clone().min().zip(values.max())
    });
    let distance = |offer: &Offer| -> f64 {
        let scaled = exact(offer).into_iter().zip(columns).map(|(value, range)| match range {
            Some((least, most)) if most > least => (value - least) as f64 / (most - least) as f64,
            _ => 0.0,
        });
        scaled.map(|value| value * value).sum()
    };
    front.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

fn exact(offer: &Offer) -> [i128; 4] {
    let [energy, cost, co2] = Criterion::ALL.map(|criterion| criterion.exact(&offer.values));
    [energy, cost, co2, offer.delay.get().into()]
}
