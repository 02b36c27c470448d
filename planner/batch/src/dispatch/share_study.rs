//! What users gain by drawing less, and lose by drawing more: table I of `EnergyFairShare` (Georgiou, Glesser, Rzadca and
//! Trystram 2015, section IV-A).
//!
//! Jobs are played again and again. Each time one of the users with most jobs has another energy factor, while all others
//! have none, and the stretches `(wait + run) / run` of the user's jobs are compared with those of the baseline, in which nobody
//! has a factor. The paper says how by the words "the average of these factors (for all users' jobs)" and "worsens her mean stretch";
//! these are two different measures, so that [`StretchChange`] has both, and a third that hardly depends on single jobs.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io::{self, Write};

use super::jobs::UnitJob;
use super::simulation::{UnitSimulation, UnitSimulationError};
use super::stretches::StretchCollector;
use crate::job::JobId;
use crate::output::quoted;

/// Plays jobs, and gives the stretch of each by its place: 0 where it did not run.
///
/// # Errors
/// Those of the simulation.
pub fn stretches(
    simulation: &UnitSimulation<'_>,
    jobs: &[UnitJob],
) -> Result<Vec<f64>, UnitSimulationError<Infallible>> {
    let numbered =
        (0..).zip(jobs).map(|(place, job)| Ok(UnitJob { id: JobId::Number(place), ..job.clone() }));
    let mut collector = StretchCollector::keeping();
    simulation.play(numbered, &mut collector)?;
    let (mut stretches, _, _) = collector.finish();
    stretches.resize(jobs.len(), 0.0);
    Ok(stretches)
}

/// A user with many jobs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveUser {
    /// The name.
    pub user: Box<str>,
    /// The places of the jobs that ran.
    pub jobs: Vec<usize>,
}

/// The `count` users with most jobs that ran, those with most first; of equal ones who submitted first. Jobs of nobody in
/// particular are no user's.
pub fn most_active(jobs: &[UnitJob], baseline: &[f64], count: usize) -> Vec<ActiveUser> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut users: Vec<ActiveUser> = Vec::new();
    for (place, (job, stretch)) in jobs.iter().zip(baseline).enumerate() {
        if *stretch <= 0.0 || job.user.is_empty() {
            continue;
        }
        let at = *places.entry(&job.user).or_insert(users.len());
        if at == users.len() {
            users.push(ActiveUser { user: job.user.clone(), jobs: Vec::new() });
        }
        users[at].jobs.push(place);
    }
    users.sort_by_key(|it| std::cmp::Reverse(it.jobs.len()));
    users.truncate(count);
    users
}

/// What became of the stretches of a user's jobs beside the baseline: 1 where nothing changed, less where the user gained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchChange {
    /// Their mean over their mean in the baseline.
    pub quotient_of_means: f64,
    /// The mean of each over its own in the baseline.
    pub mean_of_quotients: f64,
    /// The geometric mean of each over its own in the baseline.
    pub geometric_mean: f64,
}

impl StretchChange {
    /// The names of the measures, in the order of [`StretchChange::measures`].
    pub const MEASURES: [&str; 3] = ["quotient_of_means", "mean_of_quotients", "geometric_mean"];

    /// The change for jobs at these places, all of which ran; none without jobs.
    pub fn of(places: &[usize], after: &[f64], before: &[f64]) -> Option<Self> {
        if places.is_empty() {
            return None;
        }
        let jobs = places.len() as f64;
        let (mut sums, mut quotients, mut logarithms) = ([0.0; 2], 0.0, 0.0);
        for &place in places {
            let (after, before) = (after[place], before[place]);
            sums[0] += after;
            sums[1] += before;
            quotients += after / before;
            logarithms += (after / before).ln();
        }
        Some(Self {
            quotient_of_means: sums[0] / sums[1],
            mean_of_quotients: quotients / jobs,
            geometric_mean: (logarithms / jobs).exp(),
        })
    }

    /// All measures.
    pub const fn measures(&self) -> [f64; 3] {
        [self.quotient_of_means, self.mean_of_quotients, self.geometric_mean]
    }
}

