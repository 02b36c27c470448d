//! What `SimGrid`'s users write: its platform description, versions 4 and 4.1.
//!
//! Hosts, links (shared, `FATPIPE`, `SPLITDUPLEX`), zones with `Full`, `Floyd`, `Dijkstra`, `DijkstraCache`, `Cluster` and
//! `None` routing, `<route>` and `<zoneRoute>` (also `<AS>` and `<ASroute>`), `<cluster>` flat or as fat tree, torus or
//! dragonfly, `<cabinet>`, `<backbone>`, `<host_link>` and `<router>`. What else bears on a network, such as `<peer>`,
//! links by radio and availability that changes, is refused by name.

mod cluster;
mod values;
mod zone;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::platform::{Host, Network};
use zone::{Builder, Direction, Ends, Policy, Written};

/// Why a description cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum NetworkXmlError {
    /// The text is not XML.
    #[error("at byte {position}: {error}")]
    Xml {
        /// The byte at which it ends to be.
        position: u64,
        /// What the XML reader says.
        error: quick_xml::Error,
    },
    /// The text ends before its zones do.
    #[error("the description ends within a zone: it is cut, or </zone> is missing")]
    Cut,
    /// An element says what cannot be.
    #[error("<{element}> {name}: {what}")]
    Element {
        /// What it is: `host`, `link`, `route`.
        element: &'static str,
        /// What tells it from others: mostly its id.
        name: String,
        /// What is wrong with it.
        what: String,
    },
}

/// An attribute's value.
fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = element.try_get_attribute(name).ok().flatten()?;
    Some(attribute.value.into_owned())
}

/// An element with what it is called in messages.
struct Element<'a> {
    kind: &'static str,
    name: String,
    start: &'a BytesStart<'a>,
}

impl<'a> Element<'a> {
    fn of(kind: &'static str, start: &'a BytesStart<'a>) -> Self {
        let ends = || {
            let (from, to) = (attribute(start, "src")?, attribute(start, "dst")?);
            Some(format!("from {from} to {to}"))
        };
        let name = attribute(start, "id").or_else(ends).unwrap_or_default();
        Self { kind, name, start }
    }

    fn wrong(&self, what: impl Into<String>) -> NetworkXmlError {
        NetworkXmlError::Element { element: self.kind, name: self.name.clone(), what: what.into() }
    }

    fn text(&self, name: &str) -> Option<String> {
        attribute(self.start, name)
    }

    fn needed(&self, name: &str) -> Result<String, NetworkXmlError> {
        self.text(name).ok_or_else(|| self.wrong(format!("has no {name}")))
    }

    /// A value that must be there and be one.
    fn value(&self, name: &str, read: fn(&str) -> Option<f64>) -> Result<f64, NetworkXmlError> {
        let text = self.needed(name)?;
        read(&text).ok_or_else(|| self.wrong(format!("{name} {text:?} cannot be read")))
    }

    fn policy(&self, name: &str, otherwise: Policy) -> Result<Policy, NetworkXmlError> {
        let Some(text) = self.text(name) else { return Ok(otherwise) };
        Ok(match text.as_str() {
            "SHARED" => Policy::Shared,
            "FATPIPE" => Policy::Fatpipe,
            "SPLITDUPLEX" | "FULLDUPLEX" => Policy::Split,
            _ => return Err(self.wrong(format!("{name} {text:?} is not read"))),
        })
    }

    /// Refuses what would change over time.
    fn constant(&self, names: &[&str]) -> Result<(), NetworkXmlError> {
        match names.iter().find(|name| self.text(name).is_some()) {
            Some(name) => Err(self.wrong(format!("{name} is not read: what changes over time"))),
            None => Ok(()),
        }
    }
}

/// What is read between the begin and the end of an element.
enum Inside {
    Host(Host),
    Route(Ends, Vec<Written>),
    Bypass(Ends, Vec<Written>),
    Cluster(Box<cluster::Cluster>),
}

/// A network, with the hosts of a description in its order.
///
/// # Errors
/// Text that is no XML, elements that cannot be, and what is not read.
pub fn read_network(text: &str) -> Result<Network, NetworkXmlError> {
    let mut reader = Reader::from_str(text);
    let mut builder = Builder::default();
    let mut inside = None;
    loop {
        let event = reader.read_event();
        let event = event
            .map_err(|error| NetworkXmlError::Xml { position: reader.error_position(), error })?;
        match &event {
            Event::Start(element) => begin(&mut builder, &mut inside, element)?,
            Event::Empty(element) => {
                begin(&mut builder, &mut inside, element)?;
                end(&mut builder, &mut inside, element.name().as_ref())?;
            }
            Event::End(element) => end(&mut builder, &mut inside, element.name().as_ref())?,
            // The XML reader does not mind elements that never end.
            Event::Eof if builder.is_within_zone() => return Err(NetworkXmlError::Cut),
            Event::Eof => return Ok(builder.network),
            _ => {}
        }
    }
}

