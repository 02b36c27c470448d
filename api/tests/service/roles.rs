//! Each route and each role, exactly as documented.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};

use crate::client::answer;
use crate::cluster::{furnish, path, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    each_route_admits_the_documented_roles_and_refuses_everyone_else,
}

/// Who may call, as docs/API-DESIGN.md has it.
#[derive(Clone, Copy, PartialEq)]
enum May {
    /// Users and operators.
    Book,
    /// Operators.
    Run,
    /// Operators, and managers of the project.
    Manage,
    /// Suppliers and operators.
    Supply,
    /// All three.
    Anyone,
    /// Also who is not known.
    Everybody,
}

/// Method, path in the OpenAPI document, path and body of the call, who may, the status for them.
type Route = (Method, &'static str, &'static str, Body, May, u16);

#[derive(Clone, Copy)]
enum Body {
    None,
    /// An empty object.
    Nothing,
    /// A request for a node.
    Request,
    Choice,
    /// An hour more.
    Longer,
    /// Whose it is already.
    Owner,
    /// An operator whom the site knows.
    SharedWith,
    SharedNoMore,
    /// A queue, and what is asked of it.
    Queue,
    /// A broadcast to be estimated.
    Broadcast,
    Nodes,
    Price,
    Samples,
    Measurements,
    Outage,
    /// A node for ada.
    Adjustment,
    /// What the supplier says to a question.
    Answer,
    /// Extra power.
    Gift,
    Consumed,
    /// A code that confirms an address.
    Code,
    Issuer,
    DeviceCode,
    RefreshToken,
    /// A node that is to be switched on.
    Wake,
    /// An experiment that is over at once.
    Experiment,
    /// What a file says of projects.
    Projects,
    /// A request to all sites.
    SiteOffers,
    /// What another site offered.
    SiteOrder,
    /// A request that recurs twice.
    Series,
}

