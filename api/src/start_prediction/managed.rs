//! The state of the resource manager's queues.
//!
//! A partition is a queue of whole nodes. A node that several jobs share counts with the one that may end last; nodes that are out
//! of service, or in a reservation that has begun, count where a job of the queue runs there. Jobs that wait for another partition
//! stand in this one's queue, too, where it has at least half of this one's nodes: most of what they take is taken from here.

use std::collections::{BTreeMap, HashSet};

use batch::start_prediction::{ObservedJob, Shape};
use batch::time::Time;
use planner::resource_manager::{JobPhase, ManagedJob, ManagerView, Queued};
use planner::time::Timestamp;

use super::state::{PartitionState, QueueState};

/// What a job without a time limit is taken to ask for.
const NO_LIMIT: Time = Time::from_seconds(30 * 86_400);

/// The queues as they are seen now, with what is known of jobs that ended earlier.
pub fn queues(view: &ManagerView<'_>, earlier: &[ManagedJob], now: Timestamp) -> QueueState {
    let nodes = nodes_of_partitions(view);
    let reserved: HashSet<&str> = view
        .reservations
        .iter()
        .filter(|it| it.span.start() <= now && now < it.span.end())
        .flat_map(|it| it.nodes.iter().map(String::as_str))
        .collect();
    let withheld: HashSet<&str> = view
        .nodes
        .iter()
        .filter(|node| node.unavailable.is_some())
        .map(|node| &*node.name)
        .chain(reserved)
        .collect();
    let seen: HashSet<_> = view.jobs.iter().map(ManagedJob::key).collect();
    let earlier: Vec<&ManagedJob> =
        earlier.iter().filter(|job| !seen.contains(&job.key())).collect();
    let queue = Queue { view, nodes: &nodes, withheld: &withheld, earlier: &earlier, now };
    let partitions = nodes.keys().map(|name| queue.partition(name));
    QueueState {
        now: time(now),
        policy: None,
        partitions: partitions.filter(|it| it.nodes > 0).collect(),
    }
}

type PartitionNodes<'a> = BTreeMap<&'a str, HashSet<&'a str>>;

fn nodes_of_partitions<'a>(view: &ManagerView<'a>) -> PartitionNodes<'a> {
    let mut all = PartitionNodes::new();
    for node in view.nodes {
        for partition in &node.partitions {
            all.entry(partition).or_default().insert(&node.name);
        }
    }
    all
}

/// What is seen.
struct Queue<'a> {
    view: &'a ManagerView<'a>,
    nodes: &'a PartitionNodes<'a>,
    withheld: &'a HashSet<&'a str>,
    earlier: &'a [&'a ManagedJob],
    now: Timestamp,
}

