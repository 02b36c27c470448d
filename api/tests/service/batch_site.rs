//! `wattbook batch run --platform URL`: the nodes that a service knows.

use serde_json::{Value, json};

use crate::site::Site;

/// 12,000 nodes: more than a page. Node n draws 100 W idle and 200 W at most, but for the last: 50 W and 450 W.
const NODES: u32 = 12_000;

/// One job takes all nodes for 10 s: (11,999 * 200 + 450) * 10 J. The other takes the last one alone, after it, for
/// 10 s: all are idle then, and it draws 400 W more.
const TRACE: &str = "1 0 -1 10 12000 -1 -1 12000 20\n2 0 -1 10 1 -1 -1 1 20\n";

#[tokio::test(flavor = "multi_thread")]
async fn each_machine_has_the_powers_that_the_service_knows() {
    let site = Site::sqlite();
    let (operator, user) = (site.token("ada", "operator"), site.token("alice", "user"));
    let server = site.serve().await;
    let last = NODES - 1;
    let node = |n: u32| {
        let (idle, max) = if n == last { (50, 450) } else { (100, 200) };
        json!({"name": format!("n{n}"), "idle_power_w": idle, "max_power_w": max})
    };
    let nodes: Value = (0..NODES).map(node).collect();
    let client = server.client().with_token(&operator);
    client.put("/api/v1/nodes", &nodes).await.ok(200);
    std::fs::write(site.folder().join("trace.swf"), TRACE).unwrap();
    let url = format!("http://{}", server.address);
    let run = |platform: &str, token: Option<&str>| {
        let mut command = site.command(&["batch", "run", "--workload", "trace.swf"]);
        command.args(["--policy", "fcfs", "--platform", platform]).env_remove("WATTBOOK_TOKEN");
        if let Some(token) = token {
            command.env("WATTBOOK_TOKEN", token);
        }
        command.output().unwrap()
    };
    let joules = |platform: &str, token| -> f64 {
        let output = run(platform, token);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        summary["consumed_joules"].as_f64().unwrap()
    };
    let (all, idle) = (11_999.0 * 200.0 + 450.0, 11_999.0 * 100.0 + 50.0);
    // FCFS takes the lowest machine for the second job.
    let expected = all * 10.0 + (idle + 100.0) * 10.0;
    assert!((joules(&url, Some(&user)) - expected).abs() < 1e-3);
    // The same from a file, alone and as a class whose machines can be switched off.
    std::fs::write(site.folder().join("nodes.json"), nodes.to_string()).unwrap();
    assert!((joules("nodes.json", None) - expected).abs() < 1e-3);
    let class = format!(
        "[[machines]]\nnodes = \"{url}\"\n[machines.sleep]\noff_power_w = 9.0\nswitching_off_power_w = 9.0\n\
         switching_on_power_w = 9.0\nswitching_off_s = 1\nswitching_on_s = 1\n"
    );
    std::fs::write(site.folder().join("class.toml"), class).unwrap();
    assert!((joules("class.toml", Some(&user)) - expected).abs() < 1e-3);
    let error = |platform: &str, token| {
        let output = run(platform, token);
        assert_eq!(output.status.code(), Some(2), "{platform}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(error(&url, None).contains("asks for the token of a user or operator"));
    let wrong = error(&url, Some("nobodys"));
    assert!(wrong.contains("asks for the token") && !wrong.contains("nobodys"), "{wrong}");
    let page = client.get("/api/v1/nodes").await.ok(200);
    std::fs::write(site.folder().join("page.json"), page.to_string()).unwrap();
    assert!(error("page.json", None).contains("is a page of several"));
    let both = "[[machines]]\ncount = 2\nnodes = \"nodes.json\"\n";
    std::fs::write(site.folder().join("both.toml"), both).unwrap();
    assert!(error("both.toml", None).contains("either a count, or nodes"));
}
