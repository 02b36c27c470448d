//! Platforms and applications as SimGrid's users write them, and platforms as TOML.
#![no_main]

use batch::communication::MachineNetwork;
use batch::platform::{Platform, PlatformDocument, read_xml};
use network::platform::HostId;
use network::replay::read_application;
use network::xml::read_network;
use wattbook_fuzz::FuzzedParser;

wattbook_fuzz::target!(vec![
    FuzzedParser::of_text("XML hosts", HOSTS, xml),
    FuzzedParser::of_text("XML full zone", FULL, xml),
    FuzzedParser::of_text("XML clusters", CLUSTERS, xml),
    FuzzedParser::of_text("XML shortest routes", SHORTEST, xml),
    FuzzedParser::of_text("application", APPLICATION, application),
    FuzzedParser::of_text("TOML platform", DOCUMENT, document),
]);

/// Hosts that a route is looked for between.
const MOST_HOSTS: usize = 8;

/// Machines that are laid out: a document may say millions, in no more text.
const MOST_MACHINES: u64 = 4096;

/// The machines and the network of a description.
fn xml(text: &str) -> bool {
    let machines = read_xml(text);
    if let Ok(network) = read_network(text) {
        let hosts = network.hosts().len().min(MOST_HOSTS) as u32;
        for (from, to) in (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))) {
            if let Ok(seconds) = network.time_alone(HostId(from), HostId(to), 1e6) {
                assert!(seconds >= 0.0, "{from} to {to} takes {seconds} s");
            }
        }
    }
    let Ok(platform) = machines.map_err(drop).and_then(|it| Platform::new(&it).map_err(drop))
    else {
        return false;
    };
    let _ = MachineNetwork::read(text, &platform);
    true
}

/// The trace of each rank, with a line of `---` between them.
fn application(text: &str) -> bool {
    let ranks: Vec<&str> = text.split("---\n").collect();
    read_application(ranks.into_iter()).is_ok()
}

fn document(text: &str) -> bool {
    let Ok(document) = toml::from_str::<PlatformDocument>(text) else { return false };
    let counts = document.machines.iter().filter_map(|class| class.count);
    if counts.map(u64::from).sum::<u64>() > MOST_MACHINES {
        return false;
    }
    let Ok(machines) = document.machines(&std::collections::BTreeMap::new()) else { return false };
    let Ok(platform) = Platform::new(&machines) else { return false };
    document.network.is_none_or(|it| MachineNetwork::of_section(&it, &platform).is_ok())
}

const HOSTS: &str = r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="main" routing="None">
<host id="master_host" speed="1Gf"><prop id="wattage_per_state" value="1:2"/></host>
<host id="a" speed="100.0Mf, 50Mf" pstate="1">
  <prop id="wattage_per_state" value="95.0:96:190.738, 94:95:120.5"/>
  <prop id="wattage_off" value="10"/>
</host>
<host id="b" speed="100.0Mf, 50Mf" pstate="1"><prop id="wattage_per_state" value="95:96:190, 94:95:120"/>
  <prop id="wattage_off" value="10"/></host>
</zone></platform>"#;

const FULL: &str = r#"<?xml version='1.0'?>
<platform version="4.1"><zone id="main" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="2e9"/><router id="r"/>
<link id="l" bandwidth="1GBps" latency="50us"/>
<link id="m" bandwidth="125MBps" latency="1ms" sharing_policy="FATPIPE"/>
<route src="a" dst="b"><link_ctn id="l"/><link_ctn id="m"/></route>
</zone></platform>"#;

const CLUSTERS: &str = r#"<?xml version='1.0'?>
<platform version="4.1"><zone id="main" routing="Full">
<cluster id="c" prefix="n" suffix=".x" radical="0-2,5" speed="1Gf" bw="125MBps" lat="50us"
  bb_bw="2.25GBps" bb_lat="500us" router_id="rc"/>
<cluster id="t" prefix="t" suffix="" radical="0-7" speed="1Gf" bw="1GBps" lat="1us" topology="TORUS"
  topo_parameters="2,2,2" router_id="rt"/>
<cluster id="f" prefix="f" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us" topology="FAT_TREE"
  topo_parameters="2;2,2;1,2;1,2" router_id="rf"/>
<cluster id="d" prefix="d" suffix="" radical="0-7" speed="1Gf" bw="1GBps" lat="1us" topology="DRAGONFLY"
  topo_parameters="2,1;2,1;1,1;2" router_id="rd"/>
<link id="l" bandwidth="1GBps" latency="50us"/>
<zoneRoute src="c" dst="t" gw_src="rc" gw_dst="rt"><link_ctn id="l"/></zoneRoute>
</zone></platform>"#;

const SHORTEST: &str = r#"<?xml version='1.0'?>
<platform version="4.1"><zone id="main" routing="Dijkstra">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/><host id="c" speed="1Gf"/>
<link id="l" bandwidth="1GBps" latency="50us"/><link id="m" bandwidth="1GBps" latency="50us"/>
<route src="a" dst="b"><link_ctn id="l"/></route>
<route src="b" dst="c" symmetrical="NO"><link_ctn id="m"/></route>
</zone></platform>"#;

const APPLICATION: &str = "0 init\n0 compute 1e6\n0 send 1 0 100 0\n0 irecv 1 1 10\n0 wait 1 0 1\n0 bcast 100\n\
    0 allreduce 10 5\n0 alltoall 4 4\n0 barrier\n0 finalize\n---\n\
    1 init\n1 recv 0 0 100 0\n1 isend 0 1 10\n1 waitall\n1 bcast 100\n1 allreduce 10 5\n1 alltoall 4 4\n\
    1 barrier\n1 finalize\n";

const DOCUMENT: &str = r#"[[machines]]
count = 4
group = "rack"
speed_flops = 1e9
idle_power_w = 100
computing_power_w = 200.5
sleep = { off_power_w = 10, switching_off_power_w = 100, switching_on_power_w = 125, switching_off_s = 6.1, switching_on_s = 151 }

[network]
topology = "torus"
parameters = "2,2"
bandwidth_bytes_per_s = 1.25e7
latency_s = 1e-4
sharing = "split_duplex"
"#;
