//! Jobs as an hour was stated with them before.

use std::collections::{HashMap, HashSet};

use super::party::JobSubmission;
use super::row::LedgerRow;

/// With which submissions the jobs of an hour were stated. Releases noted less of a job before: an hour that is stated
/// anew names its jobs as it did, so that no row is taken back only to be named better.
#[derive(Debug, Default)]
pub struct StatedJobs(HashMap<String, HashSet<Option<JobSubmission>>>);

impl StatedJobs {
    /// Those of an hour's rows.
    pub fn of(rows: &[LedgerRow]) -> Self {
        let mut stated: HashMap<String, HashSet<Option<JobSubmission>>> = HashMap::new();
        for party in rows.iter().map(|row| &row.party).filter(|party| !party.job.is_empty()) {
            stated.entry(party.job.clone()).or_default().insert(party.submission);
        }
        Self(stated)
    }

    /// The submission by which a job with this id is stated.
    pub fn submission(&self, job: &str, known: JobSubmission) -> Option<JobSubmission> {
        let stated = self.0.get(job);
        let less = [None, Some(JobSubmission { raw_id: None, ..known })];
        let before = less.into_iter().find(|it| stated.is_some_and(|stated| stated.contains(it)));
        before.unwrap_or(Some(known))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::{Amounts, Holder, Party};
    use crate::time::Timestamp;

    fn submission(at: i64, raw_id: Option<i64>) -> JobSubmission {
        JobSubmission { at: Timestamp::from_unix_seconds(at), raw_id }
    }

    /// `7` is of a release that noted no submissions; of `9_1` the raw id was not known when the hour was stated.
    #[test]
    fn jobs_are_named_as_they_were_stated() {
        let row = |job: &str, submission| {
            let party = Party { job: job.to_owned(), submission, ..Party::of(Holder::Job) };
            LedgerRow { party, amounts: Amounts::default() }
        };
        let idle = LedgerRow { party: Party::of(Holder::Idle), amounts: Amounts::default() };
        let before = [
            row("7", None),
            row("8", Some(submission(60, Some(8)))),
            row("9_1", Some(submission(60, None))),
            idle,
        ];
        let stated = StatedJobs::of(&before);
        let named = |job: &str, at, raw_id| stated.submission(job, submission(at, Some(raw_id)));
        assert_eq!(named("7", 60, 7), None);
        assert_eq!(named("7", 90, 7), None, "both were one job then");
        assert_eq!(named("8", 60, 8), Some(submission(60, Some(8))));
        assert_eq!(named("8", 90, 8), Some(submission(90, Some(8))), "the id is used again");
        assert_eq!(named("9_1", 60, 10), Some(submission(60, None)));
        assert_eq!(named("9_1", 90, 11), Some(submission(90, Some(11))));
        assert_eq!(named("10", 60, 10), Some(submission(60, Some(10))), "it is new in this hour");
    }
}
