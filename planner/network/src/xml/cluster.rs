//! Clusters: many hosts that are alike, with their links.

use std::collections::BTreeMap;

use super::zone::{Builder, Policy};
use super::{Element, NetworkXmlError, host, values};
use crate::parts::{Host, LinkId, PointId};
use crate::zones::dragonfly::{self, Dragonfly, Joins};
use crate::zones::fat_tree::{self, FatTree};
use crate::zones::star::{Ray, Star};
use crate::zones::torus::Torus;
use crate::zones::{Pair, Routing};

/// The most hosts that a cluster stands for.
const MOST: u32 = 1_000_000;

/// A cluster as it is written.
pub(super) struct Cluster {
    kind: &'static str,
    id: String,
    host: Host,
    prefix: String,
    suffix: String,
    radical: Vec<u32>,
    link: Kind,
    backbone: Option<Kind>,
    loopback: Option<(f64, f64)>,
    limiter: Option<f64>,
    topology: Topology,
    router: String,
    pub(super) properties: BTreeMap<String, String>,
}

/// What links are like.
#[derive(Clone, Copy)]
struct Kind {
    bandwidth: f64,
    latency: f64,
    policy: Policy,
}

enum Topology {
    Flat,
    FatTree(fat_tree::TreeShape),
    Torus(Vec<u32>),
    Dragonfly(dragonfly::DragonflyShape),
}

impl Cluster {
    pub(super) fn read(element: &Element<'_>) -> Result<Self, NetworkXmlError> {
        let id = element.needed("id")?;
        let text = |name| element.text(name).unwrap_or_default();
        let (prefix, suffix) = (text("prefix"), text("suffix"));
        let radical = radical(&element.needed("radical")?).map_err(|what| element.wrong(what))?;
        let link = Kind {
            bandwidth: element.value("bw", values::bandwidth)?,
            latency: element.value("lat", values::seconds)?,
            policy: element.policy("sharing_policy", Policy::Split)?,
        };
        let both = |bandwidth: &str, latency: &str| {
            if element.text(bandwidth).is_none() {
                return Ok(None);
            }
            let of = (
                element.value(bandwidth, values::bandwidth)?,
                element.value(latency, values::seconds)?,
            );
            Ok(Some(of))
        };
        let policy = element.policy("bb_sharing_policy", Policy::Shared)?;
        let backbone = both("bb_bw", "bb_lat")?.map(|(bandwidth, latency)| Kind {
            bandwidth,
            latency,
            policy,
        });
        let loopback = both("loopback_bw", "loopback_lat")?;
        let limiter = element.text("limiter_link");
        let limiter =
            limiter.map(|_| element.value("limiter_link", values::bandwidth)).transpose()?;
        let topology = topology(element, radical.len())?;
        let router = element.text("router_id").filter(|id| !id.is_empty());
        let router = router.unwrap_or_else(|| format!("{prefix}{id}_router{suffix}"));
        let (host, kind) = (host(element)?, element.kind);
        let properties = BTreeMap::new();
        Ok(Self {
            kind,
            id,
            host,
            prefix,
            suffix,
            radical,
            link,
            backbone,
            loopback,
            limiter,
            topology,
            router,
            properties,
        })
    }

    /// Adds the hosts and links.
    pub(super) fn build(self, builder: &mut Builder) -> Result<(), NetworkXmlError> {
        let start = quick_xml::events::BytesStart::new(self.kind);
        let element = Element { kind: self.kind, name: self.id.clone(), start: &start };
        if self.kind == "cabinet" {
            return self.cabinet(builder, &element);
        }
        builder.enter_zone(&element, &self.id, Routing::Star(Star::default()))?;
        match &self.topology {
            Topology::Flat => self.flat(builder, &element)?,
            _ => self.shaped(builder, &element)?,
        }
        builder.leave();
        Ok(())
    }

    fn host_named(&self, number: u32) -> Host {
        let name = format!("{}{number}{}", self.prefix, self.suffix).into_boxed_str();
        Host { name, properties: self.properties.clone(), ..self.host.clone() }
    }

    /// Hosts in the zone with `Cluster` routing around it, each with a link in each direction.
    fn cabinet(&self, builder: &mut Builder, element: &Element<'_>) -> Result<(), NetworkXmlError> {
        for &number in &self.radical {
            let host = self.host_named(number);
            let name = format!("link_{}", host.name);
            let pair = self.own_link(builder, element, &name, Policy::Split)?;
            let point = builder.host(host)?;
            builder.ray(point, Ray { up: vec![pair.up], down: vec![pair.down], ..Ray::default() });
        }
        Ok(())
    }

    fn own_link(
        &self,
        builder: &mut Builder,
        element: &Element<'_>,
        name: &str,
        policy: Policy,
    ) -> Result<Pair, NetworkXmlError> {
        builder.link(element, name, self.link.bandwidth, self.link.latency, policy)
    }

