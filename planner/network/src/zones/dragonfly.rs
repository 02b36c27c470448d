//! Dragonflies: routers of a chassis all joined to each other (green), those of the same blade across the chassis of a
//! group (black), and groups by one link for each two (blue), at the blade of the first chassis that has the number of
//! the other group. Routes are the shortest.

use super::{Hop, Pair};
use crate::parts::LinkId;

/// How many there are, and how many links each bundle has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DragonflyShape {
    pub(crate) groups: u32,
    pub(crate) blue: u32,
    pub(crate) chassis: u32,
    pub(crate) black: u32,
    pub(crate) blades: u32,
    pub(crate) green: u32,
    pub(crate) hosts: u32,
}

/// What a link of a dragonfly joins.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Joins {
    /// A router and one of its hosts, by its place.
    Host { router: u32, place: u32 },
    /// Two blades of a chassis.
    Green { chassis: u32, blades: [u32; 2] },
    /// Two chassis of a group, each at a blade of the same number.
    Black { group: u32, chassis: [u32; 2], blade: u32 },
    /// Two groups, at two routers.
    Blue { groups: [u32; 2], routers: [u32; 2] },
}

#[derive(Clone, Debug)]
pub(crate) struct Dragonfly {
    pub(crate) shape: DragonflyShape,
    /// From hosts to routers, host by host.
    own: Vec<Pair>,
    routers: Vec<Router>,
    pub(crate) limiters: Vec<LinkId>,
    pub(crate) loopbacks: Vec<LinkId>,
}

/// The links that go out of a router: by blade, by chassis, and to another group.
#[derive(Clone, Debug)]
struct Router {
    green: Vec<Option<LinkId>>,
    black: Vec<Option<LinkId>>,
    blue: Option<LinkId>,
}

/// Where a router is.
#[derive(Clone, Copy)]
struct Place {
    group: u32,
    chassis: u32,
    blade: u32,
}

impl DragonflyShape {
    /// How many hosts it has.
    pub(crate) fn all_hosts(&self) -> Option<u32> {
        self.groups.checked_mul(self.chassis)?.checked_mul(self.blades)?.checked_mul(self.hosts)
    }

    const fn router(&self, place: Place) -> u32 {
        (place.group * self.chassis + place.chassis) * self.blades + place.blade
    }

    const fn place_of(&self, router: u32) -> Place {
        let chassis = router / self.blades;
        Place {
            group: chassis / self.chassis,
            chassis: chassis % self.chassis,
            blade: router % self.blades,
        }
    }
}

impl Dragonfly {
    /// A dragonfly whose links are made by `link`, for what they join and how many a bundle has.
    pub(crate) fn new(shape: DragonflyShape, mut link: impl FnMut(Joins, u32) -> Pair) -> Self {
        let router = Router {
            green: vec![None; shape.blades as usize],
            black: vec![None; shape.chassis as usize],
            blue: None,
        };
        let count = shape.groups * shape.chassis * shape.blades;
        let mut routers = vec![router; count as usize];
        let each = (0..count).flat_map(|router| (0..shape.hosts).map(move |place| (router, place)));
        let own = each.map(|(router, place)| link(Joins::Host { router, place }, 1)).collect();
        for chassis in 0..shape.groups * shape.chassis {
            for [j, k] in pairs(shape.blades) {
                let in_group = chassis % shape.chassis;
                let pair = link(Joins::Green { chassis: in_group, blades: [j, k] }, shape.green);
                let router = |blade: u32| (chassis * shape.blades + blade) as usize;
                routers[router(j)].green[k as usize] = Some(pair.up);
                routers[router(k)].green[j as usize] = Some(pair.down);
            }
        }
        for group in 0..shape.groups {
            for [j, k] in pairs(shape.chassis) {
                for blade in 0..shape.blades {
                    let joins = Joins::Black { group, chassis: [j, k], blade };
                    let pair = link(joins, shape.black);
                    let router = |chassis| shape.router(Place { group, chassis, blade }) as usize;
                    routers[router(j)].black[k as usize] = Some(pair.up);
                    routers[router(k)].black[j as usize] = Some(pair.down);
                }
            }
        }
        for [i, j] in pairs(shape.groups) {
            let at = |group, other| shape.router(Place { group, chassis: 0, blade: other });
            let ends = [at(i, j), at(j, i)];
            let pair = link(Joins::Blue { groups: [i, j], routers: ends }, shape.blue);
            for (end, out) in ends.into_iter().zip([pair.up, pair.down]) {
                // Where there are fewer blades than groups, none is at that place.
                if let Some(router) = routers.get_mut(end as usize) {
                    router.blue = Some(out);
                }
            }
        }
        Self { shape, own, routers, limiters: Vec::new(), loopbacks: Vec::new() }
    }

    pub(crate) fn hop(&self, from: u32, to: u32, hop: &mut Hop) -> Option<()> {
        if let Some(&loopback) = self.loopbacks.get(from as usize).filter(|_| from == to) {
            hop.links.push(loopback);
            return Some(());
        }
        let (shape, links) = (&self.shape, &mut hop.links);
        let mut at = shape.place_of(from / shape.hosts);
        let target = shape.place_of(to / shape.hosts);
        links.push(self.own.get(from as usize)?.up);
        links.extend(self.limiters.get(from as usize));
        if at.group != target.group {
            if at.blade != target.group {
                links.push(self.out_of(at)?.green.get(target.group as usize).copied()??);
                at.blade = target.group;
            }
            if at.chassis != 0 {
                links.push(self.out_of(at)?.black[0]?);
                at.chassis = 0;
            }
            links.push(self.out_of(at)?.blue?);
            at = Place { group: target.group, chassis: 0, blade: at.group };
        }
        if at.blade != target.blade {
            links.push(self.out_of(at)?.green[target.blade as usize]?);
            // As in SimGrid, which goes on from the first chassis, also where this was another one.
            at = Place { chassis: 0, ..target };
        }
        if at.chassis != target.chassis {
            links.push(self.out_of(at)?.black[target.chassis as usize]?);
        }
        links.extend(self.limiters.get(to as usize));
        links.push(self.own.get(to as usize)?.down);
        Some(())
    }

    fn out_of(&self, place: Place) -> Option<&Router> {
        self.routers.get(self.shape.router(place) as usize)
    }
}

/// Each two of so many.
fn pairs(count: u32) -> impl Iterator<Item = [u32; 2]> {
    (0..count).flat_map(move |first| (first + 1..count).map(move |second| [first, second]))
}
