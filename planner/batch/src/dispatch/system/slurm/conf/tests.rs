//! Settings as sites write them, and what is wrong with them.

use super::*;
use crate::dispatch::system::System;
use crate::time::Time;

const CONF: &str = r#"
ClusterName=made_up   # NodeName=none CPUs=1
GresTypes=gpu,mic
Licenses=matlab:4,fluent@db:30
NodeName=DEFAULT Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 RealMemory=64000 \
    State=UNKNOWN
NodeName=n[01-03] Feature=plain
nodename=g[1-2] CPUs=32 Gres=gpu:a100:2,mic:1 MemSpecLimit=4000 CoreSpecCount=1 Feature=fast,plain Reason="a new \
one"
Include more.conf
NodeName=later State=FUTURE
NodeSet=quick Feature=fast
NodeSet=both Nodes=n01,g1
PartitionName=DEFAULT MaxTime=7-00:00:00
PartitionName=batch Nodes=ALL Default=YES MaxNodes=4
PartitionName=gpu Nodes=quick MaxTime=60
PartitionName=mixed Nodes=both,n02 MaxTime=UNLIMITED MaxNodes=2
"#;

fn read(text: &str) -> Result<ListedSystem, SystemError> {
    read_slurm_conf(text, &mut |name| match name {
        "more.conf" => Ok("# more\nNodeName=big CPUs=128 RealMemory=1000000\n".to_owned()),
        "wrong.conf" => Ok("\nNodeName=x CPUs=many\n".to_owned()),
        "again.conf" => Ok("Include again.conf".to_owned()),
        name => Err(format!("there is no {name}")),
    })
}

/// TOML allows none in comments, in which names of nodes are written.
#[test]
fn names_with_control_characters_are_written_without_them() {
    let mut written = Vec::new();
    read("NodeName=n\u{1}1 CPUs=4\n").unwrap().write(&mut written).unwrap();
    let written = String::from_utf8(written).unwrap();
    assert!(written.starts_with("# n 1\n"), "{written}");
    System::parse(&written).unwrap();
}

/// The second line counts: 3 + 4 of fluent on two servers.
#[test]
fn licences_of_the_latest_line_count_and_are_added_up() {
    let text = "NodeName=n1\nLicenses=matlab:4,fluent:9\nLicenses=fluent@a:3,ansys,fluent@b:4\n";
    let shared = read(text).unwrap().shared;
    assert_eq!(shared, [("fluent".to_owned(), 7), ("ansys".to_owned(), 1)]);
}

/// 2 x 8 x 2 = 32 processors each. Of those with GPUs a core, 2 processors, and 4,000 MB are kept for the system.
#[test]
fn nodes_and_partitions_are_types_and_queues() {
    let system = read(CONF).unwrap().system();
    assert_eq!(
        system.names().collect::<Vec<_>>(),
        ["cpu", "memory_mb", "gpu", "mic", "matlab", "fluent"]
    );
    let types: Vec<(u32, &[u32])> =
        system.types.iter().map(|it| (it.count, &*it.amounts)).collect();
    assert_eq!(
        types,
        [
            (2, &[32, 64_000, 0, 0][..]),
            (1, &[32, 64_000, 0, 0]),
            (1, &[30, 60_000, 2, 1]),
            (1, &[30, 60_000, 2, 1]),
            (1, &[128, 1_000_000, 0, 0]),
        ]
    );
    assert_eq!((system.shared[0].amount, system.shared[1].amount), (4, 30));
    // n01 is in mixed, n02 too; the names of properties are in the order of the nodes that have them.
    let properties: Vec<&str> = system.properties.iter().map(|it| &**it).collect();
    assert_eq!(properties, ["partition.mixed", "plain", "fast", "partition.gpu"]);
    let marks: Vec<u64> = system.types.iter().map(|it| it.properties).collect();
    assert_eq!(marks, [0b0011, 0b0010, 0b1111, 0b1110, 0]);
    let queues: Vec<_> =
        system.queues.iter().map(|it| (&*it.name, it.max_units, it.max_time)).collect();
    let week = Some(Time::from_seconds(604_800));
    assert_eq!(
        queues,
        [
            ("batch", Some(4), week),
            ("gpu", Some(2), Some(Time::from_seconds(3600))),
            ("mixed", Some(2), None),
        ]
    );
}

#[test]
fn what_is_read_can_be_written_and_read() {
    let listed = read(CONF).unwrap();
    let mut text = Vec::new();
    listed.write(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("# n[01-02]\n") && text.contains("# g2\n"), "{text}");
    assert_eq!(System::parse(&text).unwrap(), listed.system());
}

#[test]
fn everything_that_is_wrong_is_told_with_its_line() {
    for (text, told) in [
        ("", "line 1: there is no node: NodeName="),
        (
            "NodeName=n1 CPUs=x\nNodeName=n[2 CPUs=1\n",
            "line 1: cpus: \"x\" is no whole number; line 2: NodeName: a bracket",
        ),
        ("NodeName=n1 Gres=gpu:99999999999\n", "line 1: Gres: \"gpu:99999999999\" has no amount"),
        (
            "NodeName=n1\n\nInclude \\\nwrong.conf\n",
            "line 3: wrong.conf, line 2: cpus: \"many\" is no whole number",
        ),
        ("NodeName=n1\nInclude none.conf\n", "line 2: Include none.conf: there is no none.conf"),
        (
            "NodeName=n1\nInclude again.conf\n",
            "line 2: again.conf, line 1: Include again.conf: files include each other",
        ),
        (
            "NodeName=n1\nPartitionName=a Nodes=n2\n",
            "line 2: Nodes: there is no node or node set n2",
        ),
        (
            "NodeName=n1\nPartitionName=a Nodes=n1 MaxTime=soon\n",
            "line 2: MaxTime: \"soon\" is no limit",
        ),
        (
            "NodeName=n1\nPartitionName=a\nPartitionName=a\n",
            "line 3: there is a partition a already",
        ),
        ("NodeName=n1\nPartitionName= Nodes=n1\n", "line 2: PartitionName: has no name"),
        ("NodeName=n1\nLicenses=a:b\n", "line 2: Licenses: \"a:b\" is not such as"),
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with(told), "{error}");
    }
}
