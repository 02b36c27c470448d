//! Jobs that communicate over a network, with their arithmetic.

use batch::communication::MachineNetwork;
use batch::energy::MeterReading;
use batch::kernel::{JobEnd, LinkUse, Totals};
use batch::platform::{PlatformDocument, read_xml};
use batch::workload::{FilesBeside, Workload, WorkloadReading};

use super::*;

/// Four hosts of 1 Gf that draw 100 W idle, 110 W at nearly no load and 210 W at full load, on links of 125 MB/s and a
/// backbone of 100 MB/s; a storage on a link of 50 MB/s.
const PLATFORM: &str = "<platform version='4.1'><zone id='w' routing='Full'>
 <cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf' bw='125MBps' lat='0' bb_bw='100MBps' bb_lat='0'>
  <prop id='wattage_per_state' value='100:110:210'/>
 </cluster>
 <zone id='s' routing='Full'><host id='pfs' speed='1Gf'><prop id='role' value='storage'/></host></zone>
 <link id='l' bandwidth='50MBps' latency='0'/>
 <zoneRoute src='c' dst='s' gw_src='nc_router' gw_dst='pfs'><link_ctn id='l'/></zoneRoute>
</zone></platform>";

mod replays;

/// What became of a job: its start and end in microseconds, how it ended, and its energy in joules.
type Ran = (i64, i64, JobEnd, f64);

#[derive(Default)]
struct Told {
    jobs: BTreeMap<String, Ran>,
    links: BTreeMap<String, [f64; 3]>,
    total_j: f64,
    readings: u32,
}

impl Observer for Told {
    fn started(&mut self, _: Time, _: &Job, _: &NodeSet) -> io::Result<()> {
        Ok(())
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        let times = [played.started, played.finished].map(Time::as_micros);
        let ran = (times[0], times[1], played.end, played.energy.unwrap().as_joules());
        self.jobs.insert(played.job.id.to_string(), ran);
        Ok(())
    }

    fn refused(&mut self, job: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        panic!("{} was refused", job.id);
    }

    fn metered(&mut self, _: &MeterReading) -> io::Result<()> {
        self.readings += 1;
        Ok(())
    }

    fn finished(&mut self, totals: &Totals) -> io::Result<()> {
        self.total_j = totals.consumption.total.as_joules();
        Ok(())
    }

