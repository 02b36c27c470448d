//! The live view on a terminal, or as lines where there is none.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::{RunSnapshot, WatchSnapshot, Watched};
use crate::cli::harmless::harmless;
use crate::cli::tell;

const REPAINTED: Duration = Duration::from_millis(250);
const LINES: Duration = Duration::from_secs(5);
/// Cells of a bar.
const BAR: usize = 20;

/// Shows until it is over.
pub fn show(watched: Arc<Watched>) -> JoinHandle<()> {
    thread::spawn(move || {
        if io::stderr().is_terminal() {
            panel(&watched);
        } else {
            lines(&watched);
        }
    })
}

fn panel(watched: &Watched) {
    let bar = ProgressBar::new_spinner();
    bar.set_style(
        ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner()),
    );
    while !watched.is_over() {
        bar.set_message(harmless(&panel_text(&watched.read())));
        thread::park_timeout(REPAINTED);
    }
    bar.finish_and_clear();
}

fn lines(watched: &Watched) {
    let mut last = Instant::now();
    while !watched.is_over() {
        thread::park_timeout(LINES.saturating_sub(last.elapsed()));
        if last.elapsed() >= LINES {
            last = Instant::now();
            tell(line_text(&watched.read()));
        }
    }
}

/// Everything on one line.
fn line_text(snapshot: &WatchSnapshot) -> String {
    let mut out = overview(snapshot);
    for run in &snapshot.runs {
        let _ = write!(out, "; {}", run_text(run));
        for resource in &run.state.resources {
            let _ = write!(out, ", {} {}/{}", resource.name, resource.used, resource.total);
        }
    }
    out
}

/// A line for each simulation, and one for each resource.
fn panel_text(snapshot: &WatchSnapshot) -> String {
    let mut out = overview(snapshot);
    for run in &snapshot.runs {
        let _ = write!(out, "\n{}", run_text(run));
        if let Some(jobs) = run.jobs {
            let _ = write!(out, "\n  {} jobs", bar(run.state.jobs_done, jobs));
        }
        for resource in &run.state.resources {
            let (used, total) = (resource.used, resource.total);
            let _ = write!(out, "\n  {} {} {used}/{total}", bar(used, total), resource.name);
        }
    }
    out
}

fn overview(snapshot: &WatchSnapshot) -> String {
    let WatchSnapshot { instances, instances_done, elapsed_s, jobs_per_s, .. } = snapshot;
    let of = if *instances > 1 {
        format!("{instances_done} of {instances} instances, ")
    } else {
        String::new()
    };
    format!("{of}{elapsed_s:.0} s, {jobs_per_s:.0} jobs/s")
}

fn run_text(run: &RunSnapshot) -> String {
    let state = &run.state;
    let of = run.jobs.map_or(String::new(), |jobs| format!(" of {jobs}"));
    format!(
        "{}: {}{of} jobs, day {:.2}, {} running, {} waiting",
        run.name,
        state.jobs_done,
        state.time_s / 86_400.0,
        state.running,
        state.waiting
    )
}

fn bar(part: u64, all: u64) -> String {
    let filled = usize::try_from(part * BAR as u64 / all.max(1)).unwrap_or(BAR).min(BAR);
    format!("[{}{}]", "#".repeat(filled), ".".repeat(BAR - filled))
}

#[cfg(test)]
mod tests {
    use batch::dispatch::{LiveResource, LiveSnapshot};

    use super::*;

    #[test]
    fn a_line_tells_progress_queue_and_use() {
        let cores = LiveResource { name: "cores".into(), used: 3, total: 8 };
        let state = LiveSnapshot {
            jobs_done: 50,
            jobs_refused: 1,
            running: 4,
            waiting: 7,
            time_s: 129_600.0,
            resources: vec![cores],
        };
        let run = RunSnapshot { name: "sjf".to_owned(), jobs: Some(200), elapsed_s: 2.0, state };
        let mut snapshot = WatchSnapshot {
            instances: 1,
            instances_done: 0,
            elapsed_s: 2.0,
            jobs_per_s: 25.0,
            runs: vec![run],
        };
        let run = "sjf: 50 of 200 jobs, day 1.50, 4 running, 7 waiting";
        assert_eq!(line_text(&snapshot), format!("2 s, 25 jobs/s; {run}, cores 3/8"));
        snapshot.instances = 3;
        let panel = panel_text(&snapshot);
        assert!(panel.starts_with("0 of 3 instances, 2 s, 25 jobs/s\nsjf: "), "{panel}");
        assert!(
            panel.ends_with("\n  [#####...............] jobs\n  [#######.............] cores 3/8")
        );
    }
}
