//! Which machines are free from now on, if everything lasts as long as it may.
//!
//! A step function whose values are sets of machines; neighbours differ, and the last set holds for ever. A
//! set is a row of bits, one for each of the [`Atoms`]. Searching costs the words of the steps passed where
//! enough machines are free, changing it those of the steps changed and the number of steps behind.

use planner::node_set::NodeSet;

use super::atoms::{Atoms, has};
use super::profile::{self, PlaceRequest};
use crate::policy::fit::Selection;
use crate::time::Time;

/// Atoms beyond those that were needed, until neighbours are joined.
const SPARE: usize = 64;
/// Steps that are over stay until they are so many.
const STALE: usize = 256;

/// Machines from an instant to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MachineSpan {
    pub start: Time,
    pub end: Time,
    pub machines: NodeSet,
}

impl MachineSpan {
    /// Whether it has its machines at an instant.
    fn has(&self, at: Time) -> bool {
        self.start <= at && at < self.end
    }
}

/// Free machines over time.
#[derive(Debug)]
pub struct SetProfile {
    now: Time,
    /// Steps before this one are over.
    first: usize,
    instants: Vec<Time>,
    /// How many machines are free.
    free: Vec<u32>,
    /// Where the rows are in the list of words.
    rows: Vec<usize>,
    words: Vec<u64>,
    /// Rows of no step.
    unused: Vec<usize>,
    /// Words of a row.
    width: usize,
    atoms: Atoms,
    /// How many atoms there may be before neighbours are joined.
    most: usize,
    /// Whether machines that were free before an instant already are taken before those that became free
    /// at it, where they suffice.
    rested_first: bool,
    /// Machines that are sought, and those of who seeks.
    found: Vec<u64>,
    own: Vec<u64>,
}

impl SetProfile {
    /// `machines` are free for ever.
    pub fn new(machines: u32, rested_first: bool) -> Self {
        Self {
            now: Time::from_micros(i64::MIN / 4),
            first: 0,
            instants: vec![Time::from_micros(i64::MIN / 4)],
            free: vec![machines],
            rows: vec![0],
            words: vec![1],
            unused: Vec::new(),
            width: 1,
            atoms: Atoms::new(machines),
            most: SPARE,
            rested_first,
            found: vec![0],
            own: vec![0],
        }
    }

    /// Forgets what was before `now`.
    pub fn advance(&mut self, now: Time) {
        self.now = now;
        while self.instants.get(self.first + 1).is_some_and(|next| *next <= now) {
            self.unused.push(self.rows[self.first]);
            self.first += 1;
        }
        if self.first >= STALE {
            self.instants.drain(..self.first);
            self.free.drain(..self.first);
            self.rows.drain(..self.first);
            self.first = 0;
        }
    }

    /// The first instant from `from` on, and before `before`, from which machines that `selection` takes are free
    /// as wanted, with these; `own` is the place of who seeks, and the limit of what is wanted its start, where
    /// there is one.
    pub fn earliest(
        &mut self,
        (from, before): (Time, Time),
        wanted: PlaceRequest,
        own: Option<&MachineSpan>,
        selection: &dyn Selection,
    ) -> Option<(Time, NodeSet)> {
        let mut step = self.step_of(from);
        loop {
            let (at, start) = profile::earliest(&self.instants, &self.free, step, from, wanted)?;
            if start >= before {
                return None;
            }
            match self.select(at, start, wanted, own, selection) {
                Ok(machines) => return Some((start, machines)),
                Err(next) => step = next,
            }
            if step == self.instants.len() {
                return None;
            }
        }
    }

    /// The machines that `selection` takes of those that are free from `start` on for as long as wanted.
    pub fn at(
        &mut self,
        start: Time,
        wanted: PlaceRequest,
        own: Option<&MachineSpan>,
        selection: &dyn Selection,
    ) -> Option<NodeSet> {
        self.select(self.step_of(start), start, wanted, own, selection).ok()
    }

