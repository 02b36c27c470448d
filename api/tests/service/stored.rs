//! Databases that an earlier version wrote: opened, they answer as they did there.
//!
//! What is read here was made by `tests/fixtures/make` with a binary of that version.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::Value;
use sqlx::{Connection, Executor, PgConnection, SqliteConnection};

use crate::client::{Client, answer};
use crate::cluster::{instant, now, path};
use crate::server::Server;
use crate::site::{Site, on_both_engines};

on_both_engines! {
    a_database_of_the_version_before_answers_as_it_did,
    what_was_answered_to_a_key_is_answered_again,
    offers_of_the_version_before_are_chosen,
}

/// A database of the version before, and what it answered.
struct Stored {
    statements: &'static str,
    answers: &'static str,
}

const SQLITE: Stored = Stored {
    statements: include_str!("../fixtures/0016/sqlite.sql"),
    answers: include_str!("../fixtures/0016/sqlite.answers.jsonl"),
};

const POSTGRES: Stored = Stored {
    statements: include_str!("../fixtures/0016/postgres.sql"),
    answers: include_str!("../fixtures/0016/postgres.answers.jsonl"),
};

impl Stored {
    /// The fixture of this site's engine, loaded into its database.
    async fn load(site: &Site) -> Self {
        let sqlite = site.database.strip_prefix("sqlite://");
        if let Some(file) = sqlite {
            let url = format!("sqlite://{file}?mode=rwc");
            let mut database = SqliteConnection::connect(&url).await.unwrap();
            database.execute(sqlx::raw_sql(SQLITE.statements)).await.unwrap();
            database.close().await.unwrap();
            return SQLITE;
        }
        let mut database: PgConnection = site.raw().await;
        database.execute(sqlx::raw_sql(POSTGRES.statements)).await.unwrap();
        database.close().await.unwrap();
        POSTGRES
    }

    /// The first line: when it was read, and the tokens of its callers.
    fn head(&self) -> Value {
        serde_json::from_str(self.answers.lines().next().unwrap()).unwrap()
    }

    /// The service with its clock at the instant at which the answers were read.
    async fn serve(&self, site: &Site) -> Server {
        let shown = self.head()["shown_at"].as_str().unwrap().to_owned();
        let settings = "hold_s = 604800\nfeed_lease_s = 2\n";
        std::fs::write(site.folder().join("wattbook.toml"), settings).unwrap();
        let clock = format!("{}={shown}@1", instant(now()));
        site.serve_with(&["--config", "wattbook.toml", "--clock", &clock]).await
    }

    fn client(&self, server: &Server, who: &str) -> Client {
        server.client().with_token(self.head()["tokens"][who].as_str().unwrap())
    }

    /// Who asked for what, and what was answered.
    fn answers(&self) -> impl Iterator<Item = Value> {
        self.answers.lines().skip(1).map(|line| serde_json::from_str(line).unwrap())
    }

    /// The reservations that are told of there and pass a test.
    fn reservations(&self, pass: impl Fn(&Value) -> bool) -> Vec<Value> {
        let all = self.answers().find(|it| it["path"] == "/api/v1/reservations?limit=200").unwrap();
        all["answer"]["items"].as_array().unwrap().iter().filter(|it| pass(it)).cloned().collect()
    }
}