#[rustfmt::skip]
#[expect(clippy::too_many_lines, reason = "a table")]
fn routes() -> Vec<Route> {
    let (get, put, post, delete) = (Method::GET, Method::PUT, Method::POST, Method::DELETE);
    vec![
        (put.clone(), "/api/v1/nodes", "/api/v1/nodes", Body::Nodes, May::Run, 200),
        (get.clone(), "/api/v1/nodes", "/api/v1/nodes", Body::None, May::Book, 200),
        (post.clone(), "/api/v1/calibrations", "/api/v1/calibrations", Body::Samples, May::Run, 201),
        (get.clone(), "/api/v1/calibrations", "/api/v1/calibrations", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/calibrations/findings", "/api/v1/calibrations/findings", Body::None, May::Book, 200),
        (post.clone(), "/api/v1/calibrations/accept", "/api/v1/calibrations/accept", Body::Nothing, May::Run, 200),
        (post.clone(), "/api/v1/calibrations/reject", "/api/v1/calibrations/reject", Body::Nothing, May::Run, 200),
        (post.clone(), "/api/v1/measurements", "/api/v1/measurements", Body::Measurements, May::Run, 200),
        (get.clone(), "/api/v1/measurements", "/api/v1/measurements?node=n1", Body::None, May::Run, 200),
        (get.clone(), "/api/v1/meters", "/api/v1/meters", Body::None, May::Run, 200),
        (post.clone(), "/api/v1/outages", "/api/v1/outages", Body::Outage, May::Run, 201),
        (get.clone(), "/api/v1/outages", "/api/v1/outages", Body::None, May::Book, 200),
        (Method::PATCH, "/api/v1/outages/{id}", "/api/v1/outages/OUTAGE", Body::Nothing, May::Run, 200),
        (delete.clone(), "/api/v1/outages/{id}", "/api/v1/outages/OUTAGE", Body::None, May::Run, 200),
        (put.clone(), "/api/v1/agendas/{quantity}", "/api/v1/agendas/price", Body::Price, May::Supply, 200),
        (delete.clone(), "/api/v1/agendas/{quantity}", "/api/v1/agendas/co2?from=2100-01-01T00:00:00Z&to=2100-01-02T00:00:00Z", Body::None, May::Supply, 200),
        (get.clone(), "/api/v1/agendas/{quantity}", "/api/v1/agendas/power-cap", Body::None, May::Anyone, 200),
        // Those who may are told that no sources are compared.
        (get.clone(), "/api/v1/agendas/{quantity}/agreement", "/api/v1/agendas/price/agreement", Body::None, May::Run, 404),
        (get.clone(), "/api/v1/feeds", "/api/v1/feeds", Body::None, May::Anyone, 200),
        (get.clone(), "/api/v1/feeds/{id}/revisions", "/api/v1/feeds/api/revisions", Body::None, May::Anyone, 200),
        // Those who may are told that there is no such feed.
        (post.clone(), "/api/v1/feeds/{id}/refresh", "/api/v1/feeds/nobody/refresh", Body::None, May::Run, 404),
        (post.clone(), "/api/v1/quotes", "/api/v1/quotes", Body::Request, May::Book, 200),
        (post.clone(), "/api/v1/estimates", "/api/v1/estimates", Body::Broadcast, May::Book, 200),
        (post.clone(), "/api/v1/predictions", "/api/v1/predictions", Body::Queue, May::Book, 200),
        (post.clone(), "/api/v1/site-offers", "/api/v1/site-offers", Body::SiteOffers, May::Book, 200),
        // The settings name no other site.
        (post.clone(), "/api/v1/site-reservations", "/api/v1/site-reservations", Body::SiteOrder, May::Book, 422),
        (get.clone(), "/api/v1/site-reservations", "/api/v1/site-reservations", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/site-reservations/{id}", "/api/v1/site-reservations/none", Body::None, May::Book, 404),
        (delete.clone(), "/api/v1/site-reservations/{id}", "/api/v1/site-reservations/none", Body::None, May::Book, 404),
        (post.clone(), "/api/v1/reservations", "/api/v1/reservations", Body::Request, May::Book, 201),
        (get.clone(), "/api/v1/reservations", "/api/v1/reservations", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/reservations/{id}", "ID", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/reservations/{id}/jobs", "ID/jobs", Body::None, May::Book, 200),
        (post.clone(), "/api/v1/reservations/{id}/choose", "ID/choose", Body::Choice, May::Book, 200),
        (delete.clone(), "/api/v1/reservations/{id}", "ID", Body::None, May::Book, 200),
        (Method::PATCH, "/api/v1/reservations/{id}", "ID", Body::Nothing, May::Book, 200),
        // It is only proposed.
        (post.clone(), "/api/v1/reservations/{id}/extend", "ID/extend", Body::Longer, May::Book, 409),
        (post.clone(), "/api/v1/reservations/{id}/release", "ID/release", Body::Nothing, May::Book, 409),
        (post.clone(), "/api/v1/reservations/{id}/transfer", "ID/transfer", Body::Owner, May::Book, 200),
        (post.clone(), "/api/v1/reservations/{id}/swap", "ID/swap", Body::Nothing, May::Book, 409),
        (post.clone(), "/api/v1/reservations/{id}/share", "ID/share", Body::SharedWith, May::Book, 200),
        // It is not shared with them.
        (post.clone(), "/api/v1/reservations/{id}/unshare", "ID/unshare", Body::SharedNoMore, May::Book, 400),
        (post.clone(), "/api/v1/simulations", "/api/v1/simulations", Body::Experiment, May::Book, 202),
        (get.clone(), "/api/v1/simulations", "/api/v1/simulations", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/simulations/{id}", "SIMULATION", Body::None, May::Book, 200),
        (post.clone(), "/api/v1/simulations/{id}/cancel", "SIMULATION/cancel", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/simulations/{id}/events", "SIMULATION/events", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/simulations/{id}/{result}", "SIMULATION/report", Body::None, May::Book, 409),
        (delete.clone(), "/api/v1/simulations/{id}", "SIMULATION", Body::None, May::Book, 204),
        (get.clone(), "/api/v1/negotiations", "/api/v1/negotiations", Body::None, May::Supply, 200),
        // Those who may are told that there is none.
        (get.clone(), "/api/v1/negotiations/{id}", "/api/v1/negotiations/none", Body::None, May::Supply, 404),
        (post.clone(), "/api/v1/negotiations/{id}/answer", "/api/v1/negotiations/none/answer", Body::Answer, May::Supply, 404),
        (post.clone(), "/api/v1/grants", "/api/v1/grants", Body::Gift, May::Supply, 201),
        (get.clone(), "/api/v1/grants", "/api/v1/grants", Body::None, May::Anyone, 200),
        (delete.clone(), "/api/v1/grants/{grant_id}", "/api/v1/grants/none", Body::None, May::Supply, 404),
        (put.clone(), "/api/v1/consumption", "/api/v1/consumption", Body::Consumed, May::Supply, 200),
        (get.clone(), "/api/v1/consumption", "/api/v1/consumption", Body::None, May::Supply, 200),
        (get.clone(), "/api/v1/events", "/api/v1/events", Body::None, May::Anyone, 200),
        (get.clone(), "/api/v1/audit", "/api/v1/audit", Body::None, May::Run, 200),
        (get.clone(), "/api/v1/webhooks", "/api/v1/webhooks", Body::None, May::Run, 200),
        (get.clone(), "/api/v1/bills", "/api/v1/bills?month=2026-03", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/shares", "/api/v1/shares", Body::None, May::Book, 200),
        (post.clone(), "/api/v1/series", "/api/v1/series", Body::Series, May::Book, 201),
        (get.clone(), "/api/v1/series", "/api/v1/series", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/series/{id}", "/api/v1/series/none", Body::None, May::Book, 404),
        (Method::PATCH, "/api/v1/series/{id}", "/api/v1/series/none", Body::Nothing, May::Book, 404),
        (delete.clone(), "/api/v1/series/{id}", "/api/v1/series/none", Body::None, May::Book, 404),
        (delete.clone(), "/api/v1/series/{id}/occurrences/{occurrence}", "/api/v1/series/none/occurrences/none", Body::None, May::Book, 404),
        (post.clone(), "/api/v1/series/{id}/transfer", "/api/v1/series/none/transfer", Body::Owner, May::Book, 404),
        (get.clone(), "/api/v1/projects", "/api/v1/projects", Body::None, May::Book, 200),
        (put.clone(), "/api/v1/projects", "/api/v1/projects", Body::Projects, May::Run, 200),
        (put.clone(), "/api/v1/projects/{name}", "/api/v1/projects/ocean", Body::Nothing, May::Run, 200),
        // Who may ask is told that there is none, or that it is not theirs.
        (get.clone(), "/api/v1/projects/{name}", "/api/v1/projects/none", Body::None, May::Book, 404),
        (put.clone(), "/api/v1/projects/{name}/members/{user}", "/api/v1/projects/ocean/members/eve", Body::Nothing, May::Manage, 200),
        (delete.clone(), "/api/v1/projects/{name}/members/{user}", "/api/v1/projects/ocean/members/nobody", Body::None, May::Manage, 404),
        (delete.clone(), "/api/v1/projects/{name}", "/api/v1/projects/none", Body::None, May::Run, 404),
        (get.clone(), "/api/v1/quotas", "/api/v1/quotas", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/quotas/adjustments", "/api/v1/quotas/adjustments", Body::None, May::Run, 200),
        // There are no quotas here, and so no adjustments.
        (post.clone(), "/api/v1/quotas/adjustments", "/api/v1/quotas/adjustments", Body::Adjustment, May::Run, 409),
        (Method::PATCH, "/api/v1/quotas/adjustments/{id}", "/api/v1/quotas/adjustments/none", Body::Nothing, May::Run, 404),
        (delete.clone(), "/api/v1/quotas/adjustments/{id}", "/api/v1/quotas/adjustments/none", Body::None, May::Run, 404),
        (post.clone(), "/api/v1/calendar", "/api/v1/calendar", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/calendar", "/api/v1/calendar", Body::None, May::Book, 200),
        (delete.clone(), "/api/v1/calendar", "/api/v1/calendar", Body::None, May::Book, 204),
        // The secret is the right, and this is nobody's.
        (get.clone(), "/api/v1/calendar/{file}", "/api/v1/calendar/none.ics", Body::None, May::Everybody, 404),
        (get.clone(), "/api/v1/notifications", "/api/v1/notifications", Body::None, May::Book, 200),
        (put.clone(), "/api/v1/notifications", "/api/v1/notifications", Body::Nothing, May::Book, 200),
        // No code was sent.
        (post.clone(), "/api/v1/notifications/confirm", "/api/v1/notifications/confirm", Body::Code, May::Book, 409),
        (get.clone(), "/api/v1/me", "/api/v1/me", Body::None, May::Anyone, 200),
        (get.clone(), "/api/v1/tokens", "/api/v1/tokens", Body::None, May::Anyone, 200),
        (post.clone(), "/api/v1/tokens", "/api/v1/tokens", Body::Nothing, May::Anyone, 201),
        // Who may ask is told that there is none.
        (post.clone(), "/api/v1/tokens/{id}/renew", "/api/v1/tokens/none/renew", Body::Nothing, May::Anyone, 404),
        (delete.clone(), "/api/v1/tokens/{id}", "/api/v1/tokens/none", Body::None, May::Anyone, 404),
        (get.clone(), "/api/v1/rights", "/api/v1/rights", Body::None, May::Anyone, 200),
        (get.clone(), "/api/v1/sign-in", "/api/v1/sign-in", Body::None, May::Everybody, 200),
        // There is no issuer here.
        (post.clone(), "/api/v1/sign-in/device", "/api/v1/sign-in/device", Body::Issuer, May::Everybody, 404),
        (post.clone(), "/api/v1/sign-in/tokens", "/api/v1/sign-in/tokens", Body::DeviceCode, May::Everybody, 404),
        (post.clone(), "/api/v1/sign-in/forget", "/api/v1/sign-in/forget", Body::RefreshToken, May::Everybody, 404),
        (get.clone(), "/api/v1/reports", "/api/v1/reports?by=user,month", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/model-error", "/api/v1/model-error?by=application", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/ledger", "/api/v1/ledger", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/ledger/totals", "/api/v1/ledger/totals", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/site", "/api/v1/site", Body::None, May::Anyone, 200),
        (get.clone(), "/api/v1/slurm", "/api/v1/slurm", Body::None, May::Anyone, 200),
        (get.clone(), "/api/v1/power", "/api/v1/power", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/power-actions", "/api/v1/power-actions", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/power-actions/log", "/api/v1/power-actions/log", Body::None, May::Book, 200),
        // Nothing switches nodes here.
        (post.clone(), "/api/v1/power-actions", "/api/v1/power-actions", Body::Wake, May::Book, 409),
        (get.clone(), "/api/v1/slurm/occupied", "/api/v1/slurm/occupied", Body::None, May::Run, 200),
        (get.clone(), "/api/v1/power-profile", "/api/v1/power-profile", Body::None, May::Anyone, 200),
        (get.clone(), "/api/v1/schedule", "/api/v1/schedule", Body::None, May::Book, 200),
        (get.clone(), "/api/v1/occupancy", "/api/v1/occupancy", Body::None, May::Book, 200),
        (get, "/api/v1/nodes/powers", "/api/v1/nodes/powers", Body::None, May::Book, 200),
    ]
}

fn admits(may: May, role: &str) -> bool {
    match role {
        "operator" => true,
        "user" => matches!(may, May::Book | May::Anyone | May::Everybody),
        _ => matches!(may, May::Supply | May::Anyone | May::Everybody),
    }
}

async fn each_route_admits_the_documented_roles_and_refuses_everyone_else(site: Site) {
    let ada = site.token("ada", "user");
    let roles = ["user", "supplier", "operator"];
    let tokens =
        roles.map(|role| if role == "user" { ada.clone() } else { site.token(role, role) });
    let server = site.serve().await;
    let operator = server.client().with_token(&tokens[2]);
    let hours = furnish(&operator, 8, None).await;
    let nobody = server.client();
    let document = nobody.get("/api/openapi.json").await.ok(200);
    assert_all_listed(&document);
    for (method, _, route, body, may, status) in routes() {
        for (role, token) in roles.iter().zip(&tokens) {
            // One of the user's for each call.
            let user = server.client().with_token(&ada);
            let reservation = propose(&user, &hours.request(1, 0, 6)).await;
            let outage = document_of(Body::Outage, hours).unwrap();
            let outage = operator.post("/api/v1/outages", &outage).await.ok(201);
            let called = route.replace("ID", &path(&reservation));
            let called = called.replace("OUTAGE", outage["id"].as_str().unwrap());
            // One that was cancelled, so that it stands still.
            let simulation = crate::simulation::start(&user, &crate::simulation::long()).await;
            user.delete(&simulation).await.ok(200);
            let called = called.replace("SIMULATION", &simulation);
            let call = |client: &crate::client::Client| {
                let request = client.request(method.clone(), &called);
                match document_of(body, hours) {
                    Some(body) => request.json(&body),
                    None => request,
                }
            };
            if may == May::Everybody {
                assert_eq!(answer(call(&nobody)).await.status, status, "{method} {called}");
            } else {
                answer(call(&nobody)).await.problem(401, "unauthorised");
            }
            let bearer = server.client().with_token(token);
            if admits(may, role) {
                // A stream does not end: its head is enough.
                let answered = call(&bearer).send().await.unwrap();
                assert_eq!(answered.status(), status, "{role} {method} {called}");
            } else {
                answer(call(&bearer)).await.problem(403, "forbidden");
                let nonsense = bearer.request(method.clone(), &called);
                let nonsense = nonsense.header(CONTENT_TYPE, "text/plain").body("?");
                answer(nonsense).await.problem(403, "forbidden");
            }
            operator.delete(&path(&reservation)).await;
        }
    }
}

/// A new route must say in this table who may call it.
fn assert_all_listed(document: &Value) {
    let listed = routes();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let named = |route: &&Route| {
                route.1 == path.as_str() && route.0.as_str().eq_ignore_ascii_case(method)
            };
            assert_eq!(listed.iter().filter(named).count(), 1, "{method} {path} in the table");
        }
    }
}

fn document_of(body: Body, hours: crate::cluster::Hours) -> Option<Value> {
    let sample = |load: &str, power: u32| json!({ "node": "n7", "measured_at": hours.hour(-9), "load": load, "power_w": power });
    Some(match body {
        Body::None => return None,
        Body::Nothing => json!({}),
        Body::Code => json!({ "code": "00000000" }),
        Body::Issuer => json!({ "issuer": "https://id.example.org" }),
        Body::DeviceCode => json!({ "issuer": "https://id.example.org", "device_code": "c" }),
        Body::RefreshToken => {
            json!({ "issuer": "https://id.example.org", "refresh_token": "r", "program": "cli" })
        }
        Body::Request => hours.request(1, 0, 6),
        Body::SiteOffers => json!({ "request": hours.request(1, 0, 6) }),
        Body::SiteOrder => json!({
            "site": "lyon", "request": hours.request(1, 0, 6),
            "expected": {
                "start": hours.hour(0), "end": hours.hour(1), "node_count": 1, "energy_j": 1, "cost": 1, "co2_g": 1,
            },
        }),
        Body::Series => {
            json!({ "request": hours.request(1, 0, 6), "recur": "FREQ=DAILY;COUNT=2" })
        }
        Body::Choice => json!({ "ranking": "cost_co2_energy" }),
        Body::Longer => json!({ "by_s": 3600 }),
        Body::Owner => json!({ "owner": "ada" }),
        Body::SharedWith => json!({ "with": ["operator"], "may": "see" }),
        Body::SharedNoMore => json!({ "with": ["nobody"] }),
        Body::Broadcast => crate::estimates::broadcast(),
        Body::Queue => crate::predict::question(),
        Body::Nodes => crate::cluster::nodes(8),
        Body::Price => hours.agenda("price_per_mwh", 0, &[1.0]),
        Body::Experiment => crate::simulation::short(),
        Body::Outage => json!({ "nodes": ["n7"], "reason": "fans" }),
        Body::Adjustment => json!({ "user": "ada", "nodes": 1 }),
        Body::Answer => json!({ "answer": "refused" }),
        Body::Gift => json!({ "start": hours.hour(0), "end": hours.hour(1), "power_w": 100 }),
        Body::Consumed => {
            json!([{ "start": hours.hour(-9), "end": hours.hour(-8), "mean_power_w": 100 }])
        }
        Body::Projects => json!({ "source": "file", "projects": [{ "name": "ice" }] }),
        Body::Wake => json!({ "action": "wake", "nodes": ["n0"] }),
        Body::Measurements => json!({ "meter": "bmc", "samples": [] }),
        Body::Samples => json!([sample("idle", 100), sample("max", 200)]),
    })
}
