//! Settings are checked before the service goes by them, and read anew at a hangup; what shells, `man` and programs that
//! collect logs get.

use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::server::{PATIENCE, Server};
use crate::site::{Site, wattbook};

fn check(settings: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wattbook.toml"), settings).unwrap();
    let mut command = wattbook(&["config", "check", "--config", "wattbook.toml"]);
    let output = command.current_dir(folder.path()).output().unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is made");
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn settings_in_order_are_told_without_passwords() {
    let (status, told, warned) = check(
        "database = \"postgres://wattbook:secret@db.example/wattbook\"\nlisten = \"0.0.0.0:8080\"\n",
    );
    assert_eq!(status, Some(0), "{warned}");
    assert!(told.starts_with("The settings are in order."), "{told}");
    assert!(told.contains("postgres://wattbook:...@db.example/wattbook"), "{told}");
    assert!(!told.contains("secret") && !warned.contains("secret"), "{told} {warned}");
    assert!(warned.contains("warning: listen = \"0.0.0.0:8080\""), "{warned}");
}

#[test]
fn a_database_elsewhere_without_tls_is_warned_of() {
    let database = |url: &str| check(&format!("database = \"{url}\"\n"));
    let (status, _, warned) = database("postgres://wattbook:secret@db.example/wattbook");
    assert_eq!(status, Some(0), "{warned}");
    let said =
        "warning: database = \"postgres://wattbook:...@db.example/wattbook\" is at another machine";
    assert!(warned.contains(said) && warned.contains("sslmode=verify-full"), "{warned}");
    for url in ["postgres://db.example/wattbook?sslmode=verify-full", "sqlite://wattbook.db"] {
        let (status, _, warned) = database(url);
        assert_eq!((status, warned.contains("database")), (Some(0), false), "{url}: {warned}");
    }
}

/// What is wrong in one section hides nothing of what is wrong in others.
#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let wrong = "hold_s = 0\ncurrency = \"euro\"\ntime_zone = \"Paris\"\n\
                 [audit]\nkeep_days = 0\n[mail]\nserver = \"\"\nfrom = \"x\"\n";
    let (status, told, errors) = check(wrong);
    assert_eq!((status, told.as_str()), (Some(2), ""), "{errors}");
    let named = ["hold_s", "currency", "time_zone", "[audit]: keep_days", "[mail]"];
    for name in named {
        let lines = errors.lines().filter(|it| it.starts_with("error: ") && it.contains(name));
        assert_eq!(lines.count(), 1, "{name}: {errors}");
    }
    assert!(errors.lines().all(|it| it.starts_with("error: ")), "{errors}");
    let (status, _, errors) = check("hold = 60\n");
    assert!(status == Some(2) && errors.contains("hold"), "{errors}");
}

#[test]
fn pages_and_completions_know_every_command() {
    let folder = tempfile::tempdir().unwrap();
    let made = wattbook(&["man", "pages"]).current_dir(folder.path()).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let page =
        |name: &str| std::fs::read_to_string(folder.path().join("pages").join(name)).unwrap();
    assert!(page("wattbook.1").contains("wattbook\\-reserve(1)"));
    assert!(page("wattbook-reserve.1").contains("\\-\\-ranking"));
    assert!(page("wattbook-config-check.1").contains("\\-\\-config"));
    for shell in ["bash", "zsh", "fish"] {
        let made = wattbook(&["completions", shell]).output().unwrap();
        let script = String::from_utf8(made.stdout).unwrap();
        assert!(made.status.success() && script.contains("reserve"), "{shell}: {script}");
    }
}

