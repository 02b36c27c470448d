//! Bodies with errors: every error at once with its JSON pointer, and nothing changes.

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde_json::Value;

use crate::book::everything;
use crate::client::{Client, answer};
use crate::cluster::{Hours, choose, furnish, path, propose};
use crate::site::{Site, on_both_engines};

on_both_engines! {
    every_error_of_a_body_is_listed_with_its_pointer_and_nothing_changes,
    exponents_beyond_all_numbers_are_refused,
    an_overlap_is_reported_beside_a_value_that_is_wrong,
    every_error_of_a_table_is_listed_with_its_line_and_nothing_changes,
}

/// A body and the pointers of its errors, in order.
type Case = (&'static str, &'static [&'static str]);

const NODES: &[Case] = &[
    ("7", &[""]),
    ("{}", &[""]),
    (r#"{"file": "/etc/hostname"}"#, &["/file"]),
    (r#"{"classes": [], "file": "x"}"#, &[""]),
    (
        r#"[{"name": "a", "idle_power_w": -1, "max_power_w": "200"},
            {"idle_power_w": 1e30, "max_power_w": 1e308},
            {"name": "b", "idle_power_w": 0.0000001, "max_power_w": 200, "watts": 3},
            7,
            {"name": "", "idle_power_w": null, "max_power_w": 2, "alpha": 1.5},
            {"name": "c", "idle_power_w": 2, "max_power_w": 1},
            {"name": "d", "idle_power_w": 1, "max_power_w": 2, "alpha": 0.25},
            {"name": "e", "name": "f", "idle_power_w": 1, "max_power_w": 2}]"#,
        &[
            "/0/idle_power_w",
            "/0/max_power_w",
            "/1/name",
            "/1/idle_power_w",
            "/1/max_power_w",
            "/2/watts",
            "/2/idle_power_w",
            "/3",
            "/4/name",
            "/4/idle_power_w",
            "/4/alpha",
            "/5",
            "/6",
            "/7/name",
        ],
    ),
    (
        r#"[{"name": "a", "idle_power_w": 1, "max_power_w": 2},
            {"name": "a", "idle_power_w": 1, "max_power_w": 2}]"#,
        &[""],
    ),
    (
        r#"{"classes": [{"count": 0, "idle_power_w": 1, "max_power_w": 2},
                        {"count": 1.5, "idle_power_w": 1},
                        {"count": 1e30, "idle_power_w": 1, "max_power_w": 2, "name": "a"}]}"#,
        &[
            "/classes/0/count",
            "/classes/1/count",
            "/classes/1/max_power_w",
            "/classes/2/name",
            "/classes/2/count",
        ],
    ),
];

const PRICE: &[Case] = &[
    ("[]", &[""]),
    ("{}", &[""]),
    (
        r#"[{"start": "HOUR1", "end": "HOUR0", "price_per_mwh": "x"}]"#,
        &["/0/end", "/0/price_per_mwh"],
    ),
    (r#"[{"start": "HOUR1", "end": "HOUR1", "price_per_mwh": 1}]"#, &["/0/end"]),
    (
        r#"[{"start": "HOUR0", "end": "HOUR2", "price_per_mwh": 1},
            {"start": "HOUR1", "end": "HOUR3", "price_per_mwh": 1},
            {"start": "HOUR0", "end": "HOUR1", "price_per_mwh": 1}]"#,
        &["/1/start", "/2/start"],
    ),
    (
        r#"[{"start": "2026-01-01", "end": 5, "price_per_mwh": 1e30},
            {"start": "HOUR0.5", "price_per_mwh": 0.0000001, "cap_w": 1},
            {"start": "HOUR0", "end": "HOUR1", "price_per_mwh": -1000000.000001}]"#,
        &[
            "/0/start",
            "/0/end",
            "/0/price_per_mwh",
            "/1/cap_w",
            "/1/start",
            "/1/end",
            "/1/price_per_mwh",
            "/2/price_per_mwh",
        ],
    ),
];

const CO2: &[Case] = &[
    (
        r#"[{"start": "HOUR0", "end": "HOUR1", "intensity_g_per_kwh": -1}]"#,
        &["/0/intensity_g_per_kwh"],
    ),
    (
        r#"[{"start": "HOUR0", "end": "HOUR1", "intensity_g_per_kwh": 1e308}]"#,
        &["/0/intensity_g_per_kwh"],
    ),
];

