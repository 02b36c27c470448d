//! How activities share resources: bottleneck max-min fairness, as `SimGrid`'s solver `fairbottleneck` reckons it.
//!
//! An activity advances at one rate, and uses each of its resources at that rate times a weight. All activities advance
//! at once: in each round a resource offers what it has left in equal parts to the activities that are not yet held back,
//! and an activity takes as much as the scarcest of its resources offers. A resource with nothing left holds its
//! activities back; so does the bound of an activity. It ends when all are held back (the Batsim thesis, 4.4; H. Casanova,
//! A. Giersch, A. Legrand, M. Quinson, F. Suter 2014, 3.2).
//!
//! One thing is `SimGrid`'s own, and kept so that both give the same: an activity that is held back takes its last part
//! again, in each later round, from those of its resources that have something left.

/// Less than this is nothing, in the unit of a resource's capacity (`SimGrid`'s `precision/work-amount`).
const NOTHING: f64 = 1e-5;

/// What is shared: the speed of a host, operations a second, or the bandwidth of a link, bytes a second.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resource {
    pub(crate) capacity: f64,
    /// Whether each activity has all of it, whatever others use.
    pub(crate) fatpipe: bool,
}

/// What an activity uses of a resource, at a rate of 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub(crate) resource: u32,
    pub(crate) weight: f64,
}

/// Something that advances.
#[derive(Clone, Debug)]
pub(crate) struct Activity {
    pub(crate) uses: Vec<Use>,
    /// The most that its rate can be.
    pub(crate) bound: Option<f64>,
}

/// A resource while rates are found.
struct Offer {
    left: f64,
    /// What it offers to each activity in this round.
    part: f64,
    /// Activities that are not held back, and what they use; one that names it twice counts twice.
    users: u32,
    live: bool,
}

/// An activity while its rate is found.
struct Advance {
    rate: f64,
    /// By how much the rate rose when it rose last.
    rise: f64,
    held: bool,
}

/// The rates of activities: each a second's part of what an activity is in all.
pub(crate) fn rates(resources: &[Resource], activities: &[&Activity]) -> Vec<f64> {
    let mut sharing = Sharing::of(resources, activities);
    while sharing.free > 0 {
        sharing.offer();
        sharing.advance();
        sharing.use_up();
    }
    sharing.advances.iter().map(|advance| advance.rate).collect()
}

struct Sharing<'a> {
    resources: &'a [Resource],
    activities: &'a [&'a Activity],
    offers: Vec<Offer>,
    advances: Vec<Advance>,
    /// Who uses a resource, and at which weight.
    users: Vec<Vec<(u32, f64)>>,
    /// Resources that somebody uses and that have something left.
    live: Vec<u32>,
    /// How many activities are not held back.
    free: usize,
}

