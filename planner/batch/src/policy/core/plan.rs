//! What a scheduler knows of machines that it switches, and when each is free if everything lasts as
//! long as it may: the provisional schedule of the thesis's chapter 7.

use std::borrow::Cow;

use planner::node_set::NodeSet;

use super::Fitting;
use crate::policy::bits::Bits;
use crate::policy::by_key::ByKey;
use crate::policy::gate::{Estimates, More};
use crate::scheduler::{Decisions, JobKey, JobRequest, PowerOrder, PowerTarget, Switched};
use crate::time::Time;

/// Why machines are not free until an instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    /// They run a job.
    Job(JobKey),
    /// They are being switched on.
    SwitchingOn,
    /// They are being switched off, and will be switched on then.
    SwitchingOffAndOn,
}

/// Machines that are free from an instant on.
#[derive(Debug)]
struct Busy {
    until: Time,
    why: Why,
    machines: NodeSet,
    count: u32,
}

/// A place for the first waiting job.
#[derive(Clone, Debug)]
pub struct Reserved {
    /// When it starts.
    pub start: Time,
    /// When it ends at the latest.
    pub end: Time,
    /// The machines that it takes.
    pub machines: Bits,
    /// Those of them that have been idle for so long that they are switched off after it.
    pub then_off: Bits,
}

impl Reserved {
    /// For a job, from an instant on.
    pub fn new(job: &JobRequest, start: Time, machines: Bits) -> Self {
        let then_off = machines.without(&machines);
        Self { start, end: start + job.walltime, machines, then_off }
    }
}

/// What all machines do, and what is to be done with them.
#[derive(Debug)]
pub struct Plan {
    pub now: Time,
    pub machines: u32,
    /// Which machines jobs may have.
    pub fitting: Fitting,
    /// On, and without a job.
    pub free: Bits,
    /// How many those are.
    pub free_nodes: u32,
    /// On.
    pub awake: Bits,
    pub asleep: Bits,
    pub switching_on: Bits,
    pub switching_off: Bits,
    /// To be switched off as soon as they are free.
    pub to_sedate: Bits,
    /// To be switched on as soon as they are off.
    pub to_awaken: Bits,
    /// In the order of their ends.
    busy: Vec<Busy>,
    /// Machines that are being switched off, and until when.
    off_from: Vec<(Time, Bits)>,
    running: ByKey<Time>,
    /// How long switches are taken to last.
    pub on_time: Time,
    pub off_time: Time,
    /// Machines to be switched at the end of this step.
    ordered_off: Bits,
    ordered_on: Bits,
    /// Of the steps before.
    pub orders: Vec<PowerOrder>,
}

impl Plan {
    /// Machines that are on and free, and how long switches are taken to last.
    pub fn new(machines: u32, fitting: Fitting, on_time: Time, off_time: Time) -> Self {
        let none = || Bits::none(machines);
        Self {
            now: Time::ZERO,
            machines,
            fitting,
            free: Bits::all(machines),
            free_nodes: machines,
            awake: Bits::all(machines),
            asleep: none(),
            switching_on: none(),
            switching_off: none(),
            to_sedate: none(),
            to_awaken: none(),
            busy: Vec::new(),
            off_from: Vec::new(),
            running: ByKey::new(),
            on_time,
            off_time,
            ordered_off: none(),
            ordered_on: none(),
            orders: Vec::new(),
        }
    }

    fn insert(&mut self, until: Time, why: Why, machines: NodeSet) {
        let count = machines.count();
        let place = self.busy.partition_point(|busy| busy.until <= until);
        self.busy.insert(place, Busy { until, why, machines, count });
    }

    /// A job ended.
    pub fn end(&mut self, key: JobKey) {
        let Some(until) = self.running.remove(key) else { return };
        let first = self.busy.partition_point(|busy| busy.until < until);
        let found = self.busy[first..].iter().position(|busy| busy.why == Why::Job(key));
        if let Some(place) = found {
            let busy = self.busy.remove(first + place);
            self.free.add_set(&busy.machines);
            self.free_nodes += busy.count;
        }
    }

    /// A job starts on free machines.
    pub fn start(&mut self, job: &JobRequest, machines: NodeSet, decisions: &mut Decisions) {
        let until = self.now + job.walltime;
        self.free.remove_set(&machines);
        self.free_nodes -= job.nodes;
        self.running.insert(job.key, until);
        decisions.start_on(job.key, machines.clone());
        self.insert(until, Why::Job(job.key), machines);
    }

    /// Machines have been switched.
    pub fn switched(&mut self, switched: &Switched) {
        let machines = Bits::of(self.machines, &switched.machines);
        if switched.on {
            self.switching_on.remove(&machines);
            self.awake.add(&machines);
            self.free.add(&machines);
            self.free_nodes += switched.machines.count();
            self.forget(Why::SwitchingOn, &switched.machines);
        } else {
            self.switching_off.remove(&machines);
            self.asleep.add(&machines);
            for (_, off) in &mut self.off_from {
                off.remove(&machines);
            }
            self.off_from.retain(|(_, off)| !off.is_empty());
        }
    }

