//! Projects: who books for them, who sees what is booked for them, and who says who is in them.

use std::path::PathBuf;

use reqwest::Method;
use serde_json::{Value, json};

use crate::client::{Client, answer};
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::site::{Site, on_both_engines, wattbook};

on_both_engines! {
    who_is_in_a_project_sees_its_reservations_and_managers_change_them,
    a_request_is_for_a_project_of_its_sender,
    managers_say_who_is_in_what_they_manage_and_no_more,
    a_site_may_want_the_project_and_keep_members_apart,
    members_act_where_the_site_lets_them_but_give_nothing_away,
    the_commands_make_import_and_list_projects,
}

/// A service of the settings with four nodes, and clients of users by name; `olga` is an operator.
struct Cast {
    server: crate::server::Server,
    olga: Client,
    users: Vec<(&'static str, Client)>,
    olgas_token: String,
    hours: Hours,
}

impl Cast {
    async fn on(site: &Site, settings: &str, users: &[&'static str]) -> Self {
        write(site, "wattbook.toml", settings);
        let olgas_token = site.token("olga", "operator");
        let tokens: Vec<(&str, String)> =
            users.iter().map(|user| (*user, site.token(user, "user"))).collect();
        let server = site.serve_with(&["--config", "wattbook.toml"]).await;
        let olga = server.client().with_token(&olgas_token);
        let hours = furnish(&olga, 4, None).await;
        let client = |token: &String| server.client().with_token(token);
        let users = tokens.iter().map(|(user, token)| (*user, client(token))).collect();
        Self { server, olga, users, olgas_token, hours }
    }

    fn user(&self, name: &str) -> &Client {
        &self.users.iter().find(|(user, _)| *user == name).unwrap().1
    }

    async fn put(&self, project: &str, parent: Option<&str>) {
        let body = json!({ "parent": parent });
        self.olga.put(&format!("/api/v1/projects/{project}"), &body).await.ok(200);
    }

    async fn add(&self, project: &str, user: &str, manager: bool) {
        let path = format!("/api/v1/projects/{project}/members/{user}");
        self.olga.put(&path, &json!({ "manager": manager })).await.ok(200);
    }

    /// A request for one node for an hour, with more members.
    fn request(&self, more: &Value) -> Value {
        let mut request = self.hours.request(1, 0, 6);
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        request
    }
}

fn write(site: &Site, name: &str, text: &str) -> PathBuf {
    let path = site.folder().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

async fn listed(client: &Client, query: &str) -> Vec<Value> {
    let page = client.get(&format!("/api/v1/reservations{query}")).await.ok(200);
    page["items"].as_array().unwrap().iter().map(|it| it["id"].clone()).collect()
}

fn names(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect()
}

/// Physics has the parts ocean and ice. Ada and Bob are of the ocean, Mary manages physics, Eve is of ice.
async fn who_is_in_a_project_sees_its_reservations_and_managers_change_them(site: Site) {
    let cast = Cast::on(&site, "", &["ada", "bob", "mary", "eve"]).await;
    cast.put("physics", None).await;
    cast.put("ocean", Some("physics")).await;
    cast.put("ice", Some("physics")).await;
    cast.add("ocean", "ada", false).await;
    cast.add("ocean", "bob", false).await;
    cast.add("ice", "eve", false).await;
    cast.add("physics", "mary", true).await;
    // Ada is in one project only, so that she need not say it.
    let hers = propose(cast.user("ada"), &cast.request(&json!({}))).await;
    assert_eq!((&hers["owner"], &hers["project"]), (&json!("ada"), &json!("ocean")));
    let whole = path(&hers);

    let (ada, bob, mary, eve) =
        (cast.user("ada"), cast.user("bob"), cast.user("mary"), cast.user("eve"));
    assert_eq!(bob.get(&whole).await.ok(200)["id"], hers["id"]);
    let choice = json!({ "ranking": "cost_co2_energy" });
    bob.post(&format!("{whole}/choose"), &choice).await.problem(403, "forbidden");
    bob.delete(&whole).await.problem(403, "forbidden");
    eve.get(&whole).await.problem(404, "not_found");
    eve.delete(&whole).await.problem(404, "not_found");
    let his = propose(bob, &cast.request(&json!({ "project": "ocean" }))).await;
    let (hers_id, his_id) = (hers["id"].clone(), his["id"].clone());
    for client in [ada, bob, mary] {
        assert_eq!(listed(client, "").await, [hers_id.clone(), his_id.clone()]);
    }
    assert_eq!(listed(mary, "?owner=bob&project=ocean").await, std::slice::from_ref(&his_id));
    assert_eq!(listed(mary, "?project=ice").await, [Value::Null; 0]);
    assert_eq!(listed(eve, "").await, [Value::Null; 0]);
    assert_eq!(listed(eve, "?owner=ada").await, [Value::Null; 0]);

    // A manager changes what is their projects', and it stays its owner's.
    assert_eq!(choose(mary, &hers, "cost_co2_energy").await["owner"], "ada");
    assert_eq!(mary.delete(&whole).await.ok(200)["state"], "cancelled");
    let me = mary.get("/api/v1/me").await.ok(200);
    assert_eq!(me["projects"], json!(["physics"]));
    assert_eq!(me["manages"], json!(["ice", "ocean", "physics"]));

    // Who leaves a project sees no more of it than what is theirs, at once.
    assert_eq!(cast.olga.delete("/api/v1/projects/ocean/members/bob").await.status, 204);
    assert_eq!(listed(bob, "").await, [his_id]);
    bob.get(&whole).await.problem(404, "not_found");
}

async fn a_request_is_for_a_project_of_its_sender(site: Site) {
    let cast = Cast::on(&site, "", &["ada", "eve"]).await;
    let (ada, eve) = (cast.user("ada"), cast.user("eve"));
    // Before the site keeps any, projects are what people call them.
    let free = propose(ada, &cast.request(&json!({ "labels": { "project": "anything" } }))).await;
    assert_eq!(free["project"], "anything");
    assert_eq!(free["request"]["labels"], json!({ "project": "anything" }));

    cast.put("ocean", None).await;
    cast.put("ice", None).await;
    cast.add("ocean", "ada", false).await;
    let book = async |client: &Client, more: Value| {
        client.post("/api/v1/reservations", &cast.request(&more)).await
    };
    for more in [json!({ "project": "ice" }), json!({ "labels": { "project": "ice" } })] {
        let refused = book(ada, more).await.problem(403, "not_in_project");
        assert!(refused["detail"].as_str().unwrap().contains("yours are ocean"), "{refused}");
    }
    let nowhere = book(eve, json!({ "project": "ocean" })).await.problem(403, "not_in_project");
    assert!(nowhere["detail"].as_str().unwrap().contains("in no project"), "{nowhere}");
    assert_eq!(book(eve, json!({})).await.ok(201)["project"], Value::Null);
    let both = json!({ "project": "ocean", "labels": { "project": "ice" } });
    let wrong = book(ada, both).await.problem(400, "invalid_body");
    assert_eq!(wrong["errors"][0]["pointer"], "/project");
    // Of two projects none is taken by itself.
    cast.add("ice", "ada", false).await;
    assert_eq!(book(ada, json!({})).await.ok(201)["project"], Value::Null);
    assert_eq!(book(ada, json!({ "project": "ice" })).await.ok(201)["project"], "ice");
    // Operators book for all.
    assert_eq!(book(&cast.olga, json!({ "project": "ocean" })).await.ok(201)["project"], "ocean");
}

async fn managers_say_who_is_in_what_they_manage_and_no_more(site: Site) {
    let cast = Cast::on(&site, "", &["mary", "ada"]).await;
    cast.put("physics", None).await;
    cast.put("ocean", Some("physics")).await;
    cast.put("biology", None).await;
    cast.add("physics", "mary", true).await;
    let (mary, ada) = (cast.user("mary"), cast.user("ada"));
    let member = |project: &str| format!("/api/v1/projects/{project}/members/ada");
    let added = mary.put(&member("ocean"), &json!({})).await.ok(200);
    assert_eq!(added["members"], json!([{ "user": "ada", "manager": false, "source": "api" }]));
    mary.put(&member("ocean"), &json!({ "manager": true })).await.problem(403, "forbidden");
    mary.put(&member("biology"), &json!({})).await.problem(403, "forbidden");
    mary.put("/api/v1/projects/snow", &json!({})).await.problem(403, "forbidden");
    ada.put(&member("ocean"), &json!({})).await.problem(403, "forbidden");
    assert_eq!(names(&mary.get("/api/v1/projects").await.ok(200)), ["ocean", "physics"]);
    assert_eq!(names(&cast.olga.get("/api/v1/projects").await.ok(200)).len(), 3);
    // Members are told of themselves.
    cast.add("ocean", "bob", false).await;
    let hers = ada.get("/api/v1/projects/ocean").await.ok(200);
    assert_eq!(hers["members"], json!([{ "user": "ada", "manager": false, "source": "api" }]));
    ada.get("/api/v1/projects/physics").await.problem(404, "not_found");
    assert_eq!(mary.delete(&member("ocean")).await.status, 204);
    mary.delete(&member("ocean")).await.problem(404, "not_found");

    cast.olga.delete("/api/v1/projects/physics").await.problem(409, "has_parts");
    let wrong = cast.olga.put("/api/v1/projects/physics", &json!({ "parent": "ocean" })).await;
    wrong.problem(422, "invalid_projects");
    let wrong = cast.olga.put("/api/v1/projects/a", &json!({ "parent": 7, "more": 1 })).await;
    assert_eq!(wrong.problem(400, "invalid_body")["errors"].as_array().unwrap().len(), 2);
    assert_eq!(cast.olga.delete("/api/v1/projects/ocean").await.status, 204);
    assert_eq!(cast.olga.delete("/api/v1/projects/physics").await.status, 204);
    assert_eq!(names(&mary.get("/api/v1/projects").await.ok(200)), [""; 0]);
}

async fn a_site_may_want_the_project_and_keep_members_apart(site: Site) {
    let settings = "[projects]\nmembers = \"none\"\nmanagers = \"see\"\nrequired = true\n";
    let cast = Cast::on(&site, settings, &["ada", "bob", "mary"]).await;
    cast.put("ocean", None).await;
    let (ada, bob, mary) = (cast.user("ada"), cast.user("bob"), cast.user("mary"));
    let refused = ada.post("/api/v1/reservations", &cast.request(&json!({}))).await;
    refused.problem(422, "project_needed");
    for (user, manager) in [("ada", false), ("bob", false), ("mary", true)] {
        cast.add("ocean", user, manager).await;
    }
    let hers = propose(ada, &cast.request(&json!({}))).await;
    bob.get(&path(&hers)).await.problem(404, "not_found");
    assert_eq!(mary.get(&path(&hers)).await.ok(200)["project"], "ocean");
    mary.delete(&path(&hers)).await.problem(403, "forbidden");
    // Operators need not say one.
    propose(&cast.olga, &cast.request(&json!({}))).await;
}

/// Bob changes what is Ada's as if it were his; only she, Mary, who manages the project, and operators give it away.
async fn members_act_where_the_site_lets_them_but_give_nothing_away(site: Site) {
    let settings = "[projects]\nmembers = \"act\"\n";
    let cast = Cast::on(&site, settings, &["ada", "bob", "mary", "eve"]).await;
    cast.put("ocean", None).await;
    for (user, manager) in [("ada", false), ("bob", false), ("mary", true)] {
        cast.add("ocean", user, manager).await;
    }
    let (bob, mary) = (cast.user("bob"), cast.user("mary"));
    // In a dear hour; hour 2 is cheap.
    let hers = propose(cast.user("ada"), &cast.hours.request(1, 5, 5)).await;
    assert_eq!(choose(bob, &hers, "cost_co2_energy").await["owner"], "ada");
    let whole = path(&hers);
    let patched = bob.request(Method::PATCH, &whole).json(&json!({ "note": "see Bob" }));
    assert_eq!(answer(patched).await.ok(200)["request"]["note"], "see Bob");
    let transfer = format!("{whole}/transfer");
    let to = |owner: &str| json!({ "owner": owner });
    bob.post(&transfer, &to("bob")).await.problem(403, "forbidden");
    let outside = mary.post(&transfer, &to("eve")).await.problem(422, "not_in_project");
    assert_eq!(outside["errors"][0]["pointer"], "/owner");
    mary.post(&transfer, &to("nobody")).await.problem(422, "unknown_owner");
    let his = mary.post(&transfer, &to("bob")).await.ok(200);
    assert_eq!((&his["owner"], &his["project"]), (&json!("bob"), &json!("ocean")));
    // Into a project that one is not in, nothing moves.
    cast.put("ice", None).await;
    let moved = bob.request(Method::PATCH, &whole).json(&json!({ "project": "ice" }));
    answer(moved).await.problem(403, "not_in_project");
    // What is proposed in its place keeps it from being given away meanwhile.
    let mut cheaper = cast.hours.request(1, 2, 2);
    cheaper["replaces"] = his["id"].clone();
    let cheaper = propose(bob, &cheaper).await;
    bob.post(&transfer, &to("ada")).await.problem(409, "wrong_state");
    bob.delete(&path(&cheaper)).await.ok(200);
    assert_eq!(bob.post(&transfer, &to("ada")).await.ok(200)["owner"], "ada");
}

async fn the_commands_make_import_and_list_projects(site: Site) {
    let cast = Cast::on(&site, "", &["ada"]).await;
    let run = |arguments: &[&str]| {
        let mut command = wattbook(arguments);
        command.env("WATTBOOK_URL", format!("http://{}", cast.server.address));
        command.env("WATTBOOK_TOKEN", &cast.olgas_token).env_remove("WATTBOOK_TOKEN_FILE");
        let output = command.output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (status, _, error) = run(&["project", "put", "earth & sea"]);
    assert_eq!((status, error.as_str()), (Some(0), ""));
    let (status, _, _) = run(&["project", "put", "ocean", "--parent", "earth & sea"]);
    assert_eq!(status, Some(0));
    assert_eq!(run(&["project", "add", "ocean", "ada", "--manager"]).0, Some(0));
    let (_, shown, _) = run(&["project", "show", "ocean"]);
    assert_eq!(shown.lines().next(), Some("ocean, a part of earth & sea"));
    assert!(shown.lines().nth(2).unwrap().split_whitespace().eq(["ada", "yes", "api"]), "{shown}");

    let projects =
        "[[projects]]\nname = \"ice\"\nparent = \"ocean\"\nmembers = [\"eve\", \"bob\"]\n";
    let members = write(&site, "members.toml", projects);
    let file = members.to_str().unwrap();
    assert!(run(&["project", "import", file]).1.starts_with("3 projects with 3 members"));
    assert!(run(&["project", "import", file]).1.starts_with("3 projects with 3 members"));
    let (_, listed, _) = run(&["project", "list", "--format", "json"]);
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(names(&listed), ["earth & sea", "ice", "ocean"]);
    assert_eq!(listed["items"][1]["source"], "file");
    let (status, _, error) = run(&["project", "remove", "ocean"]);
    assert_eq!(status, Some(4), "{error}");
    assert!(error.contains("\"ice\" is a part of it"), "{error}");
    assert_eq!(run(&["project", "drop", "ocean", "ada"]).0, Some(0));
    let (status, _, error) = run(&["project", "drop", "ocean", "ada"]);
    assert_eq!(status, Some(1), "{error}");
    let wrong = write(&site, "wrong.toml", "[[projects]]\nname = \"a\"\nparent = \"b\"\n");
    let (status, _, error) = run(&["project", "import", wrong.to_str().unwrap()]);
    assert_eq!(status, Some(2), "{error}");
    assert!(error.contains("its parent \"b\" is no project"), "{error}");
}