impl<'a> Sharing<'a> {
    fn of(resources: &'a [Resource], activities: &'a [&'a Activity]) -> Self {
        let offer = |resource: &Resource| Offer {
            left: resource.capacity,
            part: 0.0,
            users: 0,
            live: false,
        };
        let mut offers: Vec<Offer> = resources.iter().map(offer).collect();
        let mut users = vec![Vec::new(); resources.len()];
        let mut live = Vec::new();
        let mut advances = Vec::with_capacity(activities.len());
        for (activity, number) in activities.iter().zip(0u32..) {
            let works = activity.uses.iter().any(|of| of.weight > 0.0);
            // What uses nothing is done at once.
            let rate = if works { 0.0 } else { 1.0 };
            advances.push(Advance { rate, rise: 0.0, held: !works });
            for of in activity.uses.iter().filter(|of| of.weight > 0.0) {
                let offer = &mut offers[of.resource as usize];
                if !offer.live {
                    offer.live = true;
                    live.push(of.resource);
                }
                offer.users += 1;
                users[of.resource as usize].push((number, of.weight));
            }
        }
        let free = advances.iter().filter(|advance| !advance.held).count();
        Self { resources, activities, offers, advances, users, live, free }
    }

    /// Each resource offers what it has left.
    fn offer(&mut self) {
        let Self { resources, offers, live, .. } = self;
        live.retain(|&resource| {
            let offer = &mut offers[resource as usize];
            let parts = if resources[resource as usize].fatpipe { 1 } else { offer.users };
            (offer.live, offer.part) = (offer.users > 0, offer.left / f64::from(parts));
            offer.live
        });
    }

    /// Each activity that is not held back takes what the scarcest of its resources offers.
    fn advance(&mut self) {
        for number in 0..self.activities.len() {
            let activity = self.activities[number];
            let advance = &mut self.advances[number];
            if advance.held {
                continue;
            }
            let part = |of: &Use| self.offers[of.resource as usize].part / of.weight;
            let working = activity.uses.iter().filter(|of| of.weight > 0.0);
            let mut rise = working.map(part).fold(f64::MAX, f64::min);
            if let Some(bound) = activity.bound {
                rise = rise.min(bound - advance.rate);
            }
            advance.rise = rise;
            advance.rate += rise;
            #[expect(clippy::float_cmp, reason = "the bound itself was added to")]
            if activity.bound.is_some_and(|bound| advance.rate == bound) {
                self.hold(number);
            }
        }
    }

    /// What was taken is no longer left, and what has nothing left holds its activities back.
    fn use_up(&mut self) {
        for place in 0..self.live.len() {
            let resource = self.live[place] as usize;
            let advances = &self.advances;
            let taken = self.users[resource]
                .iter()
                .map(|&(user, weight)| weight * advances[user as usize].rise);
            let offer = &mut self.offers[resource];
            if self.resources[resource].fatpipe {
                offer.part = taken.fold(offer.part, f64::min);
                offer.left = without(offer.left, offer.part);
            } else {
                offer.left = taken.fold(offer.left, without);
            }
            if offer.left <= 0.0 {
                offer.live = false;
                for user in 0..self.users[resource].len() {
                    self.hold(self.users[resource][user].0 as usize);
                }
            }
        }
        let offers = &self.offers;
        self.live.retain(|&resource| offers[resource as usize].live);
    }

    fn hold(&mut self, number: usize) {
        let advance = &mut self.advances[number];
        if std::mem::replace(&mut advance.held, true) {
            return;
        }
        self.free -= 1;
        for of in self.activities[number].uses.iter().filter(|of| of.weight > 0.0) {
            self.offers[of.resource as usize].users -= 1;
        }
    }
}

/// What is left of something, of which less than nearly nothing is nothing.
fn without(left: f64, taken: f64) -> f64 {
    let left = left - taken;
    if left < NOTHING { 0.0 } else { left }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(capacity: f64) -> Resource {
        Resource { capacity, fatpipe: false }
    }

    fn activity(uses: &[(u32, f64)]) -> Activity {
        let uses = uses.iter().map(|&(resource, weight)| Use { resource, weight }).collect();
        Activity { uses, bound: None }
    }

    fn found(resources: &[Resource], activities: &[Activity]) -> Vec<f64> {
        rates(resources, &activities.iter().collect::<Vec<_>>())
    }

    /// Two on a link of 100: 50 each; of 10 bytes in all, 5 a second; of 25 bytes, 2 a second.
    #[test]
    fn a_link_is_shared_in_equal_parts() {
        assert_eq!(
            found(&[shared(100.0)], &[activity(&[(0, 10.0)]), activity(&[(0, 25.0)])]),
            [5.0, 2.0]
        );
        let fatpipe = Resource { fatpipe: true, ..shared(100.0) };
        assert_eq!(
            found(&[fatpipe], &[activity(&[(0, 10.0)]), activity(&[(0, 25.0)])]),
            [10.0, 4.0]
        );
    }

    /// The first is held back by the second link, at 10 of the 50 that the first link offers it. The second has the
    /// other 50 and is not held back. Of the 100, 40 are left; the first takes its 10 again, as in `SimGrid`, while the
    /// second takes all 40: the second has 90.
    #[test]
    fn what_one_leaves_another_takes() {
        let resources = [shared(100.0), shared(10.0)];
        let activities = [activity(&[(0, 1.0), (1, 1.0)]), activity(&[(0, 1.0)])];
        assert_eq!(found(&resources, &activities), [10.0, 90.0]);
    }

    /// Bounds hold back as resources do; what uses nothing is done at once.
    #[test]
    fn bounds_hold_back() {
        let bounded = Activity { bound: Some(20.0), ..activity(&[(0, 1.0)]) };
        let activities = [bounded, activity(&[(0, 1.0)]), activity(&[(0, 0.0)])];
        assert_eq!(found(&[shared(100.0)], &activities), [20.0, 80.0, 1.0]);
    }
}
