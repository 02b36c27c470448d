//! When jobs would start in the queues of Slurm.

use serde_json::{Value, json};

use crate::bridge::{Bridge, until};
use crate::on_slurm::on_slurm;
use crate::peer::{self, fields};
use crate::site::Site;

on_slurm! {
    starts_are_predicted_in_the_queue_of_a_partition,
}

/// The median of a start, and the ends of its interval, in their order.
#[track_caller]
fn start(told: &Value) -> [i64; 3] {
    let at = |name: &str| {
        let written = told["start"][name].as_str().unwrap();
        written.parse::<jiff::Timestamp>().unwrap().as_second()
    };
    let [p05, expected, p95] = ["p05", "expected", "p95"].map(at);
    assert!(p05 <= expected && expected <= p95, "{told}");
    [p05, expected, p95]
}

/// Bob has all four nodes for at most five minutes; carol's job, an array of three, waits behind him, and one that is held does not
/// stand in the queue. How much of their walltimes jobs use is learned from what other tests ran, so that all starts are between
/// now and those by walltimes: alice's two nodes are free after carol's three tasks, ten minutes each, which run two and one.
async fn starts_are_predicted_in_the_queue_of_a_partition(site: Site) {
    let bridge = Bridge::of_a_quarter(site).await;
    let partition = bridge.nodes.partitions.clone();
    let place = format!("--exclusive --output=/dev/null -p {partition}");
    let submit = |user: &str, more: &str| {
        bridge.peer.submit(user, bridge.site.folder(), &format!("{place} {more}"), "sleep 120")
    };
    let running = submit("bob", "-N4 -t5");
    let begun = until("bob's job runs", || async {
        let job = fields(&bridge.peer.scontrol(&format!("-o show job {running}")));
        if job["JobState"] == "RUNNING" { Ok(job) } else { Err(json!(job)) }
    })
    .await;
    let waits = submit("carol", "-N2 -t10 --array=1-3");
    submit("carol", "-N1 -t10 --hold");
    let server = bridge.serve().await;
    let operator = bridge.operator(&server);
    let asked = json!({
        "shapes": [{"nodes": 2, "walltime_s": 600}, {"nodes": 4, "walltime_s": "PT5M"}],
        "partition": partition, "waiting": true,
    });
    let told = until("Slurm says why carol's job waits", || async {
        let told = operator.post("/api/v1/predictions", &asked).await.ok(200);
        if told["waiting"] == 3 { Ok(told) } else { Err(told) }
    })
    .await;
    assert_eq!(told["running"], 1);
    let (now, end) = (peer::instant(&begun["StartTime"]), peer::instant(&begun["EndTime"]));
    for shape in told["shapes"].as_array().unwrap() {
        let [p05, _, p95] = start(shape);
        assert!(now <= p05 && p95 <= end + 1200 + 60, "{told}");
        assert_eq!(shape["partition"], json!(partition));
    }
    let jobs = told["jobs"].as_array().unwrap();
    assert_eq!(jobs.iter().map(|it| &it["id"]).collect::<Vec<_>>(), [&json!(waits); 3]);
    assert!(start(&jobs[0])[2] <= end + 60, "{told}");
    assert!(start(&jobs[0])[1] <= start(&jobs[2])[1], "{told}");
    let own = bridge.alice(&server).post("/api/v1/predictions", &asked).await.ok(200);
    assert_eq!((&own["jobs"], &own["waiting"]), (&json!([]), &json!(3)));
    let missing = json!({"shapes": [{"nodes": 1, "walltime_s": 60}], "partition": "fifth"});
    let refused = operator.post("/api/v1/predictions", &missing).await.problem(400, "invalid_body");
    assert_eq!(refused["errors"][0]["pointer"], "/partition");
    let line =
        format!("predict --slurm --nodes 2 --time 10m --partition {partition} --format json");
    let output = bridge.wattbook(&server, &line).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(printed["shapes"].as_array().unwrap().len(), 1);
    assert_eq!(printed["waiting"], 3);
}
