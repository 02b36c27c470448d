//! What hosts and links carry now, and what went over links so far.

use crate::sharing::{Activity, Resource};

/// What went over a link.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkTotals {
    /// Bytes of all tasks.
    pub bytes: f64,
    /// How long anything went over it, seconds.
    pub busy_s: f64,
    /// The part of its bandwidth that was used, times seconds of use.
    pub load_s: f64,
}

/// What is used of a resource now, in the unit of its capacity.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    /// By all together.
    flow: f64,
    /// Of what it has: where each has all of it, by whoever uses most.
    used: f64,
    capacity: f64,
}

/// Usage of hosts, which come first, and links.
#[derive(Debug)]
pub(crate) struct Loads {
    hosts: usize,
    now: Vec<Usage>,
    /// Which are used at all.
    in_use: Vec<u32>,
    totals: Vec<LinkTotals>,
}

impl Loads {
    pub(crate) fn of(hosts: usize, resources: usize) -> Self {
        let totals = vec![LinkTotals::default(); resources - hosts];
        Self { hosts, now: vec![Usage::default(); resources], in_use: Vec::new(), totals }
    }

    /// Nothing is used.
    pub(crate) fn clear(&mut self) {
        for resource in self.in_use.drain(..) {
            self.now[resource as usize] = Usage::default();
        }
    }

    /// An activity advances at this rate.
    pub(crate) fn add(&mut self, activity: &Activity, rate: f64, resources: &[Resource]) {
        if rate <= 0.0 {
            return;
        }
        for of in &activity.uses {
            let usage = &mut self.now[of.resource as usize];
            let Resource { capacity, fatpipe } = resources[of.resource as usize];
            if usage.flow <= 0.0 {
                self.in_use.push(of.resource);
                usage.capacity = capacity;
            }
            let flow = of.weight * rate;
            usage.flow += flow;
            usage.used = if fatpipe { usage.used.max(flow) } else { usage.used + flow };
        }
    }

    /// So many seconds pass.
    pub(crate) fn pass(&mut self, seconds: f64) {
        for &resource in &self.in_use {
            let Some(link) = (resource as usize).checked_sub(self.hosts) else { continue };
            let (total, usage) = (&mut self.totals[link], self.now[resource as usize]);
            total.bytes += usage.flow * seconds;
            total.busy_s += seconds;
            total.load_s += usage.used / usage.capacity * seconds;
        }
    }

    pub(crate) fn used(&self, resource: u32) -> f64 {
        self.now[resource as usize].used
    }

    /// In the order of the links.
    pub(crate) fn link_totals(&self) -> &[LinkTotals] {
        &self.totals
    }
}
