//! The rule by which a line of a trace is a job, or is dropped.

use swf::{Field, Record};

use super::{Cleaning, WorkloadError, WorkloadReading};
use crate::job::{Job, JobId, Utilisation, Work};
use crate::time::Time;

/// The job of a line; none where it is dropped, which is counted.
pub(crate) fn job(
    record: &Record,
    reading: WorkloadReading,
    cleaning: &mut Cleaning,
) -> Result<Option<Job>, WorkloadError> {
    let line = record.line;
    let time = |seconds: f64, what: &'static str| {
        Time::from_seconds_f64(seconds).ok_or(WorkloadError::Beyond { line, what })
    };
    let submitted = time(record.value(Field::SubmitS), "the submission")?;
    let processors =
        record.known(Field::RequestedProcessors).or(record.known(Field::AllocatedProcessors));
    let requested = record.known(Field::RequestedS);
    let requested = requested.map(|value| time(value, "the requested time")).transpose()?;
    let run = time(record.value(Field::RunS), "the run time")?;
    let nodes = processors.map(|value| {
        whole(value).ok_or(WorkloadError::Beyond { line, what: "the number of processors" })
    });
    let (nodes, id) = (nodes.transpose()?, id(record));
    if reading.raw {
        let playable = run >= Time::ZERO;
        let nodes = nodes.filter(|_| playable).unwrap_or(0);
        let work = Work::Delay(run.max(Time::ZERO));
        return Ok(Some(Job {
            id,
            profile: None,
            submitted,
            nodes,
            work,
            utilisation: utilisation(record),
            walltime: requested,
        }));
    }
    if run <= Time::ZERO {
        cleaning.dropped_no_run_time += 1;
        return Ok(None);
    }
    let Some(nodes) = nodes else {
        cleaning.dropped_no_processors += 1;
        return Ok(None);
    };
    if nodes > reading.machines {
        cleaning.dropped_too_large += 1;
        return Ok(None);
    }
    if submitted < Time::ZERO {
        cleaning.dropped_negative_submission += 1;
        return Ok(None);
    }
    let walltime = requested.unwrap_or(run);
    cleaning.clipped_to_requested_time += u64::from(run > walltime);
    let work = Work::Delay(run.min(walltime));
    let (utilisation, walltime) = (utilisation(record), Some(walltime));
    Ok(Some(Job { id, profile: None, submitted, nodes, work, utilisation, walltime }))
}

#[expect(clippy::cast_possible_truncation, reason = "numbers of jobs are whole")]
fn id(record: &Record) -> JobId {
    JobId::Number(record.value(Field::Job) as i64)
}

/// Processor time used (field 6) over run time (field 4), where both are known; at most 1.
fn utilisation(record: &Record) -> Option<Utilisation> {
    let (used, run) = (record.value(Field::AverageCpuS), record.known(Field::RunS)?);
    Utilisation::of((used / run).min(1.0))
}

/// Whole processors, fractions rounded up.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range by then")]
fn whole(processors: f64) -> Option<u32> {
    let processors = processors.ceil();
    (processors <= 1e9).then_some(processors as u32)
}
