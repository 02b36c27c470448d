//! What stages share: which machines are switched off, and the places of what waits.

use super::Core;
use crate::policy::bits::Bits;
use crate::scheduler::JobRequest;
use crate::time::Time;

impl Core {
    /// Nothing is to be switched off any more that is not yet.
    pub fn cancel_all_sedations(&mut self) {
        let count = self.plan.to_sedate.count();
        if count > 0 {
            self.cancel_sedations(count);
            self.plan.to_sedate.clear();
        }
    }

    /// Looks which machines are idle.
    pub fn update_idle(&mut self) {
        self.idle.update(self.plan.now, &self.plan.free);
    }

    /// Machines that are to be switched off and are free are switched off.
    pub fn sedate_queued(&mut self) {
        let mut sedated = self.plan.to_sedate.and(&self.plan.free);
        self.sedate_admitted(&mut sedated);
        self.plan.end_step();
    }

    /// Reserves machines of these, as the fit says.
    pub fn reserve_fitting(&mut self, job: &JobRequest, start: Time, free: &Bits) {
        self.set_reserved(job, start, self.plan.fitting.of(free, job.nodes));
    }

    /// Reserves a place for the first waiting job, if it has one.
    pub fn reserve_first(&mut self) {
        let Some(job) = self.queue.first().copied() else { return };
        if let Some((start, free)) = self.plan.first_fit(&job, true) {
            self.reserve_fitting(&job, start, &free);
        }
    }

    /// The `count` machines of `sedatable` that are free soonest, without those that the first waiting
    /// job needs of the machines `usable` for it.
    pub fn soonest_sedatable(
        &self,
        count: u32,
        sedatable: &Bits,
        usable: Option<&Bits>,
        needed: u32,
    ) -> Bits {
        let none = Bits::none(self.plan.machines);
        let wanted = usable.map_or(none.clone(), |usable| usable.and(sedatable));
        let mut spare = wanted.count().saturating_sub(needed);
        let mut left = sedatable.clone();
        let mut stolen = none.clone();
        let mut chosen = none;
        let mut missing = count;
        let mut choose = |free: &Bits| {
            let now = free.and(&left);
            let mut others = now.without(&wanted);
            if spare > 0 {
                let more = now.and(&wanted).without(&stolen).lowest(spare.min(missing));
                spare -= more.count();
                missing -= more.count();
                stolen.add(&more);
                left.remove(&more);
                chosen.add(&more);
            }
            others = others.lowest(missing);
            missing -= others.count();
            left.remove(&others);
            chosen.add(&others);
            missing == 0
        };
        if !choose(&self.plan.free) {
            self.plan.releases(choose);
        }
        chosen
    }
}
