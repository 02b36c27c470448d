//! `wattbook batch run` with `--platform`, `--system` and `--powers` of a URL: the nodes that a service knows.

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

/// Four nodes, of which the last draws 50 and 450 W and the others 100 and 200 W. A job has all of them for 10 s: 1,050 W x 10 s; another one has
/// the first alone for 10 s, while the others draw 250 W: 450 W x 10 s. In all 15 kJ.
#[tokio::test(flavor = "multi_thread")]
async fn a_system_is_read_from_a_service_or_draws_what_it_says() {
    let site = Site::sqlite();
    let (operator, user) = (site.token("ada", "operator"), site.token("alice", "user"));
    let server = site.serve().await;
    let node = |n: u32| {
        let (idle, max) = if n == 3 { (50, 450) } else { (100, 200) };
        json!({"name": format!("n{n}"), "idle_power_w": idle, "max_power_w": max})
    };
    let nodes: Value = (0..4).map(node).collect();
    server.client().with_token(&operator).put("/api/v1/nodes", &nodes).await.ok(200);
    let write = |name: &str, text: &str| std::fs::write(site.folder().join(name), text).unwrap();
    write("nodes.json", &nodes.to_string());
    write("slurm.conf", "NodeName=n[0-3] CPUs=2\nPartitionName=p Nodes=ALL\n");
    let head = "job_id,submission_time,run_time,requested_time,units";
    write("of_nodes.csv", &format!("{head},node\n1,0,10,20,4,1\n2,0,10,20,1,1\n"));
    write("of_cpus.csv", &format!("{head},cpu\n1,0,10,20,8,1\n2,0,10,20,1,2\n"));
    let url = format!("http://{}", server.address);
    let run = |arguments: &[&str], token: Option<&str>| {
        let mut command = site.command(arguments);
        command.env_remove("WATTBOOK_TOKEN").envs(token.map(|token| ("WATTBOOK_TOKEN", token)));
        command.output().unwrap()
    };
    let played = |arguments: &[&str], token: Option<&str>| -> Value {
        let output = run(&[&["batch", "run"][..], arguments].concat(), token);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let user = Some(user.as_str());
    let of_service = ["--system", &url, "--workload", "of_nodes.csv"];
    let of_slurm = ["--system", "slurm.conf", "--workload", "of_cpus.csv"];
    let service_says = [&of_slurm[..], &["--powers", &url]].concat();
    let file_says = [&of_slurm[..], &["--powers", "nodes.json"]].concat();
    for (arguments, token) in
        [(&of_service[..], user), (&service_says[..], user), (&file_says[..], None)]
    {
        let summary = played(arguments, token);
        assert_eq!((&summary["nodes"], &summary["jobs_finished"]), (&4.into(), &2.into()));
        assert_eq!(summary["consumed_joules"], 15_000.0, "{arguments:?}");
    }
    // A cap needs to know it. The last node draws most: with 2 of its CPUs at work all draw 750 W, with 8 such ones 1,950 W.
    let capped = [&service_says[..], &["--option", "cap_w=800", "--order", "plan"]].concat();
    let summary = played(&capped, user);
    assert_eq!(
        (&summary["jobs_refused_by_cap"], &summary["jobs_finished"]),
        (&1.into(), &1.into())
    );
    assert_eq!(played(&of_slurm, None)["consumed_joules"], Value::Null);
    // What is written of it says the same.
    let written =
        ["batch", "system", "--from", "slurm.conf", "--powers", &url, "--out", "system.toml"];
    assert!(run(&written, user).status.success());
    let of_document = ["--system", "system.toml", "--workload", "of_cpus.csv"];
    assert_eq!(played(&of_document, None)["consumed_joules"], 15_000.0);
    for (arguments, told) in [
        (&of_service[..], "asks for the token of a user or operator"),
        (&service_says[..], "asks for the token of a user or operator"),
        (&[&of_document[..], &["--powers", "nodes.json"]].concat()[..], "has no names of nodes"),
    ] {
        let output = run(&[&["batch", "run"][..], arguments].concat(), None);
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.contains(told), "{arguments:?}: {error}");
    }
    let sweep =
        ["batch", "sweep", "--system", &url, "--workload", "of_nodes.csv", "--out", "swept"];
    let error = String::from_utf8(run(&sweep, user).stderr).unwrap();
    assert!(error.contains("a sweep asks no service"), "{error}");
}
