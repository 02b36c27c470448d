//! What users gain and lose by drawing more or less than the others.

use serde::Serialize;

use super::play::UserMonth;
use super::usage::ShareRule;
use super::{SharingParameters, SharingStudy};
use crate::sesames::confidence::half_width;

/// What is told of a user's month.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SharingMeasure {
    /// How much later than it was to start a request starts on the average, hours; a refused one counts all that it could
    /// have waited.
    DelayH,
    /// The part of requests that were refused.
    RefusedShare,
    /// How often a reservation gave way when the cap was lowered.
    GaveWay,
    /// kWh.
    EnergyKwh,
    /// EUR.
    Cost,
    /// The factor at the end of the month.
    Factor,
}

impl SharingMeasure {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::DelayH,
        Self::RefusedShare,
        Self::GaveWay,
        Self::EnergyKwh,
        Self::Cost,
        Self::Factor,
    ];

    /// The word in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::DelayH => "delay_h",
            Self::RefusedShare => "refused_share",
            Self::GaveWay => "gave_way",
            Self::EnergyKwh => "energy_kwh",
            Self::Cost => "cost",
            Self::Factor => "factor",
        }
    }

    fn of(self, month: &UserMonth) -> f64 {
        let requests = f64::from(month.requests.max(1));
        match self {
            Self::DelayH => month.delay_h / requests,
            Self::RefusedShare => f64::from(month.refused) / requests,
            Self::GaveWay => month.gave_way.into(),
            Self::EnergyKwh => month.energy_j / 3.6e6,
            Self::Cost => month.cost,
            Self::Factor => month.factor,
        }
    }
}

/// A measure of a user over all runs: in the month in which all draw alike, in the same month in which some do not, and the
/// mean of the differences.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SharingEffect {
    /// What is measured of each user.
    pub measure: SharingMeasure,
    /// The mean where all draw alike.
    pub alike: f64,
    /// The mean where they do not.
    pub changed: f64,
    /// The mean of the runs' differences, the second less the first.
    pub change: f64,
    /// Half of its 95 % confidence interval.
    pub half_width: f64,
}

/// What follows for a user.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UserEffects {
    /// The user; `others` for the mean of all who draw as before.
    pub user: String,
    /// By how much of what others draw they draw.
    pub energy_factor: f64,
    /// Each measure.
    pub effects: Vec<SharingEffect>,
}

/// What follows under one rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SharingCell {
    /// Usage is divided by this before it counts.
    pub damping: f64,
    /// Usage so many days older counts half.
    pub half_life_d: u32,
    /// The users who draw otherwise, and the others.
    pub users: Vec<UserEffects>,
}

/// A month that was played twice: with users who are all alike, and who are not.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    pub(super) alike: Vec<UserMonth>,
    pub(super) changed: Vec<UserMonth>,
}

impl SharingCell {
    pub(super) fn of(parameters: &SharingParameters, rule: ShareRule, pairs: &[Pair]) -> Self {
        let factors = parameters.energy_factors();
        let names: Vec<String> = parameters.names().collect();
        let is_named = |user: &usize| parameters.user_energy_factors.contains_key(&names[*user]);
        let (singled_out, others): (Vec<usize>, Vec<usize>) = (0..names.len()).partition(is_named);
        let mut users: Vec<UserEffects> = singled_out
            .iter()
            .map(|&user| effects(names[user].clone(), factors[user], &[user], pairs))
            .collect();
        if !others.is_empty() {
            users.push(effects("others".to_owned(), 1.0, &others, pairs));
        }
        Self { damping: rule.damping, half_life_d: rule.half_life_d, users }
    }
}

/// What follows for the mean of some users.
fn effects(user: String, energy_factor: f64, of: &[usize], pairs: &[Pair]) -> UserEffects {
    let effect = |measure: SharingMeasure| {
        let mean_of = |months: &[UserMonth]| {
            of.iter().map(|&user| measure.of(&months[user])).sum::<f64>() / of.len() as f64
        };
        let runs: Vec<(f64, f64)> =
            pairs.iter().map(|it| (mean_of(&it.alike), mean_of(&it.changed))).collect();
        let mean =
            |of: fn(&(f64, f64)) -> f64| runs.iter().map(of).sum::<f64>() / runs.len() as f64;
        let changes: Vec<f64> = runs.iter().map(|(alike, changed)| changed - alike).collect();
        SharingEffect {
            measure,
            alike: mean(|it| it.0),
            changed: mean(|it| it.1),
            change: mean(|it| it.1 - it.0),
            half_width: half_width(&changes).unwrap_or(f64::NAN),
        }
    };
    let effects = SharingMeasure::ALL.into_iter().map(effect).collect();
    UserEffects { user, energy_factor, effects }
}

/// The columns of [`csv_rows`].
pub const SHARING_COLUMNS: [&str; 9] = [
    "damping",
    "half_life_d",
    "user",
    "energy_factor",
    "measure",
    "alike",
    "changed",
    "change",
    "half_width",
];

/// All effects of a study as rows of a table.
pub fn csv_rows(study: &SharingStudy) -> Vec<[String; 9]> {
    let mut rows = Vec::new();
    for cell in &study.cells {
        for user in &cell.users {
            for effect in &user.effects {
                rows.push([
                    cell.damping.to_string(),
                    cell.half_life_d.to_string(),
                    user.user.clone(),
                    user.energy_factor.to_string(),
                    effect.measure.word().to_owned(),
                    effect.alike.to_string(),
                    effect.changed.to_string(),
                    effect.change.to_string(),
                    effect.half_width.to_string(),
                ]);
            }
        }
    }
    rows
}
