//! Many clients at the edge of a quota, by two processes on one database: of each measure, by user and by project.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::client::{Answer, Client};
use crate::cluster::{Hours, choose, furnish, now};
use crate::plain_count::{Holding, Limits, Whose, holdings};
use crate::site::{Site, on_both_engines};

on_both_engines! { sixty_four_clients_overrun_no_quota_of_any_measure }

const CLIENTS: usize = 64;

/// Nothing is limited by this.
const PLENTY: i64 = 100_000;

/// Of the users and projects that are limited, each in one measure: 8 nodes, 3 reservations, 7 node-hours of a day. Each
/// client wants 2 nodes for an hour.
const RULES: &str = "\
    [[quotas.rules.default]]\nuser = \"ada\"\nnodes = 8\n\
    [[quotas.rules.default]]\nuser = \"bob\"\nreservations = 3\n\
    [[quotas.rules.default]]\nuser = \"cleo\"\nnode_hours = 7\nper = \"day\"\n\
    [[quotas.rules.default]]\nproject = \"ocean\"\nnodes = 8\n\
    [[quotas.rules.default]]\nproject = \"ice\"\nreservations = 3\n\
    [[quotas.rules.default]]\nproject = \"wind\"\nnode_hours = 7\nper = \"day\"\n";

/// Who is limited, and in what.
const KINDS: [(Whose, &str, [i64; 3]); 6] = [
    (Whose::User, "ada", [8, PLENTY, PLENTY]),
    (Whose::User, "bob", [PLENTY, 3, PLENTY]),
    (Whose::User, "cleo", [PLENTY, PLENTY, 7]),
    (Whose::Project, "ocean", [8, PLENTY, PLENTY]),
    (Whose::Project, "ice", [PLENTY, 3, PLENTY]),
    (Whose::Project, "wind", [PLENTY, PLENTY, 7]),
];

/// What came of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Won,
    OverQuota,
    /// Others were quicker at each try, or the user's other plans wait.
    TooSlow,
}

fn outcome(answered: &Answer, name: &str) -> Outcome {
    if answered.status < 400 {
        return Outcome::Won;
    }
    let problem = answered.any_problem();
    match (answered.status, problem["code"].as_str().unwrap()) {
        (422, "quota") => {
            assert!(problem["rule"].as_str().unwrap().contains(name), "{problem}");
            Outcome::OverQuota
        }
        (409, "book_changed") | (429, "too_many_plans" | "too_many_holds") => Outcome::TooSlow,
        other => panic!("{other:?}: {problem}"),
    }
}

async fn sixty_four_clients_overrun_no_quota_of_any_measure(site: Site) {
    let operator = site.token("olga", "operator");
    let users = ["ada", "bob", "cleo", "dora", "emil"].map(|user| (user, site.token(user, "user")));
    let file = site.folder().join("wattbook.toml");
    std::fs::write(&file, RULES).unwrap();
    let arguments = ["--config", file.to_str().unwrap()];
    let servers = [site.serve_with(&arguments).await, site.serve_with(&arguments).await];
    let operator = servers[0].client().with_token(&operator);
    let hours = furnish(&operator, 256, None).await;
    for (whose, name, [nodes, reservations, node_hours]) in KINDS {
        // A project's people are several.
        let theirs = |it: &&(&str, String)| match whose {
            Whose::User => it.0 == name,
            Whose::Project => ["dora", "emil"].contains(&it.0),
        };
        let tokens: Vec<&String> = users.iter().filter(theirs).map(|(_, token)| token).collect();
        let client = |number: usize| {
            let server = &servers[number % servers.len()];
            server.client().with_token(tokens[number / servers.len() % tokens.len()])
        };
        let project = (whose == Whose::Project).then_some(name);
        let outcomes = race((0..CLIENTS).map(client).collect(), hours, name, project).await;
        let all = operator.all_reservations().await;
        let held = holdings(&operator, hours, &all).await;
        let is_theirs = |it: &Holding| match whose {
            Whose::User => it.owner == name,
            Whose::Project => it.project == name,
        };
        let held: Vec<Holding> = held.into_iter().filter(is_theirs).collect();
        let count = |wanted| outcomes.iter().filter(|it| **it == wanted).count();
        assert_eq!(held.len(), count(Outcome::Won), "{name}");
        assert!(count(Outcome::Won) > 0 && count(Outcome::OverQuota) > 0, "{name}");
        let limits = Limits {
            nodes: (whose, nodes),
            reservations: (whose, reservations),
            node_hours: (whose, node_hours),
            budgets: None,
        };
        limits.assert_kept(&held, now());
    }
}

/// All want two nodes for an hour within three at the same moment, and choose what they are offered.
async fn race(
    clients: Vec<Client>,
    hours: Hours,
    name: &'static str,
    project: Option<&'static str>,
) -> Vec<Outcome> {
    let start = Arc::new(Barrier::new(clients.len()));
    let mut racing = JoinSet::new();
    for (number, client) in clients.into_iter().enumerate() {
        let start = Arc::clone(&start);
        racing.spawn(async move {
            start.wait().await;
            let mut request = hours.request(2, 0, 2);
            if let Some(project) = project {
                request["project"] = json!(project);
            }
            let answered = client.post("/api/v1/reservations", &request).await;
            let came = outcome(&answered, name);
            if came == Outcome::Won {
                let rankings = ["cost_co2_energy", "co2_cost_energy", "energy_cost_co2"];
                choose(&client, &answered.ok(201), rankings[number % 3]).await;
            }
            came
        });
    }
    racing.join_all().await
}
