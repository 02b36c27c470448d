//! Zones while they are read: what is in them, and the routes between it.

use std::collections::HashMap;

use super::{Element, NetworkXmlError};
use crate::parts::{Host, Link, LinkId, PointId, ZoneId};
use crate::platform::{LOOPBACK_NAME, Network, Point, Zone};
use crate::zones::shortest::{Search, Shortest};
use crate::zones::star::{Ray, Star};
use crate::zones::table::Table;
use crate::zones::{Hop, Pair, Routing};

/// Of what a host has to itself: bytes a second, and seconds (`SimGrid`'s `network/loopback-bw` and `-lat`).
const LOOPBACK: (f64, f64) = (498_000_000.0, 0.000_015);

/// How a link is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Policy {
    Shared,
    Fatpipe,
    /// A link in each direction.
    Split,
}

/// Which of the two links of a split one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
    None,
}

/// A link of a route, as it is written.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) link: String,
    pub(super) direction: Direction,
}

/// What a route is between.
#[derive(Debug)]
pub(super) struct Ends {
    name: String,
    kind: &'static str,
    points: [PointId; 2],
    gateways: [Option<PointId>; 2],
    symmetrical: bool,
}

impl Ends {
    fn wrong(&self, what: String) -> NetworkXmlError {
        NetworkXmlError::Element { element: self.kind, name: self.name.clone(), what }
    }
}

/// A network as far as it was read.
#[derive(Default)]
pub(super) struct Builder {
    pub(super) network: Network,
    points: HashMap<String, PointId>,
    links: HashMap<String, LinkId>,
    /// The zones around what is read, from without.
    open: Vec<Open>,
    loopback: Option<LinkId>,
    /// How many links of fat trees and of dragonflies there are: part of their names.
    pub(super) tree_links: u32,
    pub(super) dragonfly_links: u32,
}

/// A zone that is read.
struct Open {
    zone: ZoneId,
    /// How many are in it, and whether hosts are.
    count: u32,
    hosts: bool,
    backbone: Option<LinkId>,
}

impl Builder {
    /// Makes a zone in the one that is read, and reads that.
    pub(super) fn enter(&mut self, element: &Element<'_>) -> Result<(), NetworkXmlError> {
        let routing = match element.needed("routing")?.to_lowercase().as_str() {
            "full" => Routing::Table(Table::default()),
            "floyd" => Routing::Shortest(Shortest::new(Search::Floyd)),
            "dijkstra" | "dijkstracache" => Routing::Shortest(Shortest::new(Search::Dijkstra)),
            "cluster" => Routing::Star(Star::default()),
            "none" => Routing::None,
            other => return Err(element.wrong(format!("routing {other:?} is not read"))),
        };
        self.enter_zone(element, &element.needed("id")?, routing)
    }

    pub(super) fn enter_zone(
        &mut self,
        element: &Element<'_>,
        id: &str,
        routing: Routing,
    ) -> Result<(), NetworkXmlError> {
        let point = self.point(element, id)?;
        let zone = ZoneId(position(self.network.zones.len()));
        self.network.zones.push(Zone { point, routing, bypasses: Vec::new() });
        self.open.push(Open { zone, count: 0, hosts: false, backbone: None });
        Ok(())
    }

    /// Whether a zone has begun that has not ended.
    pub(super) const fn is_within_zone(&self) -> bool {
        !self.open.is_empty()
    }

