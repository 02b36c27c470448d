//! The service beside the real Slurm: its settings, its nodes and what a test asks of both.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::Client;
use crate::cluster::{choose, instant, now, propose, seconds};
use crate::nodes::Nodes;
use crate::peer::{Peer, SeenReservation};
use crate::server::{PATIENCE, Server};
use crate::site::{Site, wattbook};

/// A database, nodes of the real Slurm, and the settings that bring them together.
pub struct Bridge {
    pub site: Site,
    pub peer: Peer,
    pub nodes: Nodes,
    operator: String,
    user: String,
}

/// Seconds between two turns of the bridge.
pub const POLL_S: u64 = 2;

impl Bridge {
    /// A quarter of the nodes, driven.
    pub async fn of_a_quarter(site: Site) -> Self {
        let peer = Peer::of_environment();
        let nodes = Nodes::quarter(&peer).await;
        Self::new(site, peer, nodes, "")
    }

    /// With more lines in the settings' `[slurm]`.
    pub fn new(site: Site, peer: Peer, nodes: Nodes, more: &str) -> Self {
        let bridge = Self {
            operator: site.token("operator", "operator"),
            user: site.token("alice", "user"),
            site,
            peer,
            nodes,
        };
        // Jobs write there as their users.
        let open = Permissions::from_mode(0o777);
        std::fs::set_permissions(bridge.site.folder(), open).unwrap();
        bridge.write_settings(&bridge.peer.rest, more);
        bridge
    }

    /// Settings of a bridge that reads Slurm at an address.
    pub fn write_settings(&self, rest: &str, more: &str) {
        let peer = &self.peer;
        let partitions = self.nodes.partitions.split(',').collect::<Vec<_>>();
        let text = format!(
            r#"
[slurm]
rest = "{rest}"
user = "root"
token = {{ key_file = "{}", lifetime_s = 300 }}
scontrol = "{}"
slurm_conf = "{}"
cluster = "{}"
partitions = {partitions:?}
mode = "drive"
poll_s = {POLL_S}
accounting = {}
{more}
"#,
            peer.key_file.display(),
            peer.scontrol.display(),
            peer.slurm_conf.display(),
            peer.cluster,
            peer.slurmdbd,
        );
        std::fs::write(self.site.folder().join("wattbook.toml"), text).unwrap();
    }

