//! Lines of a report joined with the jobs of accounting, by the cluster, the raw id and the submission.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use planner::identity::ReservationId;
use planner::ledger::JobSubmission;
use planner::time::Timestamp;
use storage::{ReportGroup, ReportKey};

use super::file::{SacctFile, SacctJob};
use super::sum::Sum;
use crate::cli::report::line::PrintedRow;
use crate::http::v1::reports::{ReportRowDocument, row_document};

/// By what lines are added up, and which are shown.
pub struct ReportSelection {
    /// By what, beside the month.
    pub by: Vec<ReportKey>,
    /// Whether by month, too.
    pub by_month: bool,
    /// Only those of this user.
    pub user: Option<String>,
    /// Only those of this project.
    pub project: Option<String>,
}

/// How many jobs were found on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JoinCounts {
    /// Jobs of the file that have rows in the ledger.
    pub matched: usize,
    /// Jobs of the file that have none.
    pub only_in_file: usize,
    /// Jobs of the ledger that are not in the file.
    pub only_in_ledger: usize,
}

/// What lines have in common, in the order of reports: the month, the group, the job's cluster.
type Common = (Option<String>, ReportGroup, String);

/// What is added up of lines, and the job of the file that they are of.
#[derive(Default)]
struct Line {
    sum: Option<Sum>,
    job: Option<usize>,
}

/// The jobs of a file, to be found.
pub struct Join<'a> {
    file: &'a SacctFile,
    by_raw_id: HashMap<(i64, Timestamp), Vec<usize>>,
    by_id: HashMap<(&'a str, Timestamp), Vec<usize>>,
}

impl<'a> Join<'a> {
    /// With the jobs of this file.
    pub fn new(file: &'a SacctFile) -> Self {
        let mut join = Self { file, by_raw_id: HashMap::new(), by_id: HashMap::new() };
        for (index, job) in file.jobs.iter().enumerate() {
            join.by_raw_id.entry((job.raw_id, job.submitted)).or_default().push(index);
            join.by_id.entry((&job.id, job.submitted)).or_default().push(index);
        }
        join
    }

    /// The lines of a report by job, reservation, user, project, partition and application, added up as it is wanted.
    pub fn rows(
        &self,
        lines: Vec<ReportRowDocument>,
        wanted: &ReportSelection,
    ) -> (Vec<PrintedRow>, JoinCounts) {
        let (mut matched, mut unmatched) = (BTreeSet::new(), BTreeSet::new());
        let mut sums: BTreeMap<Common, Line> = BTreeMap::new();
        for mut row in lines {
            let sum = Sum::of(&row);
            let job = self.find(&row);
            match job {
                Some(index) => {
                    matched.insert(index);
                    self.file.jobs[index].tell(&mut row);
                }
                None if row.job_id.as_deref().is_some_and(|id| !id.is_empty()) => {
                    unmatched.insert((
                        row.cluster.clone(),
                        row.job_id.clone(),
                        row.submitted.clone(),
                    ));
                }
                None => {}
            }
            if wanted.shows(&row) {
                let line = sums.entry(wanted.common(&row)).or_default();
                line.sum.get_or_insert_default().add(sum);
                line.job = job;
            }
        }
        let missing = (0..self.file.jobs.len()).filter(|index| !matched.contains(index));
        if wanted.by.contains(&ReportKey::Job) {
            for index in missing.clone() {
                let mut row = ReportRowDocument::default();
                self.file.jobs[index].tell(&mut row);
                if wanted.shows(&row) {
                    sums.entry(wanted.common(&row)).or_default().job = Some(index);
                }
            }
        }
        let found = JoinCounts {
            matched: matched.len(),
            only_in_file: missing.count(),
            only_in_ledger: unmatched.len(),
        };
        (sums.into_iter().map(|(common, line)| self.shown(common, line, wanted)).collect(), found)
    }