    /// The machines that `selection` takes of those that are free from `start`, which is in this step, on for as long
    /// as wanted; or else the next step from which on there may be some.
    fn select(
        &mut self,
        step: usize,
        start: Time,
        wanted: PlaceRequest,
        own: Option<&MachineSpan>,
        selection: &dyn Selection,
    ) -> Result<NodeSet, usize> {
        let end = start + wanted.duration.max(Time::from_micros(1));
        let own = own.filter(|own| own.start < end);
        if let Some(own) = own {
            self.mark(&own.machines);
        }
        let before = self.instants[self.first];
        let rested = self.rested_first && start == self.now && before < start;
        let rested = rested.then_some((self.first, before));
        let mut next = step + 1;
        for (step, from) in rested.into_iter().chain([(step, start)]) {
            match self.find(step, from, start + wanted.duration, wanted.nodes, own) {
                Ok(()) => {
                    let machines = selection.select(&self.atoms.set(&self.found), wanted.nodes);
                    if let Some(machines) = machines {
                        return Ok(machines);
                    }
                }
                Err(step) => next = next.max(step),
            }
        }
        Err(next)
    }

    /// Finds the machines that are free from an instant in a step to another, or at the first. Where they are fewer
    /// than `nodes`, the next step from which on there may be so many for as long.
    fn find(
        &mut self,
        first: usize,
        from: Time,
        until: Time,
        nodes: u32,
        own: Option<&MachineSpan>,
    ) -> Result<(), usize> {
        let mut left = self.begin(first, from, own);
        let mut step = first + 1;
        while self.instants.get(step).is_some_and(|at| *at < until) {
            left -= self.lose(step, own);
            if left < nodes {
                // From the steps before the last that makes them too few with this one nothing else can come.
                let mut left = self.begin(step, self.instants[step], own);
                while left >= nodes && step > first {
                    step -= 1;
                    left -= self.lose(step, own);
                }
                return Err(step + 1);
            }
            step += 1;
        }
        if left < nodes { Err(first + 1) } else { Ok(()) }
    }

    /// Finds the machines that are free at an instant in a step; how many.
    fn begin(&mut self, step: usize, at: Time, own: Option<&MachineSpan>) -> u32 {
        self.found.copy_from_slice(&self.words[self.rows[step]..][..self.width]);
        let Some(own) = own.filter(|own| own.has(at)) else { return self.free[step] };
        self.found.iter_mut().zip(&self.own).for_each(|(found, own)| *found |= own);
        self.free[step] + own.machines.count()
    }

    /// Takes those out of what was found that are not free in a step too; how many.
    fn lose(&mut self, step: usize, own: Option<&MachineSpan>) -> u32 {
        let owns = own.is_some_and(|own| own.has(self.instants[step]));
        let owns = if owns { u64::MAX } else { 0 };
        let row = self.words[self.rows[step]..].iter().zip(&self.own);
        let free = row.map(|(free, own)| free | own & owns);
        let mut gone = 0;
        for (word, (found, free)) in self.found.iter_mut().zip(free).enumerate() {
            let lost = *found & !free;
            if lost != 0 {
                gone += self.atoms.count(word, lost);
                *found &= free;
            }
        }
        gone
    }

    /// Takes machines that are free.
    pub fn take(&mut self, place: &MachineSpan) {
        self.change(place, |free, machines| *free &= !machines, |free, nodes| free - nodes);
    }

    /// Gives machines back.
    pub fn give(&mut self, place: &MachineSpan) {
        self.change(place, |free, machines| *free |= machines, |free, nodes| free + nodes);
    }

    fn change(
        &mut self,
        place: &MachineSpan,
        change: impl Fn(&mut u64, u64),
        count: impl Fn(u32, u32) -> u32,
    ) {
        if place.start >= place.end {
            return;
        }
        self.mark(&place.machines);
        let first = self.step_at(place.start);
        let last = self.step_at(place.end);
        let nodes = place.machines.count();
        for step in first..last {
            self.free[step] = count(self.free[step], nodes);
            let row = self.words[self.rows[step]..].iter_mut();
            row.zip(&self.own).for_each(|(word, machines)| change(word, *machines));
        }
        self.join(last);
        self.join(first);
    }

