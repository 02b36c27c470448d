//! Distributions of the metrics of the thesis's section 2.1.3 over the jobs and over the time of one simulation, in memory that does
//! not grow with the jobs.

mod density;
mod spread;

use std::io;

use serde::{Deserialize, Serialize};

use super::observer::{UnitObserver, UnitPlayed, UnitStarted, UnitStep};
use super::system::System;
use crate::time::Time;
pub use density::Density;
use density::DensityTimes;
pub use spread::Spread;
use spread::Values;

/// The thesis compares load ratios where the system is fuller than this (6.2.1).
const BUSY: f64 = 0.75;

/// Something of each resource.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OfResource<T> {
    /// The resource's name.
    pub resource: Box<str>,
    /// What is of it.
    #[serde(flatten)]
    pub of: T,
}

/// Distributions over one simulation. Times in seconds, shares from 0 to 1.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Distributions {
    /// Wait of each job (2.3).
    pub waiting_time: Spread,
    /// Wait over the wait that is expected in the job's queue, of jobs in queues that expect one.
    pub tardiness: Option<Spread>,
    /// Slowdown of each job that ran at all (2.4).
    pub slowdown: Spread,
    /// Jobs started at each decision (2.5).
    pub throughput: Spread,
    /// Jobs that wait after each decision (2.5).
    pub queue_size: Spread,
    /// The share used of all resources of nodes added up, over time (2.6).
    pub load: Spread,
    /// The load of the time in which that is above three quarters.
    pub busy_load: Option<Spread>,
    /// The share used of each resource over time, also of what is shared.
    pub loads: Vec<OfResource<Spread>>,
    /// Efficiency of each job's allocation (2.7).
    pub allocation_efficiency: Spread,
    /// What is used of the nodes in use that have the resource, over the time in which there are such.
    pub nodes_efficiency: Vec<OfResource<Spread>>,
    /// How well nodes in use are used by how many are in use, of those that have the resource.
    pub densities: Vec<OfResource<Density>>,
    /// Slowdowns and how often they came, in steps of less than 1 %.
    pub slowdown_counts: Vec<(f64, u64)>,
}

/// The nodes in use, and what these have.
#[derive(Debug)]
struct NodesInUse {
    types: Vec<usize>,
    /// What a node of each type has, by position.
    amounts: Vec<Box<[u32]>>,
    /// Units on each node.
    units: Vec<u32>,
    /// By resource of nodes: nodes in use that have it, and how much of it they have.
    of: Vec<(u64, u64)>,
    /// By resource: nodes that have it.
    all: Vec<u64>,
}

impl NodesInUse {
    fn new(system: &System) -> Self {
        let having = |place: usize| {
            let types = system.types.iter().filter(|it| it.amounts[place] > 0);
            types.map(|it| u64::from(it.count)).sum()
        };
        Self {
            types: system.type_of_nodes().collect(),
            amounts: system.types.iter().map(|it| it.amounts.clone()).collect(),
            units: vec![0; system.nodes() as usize],
            of: vec![(0, 0); system.resources.len()],
            all: (0..system.resources.len()).map(having).collect(),
        }
    }

    fn started(&mut self, node: u32, units: u32) {
        let place = node as usize;
        if self.units[place] == 0 {
            let had = self.of.iter_mut().zip(&self.amounts[self.types[place]]);
            had.filter(|(_, amount)| **amount > 0).for_each(|((nodes, sum), amount)| {
                *nodes += 1;
                *sum += u64::from(*amount);
            });
        }
        self.units[place] += units;
    }

    fn ended(&mut self, node: u32, units: u32) {
        let place = node as usize;
        self.units[place] -= units;
        if self.units[place] == 0 {
            let had = self.of.iter_mut().zip(&self.amounts[self.types[place]]);
            had.filter(|(_, amount)| **amount > 0).for_each(|((nodes, sum), amount)| {
                *nodes -= 1;
                *sum -= u64::from(*amount);
            });
        }
    }
}

/// Collects distributions while jobs are played.
#[derive(Debug)]
pub struct DistributionsCollector<'a> {
    system: &'a System,
    totals: Vec<u64>,
    nodes: NodesInUse,
    waits: Values,
    tardiness: Values,
    slowdowns: Values,
    throughput: Values,
    queue: Values,
    load: Values,
    busy_load: Values,
    loads: Vec<Values>,
    allocations: Values,
    efficiency: Vec<Values>,
    densities: Vec<DensityTimes>,
    started: u32,
    /// The state since then: what is used, and of resources of nodes the nodes in use and what these have.
    since: Time,
    used: Vec<u64>,
    in_use: Vec<(u64, u64)>,
}

