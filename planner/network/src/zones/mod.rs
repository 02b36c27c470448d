//! What zones know of the routes in them.

pub(crate) mod dragonfly;
pub(crate) mod fat_tree;
pub(crate) mod shortest;
pub(crate) mod star;
pub(crate) mod table;
pub(crate) mod torus;

use crate::parts::{LinkId, PointId};

/// The route between two of what is in a zone; its links are added to those that are there.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Hop {
    pub(crate) links: Vec<LinkId>,
    /// Where it leaves a zone that it begins in, and enters one that it ends in.
    pub(crate) gateways: (Option<PointId>, Option<PointId>),
}

/// Appends the links between two points of what is in a zone; `None` where there is no route.
pub(crate) type Inside<'a> = dyn Fn(PointId, PointId, &mut Vec<LinkId>) -> Option<()> + 'a;

impl Hop {
    /// Goes on as is written.
    fn take_over(&mut self, written: &Self) {
        self.links.extend(&written.links);
        self.gateways = written.gateways;
    }
}

/// A link in each direction; twice the same where both directions share one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Pair {
    pub(crate) up: LinkId,
    pub(crate) down: LinkId,
}

/// How a zone finds routes.
#[derive(Debug)]
pub(crate) enum Routing {
    /// There are none.
    None,
    Table(table::Table),
    Shortest(shortest::Shortest),
    Star(star::Star),
    FatTree(fat_tree::FatTree),
    Torus(torus::Torus),
    Dragonfly(dragonfly::Dragonfly),
}

impl Routing {
    /// The route from one to another of what is in the zone, by ranks; `None` where there is none.
    pub(crate) fn hop(
        &self,
        inside: &Inside<'_>,
        [from, to]: [u32; 2],
        hop: &mut Hop,
    ) -> Option<()> {
        match self {
            Self::None => None,
            Self::Table(table) => table.hop(from, to, hop),
            Self::Shortest(shortest) => shortest.hop(inside, from, to, hop),
            Self::Star(star) => star.hop(from, to, hop),
            // As in SimGrid, the router of a shaped cluster is beside each of its hosts.
            _ if self.hosts().is_some_and(|hosts| from.max(to) >= hosts) => Some(()),
            Self::FatTree(tree) => tree.hop(from, to, hop),
            Self::Torus(torus) => torus.hop(from, to, hop),
            Self::Dragonfly(dragonfly) => dragonfly.hop(from, to, hop),
        }
    }

    /// How many hosts a shaped cluster has, which come before its router.
    fn hosts(&self) -> Option<u32> {
        match self {
            Self::FatTree(tree) => tree.shape.hosts(),
            Self::Torus(torus) => Some(torus.dimensions.iter().product()),
            Self::Dragonfly(dragonfly) => dragonfly.shape.all_hosts(),
            _ => None,
        }
    }
}
