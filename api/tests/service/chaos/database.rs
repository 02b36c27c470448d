//! A PostgreSQL server of the run's own, which may be restarted, and whose disk may be filled.
//!
//! PostgreSQL does not run as root. A shell that begins the server therefore runs it as somebody else; where the system
//! lets it, in a user namespace, in which it mounts a small file system for the tables, or for the log, as well. The shell ends the server
//! when its standard input is closed, so that none is left when the run is killed.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use sqlx::{Connection, Executor, PgConnection};
use tempfile::TempDir;

use super::dice::Dice;

/// Runs line after line of its input, and says how each ended. At the end of its input it stops the server.
const SHELL: &str = r#"
echo "$MOUNTED"
while IFS= read -r line; do (eval "$line") </dev/null >>"$FOLDER/shell.log" 2>&1; echo "$?"; done
$AS_SOMEBODY "$BIN/pg_ctl" -D "$FOLDER/data" -m immediate stop >>"$FOLDER/shell.log" 2>&1
"#;

/// The same with a file system of its own.
const SHELL_WITH_A_DISK: &str =
    r#"mount -t tmpfs -o "size=$ROOMY,mode=0700" tmpfs "$FOLDER/disk" && MOUNTED=yes || exit 1"#;

/// How large that is while it is not full.
const ROOMY: &str = "8g";

/// How long a server that was stopped and begun may take to answer.
const ANSWERS_WITHIN: Duration = Duration::from_mins(1);

/// What is on the file system that may be filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnDisk {
    /// The service's tables.
    Tables,
    /// The server's write-ahead log, in segments that are soon full.
    Log,
}

/// How a server is stopped before it is begun again.
#[derive(Clone, Copy, Debug)]
pub enum Stop {
    /// Clients are cut off, what is in memory is written.
    Fast,
    /// As if its machine had failed: it recovers from its log.
    Immediate,
}

/// A server with one database for the service.
pub struct Database {
    /// Files; removed after the server was ended.
    _folder: TempDir,
    pub port: u16,
    /// Whether there is a file system that can be filled.
    pub has_disk: bool,
    on_disk: OnDisk,
    shell: Child,
    /// Closed before the shell is waited for.
    lines: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    path: PathBuf,
}

/// The folder of PostgreSQL's programs, as `.ci/test` finds it.
pub fn programs() -> Option<PathBuf> {
    let told = Command::new("pg_config").arg("--bindir").output().ok();
    let told = told.filter(|it| it.status.success());
    let told = told.map(|it| PathBuf::from(String::from_utf8_lossy(&it.stdout).trim()));
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut debian: Vec<PathBuf> = debian.map(|it| it.path().join("bin")).collect();
    debian.sort();
    let all = told.into_iter().chain(debian.into_iter().rev());
    let has = |folder: &PathBuf| ["initdb", "pg_ctl"].iter().all(|it| folder.join(it).exists());
    all.chain([PathBuf::from("/usr/local/bin")]).find(has)
}

/// Whether this system lets a command have mounts and users of its own.
fn may_mount(folder: &Path) -> bool {
    let mut tried = Command::new("unshare");
    tried.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    tried
        .arg("mount -t tmpfs tmpfs \"$0\" && unshare --user --map-user=1000 --map-group=1000 true");
    tried.arg(folder).output().is_ok_and(|it| it.status.success())
}

fn is_root() -> bool {
    let told = Command::new("id").arg("-u").output().unwrap();
    told.stdout == b"0\n"
}

