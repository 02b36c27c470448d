//! The month in total, and what is saved on the same requests: those that both a policy and
//! `asap_first` served.

use rand::Rng;
use serde::Serialize;

use super::confidence::{saving, saving_half_width};
use super::measures::{Measure, Measures, mean};
use super::outcome::{Amounts, PlayedRun};
use super::streams::{Draw, stream, uniform};
use crate::policy::Policy;

/// How often the requests are drawn anew for an interval.
const RESAMPLES: u32 = 1000;
/// Of the ordered savings of the draws, the first and the last of the middle 95 %.
const MIDDLE: [usize; 2] = [25, 974];

/// One less the ratio of the mean over runs to that of `asap_first`, as fractions; absent where
/// there is nothing to compare.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Saved {
    /// Of the energy.
    pub energy_j: Option<f64>,
    /// Of the cost.
    pub cost: Option<f64>,
    /// Of the CO2.
    pub co2_g: Option<f64>,
}

/// One policy's month: means over runs, each a whole month.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MonthTotals {
    /// Requests.
    pub requests: f64,
    /// Requests that got a reservation.
    pub served: f64,
    /// Those that got none.
    pub not_served: f64,
    /// Of these, for want of nodes.
    pub not_served_nodes: f64,
    /// Of these, for want of power.
    pub not_served_power_cap: f64,
    /// Of these, for want of a value of an agenda.
    pub not_served_agenda_gap: f64,
    /// Of all reservations, J.
    pub energy_j: f64,
    /// Of all reservations.
    pub cost: f64,
    /// Of all reservations, g.
    pub co2_g: f64,
    /// Of the requests, the part that the given agendas cover wherever it could be placed; absent where
    /// no agenda is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered_share: Option<f64>,
}

/// A policy beside `asap_first` on the requests that both served: totals are means over runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SameRequests {
    /// The number of these requests.
    pub requests: f64,
    /// What they take under the policy.
    #[serde(flatten)]
    pub totals: Amounts,
    /// What they take under `asap_first`.
    pub asap_first: Amounts,
    /// What is saved, as fractions of what they take under `asap_first`.
    pub saved: Saved,
    /// 95 % intervals of it, as [`Intervals`] says.
    pub saved_ci95: SavedIntervals,
}

/// From and to; absent where there is nothing to compare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SavedIntervals {
    /// Of the energy.
    pub energy_j: Option<[f64; 2]>,
    /// Of the cost.
    pub cost: Option<[f64; 2]>,
    /// Of the CO2.
    pub co2_g: Option<[f64; 2]>,
}

/// How the intervals of what is saved on the same requests were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "method", rename_all = "snake_case")]
pub enum Intervals {
    /// Student's t over the runs, paired by run, by linearisation of the ratio of means.
    TOverRuns {
        /// The number of runs.
        runs: usize,
    },
    /// Of one run: its requests were drawn anew, with replacement; the middle 95 % of what is saved.
    BootstrapOverRequests {
        /// How often they were drawn.
        resamples: u32,
        /// What the draws derive from.
        seed: u64,
    },
}

impl Intervals {
    pub(super) const fn of(runs: usize, seed: u64) -> Self {
        match runs {
            0 | 1 => Self::BootstrapOverRequests { resamples: RESAMPLES, seed },
            runs => Self::TOverRuns { runs },
        }
    }

    /// In words.
    pub fn words(self) -> String {
        match self {
            Self::TOverRuns { runs } => {
                format!("95 % intervals: Student's t over {runs} runs, paired by run")
            }
            Self::BootstrapOverRequests { resamples, seed } => format!(
                "95 % intervals: bootstrap over the requests ({resamples} resamples, seed {seed})"
            ),
        }
    }
}

impl MonthTotals {
    /// Of a policy's measures in each run; `requests` are those of each.
    pub(super) fn of(runs: &[Measures], requests: &[usize], covered_share: Option<f64>) -> Self {
        let of = |measure: Measure| -> f64 {
            let values = runs.iter().filter_map(|run| run.get(measure));
            mean(&values.collect::<Vec<_>>()).unwrap_or(0.0)
        };
        let lost = |measure: Measure| -> f64 {
            let lost = runs
                .iter()
                .zip(requests)
                .filter_map(|(run, &requests)| Some((run.get(measure)? * requests as f64).round()));
            mean(&lost.collect::<Vec<_>>()).unwrap_or(0.0)
        };
        let asked = requests.iter().map(|&requests| requests as f64).collect::<Vec<_>>();
        let (requests, served) = (mean(&asked).unwrap_or(0.0), of(Measure::Scheduled));
        Self {
            requests,
            served,
            not_served: requests - served,
            not_served_nodes: lost(Measure::UnsuccessfulNodes),
            not_served_power_cap: lost(Measure::UnsuccessfulPowerCap),
            not_served_agenda_gap: lost(Measure::UnsuccessfulAgendaGap),
            energy_j: of(Measure::TotalEnergyJ),
            cost: of(Measure::TotalCost),
            co2_g: of(Measure::TotalCo2G),
            covered_share,
        }
    }
}

/// A request under the policy and under `asap_first`.
type Pair = (Amounts, Amounts);

