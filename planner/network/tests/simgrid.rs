//! Ends of drawn parallel tasks and energies of their hosts, against those that `SimGrid` gives. The cases come from
//! `.ci/simgrid`, in the file that `WATTBOOK_SIMGRID_CASES` names, a line each; without it nothing is compared.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeMap;

use network::platform::{HostId, Network};
use network::tasks::{Execution, ParallelTask, TaskId};
use network::xml::read_network;
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    number: u32,
    kind: String,
    platform: String,
    hosts: Vec<String>,
    tasks: Vec<Task>,
    simgrid: Option<Played>,
}

#[derive(Deserialize)]
struct Task {
    start: f64,
    hosts: Vec<String>,
    operations: Vec<f64>,
    bytes: Vec<f64>,
}

#[derive(Deserialize, Debug)]
struct Played {
    ends: Vec<f64>,
    energies: BTreeMap<String, f64>,
    end: f64,
}

/// Powers of a host: idle, at nearly no load, and at full load, W.
fn powers(network: &Network, host: HostId) -> [f64; 3] {
    let written = &network.hosts()[host.0 as usize].properties["wattage_per_state"];
    let each: Vec<f64> = written.split(':').map(|part| part.parse().unwrap()).collect();
    each.try_into().unwrap()
}

fn play(case: &Case) -> Played {
    let network = read_network(&case.platform).unwrap();
    let hosts: Vec<HostId> = case.hosts.iter().map(|name| network.host(name).unwrap()).collect();
    let mut execution = Execution::new(&network);
    let mut ends = vec![f64::NAN; case.tasks.len()];
    let mut waiting: Vec<usize> = (0..case.tasks.len()).collect();
    waiting.sort_by(|a, b| case.tasks[*b].start.total_cmp(&case.tasks[*a].start));
    let mut numbers = BTreeMap::<TaskId, usize>::new();
    let mut energies = vec![0.0; hosts.len()];
    loop {
        while let Some(&next) =
            waiting.last().filter(|next| case.tasks[**next].start <= execution.now())
        {
            waiting.pop();
            let task = &case.tasks[next];
            let task = ParallelTask {
                hosts: task.hosts.iter().map(|name| network.host(name).unwrap()).collect(),
                operations: task.operations.clone(),
                bytes: task.bytes.clone(),
            };
            numbers.insert(execution.start(&task).unwrap(), next);
        }
        let start = waiting.last().map(|next| case.tasks[*next].start - execution.now());
        let event = execution.until_next();
        let Some(step) = start.into_iter().chain(event).reduce(f64::min) else { break };
        for (energy, &host) in energies.iter_mut().zip(&hosts) {
            let load = execution.host_load(host).min(1.0);
            let [idle, low, full] = powers(&network, host);
            *energy += step * if load > 0.0 { low + load * (full - low) } else { idle };
        }
        for ended in execution.advance(step) {
            ends[numbers[&ended]] = execution.now();
        }
    }
    let energies = case.hosts.iter().cloned().zip(energies).collect();
    Played { ends, energies, end: execution.now() }
}

fn far(own: f64, theirs: f64) -> bool {
    (own - theirs).abs() > 1e-6 * theirs.abs().max(1e-3)
}

#[test]
fn drawn_tasks_end_when_simgrid_s_do() {
    let Ok(file) = std::env::var("WATTBOOK_SIMGRID_CASES") else {
        eprintln!("left out: .ci/simgrid runs it with SimGrid's cases");
        return;
    };
    let mut wrong = Vec::new();
    let mut compared = BTreeMap::<String, [u32; 3]>::new();
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        let Some(theirs) = &case.simgrid else {
            println!("case {} ({}): SimGrid ended itself", case.number, case.kind);
            continue;
        };
        let own = play(&case);
        let ends =
            own.ends.iter().zip(&theirs.ends).filter(|(own, theirs)| far(**own, **theirs)).count();
        let energy = |(name, theirs): (&String, &f64)| far(own.energies[name], *theirs);
        let energies = theirs.energies.iter().filter(|pair| energy(*pair)).count();
        let of_kind = compared.entry(case.kind.clone()).or_default();
        of_kind[0] += 1;
        of_kind[1] += u32::from(ends > 0);
        of_kind[2] += u32::from(energies > 0);
        if ends > 0 || energies > 0 || far(own.end, theirs.end) {
            wrong.push(format!(
                "case {} ({}): {ends} of {} ends and {energies} of {} energies differ",
                case.number,
                case.kind,
                case.tasks.len(),
                case.hosts.len()
            ));
            if std::env::var("WATTBOOK_SIMGRID_VERBOSE").is_ok() {
                eprintln!("{own:?}\n{theirs:?}");
            }
        }
    }
    println!("kind, cases, with other ends, with other energies: {compared:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
