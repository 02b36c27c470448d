//! Routes and tasks with their arithmetic. Names of links and results are those that `SimGrid` 3.32 gives.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use network::platform::{HostId, Network};
use network::replay::{TraceReplay, TraceReplayError, read_application};
use network::tasks::{Execution, ParallelTask};
use network::xml::read_network;

fn network(inside: &str) -> Network {
    read_network(&format!("<platform version='4.1'>{inside}</platform>")).unwrap()
}

/// The names of the links between two hosts.
fn route(network: &Network, from: &str, to: &str) -> Vec<String> {
    let route = network.route(network.host(from).unwrap(), network.host(to).unwrap()).unwrap();
    route.links.iter().map(|link| network.links()[link.0 as usize].name.to_string()).collect()
}

fn task(network: &Network, hosts: &[&str], operations: &[f64], bytes: &[f64]) -> ParallelTask {
    ParallelTask {
        hosts: hosts.iter().map(|name| network.host(name).unwrap()).collect(),
        operations: operations.to_vec(),
        bytes: bytes.to_vec(),
    }
}

/// Lets everything run to its end; when each task ended.
fn play(network: &Network, tasks: &[(f64, ParallelTask)]) -> Vec<f64> {
    let mut execution = Execution::new(network);
    let mut ends = vec![f64::NAN; tasks.len()];
    let mut ids = Vec::new();
    loop {
        while let Some((_, task)) =
            tasks.get(ids.len()).filter(|(start, _)| *start <= execution.now())
        {
            ids.push(execution.start(task).unwrap());
        }
        let start = tasks.get(ids.len()).map(|(start, _)| start - execution.now());
        let Some(step) = start.into_iter().chain(execution.until_next()).reduce(f64::min) else {
            return ends;
        };
        for ended in execution.advance(step) {
            let number = ids.iter().position(|id| *id == ended).unwrap();
            ends[number] = execution.now();
        }
    }
}

fn near(own: f64, expected: f64) -> bool {
    (own - expected).abs() < 1e-9
}

/// Two tasks on a cluster of 1 Gf hosts with links of 125 MB/s and a backbone of 500 MB/s; each waits for
/// 50 + 100 + 50 = 200 us first. The first alone is held back by its host: 1e9 / 1e9 = 1, half done at 0.5002 s.
///
/// Then both share n0: 5e8 each, which is 0.5 of the first, while the second is held back by n1's link up at
/// 1.25e8 / 3e8 = 0.41667. What n0 has left, 1e9 - 5e8 - 4.1667e8, is 0.08333 more of the first. It ends at
/// 0.5002 + 0.5 / 0.58333 = 1.357343 s. The second has 1 - 0.857143 * 0.41667 left and goes on as fast:
/// 1.357343 + 0.642857 / 0.41667 = 2.9002 s.
#[test]
fn tasks_share_hosts_and_links() {
    let network = network(
        "<zone id='w' routing='Full'><cluster id='c' prefix='n' suffix='' radical='0-3' speed='1Gf'
         bw='125MBps' lat='50us' bb_bw='500MBps' bb_lat='100us'/></zone>",
    );
    let first = task(&network, &["n0", "n1"], &[1e9, 5e8], &[0.0, 1e8, 0.0, 0.0]);
    let bytes = [0.0, 1e8, 0.0, 0.0, 0.0, 3e8, 0.0, 0.0, 0.0];
    let second = task(&network, &["n0", "n1", "n2"], &[1e9, 5e8, 0.0], &bytes);
    let ends = play(&network, &[(0.0, first), (0.5, second)]);
    assert!(near(ends[0], 1.357_342_857_142_857) && near(ends[1], 2.9002), "{ends:?}");
}

