//! Every field that a request may have counts in a simulation, and means what it means in a problem
//! file.

use planner::filter::FilterError;
use planner::json::decision::DecisionDocument;
use planner::json::request::simulated_request;
use planner::json::{self, read};
use planner::labels::{Labels, NodeLabels};
use planner::problem::PlanningProblem;
use planner::search::plan_problem;
use serde_json::{Map, Value, json};
use simulator::sesames::{InputError, RequestOutcome};

use super::*;

/// Four nodes, a day of 200 EUR/MWh until 04:00 and 100 after, 50 g/kWh until 08:00 and 10 after.
const SITE: &str = r#"{
    "now": "1970-01-01T00:00:00Z", "search": {"mode": "slots", "slot_s": 3600}, "currency": "EUR",
    "nodes": [
        {"name": "a", "idle_power_w": 10, "max_power_w": 20, "partitions": ["cpu"]},
        {"name": "b", "idle_power_w": 10, "max_power_w": 20, "partitions": ["cpu"]},
        {"name": "c", "idle_power_w": 12, "max_power_w": 30, "partitions": ["gpu"]},
        {"name": "d", "idle_power_w": 15, "max_power_w": 40, "partitions": ["gpu"], "features": ["nvme"]}
    ],
    "agendas": {
        "price": [
            {"start": "1970-01-01T00:00:00Z", "end": "1970-01-01T04:00:00Z", "price_per_mwh": 200},
            {"start": "1970-01-01T04:00:00Z", "end": "1970-01-03T00:00:00Z", "price_per_mwh": 100}
        ],
        "co2": [
            {"start": "1970-01-01T00:00:00Z", "end": "1970-01-01T08:00:00Z", "intensity_g_per_kwh": 50},
            {"start": "1970-01-01T08:00:00Z", "end": "1970-01-03T00:00:00Z", "intensity_g_per_kwh": 10}
        ]
    }
}"#;

/// One node for two hours, to begin by 06:00.
fn base() -> Map<String, Value> {
    let request = json!({
        "nodes": 1, "duration_s": 7200, "utilisation": 0.5,
        "earliest_start": "1970-01-01T00:00:00Z", "latest_start": "1970-01-01T06:00:00Z",
    });
    request.as_object().unwrap().clone()
}

/// The base with other fields; null takes one away.
fn with(fields: &Value) -> Value {
    let mut request = base();
    for (name, value) in fields.as_object().unwrap() {
        match value {
            Value::Null => drop(request.remove(name)),
            value => drop(request.insert(name.clone(), value.clone())),
        }
    }
    Value::Object(request)
}

fn problem(request: &Value) -> PlanningProblem {
    let mut document: Value = serde_json::from_str(SITE).unwrap();
    document["request"] = request.clone();
    json::problem::problem(&document.to_string(), |_| Err(Vec::new()), &|_| None).unwrap()
}

/// The site's nodes and agendas with these requests.
fn site(requests: &[Value]) -> (Parameters, Inputs) {
    let of_site = problem(&with(&json!({})));
    let request = |it: &Value| read(&it.to_string(), simulated_request).unwrap();
    let parameters = Parameters {
        nodes: 4,
        requests: u32::try_from(requests.len()).unwrap(),
        runs: 1,
        days: 1,
        slot_s: 3600,
        start: at(0),
        ..Parameters::default()
    };
    let tariff = PriceSeries { currency: Currency::EUR, price: of_site.agendas.price };
    let inputs = Inputs {
        nodes: Source::Given(of_site.nodes),
        tariff: Source::Given(tariff),
        co2: Source::Given(of_site.agendas.co2),
        power_cap: Source::Given(None),
        requests: Source::Given(requests.iter().map(request).collect()),
        ..Inputs::default()
    };
    (parameters, inputs)
}