fn served_by(site: &Site, settings: &str, more: &[&str]) -> Command {
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let mut command =
        site.command(&["serve", "--listen", "127.0.0.1:0", "--config", "wattbook.toml"]);
    command.args(more);
    command
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_of_objects_has_one_a_line() {
    let site = Site::sqlite();
    let server = Server::start(served_by(&site, "", &["--log-format", "json"])).await;
    server.signal("TERM");
    let (status, log) = server.wait();
    assert!(status.success(), "{log}");
    let lines: Vec<Value> = log.lines().map(|it| serde_json::from_str(it).expect(it)).collect();
    let listening =
        lines.iter().find(|it| it["message"].as_str().unwrap().starts_with("listening"));
    let listening = listening.unwrap_or_else(|| panic!("{log}"));
    assert_eq!((&listening["level"], listening["timestamp"].is_string()), (&"INFO".into(), true));
    assert!(listening["address"].as_str().unwrap().starts_with("127.0.0.1:"), "{listening}");
}

/// What systemd is told, in its order.
struct Told {
    socket: UnixDatagram,
    all: String,
}

impl Told {
    fn at(path: &Path) -> Self {
        let socket = UnixDatagram::bind(path).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
        Self { socket, all: String::new() }
    }

    /// Waits until it is told so often in all.
    fn wait_for(&mut self, what: &str, times: usize) {
        let begun = Instant::now();
        while self.all.lines().filter(|line| line.starts_with(what)).count() < times {
            assert!(begun.elapsed() < PATIENCE, "{what} is missing: {}", self.all);
            let mut bytes = [0; 4096];
            let Ok(length) = self.socket.recv(&mut bytes) else { continue };
            self.all.push_str(std::str::from_utf8(&bytes[..length]).unwrap());
            self.all.push('\n');
        }
    }
}

/// The service with a socket that was opened for it, as systemd does it: number 3, named in the environment.
fn given_a_socket(site: &Site, settings: &str) -> (Command, std::net::SocketAddr) {
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let serve = served_by(site, settings, &[]);
    let mut command = Command::new("sh");
    let begin = "exec 3<&0 </dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$@\"";
    command.args(["-c", begin, "sh"]).arg(serve.get_program()).args(serve.get_args());
    command.current_dir(site.folder()).stdin(OwnedFd::from(socket));
    for (name, value) in serve.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    (command, address)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hangup_takes_new_settings_and_refuses_nobody_meanwhile() {
    let site = Site::sqlite();
    let settings = |location: &str| format!("location = \"{location}\"\n");
    let path = site.folder().join("notify");
    let mut told = Told::at(&path);
    let (mut command, address) = given_a_socket(&site, &settings("lyon"));
    command.env("NOTIFY_SOCKET", &path).env("WATCHDOG_USEC", "600000");
    let server = Server::launch_with_its_input(command);
    assert_eq!(server.address, address.to_string());
    told.wait_for("READY=1", 1);
    told.wait_for("WATCHDOG=1", 3);
    let id = server.id();
    let client = server.client();
    let location = async || client.get("/api/v1/site").await.ok(200)["location"].clone();
    assert_eq!(location().await, "lyon");

    // Settings that are wrong change nothing.
    std::fs::write(site.folder().join("wattbook.toml"), "location = \"\"\n").unwrap();
    server.signal("HUP");
    let begun = Instant::now();
    while !server.log().contains("the service goes on by the settings that it has: location") {
        assert!(begun.elapsed() < PATIENCE, "{}", server.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(location().await, "lyon");

    // Each asks by a connection of its own.
    let asking = tokio::spawn(async move {
        let mut answers = 0;
        loop {
            let told = crate::client::Client::new(&address.to_string());
            let told = told.get("/api/v1/site").await.ok(200);
            answers += 1;
            if told["location"] == "grenoble" {
                return answers;
            }
        }
    });
    std::fs::write(site.folder().join("wattbook.toml"), settings("grenoble")).unwrap();
    server.signal("HUP");
    told.wait_for("RELOADING=1", 1);
    told.wait_for("READY=1", 2);
    assert!(tokio::time::timeout(PATIENCE, asking).await.unwrap().unwrap() > 0);
    assert_eq!(server.id(), id);
    server.signal("TERM");
    told.wait_for("STOPPING=1", 1);
    let (status, log) = server.wait();
    assert!(status.success(), "{log}");
}
