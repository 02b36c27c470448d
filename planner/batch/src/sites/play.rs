//! All sites, links and clients in one time.

use std::collections::HashMap;
use std::convert::Infallible;

use network::platform::HostId;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::experiment::{Client, SitesError, SitesExperiment, submissions, unreachable, ways};
use super::record::{SiteTaskEnd, SiteTaskRecord};
use super::results::SitesResults;
use super::rule::Chooser;
use super::site::{Asks, Book, News, Site};
use super::tasks::SiteTask;
use super::wide_network::Transfers;
use crate::job::{Job, JobId};
use crate::kernel::{JobEnd, Observer, SimulationError, SteppedCluster};
use crate::summary::Tally;
use crate::time::Time;

/// How many instants may pass in turn at which nothing runs, travels or comes, while jobs wait.
const IDLE: u32 = 1_000_000;

/// Data on its way; the task's number.
#[derive(Clone, Copy, Debug)]
enum Parcel {
    Input(usize),
    Output(usize),
}

struct Play<'e, 'a, O> {
    experiment: &'e SitesExperiment<'a>,
    sites: Vec<Site<'e>>,
    observers: &'e mut [O],
    choosers: Vec<Chooser>,
    /// From each client to each site, where data takes time.
    ways: Vec<Vec<Option<[HostId; 2]>>>,
    transfers: Transfers<'e, Parcel>,
    /// Tasks of all clients in the order of submission, then jobs of the sites' own users as they come.
    records: Vec<SiteTaskRecord>,
    /// The task of each of the first records.
    tasks: Vec<&'a SiteTask>,
    numbers: HashMap<JobId, usize>,
    /// How many tasks were submitted.
    submitted: usize,
}

/// Plays an experiment to its end; each site's observer is told what happens there.
///
/// # Errors
/// Wrong options; clients that cannot reach their sites; decisions that cannot be carried out; an output that fails.
pub fn play_sites<O: Observer>(
    experiment: &SitesExperiment<'_>,
    observers: &mut [O],
) -> Result<SitesResults, SitesError> {
    let mut play = Play::new(experiment, observers)?;
    let (mut last, mut idle) = (Time::ZERO, 0);
    while let Some(now) = play.next_instant() {
        idle = if play.is_busy() { 0 } else { idle + 1 };
        if idle > IDLE {
            return Err(play.stuck(last));
        }
        last = now;
        play.happen(now)?;
    }
    play.finish(last)
}