/// 4 MiB windows over 20 ms: 4194304 / (2 * 0.02 * 1e9) = 0.1049 of 1 GB a second, less than the link would take.
#[test]
fn a_long_way_is_slow() {
    let network = network(
        "<zone id='w' routing='Full'><host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>
         <link id='l' bandwidth='1GBps' latency='20ms'/>
         <route src='a' dst='b'><link_ctn id='l'/></route></zone>",
    );
    let ends = play(&network, &[(0.0, task(&network, &["a", "b"], &[], &[0.0, 1e9, 0.0, 0.0]))]);
    assert!(near(ends[0], 0.02 + 1e9 * 2.0 * 0.02 / 4_194_304.0), "{ends:?}");
}

/// What does nothing is done at once.
#[test]
fn nothing_takes_no_time() {
    let network = network("<zone id='w' routing='None'><host id='a' speed='1Gf'/></zone>");
    assert_eq!(play(&network, &[(2.0, task(&network, &["a"], &[0.0], &[]))]), [2.0]);
}

#[test]
fn ways_through_clusters_are_those_of_simgrid() {
    let cluster = |id: &str, more: &str| {
        network(&format!(
            "<zone id='w' routing='Full'><cluster id='{id}' prefix='n' suffix='' speed='1Gf' bw='1GBps' lat='1us'
             {more}/></zone>"
        ))
    };
    let flat = cluster("c", "radical='0,5-6' bb_bw='2GBps' bb_lat='0' limiter_link='1GBps'");
    assert_eq!(
        route(&flat, "n0", "n6"),
        ["c_link_0_limiter", "c_link_0_UP", "c_backbone", "c_link_6_DOWN", "c_link_6_limiter"]
    );
    let tree = cluster("c", "radical='0-1' topology='FAT_TREE' topo_parameters='2;1,2;1,1;1,1'");
    assert_eq!(
        route(&tree, "n0", "n1"),
        [
            "link_from_0_3_0_UP",
            "link_from_3_1_2_UP",
            "link_from_2_1_3_DOWN",
            "link_from_1_2_1_DOWN"
        ]
    );
    // Two cables between a switch and its three hosts: the source decides the way down, the destination the way up.
    let cables = cluster("c", "radical='0-2' topology='FAT_TREE' topo_parameters='1;3;1;2'");
    assert_eq!(route(&cables, "n0", "n1"), ["link_from_0_5_1_UP", "link_from_1_5_2_DOWN"]);
    assert_eq!(route(&cables, "n1", "n2"), ["link_from_1_5_2_UP", "link_from_2_5_5_DOWN"]);
    let torus = cluster(
        "c",
        "radical='0-3' sharing_policy='SHARED' topology='TORUS' topo_parameters='2,2'",
    );
    assert_eq!(route(&torus, "n0", "n3"), ["c_link_from_0_to_1", "c_link_from_1_to_3"]);
    let dragonfly =
        cluster("c", "radical='0-15' topology='DRAGONFLY' topo_parameters='2,3;2,1;2,2;2'");
    assert_eq!(
        route(&dragonfly, "n0", "n12"),
        [
            "local_link_from_router_0_to_node_0_0_UP",
            "green_link_in_chassis_0_between_routers_0_and_1_16_UP",
            "blue_link_between_group_0_and_1_routers_1_and_4_24_UP",
            "black_link_in_group_1_between_chassis_0_and_1_blade_0_22_UP",
            "local_link_from_router_6_to_node_0_12_DOWN"
        ]
    );
}

/// Between clusters a route goes by their routers, and takes the fewest links where only parts are written.
#[test]
fn zones_are_left_and_entered_by_their_gateways() {
    let clusters: String = ["x", "y", "z"]
        .map(|id| {
            format!(
                "<cluster id='{id}' prefix='{id}' suffix='' radical='0-1' speed='1Gf' bw='1GBps' lat='1us'
                 bb_bw='1GBps' bb_lat='0'/>"
            )
        })
        .concat();
    let joined = |from: &str, to: &str, link: &str| {
        format!(
            "<zoneRoute src='{from}' dst='{to}' gw_src='{from}{from}_router' gw_dst='{to}{to}_router'>
             <link_ctn id='{link}'/></zoneRoute>"
        )
    };
    let links = "<link id='xy' bandwidth='1GBps'/><link id='yz' bandwidth='1GBps'/>";
    let both = joined("x", "y", "xy") + &joined("y", "z", "yz");
    for routing in ["Floyd", "Dijkstra"] {
        let network =
            network(&format!("<zone id='w' routing='{routing}'>{clusters}{links}{both}</zone>"));
        assert_eq!(
            route(&network, "z1", "x0"),
            ["z_link_1_UP", "z_backbone", "yz", "xy", "x_backbone", "x_link_0_DOWN"]
        );
    }
}

