//! Places of the first waiting job: machines that are reserved for it, switched on or kept on.

use super::{Core, Reserved};
use crate::policy::bits::Bits;
use crate::policy::queue::Cursor;
use crate::scheduler::{Decisions, JobRequest};
use crate::time::Time;

impl Core {
    /// Reserves machines of those that are free then, as the fit says; by count, those first that are not
    /// free now, so that as many as possible are left over.
    pub fn reserve(&mut self, job: &JobRequest, start: Time, free: &Bits) {
        let machines = if self.plan.fitting.counts {
            let mut machines = free.without(&self.plan.free).lowest(job.nodes);
            let missing = job.nodes - machines.count();
            machines.add(&free.and(&self.plan.free).lowest(missing));
            machines
        } else {
            self.plan.fitting.of(free, job.nodes)
        };
        self.set_reserved(job, start, machines);
    }

    /// Reserves these machines for the first job.
    pub fn set_reserved(&mut self, job: &JobRequest, start: Time, machines: Bits) {
        self.reserved = Some(Reserved::new(job, start, machines));
    }

    /// Lets the first job fit that lacks machines: fewer are switched off, or some on.
    pub fn make_room(&mut self, job: &JobRequest, sedated: &mut Bits, decisions: &mut Decisions) {
        let none = Bits::none(self.plan.machines);
        let queued = std::mem::replace(&mut self.plan.to_sedate, none);
        if let Some((start, free)) = self.plan.first_fit(job, true) {
            let used = self.plan.fitting.of(&free, job.nodes);
            let disturbing = queued.and(&used);
            self.cancel_sedations(disturbing.count());
            sedated.remove(&disturbing);
            self.plan.to_sedate = queued.without(&disturbing);
            if start == self.plan.now && self.admits(job) {
                self.take(Cursor::default());
                self.start(job, used.to_set(), decisions);
            } else {
                self.set_reserved(job, start, used);
            }
            return;
        }
        let machines = self.lacking(job);
        if !self.expect_switch_if_admitted(machines.count(), true) {
            self.plan.to_sedate = queued;
            return;
        }
        self.cancel_sedations(queued.count());
        sedated.clear();
        self.cancel_sedations(machines.count());
        let now = self.plan.awaken_soon(&machines);
        self.lately_awakened.add(&now);
        if let Some((start, free)) = self.plan.first_fit(job, true) {
            self.reserve_admitted(job, start, &free);
        }
    }

    /// The machines to be switched on so that a job can start at all.
    fn lacking(&self, job: &JobRequest) -> Bits {
        let mut coming = self.plan.awake.or(&self.plan.switching_on);
        coming.add(&self.plan.to_awaken);
        let asleep = self.plan.asleep.or(&self.plan.switching_off);
        if self.plan.fitting.takes_any() {
            let lacking = job.nodes.saturating_sub(coming.count());
            return self.plan.soonest_awakable(lacking, &asleep);
        }
        let machines = self.plan.fitting.of(&coming.or(&asleep), job.nodes);
        machines.and(&asleep).without(&self.plan.to_awaken)
    }
}
