//! Three sites with different nodes and agendas. The first asks the others, `lyon` and `nice`.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::all_known::{Data, FIRST_HOUR, HOURS, KnownSite};
use super::between::Between;
use crate::client::Client;
use crate::cluster::Hours;
use crate::server::Server;
use crate::site::Site;

/// Rates that go up and down: no two hours in a row are equal, and no two sites.
fn rates(base: i128, step: i128, turn: i128) -> [i128; HOURS] {
    std::array::from_fn(|hour| base + (i128::try_from(hour).unwrap() * step) % turn)
}

/// The sites, as they are furnished.
pub fn known() -> [KnownSite; 3] {
    let data =
        Data { bytes_per_s: 20_000_000, cost_per_gb: 0, co2_g_per_gb: 1, joules_per_gb: 3600 };
    [
        KnownSite {
            name: "home",
            nodes: 4,
            draw_w: 200,
            prices: rates(120, 37, 83),
            intensities: rates(60, 29, 47),
            taken: (2, 3, 6),
            data: Data::default(),
        },
        KnownSite {
            name: "lyon",
            nodes: 6,
            draw_w: 230,
            prices: rates(40, 31, 97),
            intensities: rates(90, 17, 41),
            taken: (5, 1, 3),
            data,
        },
        KnownSite {
            name: "nice",
            nodes: 3,
            draw_w: 260,
            prices: rates(90, 23, 71),
            intensities: rates(15, 13, 53),
            taken: (1, 8, 9),
            data: Data { co2_g_per_gb: 2, cost_per_gb: 1, ..data },
        },
    ]
}

/// The sites at work, and a server between the first and each other.
pub struct Three {
    pub home: Server,
    pub lyon: Server,
    pub nice: Server,
    pub to_lyon: Between,
    pub to_nice: Between,
    pub hours: Hours,
    /// The databases of the others.
    pub sites: [Site; 2],
}

impl Three {
    /// Starts all of them; the first on a database that is given, with settings for each `[[sites]]`.
    pub async fn start(home: &Site, settings: &str) -> Self {
        let hours = Hours::ahead();
        let sites = [Site::sqlite(), Site::sqlite()];
        let (lyon, nice) = (sites[0].serve().await, sites[1].serve().await);
        let to_lyon = Between::before(&lyon.address).await;
        let to_nice = Between::before(&nice.address).await;
        let mut text = "location = \"home\"\n".to_owned();
        for (site, between) in known()[1..].iter().zip([&to_lyon, &to_nice]) {
            let Data { bytes_per_s, cost_per_gb, co2_g_per_gb, joules_per_gb } = site.data;
            let kwh = joules_per_gb as f64 / 3.6e6;
            write!(
                text,
                "[[sites]]\nname = \"{}\"\nurl = \"http://{}\"\nlocation = \"{} by the sea\"\n\
                 bandwidth_bytes_per_s = {bytes_per_s}.0\ncost_per_gb = {cost_per_gb}.0\n\
                 co2_g_per_gb = {co2_g_per_gb}.0\nenergy_kwh_per_gb = {kwh}\n{settings}\n",
                site.name, between.address, site.name
            )
            .unwrap();
        }
        std::fs::write(home.folder().join("sites.toml"), text).unwrap();
        let home = home.serve_with(&["--config", "sites.toml"]).await;
        let three = Self { home, lyon, nice, to_lyon, to_nice, hours, sites };
        for (site, server) in known().iter().zip([&three.home, &three.lyon, &three.nice]) {
            furnish(&server.client(), site, hours).await;
        }
        three
    }

    /// What all sites offer for an hour on one node.
    pub async fn ask(&self) -> Value {
        self.home.client().post("/api/v1/site-offers", &self.question()).await.ok(200)
    }

    pub fn question(&self) -> Value {
        json!({ "request": self.hours.request(1, 1, 12), "input_bytes": 0, "output_bytes": 1_000_000_000 })
    }

    /// The order of what a site offers as the cheapest.
    pub fn order(&self, offers: &Value, site: &str) -> Value {
        let asked = of_site(offers, site);
        let is_cheapest =
            |it: &&Value| it["rankings"].as_array().unwrap().contains(&json!("cost_energy_co2"));
        let offer = asked["offers"].as_array().unwrap().iter().find(is_cheapest).unwrap();
        let mut order = self.question();
        order["site"] = json!(site);
        order["expected"] = offer["at_site"].clone();
        order
    }
}

/// What is told of a site.
pub fn of_site<'a>(offers: &'a Value, name: &str) -> &'a Value {
    offers["sites"].as_array().unwrap().iter().find(|it| it["site"] == name).unwrap()
}

/// Puts a site's nodes and agendas, and books what is taken.
async fn furnish(client: &Client, site: &KnownSite, hours: Hours) {
    let node = |n: i64| json!({ "name": format!("n{n}"), "idle_power_w": 50, "max_power_w": i64::try_from(site.draw_w).unwrap(), "alpha": 1 });
    let nodes: Value = (0..site.nodes).map(node).collect();
    client.put("/api/v1/nodes", &nodes).await.ok(200);
    for (path, name, rates) in [
        ("price", "price_per_mwh", &site.prices),
        ("co2", "intensity_g_per_kwh", &site.intensities),
    ] {
        let values = rates.map(|rate| f64::from(i32::try_from(rate).unwrap()));
        let agenda = hours.agenda(name, FIRST_HOUR, &values);
        client.put(&format!("/api/v1/agendas/{path}"), &agenda).await.ok(200);
    }
    let (nodes, from, to) = site.taken;
    let mut request = hours.request(u32::try_from(nodes).unwrap(), from, from);
    request["duration_s"] = json!((to - from) * 3600);
    let held = crate::cluster::propose(client, &request).await;
    crate::cluster::choose(client, &held, "cost_co2_energy").await;
}