/// Between zones wherever they are in a zone, in one direction, and between hosts: before what the zone's routing says. Of
/// two bypasses that fit, the one between the inner zones is taken.
#[test]
fn bypasses_come_before_routes() {
    let zone = |id: &str, inside: &str| format!("<zone id='{id}' routing='Full'>{inside}</zone>");
    let host = |id: &str| format!("<host id='{id}' speed='1Gf'/>");
    let links = ["ab", "slow", "quick", "outer", "own"]
        .map(|id| format!("<link id='{id}' bandwidth='1GBps'/>"))
        .concat();
    let inner = zone(
        "a",
        &(links
            + &host("a1")
            + &host("a2")
            + "<route src='a1' dst='a2'><link_ctn id='ab'/></route>"),
    );
    let x = zone("x", &inner);
    let b = zone(
        "b",
        &(host("b1") + &host("b2") + "<route src='b1' dst='b2'><link_ctn id='ab'/></route>"),
    );
    let route_of = |kind: &str, from: &str, to: &str, gateways: &str, link: &str| {
        format!("<{kind} src='{from}' dst='{to}' {gateways}><link_ctn id='{link}'/></{kind}>")
    };
    let joined = route_of("zoneRoute", "x", "b", "gw_src='a1' gw_dst='b1'", "slow");
    let outer = route_of("bypassZoneRoute", "x", "b", "gw_src='a1' gw_dst='b2'", "outer");
    let quick = route_of("bypassZoneRoute", "a", "b", "gw_src='a1' gw_dst='b1'", "quick");
    let plain = network(&zone("w", &format!("{x}{b}{joined}")));
    assert_eq!(route(&plain, "a2", "b2"), ["ab", "slow", "ab"]);
    let with_outer = network(&zone("w", &format!("{x}{b}{joined}{outer}")));
    assert_eq!(route(&with_outer, "a2", "b1"), ["ab", "outer", "ab"]);
    assert_eq!(route(&with_outer, "b1", "a2"), ["slow", "ab"]);
    let with_both = network(&zone("w", &format!("{x}{b}{joined}{outer}{quick}")));
    assert_eq!(route(&with_both, "a2", "b2"), ["ab", "quick", "ab"]);
    let between_hosts = route_of("bypassRoute", "b1", "b2", "", "own");
    let within = b.replace("</zone>", &format!("{between_hosts}</zone>"));
    let network = network(&zone("w", &format!("{x}{within}{joined}")));
    assert_eq!(route(&network, "b1", "b2"), ["own"]);
    assert_eq!(route(&network, "b2", "b1"), ["ab"]);
}

#[test]
fn a_zone_with_cluster_routing_has_hosts_of_its_own() {
    let network = network(
        "<zone id='w' routing='Cluster'>
         <cabinet id='c' prefix='n' suffix='' radical='0-1' speed='1Gf' bw='1GBps' lat='1us'/>
         <host id='a' speed='1Gf'/><link id='l' bandwidth='1GBps'/><host_link id='a' up='l' down='l'/>
         <backbone id='b' bandwidth='1GBps' latency='0'/></zone>",
    );
    assert_eq!(route(&network, "n1", "a"), ["link_n1_UP", "b", "l"]);
    assert_eq!(route(&network, "a", "n0"), ["l", "b", "link_n0_DOWN"]);
}

