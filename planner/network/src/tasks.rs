//! Parallel tasks over time: each computes on its hosts and sends between them, all of it at one rate, as `SimGrid`'s
//! model `ptask_L07` reckons it (the Batsim thesis, 4.4).
//!
//! A task first waits for the longest latency of its routes. Then it advances at a rate that the network and the hosts
//! give it (`sharing`), and never faster than one core of each host computes its part, or than
//! a window of TCP lets its bytes through.

use std::collections::BTreeSet;

pub use crate::loads::LinkTotals;
use crate::loads::Loads;
use crate::platform::{Host, HostId, LinkId, Network, NoRoute, TCP_WINDOW};
use crate::sharing::{Activity, Resource, Sharing, Use};

/// A task of which less than this part is left is done.
const DONE: f64 = 1e-14;
/// Less than this of a latency is nothing, seconds.
const NO_TIME: f64 = 1e-9;

/// What a task does.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParallelTask {
    /// The hosts that it runs on.
    pub hosts: Vec<HostId>,
    /// What each of them computes, operations; of nobody where this is empty.
    pub operations: Vec<f64>,
    /// What each sends to each, bytes, row by row; none where this is empty.
    pub bytes: Vec<f64>,
}

/// A task that was started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(u32);

struct Running {
    id: TaskId,
    activity: Activity,
    /// What is left of its latency, seconds.
    latency: f64,
    /// What its latency was in all, seconds.
    waits: f64,
    /// What is left of it, of one.
    left: f64,
    rate: f64,
    /// The how manieth it was to advance, once its latency was over.
    turn: u32,
}

/// Tasks that run on a network, and the time.
pub struct Execution<'a> {
    network: &'a Network,
    sharing: Sharing,
    /// Operations a second of a core of each host, as it is now.
    speeds: Vec<f64>,
    loads: Loads,
    /// While it is found out what a task uses: where in its list a resource is.
    places: Vec<Option<u32>>,
    running: Vec<Running>,
    started: u32,
    /// How many have advanced.
    turns: u32,
    now: f64,
    /// Whether rates are those of what runs.
    settled: bool,
}

impl<'a> Execution<'a> {
    /// Nothing runs, at 0 s.
    pub fn new(network: &'a Network) -> Self {
        let hosts = network.hosts().iter().map(|host| Resource {
            capacity: f64::from(host.cores) * host.speed(),
            fatpipe: false,
        });
        let links = network.links().iter();
        let links = links.map(|link| Resource { capacity: link.bandwidth, fatpipe: link.fatpipe });
        let resources: Vec<Resource> = hosts.chain(links).collect();
        Self {
            network,
            speeds: network.hosts().iter().map(Host::speed).collect(),
            loads: Loads::of(network.hosts().len(), resources.len()),
            places: vec![None; resources.len()],
            sharing: Sharing::of(resources),
            running: Vec::new(),
            started: 0,
            turns: 0,
            now: 0.0,
            settled: true,
        }
    }

    /// Seconds since the begin.
    pub const fn now(&self) -> f64 {
        self.now
    }

    /// Begins a task now.
    ///
    /// # Errors
    /// Two of its hosts that communicate have no route.
    pub fn start(&mut self, task: &ParallelTask) -> Result<TaskId, NoRoute> {
        let (activity, latency) = self.reckon(task)?;
        Ok(self.begin(activity, latency))
    }

    /// Begins to wait so many seconds, as a task that does nothing then.
    pub fn wait(&mut self, seconds: f64) -> TaskId {
        self.begin(Activity { uses: Vec::new(), bound: None }, seconds)
    }

    fn begin(&mut self, activity: Activity, latency: f64) -> TaskId {
        let id = TaskId(self.started);
        self.started += 1;
        let empty = activity.uses.is_empty();
        let left = if empty { 0.0 } else { 1.0 };
        if latency <= 0.0 {
            self.turns += 1;
        }
        let turn = self.turns;
        self.running.push(Running { id, activity, latency, waits: latency, left, rate: 0.0, turn });
        self.settled = false;
        id
    }

    /// Ends several tasks that are not done.
    pub fn cancel_all(&mut self, ids: &BTreeSet<TaskId>) {
        self.running.retain(|task| !ids.contains(&task.id));
        self.settled = false;
    }

    /// How much of a task that runs is done, from 0 to 1: of what only waits, of its time.
    pub fn progress(&self, id: TaskId) -> Option<f64> {
        let task = self.running.iter().find(|task| task.id == id)?;
        let waits_only = task.activity.uses.is_empty() && task.waits > 0.0;
        Some(1.0 - if waits_only { task.latency / task.waits } else { task.left })
    }

    /// How many cores a host has.
    pub fn cores(&self, host: HostId) -> u32 {
        self.network.hosts()[host.0 as usize].cores
    }

    /// Each core of a host computes so many operations a second from now on. What runs there keeps its bound.
    pub fn set_speed(&mut self, host: HostId, speed: f64) {
        let cores = f64::from(self.cores(host));
        self.speeds[host.0 as usize] = speed;
        self.sharing.set_capacity(host.0, cores * speed);
        self.settled = false;
    }