    /// The link of a host to itself and the one that limits all that it sends and takes, where there are any.
    fn extra_links(
        &self,
        builder: &mut Builder,
        element: &Element<'_>,
        number: i64,
    ) -> Result<(Option<LinkId>, Option<LinkId>), NetworkXmlError> {
        let name = format!("{}_link_{number}", self.id);
        let loopback = self.loopback.map(|(bandwidth, latency)| {
            let name = format!("{name}_loopback");
            builder.link(element, &name, bandwidth, latency, Policy::Fatpipe)
        });
        let limiter = self.limiter.map(|bandwidth| {
            builder.link(element, &format!("{name}_limiter"), bandwidth, 0.0, Policy::Shared)
        });
        let one = |pair: Option<Result<Pair, _>>| {
            Ok::<_, NetworkXmlError>(pair.transpose()?.map(|pair| pair.up))
        };
        Ok((one(loopback)?, one(limiter)?))
    }

    fn flat(&self, builder: &mut Builder, element: &Element<'_>) -> Result<(), NetworkXmlError> {
        let mut points: Vec<PointId> = Vec::new();
        for &number in &self.radical {
            points.push(builder.host(self.host_named(number))?);
        }
        points.push(builder.point(element, &self.router)?);
        let backbone = self.backbone.map(|kind| {
            let name = format!("{}_backbone", self.id);
            builder.link(element, &name, kind.bandwidth, kind.latency, kind.policy)
        });
        let backbone = backbone.transpose()?;
        for (&number, &point) in self.radical.iter().zip(&points) {
            let (loopback, limiter) = self.extra_links(builder, element, number.into())?;
            let name = format!("{}_link_{number}", self.id);
            let own = self.own_link(builder, element, &name, self.link.policy)?;
            let up = limiter.into_iter().chain([own.up]).chain(backbone.map(|pair| pair.up));
            let down = backbone.map(|pair| pair.down).into_iter().chain([own.down]).chain(limiter);
            let (up, down) = (up.collect(), down.collect());
            builder.ray(point, Ray { up, down, loopback, gateway: None });
        }
        if let (Some(pair), Some(&router)) = (backbone, points.last()) {
            builder.ray(router, Ray { up: vec![pair.up], down: vec![pair.down], ..Ray::default() });
        }
        Ok(())
    }

    /// A fat tree, a torus, or a dragonfly.
    fn shaped(&self, builder: &mut Builder, element: &Element<'_>) -> Result<(), NetworkXmlError> {
        let (mut limiters, mut loopbacks) = (Vec::new(), Vec::new());
        for (&number, rank) in self.radical.iter().zip(0i64..) {
            builder.host(self.host_named(number))?;
            let (loopback, limiter) = self.extra_links(builder, element, rank)?;
            loopbacks.extend(loopback);
            limiters.extend(limiter);
        }
        builder.point(element, &self.router)?;
        let (mut tree_links, mut dragonfly_links) = (builder.tree_links, builder.dragonfly_links);
        let mut failed = None;
        let mut link = |name: String, bandwidth: f64| {
            let (latency, policy) = (self.link.latency, self.link.policy);
            builder.link(element, &name, bandwidth, latency, policy).unwrap_or_else(|error| {
                failed.get_or_insert(error);
                Pair { up: LinkId(0), down: LinkId(0) }
            })
        };
        let bandwidth = self.link.bandwidth;
        let routing = match &self.topology {
            Topology::Flat => Routing::None,
            Topology::FatTree(shape) => {
                let cable = |child: usize, parent: usize| {
                    tree_links += 1;
                    link(format!("link_from_{child}_{parent}_{}", tree_links - 1), bandwidth)
                };
                let mut tree = FatTree::new(shape.clone(), cable);
                (tree.limiters, tree.loopbacks) = (limiters, loopbacks);
                Routing::FatTree(tree)
            }
            Topology::Torus(dimensions) => {
                let mut links = Vec::new();
                for (&number, rank) in self.radical.iter().zip(0u32..) {
                    let mut stride = 1;
                    for &size in dimensions {
                        let next = Torus::next(rank, size, stride);
                        links.push(link(
                            format!("{}_link_from_{number}_to_{next}", self.id),
                            bandwidth,
                        ));
                        stride *= size;
                    }
                }
                Routing::Torus(Torus { dimensions: dimensions.clone(), links, limiters, loopbacks })
            }
            Topology::Dragonfly(shape) => {
                let bundle = |joins: Joins, links: u32| {
                    dragonfly_links += 1;
                    let name = format!("{}_{}", named(joins), dragonfly_links - 1);
                    link(name, bandwidth * f64::from(links))
                };
                let mut dragonfly = Dragonfly::new(*shape, bundle);
                (dragonfly.limiters, dragonfly.loopbacks) = (limiters, loopbacks);
                Routing::Dragonfly(dragonfly)
            }
        };
        if let Some(error) = failed {
            return Err(error);
        }
        builder.set_routing(routing);
        (builder.tree_links, builder.dragonfly_links) = (tree_links, dragonfly_links);
        Ok(())
    }
}

