//! Fair shares over a month: what users gain and lose by drawing less or more than the others.
//!
//! Users who are given the same share compete for nodes and power under a cap. A month is played twice with the same requests,
//! prices and caps: in one all draw alike, in the other some draw less or more. What differs between the two is what their
//! draws did, by their standing alone: nodes count against the cap by what they draw at most. Each run draws a month of its
//! own, and differences are taken run by run.
//!
//! Factors, the order of those who wait and who gives way are those of the service, by the same code (`planner::fair_share`,
//! `planner::dialogue`). Time passes in hours, and every request waits its turn.

mod demand;
mod effects;
mod parameters;
mod play;
mod usage;

use serde::Serialize;

use demand::Demand;
use effects::Pair;
use play::play;

pub use demand::SharedRequest;
pub use effects::{
    SHARING_COLUMNS, SharingCell, SharingEffect, SharingMeasure, UserEffects, csv_rows,
};
pub use parameters::{SharingError, SharingParameters};
pub use usage::ShareRule;

/// What a study found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharingStudy {
    /// What it was played with.
    pub parameters: SharingParameters,
    /// By damping and half-life.
    pub cells: Vec<SharingCell>,
}

impl SharingStudy {
    /// Plays the study; `given` requests take the place of drawn ones in every run.
    ///
    /// # Errors
    /// Parameters out of range, all of them; requests that cannot be.
    pub fn play(
        parameters: SharingParameters,
        given: Option<&[SharedRequest]>,
    ) -> Result<Self, Vec<SharingError>> {
        let mut errors = parameters.errors();
        errors.extend(given.into_iter().flatten().filter_map(|it| error_of(&parameters, it)));
        if !errors.is_empty() {
            return Err(errors);
        }
        let rules: Vec<ShareRule> = parameters
            .half_lives_d
            .iter()
            .flat_map(|&half_life_d| {
                parameters.dampings.iter().map(move |&damping| ShareRule { damping, half_life_d })
            })
            .collect();
        let (alike, changed) = (vec![1.0; parameters.users as usize], parameters.energy_factors());
        let mut pairs: Vec<Vec<Pair>> = vec![Vec::new(); rules.len()];
        for run in 0..parameters.runs {
            let demand = Demand::draw(&parameters, given, run).map_err(|error| vec![error])?;
            for (rule, pairs) in rules.iter().zip(&mut pairs) {
                let month = |energy: &[f64]| {
                    play(&parameters, &demand, *rule, energy).map_err(|error| vec![error])
                };
                pairs.push(Pair { alike: month(&alike)?, changed: month(&changed)? });
            }
        }
        let cells = rules.iter().zip(&pairs);
        let cells = cells.map(|(rule, pairs)| SharingCell::of(&parameters, *rule, pairs)).collect();
        Ok(Self { parameters, cells })
    }
}

/// What is wrong with a given request.
fn error_of(parameters: &SharingParameters, it: &SharedRequest) -> Option<SharingError> {
    let is_known = it.user < parameters.users as usize;
    let is_in_order = it.sent <= it.wished && it.wished <= it.last && it.last < 24 * 3660;
    let fits = (1..=parameters.nodes).contains(&it.nodes) && (1..=24 * 366).contains(&it.hours);
    let has_priority = (0..=1000).contains(&it.priority);
    (!(is_known && is_in_order && fits && has_priority)).then(|| SharingError {
        name: "requests",
        problem: format!(
            "u{} at hour {}: must be of a user that there is, be sent before it starts, and be of nodes that there are",
            it.user + 1,
            it.sent
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small(user_energy_factors: &[(&str, f64)]) -> SharingParameters {
        let named = user_energy_factors.iter().map(|(name, it)| ((*name).to_owned(), *it));
        SharingParameters {
            runs: 6,
            days: 10,
            users: 6,
            nodes: 20,
            requests_per_user: 8,
            user_energy_factors: named.collect(),
            dampings: vec![1.0],
            half_lives_d: vec![7],
            ..SharingParameters::default()
        }
    }

    fn effect(study: &SharingStudy, user: &str, measure: SharingMeasure) -> SharingEffect {
        let of = study.cells[0].users.iter().find(|it| it.user == user).unwrap();
        *of.effects.iter().find(|it| it.measure == measure).unwrap()
    }

    /// Who draws as before changes nothing for anybody, to the last bit.
    #[test]
    fn who_draws_alike_gains_nothing() {
        let study = SharingStudy::play(small(&[("u2", 1.0)]), None).unwrap();
        for user in ["u2", "others"] {
            for measure in SharingMeasure::ALL {
                let it = effect(&study, user, measure);
                assert_eq!((it.change, it.half_width), (0.0, 0.0), "{user} {measure:?}");
            }
        }
        assert!(effect(&study, "others", SharingMeasure::DelayH).alike > 0.1, "they compete");
    }

    /// Where the factor counts nothing, drawing half changes what is drawn and how one stands, and nobody's delay.
    #[test]
    fn without_a_weight_for_factors_only_energy_changes() {
        let parameters = SharingParameters { factor_weight: 0, ..small(&[("u2", 0.5)]) };
        let study = SharingStudy::play(parameters, None).unwrap();
        let change = |user, measure| effect(&study, user, measure).change;
        assert!(change("u2", SharingMeasure::DelayH).abs() < f64::EPSILON);
        assert!(change("others", SharingMeasure::RefusedShare).abs() < f64::EPSILON);
        let energy = effect(&study, "u2", SharingMeasure::EnergyKwh);
        assert!((energy.changed - 0.5 * energy.alike).abs() < 1e-9 * energy.alike);
        assert!(change("u2", SharingMeasure::Factor) > 0.0);
    }

    #[test]
    fn the_same_seed_plays_the_same_month() {
        let play = |seed| {
            SharingStudy::play(SharingParameters { seed, ..small(&[("u2", 0.5)]) }, None).unwrap()
        };
        let (first, again, other) = (play(3), play(3), play(4));
        assert_eq!(first, again);
        assert_ne!(first.cells, other.cells);
        assert_eq!(csv_rows(&first).len(), 2 * SharingMeasure::ALL.len());
    }

    #[test]
    fn requests_that_cannot_be_are_named() {
        let it = SharedRequest {
            user: 6,
            sent: 0,
            wished: 0,
            last: 24,
            nodes: 1,
            hours: 1,
            draw_w: 0.0,
            priority: 0,
        };
        let refused = |it| SharingStudy::play(small(&[("u2", 0.5)]), Some(&[it])).is_err();
        assert!(refused(it));
        assert!(!refused(SharedRequest { user: 5, ..it }));
        assert!(refused(SharedRequest { user: 5, nodes: 21, ..it }));
        assert!(refused(SharedRequest { user: 5, sent: 1, ..it }));
    }
}
