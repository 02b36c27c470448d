//! The most memory that a year of Eurora's jobs takes.

use std::process::Command;

use batch::dispatch::EstimatePart;
use batch::policy::PartKind;

/// Tells a process which estimates it plays.
const ESTIMATE: &str = "WATTBOOK_BENCH_ESTIMATE";

/// Plays each of the estimates in a process of its own.
pub fn all() {
    if let Ok(estimate) = std::env::var(ESTIMATE) {
        return one(&estimate);
    }
    let Ok(program) = std::env::current_exe() else { return };
    for estimate in EstimatePart::ALL {
        let status = Command::new(&program).env(ESTIMATE, estimate.about.name).status();
        if !status.is_ok_and(|it| it.success()) {
            println!("{} cannot be played", estimate.about.name);
        }
    }
}

fn one(estimate: &str) {
    let Some(system) = super::system(1) else { return };
    let played = super::play(&system, super::jobs(1), ["fcfs", "easy", "first_fit", estimate], &[]);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let most = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let jobs = played.map_or(0, |(digest, _)| digest.jobs);
    println!("{estimate:<10} {jobs} jobs, at most {}", most.map_or("?", str::trim));
}
