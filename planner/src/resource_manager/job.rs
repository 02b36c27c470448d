//! Jobs as the resource manager knows them.

use crate::quantity::Energy;
use crate::time::{Seconds, Timestamp};

/// A job as the resource manager knows it. Ids are used again in time: with its submission a job is
/// known for ever.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedJob {
    /// Its id, such as `1234` or `1234_7` of an array.
    pub id: String,
    /// Its id as a number, which a task of an array has of its own; `None` where an earlier release noted the
    /// job without it.
    pub raw_id: Option<i64>,
    /// When it was submitted.
    pub submitted: Timestamp,
    /// Whose it is.
    pub user: String,
    /// The account that is charged; empty where there are none.
    pub account: String,
    /// The partition that it waits for or runs in.
    pub partition: String,
    /// What its user called it.
    pub name: String,
    /// The state in the resource manager's words, such as `RUNNING`.
    pub state: String,
    /// How far it is.
    pub phase: JobPhase,
    /// When it began.
    pub start: Option<Timestamp>,
    /// When it ended, or will end at the latest while it runs.
    pub end: Option<Timestamp>,
    /// Its time limit.
    pub limit: Option<Seconds>,
    /// How it stands in the queue; `None` where it does not wait, or waits for something else than nodes.
    pub queued: Option<Queued>,
    /// Its nodes, once it has some.
    pub nodes: Vec<String>,
    /// The reservation in the resource manager that it runs in.
    pub reservation: Option<String>,
    /// What it consumed, where that was measured.
    pub energy: Option<Energy>,
}

/// How a job stands in the queue that waits for nodes alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queued {
    /// How many nodes it asks for, at the least.
    pub nodes: u32,
    /// How many tasks of an array it stands for, each of which asks for that; 1 where it is none.
    pub tasks: u32,
    /// Those with a greater number are served first.
    pub priority: i64,
}

/// What a job is known by for ever: its id and when it was submitted.
pub type JobKey<'a> = (&'a str, Timestamp);

impl ManagedJob {
    /// The state of a job that the resource manager forgot before it was seen to have ended.
    pub const FORGOTTEN: &'static str = "UNKNOWN";

    /// What it is known by.
    pub fn key(&self) -> JobKey<'_> {
        (&self.id, self.submitted)
    }

    /// A job that is told no more, as it is noted: it ended at its limit, or at `latest` where that is earlier or no limit
    /// is known.
    #[must_use]
    pub fn forgotten(&self, latest: Timestamp) -> Self {
        let limit = || Some(self.start? + self.limit?);
        let end = self.end.or_else(limit).filter(|end| *end < latest).unwrap_or(latest);
        Self {
            phase: JobPhase::Ended,
            state: Self::FORGOTTEN.to_owned(),
            end: Some(end),
            ..self.clone()
        }
    }

    /// Whether this is a task of the array that `waits`. As long as tasks of an array wait, one record
    /// under the array's id stands for all of them; when the last of them begins it becomes that task.
    pub fn is_task_of(&self, waits: &Self) -> bool {
        let task = self.id.strip_prefix(&waits.id).and_then(|rest| rest.strip_prefix('_'));
        task.is_some() && waits.phase == JobPhase::Waiting && self.submitted >= waits.submitted
    }
}

/// How far a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobPhase {
    /// It waits.
    Waiting,
    /// It has its nodes.
    Running,
    /// It has given them back.
    Ended,
}

impl JobPhase {
    /// The word in tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Ended => "ended",
        }
    }

    /// The phase of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Waiting, Self::Running, Self::Ended].into_iter().find(|it| it.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::worked_example::{at, job};

    /// It began at 100 with a limit of 500 s, so that it ends at 600.
    #[test]
    fn jobs_that_are_told_no_more_ended_at_their_limit_or_before() {
        let limited = ManagedJob {
            start: Some(at(100)),
            limit: Some(Seconds::new(500)),
            ..job("1", &["n1"])
        };
        let told = ManagedJob { end: Some(at(550)), ..limited.clone() };
        let end = |job: &ManagedJob, latest: i64| job.forgotten(at(latest)).end;
        assert_eq!([end(&limited, 400), end(&limited, 700)], [Some(at(400)), Some(at(600))]);
        assert_eq!(end(&told, 700), Some(at(550)));
        assert_eq!(end(&job("2", &["n1"]), 700), Some(at(700)), "it has no limit");
    }

    /// `sbatch --array=0-9` makes 123, of which the tasks `123_0` and so on are split off as they begin.
    #[test]
    fn tasks_are_told_from_other_jobs() {
        let waits = ManagedJob { phase: JobPhase::Waiting, submitted: at(60), ..job("123", &[]) };
        let begun = |id, submitted| ManagedJob { submitted: at(submitted), ..job(id, &["n1"]) };
        assert!(begun("123_9", 60).is_task_of(&waits));
        assert!(begun("123_0", 90).is_task_of(&waits), "one that was queued again");
        assert!(!begun("123_9", 50).is_task_of(&waits), "ids are used again in time");
        for other in ["123", "1234_9", "12_3"] {
            assert!(!begun(other, 60).is_task_of(&waits), "{other}");
        }
        let ended = ManagedJob { phase: JobPhase::Ended, ..waits };
        assert!(
            !begun("123_9", 60).is_task_of(&ended),
            "tasks that were cancelled before they began"
        );
    }
}
