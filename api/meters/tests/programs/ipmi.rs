//! FreeIPMI against simulated management controllers, good and bad.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::time::{Duration, Instant};

use meters::address::Addresses;
use meters::ipmi::{Ipmi, IpmiSettings, IpmiValue};
use planner::metering::SampleTime;

use super::simulator::{Bmc, ipmi, module};

const NOW: SampleTime = SampleTime::from_unix_milliseconds(1_767_225_600_000);

/// What is told of each node, in milliwatts.
async fn told(ipmi: &Ipmi, nodes: &[&str]) -> (BTreeMap<String, i64>, Vec<String>) {
    let nodes: Vec<String> = nodes.iter().map(|it| (*it).to_owned()).collect();
    match ipmi.samples(&nodes, &|| NOW).await {
        Ok(answer) => {
            let of = answer.series.iter().map(|it| {
                assert!(it.samples.len() == 1 && it.samples[0].at == NOW);
                (it.name.to_string(), it.samples[0].value_milli)
            });
            (of.collect(), answer.notes.into_iter().collect())
        }
        Err(error) => (BTreeMap::new(), vec![error.to_string()]),
    }
}

#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/meters"]
async fn controllers_tell_their_power_and_those_that_do_not_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let module = module(folder.path()).await;
    let one = Bmc::start(folder.path(), "one", &module);
    let two = Bmc::start(folder.path(), "two", &module);
    one.measures(Some("220 active"));
    two.measures(Some("65535 active"));
    let nobody = UdpSocket::bind("127.0.0.1:0").unwrap();
    let silent = nobody.local_addr().unwrap().to_string();
    let bmcs = [
        ("n1", one.host.as_str()),
        ("n2", two.host.as_str()),
        ("n3", silent.as_str()),
        ("n4", "no-such-host.invalid"),
        ("n5", "a,b"),
    ];
    let meter = ipmi(folder.path(), &bmcs, "secret", IpmiValue::Power);
    let begun = Instant::now();
    while told(&meter, &["n1", "n2"]).await.0.len() < 2 {
        assert!(begun.elapsed() < Duration::from_secs(30), "the simulators do not answer");
    }

    let (powers, notes) = told(&meter, &["n1", "n2", "n3", "n4", "n5", "n6"]).await;
    assert_eq!(powers, [("n1".to_owned(), 220_000), ("n2".to_owned(), 65_535_000)].into());
    for (node, words) in [
        ("n3: ", "timeout"),
        ("n4: ", "invalid hostname"),
        ("n5: ", "is no host"),
        ("n6: ", "no address"),
    ] {
        let note = notes.iter().find(|it| it.starts_with(node)).unwrap();
        assert!(note.contains(words), "{note}");
    }
    let mean = ipmi(folder.path(), &bmcs, "secret", IpmiValue::AveragePower);
    assert_eq!(told(&mean, &["n1"]).await.0["n1"], 220_000);

    // No measurement, no DCMI at all, and a password that is not accepted.
    one.measures(Some("0 inactive"));
    two.measures(None);
    let (powers, notes) = told(&meter, &["n1", "n2"]).await;
    assert!(powers.is_empty() && notes[0].contains("Not Available"), "{notes:?}");
    let (_, notes) = told(&meter, &["n2"]).await;
    assert!(notes[0].contains("invalid or unsupported"), "{notes:?}");
    let stranger = ipmi(folder.path(), &bmcs, "wr0ng-secret", IpmiValue::Power);
    let (_, notes) = told(&stranger, &["n1"]).await;
    assert!(notes[0].contains("password") && !notes[0].contains("wr0ng"), "{notes:?}");
}

#[tokio::test]
#[ignore = "needs FreeIPMI and OpenIPMI: .ci/meters"]
async fn a_program_that_hangs_or_is_missing_is_an_error() {
    let settings = |program: &str, seconds| IpmiSettings {
        program: program.into(),
        config_file: None,
        addresses: Addresses { template: Some("{node}".to_owned()), listed: BTreeMap::new() },
        value: IpmiValue::Power,
        timeout: Duration::from_secs(seconds),
    };
    let missing = Ipmi::new(settings("/nonexistent/ipmi-dcmi", 5));
    let (_, notes) = told(&missing, &["n1"]).await;
    assert!(notes[0].contains("/nonexistent/ipmi-dcmi cannot be run"), "{notes:?}");
    let folder = tempfile::tempdir().unwrap();
    let hangs = folder.path().join("hangs");
    std::fs::write(&hangs, "#!/bin/sh\nexec sleep 600\n").unwrap();
    std::fs::set_permissions(&hangs, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let (_, notes) = told(&Ipmi::new(settings(hangs.to_str().unwrap(), 1)), &["n1"]).await;
    assert!(notes[0].contains("longer than 1 s"), "{notes:?}");
    // What the program says of no host: its configuration file is missing.
    let lost = IpmiSettings {
        config_file: Some("/nonexistent/freeipmi.conf".into()),
        ..settings("ipmi-dcmi", 20)
    };
    let (_, notes) = told(&Ipmi::new(lost), &["127.0.0.1:1"]).await;
    assert!(notes[0].contains("ipmi-dcmi says"), "{notes:?}");
}