fn begin(
    builder: &mut Builder,
    inside: &mut Option<Inside>,
    start: &BytesStart<'_>,
) -> Result<(), NetworkXmlError> {
    let of = |kind| Element::of(kind, start);
    match start.name().as_ref() {
        "zone" | "AS" => builder.enter(&of("zone"))?,
        "host" => *inside = Some(Inside::Host(host(&of("host"))?)),
        "cluster" => *inside = Some(cluster(&of("cluster"))?),
        "cabinet" => *inside = Some(cluster(&of("cabinet"))?),
        "router" => {
            let element = of("router");
            builder.point(&element, &element.needed("id")?)?;
        }
        "link" => link(builder, &of("link"))?,
        "backbone" => {
            link(builder, &of("backbone"))?;
            builder.backbone(&of("backbone"))?;
        }
        "host_link" => builder.host_link(&of("host_link"))?,
        "route" => *inside = Some(Inside::Route(builder.ends(&of("route"), false)?, Vec::new())),
        "zoneRoute" | "ASroute" => {
            *inside = Some(Inside::Route(builder.ends(&of("zoneRoute"), true)?, Vec::new()));
        }
        "link_ctn" => {
            if let Some(Inside::Route(_, links) | Inside::Bypass(_, links)) = inside {
                links.push(written(&of("link_ctn"))?);
            }
        }
        "prop" => {
            let pair = attribute(start, "id").zip(attribute(start, "value"));
            match inside {
                Some(Inside::Host(host)) => host.properties.extend(pair),
                Some(Inside::Cluster(cluster)) => cluster.properties.extend(pair),
                _ => {}
            }
        }
        "peer" => return Err(of("peer").wrong("is not read")),
        "bypassRoute" => {
            *inside = Some(Inside::Bypass(builder.ends(&of("bypassRoute"), false)?, Vec::new()));
        }
        "bypassZoneRoute" | "bypassASroute" => {
            *inside = Some(Inside::Bypass(builder.ends(&of("bypassZoneRoute"), true)?, Vec::new()));
        }
        "trace_connect" => {
            return Err(of("trace_connect").wrong("is not read: what changes over time"));
        }
        _ => {}
    }
    Ok(())
}

fn end(
    builder: &mut Builder,
    inside: &mut Option<Inside>,
    name: &str,
) -> Result<(), NetworkXmlError> {
    match name {
        "zone" | "AS" => {
            builder.leave();
            Ok(())
        }
        "host" | "route" | "zoneRoute" | "ASroute" | "bypassRoute" | "bypassZoneRoute"
        | "bypassASroute" | "cluster" | "cabinet" => match inside.take() {
            Some(Inside::Host(host)) => builder.host(host).map(|_| ()),
            Some(Inside::Route(ends, links)) => builder.route(&ends, &links),
            Some(Inside::Bypass(ends, links)) => builder.bypass(&ends, &links),
            Some(Inside::Cluster(cluster)) => cluster.build(builder),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn cluster(element: &Element<'_>) -> Result<Inside, NetworkXmlError> {
    cluster::Cluster::read(element).map(|cluster| Inside::Cluster(Box::new(cluster)))
}

fn host(element: &Element<'_>) -> Result<Host, NetworkXmlError> {
    element.constant(&["availability_file", "speed_file", "state_file"])?;
    let text = element.needed("speed")?;
    let read = |part: &str| {
        let wrong = || element.wrong(format!("speed {part:?} cannot be read"));
        values::speed(part).ok_or_else(wrong)
    };
    let speeds = text.split(',').map(read).collect::<Result<Vec<_>, _>>()?;
    let count = |name: &str, otherwise: &str| {
        let text = element.text(name).unwrap_or_else(|| otherwise.to_owned());
        let wrong = |_| element.wrong(format!("{name} {text:?} is not a number"));
        text.trim().parse::<u32>().map_err(wrong)
    };
    let (state, cores) = (count("pstate", "0")? as usize, count("core", "1")?);
    if state >= speeds.len() {
        return Err(element.wrong(format!("there is no speed {state}")));
    }
    if cores == 0 {
        return Err(element.wrong("has no core"));
    }
    let name = element.needed("id")?.into_boxed_str();
    Ok(Host { name, speeds, state, cores, ..Host::default() })
}

fn link(builder: &mut Builder, element: &Element<'_>) -> Result<(), NetworkXmlError> {
    element.constant(&["bandwidth_file", "latency_file", "state_file"])?;
    let bandwidth = element.value("bandwidth", values::bandwidth)?;
    let latency = match element.text("latency") {
        Some(_) => element.value("latency", values::seconds)?,
        None => 0.0,
    };
    let policy = element.policy("sharing_policy", Policy::Shared)?;
    builder.link(element, &element.needed("id")?, bandwidth, latency, policy)?;
    Ok(())
}

fn written(element: &Element<'_>) -> Result<Written, NetworkXmlError> {
    let direction = match element.text("direction").as_deref() {
        Some("UP") => Direction::Up,
        Some("DOWN") => Direction::Down,
        Some("NONE") | None => Direction::None,
        Some(other) => return Err(element.wrong(format!("direction {other:?} is not UP or DOWN"))),
    };
    Ok(Written { link: element.needed("id")?, direction })
}