impl SameRequests {
    /// Compares `policy` with `asap_first`; `None` where one of them was not played.
    pub(super) fn of(runs: &[PlayedRun], policy: Policy, seed: u64) -> Option<Self> {
        let pairs =
            runs.iter().map(|run| pairs(run, policy)).collect::<Option<Vec<Vec<Pair>>>>()?;
        let sums: Vec<Pair> = pairs.iter().map(|pairs| sum(pairs.iter())).collect();
        let (under, base) = sum(sums.iter());
        let all = runs.len().max(1) as f64;
        let mean = |of: Amounts| of.map(|value| value / all);
        let [energy_j, cost, co2_g] = of_each(&sums, saving);
        let [energy, money, carbon] = if let [one] = pairs.as_slice() {
            bootstrap(one, seed)
        } else {
            let halves = of_each(&sums, saving_half_width);
            let interval = |value: Option<f64>, half: Option<f64>| {
                value.zip(half).map(|(value, half)| [value - half, value + half])
            };
            let [energy, money, carbon] = halves;
            [interval(energy_j, energy), interval(cost, money), interval(co2_g, carbon)]
        };
        Some(Self {
            requests: pairs.iter().map(Vec::len).sum::<usize>() as f64 / all,
            totals: mean(under),
            asap_first: mean(base),
            saved: Saved { energy_j, cost, co2_g },
            saved_ci95: SavedIntervals { energy_j: energy, cost: money, co2_g: carbon },
        })
    }
}

/// The requests that both served.
fn pairs(run: &PlayedRun, policy: Policy) -> Option<Vec<Pair>> {
    let (under, base) = (run.policy(policy)?, run.policy(Policy::AsapFirst)?);
    let both = under.outcomes.iter().zip(&base.outcomes);
    let billed = both
        .filter_map(|(under, base)| Some((under.scheduled()?.billed, base.scheduled()?.billed)));
    Some(billed.collect())
}

fn sum<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Pair {
    pairs.fold(Pair::default(), |mut sum, pair| {
        sum.0 += pair.0;
        sum.1 += pair.1;
        sum
    })
}

/// A statistic of energy, cost and CO2.
fn of_each(sums: &[Pair], statistic: fn(&[(f64, f64)]) -> Option<f64>) -> [Option<f64>; 3] {
    let of = |amount: fn(&Amounts) -> f64| {
        let pairs = sums.iter().map(|(under, base)| (amount(under), amount(base)));
        statistic(&pairs.collect::<Vec<_>>())
    };
    [of(|it| it.energy_j), of(|it| it.cost), of(|it| it.co2_g)]
}

/// The middle 95 % of what is saved where the requests are drawn anew, with replacement.
fn bootstrap(pairs: &[Pair], seed: u64) -> [Option<[f64; 2]>; 3] {
    let Some(last) = pairs.len().checked_sub(1).and_then(|last| u32::try_from(last).ok()) else {
        return [None; 3];
    };
    let mut rng = stream(seed, 0, Draw::Bootstrap);
    let drawn: Vec<[Option<f64>; 3]> =
        (0..RESAMPLES).map(|_| of_each(&[resampled(pairs, last, &mut rng)], saving)).collect();
    [0, 1, 2].map(|criterion| {
        let mut savings: Vec<f64> = drawn.iter().filter_map(|of| of[criterion]).collect();
        savings.sort_unstable_by(f64::total_cmp);
        let whole = savings.len() == RESAMPLES as usize;
        whole.then(|| MIDDLE.map(|place| savings[place]))
    })
}

/// As many requests as there are, each drawn from all of them.
fn resampled(pairs: &[Pair], last: u32, rng: &mut impl Rng) -> Pair {
    let drawn = pairs.iter().map(|_| &pairs[uniform(rng, 0..=last) as usize]);
    sum(drawn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(under: f64, base: f64) -> Pair {
        let of = |cost| Amounts { energy_j: 1.0, cost, co2_g: 0.0 };
        (of(under), of(base))
    }

    /// Every request costs nine tenths: whatever is drawn, a tenth is saved. Energy is the same. CO2 is
    /// nothing on either side, so that nothing can be said.
    #[test]
    fn an_even_saving_is_certain() {
        let pairs: Vec<Pair> =
            (1..=7_u8).map(|size| pair(0.9 * f64::from(size), size.into())).collect();
        let [energy, cost, co2] = bootstrap(&pairs, 1);
        let near = |interval: Option<[f64; 2]>, value: f64| {
            interval.is_some_and(|ends| ends.iter().all(|end| (end - value).abs() < 1e-12))
        };
        assert!(near(energy, 0.0) && near(cost, 0.1), "{energy:?} {cost:?}");
        assert_eq!(co2, None);
        assert_eq!(bootstrap(&[], 1), [None; 3]);
    }

    /// Half of 400 equal requests cost nothing instead of 1: of a draw, the part saved is the mean of 400
    /// tosses of a coin, 0.5 with a standard deviation of 0.5 / sqrt(400) = 0.025, so that the middle
    /// 95 % are about 0.5 - 0.049 to 0.5 + 0.049. The same seed draws the same.
    #[test]
    fn the_interval_is_as_wide_as_that_of_a_mean() {
        let pairs: Vec<Pair> = (0..400_u32).map(|it| pair(f64::from(it % 2), 1.0)).collect();
        let [_, cost, _] = bootstrap(&pairs, 1);
        let [from, to] = cost.unwrap();
        assert!((from - 0.451).abs() < 0.01 && (to - 0.549).abs() < 0.01, "{from} {to}");
        assert_eq!(bootstrap(&pairs, 1)[1], cost);
        assert_ne!(bootstrap(&pairs, 2)[1], cost);
    }
}
