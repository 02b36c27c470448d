//! sushy-emulator with its fake systems, which take up to eleven seconds to do what they are told.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::Process;

/// The password of [`USER`](crate::USER).
pub const EMULATOR_PASSWORD: &str = "correct-horse";

/// [`USER`](crate::USER) and [`EMULATOR_PASSWORD`] as HTTP's Basic has them.
const BASIC: &str = "YWxpY2U6Y29ycmVjdC1ob3JzZQ==";

const SYSTEM: &str = "27946b59-9e44-4fa7-8e91-f3527a1ef094";

/// [`EMULATOR_PASSWORD`], as bcrypt hides it.
const PASSWORDS: &str = "alice:$2b$04$8YEGdXydepUlMSZh/T7EHO/M1s5r/GlwYKlvHjPQDqTuAat0/xHmG\n";

/// An emulator with one system, which ends with it.
#[derive(Debug)]
pub struct Emulator {
    folder: PathBuf,
    /// Where it answers.
    pub url: String,
    /// The emulator.
    pub process: Process,
}

impl Emulator {
    /// Starts one in a new folder of this name, whose system is on. More settings are lines of its configuration.
    ///
    /// # Panics
    /// `WATTBOOK_TEST_SUSHY` does not name the program, or it cannot be started.
    pub fn start(folder: &Path, name: &str, settings: &str) -> Self {
        let folder = folder.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let here = folder.display();
        let text = format!(
            "SUSHY_EMULATOR_FAKE_DRIVER = True\nSUSHY_EMULATOR_STATE_DIR = '{here}'\n\
             SUSHY_EMULATOR_AUTH_FILE = '{here}/passwords'\n\
             SUSHY_EMULATOR_FAKE_SYSTEMS = [{{'uuid': '{SYSTEM}', 'name': '{name}',\n\
                 'power_state': 'On', 'external_notifier': False, 'nics': []}}]\n{settings}\n"
        );
        std::fs::write(folder.join("emulator.conf"), text).unwrap();
        std::fs::write(folder.join("passwords"), PASSWORDS).unwrap();
        let program = std::env::var("WATTBOOK_TEST_SUSHY").expect("WATTBOOK_TEST_SUSHY names it");
        let log = std::fs::File::create(folder.join("log")).unwrap();
        let mut command = Command::new(program);
        command
            .args(["--interface", "127.0.0.1", "--port", &port.to_string(), "--config"])
            .arg(folder.join("emulator.conf"))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        let process = Process::start(&mut command);
        Self { folder, url: format!("http://127.0.0.1:{port}"), process }
    }

    /// Whether its system is on.
    ///
    /// # Panics
    /// It does not answer, or has no system.
    pub fn is_on(&self) -> bool {
        let mut stream = TcpStream::connect(self.url.trim_start_matches("http://")).unwrap();
        let request = format!(
            "GET /redfish/v1/Systems/{SYSTEM} HTTP/1.0\r\nAuthorization: Basic {BASIC}\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.contains("\"PowerState\""), "{answer}");
        answer.replace(' ', "").contains("\"PowerState\":\"On\"")
    }

    /// How often it was told to switch its system.
    ///
    /// # Panics
    /// Its folder is gone.
    pub fn orders(&self) -> usize {
        let log = std::fs::read_to_string(self.folder.join("log")).unwrap();
        log.matches("Actions/ComputerSystem.Reset").count()
    }
}