    fn linked(&mut self, links: &[LinkUse<'_>]) -> io::Result<()> {
        let of =
            |link: &LinkUse<'_>| (link.name.to_owned(), [link.bytes, link.busy_s, link.mean_load]);
        self.links = links.iter().map(of).collect();
        Ok(())
    }
}

fn told(workload: &str, launch: Time, on_network: bool) -> Told {
    let no_files = |name: &str| Err(io::Error::other(name.to_owned()));
    told_on(PLATFORM, (workload, &no_files), launch, on_network)
}

/// What is told of a workload, and of the files that it names.
fn told_on(
    platform: &str,
    (workload, files): (&str, FilesBeside<'_>),
    launch: Time,
    on_network: bool,
) -> Told {
    let description = platform;
    let platform = Platform::new(&read_xml(description).unwrap()).unwrap();
    let network = MachineNetwork::read(description, &platform).unwrap();
    let network = network.as_ref().filter(|_| on_network);
    let machines = platform.machines();
    let reading = WorkloadReading { machines, raw: false, whole: false, duplicates: false };
    let source = Box::new(io::Cursor::new(workload.to_owned()));
    let mut jobs = Workload::open(source, reading, &platform, network, files).unwrap();
    assert!(jobs.needs_network());
    let cluster = Cluster { network, launch, delays_compute: false, ..cluster(&platform) };
    let mut scheduler = combination(Policy::Fcfs, SET).scheduler(&setting(&platform)).unwrap();
    let mut told = Told::default();
    simulate(jobs.by_ref(), cluster, scheduler.as_mut(), &mut told).unwrap();
    told
}

fn near(own: f64, expected: f64) -> bool {
    (own - expected).abs() < 1e-6 * expected.abs().max(1.0)
}

fn is(told: &Told, job: &str, (start_s, end_s, end, energy_j): (f64, f64, JobEnd, f64)) {
    let ran = told.jobs[job];
    let of = |micros: i64| Time::from_micros(micros).as_seconds();
    let fine = near(of(ran.0), start_s) && near(of(ran.1), end_s) && ran.2 == end;
    assert!(fine && near(ran.3, energy_j), "job {job}: {ran:?}");
}

/// Job a has n0 and n1 from 0 s, b n2 and n3 from 1 s; each host computes 1e9 and sends 1e8 bytes to its neighbour.
/// The backbone carries 2e8 bytes of each. Alone a advances at 1e8 / 2e8 = 0.5 a second, so that half of it is left at
/// 1 s; then both do at 0.25: a ends at 3 s, b has half left and ends at 4 s.
///
/// At 0.5 a host draws 110 + 0.5 * 100 = 160 W, at 0.25 it draws 135 W: each job consumes 2 * (160 + 2 * 135) = 860 J.
/// The other two hosts are idle for 1 s at the begin and at the end: 2 * 2 * 100 J more.
///
/// Over n0's link up go 1e8 bytes within 3 s: 0.4 of it for 1 s and 0.2 for 2 s, 0.8 / 4 s in the mean.
#[test]
fn jobs_share_a_backbone() {
    let workload = r#"{"nb_res": 4, "jobs": [
        {"id": "a", "subtime": 0, "res": 2, "profile": "p"},
        {"id": "b", "subtime": 1, "res": 2, "profile": "p"}],
      "profiles": {"p": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 1e8}}}"#;
    let told_on = told(workload, Time::ZERO, true);
    is(&told_on, "a", (0.0, 3.0, JobEnd::Success, 860.0));
    is(&told_on, "b", (1.0, 4.0, JobEnd::Success, 860.0));
    assert!(near(told_on.total_j, 2_120.0), "{}", told_on.total_j);
    let [bytes, busy_s, mean_load] = told_on.links["c_backbone"];
    assert!(near(bytes, 4e8) && near(busy_s, 4.0) && near(mean_load, 1.0));
    let [bytes, busy_s, mean_load] = told_on.links["c_link_0_UP"];
    assert!(near(bytes, 1e8) && near(busy_s, 3.0) && near(mean_load, 0.2));
    // Without the network each computes for 1 s at 210 W.
    let told_off = told(workload, Time::ZERO, false);
    is(&told_off, "a", (0.0, 1.0, JobEnd::Success, 420.0));
    is(&told_off, "b", (1.0, 2.0, JobEnd::Success, 420.0));
    assert!(told_off.links.is_empty());
}

/// Both start at once: each advances at 0.25 and ends at 4 s.
#[test]
fn jobs_that_start_at_one_instant_all_go_on() {
    let workload = r#"{"nb_res": 4, "jobs": [
        {"id": "a", "subtime": 0, "res": 2, "profile": "p"},
        {"id": "b", "subtime": 0, "res": 2, "profile": "p"}],
      "profiles": {"p": {"type": "parallel_homogeneous", "cpu": 1e9, "com": 1e8}}}"#;
    let told = told(workload, Time::ZERO, true);
    is(&told, "a", (0.0, 4.0, JobEnd::Success, 1_080.0));
    is(&told, "b", (0.0, 4.0, JobEnd::Success, 1_080.0));
}

