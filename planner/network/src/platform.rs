//! Hosts, links, and zones within zones, from which routes are reckoned and not stored.
//!
//! A zone knows the routes between what is directly in it: hosts, routers and other zones. A route between hosts of
//! different zones goes from the one to the gateway of its zone, over what the zone around both knows between the two,
//! and from the other's gateway on.

pub use crate::parts::{Host, HostId, Link, LinkId};
use crate::parts::{PointId, ZoneId};
use crate::zones::{Hop, Routing};

/// The links between two hosts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// In their order.
    pub links: Vec<LinkId>,
    /// Of all of them, seconds.
    pub latency: f64,
}

/// What is in a zone.
#[derive(Clone, Debug)]
pub(crate) struct Point {
    /// The zone that it is in; none around the outermost one.
    pub(crate) zone: Option<ZoneId>,
    /// The how manieth of its zone it is.
    pub(crate) rank: u32,
}

#[derive(Debug)]
pub(crate) struct Zone {
    pub(crate) point: PointId,
    pub(crate) routing: Routing,
    /// Routes that are taken before those of `routing`: between two of what is in the zone, or of zones somewhere in it.
    pub(crate) bypasses: Vec<([PointId; 2], Hop)>,
}

/// The link that a host has to itself where nothing is written of that.
pub const LOOPBACK_NAME: &str = "__loopback__";

/// The bytes of a window of TCP (`SimGrid`'s `network/TCP-gamma`).
pub(crate) const TCP_WINDOW: f64 = 4_194_304.0;

/// Why two hosts have no route.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no route from {from} to {to}")]
pub struct NoRoute {
    /// The name of the host that it begins at.
    pub from: Box<str>,
    /// The name of the host that it ends at.
    pub to: Box<str>,
}

/// A platform with its network.
#[derive(Debug, Default)]
pub struct Network {
    pub(crate) hosts: Vec<Host>,
    pub(crate) links: Vec<Link>,
    pub(crate) points: Vec<Point>,
    pub(crate) zones: Vec<Zone>,
    /// The points of hosts.
    pub(crate) point_of: Vec<PointId>,
}

impl Network {
    /// The hosts, in the order of the platform.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The links, in the order in which they were made.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// A host by its name.
    pub fn host(&self, name: &str) -> Option<HostId> {
        let place = self.hosts.iter().position(|host| &*host.name == name)?;
        u32::try_from(place).ok().map(HostId)
    }

    /// The route between two hosts.
    ///
    /// # Errors
    /// There is none.
    pub fn route(&self, from: HostId, to: HostId) -> Result<Route, NoRoute> {
        let mut links = Vec::new();
        self.links_between(from, to, &mut links)?;
        let latency = self.latency_of(&links);
        Ok(Route { links, latency })
    }

    /// How many seconds bytes take from one host to another while nothing else is on their way.
    ///
    /// # Errors
    /// There is no route.
    pub fn time_alone(&self, from: HostId, to: HostId, bytes: f64) -> Result<f64, NoRoute> {
        let Route { links, latency } = self.route(from, to)?;
        let window = if latency > 0.0 { TCP_WINDOW / (2.0 * latency) } else { f64::INFINITY };
        let bandwidths = links.iter().map(|link| self.links[link.0 as usize].bandwidth);
        Ok(latency + bytes / bandwidths.fold(window, f64::min))
    }

    /// Appends the links between two hosts.
    ///
    /// # Errors
    /// There is no route.
    pub(crate) fn links_between(
        &self,
        from: HostId,
        to: HostId,
        links: &mut Vec<LinkId>,
    ) -> Result<(), NoRoute> {
        let (first, last) = (self.point_of[from.0 as usize], self.point_of[to.0 as usize]);
        self.between(first, last, links).ok_or_else(|| {
            let name = |host: HostId| self.hosts[host.0 as usize].name.clone();
            NoRoute { from: name(from), to: name(to) }
        })
    }

    /// The latency of all of these links, seconds.
    pub(crate) fn latency_of(&self, links: &[LinkId]) -> f64 {
        links.iter().map(|link| self.links[link.0 as usize].latency).sum()
    }

