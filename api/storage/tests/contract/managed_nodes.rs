//! The resource manager's nodes as it told them last.

use planner::resource_manager::{GONE_KEPT_FOR, KnownNode, NodeNews, NodesRemembered};
use planner::time::Seconds;
use serde_json::json;

use crate::bench::{Bench, on_both_engines, t};

on_both_engines![
    nodes_are_remembered_as_they_were_told_last,
    what_became_of_nodes_is_told,
    many_nodes_are_put_at_once,
];

fn node(name: &str) -> KnownNode {
    KnownNode {
        name: name.into(),
        address: format!("{name}.example.org").into(),
        cpus: 16,
        memory_mib: 64_000,
        generic_resources: "gpu:a100:4".into(),
        gone: None,
    }
}

fn changed(changed: Vec<KnownNode>) -> NodesRemembered {
    NodesRemembered { changed, news: Vec::new() }
}

async fn nodes_are_remembered_as_they_were_told_last(bench: Bench) {
    let database = &bench.database;
    assert_eq!(database.managed_nodes().await.unwrap(), []);
    let both = vec![node("n1"), node("n2")];
    database.put_managed_nodes(&changed(both.clone()), t(10)).await.unwrap();
    assert_eq!(database.managed_nodes().await.unwrap(), both);
    let more = KnownNode { cpus: 32, memory_mib: 128_000, address: "other".into(), ..node("n1") };
    let gone = KnownNode { gone: Some(t(20)), ..node("n2") };
    let news = changed(vec![gone.clone(), more.clone()]);
    database.put_managed_nodes(&news, t(20)).await.unwrap();
    assert_eq!(database.managed_nodes().await.unwrap(), [more.clone(), gone]);
    let names = ["n1", "n2", "n3"].map(str::to_owned);
    assert_eq!(database.managed_nodes_of(&names).await.unwrap(), std::slice::from_ref(&more));
    // What is gone for longer is forgotten with the next change.
    let later = t(20) + GONE_KEPT_FOR;
    database.put_managed_nodes(&changed(vec![]), later).await.unwrap();
    assert_eq!(database.managed_nodes().await.unwrap().len(), 2);
    database.put_managed_nodes(&changed(vec![]), later + Seconds::new(1)).await.unwrap();
    assert_eq!(database.managed_nodes().await.unwrap(), [more]);
}

async fn what_became_of_nodes_is_told(bench: Bench) {
    let news = vec![
        NodeNews::New("n1".into()),
        NodeNews::Renamed { from: "n2".into(), to: "n9".into() },
        NodeNews::Gone("n3".into()),
    ];
    let remembered = NodesRemembered { changed: vec![node("n1")], news };
    bench.database.put_managed_nodes(&remembered, t(10)).await.unwrap();
    let events = bench.database.events_after(None, 10).await.unwrap();
    let told: Vec<_> = events
        .into_iter()
        .filter(|event| event.kind.starts_with("managed_node."))
        .map(|it| (it.kind, it.owner, serde_json::from_str::<serde_json::Value>(&it.data).unwrap()))
        .collect();
    let expected = [
        ("managed_node.new", json!({ "node": "n1" })),
        ("managed_node.renamed", json!({ "node": "n9", "from": "n2" })),
        ("managed_node.gone", json!({ "node": "n3" })),
    ];
    let expected = expected.map(|(kind, data)| (kind.to_owned(), None, data));
    assert_eq!(told, expected);
}

async fn many_nodes_are_put_at_once(bench: Bench) {
    let nodes: Vec<KnownNode> = (0..12_000).map(|number| node(&format!("n{number:05}"))).collect();
    bench.database.put_managed_nodes(&changed(nodes.clone()), t(10)).await.unwrap();
    assert_eq!(bench.database.managed_nodes().await.unwrap(), nodes);
    let names: Vec<String> = nodes.iter().map(|it| it.name.to_string()).collect();
    assert_eq!(bench.database.managed_nodes_of(&names).await.unwrap().len(), nodes.len());
}