/// Answers are equal. That version reckoned some figures in doubles, with digits beyond those that are
/// printed of exact amounts: what was expected of offers anew, offers whose nodes were replaced, and
/// costs with a fee in them. Of these, numbers may differ by one in 1e13. It knew no resource manager, no projects, no shares and no series, learnt nothing and did not say how
/// CO2 is counted: a reservation's `slurm`, `learnt_utilisation`, `project`, `share_factor`, `series`, `occurrence` and `co2_accounting` are null, and it is shared with nobody.
fn assert_same(found: &Value, told: &Value, place: &str, in_doubles: bool) {
    match (found, told) {
        (Value::Object(found), Value::Object(told)) => {
            let keys = |it: &serde_json::Map<String, Value>| -> BTreeSet<String> {
                it.keys().cloned().collect()
            };
            let mut known = found.clone();
            if told.contains_key("chosen_offer_id") {
                assert_eq!(known.remove("shared_with"), Some(Value::Array(Vec::new())), "{place}");
                for later in [
                    "slurm",
                    "learnt_utilisation",
                    "project",
                    "share_factor",
                    "series",
                    "occurrence",
                    "co2_accounting",
                ] {
                    assert_eq!(known.remove(later), Some(Value::Null), "{place}");
                }
            }
            assert_eq!(keys(&known), keys(told), "{place}");
            let was_mended = told.get("notice").is_some_and(|it| it["code"] == "nodes_replaced");
            let in_doubles = in_doubles || was_mended || told.contains_key("extra_power_fee");
            for (key, told) in told {
                let in_doubles = in_doubles || key == "now_expected";
                assert_same(&found[key], told, &format!("{place}/{key}"), in_doubles);
            }
        }
        (Value::Array(found), Value::Array(told)) if found.len() == told.len() => {
            for (number, (found, told)) in found.iter().zip(told).enumerate() {
                assert_same(found, told, &format!("{place}/{number}"), in_doubles);
            }
        }
        (Value::Number(found), Value::Number(told)) if in_doubles && found != told => {
            let (found, told) = (found.as_f64().unwrap(), told.as_f64().unwrap());
            let most = told.abs().max(1e-3) / 1e13;
            assert!((found - told).abs() <= most, "{place}: {found} was {told}");
        }
        _ => assert_eq!(found, told, "{place}"),
    }
}

/// Every reservation, offer, grant and message, for operators and for users.
async fn a_database_of_the_version_before_answers_as_it_did(site: Site) {
    let stored = Stored::load(&site).await;
    let server = stored.serve(&site).await;
    let mut compared = 0;
    for told in stored.answers() {
        let client = stored.client(&server, told["who"].as_str().unwrap());
        let found = client.get(told["path"].as_str().unwrap()).await.ok(200);
        assert_same(&found, &told["answer"], told["path"].as_str().unwrap(), false);
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
}

async fn what_was_answered_to_a_key_is_answered_again(site: Site) {
    let stored = Stored::load(&site).await;
    let server = stored.serve(&site).await;
    let head = stored.head();
    for keyed in head["keyed"].as_array().unwrap() {
        let client = stored.client(&server, keyed["who"].as_str().unwrap());
        let request = client
            .request(Method::POST, "/api/v1/reservations")
            .header("Idempotency-Key", keyed["key"].as_str().unwrap())
            .header("Content-Type", "application/json")
            .body(keyed["body"].as_str().unwrap().to_owned());
        assert_eq!(answer(request).await.ok(200)["id"], keyed["id"]);
    }
}

/// What is held is confirmed at what it was offered for.
async fn offers_of_the_version_before_are_chosen(site: Site) {
    let stored = Stored::load(&site).await;
    let server = stored.serve(&site).await;
    let client = stored.client(&server, "op");
    let held = stored.reservations(|it| it["state"] == "proposed" && it["replaces"].is_null());
    assert!(held.len() > 3, "{}", held.len());
    for reservation in held {
        let offer = &reservation["offers"][0];
        let wanted = serde_json::json!({ "offer_id": offer["offer_id"], "expected": {
            "start": offer["start"], "end": offer["end"], "node_count": offer["node_count"],
            "energy_j": offer["energy_j"], "cost": offer["cost"], "co2_g": offer["co2_g"],
        }});
        let choose = format!("{}/choose", path(&reservation));
        let chosen = client.post(&choose, &wanted).await.ok(200);
        assert_eq!(chosen["state"], "confirmed");
        let was_mended = reservation["notice"]["code"] == "nodes_replaced";
        assert_same(&chosen["offers"], &reservation["offers"], &choose, was_mended);
    }
}
