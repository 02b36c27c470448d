//! Jobs whose ranks go through the traces of an application, with their arithmetic.

use super::*;

/// A workload of a job for so many machines, and its files.
fn replayed(
    kind: &str,
    nodes: u32,
    more: &str,
    traces: &[&str],
) -> (String, BTreeMap<String, String>) {
    let profile =
        format!(r#"{{"type": "trace_replay", "trace_type": "{kind}", "trace_file": "app/list"}}"#);
    let job = format!(r#"{{"id": "a", "subtime": 0, "res": {nodes}, "profile": "p"{more}}}"#);
    let workload = format!(r#"{{"nb_res": 4, "jobs": [{job}], "profiles": {{"p": {profile}}}}}"#);
    let names = (0..traces.len()).map(|rank| format!("rank{rank}"));
    let list = names.clone().collect::<Vec<String>>().join("\n");
    let paths = names.map(|name| format!("app/{name}"));
    let mut files: BTreeMap<String, String> =
        paths.zip(traces.iter().map(|&text| text.to_owned())).collect();
    files.insert("app/list".to_owned(), list);
    (workload, files)
}

fn play(
    platform: &str,
    (workload, files): &(String, BTreeMap<String, String>),
    on_network: bool,
) -> Told {
    let read = |name: &str| {
        files.get(name).cloned().ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "not there"))
    };
    told_on(platform, (workload, &read), Time::ZERO, on_network)
}

/// Rank 0 computes for 1 s and sends 99,999,984 bytes and 16 before them over the backbone, another second; then rank 1
/// computes for half a second.
///
/// n0 draws 210 W for 1 s and 100 W for 1.5 s, n1 100 W for 2 s and 210 W for 0.5 s: 360 + 305 = 665 J.
const SENDING: [&str; 2] = [
    "0 init\n0 compute 1e9\n0 send 1 0 99999984\n0 finalize",
    "1 init\n1 recv 0 0 99999984\n1 compute 5e8\n1 finalize",
];

#[test]
fn ranks_compute_and_send() {
    let told = play(PLATFORM, &replayed("smpi", 2, "", &SENDING), true);
    is(&told, "a", (0.0, 2.5, JobEnd::Success, 665.0));
    assert!(near(told.links["c_backbone"][0], 1e8));
    // Without the network each machine computes as long as the slowest, for 1 s at 210 W.
    let told = play(PLATFORM, &replayed("smpi", 2, "", &SENDING), false);
    is(&told, "a", (0.0, 1.0, JobEnd::Success, 420.0));
}

/// At 1.5 s half of the message is sent: 210 + 50 J and 150 J.
#[test]
fn a_replay_ends_at_its_walltime() {
    let told = play(PLATFORM, &replayed("smpi", 2, r#", "walltime": 1.5"#, &SENDING), true);
    is(&told, "a", (0.0, 1.5, JobEnd::Walltime, 410.0));
    assert!(near(told.links["c_backbone"][0], 5e7));
}

/// Three ranks on two machines of one core: the first and the third share one, 2 s at 210 W, and the second has the
/// other for 1 s: 420 + 210 + 100 = 730 J.
#[test]
fn ranks_share_machines_in_turn() {
    let traces = ["0 compute 1e9", "1 compute 1e9", "2 compute 1e9"];
    let told = play(PLATFORM, &replayed("smpi", 2, "", &traces), true);
    is(&told, "a", (0.0, 2.0, JobEnd::Success, 730.0));
}

/// Half of four cores compute 1e9 operations each, 1 s at 110 + 0.5 * 100 = 160 W; then all of them, 1 s at 210 W.
#[test]
fn usage_is_of_cores() {
    let platform =
        PLATFORM.replace("radical='0-3' speed='1Gf'", "radical='0-3' speed='1Gf' core='4'");
    let traces = ["0 m_usage 0.5 1e9\n0 m_usage 1 1e9"];
    let told = play(&platform, &replayed("usage", 1, "", &traces), true);
    is(&told, "a", (0.0, 2.0, JobEnd::Success, 370.0));
}

#[test]
fn what_is_wrong_with_traces_is_told() {
    let wrong = |kind: &str, traces: &[&str], gone: &str| {
        let (workload, mut files) = replayed(kind, 2, "", traces);
        files.remove(gone);
        let read = |name: &str| {
            files
                .get(name)
                .cloned()
                .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "not there"))
        };
        let reading = WorkloadReading { machines: 4, raw: false, whole: false, duplicates: false };
        let platform = Platform::of_machines(4);
        let source = Box::new(io::Cursor::new(workload));
        let opened = Workload::open(source, reading, &platform, None, &read);
        opened.map(drop).unwrap_err().to_string()
    };
    assert_eq!(wrong("smpi", &SENDING, "app/list"), "profile \"p\": app/list: not there");
    assert_eq!(wrong("smpi", &SENDING, "app/rank1"), "profile \"p\": app/rank1: not there");
    let line = "profile \"p\": app/list: rank 1, line 1: \"nap\" is no action that is played";
    assert_eq!(wrong("smpi", &["0 init", "1 nap"], ""), line);
    let usage = "profile \"p\": its trace_type is usage, and its ranks communicate: that is smpi";
    assert_eq!(wrong("usage", &SENDING, ""), usage);
}
