//! Who does the dialogue when processes die or freeze: another, or the same after a restart, within
//! seconds and never two at once. With the leases that are there unless settings say otherwise.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cluster::{Hours, furnish, propose};
use crate::dialogue::{open_question, read_negotiation};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    after_a_kill_the_dialogue_goes_on_within_seconds,
    of_two_processes_one_speaks_and_the_other_takes_over,
    who_was_frozen_does_not_speak_when_it_wakes,
}

/// A lease of 20 s would take longer, the dialogue's takes four and what a busy machine needs.
const SOON: Duration = Duration::from_secs(15);

async fn serve(site: &Site) -> Server {
    std::fs::write(site.folder().join("wattbook.toml"), "[negotiation]\n").unwrap();
    site.serve_with(&["--config", "wattbook.toml"]).await
}

/// How often it became the server's turn to speak.
fn turns(server: &Server) -> usize {
    let taken =
        |line: &&str| line.contains("sees to it from now on") && line.contains("negotiation");
    server.log().lines().filter(taken).count()
}

fn speaks(server: &Server) -> bool {
    turns(server) > 0
}

async fn until_speaks(server: &Server) {
    let began = Instant::now();
    while !speaks(server) {
        assert!(began.elapsed() < SOON, "{}", server.log());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// More than the cap leaves: the supplier is asked.
fn peak(hours: Hours) -> Value {
    let mut request = hours.request(4, 2, 2);
    request["on_cap"] = json!("negotiate");
    request
}

fn requests(told: &Value) -> usize {
    let messages = told["messages"].as_array().unwrap();
    messages.iter().filter(|it| it["kind"] == "request").count()
}

async fn after_a_kill_the_dialogue_goes_on_within_seconds(site: Site) {
    let server = serve(&site).await;
    let hours = furnish(&server.client(), 6, Some(400.0)).await;
    propose(&server.client(), &peak(hours)).await;
    open_question(&server.client(), 1).await;
    server.kill();
    let server = serve(&site).await;
    let began = Instant::now();
    let client = server.client();
    propose(&client, &peak(hours)).await;
    let question = open_question(&client, 2).await;
    let took = began.elapsed();
    assert!(took < SOON, "it took {took:?}");
    assert_eq!(requests(&read_negotiation(&client, &question).await), 2);
}

async fn of_two_processes_one_speaks_and_the_other_takes_over(site: Site) {
    let (first, second) = (serve(&site).await, serve(&site).await);
    until_speaks(&first).await;
    let hours = furnish(&second.client(), 6, Some(400.0)).await;
    propose(&second.client(), &peak(hours)).await;
    let question = open_question(&second.client(), 1).await;
    assert!(!speaks(&second), "both do: {}", second.log());
    first.kill();
    until_speaks(&second).await;
    let client = second.client();
    propose(&client, &peak(hours)).await;
    open_question(&client, 2).await;
    assert_eq!(requests(&read_negotiation(&client, &question).await), 2);
}

/// While the first is frozen the second takes over and asks. When the first wakes it finds that it has
/// lost the lease; when the second dies it is the first's turn again.
async fn who_was_frozen_does_not_speak_when_it_wakes(site: Site) {
    let first = serve(&site).await;
    until_speaks(&first).await;
    let hours = furnish(&first.client(), 6, Some(400.0)).await;
    let second = serve(&site).await;
    first.signal("STOP");
    until_speaks(&second).await;
    propose(&second.client(), &peak(hours)).await;
    let question = open_question(&second.client(), 1).await;
    first.signal("CONT");
    tokio::time::sleep(Duration::from_secs(3)).await;
    let client = first.client();
    assert_eq!(requests(&read_negotiation(&client, &question).await), 1);
    assert_eq!(turns(&first), 1, "{}", first.log());
    second.kill();
    propose(&client, &peak(hours)).await;
    open_question(&client, 2).await;
    assert_eq!(requests(&read_negotiation(&client, &question).await), 2);
    assert_eq!(turns(&first), 2);
}