    /// Changes a part of the settings.
    #[track_caller]
    pub fn replace_in_settings(&self, part: &str, by: &str) {
        let file = self.site.folder().join("wattbook.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(part), "{text}");
        std::fs::write(file, text.replacen(part, by, 1)).unwrap();
    }

    /// The service with the settings; the nodes and flat agendas for a day are put where there are none.
    pub async fn serve(&self) -> Server {
        let server = self.site.serve_with(&["--config", "wattbook.toml"]).await;
        let operator = self.operator(&server);
        if operator.get("/api/v1/nodes").await.ok(200)["count"] == 0 {
            self.furnish(&operator).await;
        }
        server
    }

    async fn furnish(&self, operator: &Client) {
        let node = |name: &String| json!({ "name": name, "idle_power_w": 100, "max_power_w": 200 });
        let nodes = self.nodes.names.iter().map(node).collect::<Value>();
        operator.put("/api/v1/nodes", &nodes).await.ok(200);
        let day = |name: &str, value: f64| {
            let (start, end) = (now() - 3600, now() + 48 * 3600);
            json!([{ "start": instant(start), "end": instant(end), name: value }])
        };
        let price = day("price_per_mwh", 100.0);
        operator.put("/api/v1/agendas/price", &price).await.ok(200);
        let co2 = day("intensity_g_per_kwh", 50.0);
        operator.put("/api/v1/agendas/co2", &co2).await.ok(200);
    }

    pub fn operator(&self, server: &Server) -> Client {
        server.client().with_token(&self.operator)
    }

    /// Alice, who is a user of Slurm too.
    pub fn alice(&self, server: &Server) -> Client {
        server.client().with_token(&self.user)
    }

    /// A command of Alice's, in the site's folder; `sbatch` in it runs Slurm's.
    pub fn wattbook(&self, server: &Server, line: &str) -> Command {
        let mut command = wattbook(&line.split_whitespace().collect::<Vec<_>>());
        command.current_dir(self.site.folder()).env("TZ", "UTC");
        command.env("WATTBOOK_URL", format!("http://{}", server.address));
        command.env("WATTBOOK_TOKEN", &self.user).env("WATTBOOK_TEST_USER", "alice");
        command.env("WATTBOOK_SBATCH", self.peer.bin.join("sbatch"));
        command
    }

    /// The token that [`Self::operator`] has.
    pub fn token_of_operator(&self) -> &str {
        &self.operator
    }

    /// The token that [`Self::alice`] has.
    pub fn token_of_alice(&self) -> &str {
        &self.user
    }

    /// A request for nodes that start between two instants, in seconds from now.
    pub fn request(nodes: usize, duration_s: i64, earliest: i64, latest: i64) -> Value {
        let now = now();
        json!({
            "nodes": nodes,
            "duration_s": duration_s,
            "earliest_start": instant(now + earliest),
            "latest_start": instant(now + latest),
            "search": { "mode": "exact" },
        })
    }

    /// Books, and waits until Slurm has it.
    pub async fn book(&self, client: &Client, request: &Value) -> Value {
        let proposed = propose(client, request).await;
        let chosen = choose(client, &proposed, "cost_co2_energy").await;
        self.until_slurm(client, &chosen, "in_force").await
    }

    /// Waits until the reservation's document tells this state of the one in Slurm.
    pub async fn until_slurm(&self, client: &Client, reservation: &Value, state: &str) -> Value {
        let path = crate::cluster::path(reservation);
        until(&format!("{path} is {state} in Slurm"), || async {
            let document = client.get(&path).await.ok(200);
            if document["slurm"]["state"] == state { Ok(document) } else { Err(document) }
        })
        .await
    }

    /// Waits until the bridge has looked at Slurm so many times more.
    pub async fn turns(&self, client: &Client, count: usize) {
        for _ in 0..count {
            let last = client.get("/api/v1/slurm").await.ok(200)["last_poll_at"].clone();
            until("another poll", || async {
                let now = client.get("/api/v1/slurm").await.ok(200);
                if now["last_poll_at"] == last { Err(now) } else { Ok(()) }
            })
            .await;
        }
    }

    /// Makes a reservation by hand.
    pub fn make(&self, name: &str, wanted: &SeenReservation) {
        let SeenReservation { nodes, start, end, users } = wanted;
        let nodes = nodes.iter().cloned().collect::<Vec<_>>().join(",");
        let at = |seconds: i64| instant(seconds).trim_end_matches('Z').to_owned();
        let span = format!("starttime={} endtime={}", at(*start), at(*end));
        self.peer.scontrol(&format!(
            "create reservation reservationname={name} {span} users={users} nodes={nodes}"
        ));
    }

    /// What Slurm has under the names of our reservations.
    pub fn ours(&self) -> BTreeMap<String, SeenReservation> {
        self.try_ours().expect("an answer of Slurm")
    }

    /// The same; `None` where its controller does not answer.
    pub fn try_ours(&self) -> Option<BTreeMap<String, SeenReservation>> {
        let mut all = self.peer.try_reservations()?;
        let names = self.nodes.names.iter().cloned().collect::<BTreeSet<_>>();
        all.retain(|name, seen| name.starts_with("wattbook-") && !seen.nodes.is_disjoint(&names));
        Some(all)
    }
}

/// What Slurm ought to have for a reservation that is chosen.
pub fn wanted(reservation: &Value) -> (String, SeenReservation) {
    let chosen = &reservation["chosen_offer_id"];
    let offers = reservation["offers"].as_array().unwrap();
    let offer = offers.iter().find(|offer| &offer["offer_id"] == chosen).unwrap();
    let names = offer["nodes"].as_array().unwrap();
    let wanted = SeenReservation {
        nodes: names.iter().map(|name| name.as_str().unwrap().to_owned()).collect(),
        start: seconds(&offer["start"]),
        end: seconds(&offer["end"]),
        users: reservation["owner"].as_str().unwrap().to_owned(),
    };
    (format!("wattbook-{}", reservation["id"].as_str().unwrap()), wanted)
}

/// Looks until something is as it should be, and tells what was seen last where it does not become so.
pub async fn until<T, F>(what: &str, look: impl Fn() -> F) -> T
where
    F: Future<Output = Result<T, Value>>,
{
    let deadline = tokio::time::Instant::now() + PATIENCE;
    loop {
        match look().await {
            Ok(found) => return found,
            Err(seen) if tokio::time::Instant::now() > deadline => panic!("{what}: not so: {seen}"),
            Err(_) => tokio::time::sleep(Duration::from_millis(200)).await,
        }
    }
}