/// What one request alone gets where cost counts first: the hours of its start and end, its nodes and
/// its energy in Wh. The decision is the problem file's, and passes the checker.
fn booked(request: &Value) -> (i64, i64, String, f64) {
    let (parameters, inputs) = site(std::slice::from_ref(request));
    let policy = cost_co2_energy();
    let mut booked = None;
    let mut on_plan = |plan: &Plan<'_>| {
        judge(plan);
        let nodes = plan.problem().unwrap().nodes;
        let order = plan.view.selection.order();
        let alone = problem(request);
        let (order_alone, decision_alone) = plan_problem(&alone);
        let told = |document: DecisionDocument| serde_json::to_string(&document).unwrap();
        assert_eq!(
            told(DecisionDocument::new(plan.decision, order, &nodes)),
            told(DecisionDocument::new(&decision_alone, &order_alone, &alone.nodes)),
        );
        let offer = policy.choose(plan.decision, policy).unwrap();
        let names: Vec<_> = order
            .ordinals(&offer.ranks)
            .positions()
            .map(|it| nodes.name(it).into_owned())
            .collect();
        let hour = |instant: Timestamp| (instant - at(0)).get() / HOUR;
        let (start, end) = (hour(offer.span.start()), hour(offer.span.end()));
        booked = Some((start, end, names.concat()));
    };
    let run = cell(&parameters, &inputs, &[policy]).play(0, &mut on_plan, &|| false).unwrap();
    let (start, end, names) = booked.unwrap();
    let reserved = reservations(&run, policy)[0].unwrap();
    assert_eq!(reserved.start, at(start * HOUR));
    let shape = reserved.shape(&run.requests[0]);
    assert_eq!(i64::from(shape.nodes), i64::try_from(names.len()).unwrap());
    assert_eq!(shape.duration_s, (end - start) * HOUR);
    (start, end, names, reserved.billed.energy_j / 3600.0)
}

/// By hand. `a` and `b` draw 15 W at half utilisation, `c` 21 W, `d` 27.5 W. Two hours are cheapest
/// from 04:00 on, and of 04:00, 05:00 and 06:00, which cost and emit the same, the first is taken.
#[test]
fn each_of_the_thirteen_fields_changes_what_is_reserved() {
    assert_eq!(booked(&with(&json!({}))), (4, 6, "a".to_owned(), 30.0));
    let cases = [
        ("nodes", json!({"nodes": 3}), (4, 6, "abc", 102.0)),
        ("duration_s", json!({"duration_s": 3600}), (4, 5, "a", 15.0)),
        // The last of three hours is cleaner from 08:00 on.
        ("duration", json!({"duration_s": null, "duration": "PT3H"}), (6, 9, "a", 45.0)),
        // An hour of two nodes takes as much; an hour of one takes half.
        (
            "alternatives",
            json!({"alternatives": [{"nodes": 1, "duration_s": 3600}]}),
            (4, 5, "a", 15.0),
        ),
        ("earliest_start", json!({"earliest_start": "1970-01-01T05:00:00Z"}), (5, 7, "a", 30.0)),
        // Until 04:00 all starts cost the same.
        ("latest_start", json!({"latest_start": "1970-01-01T02:00:00Z"}), (0, 2, "a", 30.0)),
        // One of the two hours is cheap.
        ("latest_end", json!({"latest_end": "1970-01-01T05:00:00Z"}), (3, 5, "a", 30.0)),
        ("utilisation", json!({"utilisation": 1}), (4, 6, "a", 40.0)),
        // Twice the least cost is as good, so the earliest start is taken.
        ("tolerance", json!({"tolerance": {"cost": 1}}), (0, 2, "a", 30.0)),
        ("partition", json!({"partition": "gpu"}), (4, 6, "c", 42.0)),
        ("features", json!({"features": ["nvme"]}), (4, 6, "d", 55.0)),
        ("exclude", json!({"exclude": ["a"]}), (4, 6, "b", 30.0)),
        ("only", json!({"only": ["c"]}), (4, 6, "c", 42.0)),
    ];
    assert_eq!(cases.each_ref().map(|case| case.0).len(), json::request::REQUEST_FIELDS.len());
    for (field, fields, (start, end, nodes, energy)) in cases {
        assert!(json::request::REQUEST_FIELDS.contains(&field));
        let expected = (start, end, nodes.to_owned(), energy);
        assert_eq!(booked(&with(&fields)), expected, "{field}");
    }
    let deadline_alone = json!({"latest_start": null, "latest_end": "1970-01-01T05:00:00Z"});
    assert_eq!(booked(&with(&deadline_alone)).0, 3);
}

/// A takes `a` and C takes `c`, so that of the CPU nodes only `b` is left for B, and none for D.
#[test]
fn reservations_of_some_nodes_leave_the_others() {
    let now = |fields: &Value| {
        let mut request = with(fields);
        request["latest_start"] = request["earliest_start"].clone();
        request
    };
    let requests = [
        now(&json!({"exclude": ["b"]})),
        now(&json!({"partition": "cpu"})),
        now(&json!({"partition": "gpu", "exclude": ["d"]})),
        now(&json!({"partition": "cpu"})),
        now(&json!({"alternatives": [{"nodes": 3, "duration_s": 7200}], "features": ["nvme"]})),
    ];
    let (parameters, inputs) = site(&requests);
    for policy in [Policy::AsapFirst, Policy::AsapLeast, cost_co2_energy()] {
        let runs = judged(&cell(&parameters, &inputs, &[policy]));
        let energies: Vec<Option<f64>> = reservations(&runs[0], policy)
            .iter()
            .map(|reserved| reserved.map(|it| it.billed.energy_j / 3600.0))
            .collect();
        assert_eq!(energies, [Some(30.0), Some(30.0), Some(42.0), None, Some(55.0)], "{policy}");
        let cause = runs[0].policies[0].outcomes[3].cause();
        assert_eq!(cause, Some(Cause::Nodes));
    }
}

