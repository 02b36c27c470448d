//! Outages and agendas from a terminal, against a real service.

use std::process::Output;

use serde_json::{Value, json};

use crate::cluster::{choose, furnish, propose};
use crate::server::Server;
use crate::site::{Site, wattbook};

fn say(server: &Server, arguments: &[&str]) -> Output {
    let mut command = wattbook(arguments);
    command.env("WATTBOOK_URL", format!("http://{}", server.address)).env("TZ", "UTC");
    command.env_remove("WATTBOOK_TOKEN").env_remove("WATTBOOK_TOKEN_FILE");
    command.output().unwrap()
}

fn out(output: &Output) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nodes_are_taken_out_of_service_listed_and_put_back() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 8, None).await;
    let held = propose(&client, &hours.request(2, 2, 2)).await;
    choose(&client, &held, "energy_cost_co2").await;
    let (begin, end) = (hours.hour(1), hours.hour(3));
    let create = ["outage", "create", "n[1-3,6]", "--begin", &begin, "--end", &end];
    let made = say(&server, &[&create[..], &["--reason", "new fans"]].concat());
    let shown = out(&made);
    assert!(shown.contains("n1,n2,n3,n6") && shown.contains("new fans"), "{shown}");
    let told = String::from_utf8_lossy(&made.stderr);
    assert!(told.contains("1 of the reservations hold some of the nodes"), "{told}");

    let length = ["outage", "create", "n7", "-t", "90", "--begin", &begin, "--format", "json"];
    let second: Value = serde_json::from_str(&out(&say(&server, &length))).unwrap();
    let expected = crate::cluster::instant(hours.at(1) + 5400);
    assert_eq!((&second[0]["end"], &second[0]["nodes"]), (&json!(expected), &json!(["n7"])));
    out(&say(&server, &["outage", "create", "n0"]));

    let csv = out(&say(&server, &["outage", "list", "--format", "csv"]));
    let lines: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(lines.len(), 4, "{csv}");
    assert_eq!(lines[1][2..6], [&begin, &end, "4", "n1;n2;n3;n6"]);
    assert_eq!((lines[1][7], lines[3][3]), ("new fans", ""));
    assert!(out(&say(&server, &["outage", "list"])).contains("not known"));

    let ids: Vec<&str> = lines[1..].iter().map(|line| line[0]).collect();
    // Ids of one moment begin alike.
    let several = say(&server, &["outage", "end", &ids[0][..4]]);
    let told = String::from_utf8_lossy(&several.stderr);
    assert_eq!(several.status.code(), Some(2), "{told}");
    assert!(told.contains("say more of it") && told.contains(ids[2]), "{told}");
    let none = say(&server, &["outage", "end", "f00d"]);
    assert_eq!(none.status.code(), Some(2));
    let first = ids[0];
    let some = say(&server, &["outage", "end", first, "f00d"]);
    assert_eq!(some.status.code(), Some(2));
    assert!(out(&say(&server, &["outage", "list"])).contains(first), "nothing is ended");
    let ids = [&ids[0].replace('-', "")[..31], ids[1], ids[2]];
    let ended = out(&say(&server, &[&["outage", "end", first], &ids[..]].concat()));
    assert_eq!(ended.lines().count(), 3);
    assert!(ended.contains(" is over: n1,n2,n3,n6 may be taken"), "{ended}");
    let none = say(&server, &["outage", "list"]);
    assert_eq!(out(&none), "");
    assert!(String::from_utf8_lossy(&none.stderr).contains("no nodes are out of service"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_wrong_with_an_outage_is_named_and_nothing_is_made() {
    let site = Site::sqlite();
    let server = site.serve().await;
    furnish(&server.client(), 2, None).await;
    for (arguments, code, told) in [
        (&["n[1-", "--begin", "soon", "--end", "late"][..], 2, "--begin: \"soon\" is not"),
        (&["n[1-"], 2, "at character"),
        (&["n0,n9"], 2, "nodes/1: "),
        (&["n0", "--end", "now+1h", "-t", "60"], 2, "cannot be used with"),
        (&["n0", "-t", "4000000000-0"], 2, "--time: the end is out of range"),
        (&["n0", "--end", "2001-01-01"], 2, "the outage is over already"),
        (&["n0", "--begin", "now+2h", "--end", "now+1h"], 2, "end: must be after start"),
    ] {
        let output = say(&server, &[&["outage", "create"], arguments].concat());
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {error}");
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    let unknown = say(&server, &["outage", "end", "00000000-0000-7000-8000-000000000000"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert_eq!(out(&say(&server, &["outage", "list", "--format", "json"])).trim(), "[]");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outage_is_changed_by_what_is_said() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 4, None).await;
    let held = propose(&client, &hours.request(1, 2, 2)).await;
    choose(&client, &held, "energy_cost_co2").await;
    let (begin, end) = (hours.hour(1), hours.hour(3));
    let create = ["outage", "create", "n3", "--begin", &begin, "--end", &end, "--format", "json"];
    let made: Value = serde_json::from_str(&out(&say(&server, &create))).unwrap();
    let id = made[0]["id"].as_str().unwrap();
    let change =
        |arguments: &[&str]| say(&server, &[&["outage", "change", &id[..12]], arguments].concat());
    let more = change(&["--nodes", "n[0,3]", "--reason", "new fans"]);
    assert!(out(&more).contains("n0,n3"));
    let told = String::from_utf8_lossy(&more.stderr);
    assert!(told.contains("1 of the reservations hold some of the nodes"), "{told}");
    let open = out(&change(&["--begin", "now", "--without", "end,reason", "--format", "json"]));
    let open: Value = serde_json::from_str(&open).unwrap();
    assert_eq!((&open[0]["end"], &open[0]["reason"]), (&Value::Null, &json!("")));
    assert_eq!(open[0]["nodes"], json!(["n0", "n3"]));
    for (arguments, told) in [
        (&[][..], "there is nothing to change"),
        (&["--nodes", "n[1-", "--end", "late"], "--nodes: "),
        (&["--end", "now+1h", "--without", "end"], "--without end: it is given another value"),
        (&["--nodes", "n9"], "nodes/0: "),
        (&["--end", "2001-01-01"], "not after its start"),
        (&["--begin", "now+2h"], "and its start stays"),
    ] {
        let output = change(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && error.contains(told), "{arguments:?}: {error}");
    }
    let listed = out(&say(&server, &["outage", "list", "--format", "json"]));
    assert_eq!(serde_json::from_str::<Value>(&listed).unwrap()[0]["end"], Value::Null);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn agendas_are_put_and_withdrawn() {
    let site = Site::sqlite();
    let server = site.serve().await;
    let client = server.client();
    let hours = furnish(&client, 2, None).await;
    let hour = |at: i64| hours.hour(at);
    let table = format!(
        "start,end,price_per_mwh\n{},{},10\n{},{},20\n",
        hour(1),
        hour(2),
        hour(2),
        hour(3)
    );
    let (csv, json) = (site.folder().join("prices.csv"), site.folder().join("caps.json"));
    std::fs::write(&csv, table).unwrap();
    std::fs::write(&json, hours.agenda("cap_w", 1, &[900.0]).to_string()).unwrap();
    let put = out(&say(&server, &["agenda", "put", "price", csv.to_str().unwrap()]));
    assert!(put.starts_with("price from ") && put.contains(": 2 pieces, revision "), "{put}");
    let put = out(&say(&server, &["agenda", "put", "power-cap", json.to_str().unwrap()]));
    assert!(put.contains(": 1 piece, revision "), "{put}");
    let withdraw = ["agenda", "withdraw", "price", "--from", &hour(2), "--to", &hour(4)];
    let withdrawn = say(&server, &withdraw);
    let shown = out(&withdrawn);
    assert!(
        shown.starts_with("price from ") && shown.contains(": withdrawn, revision "),
        "{shown}"
    );
    let told = String::from_utf8_lossy(&withdrawn.stderr);
    assert!(told.contains("nothing is planned there until"), "{told}");
    let path = format!("/api/v1/agendas/price?{}", hours.span(1, 4));
    let agenda = client.get(&path).await.ok(200);
    assert_eq!(agenda["pieces"], hours.agenda("price_per_mwh", 1, &[10.0]));
    assert_eq!(agenda["gaps"], json!([{ "start": hour(2), "end": hour(4) }]));
    let wrong = ["agenda", "withdraw", "price", "--from", "soon", "--to", "late"];
    let wrong = say(&server, &wrong);
    let told = String::from_utf8_lossy(&wrong.stderr);
    assert!(told.contains("--from: ") && told.contains("--to: "), "{told}");
    let turned = ["agenda", "withdraw", "price", "--from", &hour(4), "--to", &hour(2)];
    let turned = say(&server, &turned);
    assert_eq!(turned.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&turned.stderr).contains("to: must be after from"));
    std::fs::write(&csv, "start,end,price_per_mwh\nsoon,late,1\n").unwrap();
    let wrong = say(&server, &["agenda", "put", "price", csv.to_str().unwrap()]);
    assert_eq!(wrong.status.code(), Some(2));
}
