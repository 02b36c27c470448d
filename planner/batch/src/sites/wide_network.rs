//! The links between clients and sites, and what travels over them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use network::platform::{HostId, Network, NoRoute};
use network::tasks::{Execution, LinkTotals, ParallelTask, TaskId};
use network::xml::{NetworkXmlError, read_network};
use quick_xml::escape::escape;

use super::WideLinkSection;
use crate::communication::{ROUNDING_S, rounded_up};
use crate::platform::LinkSharing;
use crate::time::Time;

/// Why links make no network.
#[derive(Debug, thiserror::Error)]
pub enum WideNetworkError {
    /// A value of a link cannot be.
    #[error(transparent)]
    Links(#[from] NetworkXmlError),
    /// A client cannot reach a site that it may choose.
    #[error(transparent)]
    Unreachable(#[from] NoRoute),
}

/// The links between clients, sites and what else joins them; without any link nothing takes time.
#[derive(Debug, Default)]
pub struct WideNetwork {
    network: Network,
    points: BTreeMap<Box<str>, HostId>,
}

impl WideNetwork {
    /// The network of links. Ends that are neither clients nor sites only join links.
    ///
    /// # Errors
    /// A bandwidth or a latency that is none.
    pub fn of(links: &[WideLinkSection]) -> Result<Self, WideNetworkError> {
        if links.is_empty() {
            return Ok(Self::default());
        }
        let names: BTreeSet<&str> =
            links.iter().flat_map(|link| &link.between).map(String::as_str).collect();
        let network = read_network(&xml(&names, links))?;
        let host = |name: &&str| Some(((*name).into(), network.host(&escape(*name))?));
        let points = names.iter().filter_map(host).collect();
        Ok(Self { network, points })
    }

    /// Where a client or a site is; nowhere where no link ends at it.
    pub(super) fn point(&self, name: &str) -> Option<HostId> {
        self.points.get(name).copied()
    }

    /// Whether data takes time at all.
    pub(super) fn has_links(&self) -> bool {
        !self.network.links().is_empty()
    }

    /// Its links.
    pub(super) const fn network(&self) -> &Network {
        &self.network
    }

    /// How long bytes take from one point to another if nothing else is on their way.
    ///
    /// # Errors
    /// There is no way.
    pub(super) fn alone(&self, way: [HostId; 2], bytes: f64) -> Result<Time, NoRoute> {
        if bytes <= 0.0 || way[0] == way[1] {
            return Ok(Time::ZERO);
        }
        Ok(rounded_up(self.network.time_alone(way[0], way[1], bytes)?))
    }
}

/// The name of a link; one that has none is called by its ends, and by how manieth it is between them.
fn name_of(links: &[WideLinkSection], number: usize) -> String {
    let link = &links[number];
    let [from, to] = &link.between;
    let same = |other: &&WideLinkSection| other.name.is_none() && other.between == link.between;
    match (&link.name, links[..number].iter().filter(same).count()) {
        (Some(name), _) => name.clone(),
        (None, 0) => format!("{from}-{to}"),
        (None, before) => format!("{from}-{to} {}", before + 1),
    }
}

/// `SimGrid`'s XML of the links; the shortest way is taken.
fn xml(names: &BTreeSet<&str>, links: &[WideLinkSection]) -> String {
    let mut xml = "<platform version=\"4.1\"><zone id=\"links\" routing=\"Dijkstra\">".to_owned();
    for name in names {
        let _ = write!(xml, "<host id=\"{}\" speed=\"1f\"/>", escape(*name));
    }
    let mut routes = String::new();
    for (number, link) in links.iter().enumerate() {
        let WideLinkSection { bandwidth_bytes_per_s, latency_s, .. } = link;
        let policy = link.sharing.xml_name();
        let name = name_of(links, number);
        let name = escape(name.as_str());
        let _ = write!(
            xml,
            "<link id=\"{name}\" bandwidth=\"{bandwidth_bytes_per_s}Bps\" latency=\"{latency_s}s\" \
             sharing_policy=\"{policy}\"/>"
        );
        let [from, to] = link.between.each_ref().map(|end| escape(end.as_str()));
        let both = [(&from, &to, "UP"), (&to, &from, "DOWN")];
        for (from, to, direction) in both {
            let direction = match link.sharing {
                LinkSharing::SplitDuplex => format!(" direction=\"{direction}\""),
                LinkSharing::Shared | LinkSharing::Fatpipe => String::new(),
            };
            let _ = write!(
                routes,
                "<route src=\"{from}\" dst=\"{to}\" symmetrical=\"NO\"><link_ctn id=\"{name}\"{direction}/></route>"
            );
        }
    }
    xml + &routes + "</zone></platform>"
}

/// What is under way between clients and sites; `W` says what it is.
pub(super) struct Transfers<'a, W> {
    execution: Execution<'a>,
    /// The instant that the execution has come to.
    at: Time,
    under_way: BTreeMap<TaskId, W>,
    /// What has arrived and has not been taken.
    arrived: Vec<TaskId>,
}

impl<'a, W> Transfers<'a, W> {
    /// Nothing is under way.
    pub fn new(network: &'a WideNetwork) -> Self {
        Self {
            execution: Execution::new(network.network()),
            at: Time::ZERO,
            under_way: BTreeMap::new(),
            arrived: Vec::new(),
        }
    }