/// What a link of a dragonfly is called.
fn named(joins: Joins) -> String {
    match joins {
        Joins::Host { router, place } => format!("local_link_from_router_{router}_to_node_{place}"),
        Joins::Green { chassis, blades: [j, k] } => {
            format!("green_link_in_chassis_{chassis}_between_routers_{j}_and_{k}")
        }
        Joins::Black { group, chassis: [j, k], blade } => {
            format!("black_link_in_group_{group}_between_chassis_{j}_and_{k}_blade_{blade}")
        }
        Joins::Blue { groups: [i, j], routers: [first, second] } => {
            format!("blue_link_between_group_{i}_and_{j}_routers_{first}_and_{second}")
        }
    }
}

/// The numbers of a cluster's hosts: `0-3,7`.
fn radical(text: &str) -> Result<Vec<u32>, String> {
    let mut numbers = Vec::new();
    for part in text.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let range = first.trim().parse::<u32>().ok().zip(last.trim().parse::<u32>().ok());
        let (first, last) = range.filter(|(first, last)| first <= last).ok_or_else(|| {
            format!("radical {text:?} is not numbers and ranges of them, such as 0-127 or 0-3,7")
        })?;
        if last - first >= MOST || numbers.len() as u64 + u64::from(last - first) >= MOST.into() {
            return Err(format!("radical {text:?} stands for more than {MOST} hosts"));
        }
        numbers.extend(first..=last);
    }
    Ok(numbers)
}

fn topology(element: &Element<'_>, hosts: usize) -> Result<Topology, NetworkXmlError> {
    let text = element.text("topo_parameters").unwrap_or_default();
    let wrong = |what: &str| element.wrong(format!("topo_parameters {text:?} {what}"));
    let numbers = |part: &str| {
        let read = |number: &str| number.trim().parse::<u32>().ok().filter(|number| *number > 0);
        part.split(',').map(read).collect::<Option<Vec<u32>>>()
    };
    let parts: Vec<&str> = text.split(';').collect();
    let lists = || parts.iter().map(|part| numbers(part)).collect::<Option<Vec<_>>>();
    let (topology, count) = match element.text("topology").as_deref() {
        None | Some("FLAT") => return Ok(Topology::Flat),
        Some("FAT_TREE") => {
            let what = "is not levels;down;up;cables, such as 2;4,4;1,2;1,2";
            let lists = lists().ok_or_else(|| wrong(what))?;
            let [levels, down, up, cables] = <[_; 4]>::try_from(lists).map_err(|_| wrong(what))?;
            let fits = |list: &Vec<u32>| levels.len() == 1 && list.len() == levels[0] as usize;
            if ![&down, &up, &cables].into_iter().all(fits) {
                return Err(wrong("has not one number for each level"));
            }
            let shape = fat_tree::TreeShape { down, up, cables };
            let count = shape.hosts();
            (Topology::FatTree(shape), count)
        }
        Some("TORUS") => {
            let dimensions = numbers(&text).ok_or_else(|| wrong("is not sizes, such as 4,4,2"))?;
            let count = dimensions.iter().try_fold(1u32, |all, &size| all.checked_mul(size));
            (Topology::Torus(dimensions), count)
        }
        Some("DRAGONFLY") => {
            let what =
                "is not groups,links;chassis,links;blades,links;hosts, such as 3,4;4,3;5,1;2";
            let lists = lists().ok_or_else(|| wrong(what))?;
            let [groups, chassis, blades, hosts] =
                <[_; 4]>::try_from(lists).map_err(|_| wrong(what))?;
            let two = |list: Vec<u32>| <[u32; 2]>::try_from(list).map_err(|_| wrong(what));
            let ([groups, blue], [chassis, black], [blades, green]) =
                (two(groups)?, two(chassis)?, two(blades)?);
            let [hosts] = <[u32; 1]>::try_from(hosts).map_err(|_| wrong(what))?;
            let shape =
                dragonfly::DragonflyShape { groups, blue, chassis, black, blades, green, hosts };
            (Topology::Dragonfly(shape), shape.all_hosts())
        }
        Some(other) => return Err(element.wrong(format!("topology {other:?} is not read"))),
    };
    if count.map(|count| count as usize) != Some(hosts) {
        let count = count.map_or_else(|| "more than can be".to_owned(), |count| count.to_string());
        return Err(wrong(&format!("needs {count} hosts, and radical gives {hosts}")));
    }
    Ok(topology)
}