impl Queue<'_> {
    fn partition(&self, name: &str) -> PartitionState {
        let own = &self.nodes[name];
        let running = self.running(own);
        let taken: u32 = running.iter().map(|(_, nodes)| nodes).sum();
        let busy: HashSet<&str> = running
            .iter()
            .flat_map(|(job, _)| job.nodes.iter().map(String::as_str))
            .filter(|node| own.contains(node))
            .collect();
        let free =
            own.iter().filter(|node| !busy.contains(*node) && !self.withheld.contains(*node));
        let nodes = taken + count(free.count());
        let is_near = |other: &str| {
            let common = self.nodes.get(other).map_or(0, |it| it.intersection(own).count());
            2 * common >= own.len()
        };
        let ended = self.ended(&is_near, nodes);
        let waiting = self.waiting(&is_near, nodes);
        let runs = running.into_iter().map(|(job, nodes)| (job, observed(job, nodes)));
        let mut past: Vec<(&ManagedJob, ObservedJob)> = ended.into_iter().chain(runs).collect();
        past.sort_by_key(|(_, job)| job.submitted);
        let (ids, jobs) =
            past.into_iter().chain(waiting).map(|(job, it)| (Box::from(&*job.id), it)).unzip();
        PartitionState { name: name.into(), nodes, jobs, ids }
    }

    /// Jobs that run on these nodes, with how many of them each has for itself: of a node that is shared, the one that may end last.
    fn running(&self, own: &HashSet<&str>) -> Vec<(&ManagedJob, u32)> {
        let mut running: Vec<&ManagedJob> =
            self.view.jobs.iter().filter(|job| job.phase == JobPhase::Running).collect();
        running.sort_by_key(|job| std::cmp::Reverse(job.end.unwrap_or(Timestamp::MAX)));
        let mut taken: HashSet<&str> = HashSet::new();
        let mut counted = Vec::new();
        for job in running {
            let nodes = job.nodes.iter().map(String::as_str).filter(|node| own.contains(node));
            let new = count(nodes.filter(|node| taken.insert(node)).count());
            if new > 0 {
                counted.push((job, new));
            }
        }
        counted
    }

    fn ended(&self, is_near: &dyn Fn(&str) -> bool, nodes: u32) -> Vec<(&ManagedJob, ObservedJob)> {
        let lately = self.view.jobs.iter().filter(|job| job.phase == JobPhase::Ended);
        let all = lately.chain(self.earlier.iter().copied());
        all.filter(|job| job.start.is_some() && job.end.is_some_and(|end| end <= self.now))
            .filter(|job| !job.nodes.is_empty() && job.partition.split(',').any(is_near))
            .map(|job| (job, observed(job, count(job.nodes.len()).min(nodes))))
            .collect()
    }

    /// In the order in which they are served; an array as often as it has tasks that wait.
    fn waiting(
        &self,
        is_near: &dyn Fn(&str) -> bool,
        nodes: u32,
    ) -> Vec<(&ManagedJob, ObservedJob)> {
        let queued = self.view.jobs.iter().filter_map(|job| Some((job, job.queued?)));
        let mut queued: Vec<(&ManagedJob, Queued)> = queued
            .filter(|(job, it)| it.nodes <= nodes && job.partition.split(',').any(is_near))
            .collect();
        queued.sort_by_key(|(job, it)| (std::cmp::Reverse(it.priority), job.submitted));
        let tasks = |(job, it): (_, Queued)| {
            std::iter::repeat_n((job, observed(job, it.nodes)), count_of(it.tasks))
        };
        queued.into_iter().flat_map(tasks).collect()
    }
}

/// No array is taken to have more tasks that wait.
const MAX_TASKS: u32 = 1_000;

fn count_of(tasks: u32) -> usize {
    usize::try_from(tasks.min(MAX_TASKS)).unwrap_or(1)
}

fn observed(job: &ManagedJob, nodes: u32) -> ObservedJob {
    let start = job.start.map(time).filter(|_| job.phase != JobPhase::Waiting);
    ObservedJob {
        user: job.user.as_str().into(),
        shape: Shape {
            nodes,
            walltime: job.limit.map_or(NO_LIMIT, |limit| Time::from_seconds(limit.get())),
        },
        submitted: start.map_or(time(job.submitted), |start| start.min(time(job.submitted))),
        started: start,
        ended: job.end.map(time).filter(|_| job.phase == JobPhase::Ended),
    }
}

fn time(at: Timestamp) -> Time {
    Time::from_seconds(at.as_unix_seconds())
}