    /// When something happens next to what is under way.
    pub fn next_instant(&mut self) -> Option<Time> {
        if self.under_way.is_empty() {
            return None;
        }
        if !self.arrived.is_empty() {
            return Some(self.at);
        }
        self.execution.until_next().map(|seconds| self.at + rounded_up(seconds))
    }

    /// Sends bytes from one point to another.
    ///
    /// # Errors
    /// There is no way.
    pub fn send(
        &mut self,
        now: Time,
        way: [HostId; 2],
        bytes: f64,
        what: W,
    ) -> Result<(), NoRoute> {
        self.pass(now);
        let hosts = way.to_vec();
        let task =
            ParallelTask { hosts, operations: Vec::new(), bytes: vec![0.0, bytes, 0.0, 0.0] };
        let id = self.execution.start(&task)?;
        self.under_way.insert(id, what);
        Ok(())
    }

    /// What has arrived by `now`, in the order in which it was sent.
    pub fn arrive(&mut self, now: Time) -> Vec<W> {
        self.pass(now);
        let mut arrived = std::mem::take(&mut self.arrived);
        arrived.sort_unstable();
        arrived.iter().filter_map(|id| self.under_way.remove(id)).collect()
    }

    /// Time passes until `now`.
    fn pass(&mut self, now: Time) {
        let mut left = (now - self.at).as_seconds();
        self.at = now;
        while let Some(step) = self.execution.until_next().filter(|step| *step <= left + ROUNDING_S)
        {
            self.arrived.extend(self.execution.advance(step));
            left -= step;
        }
        self.arrived.extend(self.execution.advance(left.max(0.0)));
    }

    /// What went over each link.
    pub fn link_totals(&self) -> &[LinkTotals] {
        self.execution.link_totals()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(
        between: [&str; 2],
        bandwidth_bytes_per_s: f64,
        sharing: LinkSharing,
    ) -> WideLinkSection {
        let between = between.map(str::to_owned);
        WideLinkSection { name: None, between, bandwidth_bytes_per_s, latency_s: 0.5, sharing }
    }

    /// From a over r to b: 0.5 + 0.5 s, then 100 bytes at 10 bytes/s, the slower of both links. Two at once take 20 s there
    /// and, since directions are separate, do not hold up what goes back.
    #[test]
    fn data_share_the_links_on_their_way() {
        let links = [
            link(["a", "r"], 100.0, LinkSharing::SplitDuplex),
            link(["r", "b <>"], 10.0, LinkSharing::SplitDuplex),
        ];
        let network = WideNetwork::of(&links).unwrap();
        let [a, b] = ["a", "b <>"].map(|name| network.point(name).unwrap());
        assert_eq!(network.alone([a, b], 100.0).unwrap(), Time::from_seconds(11));
        assert_eq!(network.alone([a, a], 100.0).unwrap(), Time::ZERO);
        let mut transfers = Transfers::new(&network);
        for (way, what) in [([a, b], "first"), ([a, b], "second"), ([b, a], "back")] {
            transfers.send(Time::ZERO, way, 100.0, what).unwrap();
        }
        let mut arrived = Vec::new();
        while let Some(now) = transfers.next_instant() {
            arrived.extend(transfers.arrive(now).into_iter().map(|what| (now.as_seconds(), what)));
        }
        assert_eq!(arrived, [(11.0, "back"), (21.0, "first"), (21.0, "second")]);
        let bytes: f64 = transfers.link_totals().iter().map(|link| link.bytes).sum();
        assert!((bytes - 600.0).abs() < 1e-6, "{bytes}");
    }

    #[test]
    fn without_links_nobody_is_anywhere() {
        let network = WideNetwork::of(&[]).unwrap();
        assert!(!network.has_links() && network.point("a").is_none());
    }
}
