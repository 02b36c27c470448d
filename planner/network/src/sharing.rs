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
    /// Of resources that it uses at all: with weights above nothing.
    pub(crate) uses: Vec<Use>,
    /// The most that its rate can be.
    pub(crate) bound: Option<f64>,
}

/// A resource while rates are found.
#[derive(Clone, Copy, Debug, Default)]
struct Offer {
    left: f64,
    /// What it offers to each activity in this round.
    part: f64,
    /// Activities that are not held back; one that names it twice counts twice.
    free: u32,
    /// Those that use it: where they are in the list of all, and how many.
    first: u32,
    users: u32,
    live: bool,
}

/// An activity while its rate is found.
#[derive(Clone, Copy, Debug)]
struct Advance {
    rate: f64,
    /// By how much the rate rose when it rose last.
    rise: f64,
    held: bool,
}

/// Finds rates; what it needs for that is kept from one time to the next.
#[derive(Debug)]
pub(crate) struct Sharing {
    resources: Vec<Resource>,
    offers: Vec<Offer>,
    advances: Vec<Advance>,
    /// The activities that use a resource, and at which weight, resource by resource.
    users: Vec<(u32, f64)>,
    /// Resources that somebody uses and that have something left.
    live: Vec<u32>,
    /// How many activities are not held back.
    free: usize,
}

impl Sharing {
    pub(crate) fn of(resources: Vec<Resource>) -> Self {
        let offers = vec![Offer::default(); resources.len()];
        let (advances, users, live) = (Vec::new(), Vec::new(), Vec::new());
        Self { resources, offers, advances, users, live, free: 0 }
    }

    pub(crate) fn resources(&self) -> &[Resource] {
        &self.resources
    }

    pub(crate) fn set_capacity(&mut self, resource: u32, capacity: f64) {
        self.resources[resource as usize].capacity = capacity;
    }

    /// The rates of activities: each a second's part of what an activity is in all.
    pub(crate) fn rates(&mut self, activities: &[&Activity]) -> impl Iterator<Item = f64> {
        self.begin(activities);
        while self.free > 0 {
            self.offer();
            self.advance(activities);
            self.use_up(activities);
        }
        for resource in self.live.drain(..) {
            self.offers[resource as usize].live = false;
        }
        self.advances.iter().map(|advance| advance.rate)
    }

    fn begin(&mut self, activities: &[&Activity]) {
        let Self { resources, offers, advances, users, live, .. } = self;
        advances.clear();
        for activity in activities {
            // What uses nothing is done at once.
            let works = !activity.uses.is_empty();
            let rate = if works { 0.0 } else { 1.0 };
            advances.push(Advance { rate, rise: 0.0, held: !works });
            for of in &activity.uses {
                let offer = &mut offers[of.resource as usize];
                if !offer.live {
                    let left = resources[of.resource as usize].capacity;
                    *offer = Offer { left, live: true, ..Offer::default() };
                    live.push(of.resource);
                }
                offer.free += 1;
            }
        }
        let mut first = 0;
        for &resource in &*live {
            let offer = &mut offers[resource as usize];
            offer.first = first;
            first += offer.free;
        }
        users.clear();
        users.resize(first as usize, (0, 0.0));
        for (activity, number) in activities.iter().zip(0u32..) {
            for of in &activity.uses {
                let offer = &mut offers[of.resource as usize];
                users[(offer.first + offer.users) as usize] = (number, of.weight);
                offer.users += 1;
            }
        }
        self.free = advances.iter().filter(|advance| !advance.held).count();
    }

    /// Each resource offers what it has left.
    fn offer(&mut self) {
        let Self { resources, offers, live, .. } = self;
        live.retain(|&resource| {
            let offer = &mut offers[resource as usize];
            let parts = if resources[resource as usize].fatpipe { 1 } else { offer.free };
            (offer.live, offer.part) = (offer.free > 0, offer.left / f64::from(parts));
            offer.live
        });
    }

    /// Each activity that is not held back takes what the scarcest of its resources offers.
    fn advance(&mut self, activities: &[&Activity]) {
        for (number, activity) in activities.iter().enumerate() {
            let advance = &mut self.advances[number];
            if advance.held {
                continue;
            }
            let part = |of: &Use| self.offers[of.resource as usize].part / of.weight;
            let mut rise = activity.uses.iter().map(part).fold(f64::MAX, f64::min);
            if let Some(bound) = activity.bound {
                rise = rise.min(bound - advance.rate);
            }
            advance.rise = rise;
            advance.rate += rise;
            #[expect(clippy::float_cmp, reason = "the bound itself was added to")]
            if activity.bound.is_some_and(|bound| advance.rate == bound) {
                self.hold(activities, number);
            }
        }
    }

    /// What was taken is no longer left, and what has nothing left holds its activities back.
    fn use_up(&mut self, activities: &[&Activity]) {
        for place in 0..self.live.len() {
            let resource = self.live[place] as usize;
            let offer = &mut self.offers[resource];
            let users = offer.first as usize..(offer.first + offer.users) as usize;
            let advances = &self.advances;
            let taken = self.users[users.clone()]
                .iter()
                .map(|&(user, weight)| weight * advances[user as usize].rise);
            if self.resources[resource].fatpipe {
                offer.part = taken.fold(offer.part, f64::min);
                offer.left = without(offer.left, offer.part);
            } else {
                offer.left = taken.fold(offer.left, without);
            }
            if offer.left <= 0.0 {
                offer.live = false;
                for user in users {
                    self.hold(activities, self.users[user].0 as usize);
                }
            }
        }
        let offers = &self.offers;
        self.live.retain(|&resource| offers[resource as usize].live);
    }

    fn hold(&mut self, activities: &[&Activity], number: usize) {
        let advance = &mut self.advances[number];
        if std::mem::replace(&mut advance.held, true) {
            return;
        }
        self.free -= 1;
        for of in &activities[number].uses {
            self.offers[of.resource as usize].free -= 1;
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
        let mut sharing = Sharing::of(resources.to_vec());
        // What was found before has no influence.
        let _ = sharing.rates(&activities.iter().rev().collect::<Vec<_>>()).count();
        sharing.rates(&activities.iter().collect::<Vec<_>>()).collect()
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
        let activities = [bounded, activity(&[(0, 1.0)]), activity(&[])];
        assert_eq!(found(&[shared(100.0)], &activities), [20.0, 80.0, 1.0]);
    }
}