/// What became of one user's jobs in one simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedUser {
    /// The order.
    pub order: &'static str,
    /// What the user's energy was multiplied by.
    pub factor: f64,
    /// The name.
    pub user: Box<str>,
    /// How many jobs the user has that ran.
    pub jobs: usize,
    /// What became of them.
    pub change: StretchChange,
}

/// The tables of a study.
#[derive(Clone, Copy, Debug)]
pub struct ShareStudyTable;

impl ShareStudyTable {
    /// Writes table I: of each order, factor and measure the least, mean, median, standard deviation (over the number of users) and
    /// greatest over the users. Rows come in the order of `changed`.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(mut out: impl Write, changed: &[ChangedUser]) -> io::Result<()> {
        writeln!(out, "order,energy_factor,measure,users,min,mean,median,std_dev,max")?;
        for rows in
            changed.chunk_by(|one, next| (one.order, one.factor) == (next.order, next.factor))
        {
            let (order, factor) = (rows[0].order, rows[0].factor);
            for (place, measure) in StretchChange::MEASURES.into_iter().enumerate() {
                let mut values: Vec<f64> =
                    rows.iter().map(|row| row.change.measures()[place]).collect();
                values.sort_by(f64::total_cmp);
                write!(out, "{order},{factor},{measure},{}", rows.len())?;
                for figure in figures(&values) {
                    write!(out, ",{figure:.6}")?;
                }
                writeln!(out)?;
            }
        }
        out.flush()
    }

    /// Writes a row for each user in each simulation.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write_users(mut out: impl Write, changed: &[ChangedUser]) -> io::Result<()> {
        writeln!(out, "order,energy_factor,user,jobs,{}", StretchChange::MEASURES.join(","))?;
        for ChangedUser { order, factor, user, jobs, change } in changed {
            let mut row = format!("{order},{factor},").into_bytes();
            quoted(&mut row, user);
            write!(row, ",{jobs}")?;
            for figure in change.measures() {
                write!(row, ",{figure:.6}")?;
            }
            row.push(b'\n');
            out.write_all(&row)?;
        }
        out.flush()
    }
}

