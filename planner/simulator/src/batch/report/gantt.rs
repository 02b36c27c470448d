//! Which machine runs which job when, as inline SVG.

use std::fmt::Write;

use planner::node_set::NodeSet;

use crate::batch::kernel::{Entered, Entering, Played};
use crate::batch::time::Time;
use crate::report::chart::escaped;
use crate::report::scale::{plain, ticks};

/// Rectangles, at most; later jobs are left out.
const MOST: usize = 6000;
const WIDTH: f64 = 1120.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 66.0;
const BOTTOM: f64 = 44.0;
const TOP: f64 = 8.0;
const COLOURS: [&str; 8] =
    ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777", "#999933"];

/// The first jobs that ended, and when machines were off.
#[derive(Debug, Default)]
pub(super) struct Gantt {
    bars: Vec<Bar>,
    /// Machines that are off or being switched, and since when.
    dark: Vec<(NodeSet, Time)>,
    /// The end of the last job that is shown, once others are left out.
    until: Option<Time>,
    jobs: usize,
}

#[derive(Debug)]
struct Bar {
    from: Time,
    to: Time,
    machines: std::ops::Range<u32>,
    /// None for machines that were off.
    job: Option<(usize, String)>,
}

impl Gantt {
    pub(super) fn played(&mut self, played: &Played<'_>) {
        let ranges = played.machines.ranges();
        if self.until.is_some() || self.bars.len() + ranges.len() > MOST {
            self.until.get_or_insert(played.finished);
            return;
        }
        let (from, to) = (played.started, played.finished);
        let job = Some((self.jobs, played.job.id.to_string()));
        self.jobs += 1;
        let bar = |machines: &std::ops::Range<u32>| Bar {
            from,
            to,
            machines: machines.clone(),
            job: job.clone(),
        };
        self.bars.extend(ranges.iter().map(bar));
    }

    pub(super) fn entered(&mut self, entering: &Entering<'_>) {
        match entering.state {
            Entered::SwitchingOff if self.until.is_none() => {
                self.dark.push((entering.machines.clone(), entering.now));
            }
            Entered::On(_) => self.lit(entering.machines, entering.now),
            _ => {}
        }
    }

    /// Machines are on again.
    fn lit(&mut self, machines: &NodeSet, now: Time) {
        for (dark, since) in &mut self.dark {
            let part = dark.intersection(machines);
            *dark = dark.difference(&part);
            let bar = |machines: &std::ops::Range<u32>| Bar {
                from: *since,
                to: now,
                machines: machines.clone(),
                job: None,
            };
            if self.bars.len() < MOST {
                self.bars.extend(part.ranges().iter().map(bar));
            }
        }
        self.dark.retain(|(dark, _)| !dark.is_empty());
    }

    /// The figure, of a schedule on so many machines that ended at `end`.
    pub(super) fn figure(mut self, machines: u32, end: Time) -> String {
        for (dark, _) in self.dark.clone() {
            self.lit(&dark, end);
        }
        let shown = self.bars.iter().filter(|bar| bar.job.is_some()).map(|bar| bar.to);
        let end = self.until.map_or(end, |_| shown.max().unwrap_or(end));
        if self.bars.is_empty() {
            return String::new();
        }
        let title = match self.until {
            None => "Jobs on machines".to_owned(),
            Some(_) => format!("Jobs on machines: the first {} that ended", self.jobs),
        };
        let (by, unit) = unit(end);
        let scale_x = (WIDTH - LEFT - 16.0) / end.as_seconds().max(1e-6);
        let scale_y = (HEIGHT - TOP - BOTTOM) / f64::from(machines.max(1));
        let mut out = format!(
            "<figure class=gantt><figcaption>{title}</figcaption><svg viewBox=\"0 0 {WIDTH} \
             {HEIGHT}\" role=img aria-label=\"{title}: machines by time\">"
        );
        for bar in self.bars.iter().filter(|bar| bar.from < end) {
            let from = bar.from.as_seconds();
            let (x, width) =
                (LEFT + from * scale_x, (bar.to.min(end).as_seconds() - from) * scale_x);
            let y = TOP + f64::from(bar.machines.start) * scale_y;
            let height = f64::from(bar.machines.end - bar.machines.start) * scale_y;
            let (fill, name) = match &bar.job {
                Some((number, name)) => (COLOURS[number % 8], format!("job {}", escaped(name))),
                None => ("#222222", "off".to_owned()),
            };
            let _ = write!(
                out,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
                 fill=\"{fill}\"><title>{name}</title></rect>"
            );
        }
        axes(&mut out, machines, end, (by, unit));
        out + "</svg></figure>\n"
    }
}

/// Hours or days, by what there is.
pub(super) fn unit(end: Time) -> (f64, &'static str) {
    let steps = [(86_400.0, "days"), (3600.0, "hours"), (60.0, "minutes")];
    let fits = |(by, _): &&(f64, &str)| end.as_seconds() / by >= 3.0;
    steps.iter().find(fits).copied().unwrap_or((1.0, "seconds"))
}

fn axes(out: &mut String, machines: u32, end: Time, (by, unit): (f64, &str)) {
    let bottom = HEIGHT - BOTTOM;
    let last = end.as_seconds() / by;
    let x_ticks = ticks(0.0, last, 10.0);
    let step = |ticks: &[f64]| ticks.get(1).map_or(1.0, |second| second - ticks[0]);
    for tick in x_ticks.iter().filter(|tick| **tick <= last) {
        let x = LEFT + tick / last * (WIDTH - LEFT - 16.0);
        let label = plain(*tick, step(&x_ticks));
        let _ = write!(
            out,
            "<path class=tick d=\"M{x:.1} {bottom}v4\"/><text class=x x=\"{x:.1}\" y=\"{}\">{label}\
             </text>",
            bottom + 17.0
        );
    }
    let y_ticks = ticks(0.0, f64::from(machines), 5.0);
    for tick in y_ticks.iter().filter(|tick| **tick <= f64::from(machines)) {
        let y = TOP + tick / f64::from(machines.max(1)) * (bottom - TOP);
        let label = plain(*tick, step(&y_ticks));
        let _ =
            write!(out, "<text class=y x=\"{}\" y=\"{:.1}\">{label}</text>", LEFT - 7.0, y + 4.0);
    }
    let _ = write!(
        out,
        "<path class=zero fill=none d=\"M{LEFT} {TOP}V{bottom}H{}\"/><text class=x x=\"{}\" \
         y=\"{}\">{unit}</text><text class=x transform=\"translate(14 {}) rotate(-90)\">machine\
         </text>",
        WIDTH - 16.0,
        f64::midpoint(LEFT, WIDTH),
        HEIGHT - 8.0,
        f64::midpoint(TOP, bottom)
    );
}