#[test]
fn what_cannot_be_is_named() {
    let message = |inside: &str| {
        let text = format!("<zone id='w' routing='Full'>{inside}</zone>");
        read_network(&text).map(|_| ()).unwrap_err().to_string()
    };
    let hosts = "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>";
    let link = "<link id='l' bandwidth='1GBps' sharing_policy='SPLITDUPLEX'/>";
    let over = |link: &str| format!("<route src='a' dst='b'><link_ctn id='{link}'/></route>");
    let cases = [
        ("<host id='a' speed='fast'/>".to_owned(), "<host> a: speed \"fast\" cannot be read"),
        ("<host id='a' speed='1Gf' pstate='1'/>".to_owned(), "<host> a: there is no speed 1"),
        (format!("{hosts}<host id='a' speed='1Gf'/>"), "<host> a: there is another one"),
        (format!("{hosts}{}", over("l")), "<route> from a to b: there is no link l"),
        (
            format!("{hosts}{link}{}", over("l")),
            "<route> from a to b: link l has two directions: say direction=\"UP\" or \"DOWN\"",
        ),
        (
            format!("{hosts}<link id='k' bandwidth='1GBps'/>{0}{0}", over("k")),
            "<route> from a to b: is written twice; symmetrical=\"NO\" leaves the way back out",
        ),
        ("<route src='a' dst='b'/>".to_owned(), "<route> from a to b: there is no a"),
        ("<peer id='p'/>".to_owned(), "<peer> p: is not read"),
        (
            "<cluster id='c' radical='0-2' speed='1Gf' bw='1GBps' lat='0' topology='TORUS' topo_parameters='2,2'/>"
                .to_owned(),
            "<cluster> c: topo_parameters \"2,2\" needs 4 hosts, and radical gives 3",
        ),
        ("<zone id='v' routing='Vivaldi'/>".to_owned(), "<zone> v: routing \"vivaldi\" is not read"),
    ];
    for (inside, expected) in cases {
        assert_eq!(message(&inside), expected);
    }
    let network = network(&format!("<zone id='w' routing='Full'>{hosts}</zone>"));
    let alone = network.route(network.host("a").unwrap(), network.host("b").unwrap());
    assert_eq!(alone.unwrap_err().to_string(), "there is no route from a to b");
}

/// What is cut has no right routes: zones know how many hosts they have once they end.
#[test]
fn a_description_that_is_cut_is_told() {
    for zone in [
        "<zone id='w' routing='Dijkstra'>",
        "<zone id='v' routing='Full'></zone><zone id='w' routing='Full'>",
    ] {
        let text = format!("<platform version='4.1'>{zone}<host id='a' speed='1Gf'/>");
        let told = read_network(&text).map(|_| ()).unwrap_err().to_string();
        assert!(told.starts_with("the description ends within a zone"), "{told}");
    }
}

/// Where nothing takes time the first rank's message comes before the second one's, and all end; in truth the second one's
/// comes first, at 2 s, and is what the receive from any rank takes. At 10 s nobody is left to send.
#[test]
fn ranks_that_come_to_wait_for_ever_are_told() {
    let network = network(
        "<zone id='w' routing='Full'><cluster id='c' prefix='c' suffix='' radical='0-2' speed='1Gf' bw='1GBps' lat='1us'/></zone>",
    );
    let hosts: Vec<HostId> =
        ["c0", "c1", "c2"].iter().map(|name| network.host(name).unwrap()).collect();
    let traces = [
        "0 recv -1 0 1\n0 recv 2 0 1",
        "1 compute 1e10\n1 send 0 0 1",
        "2 compute 1e9\n2 compute 1e9\n2 send 0 0 1",
    ];
    let application = read_application(traces.iter().copied()).unwrap();
    let mut execution = Execution::new(&network);
    let (mut replay, _) = TraceReplay::begin(application, &hosts, &mut execution).unwrap();
    let error = loop {
        let step = execution.until_next().unwrap();
        let ended = execution.advance(step);
        let outcome: Result<Vec<_>, _> =
            ended.into_iter().map(|task| replay.ended(task, &mut execution)).collect();
        if let Err(error) = outcome {
            break error;
        }
    };
    assert_eq!(error, TraceReplayError::Stuck { rank: 0, line: 2 });
    assert!((execution.now() - 10.0).abs() < 1e-3, "{}", execution.now());
}