/// Requests of all kinds, by number, under every policy and every way to draw what nodes consume.
#[test]
fn every_plan_of_requests_with_conditions_passes_the_checker() {
    let requests: Vec<Value> = (0..60)
        .map(|number: i64| {
            let hour = |hour: i64| json!(at(hour * HOUR));
            let fields = match number % 6 {
                0 => json!({"partition": "cpu"}),
                1 => json!({"exclude": ["a", "c"], "utilisation": null}),
                2 => json!({"alternatives": [{"nodes": 2, "duration_s": 3600}]}),
                3 => json!({"features": ["nvme"], "tolerance": {"cost": 0.5, "co2": 0.1}}),
                4 => json!({"latest_end": hour(number / 3 + 5), "utilisation": 0.9}),
                _ => json!({"partition": "gpu", "utilisation": null}),
            };
            let mut request = with(&fields);
            request["earliest_start"] = hour(number / 3);
            request["latest_start"] = hour(number / 3 + 4);
            request
        })
        .collect();
    let (parameters, inputs) = site(&requests);
    let policies: Vec<Policy> = Policy::all().collect();
    for alpha_per in [AlphaPer::Node, AlphaPer::Run, AlphaPer::Request] {
        for alpha_known in [true, false] {
            let parameters = Parameters { alpha_per, alpha_known, ..parameters.clone() };
            let cell = cell(&parameters, &inputs, &policies);
            let runs = judged(&cell);
            let outcomes = runs[0].policies.iter().flat_map(|played| &played.outcomes);
            let placed = outcomes.filter(|it| matches!(it, RequestOutcome::Scheduled(_))).count();
            assert!(placed > 30 * policies.len(), "{placed}");
            let summary = Summary::of(&cell, &runs);
            assert_eq!(summary.policy(policies[0]).unwrap().month.covered_share, Some(1.0));
        }
    }
}

#[test]
fn what_the_nodes_do_not_have_is_refused_with_the_number_of_the_request() {
    let errors = |inputs: Inputs, parameters: Parameters| match Cell::new(
        parameters,
        inputs,
        Policy::SESAMES.to_vec(),
    ) {
        Err(SesamesError::Inputs(errors)) => errors,
        other => panic!("{other:?}"),
    };
    let (parameters, inputs) = site(&[with(&json!({})), with(&json!({"partition": "tpu"}))]);
    let error = FilterError::NoPartition("tpu".into());
    let found = errors(inputs.clone(), parameters.clone());
    assert_eq!(found, [InputError::Filter { number: 2, error }]);
    assert_eq!(found[0].to_string(), "request 2: no node is in partition \"tpu\"");
    let drawn = Inputs { nodes: Source::Drawn, ..inputs };
    assert_eq!(errors(drawn, parameters), [InputError::FilterOfDrawn { number: 2 }]);
}

/// What labels of nodes are for is not lost on the way.
#[test]
fn the_checker_is_told_names_and_labels() {
    let (parameters, inputs) = site(&[with(&json!({"features": ["nvme"]}))]);
    let labels = |nvme: bool| NodeLabels {
        partitions: vec![if nvme { "gpu" } else { "cpu" }.into()],
        features: nvme.then(|| "nvme".into()).into_iter().collect(),
    };
    let Source::Given(nodes) = &inputs.nodes else { panic!("nodes are given") };
    let relabelled = (**nodes).clone().with_labels(Labels::new((0..4).map(|it| labels(it == 0))));
    let inputs = Inputs { nodes: Source::Given(Arc::new(relabelled)), ..inputs };
    let mut on_plan = |plan: &Plan<'_>| {
        let problem = plan.problem().unwrap();
        assert_eq!((problem.nodes.name(3), problem.nodes.labels().kinds().len()), ("d".into(), 2));
        judge(plan);
    };
    let policy = cost_co2_energy();
    let run = cell(&parameters, &inputs, &[policy]).play(0, &mut on_plan, &|| false).unwrap();
    assert!(reservations(&run, policy)[0].is_some());
}
