//! Lower bounds of the earliest places in a profile, so that a search need not begin now.
//!
//! A bound says that no `nodes` machines are free for `duration` from any instant before it. It holds
//! for more machines and longer durations too, and as long as machines are only taken; what is given
//! back moves those bounds that have new room there.

use super::profile::Profile;
use crate::time::Time;

/// No `nodes` machines are free for `duration` from any instant before `before`.
#[derive(Clone, Copy, Debug)]
struct Bound {
    nodes: u32,
    duration: Time,
    before: Time,
}

impl Bound {
    /// Bounds are kept one for each order of magnitude.
    fn magnitude(nodes: u32, duration: Time) -> (u32, u32) {
        (nodes.leading_zeros(), duration.as_micros().leading_zeros())
    }
}

/// What is known of a profile.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    all: Vec<Bound>,
}

impl Bounds {
    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.all.clear();
    }

    /// From when on a place is to be sought, by one who may have less than `duration` if it ends at
    /// `limit`.
    pub fn from(&self, now: Time, nodes: u32, duration: Time, limit: Time) -> Time {
        let holds = |bound: &&Bound| bound.nodes <= nodes && bound.duration <= duration;
        let of = |bound: &Bound| bound.before.min(limit - bound.duration);
        self.all.iter().filter(holds).map(of).fold(now, Time::max)
    }

    /// There is no place before this instant.
    pub fn learn(&mut self, nodes: u32, duration: Time, before: Time) {
        let magnitude = Bound::magnitude(nodes, duration);
        let same = |bound: &&mut Bound| Bound::magnitude(bound.nodes, bound.duration) == magnitude;
        let new = Bound { nodes, duration, before };
        match self.all.iter_mut().find(same) {
            None => self.all.push(new),
            Some(old) => {
                let wider = nodes <= old.nodes && duration <= old.duration;
                if wider || before >= old.before {
                    *old = new;
                }
            }
        }
    }

    /// Machines were given back from `start` to `end`.
    pub fn given(&mut self, profile: &Profile, start: Time, end: Time) {
        for bound in &mut self.all {
            let reached = start - bound.duration;
            if bound.before > reached
                && profile.has_room_about(start, end, bound.nodes, bound.duration)
            {
                bound.before = reached;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const MACHINES: u32 = 8;

    proptest! {
        /// Searches from bounds find what searches from the beginning find, while places are taken,
        /// moved and given back; and the profiles are the same.
        #[test]
        fn bounds_change_nothing(
            jobs in prop::collection::vec((1_u32..=MACHINES, 1_i64..12, 1_i64..12), 1..60),
            rounds in 1_usize..4,
        ) {
            let now = Time::ZERO;
            let mut profile = Profile::new(MACHINES);
            profile.advance(now);
            let mut bounds = Bounds::default();
            let mut places = Vec::new();
            for (nodes, duration, shorter) in jobs {
                let (duration, shorter) = (Time::from_seconds(duration), Time::from_seconds(shorter));
                let from = bounds.from(now, nodes, duration, Time::FOREVER);
                let found = profile.earliest(from, nodes, duration, Time::FOREVER);
                prop_assert_eq!(found, profile.earliest(now, nodes, duration, Time::FOREVER));
                let start = found.unwrap();
                profile.take(start, start + duration, nodes);
                bounds.learn(nodes, duration, start);
                places.push((nodes, duration, start, shorter));
            }
            for round in 0..rounds {
                for (nodes, duration, start, shorter) in places.iter_mut().skip(round).step_by(5) {
                    let end = *start + *duration;
                    *duration = Time::min(*duration, *shorter);
                    profile.give(*start + *duration, end, *nodes);
                    bounds.given(&profile, *start + *duration, end);
                }
                for (nodes, duration, start, _) in &mut places {
                    let (nodes, duration) = (*nodes, *duration);
                    let from = bounds.from(now, nodes, duration, *start);
                    let found = profile.earliest(from, nodes, duration, *start);
                    prop_assert_eq!(found, profile.earliest(now, nodes, duration, *start));
                    let to = found.unwrap_or(*start);
                    if to < *start {
                        profile.shift(*start, to, duration, nodes);
                        bounds.given(&profile, Time::max(*start, to + duration), *start + duration);
                        *start = to;
                    }
                    bounds.learn(nodes, duration, to);
                }
            }
        }
    }
}
