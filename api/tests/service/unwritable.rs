//! SQLite files that cannot be written: refused at the start, told where it happens later.

use std::fs::{OpenOptions, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cluster::{furnish, path, propose};
use crate::full_disk::until_ready;
use crate::left_out::left_out;
use crate::site::Site;

/// The superuser without the privilege to write what permissions let nobody write.
const UNPRIVILEGED: [&str; 3] = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"];

/// What a command that must fail soon says. A service that starts is ended after a while, with another status.
fn refused(command: &Command, prefix: &[&str]) -> String {
    let mut timed = Command::new("timeout");
    timed.arg("60").args(prefix).arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => timed.env(name, value),
            None => timed.env_remove(name),
        };
    }
    if let Some(folder) = command.get_current_dir() {
        timed.current_dir(folder);
    }
    let output = timed.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    said
}

fn allow(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// Whether permissions bind nobody here.
fn is_privileged(folder: &Path) -> bool {
    let probe = folder.join("probe");
    std::fs::write(&probe, "").unwrap();
    allow(&probe, 0o444);
    let is_privileged = OpenOptions::new().write(true).open(&probe).is_ok();
    std::fs::remove_file(probe).unwrap();
    is_privileged
}

#[test]
fn a_database_that_cannot_be_written_is_refused_at_the_start() {
    let site = Site::sqlite();
    let folder = site.folder().join("book");
    std::fs::create_dir(&folder).unwrap();
    let prefix: &[&str] = if is_privileged(&folder) { &UNPRIVILEGED } else { &[] };
    if let [program, options @ ..] = prefix
        && !Command::new(program).args(options).arg("true").status().is_ok_and(|it| it.success())
    {
        let test = "unwritable::a_database_that_cannot_be_written_is_refused_at_the_start";
        return left_out(test, "no setpriv that gives up privileges");
    }
    let file = folder.join("book.db");
    let url = format!("sqlite://{}", file.display());
    let create = ["token", "create", "--create-database", "--owner", "ada", "--role", "user"];
    let mut make = site.command(&create);
    assert!(make.env("WATTBOOK_DATABASE", &url).status().unwrap().success());
    let serve = |url: &str| {
        let mut serve = site.command(&["serve", "--listen", "127.0.0.1:0"]);
        serve.env("WATTBOOK_DATABASE", url);
        refused(&serve, prefix)
    };
    let is_told = |said: &str, file: &Path| {
        let told = format!("the database {} cannot be written", file.display());
        assert!(said.contains(&told) && said.contains("folder"), "{said}");
    };
    is_told(&serve(&format!("{url}?mode=ro")), &file);
    allow(&file, 0o400);
    is_told(&serve(&url), &file);
    allow(&file, 0o600);
    // With these it can be written, though they cannot be made.
    for end in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(folder.join(format!("book.db{end}")));
    }
    allow(&folder, 0o500);
    is_told(&serve(&url), &file);
    let other = folder.join("other.db");
    is_told(&serve(&format!("sqlite://{}", other.display())), &other);
    allow(&folder, 0o700);
    assert!(!other.exists());
    let missing = serve("sqlite:///no/such/folder/book.db");
    assert!(missing.contains("cannot open the database /no/such/folder/book.db"), "{missing}");
}

/// Files that are made immutable until it is dropped.
struct Immutable(Vec<PathBuf>);

impl Immutable {
    /// `None` where that may not be.
    fn new(files: Vec<PathBuf>) -> Option<Self> {
        let made = Self(files);
        made.change("+i").then_some(made)
    }

    fn change(&self, attribute: &str) -> bool {
        let changed = Command::new("chattr").arg(attribute).args(&self.0).output();
        changed.is_ok_and(|it| it.status.success())
    }
}

impl Drop for Immutable {
    fn drop(&mut self) {
        self.change("-i");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_can_be_written_no_more_is_not_ready_and_says_so() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 20, None).await;
    let before = propose(&client, &hours.request(1, 2, 3)).await;
    let file = site.database.strip_prefix("sqlite://").unwrap();
    // Not "-shm": it is mapped, and what cannot be written there any more ends the process.
    let files = ["", "-wal"].map(|end| PathBuf::from(format!("{file}{end}")));
    let Some(immutable) = Immutable::new(files.into()) else {
        let test = "unwritable::a_database_that_can_be_written_no_more_is_not_ready_and_says_so";
        return left_out(test, "no immutable files (chattr +i)");
    };
    until_ready(&client, 503, "only be read").await;
    client.get(&path(&before)).await.ok(200);
    client.post("/api/v1/quotes", &hours.request(1, 2, 3)).await.ok(200);
    let refused = client.post("/api/v1/reservations", &hours.request(1, 2, 3)).await;
    let problem = refused.problem(503, "unavailable");
    assert!(problem["detail"].as_str().unwrap().contains("only be read"), "{problem}");
    drop(immutable);
    until_ready(&client, 200, "ready").await;
    client.post("/api/v1/reservations", &hours.request(1, 2, 3)).await.ok(201);
    assert!(!server.log().contains(" 500 "), "{}", server.log());
}
