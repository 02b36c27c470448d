//! Collectives as messages between ranks, by the algorithms that SMPI takes unless it is told otherwise.
//!
//! | collective | messages |
//! |---|---|
//! | barrier | each to the first rank, and back |
//! | broadcast | a binomial tree |
//! | reduce, gather | each to the root |
//! | all-reduce | a reduce to the first rank, and a broadcast |
//! | scatter | from the root to each |
//! | all-gather, all-to-all | from each to each at once |
//! | reduce-scatter | a reduce to the first rank, and a scatter |
//!
//! For all-to-all it takes others by a table of Open MPI's, unless `smpi/alltoall` is `basic_linear`; for a reduce-scatter
//! with parts of several sizes it takes another too.

use super::action::Action;
use super::call::{COLLECTIVE, Call, Then};

/// Who takes part: a rank, of how many.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) rank: u32,
    pub(super) ranks: u32,
}

const fn send(to: u32, bytes: f64, then: Then) -> Call {
    Call::Send { to, tag: COLLECTIVE, bytes, then }
}

const fn receive(from: u32, then: Then) -> Call {
    Call::Receive { from: Some(from), tag: Some(COLLECTIVE), then }
}

/// From each to each at once: first all receives, then all sends.
fn each_to_each(
    from: impl Iterator<Item = u32>,
    to: impl Iterator<Item = u32>,
    bytes: impl Fn(u32) -> f64,
) -> Vec<Call> {
    let receives = from.map(|other| receive(other, Then::Join));
    let sends = to.map(|other| send(other, bytes(other), Then::Join));
    receives.chain(sends).chain([Call::Join]).collect()
}

impl Place {
    /// What this rank does in a collective; nothing where the action is none.
    pub(super) fn calls(self, action: &Action) -> Vec<Call> {
        match action {
            Action::Barrier => self.barrier(),
            Action::Broadcast { bytes, root } => self.broadcast(*bytes, *root),
            Action::Reduce { bytes, operations, root } => {
                let compute = Call::Compute(*operations);
                [self.gather(*bytes, *root), vec![compute]].concat()
            }
            Action::AllReduce { bytes, operations } => {
                let compute = Call::Compute(*operations);
                [self.gather(*bytes, 0), self.broadcast(*bytes, 0), vec![compute]].concat()
            }
            Action::AllToAll { bytes } => {
                let circle = (1..self.ranks).map(|places| self.on(places));
                let against = (1..self.ranks).map(|places| self.back(places));
                each_to_each(circle, against, |_| *bytes)
            }
            Action::AllToAllVarying { bytes } => {
                each_to_each(self.others(), self.others(), |to| bytes[to as usize])
            }
            Action::Gather { bytes, root } => self.gather(*bytes, *root),
            Action::AllGather { bytes } => self.all_gather(*bytes),
            Action::Scatter { bytes, root } => self.scatter(|_| *bytes, *root),
            Action::ScatterVarying { bytes, root } => self.scatter(|to| bytes[to as usize], *root),
            Action::ReduceScatter { bytes, operations } => {
                let scattered = self.scatter(|to| bytes[to as usize], 0);
                let compute = Call::Compute(*operations);
                [self.gather(bytes.iter().sum(), 0), scattered, vec![compute]].concat()
            }
            _ => Vec::new(),
        }
    }

    fn others(self) -> impl Iterator<Item = u32> {
        (0..self.ranks).filter(move |other| *other != self.rank)
    }

    /// The rank so many places on, in a circle.
    fn on(self, places: u32) -> u32 {
        (self.rank + places) % self.ranks
    }

    /// The rank so many places back, in a circle.
    fn back(self, places: u32) -> u32 {
        (self.rank + self.ranks - places) % self.ranks
    }

    fn barrier(self) -> Vec<Call> {
        if self.rank > 0 {
            return vec![send(0, 0.0, Then::Block), receive(0, Then::Block)];
        }
        let come = self.others().map(|other| receive(other, Then::Join)).chain([Call::Join]);
        let go = self.others().map(|other| send(other, 0.0, Then::Join)).chain([Call::Join]);
        come.chain(go).collect()
    }

    /// By a binomial tree: with ranks counted from the root, a rank has it from the one without its lowest bit.
    fn broadcast(self, bytes: f64, root: u32) -> Vec<Call> {
        let from_root = (self.rank + self.ranks - root) % self.ranks;
        let mut calls = Vec::new();
        let mut bit = 1;
        while bit < self.ranks && from_root & bit == 0 {
            bit <<= 1;
        }
        if bit < self.ranks {
            calls.push(receive(self.back(bit), Then::Block));
        }
        while bit > 1 {
            bit >>= 1;
            if from_root + bit < self.ranks {
                calls.push(send(self.on(bit), bytes, Then::Block));
            }
        }
        calls
    }

    fn gather(self, bytes: f64, root: u32) -> Vec<Call> {
        if self.rank != root {
            return vec![send(root, bytes, Then::Block)];
        }
        self.others().map(|other| receive(other, Then::Join)).chain([Call::Join]).collect()
    }

    fn scatter(self, bytes: impl Fn(u32) -> f64, root: u32) -> Vec<Call> {
        if self.rank != root {
            return vec![receive(root, Then::Block)];
        }
        let sends = self.others().map(|other| send(other, bytes(other), Then::Join));
        sends.chain([Call::Join]).collect()
    }

    fn all_gather(self, bytes: f64) -> Vec<Call> {
        let both = |other| [send(other, bytes, Then::Join), receive(other, Then::Join)];
        self.others().flat_map(both).chain([Call::Join]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(rank: u32, ranks: u32, action: &Action) -> Vec<(u32, f64)> {
        let of = |call| match call {
            Call::Send { to, bytes, .. } => Some((to, bytes)),
            _ => None,
        };
        Place { rank, ranks }.calls(action).into_iter().filter_map(of).collect()
    }

    /// Of six ranks with root 1: counted from it 0 sends to 4, 2 and 1, then 4 to 5, and 2 to 3: ranks 5, 3 and 2,
    /// 5 to 0, 3 to 4.
    #[test]
    fn a_broadcast_is_a_binomial_tree() {
        let action = Action::Broadcast { bytes: 5.0, root: 1 };
        let expected: [&[u32]; 6] = [&[], &[5, 3, 2], &[], &[4], &[], &[0]];
        for (rank, to) in (0..).zip(expected) {
            let to: Vec<(u32, f64)> = to.iter().map(|to| (*to, 5.0)).collect();
            assert_eq!(sent(rank, 6, &action), to, "rank {rank}");
        }
    }

    /// Receives come in a circle, and sends against it.
    #[test]
    fn all_to_all_goes_at_once() {
        let expected = vec![(0, 4e3), (3, 4e3), (2, 4e3)];
        assert_eq!(sent(1, 4, &Action::AllToAll { bytes: 4e3 }), expected);
    }
}
