//! The service as a process: how it stops, and where its settings come from.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::cluster::{furnish, propose, seconds};
use crate::server::Server;
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    several_processes_may_open_a_new_database_at_once,
    told_to_terminate_it_finishes_the_answer_in_progress_and_exits_with_zero,
}

async fn several_processes_may_open_a_new_database_at_once(site: Site) {
    let open = |_| {
        site.command(&["token", "create", "--create-database", "--owner", "ada", "--role", "user"])
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let processes: Vec<_> = (0..4).map(open).collect();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// How long a machine that is busy otherwise may take.
const PATIENCE: Duration = Duration::from_secs(30);

async fn told_to_terminate_it_finishes_the_answer_in_progress_and_exits_with_zero(site: Site) {
    for signal in ["TERM", "INT"] {
        let server = site.serve().await;
        let idle = server.client();
        idle.get("/health/live").await.ok(200);
        let body = r#"[{"name": "n1", "idle_power_w": 1, "max_power_w": 2}]"#;
        let (first, second) = body.split_at(20);
        let mut socket = TcpStream::connect(&server.address).unwrap();
        let head = format!(
            "PUT /api/v1/nodes HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{first}",
            body.len()
        );
        socket.write_all(head.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(200));
        let told = Instant::now();
        server.signal(signal);
        while TcpStream::connect(&server.address).is_ok() {
            assert!(told.elapsed() < PATIENCE, "takes connections still");
            std::thread::sleep(Duration::from_millis(50));
        }
        socket.write_all(second.as_bytes()).unwrap();
        let mut answer = String::new();
        socket.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let (status, log) = server.wait();
        assert!(status.success(), "{status}: {log}");
    }
    let nodes = site.serve().await.client().get("/api/v1/nodes").await.ok(200);
    assert_eq!((&nodes["count"], &nodes["epoch"]), (&1.into(), &2.into()));
}

/// How long offers are held under this command's settings.
async fn hold_s(command: std::process::Command) -> i64 {
    let server = Server::start(command).await;
    let client = server.client();
    let hours = furnish(&client, 1, None).await;
    let reservation: Value = propose(&client, &hours.request(1, 2, 2)).await;
    client.delete(&crate::cluster::path(&reservation)).await.ok(200);
    seconds(&reservation["expires_at"]) - seconds(&reservation["created_at"])
}

#[tokio::test]
async fn the_command_line_beats_the_environment_which_beats_the_file_which_beats_defaults() {
    let site = Site::sqlite();
    let serve = |arguments: &[&str]| {
        let mut command = site.command(&["serve", "--listen", "127.0.0.1:0"]);
        command.args(arguments);
        command
    };
    assert_eq!(hold_s(serve(&[])).await, 900);
    let settings =
        format!("hold_s = 100\nlisten = \"127.0.0.1:0\"\ndatabase = \"{}\"\n", site.database);
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    let mut from_file = wattbook(&["serve", "--config", "wattbook.toml"]);
    from_file.current_dir(site.folder());
    assert_eq!(hold_s(from_file).await, 100);
    let mut from_environment = wattbook(&["serve"]);
    from_environment.current_dir(site.folder()).env("WATTBOOK_CONFIG", "wattbook.toml");
    from_environment.env("WATTBOOK_HOLD_S", "200");
    assert_eq!(hold_s(from_environment).await, 200);
    let mut from_flag = serve(&["--config", "wattbook.toml", "--hold-s", "300"]);
    from_flag.env("WATTBOOK_HOLD_S", "200");
    assert_eq!(hold_s(from_flag).await, 300);
}

#[tokio::test]
async fn the_site_is_told_as_the_settings_say() {
    let site = Site::sqlite();
    let told = async |settings: &str| {
        std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
        let server = site.serve_with(&["--config", "wattbook.toml"]).await;
        server.client().get("/api/v1/site").await.ok(200)
    };
    let plain = serde_json::json!({
        "location": "site", "currency": "EUR", "time_zone": null, "slot_s": 900, "other_sites": [],
        "co2_accounting": null, "other_co2_accounting": null,
    });
    assert_eq!(told("").await, plain);
    let settings = "location = \"Lyon\"\ncurrency = \"GBP\"\ntime_zone = \"Europe/Paris\"\nslot_s = 300\n\
         [[sites]]\nname = \"nice\"\nurl = \"https://nice.example\"\n\
         [agendas.co2]\naccounting = \"marginal\"\nfactors = \"life-cycle\"\n";
    let lyon = serde_json::json!({
        "location": "Lyon", "currency": "GBP", "time_zone": "Europe/Paris", "slot_s": 300,
        "other_sites": ["nice"],
        "co2_accounting": { "accounting": "marginal", "factors": "life-cycle" },
        "other_co2_accounting": null,
    });
    assert_eq!(told(settings).await, lyon);
}

#[test]
fn settings_that_make_no_sense_are_named() {
    let site = Site::sqlite();
    for (line, named) in [
        ("hold = 5", "hold"),
        ("hold_s = 0", "hold_s"),
        ("slot_s = 86401", "slot_s"),
        ("currency = \"euro\"", "currency"),
        ("database = \"mysql://localhost/book\"", "mysql"),
        ("time_zone = \"Paris\"", "time_zone"),
        ("listen = ", "wattbook.toml"),
        ("[[sites]]\nname = \"lyon\"\nurl = \"http://lyon.example\"", "https://"),
        ("[[webhooks]]\nid = \"pager\"", "url"),
    ] {
        std::fs::write(site.folder().join("wattbook.toml"), line).unwrap();
        let mut command = wattbook(&["serve", "--config", "wattbook.toml"]);
        let output = command.current_dir(site.folder()).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(named), "{line}: {error}");
    }
}
