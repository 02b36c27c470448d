//! Predictions for people.

use batch::start_prediction::{GroupScore, PredictionScore};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use planner::time::Timestamp;

use crate::cli::print;
use crate::start_prediction::document::{
    ExpectedDocument, PredictedJobDocument, PredictedShapeDocument, PredictionsDocument,
};

/// Prints when each shape would start and end, which starts and ends first, and when jobs that wait do.
pub(super) fn print_predictions(document: &PredictionsDocument) -> anyhow::Result<()> {
    let PredictionsDocument { now, running, waiting, shapes, jobs } = document;
    print(format_args!(
        "Jobs that run at {now}: {running}; that wait: {waiting}. All instants are UTC."
    ))?;
    if !shapes.is_empty() {
        print(shapes_table(shapes))?;
        print_first(shapes)?;
    }
    if let Some(jobs) = jobs {
        print(jobs_table(jobs))?;
    }
    Ok(())
}

/// Which shape starts first, and which ends first.
fn print_first(shapes: &[PredictedShapeDocument]) -> anyhow::Result<()> {
    let first = |of: fn(&PredictedShapeDocument) -> &ExpectedDocument| {
        shapes.iter().min_by_key(|shape| of(shape).expected)
    };
    if let (Some(starts), Some(ends), true) =
        (first(|it| &it.start), first(|it| &it.end), shapes.len() > 1)
    {
        let named = |it: &PredictedShapeDocument| {
            let partition = it.partition.as_deref();
            let place = partition.map_or_else(String::new, |name| format!(" in {name}"));
            format!("{} nodes for {}{place}", it.nodes, walltime(it.walltime_s))
        };
        print(format_args!("{} start first; {} end first.", named(starts), named(ends)))?;
    }
    Ok(())
}

const INSTANTS: [&str; 6] = ["START", "5 %", "95 %", "END", "5 %", "95 %"];

fn shapes_table(shapes: &[PredictedShapeDocument]) -> Table {
    let parts = shapes.iter().any(|it| it.partition.is_some());
    let header = ["PARTITION", "NODES", "WALLTIME"].into_iter().chain(INSTANTS);
    table(
        header.skip(usize::from(!parts)),
        shapes.iter().map(|it| {
            let named = it.partition.as_deref().unwrap_or_default().to_owned();
            let shape = [named, it.nodes.to_string(), walltime(it.walltime_s)];
            let row = shape.into_iter().chain(instants(&it.start, &it.end));
            row.skip(usize::from(!parts)).collect()
        }),
    )
}

fn jobs_table(jobs: &[PredictedJobDocument]) -> Table {
    let header = ["JOB", "PARTITION", "NODES", "WALLTIME"].into_iter().chain(INSTANTS);
    table(
        header,
        jobs.iter().map(|it| {
            let named = it.partition.as_deref().unwrap_or_default().to_owned();
            let job = [it.id.to_string(), named, it.nodes.to_string(), walltime(it.walltime_s)];
            job.into_iter().chain(instants(&it.start, &it.end)).collect()
        }),
    )
}

fn table<'a>(
    header: impl Iterator<Item = &'a str>,
    rows: impl Iterator<Item = Vec<String>>,
) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header(header).add_rows(rows);
    table
}

fn instants<'a>(
    start: &'a ExpectedDocument,
    end: &'a ExpectedDocument,
) -> impl Iterator<Item = String> + 'a {
    [start, end].into_iter().flat_map(|it| [it.expected, it.p05, it.p95].map(instant))
}

/// Day and time to the second, without the zone.
fn instant(at: Timestamp) -> String {
    at.to_string().trim_end_matches('Z').replace('T', " ")
}

fn walltime(seconds: f64) -> String {
    let minutes = (seconds / 60.0).ceil();
    format!("{}:{:02}", (minutes / 60.0).floor(), minutes % 60.0)
}

/// A row for each group of jobs.
pub(super) fn scores(score: &PredictionScore) -> Table {
    let mut table = Table::new();
    let header = [
        "JOBS",
        "NUMBER",
        "COVERED %",
        "EARLIER %",
        "LATER %",
        "MEAN WAIT S",
        "MEAN WIDTH S",
        "MEDIAN WIDTH S",
        "LOSS S",
        "BY WALLTIMES",
        "BY LAST WAITS",
    ];
    table.load_style(NOTHING).set_header(header);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for group in &score.groups {
        let GroupScore { jobs, predicted, covered, earlier, later, .. } = *group;
        let shares = [covered, earlier, later].map(|share| format!("{:.1}", 100.0 * share));
        let seconds = [
            group.mean_wait_s,
            group.mean_width_s,
            group.median_width_s,
            group.pinball_s,
            group.pinball_walltimes_s,
            group.pinball_last_waits_s,
        ];
        let seconds = seconds.map(|seconds| format!("{seconds:.0}"));
        let first = [jobs.to_owned(), predicted.to_string()];
        table.add_row(first.into_iter().chain(shares).chain(seconds));
    }
    table
}
