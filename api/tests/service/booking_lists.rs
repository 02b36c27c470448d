//! Lists and short ids of the commands of users, their addresses, and readers that go away.

use std::process::Command;

use serde_json::{Value, json};

use crate::booking::{command, say};
use crate::cluster::furnish;
use crate::site::{Site, wattbook};

/// Reservations of a node for an hour each, in the order in which they were made.
async fn several(site: &Site, count: usize) -> (crate::server::Server, Vec<String>) {
    let server = site.serve().await;
    let hours = furnish(&server.client(), 40, None).await;
    let mut made = Vec::new();
    for _ in 0..count {
        let reservation = crate::cluster::propose(&server.client(), &hours.request(1, 0, 6)).await;
        made.push(reservation["id"].as_str().unwrap().to_owned());
    }
    (server, made)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lists_begin_with_the_newest_and_say_that_there_is_more() {
    let site = Site::sqlite();
    let (server, mut made) = several(&site, 4).await;
    made.reverse();
    let listed = say(&server, "list --limit 3 --format json");
    let ids: Vec<Value> =
        listed.json().as_array().unwrap().iter().map(|it| it["id"].clone()).collect();
    assert_eq!(ids, made[..3]);
    assert!(
        listed.err.contains("These are the newest 3; there are more. --limit"),
        "{}",
        listed.err
    );
    let whole = say(&server, "list --limit 4");
    assert_eq!((whole.out.lines().count(), whole.err.as_str()), (5, ""), "{}", whole.out);
    let pages = server.client().get("/api/v1/reservations?newest=true&limit=2").await.ok(200);
    let next = pages["next_cursor"].as_str().unwrap();
    let older = format!("/api/v1/reservations?newest=true&limit=9&cursor={next}");
    let older = server.client().get(&older).await.ok(200);
    assert_eq!(
        (&older["items"][0]["id"], &older["items"][1]["id"]),
        (&json!(made[2]), &json!(made[3]))
    );

    let narrowed = |line: &str| say(&server, &format!("list --format json {line}")).json();
    let length = |line: &str| narrowed(line).as_array().unwrap().len();
    assert_eq!(length("--owner local"), 4);
    assert_eq!(length("--owner some&body"), 0);
    assert_eq!(length("--from now --to now+2days"), 4);
    assert_eq!(length("--from now+3days"), 0);
    assert_eq!(length("--to 2020-01-01T00:00:00Z"), 0);
    assert_eq!(length("--state confirmed"), 0);
    let wrong = say(&server, "list --from soon --to never");
    assert_eq!((wrong.code, wrong.err.lines().count()), (Some(2), 2), "{}", wrong.err);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_beginning_of_an_id_is_enough_where_it_is_one_only() {
    let site = Site::sqlite();
    let (server, made) = several(&site, 3).await;
    let shared =
        made[0].chars().zip(made[2].chars()).take_while(|(one, other)| one == other).count();
    assert!(shared >= 4, "{made:?}");
    // Ids of one minute begin alike.
    let ambiguous = say(&server, &format!("show {}", &made[0][..shared]));
    assert_eq!(ambiguous.code, Some(2));
    for id in [&made[0], &made[2]] {
        assert!(
            ambiguous.err.contains(&format!("\n  {id}  proposed of local")),
            "{}",
            ambiguous.err
        );
    }
    let all_but_one = |id: &str| id[..id.len() - 1].to_owned();
    let shown = say(&server, &format!("show {} --format json", all_but_one(&made[1])));
    assert_eq!(shown.json()["id"], made[1]);
    let short = all_but_one(&made[1]).replace('-', "").to_uppercase();
    let chosen = say(&server, &format!("choose {short} a --format json"));
    assert_eq!(chosen.json()["state"], "confirmed");
    // Nothing is cancelled where one of several is not found.
    let none = say(&server, &format!("cancel {} 0123", all_but_one(&made[0])));
    assert_eq!(none.code, Some(2));
    assert!(none.err.contains("no reservation whose id begins with 0123"), "{}", none.err);
    assert_eq!(
        say(&server, &format!("show {} --format json", made[0])).json()["state"],
        "proposed"
    );
    let ended = say(&server, &format!("cancel {}", all_but_one(&made[1])));
    assert_eq!(ended.out, format!("{} is cancelled\n", made[1]));
    assert!(say(&server, "show lunch").err.contains("nor the beginning of one such as"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn addresses_need_no_scheme_and_arguments_say_what_there_is() {
    let site = Site::sqlite();
    let (server, _) = several(&site, 1).await;
    let bare = say(&server, &format!("list --url {}", server.address));
    assert_eq!(bare.code, Some(0), "{}", bare.err);
    let other = say(&server, "list --url ftp://node7");
    assert_eq!(other.code, Some(2));
    assert!(other.err.contains("an address such as http://127.0.0.1:8080"), "{}", other.err);
    let help = say(&server, "reserve --help").out;
    for ranking in planner::ranking::Ranking::ALL {
        assert!(help.contains(&ranking.to_string()), "{help}");
    }
    let large = say(&server, "quote -N 1 -t 60 --tolerance cost=2");
    assert_eq!(large.code, Some(2));
    assert!(large.err.contains("did you mean cost=2%"), "{}", large.err);
    let without = say(&server, "quote -N 39 -t 60 -x n[0-1] --format json");
    assert_eq!(without.code, Some(3), "{}", without.err);
    assert_eq!(say(&server, "quote -N 38 -t 60 -x n[0-1]").code, Some(0));
}

/// A message has its instants in one zone, and names it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn messages_have_one_time_zone_and_name_it() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let hours = furnish(&server.client(), 4, Some(600.0)).await;
    let window = format!("--begin {} --latest-start {}", hours.hour(0), hours.hour(6));
    for line in [format!("reserve -N 4 -t 60 {window}"), format!("reserve -N 1 -t 60 {window}")] {
        let mut command = command(&server, &line);
        let output = command.env("TZ", "Asia/Tokyo").output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8(text).unwrap();
        let utc = text.split_whitespace().filter(|it| it.starts_with("20") && it.contains('Z'));
        assert_eq!(utc.count(), 0, "{text}");
        assert!(!text.contains(':') || text.contains(" JST"), "{text}");
    }
}

/// As after `2>&1 | head -0`: what is said to nobody is no failure, and no panic.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_that_has_gone_changes_no_exit_status() {
    let site = Site::sqlite();
    let (server, _) = several(&site, 1).await;
    let missing = site.folder().join("missing.json");
    let missing = missing.to_str().unwrap();
    let database = format!("sqlite://{}", site.folder().join("other.db").display());
    let commands = [
        (command(&server, "list"), 0),
        (command(&server, "list --limit 0"), 0),
        (command(&server, "quote -N 1 -t 60"), 0),
        (command(&server, "quote -N 41 -t 60"), 3),
        (command(&server, "quote -N 1 -t soon"), 2),
        (command(&server, "quote -N 1 -t 60 --begin soon"), 2),
        (command(&server, "show 0123"), 2),
        (wattbook(&["plan", missing]), 1),
        (wattbook(&["openapi"]), 0),
        (wattbook(&["--help"]), 0),
        (wattbook(&["token", "list", "--database", "mysql://x"]), 1),
        (wattbook(&["simulate", "sesames", "--nodes", "4", "--requests", "2", "--runs", "1"]), 0),
        (wattbook(&["demo", "--config", missing, "--database", &database]), 1),
    ];
    for (mut command, expected) in commands {
        let told = format!("{command:?}");
        let whole = command.output().unwrap();
        let status = into_nothing(&mut command);
        assert_ne!(status, Some(101), "{told}");
        assert_eq!(status, whole.status.code(), "{told}");
        let err = String::from_utf8_lossy(&whole.stderr);
        assert!(whole.status.code() == Some(expected) || expected == 1, "{told}: {err}");
    }
}

/// Runs a command whose outputs nobody reads.
fn into_nothing(command: &mut Command) -> Option<i32> {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    command.stdout(writer.try_clone().unwrap()).stderr(writer).status().unwrap().code()
}
