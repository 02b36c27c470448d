//! A disk that is full for a while: bookings and readiness say so, and nothing must be restarted once there is room.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::client::{Answer, Client};
use crate::cluster::{Hours, furnish, path, propose};
use crate::left_out::left_out;
use crate::server::{PATIENCE, Server};
use crate::site::Site;

/// Runs the command after the first argument with a small file system of its own at that path.
const WITH_A_SMALL_DISK: &str = r#"mount -t tmpfs -o size=6m tmpfs "$0" && exec "$@""#;

/// A command on a file system of 6 MB that only it sees, as it is; `None` where that may not be.
fn with_a_small_disk(disk: &Path, command: &Command) -> Option<Command> {
    let own = |run: &Command| {
        let mut own = Command::new("unshare");
        own.args(["--user", "--map-root-user", "--mount", "sh", "-c", WITH_A_SMALL_DISK]);
        own.arg(disk).arg(run.get_program()).args(run.get_args());
        for (name, value) in run.get_envs() {
            match value {
                Some(value) => own.env(name, value),
                None => own.env_remove(name),
            };
        }
        own
    };
    let tried = own(&Command::new("true")).output();
    tried.is_ok_and(|it| it.status.success()).then(|| own(command))
}

/// A file that takes what room there is.
struct Filler(PathBuf);

impl Filler {
    fn fill(disk: &Path) -> Self {
        let path = disk.join("filler");
        let mut file = File::create(&path).unwrap();
        for size in [1 << 16, 1 << 10, 1] {
            let bytes = vec![1; size];
            let full = loop {
                if let Err(error) = file.write_all(&bytes) {
                    break error;
                }
            };
            assert_eq!(full.kind(), ErrorKind::StorageFull, "{full}");
        }
        Self(path)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_disk_that_was_full_needs_no_restart() {
    let site = Site::sqlite();
    let disk = site.folder().join("disk");
    std::fs::create_dir(&disk).unwrap();
    let mut serve = site.command(&["serve", "--listen", "127.0.0.1:0"]);
    serve.env("WATTBOOK_DATABASE", format!("sqlite://{}", disk.join("book.db").display()));
    let Some(serve) = with_a_small_disk(&disk, &serve) else {
        let test = "full_disk::a_disk_that_was_full_needs_no_restart";
        return left_out(test, "no mounts of one's own (unshare --user --mount)");
    };
    let server = Server::start(serve).await;
    let client = server.client();
    let hours = furnish(&client, 20, None).await;
    let before = propose(&client, &hours.request(1, 2, 3)).await;
    let seen = PathBuf::from(format!("/proc/{}/root{}", server.id(), disk.display()));
    let filler = Filler::fill(&seen);
    for _ in 0..3 {
        let refused = client.post("/api/v1/reservations", &hours.request(1, 2, 3)).await;
        let problem = refused.problem(503, "unavailable");
        assert!(problem["detail"].as_str().unwrap().contains("disk"), "{problem}");
        assert!(!refused.header("retry-after").is_empty());
    }
    until_ready(&client, 503, "full").await;
    client.get(&path(&before)).await.ok(200);
    client.post("/api/v1/quotes", &hours.request(1, 2, 3)).await.ok(200);

    std::fs::remove_file(filler.0).unwrap();
    let booked = booked_at_last(&client, hours).await;
    until_ready(&client, 200, "ready").await;
    for reservation in [&before, &booked] {
        client.delete(&path(reservation)).await.ok(200);
    }
    assert!(!server.log().contains(" 500 "), "{}", server.log());
}

/// Waits until readiness has this status, and says this.
pub async fn until_ready(client: &Client, status: u16, word: &str) -> Answer {
    let give_up = Instant::now() + PATIENCE;
    loop {
        let answer = client.get("/health/ready").await;
        if answer.status == status {
            assert!(answer.body.contains(word), "{}", answer.body);
            return answer;
        }
        assert!(Instant::now() < give_up, "{answer:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

pub async fn booked_at_last(client: &Client, hours: Hours) -> serde_json::Value {
    let give_up = Instant::now() + PATIENCE;
    loop {
        let answer = client.post("/api/v1/reservations", &hours.request(1, 2, 3)).await;
        if answer.status == 201 {
            return answer.ok(201);
        }
        answer.problem(503, "unavailable");
        assert!(Instant::now() < give_up, "{answer:?}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}
