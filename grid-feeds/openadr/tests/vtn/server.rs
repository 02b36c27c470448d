//! A server with a database of its own, the supplier's side of it, and this site's.

use std::future::Future;
use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use chrono::Utc;
use openadr::{Settings, SupplierWord, Ven};
use openleadr_client::{BusinessLogic, Client, ClientCredentials, ProgramClient};
use openleadr_wire::event::EventRequest;
use openleadr_wire::report::Report;
use planner::quantity::{Currency, Power};
use planner::time::{Seconds, Span, Timestamp};
use serde_json::{Value, json};

/// The machine may be slow.
pub const LONG: Duration = Duration::from_mins(3);

/// The server, killed when dropped.
pub struct Vtn {
    port: u16,
    database: String,
    folder: tempfile::TempDir,
    child: Option<Child>,
}

fn environment(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; run .ci/openadr-vtn"))
}

/// Runs statements as the database's owner.
fn psql(database: &str, arguments: &[&str]) {
    let command = environment("WATTBOOK_TEST_VTN_PSQL");
    let words: Vec<&str> = command.split_whitespace().collect();
    let socket = environment("WATTBOOK_TEST_VTN_SOCKET");
    let output = Command::new(words[0])
        .args(&words[1..])
        .args(["--host", &socket, "--username=postgres", "--quiet", "--set=ON_ERROR_STOP=1"])
        .args(["--dbname", database])
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The key of tokens: 32 bytes of one letter each.
fn key(letter: char) -> String {
    // Three equal bytes are four equal letters; "AAAA" are three zeros.
    format!("{}{}=", letter.to_string().repeat(42), 'A')
}

impl Vtn {
    /// A server that knows its accounts and nothing else.
    pub async fn start() -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = free.local_addr().unwrap().port();
        drop(free);
        let database = format!("vtn_{port}");
        psql("postgres", &["--command", &format!("CREATE DATABASE {database}")]);
        let folder = tempfile::tempdir().unwrap();
        let mut vtn = Self { port, database, folder, child: None };
        vtn.start_again('A').await;
        psql(&vtn.database, &["--file", &environment("WATTBOOK_TEST_VTN_USERS")]);
        vtn
    }

    /// With what it knew; tokens of another key are stale.
    pub async fn start_again(&mut self, key_letter: char) {
        let socket = environment("WATTBOOK_TEST_VTN_SOCKET").replace('/', "%2F");
        let child = Command::new(environment("WATTBOOK_TEST_VTN"))
            .current_dir(self.folder.path())
            .env("DATABASE_URL", format!("postgres://postgres@{socket}/{}", self.database))
            .env("PORT", self.port.to_string())
            .env("OAUTH_TYPE", "INTERNAL")
            .env("OAUTH_TOKEN_URL", format!("{}auth/token", self.url()))
            .env("OAUTH_BASE64_SECRET", key(key_letter))
            .env("RUST_LOG", "warn")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.child = Some(child);
        let health = format!("{}health", self.url());
        until(async || {
            let answer = reqwest::get(&health).await;
            answer.is_ok_and(|answer| answer.status().is_success()).then_some(())
        })
        .await;
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/", self.port)
    }

    fn secret(&self, name: &str) -> std::path::PathBuf {
        let path = self.folder.path().join("secret");
        let mut file = std::fs::File::create(&path).unwrap();
        file.write_all(name.as_bytes()).unwrap();
        path
    }

    pub fn settings(&self) -> Settings {
        let text = format!(
            "base_url = {:?}\nclient_id = \"ven-client-client-id\"\n\
             client_secret = {{ file = {:?} }}\nven_name = \"site-1\"\nprogram = \"power\"",
            self.url(),
            self.secret("ven-client").display().to_string()
        );
        toml::from_str(&text).unwrap()
    }

    /// This site.
    pub fn ven(&self) -> Ven {
        Ven::connect(self.settings(), Currency::EUR).unwrap()
    }

    /// The supplier's business logic.
    pub fn supplier(&self) -> Client<BusinessLogic> {
        let credentials = ClientCredentials::new("bl-client".to_owned(), "bl-client".to_owned());
        Client::with_url(self.url().parse().unwrap(), Some(credentials))
    }

    /// The supplier's program, made now.
    pub async fn program(&self) -> ProgramClient<BusinessLogic> {
        let program = json!({"programName": "power", "payloadDescriptors": [
            {"objectType": "EVENT_PAYLOAD_DESCRIPTOR", "payloadType": "IMPORT_CAPACITY_LIMIT",
                "units": "KW"}]});
        let program = serde_json::from_value(program).unwrap();
        self.supplier().create_program(program).await.unwrap()
    }
}