impl<'e, 'a, O: Observer> Play<'e, 'a, O> {
    fn new(
        experiment: &'e SitesExperiment<'a>,
        observers: &'e mut [O],
    ) -> Result<Self, SitesError> {
        let mut sites = Vec::new();
        for setup in &experiment.sites {
            let wrong = |errors| SitesError::Options { site: setup.name.into(), errors };
            sites.push(Site::new(setup).map_err(wrong)?);
        }
        let chooser = |client: &Client<'a>| Chooser {
            rule: client.rule,
            sites: client.sites.clone(),
            random: ChaCha8Rng::seed_from_u64(client.seed),
            next: 0,
        };
        let (records, tasks) = submissions(experiment);
        Ok(Self {
            experiment,
            sites,
            observers,
            choosers: experiment.clients.iter().map(chooser).collect(),
            ways: ways(experiment)?,
            transfers: Transfers::new(experiment.links),
            numbers: records.iter().map(|record| record.id.clone()).zip(0..).collect(),
            records,
            tasks,
            submitted: 0,
        })
    }

    /// When something happens next.
    fn next_instant(&mut self) -> Option<Time> {
        if !self.is_busy() && self.sites.iter().all(|site| site.cluster.is_done()) {
            return None;
        }
        let task = self.tasks.get(self.submitted).map(|task| task.submitted);
        let sites = self.sites.iter_mut().filter_map(Site::next_instant);
        sites.chain(task).chain(self.transfers.next_instant()).min()
    }

    /// Whether anything runs, travels or is still to come.
    fn is_busy(&mut self) -> bool {
        let site = |site: &Site<'_>| site.came < site.setup.load.len() || site.cluster.is_running();
        self.submitted < self.tasks.len()
            || self.sites.iter().any(site)
            || self.transfers.next_instant().is_some()
    }

    /// What happens at an instant: data arrives and jobs end, jobs and tasks are submitted, then every site decides.
    fn happen(&mut self, now: Time) -> Result<(), SitesError> {
        let arrived = self.transfers.arrive(now);
        for number in 0..self.sites.len() {
            self.with(number, |cluster, observer| cluster.end(now, observer))?;
            self.take_news(number, now)?;
            self.submit_load(number, now)?;
        }
        for parcel in arrived {
            match parcel {
                Parcel::Input(task) => self.queue(task, now)?,
                Parcel::Output(task) => self.records[task].output_end = Some(now),
            }
        }
        while self.tasks.get(self.submitted).is_some_and(|task| task.submitted <= now) {
            self.submitted += 1;
            self.submit(self.submitted - 1, now)?;
        }
        for number in 0..self.sites.len() {
            self.with(number, |cluster, observer| cluster.decide_if_needed(now, observer))?;
            self.take_news(number, now)?;
        }
        Ok(())
    }

    /// Lets a site do something that is told to its observers.
    fn with(
        &mut self,
        number: usize,
        act: impl FnOnce(
            &mut SteppedCluster<'e>,
            &mut SiteObserver<'_, O>,
        ) -> Result<(), SimulationError<Infallible>>,
    ) -> Result<(), SitesError> {
        let Site { setup, cluster, book, tally, .. } = &mut self.sites[number];
        let mut observer = (book, (tally, &mut self.observers[number]));
        let failed = |error| SitesError::Site { site: setup.name.into(), error };
        act(cluster, &mut observer).map_err(failed)
    }

    /// Jobs of a site's own users come.
    fn submit_load(&mut self, number: usize, now: Time) -> Result<(), SitesError> {
        let setup = self.sites[number].setup;
        while let Some(job) =
            setup.load.get(self.sites[number].came).filter(|job| job.submitted <= now)
        {
            self.sites[number].came += 1;
            let id = JobId::Name(format!("{}!{}", setup.name, job.id).into());
            self.numbers.insert(id.clone(), self.records.len());
            self.records.push(SiteTaskRecord {
                id: id.clone(),
                client: None,
                site: Some(number),
                submitted: job.submitted,
                nodes: job.nodes,
                walltime: job.walltime,
                queued: Some(job.submitted),
                input_end: None,
                end: None,
                output_end: None,
            });
            self.put(number, Job { id, ..job.clone() }, 0)?;
        }
        Ok(())
    }

    /// Puts a job into a queue of a site.
    fn put(&mut self, number: usize, job: Job, queue: u32) -> Result<(), SitesError> {
        let walltime = job.walltime.unwrap_or(Time::FOREVER);
        let asks = Asks { nodes: job.nodes, walltime, queue };
        self.sites[number].book.queue(job.id.clone(), asks);
        self.with(number, |cluster, observer| cluster.submit(job, queue, observer))
    }

    /// A client submits a task: it chooses a site, and sends the input there.
    fn submit(&mut self, task: usize, now: Time) -> Result<(), SitesError> {
        let Some(client) = self.records[task].client else { return Ok(()) };
        let of = self.tasks[task];
        let sites = &self.sites;
        let holds = |site: usize| sites[site].setup.platform.machines() >= of.nodes;
        let ways = &self.ways[client];
        let links = self.experiment.links;
        let alone = |way: [HostId; 2], bytes| links.alone(way, bytes).unwrap_or(Time::FOREVER);
        let knows = self.experiment.clients[client].knows_run_times;
        let taken = of.walltime.filter(|_| !knows).unwrap_or(of.run_time);
        let ask = |site: usize| {
            let there = ways[site].map_or(Time::ZERO, |way| alone(way, of.input_bytes));
            let back =
                ways[site].map_or(Time::ZERO, |[from, to]| alone([to, from], of.output_bytes));
            sites[site].answer(site, now, of, [now + there, taken, back])
        };
        let Some(site) = self.choosers[client].choose(holds, ask) else { return Ok(()) };
        self.records[task].site = Some(site);
        match self.ways[client][site].filter(|_| of.input_bytes > 0.0) {
            Some(way) => self.send(now, (client, site), way, (of.input_bytes, Parcel::Input(task))),
            None => self.queue(task, now),
        }
    }

    /// The input of a task is at its site's frontal.
    fn queue(&mut self, task: usize, now: Time) -> Result<(), SitesError> {
        let record = &mut self.records[task];
        let Some(site) = record.site else { return Ok(()) };
        record.queued = Some(now);
        let setup = self.sites[site].setup;
        let job = setup.job(record.id.clone(), now, self.tasks[task]);
        record.walltime = job.walltime;
        let asks = setup.asks(self.tasks[task]);
        self.put(site, job, asks.queue)
    }

    fn send(
        &mut self,
        now: Time,
        (client, site): (usize, usize),
        way: [HostId; 2],
        (bytes, parcel): (f64, Parcel),
    ) -> Result<(), SitesError> {
        let sent = self.transfers.send(now, way, bytes, parcel);
        sent.map_err(|_| unreachable(self.experiment, client, site))
    }

    /// Keeps what became of jobs of a site, and sends the output of those that ended well.
    fn take_news(&mut self, site: usize, now: Time) -> Result<(), SitesError> {
        for news in std::mem::take(&mut self.sites[site].book.news) {
            let (News::Refused { id } | News::Supplied { id, .. } | News::Ended { id, .. }) = &news;
            let Some(&number) = self.numbers.get(id) else { continue };
            let record = &mut self.records[number];
            match news {
                News::Refused { .. } => record.site = None,
                News::Supplied { now, .. } => record.input_end = Some(now),
                News::Ended { started, finished, end, machines, energy, .. } => {
                    let bill = |energy| self.sites[site].setup.bill(started, finished, energy);
                    let [cost, co2_g] = energy.map_or([None; 2], bill);
                    record.input_end = record.input_end.or(Some(started));
                    record.end =
                        Some(SiteTaskEnd { started, finished, end, machines, energy, cost, co2_g });
                    self.send_back(number, site, end, now)?;
                }
            }
        }
        Ok(())
    }

    /// Sends the output of a job that ended, where it has any.
    fn send_back(
        &mut self,
        number: usize,
        site: usize,
        end: JobEnd,
        now: Time,
    ) -> Result<(), SitesError> {
        let record = &mut self.records[number];
        let bytes = self.tasks.get(number).map_or(0.0, |task| task.output_bytes);
        let there = record.client.and_then(|client| Some((client, self.ways[client][site]?)));
        let sends = bytes > 0.0 && end == JobEnd::Success;
        let Some((client, [from, to])) = there.filter(|_| sends) else {
            record.output_end = Some(now);
            return Ok(());
        };
        self.send(now, (client, site), [to, from], (bytes, Parcel::Output(number)))
    }

    fn stuck(&self, now: Time) -> SitesError {
        let waits = self.sites.iter().filter(|site| site.cluster.waiting() > 0);
        SitesError::Stuck { now, sites: waits.map(|site| site.setup.name.to_owned()).collect() }
    }

    fn finish(mut self, last: Time) -> Result<SitesResults, SitesError> {
        if self.sites.iter().any(|site| site.cluster.waiting() > 0) {
            return Err(self.stuck(last));
        }
        for number in 0..self.sites.len() {
            self.with(number, |cluster, observer| Ok(cluster.finish(observer)?))?;
        }
        let totals = self.transfers.link_totals();
        Ok(SitesResults::of(self.experiment, self.records, &self.sites, totals, last))
    }
}

/// Who is told what happens at a site.
type SiteObserver<'s, O> = (&'s mut Book, (&'s mut Tally, &'s mut O));