/// The least, mean, median, standard deviation and greatest of sorted values, of which there is one at least.
fn figures(sorted: &[f64]) -> [f64; 5] {
    let count = sorted.len() as f64;
    let mean = sorted.iter().sum::<f64>() / count;
    let variance = sorted.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let middle = sorted.len() / 2;
    let below = (sorted.len() - 1) / 2;
    let median = f64::midpoint(sorted[below], sorted[middle]);
    [sorted[0], mean, median, variance.sqrt(), sorted[sorted.len() - 1]]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::dispatch::backfill::UnitBackfill;
    use crate::dispatch::estimate::EstimatePart;
    use crate::dispatch::fit::UnitFitPart;
    use crate::dispatch::jobs::JobsOfTable;
    use crate::dispatch::order::UnitOrderPart;
    use crate::dispatch::system::System;
    use crate::policy::PartKind;

    fn near(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let equal = found.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9);
        assert!(equal, "{found:?} {expected:?}");
    }

    /// Stretches of 1, 4 and 3 become 2, 1 and 3: means of 8/3 and 2, a quotient of 0.75; quotients of 2, 1/4 and 1, whose mean is
    /// 3.25/3 and whose product is 1/2. The job at place 2 is another's.
    #[test]
    fn changes_have_three_measures() {
        let (before, after) = ([1.0, 4.0, 7.0, 3.0], [2.0, 1.0, 9.0, 3.0]);
        let change = StretchChange::of(&[0, 1, 3], &after, &before).unwrap();
        near(&change.measures(), &[0.75, 3.25 / 3.0, 0.5_f64.powf(1.0 / 3.0)]);
        assert_eq!(StretchChange::of(&[], &after, &before), None);
    }

    /// Of 1, 2, 4 and 9: mean 4, median 3, variance (9 + 4 + 0 + 25) / 4. Of three the second is the median.
    #[test]
    fn figures_are_over_users() {
        near(&figures(&[1.0, 2.0, 4.0, 9.0]), &[1.0, 4.0, 3.0, 9.5_f64.sqrt(), 9.0]);
        near(&figures(&[1.0, 2.0, 6.0]), &[1.0, 3.0, 2.0, (14.0_f64 / 3.0).sqrt(), 6.0]);
    }

    const JOBS: &str = "\
job_id,submission_time,run_time,requested_time,user,cores
x,0,10,10,ada,2
y,0,10,10,bob,2
p,0,10,10,,1
q,0,10,10,huge,3
b,1,10,10,bob,2
a,2,10,10,ada,2
";

    fn jobs(system: &System) -> Vec<UnitJob> {
        JobsOfTable::new(JOBS.as_bytes(), system).unwrap().map(Result::unwrap).collect()
    }

    /// On two cores: x runs until 10; nobody used anything before, so that p, which fits no hole, waits behind y. q is refused. At 10
    /// ada has 20 core-seconds; y goes first (10 to 20), then p (nothing used, 20 to 30). At 30 ada and bob have 20 each, bob's later
    /// and so more: a starts at 30 and b at 40, stretches of (30 - 2 + 10) / 10 = 3.8 and (40 - 1 + 10) / 10 = 4.9. If ada draws
    /// twice as much, b starts at 30 and a at 40: 3.9 and 4.8.
    #[test]
    fn a_factor_changes_who_goes_first() {
        let system = System::parse("[[nodes]]\ncount = 1\ncores = 2\n").unwrap();
        let jobs = jobs(&system);
        let stretches = |factors: &BTreeMap<String, f64>| {
            let simulation = UnitSimulation {
                system: &system,
                order: UnitOrderPart::named("energy_fairshare").unwrap(),
                backfill: UnitBackfill::Easy,
                fit: UnitFitPart::named("first_fit").unwrap(),
                estimate: EstimatePart::named("walltime").unwrap(),
                shares: None,
                energy_factors: factors,
                options: &[],
            };
            super::stretches(&simulation, &jobs).unwrap()
        };
        let before = stretches(&BTreeMap::new());
        near(&before, &[1.0, 2.0, 3.0, 0.0, 4.9, 3.8]);
        let after = stretches(&BTreeMap::from([("ada".to_owned(), 2.0)]));
        near(&after, &[1.0, 2.0, 3.0, 0.0, 3.9, 4.8]);
        let active = most_active(&jobs, &before, 2);
        let of = |user: &str, jobs: [usize; 2]| ActiveUser { user: user.into(), jobs: jobs.into() };
        assert_eq!(active, [of("ada", [0, 5]), of("bob", [1, 4])]);
        let change = StretchChange::of(&active[0].jobs, &after, &before).unwrap();
        near(&[change.quotient_of_means], &[5.8 / 4.8]);
    }

    #[test]
    fn tables_have_a_row_for_each_measure_and_each_user() {
        let changed = |order, factor, user: &str, figure| ChangedUser {
            order,
            factor,
            user: user.into(),
            jobs: 2,
            change: StretchChange {
                quotient_of_means: figure,
                mean_of_quotients: 1.0,
                geometric_mean: 1.0,
            },
        };
        let rows = [
            changed("efs", 0.7, "ada", 3.0),
            changed("efs", 0.7, "b,b", 1.0),
            changed("efs", 1.3, "ada", 1.5),
        ];
        let (mut table, mut users) = (Vec::new(), Vec::new());
        ShareStudyTable::write(&mut table, &rows).unwrap();
        ShareStudyTable::write_users(&mut users, &rows[1..2]).unwrap();
        let table = String::from_utf8(table).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        assert_eq!(lines.len(), 7);
        assert_eq!(
            lines[1],
            "efs,0.7,quotient_of_means,2,1.000000,2.000000,2.000000,1.000000,3.000000"
        );
        assert!(lines[4].starts_with("efs,1.3,quotient_of_means,1,1.500000,"), "{table}");
        let users = String::from_utf8(users).unwrap();
        assert!(users.ends_with("\nefs,0.7,\"b,b\",2,1.000000,1.000000,1.000000\n"), "{users}");
    }
}
