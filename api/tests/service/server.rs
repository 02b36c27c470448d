//! The real binary as a process: started, listened to, told to stop or killed.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::client::Client;

/// How long a start, a stop or an answer may take.
pub const PATIENCE: Duration = Duration::from_mins(2);

/// A running service; it is killed when dropped.
pub struct Server {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub address: String,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Server {
    /// Starts the command and waits until the service is ready.
    pub async fn start(command: Command) -> Self {
        let server = Self::launch(command);
        let ready = server.client().get("/health/ready").await;
        assert_eq!(ready.status, 200, "{}", ready.body);
        server
    }

    /// Starts the command and waits until the service listens.
    pub fn launch(mut command: Command) -> Self {
        command.stdin(Stdio::null());
        Self::launch_with_its_input(command)
    }

    /// Starts a command whose standard input is said already.
    pub fn launch_with_its_input(mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (sender, addresses) = mpsc::channel();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let written = Arc::clone(&log);
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some((_, address)) = line.split_once("listening on http://") {
                    let ends = |letter: char| letter.is_whitespace() || letter == '"';
                    let address = address.split(ends).next().unwrap_or_default();
                    let _ = sender.send(address.to_owned());
                }
                let mut log = written.lock().unwrap();
                log.push_str(&line);
                log.push('\n');
            }
        });
        let address = addresses.recv_timeout(PATIENCE);
        let mut server = Self { child, address: String::new(), log, reader: Some(reader) };
        server.address = address.unwrap_or_else(|_| panic!("did not start: {}", server.log()));
        server
    }

    /// A client without a token.
    pub fn client(&self) -> Client {
        Client::new(&self.address)
    }

    /// What the service wrote to standard error so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// The process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Memory in use, kB.
    pub fn memory_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Sends a signal by its name.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status().unwrap();
        assert!(sent.success());
    }

    /// SIGKILL, and nothing else.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Waits for the process to end by itself.
    pub fn wait(mut self) -> (ExitStatus, String) {
        let status = self.child.wait().unwrap();
        self.reader.take().unwrap().join().unwrap();
        let log = self.log();
        (status, log)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
