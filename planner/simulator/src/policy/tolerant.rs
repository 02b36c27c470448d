//! A user with a ranking who gives way a little in its first criterion: the request carries the
//! tolerance, and the planner's rule decides.

use planner::criterion::Criterion;
use planner::ranking::Ranking;
use planner::request::Tolerances;
use planner::tolerance::Tolerance;

pub(super) fn tolerances(ranking: Ranking, permille: u16) -> Tolerances {
    let tolerance = Tolerance::new(f64::from(permille) / 1000.0).unwrap_or_default();
    let [first, ..] = ranking.criteria();
    let none = Tolerances::default();
    match first {
        Criterion::Energy => Tolerances { energy: tolerance, ..none },
        Criterion::Cost => Tolerances { cost: tolerance, ..none },
        Criterion::Co2 => Tolerances { co2: tolerance, ..none },
    }
}
