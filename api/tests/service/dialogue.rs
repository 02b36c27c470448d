//! A service that speaks with its supplier, and what is said.

use std::time::Duration;

use serde_json::Value;

use crate::client::Client;
use crate::cluster::path;
use crate::server::Server;
use crate::site::Site;

/// How long something that happens by itself may take on a busy machine: in tenths of a second.
const PATIENCE: u32 = 600;

/// The service with these settings of its dialogue.
pub async fn serve(site: &Site, negotiation: &str) -> Server {
    let settings = format!("feed_lease_s = 2\n[negotiation]\n{negotiation}\n");
    std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
    site.serve_with(&["--config", "wattbook.toml"]).await
}

/// Lets the database refuse rows, such as `INSERT ON negotiations`, until [`allow`].
pub async fn refuse(site: &Site, rows: &str) {
    let refuse = if site.is_postgres() {
        format!(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
             AS 'BEGIN RAISE EXCEPTION ''refused''; END';
             CREATE TRIGGER refused BEFORE {rows} EXECUTE FUNCTION refuse()"
        )
    } else {
        format!("CREATE TRIGGER refused BEFORE {rows} BEGIN SELECT RAISE(ABORT, 'refused'); END")
    };
    site.execute(refuse).await;
}

/// Lets pass again what was refused.
pub async fn allow(site: &Site) {
    let postgres = site.is_postgres();
    let allow = if postgres { "DROP FUNCTION refuse CASCADE" } else { "DROP TRIGGER refused" };
    site.execute(allow).await;
}

/// Waits until the service says that it could not go on with the dialogue.
pub async fn until_it_cannot_go_on(server: &Server) {
    for _ in 0..PATIENCE {
        if server.log().contains("could not go on with the dialogue") {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the dialogue went on: {}", server.log());
}

/// Reads until something is so.
pub async fn until(client: &Client, path: &str, is_so: impl Fn(&Value) -> bool) -> Value {
    let mut last = Value::Null;
    for _ in 0..PATIENCE {
        last = client.get(path).await.ok(200);
        if is_so(&last) {
            return last;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("{path} did not come to it: {last:#}");
}

/// The open question for extra power, once so many reservations ask in it.
pub async fn open_question(client: &Client, askers: usize) -> Value {
    let asks = |item: &Value| {
        item["subject"]["reservations"].as_array().is_some_and(|it| it.len() == askers)
    };
    let list = "/api/v1/negotiations?kind=extra_power&state=open";
    let found = until(client, list, |list| list["items"].as_array().unwrap().iter().any(asks));
    found.await["items"][0].clone()
}

/// The negotiation with its messages, as it is now.
pub async fn read_negotiation(client: &Client, negotiation: &Value) -> Value {
    let path = format!("/api/v1/negotiations/{}", negotiation["id"].as_str().unwrap());
    client.get(&path).await.ok(200)
}

/// The negotiation once it is closed.
pub async fn closed(client: &Client, negotiation: &Value) -> Value {
    let path = format!("/api/v1/negotiations/{}", negotiation["id"].as_str().unwrap());
    until(client, &path, |told| told["state"] == "closed").await
}

/// The reservation once it is in a state.
pub async fn until_state(client: &Client, reservation: &Value, state: &str) -> Value {
    until(client, &path(reservation), |it| it["state"] == state).await
}
