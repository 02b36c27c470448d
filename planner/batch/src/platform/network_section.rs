//! The network of a platform's machines as a document says it: one cluster of `SimGrid`'s, with storages beside it.

use std::fmt::Write as _;

use serde::Deserialize;

/// Links of machines and what joins them, as in a `<cluster>` of `SimGrid`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetworkSection {
    /// How machines are joined: all to one backbone, if there is one, unless said.
    #[serde(default)]
    pub topology: NetworkTopology,
    /// The shape of another topology, as `SimGrid`'s `topo_parameters` say it.
    pub parameters: Option<String>,
    /// Of the links of each machine, or of every link of a topology, bytes/s.
    pub bandwidth_bytes_per_s: f64,
    /// Of these links, s.
    #[serde(default)]
    pub latency_s: f64,
    /// How they are shared.
    #[serde(default)]
    pub sharing: LinkSharing,
    /// Of what joins all machines, bytes/s, where it can be scarce.
    pub backbone_bandwidth_bytes_per_s: Option<f64>,
    /// Of what joins all machines, s.
    #[serde(default)]
    pub backbone_latency_s: f64,
    /// What machines read from and write to.
    #[serde(default)]
    pub storages: Vec<StorageSection>,
}

/// How machines are joined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkTopology {
    /// Each to one backbone or switch.
    #[default]
    Flat,
    /// `levels;down;up;cables`.
    FatTree,
    /// Sizes.
    Torus,
    /// `groups,links;chassis,links;blades,links;hosts`.
    Dragonfly,
}

/// How what goes over a link shares it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkSharing {
    /// Each direction by itself.
    #[default]
    SplitDuplex,
    /// Both directions together.
    Shared,
    /// All that goes over it has all of it.
    Fatpipe,
}

impl LinkSharing {
    /// What `SimGrid`'s XML calls it.
    pub(crate) const fn xml_name(self) -> &'static str {
        match self {
            Self::SplitDuplex => "SPLITDUPLEX",
            Self::Shared => "SHARED",
            Self::Fatpipe => "FATPIPE",
        }
    }
}

/// A storage, and its link to the machines.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StorageSection {
    /// Its name.
    pub name: String,
    /// Of its link, bytes/s; without one, its link is never scarce.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Of its link, s.
    #[serde(default)]
    pub latency_s: f64,
}

/// The bandwidth of a link that takes no time, bytes/s.
const NEVER_SCARCE: f64 = 1e18;

impl NetworkSection {
    /// `SimGrid`'s XML of the network of so many machines, which are hosts called by their numbers.
    pub(crate) fn xml(&self, machines: u32) -> String {
        let (topology, sharing) = (self.topology, self.sharing.xml_name());
        let topology = match topology {
            NetworkTopology::Flat => "FLAT",
            NetworkTopology::FatTree => "FAT_TREE",
            NetworkTopology::Torus => "TORUS",
            NetworkTopology::Dragonfly => "DRAGONFLY",
        };
        let Self { bandwidth_bytes_per_s, latency_s, .. } = self;
        let last = machines.saturating_sub(1);
        let mut xml = format!(
            "<platform version=\"4.1\"><zone id=\"platform\" routing=\"Full\"><cluster id=\"machines\" prefix=\"\" \
             suffix=\"\" radical=\"0-{last}\" speed=\"1f\" bw=\"{bandwidth_bytes_per_s}Bps\" lat=\"{latency_s}s\" \
             sharing_policy=\"{sharing}\" topology=\"{topology}\" router_id=\"machines_router\""
        );
        if let Some(parameters) = &self.parameters {
            let _ = write!(xml, " topo_parameters=\"{}\"", quick_xml::escape::escape(parameters));
        }
        if let Some(bandwidth) = self.backbone_bandwidth_bytes_per_s {
            let latency = self.backbone_latency_s;
            let _ = write!(xml, " bb_bw=\"{bandwidth}Bps\" bb_lat=\"{latency}s\"");
        }
        xml.push_str("/>");
        for (number, storage) in self.storages.iter().enumerate() {
            let StorageSection { name, bandwidth_bytes_per_s, latency_s } = storage;
            let name = quick_xml::escape::escape(name.as_str());
            let (bandwidth, policy) = match bandwidth_bytes_per_s {
                Some(bandwidth) => (*bandwidth, "SHARED"),
                None => (NEVER_SCARCE, "FATPIPE"),
            };
            let _ = write!(
                xml,
                "<zone id=\"storage_{number}\" routing=\"Full\"><host id=\"{name}\" speed=\"1f\"><prop id=\"role\" \
                 value=\"storage\"/></host></zone><link id=\"{name}_link\" bandwidth=\"{bandwidth}Bps\" \
                 latency=\"{latency_s}s\" sharing_policy=\"{policy}\"/><zoneRoute src=\"machines\" dst=\"storage_{number}\" \
                 gw_src=\"machines_router\" gw_dst=\"{name}\"><link_ctn id=\"{name}_link\"/></zoneRoute>"
            );
        }
        xml.push_str("</zone></platform>");
        xml
    }
}
