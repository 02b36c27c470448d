//! OpenIPMI's simulator of a management controller. Its chassis is a small script of ours, which does what it is told, or
//! not. It knows no DCMI: `limit.c` beside this file, which it loads, answers the commands of power limits. Sessions and
//! messages are its own.

use std::net::UdpSocket;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::USER;
use crate::process::Process;

/// The password of [`USER`].
pub const BMC_PASSWORD: &str = "secret";

/// The simulator runs it as `chassis 0x20 get power` and `chassis 0x20 set power 0`.
const CHASSIS: &str = r#"#!/bin/sh
cd "$(dirname "$0")"
fault=$(cat fault)
case $2 in
    get)
        [ "$fault" != broken ] || exit 1
        echo "power:$(cat power)"
        [ "$fault" != forgets ] || echo 1 >power ;;
    set)
        echo "$3 $4" >>orders
        case $3 in shutdown) to=0 ;; *) to=$4 ;; esac
        case $fault in
            refuses) exit 1 ;;
            lies) ;;
            slow) (sleep 2; echo $to >power) >/dev/null 2>&1 & ;;
            *) echo $to >power ;;
        esac ;;
esac
exit 0
"#;

/// Compiles the simulator's module for power limits into a folder; where it is.
///
/// # Panics
/// There is no compiler, or it finds errors.
pub fn limit_module(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/limit.c");
    let module = folder.join("limit.so");
    let compiled = Command::new("cc")
        .args(["-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o"])
        .args([&module, &source])
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    module
}

/// A configuration of FreeIPMI in a folder by which [`USER`] comes with a password; where it is.
///
/// # Panics
/// It cannot be written.
pub fn freeipmi_config(folder: &Path, password: &str) -> PathBuf {
    let file = folder.join(format!("freeipmi-{password}.conf"));
    let text = format!(
        "username {USER}\npassword {password}\ndriver-type LAN\nsession-timeout 3000\n\
         retransmission-timeout 500\n"
    );
    std::fs::write(&file, text).unwrap();
    file
}

/// A simulated controller, which ends with it.
#[derive(Debug)]
pub struct Bmc {
    folder: PathBuf,
    /// Where it answers: host and port.
    pub host: String,
    /// The simulator.
    pub process: Process,
}

impl Bmc {
    /// Starts one in a new folder of this name, whose node is on.
    ///
    /// # Panics
    /// It cannot be started.
    pub fn start(folder: &Path, name: &str, module: &Path) -> Self {
        let folder = folder.join(name);
        std::fs::create_dir_all(folder.join("state")).unwrap();
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let chassis = folder.join("chassis");
        let lan = format!(
            "loadlib \"{}\" \"{}\"\nname \"{name}\"\nset_working_mc 0x20\nstartlan 1\n\
             addr 127.0.0.1 {port}\npriv_limit admin\nallowed_auths_admin md5\n\
             allowed_auths_user md5\nallowed_auths_operator md5\n\
             guid a123456789abcdefa123456789abcdef\nendlan\nchassis_control \"{} 0x20\"\n\
             user 2 true \"{USER}\" \"{BMC_PASSWORD}\" admin 10 none md2 md5 straight\n",
            module.display(),
            folder.join("limit").display(),
            chassis.display()
        );
        std::fs::write(folder.join("lan.conf"), lan).unwrap();
        std::fs::write(&chassis, CHASSIS).unwrap();
        std::fs::set_permissions(&chassis, std::fs::Permissions::from_mode(0o755)).unwrap();
        let commands = "mc_setbmc 0x20\nmc_add 0x20 0 no-device-sdrs 0x23 9 8 0x9f 0x1291 0xf02 persist_sdr\n\
                        mc_enable 0x20\n";
        for (file, text) in
            [("commands", commands), ("fault", "none"), ("power", "1\n"), ("orders", "")]
        {
            std::fs::write(folder.join(file), text).unwrap();
        }
        let mut command = Command::new("ipmi_sim");
        command
            .args(["-n", "-c", "lan.conf", "-f", "commands", "-s", "state"])
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = Process::start(&mut command);
        Self { folder, host: format!("127.0.0.1:{port}"), process }
    }

    /// What it does badly from now on: `broken`, `forgets`, `refuses`, `lies` or `slow`; or `none`.
    ///
    /// # Panics
    /// Its folder is gone.
    pub fn fault(&self, fault: &str) {
        std::fs::write(self.folder.join("fault"), fault).unwrap();
    }

    /// Switches its node, around it.
    ///
    /// # Panics
    /// Its folder is gone.
    pub fn switch(&self, is_on: bool) {
        std::fs::write(self.folder.join("power"), if is_on { "1\n" } else { "0\n" }).unwrap();
    }

    /// Whether its node is on, whatever it says.
    ///
    /// # Panics
    /// Its folder is gone.
    pub fn is_on(&self) -> bool {
        std::fs::read_to_string(self.folder.join("power")).unwrap().trim() != "0"
    }

    /// What its chassis was told.
    ///
    /// # Panics
    /// Its folder is gone.
    pub fn orders(&self) -> Vec<String> {
        let orders = std::fs::read_to_string(self.folder.join("orders")).unwrap();
        orders.lines().map(str::to_owned).collect()
    }

    /// Gives it a power limit: watts, whether it is active, and the exception action.
    ///
    /// # Panics
    /// Its folder is gone.
    pub fn limit(&self, text: &str) {
        std::fs::write(self.folder.join("limit"), text).unwrap();
    }

    /// Its power limit.
    ///
    /// # Panics
    /// It never had one.
    pub fn limit_now(&self) -> String {
        std::fs::read_to_string(self.folder.join("limit")).unwrap().trim().to_owned()
    }
}