    /// Machines are busy for this reason no more.
    fn forget(&mut self, why: Why, machines: &NodeSet) {
        for busy in self.busy.iter_mut().filter(|busy| busy.why == why) {
            busy.machines = busy.machines.difference(machines);
            busy.count = busy.machines.count();
        }
        self.busy.retain(|busy| busy.count > 0);
    }

    /// Machines that are off are switched on.
    pub fn awaken(&mut self, machines: &Bits) {
        if machines.is_empty() {
            return;
        }
        let set = machines.to_set();
        self.forget(Why::SwitchingOffAndOn, &set);
        self.asleep.remove(machines);
        self.switching_on.add(machines);
        self.ordered_on.add(machines);
        self.insert(self.now + self.on_time, Why::SwitchingOn, set);
    }

    /// Free machines are switched off.
    pub fn sedate(&mut self, machines: &Bits) {
        if machines.is_empty() {
            return;
        }
        self.free.remove(machines);
        self.free_nodes -= machines.count();
        self.awake.remove(machines);
        self.switching_off.add(machines);
        self.ordered_off.add(machines);
        self.off_from.push((self.now + self.off_time, machines.clone()));
    }

    /// Whether no machine has a job or is being switched.
    pub const fn is_quiet(&self) -> bool {
        self.busy.is_empty() && self.off_from.is_empty()
    }

    /// Makes orders of what is to be switched: a step of a decision has ended.
    pub fn end_step(&mut self) {
        let steps =
            [(&mut self.ordered_on, PowerTarget::On), (&mut self.ordered_off, PowerTarget::Off)];
        for (machines, to) in steps {
            if !machines.is_empty() {
                self.orders.push(PowerOrder { machines: machines.to_set(), to });
                machines.clear();
            }
        }
    }

    /// Switches on what is to be, and is off; which machines.
    pub fn awaken_queued(&mut self) -> Bits {
        let now = self.to_awaken.and(&self.asleep);
        if !now.is_empty() {
            self.to_awaken.remove(&now);
            self.awaken(&now);
        }
        now
    }

    /// The `count` machines of `awakable` that can be switched on soonest.
    pub fn soonest_awakable(&self, count: u32, awakable: &Bits) -> Bits {
        let mut chosen = self.asleep.and(awakable).lowest(count);
        for (_, off) in &self.off_from {
            let missing = count - chosen.count();
            if missing == 0 {
                break;
            }
            let more = off.and(awakable).without(&self.to_awaken).lowest(missing);
            chosen.add(&more);
        }
        chosen
    }

    /// Machines that are off are switched on, others as soon as they are off; those that are now.
    pub fn awaken_soon(&mut self, machines: &Bits) -> Bits {
        let now = machines.and(&self.asleep);
        let later = machines.without(&now);
        self.awaken(&now);
        for index in 0..self.off_from.len() {
            let (from, off) = &self.off_from[index];
            let (until, part) = (*from + self.on_time, off.and(&later));
            if !part.is_empty() {
                self.insert(until, Why::SwitchingOffAndOn, part.to_set());
            }
        }
        self.to_awaken.add(&later);
        now
    }

    /// The first place of a job: an instant from which machines that fit it are free for as long as it may
    /// last, and all that it may have then. Machines that are to be switched off are passed over;
    /// `queued` says whether those are taken into account that are to be switched at all.
    pub fn first_fit(&self, job: &JobRequest, queued: bool) -> Option<(Time, Bits)> {
        if self.fitting.takes_any() && self.fitting.is_free() {
            return self.first_enough(job.nodes, queued);
        }
        self.first_fit_from(self.now, job, queued)
    }

    /// The first place of a job from an instant on.
    pub fn first_fit_from(
        &self,
        from: Time,
        job: &JobRequest,
        queued: bool,
    ) -> Option<(Time, Bits)> {
        let soon = self.now + Time::from_micros(1);
        let counted = |busy: &&Busy| queued || busy.why != Why::SwitchingOffAndOn;
        let mut busy = self.busy.iter().filter(counted).peekable();
        let ends = self.busy.iter().filter(counted).map(|busy| busy.until.max(soon));
        let later = ends.chain(self.fitting.ends()).filter(|at| *at > from);
        let mut instants: Vec<Time> = later.collect();
        instants.push(from);
        instants.sort_unstable();
        instants.dedup();
        let (mut free, mut count) = (self.free.clone(), self.free_nodes);
        instants.into_iter().find_map(|at| {
            while let Some(busy) = busy.next_if(|busy| busy.until.max(soon) <= at) {
                free.add_set(&busy.machines);
                count += busy.count;
            }
            if count < job.nodes {
                return None;
            }
            let usable = self.usable(&free, at, job.walltime, queued);
            let fits = self.fitting.fits(&usable, job.nodes);
            fits.then(|| (at, usable.into_owned()))
        })
    }

