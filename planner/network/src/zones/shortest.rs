//! Routes of which only parts are written, put together to those with the fewest links: `routing="Floyd"`, `"Dijkstra"`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::OnceLock;

use super::{Hop, Inside};
use crate::parts::{LinkId, PointId};

/// What decides between ways with equally many links, as it does in `SimGrid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Search {
    Floyd,
    Dijkstra,
}

#[derive(Debug)]
pub(crate) struct Shortest {
    pub(crate) search: Search,
    /// How many there are in the zone.
    pub(crate) count: u32,
    /// What is written: by ranks, in its order.
    pub(crate) parts: Vec<(u32, u32, Hop)>,
    pub(crate) loopback: Option<LinkId>,
    /// For each two by Floyd, the one before the last on the way.
    before: OnceLock<Vec<Option<u32>>>,
}

impl Shortest {
    pub(crate) const fn new(search: Search) -> Self {
        Self { search, count: 0, parts: Vec::new(), loopback: None, before: OnceLock::new() }
    }

    /// What is written of two, the last of what is.
    fn part(&self, from: u32, to: u32) -> Option<&Hop> {
        let mut parts = self.parts.iter().rev();
        parts.find(|(first, last, _)| (*first, *last) == (from, to)).map(|(_, _, hop)| hop)
    }

    pub(crate) fn hop(&self, inside: &Inside<'_>, from: u32, to: u32, hop: &mut Hop) -> Option<()> {
        if from == to {
            if let Some(written) = self.part(from, to) {
                hop.take_over(written);
                return Some(());
            }
            hop.links.push(self.loopback?);
            return Some(());
        }
        let before = match self.search {
            Search::Floyd => {
                let all = self.before.get_or_init(|| self.all_ways());
                let row = (from * self.count) as usize;
                all.get(row..row + self.count as usize)?.to_vec()
            }
            Search::Dijkstra => self.ways_from(from),
        };
        let mut parts = Vec::new();
        let mut at = to;
        while at != from {
            let previous = (*before.get(at as usize)?)?;
            parts.push(self.part(previous, at)?);
            at = previous;
        }
        parts.reverse();
        join(inside, &parts, hop)
    }

    /// Floyd's search, in `SimGrid`'s order.
    fn all_ways(&self) -> Vec<Option<u32>> {
        let count = self.count as usize;
        let (mut lengths, mut before) = (vec![None; count * count], vec![None; count * count]);
        for (from, to, hop) in &self.parts {
            let place = *from as usize * count + *to as usize;
            (lengths[place], before[place]) = (Some(hop.links.len()), Some(*from));
        }
        for over in 0..count {
            for from in 0..count {
                for to in 0..count {
                    let (first, second) = (from * count + over, over * count + to);
                    let Some((one, other)) = lengths[first].zip(lengths[second]) else { continue };
                    let place = from * count + to;
                    if lengths[place].is_none_or(|length| one + other < length) {
                        (lengths[place], before[place]) = (Some(one + other), before[second]);
                    }
                }
            }
        }
        before
    }

    /// Dijkstra's search. Of those that are equally near, what is written of first goes on first, as in `SimGrid`.
    fn ways_from(&self, from: u32) -> Vec<Option<u32>> {
        let mut parts = BTreeMap::<u32, Vec<(u32, usize)>>::new();
        let mut places = vec![None; self.count as usize];
        let ends = self.parts.iter().flat_map(|(first, last, _)| [*first, *last]);
        for (place, end) in (0u32..).zip(ends) {
            places[end as usize].get_or_insert(place);
        }
        for (first, last, hop) in &self.parts {
            parts.entry(*first).or_default().push((*last, hop.links.len()));
        }
        let mut before = vec![None; self.count as usize];
        let mut lengths = vec![usize::MAX; self.count as usize];
        lengths[from as usize] = 0;
        let mut near = BinaryHeap::from([Reverse((0, places[from as usize], from))]);
        while let Some(Reverse((length, _, at))) = near.pop() {
            for &(next, more) in parts.get(&at).into_iter().flatten() {
                if length + more < lengths[next as usize] {
                    lengths[next as usize] = length + more;
                    before[next as usize] = Some(at);
                    near.push(Reverse((length + more, places[next as usize], next)));
                }
            }
        }
        before
    }
}

/// Parts one after another; within a zone between two of them, the route between its gateways.
fn join(inside: &Inside<'_>, parts: &[&Hop], hop: &mut Hop) -> Option<()> {
    let mut entered: Option<PointId> = None;
    for part in parts {
        let (left, enters) = part.gateways;
        if let Some((entry, out)) = entered.zip(left).filter(|(entry, out)| entry != out) {
            inside(entry, out, &mut hop.links)?;
        }
        hop.links.extend(&part.links);
        entered = enters;
    }
    hop.gateways = (parts.first()?.gateways.0, parts.last()?.gateways.1);
    Some(())
}