    /// The job of a line. Where its raw id was not noted, it is found by its id; where its submission was not, not at all.
    fn find(&self, row: &ReportRowDocument) -> Option<usize> {
        let submitted = Timestamp::parse(row.submitted.as_deref()?).ok()?;
        let found = match row.job_raw_id {
            Some(raw_id) => self.by_raw_id.get(&(raw_id, submitted)),
            None => self.by_id.get(&(row.job_id.as_deref()?, submitted)),
        };
        let cluster = row.cluster.as_deref().unwrap_or_default();
        let is_there = |it: &str| it.is_empty() || cluster.is_empty() || it == cluster;
        let mut there =
            found?.iter().copied().filter(|&index| is_there(&self.file.jobs[index].cluster));
        // Of several clusters, where the settings name none, it cannot be said which.
        there.next().filter(|_| there.next().is_none())
    }

    fn shown(
        &self,
        (month, group, cluster): Common,
        line: Line,
        wanted: &ReportSelection,
    ) -> PrintedRow {
        let beside = if wanted.by.contains(&ReportKey::Job) {
            let nothing = || vec![String::new(); self.file.columns.len()];
            line.job.map_or_else(nothing, |index| self.file.jobs[index].cells.clone())
        } else {
            Vec::new()
        };
        let in_ledger = line.sum.is_some();
        let sum = line.sum.unwrap_or_default().line(group, month);
        PrintedRow { row: row_document(sum, &wanted.by, Some(&cluster)), in_ledger, beside }
    }
}

impl SacctJob {
    /// Says in a line what the file says of its job.
    fn tell(&self, row: &mut ReportRowDocument) {
        let said = |said: &Option<String>| said.clone().filter(|it| !it.is_empty());
        let unless = |there: &Option<String>| there.as_deref().is_none_or(str::is_empty);
        row.user = said(&self.user).or(row.user.take());
        row.project = said(&self.account).or(row.project.take());
        row.partition = said(&self.partition).or(row.partition.take());
        if unless(&row.application) {
            row.application.clone_from(&self.name);
        }
        if unless(&row.cluster) {
            row.cluster = Some(self.cluster.clone());
        }
        if unless(&row.job_id) {
            row.job_id = Some(self.id.clone());
        }
        row.job_raw_id = Some(self.raw_id);
        row.submitted = Some(self.submitted.to_string());
    }
}

impl ReportSelection {
    /// Whether a line is shown.
    fn shows(&self, row: &ReportRowDocument) -> bool {
        let is = |asked: &Option<String>, said: &Option<String>| {
            asked.is_none() || asked.as_deref() == Some(said.as_deref().unwrap_or_default())
        };
        is(&self.user, &row.user) && is(&self.project, &row.project)
    }

    /// What a line has in common with others that it is added to.
    fn common(&self, row: &ReportRowDocument) -> Common {
        let said = |key: ReportKey, said: &Option<String>| {
            said.clone().filter(|_| self.by.contains(&key)).unwrap_or_default()
        };
        let at = row.submitted.as_deref().and_then(|it| Timestamp::parse(it).ok());
        let submission = at.map(|at| JobSubmission { at, raw_id: row.job_raw_id });
        let reservation = said(ReportKey::Reservation, &row.reservation);
        let group = ReportGroup {
            user: said(ReportKey::User, &row.user),
            project: said(ReportKey::Project, &row.project),
            application: said(ReportKey::Application, &row.application),
            partition: said(ReportKey::Partition, &row.partition),
            job: said(ReportKey::Job, &row.job_id),
            submission: submission.filter(|_| self.by.contains(&ReportKey::Job)),
            reservation: uuid::Uuid::parse_str(&reservation).ok().map(ReservationId::new),
            currency: row.currency.clone(),
        };
        let month = row.month.clone().filter(|_| self.by_month);
        (month, group, said(ReportKey::Job, &row.cluster))
    }
}

#[cfg(test)]
mod tests;
