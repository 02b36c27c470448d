//! Figures of the thesis's chapter 6: distributions by scheduler and allocator, and efficiency by resource.

use std::fmt::Write;

use charts::{
    BoxChart, BoxSeries, Marks, Point, Quartiles, Scatter, Spacing, escaped, legend_of_points,
};

use super::super::distributions::{Density, Spread};
use super::{ReportedRun, distinct};

/// The box of a distribution, its values multiplied.
pub(super) fn quartiles(spread: &Spread, by: f64) -> Quartiles {
    let Spread { mean, least, p25, p50, p75, most, .. } = *spread;
    Quartiles {
        least: least * by,
        p25: p25 * by,
        p50: p50 * by,
        p75: p75 * by,
        most: most * by,
        mean: mean * by,
    }
}

/// Boxes by scheduler (along x) and fit (by colour), a chart for each estimate, all on one scale.
pub(super) fn boxes<'a>(
    runs: &[&'a ReportedRun<'a>],
    title: &str,
    y_label: &str,
    spacing: Spacing,
    of: impl Fn(&'a ReportedRun<'a>) -> Option<Quartiles>,
) -> String {
    let schedulers = distinct(runs.iter().map(|run| run.scheduler.as_str()));
    let fits = distinct(runs.iter().map(|run| run.fit));
    let chart = |estimate: &'static str| {
        let series = fits.iter().enumerate().map(|(look, fit)| {
            let run = |scheduler: &&str| {
                let same = |run: &&&ReportedRun<'_>| {
                    run.scheduler == **scheduler && run.fit == *fit && run.estimate == estimate
                };
                runs.iter().find(same).copied().and_then(&of)
            };
            BoxSeries { name: (*fit).to_owned(), look, boxes: schedulers.iter().map(run).collect() }
        });
        BoxChart {
            title: format!("{title}, estimate {estimate}"),
            y_label: y_label.to_owned(),
            spacing,
            groups: schedulers.iter().map(|&it| it.to_owned()).collect(),
            series: series.collect(),
        }
    };
    let estimates = distinct(runs.iter().map(|run| run.estimate));
    let charts: Vec<BoxChart> = estimates.into_iter().map(chart).collect();
    BoxChart::figures_on_one_scale(&charts)
}