const CAP: &[Case] = &[
    (r#"[{"start": "HOUR0", "end": "HOUR1", "cap_w": -1}]"#, &["/0/cap_w"]),
    (r#"[{"start": "HOUR0", "end": "HOUR1", "cap_w": 100000000000.1}]"#, &["/0/cap_w"]),
    (r#"[{"start": "HOUR0", "end": "HOUR1"}]"#, &["/0/cap_w"]),
];

const CALIBRATIONS: &[Case] = &[
    ("{}", &[""]),
    (
        r#"[{"node": "n0", "measured_at": "HOUR0", "load": "idle", "power_w": -1},
            {"node": 7, "measured_at": "noon", "load": "half", "power_w": 1e30, "unit": "W"},
            {}]"#,
        &[
            "/0/power_w",
            "/1/unit",
            "/1/node",
            "/1/measured_at",
            "/1/load",
            "/1/power_w",
            "/2/node",
            "/2/measured_at",
            "/2/load",
            "/2/power_w",
        ],
    ),
    (
        r#"[{"node": "n0", "measured_at": "HOUR0", "load": "idle", "power_w": 1},
            {"node": "n1", "measured_at": "HOUR0", "load": "max", "power_w": 1}]"#,
        &["", ""],
    ),
    (
        r#"[{"node": "x", "measured_at": "HOUR0", "load": "idle", "power_w": 1},
            {"node": "x", "measured_at": "HOUR0", "load": "max", "power_w": 1},
            {"node": "y", "measured_at": "HOUR0", "load": "idle", "power_w": 1},
            {"node": "y", "measured_at": "HOUR0", "load": "max", "power_w": 1}]"#,
        &["", ""],
    ),
];

const REQUESTS: &[Case] = &[
    ("[]", &[""]),
    ("{}", &["/nodes", "/duration_s", "/earliest_start", "/latest_start"]),
    (
        r#"{"nodes": 0, "duration_s": -5, "earliest_start": "soon", "utilisation": 2, "speed": 1,
            "latest_start": "2020-01-01T00:00:00Z", "search": {"mode": "best"}}"#,
        &[
            "/speed",
            "/search/mode",
            "/nodes",
            "/duration_s",
            "/earliest_start",
            "/utilisation",
            "/latest_start",
        ],
    ),
    (
        r#"{"nodes": 1e308, "duration_s": 1e30, "earliest_start": "HOUR0", "latest_start": "HOUR1"}"#,
        &["/nodes", "/duration_s"],
    ),
    (
        r#"{"nodes": 1.5, "duration_s": 0.5, "earliest_start": "HOUR1", "latest_start": "HOUR0"}"#,
        &["/nodes", "/duration_s", "/latest_start"],
    ),
    (
        r#"{"nodes": "2", "duration": "P1M", "earliest_start": null, "latest_start": 5}"#,
        &["/nodes", "/duration", "/earliest_start", "/latest_start"],
    ),
    (
        r#"{"nodes": 1, "duration": "PT1H", "duration_s": 3600, "earliest_start": "HOUR0",
            "latest_start": "HOUR1", "search": {"mode": "exact", "slot_s": 900}}"#,
        &["/search/slot_s", "/duration_s"],
    ),
    (
        r#"{"nodes": 1, "duration": "-PT1H", "earliest_start": "HOUR0", "latest_start": "HOUR1",
            "search": {"mode": "slots", "slot_s": 0}}"#,
        &["/search/slot_s", "/duration"],
    ),
    (
        r#"{"nodes": 1, "duration_s": 100000001, "earliest_start": "HOUR0",
            "latest_start": "2020-01-01T00:00:00Z", "search": {"mode": "slots", "slot_s": 0}}"#,
        &["/search/slot_s", "/duration_s", "/latest_start", "/latest_start"],
    ),
    (
        r#"{"nodes": 1, "duration_s": 1, "earliest_start": "HOUR0",
            "latest_start": "9999-12-30T00:00:00Z"}"#,
        &["/latest_start"],
    ),
];

