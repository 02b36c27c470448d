//! Ends of drawn applications' ranks, against those that `SimGrid`'s SMPI gives over the same model. The cases come from
//! `.ci/simgrid`, in the file that `WATTBOOK_SIMGRID_APPLICATIONS` names, a line each; without it nothing is compared.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::{BTreeMap, HashMap};

use network::platform::HostId;
use network::replay::{TraceReplay, read_application};
use network::tasks::{Execution, TaskId};
use network::xml::read_network;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    number: u32,
    kind: String,
    platform: String,
    applications: Vec<Application>,
    simgrid: Option<Vec<Vec<f64>>>,
}

#[derive(Deserialize)]
struct Application {
    start: f64,
    hosts: Vec<String>,
    traces: Vec<String>,
}

/// What a task that ended belongs to.
#[derive(Clone, Copy)]
enum Of {
    Start(usize),
    Application(usize),
}

fn play(case: &Case) -> Vec<Vec<f64>> {
    let network = read_network(&case.platform).unwrap();
    let mut execution = Execution::new(&network);
    let mut replays: Vec<Option<TraceReplay>> = case.applications.iter().map(|_| None).collect();
    let mut ends: Vec<Vec<f64>> =
        case.applications.iter().map(|one| vec![f64::NAN; one.traces.len()]).collect();
    let mut tasks: HashMap<TaskId, Of> = (0..)
        .zip(&case.applications)
        .map(|(number, one)| (execution.wait(one.start), Of::Start(number)))
        .collect();
    while let Some(step) = execution.until_next() {
        for ended in execution.advance(step) {
            let of = tasks.remove(&ended).unwrap();
            let (Of::Start(number) | Of::Application(number)) = of;
            let begun = if let Some(replay) = &mut replays[number] {
                replay.ended(ended, &mut execution).unwrap()
            } else {
                let one = &case.applications[number];
                let hosts: Vec<HostId> =
                    one.hosts.iter().map(|name| network.host(name).unwrap()).collect();
                let traces = read_application(one.traces.iter().map(String::as_str)).unwrap();
                let (replay, begun) = TraceReplay::begin(traces, &hosts, &mut execution).unwrap();
                replays[number] = Some(replay);
                begun
            };
            tasks.extend(begun.into_iter().map(|task| (task, Of::Application(number))));
            let replay = replays[number].as_ref().unwrap();
            for (rank, end) in (0..).zip(&mut ends[number]) {
                if end.is_nan() && replay.is_rank_over(rank) {
                    *end = execution.now();
                }
            }
        }
    }
    assert!(replays.iter().all(|replay| replay.as_ref().unwrap().is_over()));
    ends
}

#[test]
fn drawn_applications_end_when_simgrid_s_do() {
    let Ok(file) = std::env::var("WATTBOOK_SIMGRID_APPLICATIONS") else {
        eprintln!("left out: .ci/simgrid runs it with SimGrid's cases");
        return;
    };
    let mut wrong = Vec::new();
    let mut compared = BTreeMap::<String, [u32; 2]>::new();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let Some(theirs) = &case.simgrid else {
            println!("application {} ({}): SimGrid ended itself", case.number, case.kind);
            continue;
        };
        let own = play(&case);
        let far = |(own, theirs): &(f64, f64)| (own - theirs).abs() > 1e-6 * theirs.abs().max(1e-3);
        let pairs = own.concat().into_iter().zip(theirs.concat());
        let ranks = theirs.concat().len();
        let differ = pairs.filter(far).count();
        let of_kind = compared.entry(case.kind.clone()).or_default();
        of_kind[0] += 1;
        of_kind[1] += u32::from(differ > 0);
        if differ > 0 {
            let Case { number, kind, .. } = &case;
            wrong.push(format!("application {number} ({kind}): {differ} of {ranks} ends differ"));
            if std::env::var("WATTBOOK_SIMGRID_VERBOSE").is_ok() {
                eprintln!("{number} {kind}\n{own:?}\n{theirs:?}");
            }
        }
    }
    println!("kind, applications, with other ends: {compared:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