    /// What a task uses, and its latency.
    fn reckon(&mut self, task: &ParallelTask) -> Result<(Activity, f64), NoRoute> {
        let mut uses = Vec::new();
        let mut bound = f64::MAX;
        for (&HostId(resource), &weight) in task.hosts.iter().zip(&task.operations) {
            if weight > 0.0 {
                uses.push(Use { resource, weight });
                bound = bound.min(self.speeds[resource as usize] / weight);
            }
        }
        let first_link = uses.len();
        let outcome = self.send(task, &mut uses);
        for of in &uses[first_link..] {
            self.places[of.resource as usize] = None;
        }
        let (latency, slowest) = outcome?;
        if slowest > 0.0 {
            bound = bound.min(TCP_WINDOW / (2.0 * slowest));
        }
        let bound = Some(bound).filter(|bound| *bound < f64::MAX);
        Ok((Activity { uses, bound }, latency))
    }

    /// Adds the links that a task uses; the longest latency, and the most of latency times bytes.
    fn send(&mut self, task: &ParallelTask, uses: &mut Vec<Use>) -> Result<(f64, f64), NoRoute> {
        let (mut latency, mut slowest) = (0.0f64, 0.0f64);
        let mut links = Vec::new();
        for (sent, &bytes) in task.bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0.0) {
            let (from, to) = (sent / task.hosts.len(), sent % task.hosts.len());
            links.clear();
            self.network.links_between(task.hosts[from], task.hosts[to], &mut links)?;
            let of_route = self.network.latency_of(&links);
            latency = latency.max(of_route);
            slowest = slowest.max(of_route * bytes);
            for &link in &links {
                let resource = self.resource_of(link);
                let Some(place) = self.places[resource as usize] else {
                    self.places[resource as usize] = u32::try_from(uses.len()).ok();
                    uses.push(Use { resource, weight: bytes });
                    continue;
                };
                let weight = &mut uses[place as usize].weight;
                let fatpipe = self.sharing.resources()[resource as usize].fatpipe;
                *weight = if fatpipe { weight.max(bytes) } else { *weight + bytes };
            }
        }
        Ok((latency, slowest))
    }

    /// Links are behind the hosts.
    fn resource_of(&self, link: LinkId) -> u32 {
        link.0 + u32::try_from(self.network.hosts().len()).unwrap_or(u32::MAX)
    }

    /// Finds the rates of what runs.
    fn settle(&mut self) {
        if std::mem::replace(&mut self.settled, true) {
            return;
        }
        // What advances last is reckoned with first, as in SimGrid: where little is left, rounding decides who is held back.
        let mut advancing: Vec<&mut Running> =
            self.running.iter_mut().filter(|task| task.latency <= 0.0).collect();
        advancing.sort_unstable_by_key(|task| std::cmp::Reverse(task.turn));
        let activities: Vec<&Activity> = advancing.iter().map(|task| &task.activity).collect();
        let found: Vec<f64> = self.sharing.rates(&activities).collect();
        self.loads.clear();
        for (task, rate) in advancing.into_iter().zip(found) {
            task.rate = rate;
            self.loads.add(&task.activity, rate, self.sharing.resources());
        }
    }

    /// How long it is until something ends or a latency is over; `None` where nothing runs.
    pub fn until_next(&mut self) -> Option<f64> {
        self.settle();
        let of = |task: &Running| {
            if task.latency > 0.0 {
                return Some(task.latency);
            }
            if task.left <= 0.0 {
                return Some(0.0);
            }
            (task.rate > 0.0).then(|| task.left / task.rate)
        };
        self.running.iter().filter_map(of).reduce(f64::min)
    }

    /// Lets so many seconds pass, no more than [`until_next`](Self::until_next) says; what ended in them.
    pub fn advance(&mut self, seconds: f64) -> Vec<TaskId> {
        self.settle();
        self.now += seconds;
        self.loads.pass(seconds);
        let mut ended = Vec::new();
        let mut changed = false;
        let turns = &mut self.turns;
        self.running.retain_mut(|task| {
            let waited = task.latency > 0.0;
            if waited {
                task.latency = if task.latency > seconds { task.latency - seconds } else { 0.0 };
                if task.latency < NO_TIME {
                    task.latency = 0.0;
                    *turns += 1;
                    task.turn = *turns;
                    changed = true;
                }
            }
            task.left -= task.rate * seconds;
            if task.left < DONE {
                task.left = 0.0;
            }
            let done = task.left <= 0.0 && task.latency <= 0.0;
            if done {
                ended.push(task.id);
                changed = true;
            }
            !done
        });
        self.settled &= !changed;
        ended
    }

    /// The part of a host's speed that is used, from 0 to 1.
    pub fn host_load(&mut self, host: HostId) -> f64 {
        self.load(host.0)
    }

    /// The part of a link's bandwidth that is used, from 0 to 1.
    pub fn link_load(&mut self, link: LinkId) -> f64 {
        self.load(self.resource_of(link))
    }

    fn load(&mut self, resource: u32) -> f64 {
        self.settle();
        self.loads.used(resource) / self.sharing.resources()[resource as usize].capacity
    }

    /// What went over each link so far.
    pub fn link_totals(&self) -> &[LinkTotals] {
        self.loads.link_totals()
    }
}