const CHOICES: &[Case] = &[
    ("{}", &[""]),
    (r#""cost_co2_energy""#, &[""]),
    (r#"{"ranking": "cheap"}"#, &["/ranking"]),
    (r#"{"ranking": "cost_cost_energy"}"#, &["/ranking"]),
    (r#"{"ranking": 1, "rank": 2}"#, &["/rank", "/ranking"]),
    (r#"{"offer_id": "7"}"#, &["/offer_id"]),
    (r#"{"ranking": "cost_co2_energy", "offer_id": "7"}"#, &[""]),
];

/// Wrong whatever is expected.
const ANY: &[Case] = &[
    ("", &[""]),
    ("{\"nodes\": NaN}", &[""]),
    ("[{\"idle_power_w\": Infinity}]", &[""]),
    ("{\"nodes\": 1,}", &[""]),
    ("{\"nodes\": 1} {}", &[""]),
    ("null", &[""]),
];

/// A cluster with a confirmed and a proposed reservation, and the path of the latter.
async fn furnish_with_bookings(client: &Client) -> (Hours, String) {
    let hours = furnish(client, 4, Some(800.0)).await;
    let confirmed = propose(client, &hours.request(1, 0, 6)).await;
    choose(client, &confirmed, "cost_co2_energy").await;
    let proposed = propose(client, &hours.request(1, 0, 6)).await;
    (hours, path(&proposed))
}

async fn every_error_of_a_body_is_listed_with_its_pointer_and_nothing_changes(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let (hours, proposed) = furnish_with_bookings(&client).await;
    let before = everything(&client, hours).await;
    let choosing = format!("{proposed}/choose");
    let routes = [
        (Method::PUT, "/api/v1/nodes", NODES),
        (Method::PUT, "/api/v1/agendas/price", PRICE),
        (Method::PUT, "/api/v1/agendas/co2", CO2),
        (Method::PUT, "/api/v1/agendas/power-cap", CAP),
        (Method::POST, "/api/v1/calibrations", CALIBRATIONS),
        (Method::POST, "/api/v1/quotes", REQUESTS),
        (Method::POST, "/api/v1/reservations", REQUESTS),
        (Method::POST, choosing.as_str(), CHOICES),
    ];
    for (method, path, cases) in routes {
        for (body, expected) in cases.iter().chain(ANY) {
            let body = (0..4).fold((*body).to_owned(), |body, hour| {
                let hour_without_zone = hours.hour(hour).trim_end_matches('Z').to_owned();
                body.replace(&format!("HOUR{hour}."), &format!("{hour_without_zone}."))
                    .replace(".5\"", ".5Z\"")
                    .replace(&format!("HOUR{hour}"), &hours.hour(hour))
            });
            let request = client.request(method.clone(), path);
            let request = request.header(CONTENT_TYPE, "application/json").body(body.clone());
            let problem = answer(request).await.problem(400, "invalid_body");
            assert_eq!(pointers(&problem), *expected, "{method} {path} {body}: {problem}");
        }
    }
    assert_eq!(everything(&client, hours).await, before);
}

async fn exponents_beyond_all_numbers_are_refused(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    for exponent in ["99999", "2147483641", "2147483642", "2147483647", "2147483648"] {
        for number in [format!("1e{exponent}"), format!("1e-{exponent}"), format!("1.5e{exponent}")]
        {
            let nodes = format!(r#"[{{"name": "a", "idle_power_w": 0, "max_power_w": {number}}}]"#);
            let request = client.request(Method::PUT, "/api/v1/nodes");
            let request = request.header(CONTENT_TYPE, "application/json").body(nodes);
            let problem = answer(request).await.problem(400, "invalid_body");
            assert_eq!(pointers(&problem), ["/0/max_power_w"], "{number}");
        }
    }
}

/// As it is in tables.
async fn an_overlap_is_reported_beside_a_value_that_is_wrong(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let hours = Hours::ahead();
    let piece = |from: i64, to: i64, price: &str| serde_json::json!({ "start": hours.hour(from), "end": hours.hour(to), "price_per_mwh": price });
    let body = serde_json::json!([piece(0, 2, "x"), piece(1, 3, "y")]);
    let problem = client.put("/api/v1/agendas/price", &body).await.problem(400, "invalid_body");
    let mut pointers = pointers(&problem);
    pointers.sort_unstable();
    assert_eq!(pointers, ["/0/price_per_mwh", "/1/price_per_mwh", "/1/start"]);
}

fn pointers(problem: &Value) -> Vec<&str> {
    let errors = problem["errors"].as_array().unwrap();
    assert!(errors.iter().all(|error| !error["detail"].as_str().unwrap().is_empty()));
    errors.iter().map(|error| error["pointer"].as_str().unwrap()).collect()
}

const TABLES: &[(&str, &str, &str, &[&str])] = &[
    (
        "PUT",
        "/api/v1/nodes",
        "name,idle_power_w,max_power_w\na,-1,x\na,1\nb,3,2\n",
        &["line 2, idle_power_w", "line 2, max_power_w", "line 3", "line 4"],
    ),
    ("PUT", "/api/v1/nodes", "name,idle_power_w,max_power_w\na,1,2\na,1,2\n", &["line 3, name"]),
    ("PUT", "/api/v1/nodes", "", &["line 1"]),
    (
        "PUT",
        "/api/v1/agendas/price",
        "start,end,price_per_mwh\n\
         2026-01-01T01:00:00Z,2026-01-01T00:00:00Z,NaN\n\
         2026-01-01T02:00:00Z,2026-01-01T04:00:00Z,1e30\n\
         2026-01-01T03:00:00Z,2026-01-01T05:00:00Z,0.0000001\n",
        &[
            "line 2, end",
            "line 2, price_per_mwh",
            "line 3, price_per_mwh",
            "line 4, price_per_mwh",
            "line 4, start",
        ],
    ),
    (
        "PUT",
        "/api/v1/agendas/co2",
        "start,end,price_per_mwh\n",
        &["line 1, price_per_mwh", "line 1, intensity_g_per_kwh"],
    ),
    (
        "POST",
        "/api/v1/calibrations",
        "node,measured_at,load,power_w\nn0,noon,half,1e308\n",
        &["line 2, measured_at", "line 2, load", "line 2, power_w"],
    ),
];

async fn every_error_of_a_table_is_listed_with_its_line_and_nothing_changes(site: Site) {
    let server = site.serve().await;
    let client = server.client();
    let (hours, _) = furnish_with_bookings(&client).await;
    let before = everything(&client, hours).await;
    for (method, path, table, expected) in TABLES {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let problem = client.send_csv(method, path, table).await.problem(400, "invalid_body");
        let errors = problem["errors"].as_array().unwrap();
        let places: Vec<&str> =
            errors.iter().map(|error| error["place"].as_str().unwrap()).collect();
        assert_eq!(places, *expected, "{path} {table}: {problem}");
    }
    assert_eq!(everything(&client, hours).await, before);
}