    /// Appends the links between two points; `None` where there is no route.
    pub(crate) fn between(
        &self,
        from: PointId,
        to: PointId,
        links: &mut Vec<LinkId>,
    ) -> Option<()> {
        let [first, last] = [from, to].map(|point| &self.points[point.0 as usize]);
        if let Some(zone) = first.zone.filter(|_| first.zone == last.zone) {
            if let Some(bypass) = self.bypass(zone, [from, to]) {
                links.extend(&bypass.links);
                return Some(());
            }
            let inside = |from, to, links: &mut Vec<_>| self.between(from, to, links);
            let mut hop = Hop { links: std::mem::take(links), ..Hop::default() };
            let found =
                self.zones[zone.0 as usize].routing.hop(&inside, [first.rank, last.rank], &mut hop);
            *links = hop.links;
            return found;
        }
        let (zone, first, last) = self.around_both(from, to)?;
        if let Some(bypass) = self.bypass_of_zones(zone, [from, to]) {
            let (leave, enter) = bypass.gateways;
            self.between(from, leave?, links)?;
            links.extend(&bypass.links);
            return self.between(enter?, to, links);
        }
        let inside = |from, to, links: &mut Vec<_>| self.between(from, to, links);
        let mut hop = Hop::default();
        let ranks = [first, last].map(|point| self.points[point.0 as usize].rank);
        self.zones[zone.0 as usize].routing.hop(&inside, ranks, &mut hop)?;
        // Hosts and routers are their own gateways.
        let (leave, enter) = hop.gateways;
        if first != from && leave? != from {
            self.between(from, leave?, links)?;
        }
        links.append(&mut hop.links);
        if last != to && enter? != to {
            self.between(enter?, to, links)?;
        }
        Some(())
    }

    /// What bypasses a zone's own route between two points.
    fn bypass(&self, zone: ZoneId, between: [PointId; 2]) -> Option<&Hop> {
        let bypasses = &self.zones[zone.0 as usize].bypasses;
        bypasses.iter().find(|(ends, _)| *ends == between).map(|(_, hop)| hop)
    }

    /// What bypasses a zone's own route between zones in it that two points are in: the innermost zones first, as in
    /// `SimGrid`.
    fn bypass_of_zones(&self, zone: ZoneId, [from, to]: [PointId; 2]) -> Option<&Hop> {
        if self.zones[zone.0 as usize].bypasses.is_empty() {
            return None;
        }
        let zones_in = |point| {
            let around = self.way_out(point).into_iter();
            let inner = around.map(|(zone, _)| zone).take_while(|inner| *inner != zone);
            inner.map(|inner| self.zones[inner.0 as usize].point).collect::<Vec<PointId>>()
        };
        let (of_first, of_last) = (zones_in(from), zones_in(to));
        let of = |out: usize, other: usize| {
            self.bypass(zone, [*of_first.get(out)?, *of_last.get(other)?])
        };
        (0..of_first.len().max(of_last.len())).find_map(|most| {
            let less = (0..most).find_map(|less| of(less, most).or_else(|| of(most, less)));
            less.or_else(|| of(most, most))
        })
    }

    /// The innermost zone around two points, and what in it is or has each of them.
    fn around_both(&self, from: PointId, to: PointId) -> Option<(ZoneId, PointId, PointId)> {
        let (ways_out, others) = (self.way_out(from), self.way_out(to));
        let mut met = None;
        for ((zone, first), (other, last)) in ways_out.iter().rev().zip(others.iter().rev()) {
            if zone != other {
                break;
            }
            met = Some((*zone, *first, *last));
        }
        met
    }

    /// The zones around a point, from within, each with what in it is or has the point.
    fn way_out(&self, point: PointId) -> Vec<(ZoneId, PointId)> {
        let mut way = Vec::new();
        let mut inner = point;
        while let Some(zone) = self.points[inner.0 as usize].zone {
            way.push((zone, inner));
            inner = self.zones[zone.0 as usize].point;
        }
        way
    }
}