impl<'a> DistributionsCollector<'a> {
    /// Of a simulation on this system that has not begun.
    pub fn new(system: &'a System) -> Self {
        let (totals, kinds) = (system.totals(), system.resources.len());
        let values = |count: usize| (0..count).map(|_| Values::default()).collect();
        Self {
            system,
            nodes: NodesInUse::new(system),
            waits: Values::default(),
            tardiness: Values::default(),
            slowdowns: Values::default(),
            throughput: Values::default(),
            queue: Values::default(),
            load: Values::default(),
            busy_load: Values::default(),
            loads: values(totals.len()),
            allocations: Values::default(),
            efficiency: values(kinds),
            densities: (0..kinds).map(|_| DensityTimes::default()).collect(),
            started: 0,
            since: Time::ZERO,
            used: vec![0; totals.len()],
            in_use: vec![(0, 0); kinds],
            totals,
        }
    }

    /// The distributions.
    pub fn finish(self) -> Distributions {
        let names = || self.system.names().map(Box::<str>::from);
        let spreads = |values: &[Values]| {
            let each = names().zip(values);
            each.map(|(resource, values)| OfResource { resource, of: values.spread() }).collect()
        };
        let some = |values: &Values| (!values.is_empty()).then(|| values.spread());
        let densities = names().zip(&self.densities);
        Distributions {
            waiting_time: self.waits.spread(),
            tardiness: some(&self.tardiness),
            slowdown: self.slowdowns.spread(),
            throughput: self.throughput.spread(),
            queue_size: self.queue.spread(),
            load: self.load.spread(),
            busy_load: some(&self.busy_load),
            loads: spreads(&self.loads),
            allocation_efficiency: self.allocations.spread(),
            nodes_efficiency: spreads(&self.efficiency),
            densities: densities
                .map(|(resource, times)| OfResource { resource, of: times.density() })
                .collect(),
            slowdown_counts: self.slowdowns.counts(),
        }
    }

    /// The state that was, until now.
    fn pass(&mut self, now: Time) {
        let micros = u64::try_from((now - self.since).as_micros()).unwrap_or(0);
        self.since = now;
        if micros == 0 {
            return;
        }
        let kinds = self.in_use.len();
        let sum = |values: &[u64]| values[..kinds].iter().sum::<u64>();
        let load = share(sum(&self.used), sum(&self.totals));
        self.load.add_times(load, micros);
        if load > BUSY {
            self.busy_load.add_times(load, micros);
        }
        for ((values, used), all) in self.loads.iter_mut().zip(&self.used).zip(&self.totals) {
            values.add_times(share(*used, *all), micros);
        }
        for (place, &(nodes, have)) in self.in_use.iter().enumerate() {
            if nodes > 0 {
                let efficiency = share(self.used[place], have);
                self.efficiency[place].add_times(efficiency, micros);
                let at = (share(nodes, self.nodes.all[place]), efficiency);
                self.densities[place].add(at, micros);
            }
        }
    }
}

fn share(part: u64, all: u64) -> f64 {
    part as f64 / all.max(1) as f64
}

impl UnitObserver for DistributionsCollector<'_> {
    fn played(&mut self, played: &UnitPlayed<'_>) -> io::Result<()> {
        played.places.iter().for_each(|place| self.nodes.ended(place.node, place.units));
        let (job, run) = (played.job, played.finished - played.started);
        let wait = (played.started - job.submitted).as_seconds();
        self.waits.add(wait);
        let queue = self.system.queues.iter().find(|it| it.name == job.queue);
        if let Some(queue) = queue.filter(|it| it.expected_wait > Time::ZERO) {
            self.tardiness.add(wait / queue.expected_wait.as_seconds());
        }
        if run > Time::ZERO {
            let all = played.finished - job.submitted;
            self.slowdowns.add(all.as_seconds() / run.as_seconds());
        }
        Ok(())
    }

    fn started(&mut self, started: &UnitStarted<'_>) -> io::Result<()> {
        started.places.iter().for_each(|place| self.nodes.started(place.node, place.units));
        self.started += 1;
        self.allocations.add(started.efficiency);
        Ok(())
    }

    fn decided(&mut self, step: &UnitStep<'_>) -> io::Result<()> {
        self.pass(step.now);
        self.used.copy_from_slice(step.used);
        self.in_use.copy_from_slice(&self.nodes.of);
        self.queue.add(step.waiting as f64);
        self.throughput.add(f64::from(std::mem::take(&mut self.started)));
        Ok(())
    }

    fn wants_steps(&self) -> bool {
        true
    }
}
