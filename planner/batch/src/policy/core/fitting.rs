//! Which machines jobs may have, and which of them they take.

use std::borrow::Cow;

use planner::node_set::NodeSet;

use crate::policy::bits::Bits;
use crate::policy::fit::{FitPart, Selection};
use crate::reservation::Reservation;
use crate::time::Time;

/// A fit beside advance reservations.
#[derive(Debug)]
pub struct Fitting {
    selection: Box<dyn Selection>,
    /// Whether only the number of machines counts until a job starts.
    pub counts: bool,
    /// Advance reservations that are not over: from, until, machines.
    reserved: Vec<(Time, Time, Bits)>,
}

impl Fitting {
    /// A fit on so many machines.
    pub fn new(
        fit: &FitPart,
        selection: Box<dyn Selection>,
        machines: u32,
        reservations: &[Reservation],
    ) -> Self {
        let bits = |set: &NodeSet| Bits::of(machines, set);
        let reserved = reservations.iter().map(|one| (one.from, one.until, bits(&one.machines)));
        Self { selection, counts: fit.counts, reserved: reserved.collect() }
    }

    /// Forgets reservations that are over.
    pub fn advance(&mut self, now: Time) {
        self.reserved.retain(|(_, until, _)| *until > now);
    }

    /// Whether no machines are reserved in advance any more.
    pub const fn is_free(&self) -> bool {
        self.reserved.is_empty()
    }

    /// Whether any machines fit, as long as there are enough.
    pub fn takes_any(&self) -> bool {
        self.selection.takes_any()
    }

    /// The widest job that may ever fit.
    pub fn widest(&self) -> u32 {
        self.selection.widest()
    }

    /// When the next of the reservations ends.
    pub fn next_end(&self, now: Time) -> Option<Time> {
        self.ends().filter(|until| *until > now).min()
    }

    /// When reservations end.
    pub fn ends(&self) -> impl Iterator<Item = Time> {
        self.reserved.iter().map(|(_, until, _)| *until)
    }

    /// Those of `free` machines that are not reserved in advance from `start` on for as long as `duration`.
    pub fn usable<'a>(&self, free: &'a Bits, start: Time, duration: Time) -> Cow<'a, Bits> {
        let (end, mut usable) = (start + duration, Cow::Borrowed(free));
        for (from, until, machines) in &self.reserved {
            if *from < end && start < *until {
                usable.to_mut().remove(machines);
            }
        }
        usable
    }

    /// The machines that a job takes of those that it may have, where there are such.
    pub fn select(&self, usable: &Bits, nodes: u32) -> Option<NodeSet> {
        self.selection.select_of_bits(usable, nodes)
    }

    /// The machines that a job takes of those that it may have, which fit it.
    pub fn of(&self, usable: &Bits, nodes: u32) -> Bits {
        let selected = self.select(usable, nodes);
        selected.map_or_else(|| usable.lowest(nodes), |set| usable.same_cluster(&set))
    }

    /// Whether there are machines for a job among those that it may have.
    pub fn fits(&self, usable: &Bits, nodes: u32) -> bool {
        usable.count() >= nodes && (self.takes_any() || self.select(usable, nodes).is_some())
    }
}
