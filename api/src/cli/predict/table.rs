//! Predictions for people.

use batch::start_prediction::{GroupScore, PredictionScore};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

use super::document::{ExpectedDocument, PredictionsDocument, ShapeDocument};
use crate::cli::print;

/// Prints when each shape would start and end, and which starts and ends first.
pub(super) fn print_predictions(document: &PredictionsDocument) -> anyhow::Result<()> {
    let PredictionsDocument { now, running, waiting, shapes } = document;
    print(format_args!(
        "Jobs that run at {now}: {running}; that wait: {waiting}. All instants are UTC."
    ))?;
    let mut table = Table::new();
    let header = ["NODES", "WALLTIME", "START", "5 %", "95 %", "END", "5 %", "95 %"];
    table.load_style(NOTHING).set_header(header);
    for shape in shapes {
        let ShapeDocument { nodes, start, end, .. } = shape;
        let instants = [start, end]
            .into_iter()
            .flat_map(|ExpectedDocument { expected, p05, p95 }| [expected, p05, p95])
            .map(|at| at.strftime("%m-%d %H:%M:%S").to_string());
        table.add_row([nodes.to_string(), walltime(shape)].into_iter().chain(instants));
    }
    print(table)?;
    let first = |of: fn(&ShapeDocument) -> &ExpectedDocument| {
        shapes.iter().min_by_key(|shape| of(shape).expected)
    };
    if let (Some(starts), Some(ends), true) =
        (first(|it| &it.start), first(|it| &it.end), shapes.len() > 1)
    {
        let named = |it: &ShapeDocument| format!("{} nodes for {}", it.nodes, walltime(it));
        print(format_args!("{} start first; {} end first.", named(starts), named(ends)))?;
    }
    Ok(())
}

fn walltime(shape: &ShapeDocument) -> String {
    let minutes = (shape.walltime_s / 60.0).ceil();
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
