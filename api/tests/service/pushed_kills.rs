//! SIGKILL in the middle of pushed measurements: what was answered stays, and nothing counts twice.

use std::fmt::Write;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::client::{Client, try_answer};
use crate::cluster::{furnish, instant, now};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_kill_in_the_middle_of_pushes_loses_nothing_and_doubles_nothing,
}

const PATH: &str = "/api/v1/measurements";
const ROUNDS: i64 = 4;
const SENDERS: usize = 2;
/// Each body has half an hour of four nodes, a sample a minute.
const BODY_S: i64 = 1800;
const METERS: &str = "[[meters]]\nid = \"bmc\"\nkind = \"push\"\n\n[metering]\nkeep_samples_days = 36500\nkeep_quarters_days = 36500\n";

/// 2026-01-01, so many seconds after 00:00.
fn at(second: i64) -> String {
    instant(1_767_225_600 + second)
}

async fn served(site: &Site) -> Server {
    let path = site.folder().join("wattbook.toml");
    std::fs::write(&path, METERS).unwrap();
    site.serve_with(&["--config", path.to_str().unwrap()]).await
}

/// A half-hour of a sender's nodes; node n draws 100 + n watts.
fn body(sender: i64, number: i64) -> String {
    let mut table = "meter,node,at,power_w\n".to_owned();
    for second in (0..BODY_S).step_by(60) {
        for node in 4 * sender..4 * sender + 4 {
            writeln!(table, "bmc,n{node},{},{}", at(number * BODY_S + second), 100 + node).unwrap();
        }
    }
    table
}

/// Sends one body after the other until the service is gone; the first that was not answered.
async fn push_until_cut_off(client: Client, sender: i64, first: i64) -> (i64, i64) {
    for number in first.. {
        let request = client.request(Method::POST, PATH).header(CONTENT_TYPE, "text/csv");
        match try_answer(request.body(body(sender, number))).await {
            Err(_) => return (sender, number),
            Ok(answer) => {
                let told = answer.ok(200);
                let kept = told["taken"].as_i64().unwrap() + told["doubled"].as_i64().unwrap();
                assert_eq!((kept, &told["refused"]), (BODY_S / 60 * 4, &json!(0)), "{told}");
            }
        }
    }
    unreachable!("it is sent until the service is gone")
}

/// The energies of a node's quarter-hours up to one, in joules, and the seconds measured of them.
async fn quarters(client: &Client, node: i64, to: i64) -> Vec<(f64, i64)> {
    let mut found = Vec::new();
    for from in (0..to).step_by(86_400) {
        let to = to.min(from + 86_400);
        let path = format!("{PATH}?node=n{node}&from={}&to={}", at(from), at(to));
        let told = client.get(&path).await.ok(200);
        let of =
            |it: &Value| (it["measured_j"].as_f64().unwrap(), it["measured_s"].as_i64().unwrap());
        found.extend(told["quarters"].as_array().unwrap().iter().map(of));
    }
    found
}

async fn a_kill_in_the_middle_of_pushes_loses_nothing_and_doubles_nothing(site: Site) {
    let mut server = served(&site).await;
    furnish(&server.client(), 8, None).await;
    let mut unanswered = [0; SENDERS];
    for round in 0..ROUNDS {
        let mut senders = JoinSet::new();
        for (sender, first) in (0..).zip(unanswered) {
            senders.spawn(push_until_cut_off(server.client(), sender, first));
        }
        // Any instant will do, and another one in each round and run.
        let millis = 250 + (now() * 37 + round * 131) % 400;
        tokio::time::sleep(Duration::from_millis(millis.unsigned_abs())).await;
        server.kill();
        for (sender, number) in senders.join_all().await {
            unanswered[usize::try_from(sender).unwrap()] = number;
        }
        server = served(&site).await;
        for (sender, number) in (0..).zip(unanswered) {
            assert_kept(&server.client(), 4 * sender, number).await;
        }
    }
    // What was not answered is sent again, and the first sample after it.
    for (sender, number) in (0..).zip(unanswered) {
        let client = server.client();
        client.send_csv(Method::POST, PATH, &body(sender, number)).await.ok(200);
        client.send_csv(Method::POST, PATH, &body(sender, number + 1)).await.ok(200);
        for node in 4 * sender..4 * sender + 4 {
            let whole = ((100 + node) as f64 * 900.0, 900);
            let found = quarters(&client, node, (number + 1) * BODY_S).await;
            assert_eq!(found, vec![whole; found.len()], "n{node}");
            assert_eq!(i64::try_from(found.len()), Ok(2 * (number + 1)));
        }
    }
    assert!(unanswered.iter().all(|number| *number > 0), "something was answered: {unanswered:?}");
}

/// All that was answered is there: each quarter-hour but the last is whole, of which the last minute ends with the next sample.
async fn assert_kept(client: &Client, node: i64, answered: i64) {
    let found = quarters(client, node, answered * BODY_S).await;
    let draws = (100 + node) as f64;
    assert_eq!(i64::try_from(found.len()), Ok(2 * answered));
    let Some((last, whole)) = found.split_last() else { return };
    assert_eq!(whole, vec![(draws * 900.0, 900); whole.len()]);
    let of_last = [(draws * 840.0, 840), (draws * 900.0, 900)];
    assert!(of_last.contains(last), "{last:?}");
}
