//! Rankings by steps: keep what is within the tolerance of the least, criterion by criterion.

use planner::ranking::Ranking;
use planner::request::Tolerances;

use super::{Candidate, Feasible, OracleStart};

pub fn feasible(candidates: &[Candidate]) -> Vec<Feasible> {
    let feasible = |it: &Candidate| {
        Some(Feasible { shape: it.shape, start: it.verdict.as_ref().ok()?.clone() })
    };
    candidates.iter().filter_map(feasible).collect()
}

/// Those that survive all three steps.
pub fn finalists<'a>(
    ranking: Ranking,
    tolerances: &Tolerances,
    feasible: &'a [Feasible],
) -> Vec<&'a Feasible> {
    let survived = steps_survived(ranking, tolerances, feasible);
    feasible.iter().zip(survived).filter(|(_, steps)| *steps == 3).map(|(it, _)| it).collect()
}

/// The earliest of the finalists; of shapes with one start the least in the ranking, then the first
/// listed.
pub fn winner<'a>(ranking: Ranking, finalists: &[&'a Feasible]) -> Option<&'a Feasible> {
    let finalists = finalists.iter().copied();
    finalists.min_by_key(|it| (it.start.start, key(ranking, &it.start), it.shape))
}

/// How many of the three steps each survives.
pub fn steps_survived(
    ranking: Ranking,
    tolerances: &Tolerances,
    feasible: &[Feasible],
) -> Vec<usize> {
    let mut survived = vec![0; feasible.len()];
    for (step, word) in ranking.to_string().split('_').enumerate() {
        let amounts: Vec<i128> = feasible.iter().map(|it| amount(word, &it.start)).collect();
        let kept = || (0..feasible.len()).filter(|&it| survived[it] == step);
        let Some(least) = kept().map(|it| amounts[it]).min() else { break };
        let (numerator, denominator) = fraction(word, tolerances);
        let within = |amount: i128| (amount - least) * denominator <= numerator * least.abs();
        for it in kept().filter(|&it| within(amounts[it])).collect::<Vec<_>>() {
            survived[it] = step + 1;
        }
    }
    survived
}

/// A tolerance's decimal as a fraction.
fn fraction(word: &str, tolerances: &Tolerances) -> (i128, i128) {
    let tolerance = match word {
        "energy" => tolerances.energy,
        "cost" => tolerances.cost,
        _ => tolerances.co2,
    };
    let text = tolerance.as_f64().to_string();
    let (whole, decimals) = text.split_once('.').unwrap_or((&text, ""));
    let numerator = format!("{whole}{decimals}").parse().unwrap();
    (numerator, 10_i128.pow(u32::try_from(decimals.len()).unwrap()))
}

pub fn key(ranking: Ranking, start: &OracleStart) -> [i128; 3] {
    let word = ranking.to_string();
    let mut amounts = word.split('_').map(|word| amount(word, start));
    std::array::from_fn(|_| amounts.next().unwrap())
}

fn amount(word: &str, start: &OracleStart) -> i128 {
    match word {
        "energy" => start.energy,
        "cost" => start.cost,
        "co2" => start.co2,
        other => panic!("{other} is not a criterion"),
    }
}
