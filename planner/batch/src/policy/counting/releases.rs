//! When running jobs give their machines back at the latest, in order.
//!
//! A sorted list in chunks that know how many machines they give back: inserting and removing cost
//! the square root of the running jobs or less, and the instant from which enough machines are free
//! is found by skipping chunks.

use crate::scheduler::JobKey;
use crate::time::Time;

/// Chunks are split when they are full.
const FULL: usize = 128;

/// A running job's latest end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Release {
    /// The instant.
    pub at: Time,
    /// The job.
    pub key: JobKey,
    /// How many machines.
    pub nodes: u32,
}

/// When enough machines are free, and how many more than enough are free then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shadow {
    /// The instant from which it holds.
    pub at: Time,
    /// Machines that are free then beside those that are needed.
    pub extra: u32,
}

#[derive(Debug, Default)]
struct Chunk {
    nodes: u64,
    /// By instant, then by key; never empty.
    releases: Vec<Release>,
}

/// The releases of all running jobs.
#[derive(Debug, Default)]
pub struct Releases {
    chunks: Vec<Chunk>,
}

impl Releases {
    /// The chunk in which a release belongs.
    fn chunk(&self, at: Time, key: JobKey) -> usize {
        let before = |chunk: &Chunk| {
            chunk.releases.last().is_some_and(|last| (last.at, last.key) < (at, key))
        };
        self.chunks.partition_point(before)
    }

    /// Adds one.
    pub fn insert(&mut self, release: Release) {
        if self.chunks.is_empty() {
            self.chunks.push(Chunk::default());
        }
        let index = self.chunk(release.at, release.key).min(self.chunks.len() - 1);
        let chunk = &mut self.chunks[index];
        let place = (release.at, release.key);
        let position = chunk.releases.partition_point(|other| (other.at, other.key) < place);
        chunk.releases.insert(position, release);
        chunk.nodes += u64::from(release.nodes);
        if chunk.releases.len() == FULL {
            let later = chunk.releases.split_off(FULL / 2);
            let nodes = later.iter().map(|release| u64::from(release.nodes)).sum();
            chunk.nodes -= nodes;
            self.chunks.insert(index + 1, Chunk { nodes, releases: later });
        }
    }

    /// Removes one, if it is there.
    pub fn remove(&mut self, at: Time, key: JobKey) {
        let index = self.chunk(at, key);
        let Some(chunk) = self.chunks.get_mut(index) else { return };
        let place = |release: &Release| (release.at, release.key);
        if let Ok(position) = chunk.releases.binary_search_by_key(&(at, key), place) {
            chunk.nodes -= u64::from(chunk.releases.remove(position).nodes);
            if chunk.releases.is_empty() {
                self.chunks.remove(index);
            }
        }
    }

    /// Removes and returns the first, if it is at `now` or before.
    pub fn pop_until(&mut self, now: Time) -> Option<Release> {
        let first = *self.chunks.first()?.releases.first()?;
        (first.at <= now).then(|| {
            self.remove(first.at, first.key);
            first
        })
    }

    /// The instant from which `needed` machines are free when `free` are free now, if nobody starts
    /// meanwhile; `None` when they never are.
    pub fn shadow(&self, free: u32, needed: u32) -> Option<Shadow> {
        let mut available = u64::from(free);
        let needed = u64::from(needed);
        let mut chunks = self.chunks.iter().peekable();
        while let Some(chunk) = chunks.peek() {
            if available + chunk.nodes >= needed {
                break;
            }
            available += chunk.nodes;
            chunks.next();
        }
        let mut reached = None;
        for release in chunks.flat_map(|chunk| &chunk.releases) {
            if reached.is_some_and(|at| at != release.at) {
                break;
            }
            available += u64::from(release.nodes);
            if available >= needed {
                reached = Some(release.at);
            }
        }
        let extra = u32::try_from(available.saturating_sub(needed)).unwrap_or(u32::MAX);
        reached.map(|at| Shadow { at, extra })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a plain list, with more releases than a chunk holds.
        #[test]
        fn finds_the_shadow_of_a_plain_list(
            inserted in prop::collection::vec((0_i64..40, 1_u32..5), 1..400),
            removed in prop::collection::vec(0_usize..400, 0..300),
            needed in 1_u32..900,
        ) {
            let mut releases = Releases::default();
            let mut list = Vec::new();
            for (number, (at, nodes)) in (0..).zip(inserted) {
                let release = Release { at: Time::from_seconds(at), key: JobKey(number), nodes };
                releases.insert(release);
                list.push(release);
            }
            for index in removed {
                if index < list.len() {
                    let release = list.swap_remove(index);
                    releases.remove(release.at, release.key);
                }
            }
            list.sort_by_key(|release| (release.at, release.key));
            let all = releases.chunks.iter().flat_map(|chunk| &chunk.releases).copied();
            prop_assert_eq!(all.collect::<Vec<_>>(), list.clone());
            let until = |at: Time| -> u32 {
                list.iter().filter(|release| release.at <= at).map(|release| release.nodes).sum()
            };
            let expected = list.iter().find(|release| 3 + until(release.at) >= needed).map(|release| {
                Shadow { at: release.at, extra: 3 + until(release.at) - needed }
            });
            prop_assert_eq!(releases.shadow(3, needed), expected);
        }
    }
}