    /// Those of `free` machines that a job may have that lasts from `at` on; `queued` says whether those are
    /// passed over that are to be switched off.
    fn usable<'a>(&self, free: &'a Bits, at: Time, walltime: Time, queued: bool) -> Cow<'a, Bits> {
        let mut usable = self.fitting.usable(free, at, walltime);
        if queued && !self.to_sedate.is_empty() {
            usable.to_mut().remove(&self.to_sedate);
        }
        usable
    }

    /// The machines that a job takes if its first place begins now.
    pub fn select_now(&self, job: &JobRequest) -> Option<NodeSet> {
        if self.free_nodes < job.nodes {
            return None;
        }
        let usable = self.usable(&self.free, self.now, job.walltime, true);
        self.fitting.select(&usable, job.nodes)
    }

    /// The first instant from which `nodes` machines are free for good, and all that are free then.
    fn first_enough(&self, nodes: u32, queued: bool) -> Option<(Time, Bits)> {
        let hide = queued && !self.to_sedate.is_empty();
        let hidden = |set: &NodeSet| if hide { self.to_sedate.common_with_set(set) } else { 0 };
        let counted = |busy: &&Busy| queued || busy.why != Why::SwitchingOffAndOn;
        let mut count = self.free_nodes - if hide { self.to_sedate.common(&self.free) } else { 0 };
        let mut free = self.free.clone();
        let mut at = self.now;
        if count < nodes {
            let enough = |busy: &&Busy| {
                count += busy.count - hidden(&busy.machines);
                count >= nodes
            };
            let until = self.busy.iter().filter(counted).find(enough)?.until;
            let released = self.busy.iter().filter(counted).take_while(|busy| busy.until <= until);
            released.for_each(|busy| free.add_set(&busy.machines));
            at = until.max(self.now + Time::from_micros(1));
        }
        if hide {
            free.remove(&self.to_sedate);
        }
        Some((at, free))
    }

    /// The machines that are free at an instant.
    pub fn free_at(&self, at: Time) -> Bits {
        let mut free = self.free.clone();
        for busy in self.busy.iter().take_while(|busy| busy.until <= at) {
            free.add_set(&busy.machines);
        }
        free.remove(&self.to_sedate);
        free
    }

    /// What jobs and switches draw more than idle machines, by these estimates.
    pub fn draws(&self, estimates: Estimates) -> impl Iterator<Item = More> {
        let now = self.now;
        let busy = self.busy.iter().map(move |Busy { until, why, count, .. }| match why {
            Why::Job(_) => estimates.job(*count, now, *until),
            Why::SwitchingOn => estimates.switch(*count, true, now, *until),
            Why::SwitchingOffAndOn => {
                estimates.switch(*count, true, now.max(*until - self.on_time), *until)
            }
        });
        let off = self.off_from.iter();
        busy.chain(off.map(move |(until, off)| estimates.switch(off.count(), false, now, *until)))
    }

    /// Calls `each` with the machines that become free together, in order, until it is content.
    pub fn releases(&self, mut each: impl FnMut(&Bits) -> bool) {
        let mut at = None;
        let mut together = Bits::none(self.machines);
        for busy in self.busy.iter().filter(|busy| busy.why != Why::SwitchingOffAndOn) {
            if at.is_some_and(|at| at != busy.until) {
                if each(&together) {
                    return;
                }
                together.clear();
            }
            together.add_set(&busy.machines);
            at = Some(busy.until);
        }
        each(&together);
    }

    /// How many machines more are free from when on, in order, `reserved` considered.
    pub fn steps(&self, reserved: Option<&Reserved>, steps: &mut Vec<(Time, i64)>) {
        steps.clear();
        steps.push((self.now, i64::from(self.free_nodes)));
        let mut hidden = self.to_sedate.clone();
        if let Some(reserved) = reserved {
            hidden.remove(&reserved.machines);
        }
        let hides = !hidden.is_empty();
        for busy in &self.busy {
            let hidden = if hides { hidden.common_with_set(&busy.machines) } else { 0 };
            steps.push((busy.until.max(self.now), i64::from(busy.count - hidden)));
        }
        if let Some(Reserved { start, end, machines, then_off }) = reserved {
            let gone = machines.common(&self.to_sedate) + then_off.count();
            steps.push((*start, -i64::from(machines.count())));
            steps.push((*end, i64::from(machines.count() - gone)));
        }
        steps.sort_by_key(|(at, _)| *at);
    }
}
