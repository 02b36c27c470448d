//! OpenIPMI's simulator of management controllers. It knows no DCMI: `dcmi.c` beside this file, which it loads, answers the
//! one command that is asked. Sessions and messages are its own.

use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use meters::address::Addresses;
use meters::ipmi::{Ipmi, IpmiSettings, IpmiValue};
use tokio::process::{Child, Command};

/// Compiles the module; where it is.
pub async fn module(folder: &Path) -> PathBuf {
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
pub struct Bmc {
    folder: PathBuf,
    pub host: String,
    _process: Child,
}

impl Bmc {
    pub fn start(folder: &Path, name: &str, module: &Path) -> Self {
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
    pub fn measures(&self, power: Option<&str>) {
        let file = self.folder.join("power");
        match power {
            Some(power) => std::fs::write(file, power).unwrap(),
            None => std::fs::remove_file(file).unwrap(),
        }
    }
}

pub fn ipmi(folder: &Path, bmcs: &[(&str, &str)], password: &str, value: IpmiValue) -> Ipmi {
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
