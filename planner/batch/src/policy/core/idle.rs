//! The opportunistic technique: machines that have been idle for long are switched off, and on again
//! when waiting jobs could use them (the thesis, 7.3.2).

use super::Core;
use crate::policy::bits::Bits;
use crate::policy::queue::{Cursor, Hole};
use crate::scheduler::JobRequest;
use crate::time::Time;

/// Since when machines are idle.
#[derive(Debug)]
pub struct Idle {
    machines: Bits,
    since: Vec<Time>,
}

impl Idle {
    /// All are, from the beginning.
    pub fn new(machines: u32) -> Self {
        Self { machines: Bits::all(machines), since: vec![Time::ZERO; machines as usize] }
    }

    /// These are idle now, and no others.
    pub fn update(&mut self, now: Time, free: &Bits) {
        if self.machines == *free {
            return;
        }
        for machine in free.without(&self.machines).positions() {
            self.since[machine as usize] = now;
        }
        self.machines = free.clone();
    }

    /// The lowest `count` machines that have been idle since `instant`.
    fn since(&self, instant: Time, count: u32) -> Bits {
        let mut rest = self.machines.clone();
        for machine in self.machines.positions() {
            if self.since[machine as usize] > instant {
                rest.exclude(machine);
            }
        }
        rest.lowest(count)
    }
}

impl Core {
    /// Switches machines on that were idle too long and that waiting jobs could use; whether there are
    /// such.
    pub fn awaken_idle(&mut self) -> bool {
        if self.queue.is_empty() || self.sedated_idle == 0 || self.admits_nobody() {
            return false;
        }
        let mut awakable = self.plan.asleep.lowest(self.sedated_idle);
        let mut idle = self.idle.machines.clone();
        let mut usable = idle.or(&awakable);
        if let Some(machines) = self.first_machines() {
            idle.remove(&machines);
            usable.remove(&machines);
        }
        let mut awakened = Bits::none(self.plan.machines);
        let mut cursor = Cursor::default();
        loop {
            let nodes = usable.count();
            let hole = Hole { nodes, before_shadow: Time::FOREVER, extra: nodes };
            let next = if nodes == 0 { None } else { self.queue.next_in(&mut cursor, hole) };
            // Without backfilling nobody starts before the first.
            let may_start = |job: &JobRequest| self.backfills || self.queue.first() == Some(job);
            let Some(job) = next.filter(may_start) else { break };
            if !self.admits_before(&job) {
                cursor.pass();
                continue;
            }
            let Some(used) = self.used_of(&mut idle, &usable, job.nodes) else {
                cursor.pass();
                continue;
            };
            let to_awaken = awakable.and(&used);
            usable.remove(&used);
            awakable.remove(&to_awaken);
            awakened.add(&to_awaken);
            cursor.pass();
        }
        if awakened.is_empty() || !self.expect_switch_if_admitted(awakened.count(), true) {
            return false;
        }
        self.sedated_idle -= awakened.count();
        self.plan.awaken(&awakened);
        true
    }

    /// The machines that a job would take of idle and other usable ones; they are idle no more.
    fn used_of(&self, idle: &mut Bits, usable: &Bits, nodes: u32) -> Option<Bits> {
        if !self.plan.fitting.takes_any() {
            let selected = self.plan.fitting.select(usable, nodes);
            return selected.map(|machines| usable.same_cluster(&machines));
        }
        // As batsched does: what is taken beside the idle ones may be among them.
        let mut used = idle.lowest(nodes);
        idle.remove(&used);
        used.add(&usable.lowest(nodes - used.count()));
        Some(used)
    }

    /// The machines that the first waiting job would have if it were planned now.
    fn first_machines(&self) -> Option<Bits> {
        if let Some(reserved) = &self.reserved {
            return Some(reserved.machines.clone());
        }
        let job = self.queue.first()?;
        let (_, free) = self.plan.first_fit(job, true)?;
        Some(self.plan.fitting.of(&free, job.nodes))
    }

    /// Switches machines off that have been idle for long, unless others are being switched on; the
    /// first waiting job is left `needed` machines.
    pub fn sedate_idle(&mut self, needed: u32) {
        if !self.plan.switching_on.is_empty() || !self.plan.to_awaken.is_empty() {
            return;
        }
        self.sedate_idle_anyway(needed);
    }

    /// Switches idle machines off as [`Self::sedate_idle`] does, even while others are being switched on.
    pub fn sedate_idle_anyway(&mut self, needed: u32) {
        let Some(idle) = self.pace.idle else { return };
        let unbounded =
            |gated: &super::Gated| self.pace.while_bounded && !gated.gate.bounds(self.plan.now);
        if self.plan.free.is_empty() || self.gated.as_ref().is_some_and(unbounded) {
            return;
        }
        let room = self.awake_soon().count().saturating_sub(needed);
        let mut machines = self.idle.since(self.plan.now - idle, room);
        machines.remove(&self.plan.to_sedate);
        if let Some(reserved) = &mut self.reserved {
            reserved.then_off = machines.and(&reserved.machines);
            machines.remove(&reserved.machines);
        }
        if machines.is_empty() || !self.expect_switch_if_admitted(machines.count(), false) {
            return;
        }
        self.sedated_idle += machines.count();
        self.plan.sedate(&machines);
    }
}
