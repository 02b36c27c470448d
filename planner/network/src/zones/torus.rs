//! Tori: hosts at the points of a grid whose ends meet. A route goes along one dimension after the other, the shorter way.

use super::{Hop, Pair};
use crate::parts::LinkId;

#[derive(Clone, Debug)]
pub(crate) struct Torus {
    /// How many hosts there are along each dimension.
    pub(crate) dimensions: Vec<u32>,
    /// The links of each host to the next along each dimension, host by host.
    pub(crate) links: Vec<Pair>,
    /// Of each host, where there are any.
    pub(crate) limiters: Vec<LinkId>,
    pub(crate) loopbacks: Vec<LinkId>,
}

impl Torus {
    /// The next along a dimension, whose neighbours are `stride` apart.
    pub(crate) const fn next(rank: u32, size: u32, stride: u32) -> u32 {
        if (rank / stride) % size == size - 1 { rank - (size - 1) * stride } else { rank + stride }
    }

    pub(crate) fn hop(&self, from: u32, to: u32, hop: &mut Hop) -> Option<()> {
        if let Some(&loopback) = self.loopbacks.get(from as usize).filter(|_| from == to) {
            hop.links.push(loopback);
            return Some(());
        }
        let mut at = from;
        let mut stride = 1;
        for (dimension, &size) in self.dimensions.iter().enumerate() {
            let place = |rank: u32| (rank / stride) % size;
            let (first, target) = (place(from), place(to));
            let half = size / 2;
            let forth = (target > first && target <= first + half)
                || (first > half && (first + half) % size >= target);
            while place(at) != target {
                let (owner, next) = if forth {
                    (at, Self::next(at, size, stride))
                } else {
                    let before =
                        if place(at) == 0 { at + (size - 1) * stride } else { at - stride };
                    (before, before)
                };
                hop.links.extend(self.limiters.get(at as usize));
                let pair = self.links.get(owner as usize * self.dimensions.len() + dimension)?;
                hop.links.push(if forth { pair.up } else { pair.down });
                at = next;
            }
            stride *= size;
        }
        hop.links.extend(self.limiters.get(to as usize));
        Some(())
    }
}
