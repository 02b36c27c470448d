//! Power actions from a terminal, against a real service that switches nodes by a site's own command.

use std::process::Output;

use serde_json::Value;

use crate::machines::Machines;
use crate::power_management::{WITH_APPROVAL, furnished, served, settings, until};
use crate::server::Server;
use crate::site::{Site, wattbook};

fn say(server: &Server, token: &str, arguments: &[&str]) -> Output {
    let mut command = wattbook(&[&["power"], arguments].concat());
    command.env("WATTBOOK_URL", format!("http://{}", server.address)).env("TZ", "UTC");
    command.env("WATTBOOK_TOKEN", token).env_remove("WATTBOOK_TOKEN_FILE");
    command.output().unwrap()
}

/// Says it again, as the service asks for, where a plan made anew changed what is decided on.
fn decide(server: &Server, token: &str, arguments: &[&str]) -> Output {
    let mut outputs = (0..20).map(|_| say(server, token, arguments));
    let final_one = |it: &Output| !ended(it).1.contains("changed while this was decided");
    outputs.find(final_one).unwrap()
}

fn out(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_str(&out(output)).unwrap()
}

/// How a command ended, and what it said of it.
fn ended(output: &Output) -> (Option<i32>, String) {
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Whether some line has all of these words.
fn has_line(text: &str, words: &[&str]) -> bool {
    text.lines().any(|line| words.iter().all(|word| line.contains(word)))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_decide_on_sleeps_and_read_what_was_decided() {
    let site = Site::sqlite();
    let machines = Machines::of(&site);
    let [operator, ada, carol] = [("root", "operator"), ("ada", "user"), ("carol", "user")]
        .map(|(owner, role)| site.token(owner, role));
    let server = served(&site, &settings(&machines, WITH_APPROVAL)).await;
    furnished(&server.client().with_token(&operator), 3).await;
    let list = |more: &[&str]| say(&server, &carol, &[&["list"], more].concat());
    let open = || json(&list(&["--format", "json"]))["actions"].as_array().unwrap().clone();
    until("three sleeps are proposed", || async { open().len() == 3 }).await;
    let table = out(&list(&[]));
    assert!(has_line(&table, &["n0", "off", "proposed", "kWh", "plan"]), "{table}");
    let (newest, more) = (list(&["--limit", "2"]), "These are the newest 2; there are more.");
    assert_eq!(out(&newest).lines().count(), 3);
    assert!(ended(&newest).1.starts_with(more), "{:?}", ended(&newest));

    let proposed = open();
    let id = |node: &str| {
        let of_node = proposed.iter().find(|it| it["node"] == node).unwrap();
        of_node["id"].to_string()
    };
    let (first, second) = (id("n0"), id("n1"));
    let refused = say(&server, &ada, &["approve", &first]);
    assert_eq!(ended(&refused).0, Some(1), "{refused:?}");
    let approved = out(&decide(&server, &carol, &["approve", &first]));
    assert!(has_line(&approved, &[&first, "n0", "off"]), "{approved}");
    let (status, told) = ended(&say(&server, &carol, &["approve", &first]));
    assert_eq!(status, Some(4), "{told}");
    let (status, told) = ended(&say(&server, &carol, &["approve", "999999"]));
    assert_eq!(status, Some(1), "{told}");
    let because = "new fans are tried";
    let refused = out(&decide(&server, &carol, &["refuse", &second, "--because", because]));
    assert!(has_line(&refused, &[&second, "n1", "refused", because]), "{refused}");
    assert!(has_line(&refused, &["n1", "UTC", "carol"]), "its node is held: {refused}");

    until("n0 sleeps", || async { machines.state("n0") == "off" }).await;
    let done = || out(&list(&["--state", "final", "--node", "n0"]));
    until("that is seen", || async { has_line(&done(), &[&first, "n0", "done"]) }).await;
    let log = |more: &[&str]| say(&server, &ada, &[&["log"], more].concat());
    let told = out(&log(&["--node", "n1", "--from", "today"]));
    assert!(has_line(&told, &["n1", &second, "refused", "carol", because]), "{told}");
    let entries = json(&log(&["--node", "n0", "--format", "json"]));
    // A plan made anew may change what was proposed before it is approved.
    let what = entries.as_array().unwrap().iter().map(|it| &it["what"]);
    let what: Vec<&Value> = what.filter(|what| *what != "changed").collect();
    assert_eq!(what, ["done", "ordered", "approved", "proposed"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn people_switch_and_hold_nodes_from_a_terminal() {
    let site = Site::sqlite();
    let machines = Machines::of(&site);
    let operator = site.token("root", "operator");
    let server = served(&site, &settings(&machines, "")).await;
    furnished(&server.client().with_token(&operator), 4).await;
    let say = |arguments: &[&str]| say(&server, &operator, arguments);
    assert!(ended(&say(&["list"])).1.contains("no power actions are open"));
    let off = out(&say(&["off", "n[0-1]", "n1"]));
    assert!(has_line(&off, &["n0", "off", "root"]) && has_line(&off, &["n1", "off"]), "{off}");
    until("both are off", || async {
        ["n0", "n1"].iter().all(|node| machines.state(node) == "off")
    })
    .await;
    let open = || json(&say(&["list", "--format", "json"]))["actions"].as_array().unwrap().len();
    until("that is seen", || async { open() == 0 }).await;
    let woken = out(&say(&["wake", "n1"]));
    assert!(has_line(&woken, &["n1", "wake", "root"]), "{woken}");
    until("n1 is on", || async { machines.state("n1") == "on" }).await;
    let held = out(&say(&["hold", "n[2-3]", "--until", "now+2hours"]));
    assert!(has_line(&held, &["n2", "UTC", "root"]) && held.contains("n3"), "{held}");
    assert!(has_line(&out(&say(&["list"])), &["n2", "UTC", "root"]));
    out(&say(&["hold", "n2", "--until", "2020-01-01"]));
    let held = out(&say(&["list"]));
    assert!(!has_line(&held, &["n2"]) && has_line(&held, &["n3", "UTC", "root"]), "{held}");
    for (arguments, told) in [
        (&["off", "n9"][..], "nodes/0: "),
        (&["off", "n[1-"], "a bracket that is not closed"),
        (&["hold", "n0", "--until", "soon"], "--until: \"soon\" is not an instant"),
    ] {
        let (status, error) = ended(&say(arguments));
        assert_eq!(status, Some(2), "{error}");
        assert!(error.contains(told), "{error}");
    }
}
