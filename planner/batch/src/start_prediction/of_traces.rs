//! Jobs of traces, as they were seen or as a policy would have them.

use std::io;

use planner::node_set::NodeSet;
use swf::{Field, Record};

use super::{ObservedJob, Shape, StartPredictor};
use crate::job::{Job, JobId, Work};
use crate::kernel::{Observer, Played};
use crate::scheduler::RefusalReason;
use crate::time::Time;

impl ObservedJob {
    /// The job of a trace's record; none where it asked for nothing or never ran. A node is a processor. A job that asked for no time is
    /// taken to have asked for what it ran.
    pub fn of_record(record: &Record) -> Option<Self> {
        let known = |fields: [Field; 2]| fields.into_iter().find_map(|field| record.known(field));
        let time = |seconds| Time::from_seconds_f64(seconds);
        let processors = known([Field::RequestedProcessors, Field::AllocatedProcessors])?;
        let ran = record.known(Field::RunS)?;
        let submitted = time(record.value(Field::SubmitS))?;
        let started = submitted + time(record.value(Field::WaitS).max(0.0))?;
        Some(Self {
            user: record.value(Field::User).to_string().into(),
            shape: Shape {
                nodes: whole(processors)?,
                walltime: time(known([Field::RequestedS, Field::RunS])?)?,
            },
            submitted,
            started: Some(started),
            ended: Some(started + time(ran)?),
        })
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a whole number in range"
)]
fn whole(number: f64) -> Option<u32> {
    let whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    whole.then_some(number as u32)
}

impl StartPredictor {
    /// Lets jobs that ended start and end as the predictor's policy would have them on its nodes, and drops those that it refuses.
    /// The jobs must be in the order of their submission.
    pub fn play(&self, jobs: &mut Vec<ObservedJob>) {
        let to_play = jobs.iter().enumerate().map(|(place, job)| Job {
            id: JobId::Number(i64::try_from(place).unwrap_or_default()),
            profile: None,
            submitted: job.submitted,
            nodes: job.shape.nodes,
            work: Work::Delay(job.ended.unwrap_or(Time::ZERO) - job.started.unwrap_or(Time::ZERO)),
            utilisation: None,
            walltime: Some(job.shape.walltime),
        });
        let mut times = Times(vec![None; jobs.len()]);
        self.player().play(to_play.map(Ok), &mut times);
        for (job, times) in jobs.iter_mut().zip(times.0) {
            (job.started, job.ended) = times.unzip();
        }
        jobs.retain(|job| job.started.is_some());
    }
}

/// When jobs start and end.
struct Times(Vec<Option<(Time, Time)>>);

impl Observer for Times {
    fn started(&mut self, _: Time, _: &Job, _: &NodeSet) -> io::Result<()> {
        Ok(())
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        if let JobId::Number(place) = played.job.id {
            let place = usize::try_from(place).unwrap_or_default();
            self.0[place] = Some((played.started, played.finished));
        }
        Ok(())
    }

    fn refused(&mut self, _: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        Ok(())
    }
}
