//! Jobs on the network, among all jobs.

use std::cmp::Reverse;
use std::io;

use network::replay::TraceReplayError;

use super::{Live, SimulationState};
use crate::job::Work;
use crate::kernel::communications::{Beginning, Communications};
use crate::kernel::machines::Machines;
use crate::kernel::{Cluster, LinkUse, Observer, SimulationError};
use crate::scheduler::JobKey;
use crate::time::Time;

impl Live {
    /// Begins what the job does on the network, if that is where it does it; whether it is.
    pub(super) fn communicate(
        &self,
        (now, number, key): (Time, u64, JobKey),
        communications: Option<&mut Communications<'_>>,
        machines: &Machines<'_>,
        cluster: Cluster<'_>,
    ) -> bool {
        let (Work::Program(program), Some(communications)) = (&self.job.work, communications)
        else {
            return false;
        };
        let mut ranked = machines.states(&self.machines);
        if let Some(ranks) = &self.ranks {
            ranked = ranks.iter().filter_map(|rank| ranked.get(*rank as usize).copied()).collect();
        }
        let beginning = Beginning {
            key,
            number,
            program: program.clone(),
            machines: ranked,
            launch: cluster.launch,
            walltime: self.job.walltime,
            by_load: self.draws_by_load(),
        };
        let speed = |machine, state| cluster.platform.speed(machine, state);
        communications.begin(now, beginning, speed);
        true
    }

    /// Whether what its machines draw follows from their loads.
    pub(super) const fn draws_by_load(&self) -> bool {
        matches!(self.job.work, Work::Program(_)) && self.job.utilisation.is_none()
    }
}

impl SimulationState<'_> {
    /// When something happens next to jobs on the network.
    pub(in crate::kernel) fn next_on_network(&mut self) -> Option<Time> {
        self.communications.as_mut()?.next_instant()
    }

    /// Jobs on the network go on until `until`, or until one of them ends before, which is then the next end.
    pub(in crate::kernel) fn play_network<E>(
        &mut self,
        until: Option<Time>,
        observer: &mut impl Observer,
    ) -> Result<(), SimulationError<E>> {
        loop {
            let Some(communications) = &mut self.communications else { return Ok(()) };
            let next = communications.next_instant();
            let Some(now) = next.filter(|at| until.is_none_or(|until| *at <= until)) else {
                return Ok(());
            };
            let ended = match communications.happen(now) {
                Ok(ended) => ended,
                Err(error) => return Err(self.no_route(now, error)),
            };
            for (key, steps) in communications.steps_done() {
                if let Some(live) = self.live.get(key.index()).and_then(Option::as_ref) {
                    observer.advanced(now, &live.job, steps)?;
                }
            }
            if ended.is_empty() {
                self.tell_loads(now, observer)?;
                continue;
            }
            for ended in ended {
                self.ends.push(Reverse((now, ended.number, ended.key)));
                if let Some(live) = self.live.get_mut(ended.key.index()).and_then(Option::as_mut) {
                    live.at_walltime = ended.at_walltime;
                }
            }
            return Ok(());
        }
    }

    fn no_route<E>(&self, now: Time, error: TraceReplayError) -> SimulationError<E> {
        let mut programs = self.live.iter().flatten();
        let job = programs.find(|live| live.started.is_some() && live.draws_by_load());
        let job = job.map_or_else(|| super::unknown(JobKey(0)), |live| live.job.id.clone());
        SimulationError::Route { now, job, error }
    }

    /// Tells what machines draw whose loads have changed.
    pub(in crate::kernel) fn tell_loads(
        &mut self,
        now: Time,
        observer: &mut impl Observer,
    ) -> io::Result<()> {
        let changed = self.communications.as_mut().and_then(|all| all.drawn(now));
        let Some((before, after)) = changed else { return Ok(()) };
        let reading = self.machines.load(now, before, after);
        reading.as_ref().map_or(Ok(()), |reading| observer.metered(reading))
    }

    /// Tells what went over links until `now`.
    pub(super) fn tell_links(&self, observer: &mut impl Observer) -> io::Result<()> {
        let Some(communications) = &self.communications else { return Ok(()) };
        let elapsed_s = self.last_end.as_seconds();
        let links = communications.network().network().links().iter();
        let uses: Vec<LinkUse<'_>> = links
            .zip(communications.link_totals())
            .map(|(link, totals)| LinkUse {
                name: &link.name,
                bytes: totals.bytes,
                busy_s: totals.busy_s,
                mean_load: if elapsed_s > 0.0 { totals.load_s / elapsed_s } else { 0.0 },
            })
            .collect();
        observer.linked(&uses)
    }
}
