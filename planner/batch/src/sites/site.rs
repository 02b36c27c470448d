//! A site: a cluster behind its frontal, with its batch system.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use planner::node_set::NodeSet;
use planner::quantity::{Energy, Power};

use super::SiteTask;
use super::rule::SiteAnswer;
use crate::communication::{JobProgram, MachineNetwork, Step, TaskProfile};
use crate::job::{Job, JobId, Utilisation, Work};
use crate::kernel::{Cluster, JobEnd, Observer, Played, SteppedCluster};
use crate::platform::Platform;
use crate::policy::{Combination, Setting};
use crate::scheduler::{RefusalReason, Scheduler, Tie};
use crate::summary::{TAU, Tally};
use crate::supplier_tables::{Account, SupplierTables};
use crate::time::Time;

/// A site before anything has happened.
#[derive(Clone, Copy, Debug)]
pub struct SiteSetup<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its machines.
    pub platform: &'a Platform,
    /// The network between its frontal and its machines; without one, data takes no time there.
    pub network: Option<&'a MachineNetwork>,
    /// The storage of the network that is the frontal.
    pub frontal: &'a str,
    /// Which waiting job starts when.
    pub policy: Combination,
    /// Options of the policy: names and values.
    pub options: &'a [(String, String)],
    /// Its own agendas.
    pub tables: &'a SupplierTables,
    /// Its priority queues.
    pub queues: u32,
    /// How fast tasks of clients run: their times are divided by it.
    pub speed: f64,
    /// What its own users submit, in the order of submission.
    pub load: &'a [Job],
    /// Whether machines compute that a job of its own users only occupies.
    pub delays_compute: bool,
}

impl<'a> SiteSetup<'a> {
    /// A scheduler of the site's policy.
    ///
    /// # Errors
    /// What is wrong with its options; an error begins with the name of its option.
    pub fn scheduler(&self) -> Result<Box<dyn Scheduler>, Vec<String>> {
        let Self { platform, options, tables, .. } = *self;
        let setting = Setting { platform, tie: Tie::Batch, options, tables, reservations: &[] };
        self.policy.scheduler(&setting)
    }

    fn cluster(&self) -> Cluster<'a> {
        Cluster {
            platform: self.platform,
            tie: Tie::Batch,
            launch: Time::ZERO,
            places: true,
            delays_compute: self.delays_compute,
            tables: Some(self.tables),
            network: self.network,
        }
    }

    /// A time of a task here.
    pub(super) fn scaled(&self, time: Time) -> Time {
        Time::from_seconds_f64(time.as_seconds() / self.speed).unwrap_or(Time::FOREVER)
    }

    /// What the batch system knows of a task.
    pub(super) fn asks(&self, task: &SiteTask) -> Asks {
        let walltime = task.walltime.map_or(Time::FOREVER, |walltime| self.scaled(walltime));
        Asks { nodes: task.nodes, walltime, queue: task.queue.min(self.queues - 1) }
    }

    /// The job that a task is here. Its machines draw what computing draws from its start to its end.
    pub(super) fn job(&self, id: JobId, queued: Time, task: &SiteTask) -> Job {
        let run_time = self.scaled(task.run_time);
        let work = match self.program(task, run_time) {
            Some(program) => Work::Program(program),
            None => Work::Delay(run_time),
        };
        Job {
            id,
            profile: None,
            submitted: queued,
            nodes: task.nodes,
            work,
            utilisation: Some(Utilisation::FULL),
            walltime: task.walltime.map(|walltime| self.scaled(walltime)),
        }
    }

    /// Input from the frontal, computing, output to the frontal; none where no data takes time.
    fn program(&self, task: &SiteTask, run_time: Time) -> Option<Arc<JobProgram>> {
        self.network.filter(|_| task.input_bytes + task.output_bytes > 0.0)?;
        let with_frontal = |read_bytes, written_bytes| {
            let storage = self.frontal.into();
            Step::Task(TaskProfile::FirstMachine { storage, read_bytes, written_bytes })
        };
        let part = |name: &str, step| Arc::new(JobProgram { name: name.into(), step });
        let parts = vec![
            part("input", with_frontal(task.input_bytes, 0.0)),
            part("run", Step::Wait(run_time.as_seconds())),
            part("output", with_frontal(0.0, task.output_bytes)),
        ];
        Some(part("task", Step::Sequence { parts, repeat: 1 }))
    }

    /// How long bytes take between the frontal and a machine if nothing else is on their way.
    fn alone(&self, bytes: f64) -> Time {
        let Some(network) = self.network.filter(|_| bytes > 0.0) else { return Time::ZERO };
        let seconds = network
            .storage(Some(self.frontal))
            .ok()
            .and_then(|frontal| network.network().time_alone(frontal, network.host(0), bytes).ok());
        seconds.and_then(Time::from_seconds_f64).unwrap_or(Time::ZERO)
    }

    /// What a machine draws that computes, in the mean.
    fn mean_draw(&self) -> Option<Power> {
        let all = NodeSet::from_positions(0..self.platform.machines());
        let draws = self.platform.draws(&all, self.platform.initial())?;
        let machines = i64::from(self.platform.machines());
        Some(Power::from_microwatts(draws.computing.as_microwatts() / machines))
    }

    /// What the site's agendas say of energy that was drawn from one instant to another.
    pub(super) fn bill(&self, from: Time, until: Time, energy: Energy) -> [Option<f64>; 2] {
        let micros = i128::from((until - from).as_micros()).max(1);
        let mean = energy.as_microjoules() * 1_000_000 / micros;
        let power = Power::from_microwatts(i64::try_from(mean).unwrap_or(i64::MAX));
        let mut account = Account::default();
        self.tables.charge(&mut account, from, until, power);
        let bill = self.tables.bill(account, power * (until - from));
        [bill.cost, bill.co2_g]
    }
}

