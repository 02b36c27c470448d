//! Booking from a terminal: the commands of users, against a real service.

use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::cluster::furnish;
use crate::server::Server;
use crate::site::{Site, wattbook};

/// What a command printed, and its exit code.
pub struct Outcome {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Outcome {
    pub fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }

    pub fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{}", self.err);
        serde_json::from_str(&self.out).unwrap()
    }
}

/// A command that speaks to `server`.
pub fn command(server: &Server, line: &str) -> Command {
    let mut command = wattbook(&line.split_whitespace().collect::<Vec<_>>());
    command.env("WATTBOOK_URL", format!("http://{}", server.address)).env("TZ", "UTC");
    command.env_remove("WATTBOOK_TOKEN").env_remove("WATTBOOK_TOKEN_FILE");
    command
}

/// What a command with a token says.
pub fn say_as(server: &Server, token: &str, line: &str) -> Outcome {
    let mut command = command(server, line);
    command.env("WATTBOOK_TOKEN", token);
    run(command)
}

fn run(mut command: Command) -> Outcome {
    Outcome::of(command.output().unwrap())
}

pub fn say(server: &Server, line: &str) -> Outcome {
    run(command(server, line))
}

/// The hours' agendas: cheap in hour 2, clean in hour 4; two nodes of 200 W for an hour are 0.4 kWh.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_are_quoted_held_chosen_listed_and_cancelled() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let hours = furnish(&server.client(), 4, Some(600.0)).await;
    let window = format!("-N 2 -t 60 --begin {} --latest-start {}", hours.hour(0), hours.hour(6));

    let quote = say(&server, &format!("quote {window}"));
    assert_eq!(quote.code, Some(0), "{}", quote.err);
    let lines: Vec<&str> = quote.out.lines().collect();
    assert_eq!(lines.len(), 3, "{}", quote.out);
    assert!(lines[1].contains("0.400 kWh") && lines[1].contains("0.04 EUR"), "{}", quote.out);
    assert!(lines[1].contains("cost_co2_energy"), "{}", quote.out);
    assert!(
        lines[2].trim_start().starts_with('B') && lines[2].contains("0.012 kg"),
        "{}",
        quote.out
    );
    assert!(quote.err.contains("Asked for: 2 nodes for 1 hour.\n"), "{}", quote.err);
    let csv = say(&server, &format!("quote {window} --format csv")).out;
    let starts: Vec<String> =
        csv.lines().skip(1).map(|line| line.split(',').nth(2).unwrap().to_owned()).collect();
    assert_eq!(starts, [hours.hour(2), hours.hour(4)]);

    let held = say(&server, &format!("reserve {window} --format json")).json();
    assert_eq!(held["state"], "proposed");
    let id = held["id"].as_str().unwrap();
    let shown = say(&server, &format!("show {id}"));
    assert!(
        shown.out.contains("is held until") && shown.out.contains("wattbook choose"),
        "{}",
        shown.out
    );
    let chosen = say(&server, &format!("choose {id} b --format json")).json();
    assert_eq!((&chosen["state"], &chosen["start"]), (&json!("confirmed"), &json!(hours.hour(4))));
    let shown = say(&server, &format!("show {id}"));
    assert!(shown.out.contains("confirmed") && shown.out.contains("Nodes: n0,n1"), "{}", shown.out);

    let booked =
        say(&server, &format!("reserve {window} --ranking cost_co2_energy --format json")).json();
    assert_eq!((&booked["state"], &booked["start"]), (&json!("confirmed"), &json!(hours.hour(2))));
    let listed = say(&server, "list --state confirmed --format csv").out;
    assert_eq!(listed.lines().count(), 3, "{listed}");
    let one = say(&server, "list --limit 1 --format json").json();
    assert_eq!(one.as_array().unwrap().len(), 1);

    let taken = format!("reserve {window} --hold-compromise --format json");
    let middle = say(&server, &taken).json()["id"].as_str().unwrap().to_owned();
    let chosen = say(&server, &format!("choose {middle} compromise"));
    assert_eq!(chosen.code, Some(0), "{}", chosen.err);
    assert!(chosen.out.contains("confirmed"), "{}", chosen.out);
    assert_eq!(say(&server, &format!("cancel {middle}")).code, Some(0));

    let other = booked["id"].as_str().unwrap();
    let ended = say(&server, &format!("cancel {id} {other}"));
    assert_eq!(ended.out, format!("{id} is cancelled\n{other} is cancelled\n"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_way_to_fail_has_its_exit_code_and_says_why() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let hours = furnish(&server.client(), 4, Some(600.0)).await;
    let window = format!("--begin {} --latest-start {}", hours.hour(0), hours.hour(6));

    for line in ["quote", "reserve"] {
        let many = say(&server, &format!("{line} -N 4 -t 60 {window}"));
        assert_eq!(many.code, Some(3), "{}", many.err);
        assert!(many.err.starts_with("impossible") && many.err.contains("cap"), "{}", many.err);
    }
    let at = |minute: i64| crate::cluster::instant(hours.at(1) + 60 * minute);
    let between = format!("quote -N 1 -t 60 --begin {} --latest-start {}", at(5), at(10));
    let between = say(&server, &between);
    assert_eq!(between.code, Some(3), "{}", between.err);
    let told = "reservations start every 15 min, and no such start lies in the window from";
    assert!(
        between.err.contains(told) && between.err.contains("the nearest are"),
        "{}",
        between.err
    );
    let unread = say(&server, "quote -N 1 -t soon");
    assert_eq!(unread.code, Some(2));
    assert!(unread.err.contains("not a length of time such as 90 (minutes)"), "{}", unread.err);
    let unread = say(&server, "quote -N 1 -t 60 --begin soon --latest-end never");
    assert_eq!((unread.code, unread.err.lines().count()), (Some(2), 2), "{}", unread.err);
    let refused = say(&server, &format!("quote -N 0 -t 60 --utilisation 2 {window}"));
    assert_eq!(refused.code, Some(2), "{}", refused.err);
    for place in ["nodes", "utilisation"] {
        assert!(refused.err.contains(&format!("error: {place}: ")), "{}", refused.err);
    }

    let id = say(&server, &format!("reserve -N 1 -t 60 {window} --format json")).json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(say(&server, &format!("choose {id} Z")).code, Some(2));
    assert_eq!(say(&server, &format!("cancel {id}")).code, Some(0));
    let late = say(&server, &format!("choose {id} cost_co2_energy"));
    assert_eq!(late.code, Some(4), "{}", late.err);
    let unknown = say(&server, "show 00000000-0000-7000-8000-000000000000");
    assert_eq!(unknown.code, Some(1));
    drop(server);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_comes_from_the_environment_or_a_file() {
    let site = Site::sqlite();
    let ada = site.token("ada", "user");
    let server = site.serve().await;
    let without = say(&server, "list");
    assert_eq!(without.code, Some(1));
    assert!(without.err.contains("WATTBOOK_TOKEN"), "{}", without.err);
    let mut with = command(&server, "list");
    with.env("WATTBOOK_TOKEN", &ada);
    assert_eq!(run(with).code, Some(0));
    let file = site.folder().join("token");
    std::fs::write(&file, format!("{ada}\n")).unwrap();
    let with = say(&server, &format!("list --token-file {}", file.display()));
    assert_eq!(with.code, Some(0), "{}", with.err);
    let nowhere = say(&server, "list --url http://127.0.0.1:1");
    assert!(nowhere.err.contains("does not answer; --url"), "{}", nowhere.err);
}
