//! The policies once more, as plainly as can be: every decision anew over lists and seconds.

use super::Row;

/// Later than anything happens.
const HORIZON: i64 = 100_000;

/// A job that runs: which, on how many machines, until when at the latest, until when.
#[derive(Clone, Copy)]
struct Running {
    nodes: u32,
    latest: i64,
    end: i64,
}

/// The state that a rule sees.
pub struct View<'a> {
    pub now: i64,
    pub free: u32,
    rows: &'a [Row],
    running: &'a [Running],
    /// Whether a job ended at this instant.
    ended: bool,
}

/// A rule: which of `waiting` (indices, in order of submission) starts next at this instant.
pub trait Rule {
    fn next(&mut self, view: &View<'_>, waiting: &[usize]) -> Option<usize>;

    /// When it wants to be asked although nothing happens.
    fn wake(&self, _: &[usize]) -> Option<i64> {
        None
    }

    /// Something happened, before anybody starts.
    fn observe(&mut self, _: &View<'_>, _: &[usize]) {}
}

/// The starts of all jobs.
pub fn starts(machines: u32, rows: &[Row], rule: &mut impl Rule) -> Vec<i64> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by_key(|&index| rows[index].0);
    let (mut waiting, mut running): (Vec<usize>, Vec<Running>) = (Vec::new(), Vec::new());
    let mut starts = vec![i64::MIN; rows.len()];
    let mut free = machines;
    let mut now = -1;
    loop {
        let submission = order.first().map(|&index| rows[index].0);
        let end = running.iter().map(|job| job.end).min();
        let wake = rule.wake(&waiting).filter(|at| *at > now);
        let Some(next) = [submission, end, wake].into_iter().flatten().min() else { break };
        now = next;
        let ending: u32 = running.iter().filter(|job| job.end == now).map(|job| job.nodes).sum();
        let ended = running.iter().any(|job| job.end == now);
        free += ending;
        running.retain(|job| job.end != now);
        while order.first().is_some_and(|&index| rows[index].0 == now) {
            waiting.push(order.remove(0));
        }
        rule.observe(&View { now, free, rows, running: &running, ended }, &waiting);
        while let Some(index) =
            rule.next(&View { now, free, rows, running: &running, ended }, &waiting)
        {
            let (_, nodes, run, walltime) = rows[index];
            assert!(nodes <= free);
            free -= nodes;
            running.push(Running { nodes, latest: now + walltime, end: now + run.min(walltime) });
            waiting.retain(|&other| other != index);
            starts[index] = now;
        }
    }
    starts
}

/// In the order of a key, the first only.
pub struct InOrder(pub fn(&Row) -> i64);

impl Rule for InOrder {
    fn next(&mut self, view: &View<'_>, waiting: &[usize]) -> Option<usize> {
        let first = waiting.iter().copied().min_by_key(|&index| (self.0)(&view.rows[index]));
        first.filter(|&index| view.rows[index].1 <= view.free)
    }
}

/// Waiting jobs in the order of a key; those of equal keys as they are.
fn sorted(waiting: &[usize], rows: &[Row], key: fn(&Row) -> i64) -> Vec<usize> {
    let mut waiting = waiting.to_vec();
    waiting.sort_by_key(|&index| key(&rows[index]));
    waiting
}

/// EASY in the order of a key, where every waiting job is tried at every instant.
pub struct Easy(pub fn(&Row) -> i64);

impl Rule for Easy {
    fn next(&mut self, view: &View<'_>, waiting: &[usize]) -> Option<usize> {
        let waiting = sorted(waiting, view.rows, self.0);
        let (&head, others) = waiting.split_first()?;
        let needed = view.rows[head].1;
        if needed <= view.free {
            return Some(head);
        }
        let free_at = |at: i64| -> u32 {
            let ended = view.running.iter().filter(|job| job.latest <= at);
            view.free + ended.map(|job| job.nodes).sum::<u32>()
        };
        let shadow = (view.now..HORIZON).find(|&at| free_at(at) >= needed)?;
        let extra = free_at(shadow) - needed;
        others.iter().copied().find(|&index| {
            let (_, nodes, _, walltime) = view.rows[index];
            nodes <= view.free && (view.now + walltime <= shadow || nodes <= extra)
        })
    }
}

/// Conservative: a plan for each waiting job, second by second.
#[derive(Default)]
pub struct Conservative {
    machines: u32,
    /// The planned start of each job that has one.
    plan: Vec<Option<i64>>,
    /// The first plan of each job: its guarantee.
    pub guarantees: Vec<i64>,
    fixed: bool,
    /// Where there is another order than that of submission.
    key: Option<fn(&Row) -> i64>,
}

impl Conservative {
    pub fn new(machines: u32, jobs: usize) -> Self {
        let (plan, guarantees) = (vec![None; jobs], vec![i64::MIN; jobs]);
        Self { machines, plan, guarantees, fixed: false, key: None }
    }

    /// Jobs are planned in the order of a key.
    pub fn in_order(self, key: fn(&Row) -> i64) -> Self {
        Self { key: Some(key), ..self }
    }

    /// Plans stay.
    pub fn without_compression(self) -> Self {
        Self { fixed: true, ..self }
    }

    /// The earliest start of `index` beside what runs and the other plans.
    fn earliest(&self, view: &View<'_>, waiting: &[usize], index: usize) -> i64 {
        let used = |at: i64| -> u32 {
            let running = view.running.iter().filter(|job| at < job.latest).map(|job| job.nodes);
            let planned = waiting.iter().filter(|&&other| other != index).filter_map(|&other| {
                let start = self.plan[other]?;
                let (_, nodes, _, walltime) = view.rows[other];
                (start..start + walltime).contains(&at).then_some(nodes)
            });
            running.chain(planned).sum()
        };
        let (_, nodes, _, walltime) = view.rows[index];
        let fits =
            |start: &i64| (*start..start + walltime).all(|at| used(at) + nodes <= self.machines);
        (view.now..HORIZON).find(fits).unwrap()
    }
}

impl Rule for Conservative {
    fn observe(&mut self, view: &View<'_>, waiting: &[usize]) {
        let waiting = &sorted(waiting, view.rows, self.key.unwrap_or(|_| 0));
        let (planned, new): (Vec<usize>, Vec<usize>) =
            waiting.iter().partition(|&&index| self.plan[index].is_some());
        for index in planned.into_iter().filter(|_| view.ended && !self.fixed) {
            let start = self.earliest(view, waiting, index);
            assert!(start <= self.guarantees[index]);
            self.plan[index] = Some(start);
        }
        for index in new {
            let start = self.earliest(view, waiting, index);
            self.guarantees[index] = start;
            self.plan[index] = Some(start);
        }
    }

    fn next(&mut self, view: &View<'_>, waiting: &[usize]) -> Option<usize> {
        waiting.iter().copied().find(|&index| self.plan[index] == Some(view.now))
    }

    fn wake(&self, waiting: &[usize]) -> Option<i64> {
        waiting.iter().filter_map(|&index| self.plan[index]).min()
    }
}