/// What a job asks for, as its batch system knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asks {
    pub nodes: u32,
    pub walltime: Time,
    pub queue: u32,
}

/// What a batch system knows of its jobs, and what became of them since it was looked at.
#[derive(Debug, Default)]
pub(super) struct Book {
    /// By the order in which they were queued.
    waiting: BTreeMap<u64, Asks>,
    /// With their starts.
    running: BTreeMap<u64, (Time, Asks)>,
    numbers: BTreeMap<JobId, u64>,
    queued: u64,
    /// Nothing more may be known of jobs than this.
    pub news: Vec<News>,
}

/// What became of a job.
#[derive(Clone, Debug)]
pub(super) enum News {
    Refused {
        id: JobId,
    },
    /// Its input is on its first machine.
    Supplied {
        id: JobId,
        now: Time,
    },
    Ended {
        id: JobId,
        started: Time,
        finished: Time,
        end: JobEnd,
        machines: NodeSet,
        energy: Option<Energy>,
    },
}

impl Book {
    /// A job is queued.
    pub fn queue(&mut self, id: JobId, asks: Asks) {
        self.waiting.insert(self.queued, asks);
        self.numbers.insert(id, self.queued);
        self.queued += 1;
    }

    /// Jobs that wait, in the order in which they were queued.
    pub fn waiting(&self) -> impl Iterator<Item = Asks> + '_ {
        self.waiting.values().copied()
    }

    /// Jobs that run, with their starts.
    pub fn running(&self) -> impl Iterator<Item = (Time, Asks)> + '_ {
        self.running.values().copied()
    }
}

impl Observer for Book {
    fn started(&mut self, now: Time, job: &Job, _: &NodeSet) -> io::Result<()> {
        let number = self.numbers.get(&job.id).copied().unwrap_or_default();
        let asks = self.waiting.remove(&number);
        self.running.extend(asks.map(|asks| (number, (now, asks))));
        Ok(())
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        if let Some(number) = self.numbers.remove(&played.job.id) {
            self.running.remove(&number);
        }
        self.news.push(News::Ended {
            id: played.job.id.clone(),
            started: played.started,
            finished: played.finished,
            end: played.end,
            machines: played.machines.clone(),
            energy: played.energy,
        });
        Ok(())
    }

    fn refused(&mut self, job: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        if let Some(number) = self.numbers.remove(&job.id) {
            self.waiting.remove(&number);
        }
        self.news.push(News::Refused { id: job.id.clone() });
        Ok(())
    }

    fn advanced(&mut self, now: Time, job: &Job, steps: u32) -> io::Result<()> {
        if steps == 1 {
            self.news.push(News::Supplied { id: job.id.clone(), now });
        }
        Ok(())
    }
}

/// A site while it is played.
pub(super) struct Site<'a> {
    pub setup: &'a SiteSetup<'a>,
    pub cluster: SteppedCluster<'a>,
    pub book: Book,
    pub tally: Tally,
    /// How many jobs of its own users have come.
    pub came: usize,
    /// What a machine draws that computes, in the mean.
    mean_draw: Option<Power>,
}

impl<'a> Site<'a> {
    /// Nothing has happened.
    ///
    /// # Errors
    /// What is wrong with the options of its policy.
    pub fn new(setup: &'a SiteSetup<'a>) -> Result<Self, Vec<String>> {
        let cluster = SteppedCluster::new(setup.cluster(), setup.scheduler()?);
        let (book, tally, mean_draw) = (Book::default(), Tally::new(TAU), setup.mean_draw());
        Ok(Self { setup, cluster, book, tally, came: 0, mean_draw })
    }

    /// When something happens next.
    pub fn next_instant(&mut self) -> Option<Time> {
        let load = self.setup.load.get(self.came).map(|job| job.submitted);
        self.cluster.next_instant().into_iter().chain(load).min()
    }

    /// What the site expects of a task that is queued at `queued`, whose client takes it to run for `run_time` on
    /// machines of speed 1, and whose output takes `back` from the frontal to the client.
    pub fn answer(
        &self,
        site: usize,
        now: Time,
        task: &SiteTask,
        [queued, run_time, back]: [Time; 3],
    ) -> Option<SiteAnswer> {
        let setup = self.setup;
        let asks = setup.asks(task);
        let start = self.start_of(now, asks, queued)?;
        let busy =
            setup.alone(task.input_bytes) + setup.scaled(run_time) + setup.alone(task.output_bytes);
        let end = start + busy.min(asks.walltime);
        let energy = self.mean_draw.map(|draw| (draw * task.nodes * (end - start)).whole());
        let [cost, co2_g] = energy.map_or([None; 2], |energy| setup.bill(start, end, energy));
        Some(SiteAnswer { site, start, end, output_end: end + back, energy, cost, co2_g })
    }
}
