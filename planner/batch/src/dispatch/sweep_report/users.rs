//! Stretches of users beside the baseline: table I of `EnergyFairShare`.

use std::fmt::Write;

use charts::{Quartiles, Spacing, escaped};

use super::super::stretches::UserStretch;
use super::ReportedRun;
use super::figures::boxes;

/// Numbers over the users of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UserRatios {
    /// The least mean ratio of a user.
    pub least: f64,
    /// The mean.
    pub mean: f64,
    /// The median: of an even number of users the mean of the two in the middle.
    pub median: f64,
    /// The standard deviation over the users.
    pub deviation: f64,
    /// The greatest.
    pub most: f64,
}

impl UserRatios {
    /// Of the users with a ratio; none without one.
    pub fn of(users: &[UserStretch]) -> Option<Self> {
        let ratios = sorted(users);
        let (least, most) = (*ratios.first()?, *ratios.last()?);
        let count = ratios.len() as f64;
        let mean = ratios.iter().sum::<f64>() / count;
        let squares: f64 = ratios.iter().map(|it| (it - mean) * (it - mean)).sum();
        let middle = ratios.len() / 2;
        let median = if ratios.len().is_multiple_of(2) {
            f64::midpoint(ratios[middle - 1], ratios[middle])
        } else {
            ratios[middle]
        };
        Some(Self { least, mean, median, deviation: (squares / count).sqrt(), most })
    }
}

fn sorted(users: &[UserStretch]) -> Vec<f64> {
    let mut ratios: Vec<f64> = users.iter().filter_map(|it| it.mean_ratio).collect();
    ratios.sort_by(f64::total_cmp);
    ratios
}

/// The box over users.
fn quartiles(run: &ReportedRun<'_>) -> Option<Quartiles> {
    let ratios = sorted(run.users);
    let all = UserRatios::of(run.users)?;
    let at = |percent: usize| ratios[(ratios.len() * percent).div_ceil(100).max(1) - 1];
    Some(Quartiles {
        least: all.least,
        p25: at(25),
        p50: all.median,
        p75: at(75),
        most: all.most,
        mean: all.mean,
    })
}

/// Figures and a table over users; nothing where only the baseline was played.
pub(super) fn all(out: &mut String, runs: &[&ReportedRun<'_>]) {
    let compared: Vec<&ReportedRun<'_>> =
        runs.iter().copied().filter(|run| run.baseline != run.number).collect();
    if compared.is_empty() {
        return;
    }
    *out += "<h3>Stretches of users beside the baseline</h3><p>The stretch of each job over its stretch in the baseline run, mean over \
             the jobs of a user; boxes and numbers are over users (table I of EnergyFairShare). Below 1 users gain.</p>\n";
    let unchanged: Vec<&ReportedRun<'_>> =
        runs.iter().copied().filter(|run| run.changed_users.is_empty()).collect();
    if unchanged.iter().any(|run| run.baseline != run.number) {
        *out += &boxes(&unchanged, "Stretch over the baseline's", "times", Spacing::Log, quartiles);
    }
    *out += "<details><summary>Stretches over the baseline's, as a table</summary><div class=wide><table><thead><tr><th>run<th>\
             scheduler<th>fit<th>estimate<th>baseline<th>users<th>least<th>mean<th>median<th>deviation<th>most<th>changed users<th>\
             their mean<th>others' mean</tr></thead><tbody>\n";
    for run in compared {
        row(out, run);
    }
    *out += "</tbody></table></div></details>\n";
}

fn row(out: &mut String, run: &ReportedRun<'_>) {
    let Some(ratios) = UserRatios::of(run.users) else { return };
    let _ = write!(
        out,
        "<tr><th>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{:.3}<td>{:.3}<td>{:.3}<td>{:.3}<td>{:.3}<td>{}",
        run.number,
        escaped(&run.scheduler),
        run.fit,
        run.estimate,
        run.baseline,
        run.users.len(),
        ratios.least,
        ratios.mean,
        ratios.median,
        ratios.deviation,
        ratios.most,
        escaped(&run.changed_users.join(", "))
    );
    let changed = |user: &&UserStretch| run.changed_users.iter().any(|name| **name == *user.user);
    let (own, others): (Vec<UserStretch>, Vec<UserStretch>) =
        run.users.iter().cloned().partition(|user| changed(&user));
    for users in [own, others] {
        let mean = UserRatios::of(&users).filter(|_| !run.changed_users.is_empty());
        let _ = match mean {
            Some(it) => write!(out, "<td>{:.3}", it.mean),
            None => write!(out, "<td>"),
        };
    }
    *out += "</tr>\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 0.5, 1, 1 and 1.5: mean 1, variance (0.25 + 0.25) / 4 = 0.125.
    #[test]
    fn numbers_over_users() {
        let user = |ratio| UserStretch {
            user: "u".into(),
            jobs: 1,
            mean_stretch: 1.0,
            mean_ratio: Some(ratio),
        };
        let users: Vec<UserStretch> = [1.5, 0.5, 1.0, 1.0].into_iter().map(user).collect();
        let ratios = UserRatios::of(&users).unwrap();
        assert_eq!((ratios.least, ratios.mean, ratios.median, ratios.most), (0.5, 1.0, 1.0, 1.5));
        assert!((ratios.deviation - 0.125_f64.sqrt()).abs() < 1e-12);
        assert_eq!(UserRatios::of(&[]), None);
    }
}
