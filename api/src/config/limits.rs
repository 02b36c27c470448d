//! Settings of what one client, and all together, may take: `[limits]`.

use std::net::IpAddr;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use ipnet::IpNet;
use planner::request::MAX_ALTERNATIVES;
use serde::Deserialize;

/// What is limited. Times are of connections, counts are at a time.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections of all clients.
    pub connections: usize,
    /// Connections of one client, a user or an address.
    pub connections_per_client: usize,
    /// From the first byte of a request to the end of its headers.
    pub header: Duration,
    /// From the end of the headers to the end of the body.
    pub body: Duration,
    /// Between two parts of a body.
    pub body_idle: Duration,
    /// Between two requests.
    pub idle: Duration,
    /// While a client takes nothing of its answer.
    pub answer_idle: Duration,
    /// Bytes of all bodies that are being read or worked on.
    pub body_bytes: usize,
    /// Bytes of those of one user.
    pub body_bytes_per_user: usize,
    /// Reads that are answered at a time.
    pub reads: usize,
    /// Those of one client.
    pub reads_per_client: usize,
    /// Bytes of all long answers that wait to be taken.
    pub answer_bytes: usize,
    /// Bytes of those of one client; one alone may be larger.
    pub answer_bytes_per_client: usize,
    /// Bytes of one request for nodes.
    pub request_bytes: usize,
    /// Nodes that one request may exclude by name, and as many that it may take only.
    pub excluded_nodes: usize,
    /// Features that one request may ask for.
    pub features: usize,
    /// Shapes that one request may have beside its own.
    pub alternatives: usize,
    /// Plans of one user that run or wait.
    pub plans_per_user: usize,
    /// Proposals of one user of which no offer is chosen yet.
    pub holds_per_user: usize,
    /// What these hold together, as hours of the whole cluster.
    pub held_cluster_hours_per_user: f64,
    /// Event streams of all clients.
    pub streams: usize,
    /// Event streams of one user.
    pub streams_per_user: usize,
    /// Simulations of one user that wait.
    pub simulations_per_user: u32,
    /// Occurrences of one series.
    pub occurrences_per_series: u16,
    /// Series of one user that run.
    pub series_per_user: u16,
    /// Whose word on the client's address counts.
    pub trusted_proxies: Vec<IpNet>,
    /// The header that they say it in.
    pub forwarded_header: ForwardedHeader,
}

/// How proxies name the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ForwardedHeader {
    /// A list of addresses.
    #[default]
    XForwardedFor,
    /// That of RFC 7239.
    Forwarded,
}

/// What the file says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitFields {
    connections: Option<u64>,
    connections_per_client: Option<u64>,
    header_s: Option<u64>,
    body_s: Option<u64>,
    body_idle_s: Option<u64>,
    idle_s: Option<u64>,
    answer_idle_s: Option<u64>,
    body_bytes: Option<u64>,
    body_bytes_per_user: Option<u64>,
    reads: Option<u64>,
    reads_per_client: Option<u64>,
    answer_bytes: Option<u64>,
    answer_bytes_per_client: Option<u64>,
    request_bytes: Option<u64>,
    excluded_nodes: Option<u64>,
    features: Option<u64>,
    alternatives: Option<u64>,
    plans_per_user: Option<u64>,
    holds_per_user: Option<u64>,
    held_cluster_hours_per_user: Option<f64>,
    streams: Option<u64>,
    streams_per_user: Option<u64>,
    simulations_per_user: Option<u64>,
    occurrences_per_series: Option<u64>,
    series_per_user: Option<u64>,
    #[serde(default)]
    trusted_proxies: Vec<String>,
    #[serde(default)]
    forwarded_header: ForwardedHeader,
}

