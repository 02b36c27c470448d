//! What a site expects of a task: its queue is played on by what it knows, the walltimes.

use std::convert::Infallible;
use std::io;

use planner::node_set::NodeSet;

use super::site::{Asks, Site, SiteSetup};
use crate::job::{Job, JobId, Work};
use crate::kernel::{Cluster, Observer, Played, SimulationError, SteppedCluster};
use crate::policy::Allocation;
use crate::scheduler::{RefusalReason, Tie};
use crate::time::Time;

impl Asks {
    fn job(self, number: i64, submitted: Time) -> Job {
        Job {
            id: JobId::Number(number),
            profile: None,
            submitted,
            nodes: self.nodes,
            work: Work::Delay(self.walltime),
            utilisation: None,
            walltime: Some(self.walltime),
        }
    }
}

/// When a job starts.
#[derive(Default)]
struct StartOf(Option<Time>);

/// The number of the job that is asked for.
const ASKED: i64 = 0;

impl Observer for StartOf {
    fn started(&mut self, now: Time, job: &Job, _: &NodeSet) -> io::Result<()> {
        if job.id == JobId::Number(ASKED) {
            self.0 = Some(now);
        }
        Ok(())
    }

    fn played(&mut self, _: &Played<'_>) -> io::Result<()> {
        Ok(())
    }

    fn refused(&mut self, _: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        Ok(())
    }
}

impl Site<'_> {
    /// When a job would start that is queued at `queued`, if every job took its walltime and no other came.
    pub fn start_of(&self, now: Time, asked: Asks, queued: Time) -> Option<Time> {
        let setup = self.setup;
        let scheduler = setup.scheduler().ok()?;
        let mut cluster = SteppedCluster::new(cluster_of_walltimes(setup), scheduler);
        let mut start = StartOf::default();
        self.play_on(&mut cluster, &mut start, now, asked, queued).ok();
        start.0
    }

    fn play_on(
        &self,
        cluster: &mut SteppedCluster<'_>,
        start: &mut StartOf,
        now: Time,
        asked: Asks,
        queued: Time,
    ) -> Result<(), SimulationError<Infallible>> {
        // Those that run are there, and thus start, before there is anything else.
        for (since, job) in self.book.running() {
            let left = (since + job.walltime - now).max(Time::from_micros(1));
            cluster.submit(Asks { walltime: left, ..job }.job(1, now), 0, start)?;
        }
        cluster.decide(now, start)?;
        for job in self.book.waiting() {
            cluster.submit(job.job(1, now), job.queue, start)?;
        }
        if queued <= now {
            cluster.submit(asked.job(ASKED, now), asked.queue, start)?;
        }
        cluster.decide(now, start)?;
        let mut to_come = (queued > now).then_some(queued);
        while start.0.is_none() {
            let Some(at) = cluster.next_instant().into_iter().chain(to_come).min() else { break };
            if at >= Time::FOREVER {
                break;
            }
            cluster.end(at, start)?;
            if to_come.take_if(|due| *due <= at).is_some() {
                cluster.submit(asked.job(ASKED, at), asked.queue, start)?;
            }
            cluster.decide_if_needed(at, start)?;
        }
        Ok(())
    }
}

/// The site's machines, on which jobs do nothing but take time.
fn cluster_of_walltimes<'a>(setup: &SiteSetup<'a>) -> Cluster<'a> {
    Cluster {
        platform: setup.platform,
        tie: Tie::Batch,
        launch: Time::ZERO,
        places: setup.policy.allocation() == Allocation::Set,
        delays_compute: false,
        tables: None,
        network: None,
    }
}