    /// Marks machines as those of who seeks or changes something.
    fn mark(&mut self, machines: &NodeSet) {
        self.cut(machines);
        self.own.fill(0);
        self.atoms.of(machines).for_each(|atom| self.own[atom / 64] |= bit(atom));
    }

    /// Cuts atoms of which a set has some machines and not all.
    fn cut(&mut self, machines: &NodeSet) {
        if self.atoms.len() > self.most {
            self.join_atoms();
        }
        for machine in machines.ranges().iter().flat_map(|range| [range.start, range.end]) {
            let Some(cut) = self.atoms.cut(machine) else { continue };
            let new = self.atoms.len() - 1;
            if new == self.width * 64 {
                self.set_width(self.width + 1, |words, wider| {
                    wider[..words.len()].copy_from_slice(words);
                });
            }
            for row in &self.rows[self.first..] {
                let row = &mut self.words[*row..][..self.width];
                if has(row, cut) {
                    row[new / 64] |= bit(new);
                }
            }
        }
    }

    /// Joins atoms that are alike.
    fn join_atoms(&mut self) {
        let rows = self.rows[self.first..].iter().map(|row| &self.words[*row..][..self.width]);
        let kept = self.atoms.join(rows);
        self.most = kept.len() + kept.len().max(SPARE);
        self.set_width(kept.len().div_ceil(64), |old, new| {
            for (atom, _) in kept.iter().enumerate().filter(|(_, atom)| has(old, **atom)) {
                new[atom / 64] |= bit(atom);
            }
        });
    }

    /// Writes all rows anew, each as `write` says.
    fn set_width(&mut self, width: usize, write: impl Fn(&[u64], &mut [u64])) {
        let mut words = vec![0; (self.rows.len() - self.first) * width];
        for (row, new) in self.rows[self.first..].iter_mut().zip(words.chunks_exact_mut(width)) {
            write(&self.words[*row..][..self.width], new);
        }
        (0..)
            .step_by(width)
            .zip(&mut self.rows[self.first..])
            .for_each(|(place, row)| *row = place);
        (self.words, self.width) = (words, width);
        self.unused.clear();
        self.found.resize(width, 0);
        self.own.resize(width, 0);
    }

    /// The step that `instant` is in; the first one for what is over.
    fn step_of(&self, instant: Time) -> usize {
        let later = self.instants[self.first..].partition_point(|at| *at <= instant);
        self.first + later.max(1) - 1
    }

    /// The step that begins at `instant`, made where there is none.
    fn step_at(&mut self, instant: Time) -> usize {
        let step = self.first + self.instants[self.first..].partition_point(|at| *at < instant);
        if self.instants.get(step) != Some(&instant) {
            let before = step.max(1) - 1;
            let old = self.rows[before];
            let row = self.unused.pop().unwrap_or(self.words.len());
            if row == self.words.len() {
                self.words.extend_from_within(old..old + self.width);
            } else {
                self.words.copy_within(old..old + self.width, row);
            }
            self.instants.insert(step, instant);
            self.free.insert(step, self.free[before]);
            self.rows.insert(step, row);
        }
        step
    }

    /// Joins a step to the one before it where they do not differ.
    fn join(&mut self, step: usize) {
        if step == self.first {
            return;
        }
        let row = |step: usize| &self.words[self.rows[step]..][..self.width];
        if row(step) == row(step - 1) {
            self.instants.remove(step);
            self.free.remove(step);
            let unused = self.rows.remove(step);
            self.unused.push(unused);
        }
    }
}

/// The bit of an atom in its word.
const fn bit(atom: usize) -> u64 {
    1 << (atom % 64)
}

#[cfg(test)]
mod tests;