/// All figures of runs of the same jobs.
pub(super) fn all(out: &mut String, runs: &[&ReportedRun<'_>]) {
    *out += "<h3>Slowdown</h3><p>(wait + run) / run of each job (2.4; figures 6.1 and 6.2).</p>\n";
    *out += &boxes(runs, "Slowdown", "times", Spacing::Log, |run| {
        let (counts, all) = (&run.distributions.slowdown_counts, &run.distributions.slowdown);
        let left = Spread::without(counts, all, run.jobs_at_once);
        (left.most > 0.0).then(|| quartiles(&left, 1.0))
    });
    *out += "<h3>Queue size</h3><p>Jobs that wait after each decision (2.5; figures 6.1 and 6.3).</p>\n";
    *out += &boxes(runs, "Queue size", "jobs", Spacing::LogFromZero, |run| {
        Some(quartiles(&run.distributions.queue_size, 1.0))
    });
    *out += "<h3>Load ratio</h3><p>The share used of all resources of nodes added up, over the time in which it is above 75 % (2.6; \
             figure 6.1).</p>\n";
    let busy = boxes(runs, "Load ratio above 75 %", "%", Spacing::Linear, |run| {
        run.distributions.busy_load.as_ref().map(|it| quartiles(it, 100.0))
    });
    *out += if busy.is_empty() { "<p>It never is.</p>" } else { &busy };
    loads(out, runs);
    *out += "<h3>Efficiency of allocations</h3><p>What a job takes over what was free on its nodes before (2.7; figure 6.4).</p>\n";
    *out += &boxes(runs, "Efficiency of allocations", "%", Spacing::Linear, |run| {
        Some(quartiles(&run.distributions.allocation_efficiency, 100.0))
    });
    points(out, runs);
    densities(out, runs);
}

/// The share used over the whole time, by resource.
fn loads(out: &mut String, runs: &[&ReportedRun<'_>]) {
    let resources = distinct(
        runs.iter().flat_map(|run| run.distributions.loads.iter().map(|it| it.resource.clone())),
    );
    for resource in resources {
        let name = escaped(&resource);
        let _ =
            write!(out, "<details><summary>Load ratio of {name}, over the whole time</summary>");
        let title = format!("Load ratio of {resource}");
        *out += &boxes(runs, &title, "%", Spacing::Linear, |run| {
            let own = run.distributions.loads.iter().find(|it| it.resource == resource);
            own.map(|it| quartiles(&it.of, 100.0))
        });
        *out += "</details>\n";
    }
}

/// A point for each run, a figure for each resource of nodes.
fn points(out: &mut String, runs: &[&ReportedRun<'_>]) {
    *out += "<h3>Runs by resource</h3><p>Each point is a run: the mean share of the resource that is used, and the mean share that is \
             used of the nodes in use which have it (2.7 by step).</p><div class=points>\n";
    let resources =
        distinct(runs.iter().flat_map(|run| {
            run.distributions.nodes_efficiency.iter().map(|it| it.resource.clone())
        }));
    for resource in &resources {
        *out += &scatter(runs, resource, ["load ratio, %", "used of nodes in use, %"], |run| {
            let of = run.distributions;
            let load = of.loads.iter().find(|it| it.resource == *resource)?;
            let efficiency = of.nodes_efficiency.iter().find(|it| it.resource == *resource)?;
            Some((load.of.mean * 100.0, efficiency.of.mean * 100.0))
        });
    }
    *out += "</div>\n";
    *out += &legend(runs);
}

/// A figure with a point for each run: x, then y. The colour is its scheduler, the shape its fit.
pub(super) fn scatter(
    runs: &[&ReportedRun<'_>],
    title: &str,
    [x_label, y_label]: [&str; 2],
    of: impl Fn(&ReportedRun<'_>) -> Option<(f64, f64)>,
) -> String {
    let (schedulers, fits) = looks(runs);
    let point = |run: &&ReportedRun<'_>| {
        let (x, y) = of(run)?;
        let look = schedulers.iter().position(|it| *it == run.scheduler)?;
        let shape = fits.iter().position(|it| it == run.fit)?;
        let title = format!("{}, {}, {}", run.scheduler, run.fit, run.estimate);
        Some(Point { x, y, look, shape, title })
    };
    let scatter = Scatter {
        title: title.to_owned(),
        x_label: x_label.to_owned(),
        y_label: y_label.to_owned(),
        around: [Vec::new(), Vec::new()],
        marks: Marks::Points(runs.iter().filter_map(point).collect()),
    };
    scatter.figure()
}

/// What the points of [scatters](scatter) stand for.
pub(super) fn legend(runs: &[&ReportedRun<'_>]) -> String {
    let (schedulers, fits) = looks(runs);
    legend_of_points(&schedulers, &fits)
}

/// Schedulers by colour, and fits by shape.
fn looks(runs: &[&ReportedRun<'_>]) -> (Vec<String>, Vec<String>) {
    let schedulers = distinct(runs.iter().map(|run| run.scheduler.clone()));
    (schedulers, distinct(runs.iter().map(|run| run.fit.to_owned())))
}

/// How well nodes in use are used, by how many are in use: figures 6.5 and 6.6, of the run with the least mean slowdown.
fn densities(out: &mut String, runs: &[&ReportedRun<'_>]) {
    let slowdown = |run: &&&ReportedRun<'_>| run.distributions.slowdown.mean;
    let best = runs.iter().min_by(|a, b| slowdown(a).total_cmp(&slowdown(b)));
    let Some(best) = best else { return };
    let _ = writeln!(
        out,
        "<h3>Nodes in use by resource</h3><p>Of run {} ({}, {}, {}), which has the least mean slowdown: how much of the nodes in use is \
         used, by how many of the nodes that have the resource are in use; the darker, the longer (figure 6.6). A square of full \
         colour has a tenth of the time or more.</p><div class=points>",
        best.number,
        escaped(&best.scheduler),
        best.fit,
        best.estimate
    );
    for density in &best.distributions.densities {
        let size = 100.0 / f64::from(Density::PARTS);
        let all: f64 = density.of.cells.iter().map(|(_, _, time)| time).sum();
        let square = |&(x, y, time): &(u8, u8, f64)| {
            let dark = (time / all / 0.1).clamp(0.0, 1.0).sqrt();
            (f64::from(x) * size, f64::from(y) * size, dark)
        };
        let scatter = Scatter {
            title: density.resource.to_string(),
            x_label: "nodes in use, %".to_owned(),
            y_label: "used of them, %".to_owned(),
            around: [vec![0.0, 100.0], vec![0.0, 100.0]],
            marks: Marks::Squares {
                size: (size, size),
                squares: density.of.cells.iter().map(square).collect(),
            },
        };
        *out += &scatter.figure();
    }
    *out += "</div>\n";
}
