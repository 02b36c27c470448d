//! What a scheduler knows of machines that it switches, and when each is free if everything lasts as
//! long as it may: the provisional schedule of the thesis's chapter 7.

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
    machines: Bits,
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

    fn insert(&mut self, until: Time, why: Why, machines: Bits) {
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
            self.free.add(&busy.machines);
        }
    }

    /// A job starts on free machines.
    pub fn start(&mut self, job: &JobRequest, machines: &Bits, decisions: &mut Decisions) {
        let until = self.now + job.walltime;
        self.free.remove(machines);
        self.running.insert(job.key, until);
        self.insert(until, Why::Job(job.key), machines.clone());
        decisions.start_on(job.key, machines.to_set());
    }

    /// Machines have been switched.
    pub fn switched(&mut self, switched: &Switched) {
        let machines = Bits::of(self.machines, &switched.machines);
        if switched.on {
            self.switching_on.remove(&machines);
            self.awake.add(&machines);
            self.free.add(&machines);
            self.forget(Why::SwitchingOn, &machines);
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
    fn forget(&mut self, why: Why, machines: &Bits) {
        for busy in self.busy.iter_mut().filter(|busy| busy.why == why) {
            busy.machines.remove(machines);
            busy.count = busy.machines.count();
        }
        self.busy.retain(|busy| busy.count > 0);
    }

    /// Machines that are off are switched on.
    pub fn awaken(&mut self, machines: &Bits) {
        if machines.is_empty() {
            return;
        }
        self.forget(Why::SwitchingOffAndOn, machines);
        self.asleep.remove(machines);
        self.switching_on.add(machines);
        self.ordered_on.add(machines);
        self.insert(self.now + self.on_time, Why::SwitchingOn, machines.clone());
    }

    /// Free machines are switched off.
    pub fn sedate(&mut self, machines: &Bits) {
        if machines.is_empty() {
            return;
        }
        self.free.remove(machines);
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
                self.insert(until, Why::SwitchingOffAndOn, part);
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
        let mut free = self.free.clone();
        instants.into_iter().find_map(|at| {
            while let Some(busy) = busy.next_if(|busy| busy.until.max(soon) <= at) {
                free.add(&busy.machines);
            }
            if free.count() < job.nodes {
                return None;
            }
            let mut usable = self.fitting.usable(free.clone(), at, job.walltime);
            if queued {
                usable.remove(&self.to_sedate);
            }
            self.fitting.fits(&usable, job.nodes).then_some((at, usable))
        })
    }

    /// The first instant from which `nodes` machines are free for good, and all that are free then.
    fn first_enough(&self, nodes: u32, queued: bool) -> Option<(Time, Bits)> {
        let hide = queued && !self.to_sedate.is_empty();
        let mut free = if hide { self.free.without(&self.to_sedate) } else { self.free.clone() };
        let mut count = free.count();
        if count >= nodes {
            return Some((self.now, free));
        }
        let counted = |busy: &&Busy| queued || busy.why != Why::SwitchingOffAndOn;
        let mut found = None;
        for busy in self.busy.iter().filter(counted) {
            if found.is_some_and(|at| at < busy.until) {
                break;
            }
            free.add(&busy.machines);
            let hidden = if hide { busy.machines.common(&self.to_sedate) } else { 0 };
            count += busy.count - hidden;
            if count >= nodes {
                found = Some(busy.until);
            }
        }
        let at = found?;
        if hide {
            free.remove(&self.to_sedate);
        }
        Some((at.max(self.now + Time::from_micros(1)), free))
    }

    /// The machines that are free at an instant.
    pub fn free_at(&self, at: Time) -> Bits {
        let mut free = self.free.clone();
        for busy in self.busy.iter().take_while(|busy| busy.until <= at) {
            free.add(&busy.machines);
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
            together.add(&busy.machines);
            at = Some(busy.until);
        }
        each(&together);
    }

    /// How many machines more are free from when on, in order, `reserved` considered.
    pub fn steps(&self, reserved: Option<&Reserved>, steps: &mut Vec<(Time, i64)>) {
        steps.clear();
        steps.push((self.now, i64::from(self.free.count())));
        let hides = !self.to_sedate.is_empty();
        for busy in &self.busy {
            let mut count = busy.count;
            if hides {
                let mut hidden = busy.machines.and(&self.to_sedate);
                if let Some(reserved) = reserved {
                    hidden.remove(&reserved.machines);
                }
                count -= hidden.count();
            }
            steps.push((busy.until.max(self.now), i64::from(count)));
        }
        if let Some(Reserved { start, end, machines, then_off }) = reserved {
            let gone = machines.common(&self.to_sedate) + then_off.count();
            steps.push((*start, -i64::from(machines.count())));
            steps.push((*end, i64::from(machines.count() - gone)));
        }
        steps.sort_by_key(|(at, _)| *at);
    }
}