impl Database {
    /// Makes a server with a database for the service.
    pub async fn begin(bin: &Path, dice: &mut Dice, on_disk: OnDisk) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_path_buf();
        std::fs::create_dir(path.join("disk")).unwrap();
        let has_disk = may_mount(&path.join("disk"));
        let mut shell = Command::new(if has_disk { "unshare" } else { "sh" });
        let as_somebody = if has_disk {
            shell.args(["--user", "--map-root-user", "--mount", "sh"]);
            "unshare --user --map-user=1000 --map-group=1000"
        } else if is_root() {
            let own = "chmod 755 \"$0\" && chown nobody \"$0\"";
            assert!(Command::new("sh").args(["-c", own]).arg(&path).status().unwrap().success());
            "setpriv --reuid nobody --regid nogroup --clear-groups"
        } else {
            ""
        };
        let script =
            if has_disk { format!("{SHELL_WITH_A_DISK}{SHELL}") } else { SHELL.to_owned() };
        shell.args(["-c", &script]).env("FOLDER", &path).env("BIN", bin).env("ROOMY", ROOMY);
        shell.env("AS_SOMEBODY", as_somebody).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut shell = shell.spawn().unwrap();
        let (lines, answers) = (shell.stdin.take(), BufReader::new(shell.stdout.take().unwrap()));
        let port = 0;
        let mut database =
            Self { _folder: folder, port, has_disk, on_disk, shell, lines, answers, path };
        database.answer();
        let log = match on_disk {
            OnDisk::Log if has_disk => "-X \"$FOLDER/disk/log\" --wal-segsize=1",
            OnDisk::Log | OnDisk::Tables => "",
        };
        database.do_or_fail(&format!(
            "$AS_SOMEBODY \"$BIN/initdb\" -D \"$FOLDER/data\" -U postgres -A trust -E UTF8 --no-sync {log}"
        ));
        let is_begun = (0..10).any(|_| {
            // Below the ports that systems give to connections.
            database.port = 20_000 + u16::try_from(dice.below(10_000)).unwrap();
            database.run(&database.beginning("start"))
        });
        assert!(is_begun, "{}", database.log());
        database.furnish().await;
        database
    }

    fn beginning(&self, action: &str) -> String {
        format!(
            "$AS_SOMEBODY \"$BIN/pg_ctl\" -D \"$FOLDER/data\" -w -l \"$FOLDER/data/log\" {action} -o \
             \"-p {} -c listen_addresses=127.0.0.1 -c unix_socket_directories='$FOLDER/data'\"",
            self.port
        )
    }

    async fn furnish(&self) {
        let server = format!("postgres://postgres@127.0.0.1:{}/postgres", self.port);
        let mut server = PgConnection::connect(&server).await.unwrap();
        let place = if self.has_disk && self.on_disk == OnDisk::Tables {
            let disk = self.path.join("disk");
            let place = format!("CREATE TABLESPACE disk LOCATION '{}'", disk.display());
            server.execute(sqlx::AssertSqlSafe(place)).await.unwrap();
            "disk"
        } else {
            "pg_default"
        };
        let create = format!("CREATE DATABASE wattbook TEMPLATE template0 TABLESPACE {place}");
        server.execute(sqlx::AssertSqlSafe(create)).await.unwrap();
    }

    /// The database's address at a port, its own or that of a link to it.
    pub fn url(port: u16) -> String {
        format!("postgres://postgres@127.0.0.1:{port}/wattbook")
    }

    /// A connection around the service and its links, once the server lets us in.
    pub async fn raw(port: u16) -> PgConnection {
        let give_up = Instant::now() + ANSWERS_WITHIN;
        loop {
            match PgConnection::connect(&Self::url(port)).await {
                Ok(connection) => return connection,
                Err(error) => assert!(Instant::now() < give_up, "{error}"),
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Stops the server and begins it again.
    pub fn restart(&mut self, stop: Stop) {
        let mode = match stop {
            Stop::Fast => "fast",
            Stop::Immediate => "immediate",
        };
        self.do_or_fail(&self.beginning(&format!("-m {mode} restart")));
    }

    /// Begins the server where it has ended by itself, as whoever runs it would.
    pub fn begin_again(&mut self) {
        let is_there = "$AS_SOMEBODY \"$BIN/pg_ctl\" -D \"$FOLDER/data\" status";
        if !self.run(is_there) {
            self.do_or_fail(&self.beginning("start"));
        }
    }

    /// Leaves no room on the disk. What grows between the look and the change makes it fail: then it is looked again.
    pub fn fill_the_disk(&mut self) {
        self.do_or_fail(
            "for _ in 1 2 3 4 5 6 7 8 9 10; do mount -o \"remount,size=$(($(df -k --output=used \"$FOLDER/disk\" | tail -n 1) + 4))k\" \"$FOLDER/disk\" && break; done",
        );
    }

    /// Makes room again.
    pub fn free_the_disk(&mut self) {
        self.do_or_fail("mount -o \"remount,size=$ROOMY\" \"$FOLDER/disk\"");
    }

    fn do_or_fail(&mut self, line: &str) {
        assert!(self.run(line), "{line}: {}", self.log());
    }

    /// Whether a line of the shell succeeded.
    fn run(&mut self, line: &str) -> bool {
        writeln!(self.lines.as_mut().unwrap(), "{line}").unwrap();
        self.answer() == "0"
    }

    fn answer(&mut self) -> String {
        let mut answer = String::new();
        self.answers.read_line(&mut answer).unwrap();
        answer.trim().to_owned()
    }

    /// What shell and server wrote.
    fn log(&self) -> String {
        let read = |name: &str| std::fs::read_to_string(self.path.join(name)).unwrap_or_default();
        read("shell.log") + &read("data/log")
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        drop(self.lines.take());
        let _ = self.shell.wait();
    }
}
