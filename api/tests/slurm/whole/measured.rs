//! Slurm as a meter: what its energy plugin measures of nodes counts as measured. The plugin reads files that all nodes
//! share and this test writes, so that it has all nodes; 22.05 tells nothing of energy, and the meter says so.

use std::path::Path;

use crate::bridge::{Bridge, until};
use crate::cluster::{instant, now};
use crate::nodes::Nodes;
use crate::on_slurm::on_slurm;
use crate::peer::Peer;
use crate::site::Site;

on_slurm! { sqlite: what_slurm_measures_of_nodes_counts_as_measured }

const WATTS: f64 = 400.0;

/// The power never changes, so that its integral is exact however often it is read.
async fn what_slurm_measures_of_nodes_counts_as_measured(site: Site) {
    let peer = Peer::of_environment();
    // Others end the controller.
    let nodes = Nodes::all(&peer).await;
    let counters = peer.pm_counters.clone();
    if let Some(folder) = &counters {
        write(folder, &format!("{WATTS} W\n"));
        until("Slurm has read the power", || async {
            let told = peer.node("n1")["CurrentWatts"].clone();
            if told == WATTS.to_string() { Ok(()) } else { Err(told.into()) }
        })
        .await;
    }
    let meter = "[[meters]]\nid = \"plugin\"\nkind = \"slurm\"\nperiod_s = 2\nlongest_gap_s = 60";
    let bridge = Bridge::new(site, peer, nodes, meter);
    let server = bridge.serve().await;
    let operator = bridge.operator(&server);
    let begun = now();

    if counters.is_none() {
        until("the meter says that nothing is measured", || async {
            let told = operator.get("/api/v1/meters").await.ok(200);
            let noted = told["meters"][0]["polled"]["notes"].to_string();
            if noted.contains("Slurm has no power of 16 nodes") { Ok(()) } else { Err(told) }
        })
        .await;
        return;
    }
    until("all nodes draw it now", || async {
        let told = operator.get("/api/v1/power").await.ok(200);
        let cluster = &told["cluster"];
        let is_all = cluster["measured_nodes"] == 16;
        if is_all && cluster["measured_power_w"] == 16.0 * WATTS { Ok(()) } else { Err(told) }
    })
    .await;
    let path = format!(
        "/api/v1/measurements?node=n1&from={}&to={}",
        instant(begun.div_euclid(900) * 900 - 900),
        instant(begun.div_euclid(900) * 900 + 1800)
    );
    until("ten seconds are measured", || async {
        let told = operator.get(&path).await.ok(200);
        let quarters = told["quarters"].as_array().unwrap();
        let sum = |name: &str| quarters.iter().filter_map(|it| it[name].as_f64()).sum::<f64>();
        let (joules, seconds) = (sum("measured_j"), sum("measured_s"));
        assert!((joules - WATTS * seconds).abs() < 1e-6, "{told}");
        if seconds >= 10.0 { Ok(()) } else { Err(told) }
    })
    .await;
}

/// As a whole: the plugin opens the file each time.
fn write(folder: &Path, power: &str) {
    let beside = folder.join("power.new");
    std::fs::write(&beside, power).unwrap();
    std::fs::rename(beside, folder.join("power")).unwrap();
}