/// Launched for 0.5 s, then twice: 1 s of waiting, and 5e8 operations by the first of two hosts alone, which take 0.5 s:
/// 0.5 + 2 * 1.5 = 3.5 s. Waiting draws 100 W each; while the first host computes at full load it draws 210 W and the
/// other one 100 W: 2.5 * 200 + 2 * 0.5 * 310 = 810 J. With a walltime of 2.2 s it is killed 0.2 s into the second wait:
/// 0.5 * 200 + 200 + 155 + 0.2 * 200 = 495 J.
#[test]
fn sequences_are_played_step_by_step() {
    let workload = r#"{"nb_res": 4, "jobs": [
        {"id": "whole", "subtime": 0, "res": 2, "profile": "both"},
        {"id": "killed", "subtime": 0, "res": 2, "profile": "both", "walltime": 2.2}],
      "profiles": {"both": {"type": "composed", "repeat": 2, "seq": ["wait", "one"]},
        "wait": {"type": "delay", "delay": 1},
        "one": {"type": "parallel", "cpu": [5e8, 0], "com": [0, 0, 0, 0]}}}"#;
    let told = told(workload, Time::from_micros(500_000), true);
    is(&told, "whole", (0.0, 3.5, JobEnd::Success, 810.0));
    is(&told, "killed", (0.0, 2.2, JobEnd::Walltime, 495.0));
}

/// Each of two hosts reads 2e7 bytes and writes 1e7: over the storage's link, shared by both ways, go 6e7 bytes at
/// 5e7 a second, 1.2 s. Nothing is computed: 100 W each.
#[test]
fn storages_are_read_over_the_network() {
    let workload = r#"{"nb_res": 4, "jobs": [{"id": "io", "subtime": 0, "res": 2, "profile": "io"}],
      "profiles": {"io": {"type": "parallel_homogeneous_pfs", "bytes_to_read": 2e7, "bytes_to_write": 1e7}}}"#;
    let told = told(workload, Time::ZERO, true);
    is(&told, "io", (0.0, 1.2, JobEnd::Success, 240.0));
    assert!(near(told.links["l"][0], 6e7));
}

/// What a platform's document says is what `SimGrid`'s users would write: machines 0 and 1 under one switch, 2 and 3
/// under another. From 0 to 1 go 1e8 bytes over two links of 1e8 bytes/s, 1 s and twice 1 ms before; to 2 four links.
/// The storage's link takes 2 s for as much.
#[test]
fn documents_describe_networks() {
    let document = |more: &str| {
        let text = format!(
            "[[machines]]\ncount = 4\nidle_power_w = 100\ncomputing_power_w = 200\n\
             [network]\nbandwidth_bytes_per_s = 1e8\nlatency_s = 0.001\n{more}\n\
             [[network.storages]]\nname = \"disk\"\nbandwidth_bytes_per_s = 5e7"
        );
        toml::from_str::<PlatformDocument>(&text).unwrap()
    };
    let network = |more: &str| {
        let document = document(more);
        let platform = Platform::new(&document.machines(&BTreeMap::new()).unwrap()).unwrap();
        MachineNetwork::of_section(&document.network.unwrap(), &platform)
            .map_err(|error| error.to_string())
    };
    let route = |network: &MachineNetwork, from, to| {
        let route = network.network().route(from, to).unwrap();
        (route.links.len(), route.latency)
    };
    let tree = network("topology = \"fat_tree\"\nparameters = \"2;2,2;1,1;1,1\"").unwrap();
    let host = |machine| tree.host(machine);
    assert_eq!(route(&tree, host(0), host(1)), (2, 0.002));
    assert_eq!(route(&tree, host(0), host(2)), (4, 0.004));
    let flat = network("backbone_bandwidth_bytes_per_s = 2e8").unwrap();
    let disk = flat.storage(None).unwrap();
    assert_eq!(route(&flat, flat.host(0), disk), (3, 0.001));
    assert_eq!(flat.storage(Some("disk")), Ok(disk));
    let unknown = flat.storage(Some("tape")).unwrap_err().to_string();
    assert_eq!(unknown, "the platform has no storage \"tape\" (a host with the role \"storage\")");
    let wrong = network("topology = \"torus\"\nparameters = \"3,2\"").unwrap_err();
    assert!(wrong.contains("needs 6 hosts, and radical gives 4"), "{wrong}");
}