impl Limits {
    /// Reads the section.
    ///
    /// # Errors
    /// A value out of range, by name.
    pub fn read(fields: &LimitFields) -> anyhow::Result<Self> {
        let seconds = |name, value, unless| {
            between(name, value, unless, 1, 86_400)
                .map(|seconds| Duration::from_secs(seconds as u64))
        };
        let count = |name, value, unless| between(name, value, unless, 1, 1_000_000);
        let bytes = |name, value, unless| between(name, value, unless, 1024, 1 << 40);
        let hours = fields.held_cluster_hours_per_user.unwrap_or(12.0);
        ensure!(
            (0.0..=1e6).contains(&hours),
            "held_cluster_hours_per_user must lie between 0 and 1e6"
        );
        let few = |name, value, unless, most| -> anyhow::Result<u16> {
            Ok(u16::try_from(between(name, value, unless, 1, most)?)?)
        };
        let simulations = count("simulations_per_user", fields.simulations_per_user, 10)?;
        Ok(Self {
            connections: count("connections", fields.connections, 4096)?,
            connections_per_client: count(
                "connections_per_client",
                fields.connections_per_client,
                256,
            )?,
            header: seconds("header_s", fields.header_s, 10)?,
            body: seconds("body_s", fields.body_s, 300)?,
            body_idle: seconds("body_idle_s", fields.body_idle_s, 15)?,
            idle: seconds("idle_s", fields.idle_s, 75)?,
            answer_idle: seconds("answer_idle_s", fields.answer_idle_s, 30)?,
            body_bytes: bytes("body_bytes", fields.body_bytes, 256 << 20)?,
            body_bytes_per_user: bytes(
                "body_bytes_per_user",
                fields.body_bytes_per_user,
                64 << 20,
            )?,
            reads: count("reads", fields.reads, 64)?,
            reads_per_client: count("reads_per_client", fields.reads_per_client, 4)?,
            answer_bytes: bytes("answer_bytes", fields.answer_bytes, 512 << 20)?,
            answer_bytes_per_client: bytes(
                "answer_bytes_per_client",
                fields.answer_bytes_per_client,
                64 << 20,
            )?,
            request_bytes: between("request_bytes", fields.request_bytes, 1 << 20, 1024, 8 << 20)?,
            excluded_nodes: count("excluded_nodes", fields.excluded_nodes, 10_000)?,
            features: count("features", fields.features, 64)?,
            alternatives: between(
                "alternatives",
                fields.alternatives,
                MAX_ALTERNATIVES,
                1,
                MAX_ALTERNATIVES,
            )?,
            plans_per_user: count("plans_per_user", fields.plans_per_user, 32)?,
            holds_per_user: count("holds_per_user", fields.holds_per_user, 16)?,
            held_cluster_hours_per_user: hours,
            streams: count("streams", fields.streams, 1000)?,
            streams_per_user: count("streams_per_user", fields.streams_per_user, 16)?,
            simulations_per_user: u32::try_from(simulations)?,
            occurrences_per_series: few(
                "occurrences_per_series",
                fields.occurrences_per_series,
                400,
                10_000,
            )?,
            series_per_user: few("series_per_user", fields.series_per_user, 50, 10_000)?,
            trusted_proxies: fields
                .trusted_proxies
                .iter()
                .map(|text| network(text))
                .collect::<anyhow::Result<_>>()?,
            forwarded_header: fields.forwarded_header,
        })
    }
}

fn between(
    name: &str,
    value: Option<u64>,
    unless: usize,
    least: usize,
    most: usize,
) -> anyhow::Result<usize> {
    let value = value.map_or(Ok(unless), usize::try_from).unwrap_or(usize::MAX);
    ensure!((least..=most).contains(&value), "{name} must lie between {least} and {most}");
    Ok(value)
}

/// An address, or a network in CIDR notation.
fn network(text: &str) -> anyhow::Result<IpNet> {
    if let Ok(address) = text.parse::<IpAddr>() {
        return Ok(address.to_canonical().into());
    }
    let network: IpNet = text.parse().with_context(|| {
        format!(
            "trusted_proxies: {text:?} must be an address such as \"192.0.2.1\" or a network such \
             as \"10.0.0.0/8\""
        )
    })?;
    if network.prefix_len() == 0 {
        bail!("trusted_proxies: {text:?} would believe everybody; name the proxies");
    }
    Ok(network.trunc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<Limits> {
        Limits::read(&toml::from_str(text)?)
    }

    #[test]
    fn every_limit_has_a_default_and_a_range() {
        let limits = read("").unwrap();
        assert_eq!(limits.header, Duration::from_secs(10));
        assert_eq!((limits.holds_per_user, limits.alternatives), (16, MAX_ALTERNATIVES));
        assert_eq!(read("holds_per_user = 3").unwrap().holds_per_user, 3);
        for wrong in [
            "header_s = 0",
            "connections = 0",
            "request_bytes = 99999999",
            "alternatives = 9",
            "held_cluster_hours_per_user = -1.0",
            "streams_per_user = -1",
            "holds = 3",
            "forwarded_header = \"via\"",
        ] {
            let error = format!("{:#}", read(wrong).unwrap_err());
            let name = wrong.split(' ').next().unwrap();
            assert!(error.contains(name), "{wrong}: {error}");
        }
    }

    #[test]
    fn the_guide_shows_every_limit_with_its_default() {
        let guide = include_str!("../../../docs/guide/running.md");
        let (_, block) = guide.split_once("```toml\n[limits]\n").unwrap();
        let (block, _) = block.split_once("```").unwrap();
        let names: Vec<&str> = block.lines().filter_map(|line| line.split(" = ").next()).collect();
        assert_eq!(names.len(), 27, "{names:?}");
        assert_eq!(format!("{:?}", read(block).unwrap()), format!("{:?}", read("").unwrap()));
    }

    #[test]
    fn proxies_are_addresses_or_networks() {
        let proxies = |list: &str| read(&format!("trusted_proxies = {list}"));
        let limits = proxies(r#"["192.0.2.1", "10.1.2.3/8", "::1"]"#).unwrap();
        let shown: Vec<String> = limits.trusted_proxies.iter().map(ToString::to_string).collect();
        assert_eq!(shown, ["192.0.2.1/32", "10.0.0.0/8", "::1/128"]);
        for wrong in [r#"["proxy.example"]"#, r#"["10.0.0.0/33"]"#, r#"["0.0.0.0/0"]"#] {
            let error = format!("{:#}", proxies(wrong).unwrap_err());
            assert!(error.contains("trusted_proxies"), "{wrong}: {error}");
        }
    }
}