    /// Ends the zone that is read.
    pub(super) fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        // In a zone of hosts, each of them reaches itself.
        let loops = matches!(
            self.network.zones[open.zone.0 as usize].routing,
            Routing::Table(_) | Routing::Shortest(_)
        );
        let loopback = (loops && open.hosts).then(|| self.loopback());
        match &mut self.network.zones[open.zone.0 as usize].routing {
            Routing::Table(table) => table.loopback = loopback,
            Routing::Shortest(shortest) => {
                (shortest.count, shortest.loopback) = (open.count, loopback);
            }
            Routing::Star(star) => {
                star.rays.resize_with(open.count as usize, Ray::default);
                for ray in &mut star.rays {
                    ray.up.extend(open.backbone);
                    ray.down.splice(0..0, open.backbone);
                }
            }
            _ => {}
        }
    }

    fn loopback(&mut self) -> LinkId {
        *self.loopback.get_or_insert_with(|| {
            let (bandwidth, latency) = LOOPBACK;
            let name = LOOPBACK_NAME.into();
            self.network.links.push(Link { name, bandwidth, latency, fatpipe: true });
            LinkId(position(self.network.links.len() - 1))
        })
    }

    /// Notes what is in the zone that is read.
    pub(super) fn point(
        &mut self,
        element: &Element<'_>,
        id: &str,
    ) -> Result<PointId, NetworkXmlError> {
        self.named(id).ok_or_else(|| element.wrong(format!("there is another {id}")))
    }

    /// A new point of the zone that is read; `None` where another one has that name.
    fn named(&mut self, id: &str) -> Option<PointId> {
        if self.points.contains_key(id) {
            return None;
        }
        let point = PointId(position(self.network.points.len()));
        let zone = self.open.last().map(|open| open.zone);
        let rank = self.open.last_mut().map_or(0, |open| {
            open.count += 1;
            open.count - 1
        });
        self.network.points.push(Point { zone, rank });
        self.points.insert(id.to_owned(), point);
        Some(point)
    }

    /// Adds a host to the zone that is read.
    pub(super) fn host(&mut self, host: Host) -> Result<PointId, NetworkXmlError> {
        let wrong = |what: &str| {
            let (name, what) = (host.name.to_string(), what.to_owned());
            NetworkXmlError::Element { element: "host", name, what }
        };
        let open = self.open.last_mut().ok_or_else(|| wrong("is in no zone"))?;
        open.hosts = true;
        let point = self.named(&host.name).ok_or_else(|| wrong("there is another one"))?;
        self.network.hosts.push(host);
        self.network.point_of.push(point);
        Ok(point)
    }

    /// Adds a link, or one in each direction.
    pub(super) fn link(
        &mut self,
        element: &Element<'_>,
        id: &str,
        bandwidth: f64,
        latency: f64,
        policy: Policy,
    ) -> Result<Pair, NetworkXmlError> {
        let fatpipe = policy == Policy::Fatpipe;
        let mut add = |name: String| {
            let link = LinkId(position(self.network.links.len()));
            let boxed = name.as_str().into();
            self.network.links.push(Link { name: boxed, bandwidth, latency, fatpipe });
            match self.links.insert(name, link) {
                Some(_) => Err(element.wrong(format!("there is another link {id}"))),
                None => Ok(link),
            }
        };
        if policy == Policy::Split {
            let (up, down) = (add(format!("{id}_UP"))?, add(format!("{id}_DOWN"))?);
            return Ok(Pair { up, down });
        }
        let both = add(id.to_owned())?;
        Ok(Pair { up: both, down: both })
    }

    /// Notes the link that joins all in a zone with `Cluster` routing, which was made just now.
    pub(super) fn backbone(&mut self, element: &Element<'_>) -> Result<(), NetworkXmlError> {
        let link = self.links.get(&element.needed("id")?).copied();
        let open = self.open.last_mut().ok_or_else(|| element.wrong("is in no zone"))?;
        open.backbone = link;
        Ok(())
    }

    /// Joins a host to the others of a zone with `Cluster` routing.
    pub(super) fn host_link(&mut self, element: &Element<'_>) -> Result<(), NetworkXmlError> {
        let point = self.known(element, "id")?;
        let link = |name| {
            let id = element.needed(name)?;
            let known = self.links.get(&id).copied();
            known.ok_or_else(|| element.wrong(format!("there is no link {id}")))
        };
        let (up, down) = (link("up")?, link("down")?);
        self.ray(point, Ray { up: vec![up], down: vec![down], ..Ray::default() });
        Ok(())
    }

    /// Says how something is joined to the others of the star that is read.
    pub(super) fn ray(&mut self, point: PointId, ray: Ray) {
        let Point { zone: Some(zone), rank } = self.network.points[point.0 as usize] else {
            return;
        };
        if let Routing::Star(star) = &mut self.network.zones[zone.0 as usize].routing {
            let rank = rank as usize;
            star.rays.resize_with(star.rays.len().max(rank + 1), Ray::default);
            star.rays[rank] = ray;
        }
    }

    /// The routing of the zone that is read.
    pub(super) fn set_routing(&mut self, routing: Routing) {
        if let Some(open) = self.open.last() {
            self.network.zones[open.zone.0 as usize].routing = routing;
        }
    }

    fn known(&self, element: &Element<'_>, name: &str) -> Result<PointId, NetworkXmlError> {
        let id = element.needed(name)?;
        let known = self.points.get(&id).copied();
        known.ok_or_else(|| element.wrong(format!("there is no {id}")))
    }

    /// What a route is between; with gateways, two zones.
    pub(super) fn ends(&self, element: &Element<'_>, zones: bool) -> Result<Ends, NetworkXmlError> {
        let points = [self.known(element, "src")?, self.known(element, "dst")?];
        let mut gateways = [None, None];
        if zones {
            gateways = [Some(self.known(element, "gw_src")?), Some(self.known(element, "gw_dst")?)];
        }
        let symmetrical = match element.text("symmetrical").as_deref() {
            None | Some("YES" | "yes") => true,
            Some("NO" | "no") => false,
            Some(other) => {
                return Err(element.wrong(format!("symmetrical {other:?} is not YES or NO")));
            }
        };
        let (name, kind) = (element.name.clone(), element.kind);
        Ok(Ends { name, kind, points, gateways, symmetrical })
    }

    /// Adds a route to the zone that is read, and its reverse where it is symmetrical.
    pub(super) fn route(&mut self, ends: &Ends, links: &[Written]) -> Result<(), NetworkXmlError> {
        let there = self.resolve(ends, links, false)?;
        let [from, to] = ends.points.map(|point| self.network.points[point.0 as usize].rank);
        let [leave, enter] = ends.gateways;
        self.add_hop(ends, [from, to], Hop { links: there, gateways: (leave, enter) })?;
        if ends.symmetrical && from != to {
            let mut back = self.resolve(ends, links, true)?;
            back.reverse();
            self.add_hop(ends, [to, from], Hop { links: back, gateways: (enter, leave) })?;
        }
        Ok(())
    }

    /// Adds a route that is taken before what the zone that is read knows itself, in its one direction.
    pub(super) fn bypass(&mut self, ends: &Ends, links: &[Written]) -> Result<(), NetworkXmlError> {
        let links = self.resolve(ends, links, false)?;
        let [leave, enter] = ends.gateways;
        let hop = Hop { links, gateways: (leave, enter) };
        let open = self.open.last().ok_or_else(|| ends.wrong("is in no zone".to_owned()))?;
        let bypasses = &mut self.network.zones[open.zone.0 as usize].bypasses;
        if bypasses.iter().any(|(between, _)| *between == ends.points) {
            return Err(ends.wrong("is written twice".to_owned()));
        }
        bypasses.push((ends.points, hop));
        Ok(())
    }

    fn add_hop(
        &mut self,
        ends: &Ends,
        [from, to]: [u32; 2],
        hop: Hop,
    ) -> Result<(), NetworkXmlError> {
        let open = self.open.last().map(|open| open.zone);
        let inside = |point: PointId| self.network.points[point.0 as usize].zone == open;
        let (Some(zone), true) = (open, ends.points.into_iter().all(inside)) else {
            return Err(ends.wrong("is not in the zone of what it is between".to_owned()));
        };
        match &mut self.network.zones[zone.0 as usize].routing {
            Routing::Table(table) => {
                if table.hops.insert((from, to), hop).is_some() {
                    let what = "is written twice; symmetrical=\"NO\" leaves the way back out";
                    return Err(ends.wrong(what.to_owned()));
                }
            }
            Routing::Shortest(shortest) => shortest.parts.push((from, to, hop)),
            _ => return Err(ends.wrong("the routing of its zone takes no routes".to_owned())),
        }
        Ok(())
    }

    /// The links of a route, or those of its way back.
    fn resolve(
        &self,
        ends: &Ends,
        links: &[Written],
        back: bool,
    ) -> Result<Vec<LinkId>, NetworkXmlError> {
        let of = |written: &Written| {
            let id = &written.link;
            let side = match (written.direction, back) {
                (Direction::None, _) => None,
                (Direction::Up, false) | (Direction::Down, true) => Some("_UP"),
                (Direction::Down, false) | (Direction::Up, true) => Some("_DOWN"),
            };
            let split = side.and_then(|side| self.links.get(&format!("{id}{side}")));
            let known = split.or_else(|| self.links.get(id)).copied();
            known.ok_or_else(|| {
                let both = self.links.contains_key(&format!("{id}_UP"));
                let what = if both {
                    format!("link {id} has two directions: say direction=\"UP\" or \"DOWN\"")
                } else {
                    format!("there is no link {id}")
                };
                ends.wrong(what)
            })
        };
        links.iter().map(of).collect()
    }
}

/// A position among what is counted; there is no room for more than can be.
pub(super) fn position(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX)
}
