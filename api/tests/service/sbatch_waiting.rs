//! `wattbook sbatch` beside a service whose Slurm does not answer: bookings wait, and none is left without a job.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, ChildStderr, Command, Stdio};

use crate::booking::{command, say};
use crate::cluster::furnish;
use crate::server::Server;
use crate::site::Site;

/// A service that is to drive a Slurm at a port where nobody listens.
async fn serve(site: &Site, listen: &str) -> Server {
    let settings =
        "[slurm]\nrest = \"http://127.0.0.1:1\"\nmode = \"drive\"\ntoken = { file = \"token\" }\n";
    fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    fs::write(site.folder().join("token"), "x").unwrap();
    Server::start(site.command(&["serve", "--listen", listen, "--config", "wattbook.toml"])).await
}

/// `wattbook sbatch` that has booked and waits, and the lines that it says.
struct Waiting(Child, BufReader<ChildStderr>);

impl Waiting {
    fn new(site: &Site, server: &Server, patience: &str) -> Self {
        let sbatch = site.folder().join("sbatch");
        fs::write(&sbatch, "#!/bin/sh\n[ \"$1\" = --version ] || touch \"$0.ran\"\n").unwrap();
        fs::set_permissions(&sbatch, fs::Permissions::from_mode(0o755)).unwrap();
        let line = format!(
            "sbatch --within 5h --ranking cost_co2_energy --patience {patience} -N 2 -t 60 --wrap true"
        );
        let mut command = command(server, &line);
        command.env("WATTBOOK_SBATCH", &sbatch).stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap());
        let mut waiting = Self(child, lines);
        waiting.until("booked as ");
        waiting
    }

    /// Reads what it says up to a line with these words.
    fn until(&mut self, words: &str) {
        let mut said = String::new();
        while !said.contains(words) {
            let read = self.1.read_line(&mut said).unwrap();
            assert!(read > 0, "it ended: {said}");
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }

    /// Its exit status, and what else it said.
    fn ended(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        self.1.read_to_string(&mut said).unwrap();
        (self.0.wait().unwrap().code(), said)
    }
}

fn states(server: &Server) -> Vec<String> {
    let listed = say(server, "list --format csv").out;
    listed.lines().skip(1).filter_map(|it| it.split(',').nth(2)).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_told_to_end_cancels_the_booking() {
    let site = Site::sqlite();
    let server = serve(&site, "127.0.0.1:0").await;
    furnish(&server.client(), 4, Some(600.0)).await;
    // Not the signals that tests in the background are started to ignore.
    let waiting = Waiting::new(&site, &server, "1h");
    waiting.signal("TERM");
    let (code, said) = waiting.ended();
    assert_eq!(code, Some(143), "{said}");
    assert!(said.contains(" is cancelled"), "{said}");
    let (code, said) = Waiting::new(&site, &server, "2s").ended();
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("does not have the reservation after 2 s (--patience)"), "{said}");
    assert_eq!(states(&server), ["cancelled"; 2]);
    assert!(!site.folder().join("sbatch.ran").exists());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_service_that_is_started_again_is_waited_for() {
    let site = Site::sqlite();
    let server = serve(&site, "127.0.0.1:0").await;
    furnish(&server.client(), 4, Some(600.0)).await;
    let mut waiting = Waiting::new(&site, &server, "1h");
    let address = server.address.clone();
    server.kill();
    waiting.until("does not answer");
    waiting.signal("TERM");
    let server = serve(&site, &address).await;
    let (code, said) = waiting.ended();
    assert_eq!(code, Some(143), "{said}");
    assert!(said.contains(" is cancelled"), "{said}");
    assert_eq!(states(&server), ["cancelled"]);
}
