//! FreeIPMI against OpenIPMI's simulator of management controllers. The simulator knows no DCMI: `dcmi.c` beside this
//! file, which it loads, answers the one command that is asked. Sessions and messages are its own.

use std::collections::BTreeMap;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use meters::address::Addresses;
use meters::ipmi::{Ipmi, IpmiSettings, IpmiValue};
use planner::metering::SampleTime;
use tokio::process::{Child, Command};

const NOW: SampleTime = SampleTime::from_unix_milliseconds(1_767_225_600_000);

/// Compiles the module; where it is.
async fn module(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/dcmi.c");
    let module = folder.join("dcmi.so");
    let compiled = Command::new("cc")
        .args(["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"])
        .args([&module, &source])
        .output()
        .await
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    module
}

/// A simulated controller, which ends with it.
struct Bmc {
    folder: PathBuf,
    host: String,
    _process: Child,
}

impl Bmc {
    fn start(folder: &Path, name: &str, module: &Path) -> Self {
        let folder = folder.join(name);
        std::fs::create_dir_all(folder.join("state")).unwrap();
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let power = folder.join("power");
        let lan = format!(
            "loadlib \"{}\" \"{}\"\nname \"{name}\"\nset_working_mc 0x20\nstartlan 1\n\
             addr 127.0.0.1 {port}\npriv_limit admin\nallowed_auths_admin md5\n\
             allowed_auths_user md5\nallowed_auths_operator md5\n\
             guid a123456789abcdefa123456789abcdef\nendlan\n\
             user 2 true \"alice\" \"secret\" admin 10 none md2 md5 straight\n",
            module.display(),
            power.display()
        );
        std::fs::write(folder.join("lan.conf"), lan).unwrap();
        let commands = "mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr\n\
                        mc_enable 0x20\n";
        std::fs::write(folder.join("commands"), commands).unwrap();
        let process = Command::new("ipmi_sim")
            .args(["-n", "-c", "lan.conf", "-f", "commands", "-s", "state"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        Self { folder, host: format!("127.0.0.1:{port}"), _process: process }
    }

    /// What it measures from now on, such as `220 active`; nothing where it has no DCMI.
    fn measures(&self, power: Option<&str>) {
        let file = self.folder.join("power");
        match power {
            Some(power) => std::fs::write(file, power).unwrap(),
            None => std::fs::remove_file(file).unwrap(),
        }
    }
}

fn ipmi(folder: &Path, bmcs: &[(&str, &str)], password: &str, value: IpmiValue) -> Ipmi {
    let file = folder.join(format!("freeipmi-{password}.conf"));
    let text = format!(
        "username alice\npassword {password}\ndriver-type LAN\nsession-timeout 3000\n\
         retransmission-timeout 500\n"
    );
    std::fs::write(&file, text).unwrap();
    let listed = bmcs.iter().map(|(node, host)| ((*node).to_owned(), (*host).to_owned()));
    Ipmi::new(IpmiSettings {
        program: "ipmi-dcmi".into(),
        config_file: Some(file),
        addresses: Addresses { template: None, listed: listed.collect() },
        value,
        timeout: Duration::from_secs(30),
    })
}

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
