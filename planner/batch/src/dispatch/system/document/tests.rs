//! What documents say, and what is wrong with them.

use super::*;

/// Eurora: half of 64 nodes with two GPUs, half with two MICs, six with 32 GB; table 3.1.
const EURORA: &str = r#"
[[nodes]]
count = 32
cores = 16
memory_gb = 16
gpu = 2
[nodes.power]
constant_w = 20
cores = { idle_w = 2, full_w = 10.5 }
gpu = { full_w = 200 }

[[nodes]]
count = 26
cores = 16
memory_gb = 16
mic = 2

[[nodes]]
count = 6
cores = 16
memory_gb = 32
mic = 2

[shared]
licence = 10

[[queues]]
name = "debug"
expected_wait_s = 3600
max_units = 2
max_time_s = 1800
max = { cores = 32, gpu = 4 }
"#;

#[test]
fn types_of_nodes_have_resources_by_name() {
    let system = parse(EURORA).unwrap();
    assert_eq!(system.names().collect::<Vec<_>>(), ["cores", "memory_gb", "gpu", "mic", "licence"]);
    assert_eq!(system.totals(), [1024, 58 * 16 + 6 * 32, 64, 64, 10]);
    assert_eq!((system.nodes(), system.uneven()), (64, vec![2, 3]));
    assert_eq!(system.type_of_nodes().skip(57).take(2).collect::<Vec<_>>(), [1, 2]);
    let queue = &system.queues[0];
    assert_eq!((&*queue.name, queue.max_units), ("debug", Some(2)));
    assert_eq!(*queue.max_amounts, [Some(32), None, Some(4), None, None]);
    let draw = system.types[0].draw.as_ref().unwrap();
    // 20 + 12 x 2 + 4 x 10.5 + 1 x 0 + 1 x 200 = 286 W.
    let drawn = draw.at(&system.types[0].amounts, [4, 8, 1, 0].into_iter());
    assert_eq!(drawn, Power::from_watts(286.0).unwrap());
    assert!(!system.has_draws());
}

#[test]
fn everything_that_is_wrong_is_told_with_its_line() {
    for (text, told) in [
        (
            "",
            "line 1: the system must say its nodes: [[nodes]] with count and resources such as cores = 16",
        ),
        (
            "[[nodes]]\ncount = 2\ncores = 1.5\n",
            "line 3: cores must be a whole number from 0 to 4294967295",
        ),
        ("[[nodes]]\ncores = 4\n", "line 1: nodes must say how many such nodes there are: count"),
        (
            "[[nodes]]\ncount = 1\ncores = 1\n[nodes.power.gpu]\nfull_w = 3",
            "line 4: nodes have no gpu",
        ),
        (
            "[[nodes]]\ncount = 1\ncores = 1\n[nodes.power.cores]\nidle_w = 4\nfull_w = 3\n",
            "line 4: cores: full_w is less than idle_w",
        ),
        (
            "[[nodes]]\ncount = 1\ncores = 1\n[[queues]]\nname = \"a\"\nlimit = 3\n",
            "line 6: queues has no limit",
        ),
        (
            "[[nodes]]\ncount = 1\ncores = 1\n[shared]\ncores = 3\n",
            "line 5: cores is a resource of nodes already",
        ),
        ("[[nodes]\n", "line 1: "),
        ("[[nodes]]\ncount = 1\ncores = 1\n[switches]\n", "line 4: the system has no switches"),
        (
            "[[nodes]]\ncount = 1\ncores = 1\n[nodes.losses.rectifiers]\nefficiency = 1.5\n",
            "line 4: nodes.losses.rectifiers must say an efficiency above 0 and at most 1",
        ),
        (
            "[[nodes]]\ncount = 1\ncores = 1\n[facility]\npue = [[3, 1.2], [2, 1.1]]\n",
            "line 5: pue needs rising powers",
        ),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(told), "{text}: {error}");
    }
}

/// RAPS's Frontier (its configuration of 25 CDUs, 74 racks of 8 chassis of 16 nodes), with `rectified` as it steps or not as its
/// peak formula has it.
fn frontier(rectified: bool) -> System {
    let text = format!(
        "[[nodes]]\ncount = 9472\ncpu = 1\ngpu = 4\n\
         [nodes.power]\nconstant_w = 184.26 # memory 74.26, four NICs of 20, NVMe 30\n\
         cpu = {{ idle_w = 90, full_w = 280 }}\ngpu = {{ idle_w = 88, full_w = 560 }}\n\
         [nodes.losses]\ngroup = 16\nconverter = {{ loss_w = 13, efficiency = 0.98 }}\n\
         rectifiers = {{ count = 4, loss_w = 17, efficiency = 0.96 }}\n\
         switches = {{ count = 4, power_w = 250, rectified = {rectified} }}\n\
         [facility]\nconstant_w = 211836.75 # 25 pumps of 8,473.47\n"
    );
    parse(&text).unwrap()
}

/// Known answers of RAPS: a node draws 90 + 4 x 88 + 184.26 = 626.26 W idle and 280 + 4 x 560 + 184.26 = 2,704.26 W in use, after
/// its converter (626.26 + 13) / 0.98 = 652.31 and 2,772.71 W. A chassis draws (16 x 652.306 + 4 x 17) / 0.96 + 1,000 W with
/// switches behind the rectifiers; 592 of them and the pumps draw 7.28 MW, in use 28.20 MW; with switches before the
/// rectifiers 7.31 and 28.23 MW.
#[test]
fn frontier_draws_what_raps_says() {
    for (rectified, idle_mw, full_mw) in [(false, "7.28", "28.20"), (true, "7.31", "28.23")] {
        let system = frontier(rectified);
        let node_type = &system.types[0];
        let node = |used: [u32; 2]| {
            node_type.draw.as_ref().unwrap().at(&node_type.amounts, used.into_iter())
        };
        let text = |power: Power| format!("{:.2}", power.as_watts());
        let (idle, full) = (node([0, 0]), node([1, 4]));
        assert_eq!([idle, full].map(text), ["626.26", "2704.26"]);
        let losses = node_type.losses;
        assert_eq!([idle, full].map(|it| text(losses.of_node(it))), ["652.31", "2772.71"]);
        for (power, expected) in [(idle, idle_mw), (full, full_mw)] {
            let chassis = losses.of_group(losses.of_node(power) * 16);
            let all = system.facility.draws(chassis * 592);
            assert_eq!(format!("{:.2}", all.as_watts() / 1e6), expected);
        }
    }
}

/// The second type has the first property of the document and another; names are without the letters that separate them in tables.
#[test]
fn properties_are_listed_by_type() {
    let text = "[[nodes]]\ncount = 1\ncores = 4\nproperties = [\"ib\"]\n[[nodes]]\ncount = 2\ncores = 4\n\
                properties = [\"rack-1\", \"ib\"]\n";
    let system = System::parse(text).unwrap();
    assert_eq!(system.properties, ["ib".into(), "rack-1".into()]);
    assert_eq!(system.types.iter().map(|it| it.properties).collect::<Vec<_>>(), [1, 3]);
    assert_eq!(system.properties_of(["rack-1"].into_iter()), Ok(2));
    assert_eq!(system.properties_of(["ib", "rack"].into_iter()), Err("rack"));
    for wrong in ["\"ib\"", "[\"a+b\"]", "[1]", "[\"\"]"] {
        let text = format!("[[nodes]]\ncount = 1\ncores = 4\nproperties = {wrong}\n");
        let error = System::parse(&text).unwrap_err().to_string();
        assert!(error.starts_with("line 4: properties must be a list of names"), "{error}");
    }
}