impl Drop for Vtn {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Asks again and again until there is an answer.
pub async fn until<T, F: Future<Output = Option<T>>>(ask: impl Fn() -> F) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = ask().await {
            return found;
        }
        assert!(begun.elapsed() < LONG, "it did not come about");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

pub fn now() -> Timestamp {
    Timestamp::from_unix_seconds(Utc::now().timestamp())
}

/// A full hour so many hours from now.
pub fn hour(ahead: i64) -> Timestamp {
    now().ceil_to(Seconds::new(3600)) + Seconds::new(ahead * 3600)
}

pub fn span(from: i64, to: i64) -> Span {
    Span::new(hour(from), hour(to)).unwrap()
}

pub fn power(kilowatts: f64) -> Power {
    Power::from_watts(kilowatts * 1000.0).unwrap()
}

/// An event of hours from `from` on, each with a value of a payload type.
pub fn event(
    program: &ProgramClient<BusinessLogic>,
    name: &str,
    payload: &str,
    from: i64,
    values: &[f64],
) -> EventRequest {
    let interval = |(id, value): (usize, &f64)| json!({"id": id, "payloads": [{"type": payload, "values": [value]}]});
    let intervals: Vec<Value> = values.iter().enumerate().map(interval).collect();
    request(json!({
        "programID": program.id().as_str(), "eventName": name, "priority": 5,
        "intervalPeriod": {"start": hour(from), "duration": "PT1H"}, "intervals": intervals,
    }))
}

/// As [`event`], which asks for all reports there are.
pub fn asking(
    program: &ProgramClient<BusinessLogic>,
    name: &str,
    payload: &str,
    from: i64,
    values: &[f64],
) -> EventRequest {
    let words =
        ["USAGE_FORECAST", "LOAD_SHED_DELTA_AVAILABLE", "IMPORT_RESERVATION_CAPACITY", "USAGE"];
    let asked: Value = words.iter().map(|word| json!({ "payloadType": word })).collect();
    let mut event = event(program, name, payload, from, values);
    event.report_descriptors = Some(serde_json::from_value(asked).unwrap());
    event
}

pub fn request(event: Value) -> EventRequest {
    serde_json::from_value(event).unwrap()
}

/// What this site reads now.
pub async fn word(ven: &Ven) -> SupplierWord {
    ven.events(now()).await.unwrap()
}

/// The supplier's view of our reports of a name.
pub async fn reports(vtn: &Vtn, name: &str) -> Vec<Report> {
    let supplier = vtn.supplier();
    let events = supplier.get_event_list(None, openleadr_client::Filter::none()).await.unwrap();
    let mut found = Vec::new();
    for event in events {
        for report in event.get_report_list(Some("site-1")).await.unwrap() {
            if report.content().report_name.as_deref() == Some(name) {
                found.push(Report {
                    id: report.id().clone(),
                    created_date_time: *report.created_date_time(),
                    modification_date_time: *report.modification_date_time(),
                    content: report.content().clone(),
                    client_id: "unknown".parse().unwrap(),
                });
            }
        }
    }
    found
}

/// Of each interval of a report its payloads, such as `DEMAND 5.0`.
pub fn told(report: &Report) -> Vec<Vec<String>> {
    let document = serde_json::to_value(&report.content).unwrap();
    let intervals = document["resources"][0]["intervals"].as_array().unwrap();
    let payloads = |interval: &Value| {
        let payload = |payload: &Value| {
            format!("{} {}", payload["type"].as_str().unwrap(), payload["values"][0])
        };
        interval["payloads"].as_array().unwrap().iter().map(payload).collect()
    };
    intervals.iter().map(payloads).collect()
}