fn count(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use planner::resource_manager::{
        ManagedNode, ManagedReservation, NodePower, Unavailable, UnavailableCause,
    };
    use planner::time::{Seconds, Span};

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix_seconds(seconds)
    }

    fn node(name: &str, partitions: &[&str], is_down: bool) -> ManagedNode {
        let down = Unavailable { cause: UnavailableCause::Down, reason: String::new() };
        ManagedNode {
            name: name.into(),
            address: name.into(),
            partitions: partitions.iter().map(|&it| it.into()).collect(),
            features: Vec::new(),
            cpus: 4,
            memory_mib: 1_000,
            generic_resources: Box::default(),
            unavailable: is_down.then_some(down),
            power: NodePower::On,
            booted: None,
        }
    }

    fn job(id: &str, partition: &str) -> ManagedJob {
        ManagedJob {
            id: id.to_owned(),
            raw_id: None,
            submitted: at(50),
            user: "ada".to_owned(),
            account: String::new(),
            partition: partition.to_owned(),
            name: String::new(),
            state: String::new(),
            phase: JobPhase::Waiting,
            start: None,
            end: None,
            limit: Some(Seconds::new(600)),
            queued: None,
            nodes: Vec::new(),
            reservation: None,
            energy: None,
        }
    }

    fn runs(id: &str, nodes: &[&str], end: i64) -> ManagedJob {
        let nodes = nodes.iter().map(|&it| it.to_owned()).collect();
        let (start, end) = (Some(at(60)), Some(at(end)));
        ManagedJob { phase: JobPhase::Running, start, end, nodes, ..job(id, "batch") }
    }

    fn waits(id: &str, partition: &str, nodes: u32, tasks: u32, priority: i64) -> ManagedJob {
        ManagedJob { queued: Some(Queued { nodes, tasks, priority }), ..job(id, partition) }
    }

    /// Its name, its nodes, and the ids of its jobs with the nodes of each.
    type ToldPartition<'a> = (&'a str, u32, Vec<(&'a str, u32)>);

    fn told(state: &QueueState) -> Vec<ToldPartition<'_>> {
        state
            .partitions
            .iter()
            .map(|it| {
                let jobs = it.ids.iter().zip(&it.jobs);
                (&*it.name, it.nodes, jobs.map(|(id, job)| (&**id, job.shape.nodes)).collect())
            })
            .collect()
    }

    /// Of the five nodes of `batch` n4 is down and n5 is reserved for others. n2 is shared: it counts with job 2, which may end last.
    /// `all` has one node more. `small` has one node of `batch`, so that what ended there was ahead of its jobs, too; job 3 is too large
    /// for it. Job 6 is too large for all, and 7 waits for something else.
    #[test]
    fn partitions_are_queues_of_whole_nodes() {
        let nodes = [
            node("n1", &["batch", "all"], false),
            node("n2", &["batch", "all"], false),
            node("n3", &["batch", "all", "small"], false),
            node("n4", &["batch", "all"], true),
            node("n5", &["batch", "all"], false),
            node("n6", &["all"], false),
        ];
        let reserved = ManagedReservation {
            name: "maintenance".to_owned(),
            nodes: BTreeSet::from(["n5".to_owned()]),
            span: Span::new(at(0), at(5_000)).unwrap(),
            users: BTreeSet::new(),
            accounts: BTreeSet::new(),
            flags: BTreeSet::new(),
        };
        let ended = ManagedJob { phase: JobPhase::Ended, ..runs("5", &["n1", "n2"], 90) };
        let jobs = [
            runs("1", &["n1", "n2"], 500),
            runs("2", &["n2"], 700),
            waits("3", "batch", 3, 1, 10),
            waits("4", "small,all", 1, 2, 20),
            waits("6", "batch", 9, 1, 30),
            ended,
            job("7", "batch"),
        ];
        let view = ManagerView { nodes: &nodes, reservations: &[reserved], jobs: &jobs };
        let earlier = [ManagedJob {
            phase: JobPhase::Ended,
            submitted: at(10),
            ..runs("8", &["n1", "n2"], 80)
        }];
        let state = queues(&view, &earlier, at(100));
        let told = told(&state);
        let waiting = [("4", 1), ("4", 1), ("3", 3)];
        let of_batch = [&[("8", 2), ("5", 2), ("2", 1), ("1", 1)][..], &waiting].concat();
        assert_eq!(told[0], ("all", 4, of_batch.clone()));
        assert_eq!(told[1], ("batch", 3, of_batch));
        assert_eq!(told[2], ("small", 1, vec![("8", 1), ("5", 1), ("4", 1), ("4", 1)]));
    }
}
