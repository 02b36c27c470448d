//! Which machine runs which job when, as inline SVG.

use std::fmt::Write;

use planner::node_set::NodeSet;
use planner::time::Timestamp;

use super::axis::Axis;
use crate::kernel::{Entered, Entering, Played};
use crate::time::Time;
use charts::escaped;
use charts::scale::{grouped, plain, ticks};

/// Rectangles, at most; jobs that ended later are left out.
const MOST: usize = 6000;
const WIDTH: f64 = 1120.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 66.0;
const BOTTOM: f64 = 44.0;
const TOP: f64 = 8.0;
const COLOURS: [&str; 8] =
    ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777", "#999933"];
const DARK: &str = "#222222";

/// Jobs that ran in a part of time, the first that ended, and when machines were off.
#[derive(Debug)]
pub(super) struct Gantt {
    part: (Time, Time),
    bars: Vec<Bar>,
    /// Machines that are off or being switched, and since when.
    dark: Vec<(NodeSet, Time)>,
    /// Jobs that are shown.
    jobs: usize,
    /// Others that ran in the part, for which there was no room.
    others: usize,
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
    /// A chart of nothing yet; what is outside of this part is left out.
    pub(super) const fn of(from: Time, until: Time) -> Self {
        Self { part: (from, until), bars: Vec::new(), dark: Vec::new(), jobs: 0, others: 0 }
    }

    /// Whether something from one instant to another is seen.
    fn sees(&self, from: Time, to: Time) -> bool {
        from < self.part.1 && to > self.part.0
    }

    pub(super) fn played(&mut self, played: &Played<'_>) {
        let (from, to) = (played.started, played.finished);
        if !self.sees(from, to) {
            return;
        }
        let ranges = played.machines.ranges();
        if self.others > 0 || self.bars.len() + ranges.len() > MOST {
            self.others += 1;
            return;
        }
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
            Entered::SwitchingOff if self.others == 0 && entering.now < self.part.1 => {
                self.dark.push((entering.machines.clone(), entering.now));
            }
            Entered::On(_) => self.lit(entering.machines, entering.now),
            _ => {}
        }
    }

    /// Machines are on again.
    fn lit(&mut self, machines: &NodeSet, now: Time) {
        let (first, last) = self.part;
        for (dark, since) in &mut self.dark {
            let part = dark.intersection(machines);
            *dark = dark.difference(&part);
            let bar = |machines: &std::ops::Range<u32>| Bar {
                from: *since,
                to: now,
                machines: machines.clone(),
                job: None,
            };
            if self.bars.len() < MOST && *since < last && now > first {
                self.bars.extend(part.ranges().iter().map(bar));
            }
        }
        self.dark.retain(|(dark, _)| !dark.is_empty());
    }

    /// The figure, of a schedule on so many machines that ended at `end`, and began at `zero` by the clock.
    pub(super) fn figure(mut self, machines: u32, end: Time, zero: Option<Timestamp>) -> String {
        for (dark, _) in self.dark.clone() {
            self.lit(&dark, end);
        }
        if self.bars.is_empty() {
            return String::new();
        }
        let from = self.part.0;
        let shown = self.bars.iter().filter(|bar| bar.job.is_some()).map(|bar| bar.to);
        let end = end.min(self.part.1);
        let end = if self.others > 0 { shown.max().unwrap_or(end).min(end) } else { end };
        let title = self.title();
        let scale_x = (WIDTH - LEFT - 16.0) / (end - from).as_seconds().max(1e-6);
        let scale_y = (HEIGHT - TOP - BOTTOM) / f64::from(machines.max(1));
        let mut out = format!(
            "<figure class=gantt><figcaption>{title}</figcaption><svg viewBox=\"0 0 {WIDTH} \
             {HEIGHT}\" role=img aria-label=\"{title}: machines by time\">"
        );
        for bar in self.bars.iter().filter(|bar| bar.from < end) {
            let begins = bar.from.max(from);
            let x = LEFT + (begins - from).as_seconds() * scale_x;
            let width = (bar.to.min(end) - begins).as_seconds() * scale_x;
            let y = TOP + f64::from(bar.machines.start) * scale_y;
            let height = f64::from(bar.machines.end - bar.machines.start) * scale_y;
            let (fill, name) = match &bar.job {
                Some((number, name)) => (COLOURS[number % 8], format!("job {}", escaped(name))),
                None => (DARK, "off or being switched".to_owned()),
            };
            let _ = write!(
                out,
                "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" \
                 fill=\"{fill}\"><title>{name}</title></rect>"
            );
        }
        axes(&mut out, machines, (from, end), &Axis::of(from, end, zero, 10.0));
        out += "</svg>";
        out += &self.legend();
        out + "</figure>\n"
    }

    fn title(&self) -> String {
        if self.others == 0 {
            return "Jobs on machines".to_owned();
        }
        format!(
            "Jobs on machines: the first {} that ended of {} (--report-from and --report-to show any other part)",
            grouped(&self.jobs.to_string()),
            grouped(&(self.jobs + self.others).to_string())
        )
    }

    /// What the colours say.
    fn legend(&self) -> String {
        let entry = |colours: &[&str], text: &str| {
            let width = 14 * colours.len();
            let mut out = format!("<span><svg width={width} height=12 aria-hidden=true>");
            for (place, colour) in colours.iter().enumerate() {
                let x = 14 * place;
                let _ = write!(out, "<rect x={x} width=14 height=12 fill=\"{colour}\"/>");
            }
            out + "</svg>" + text + "</span>"
        };
        let mut out = String::from("<div class=legend>");
        out += &entry(&COLOURS[..3], "jobs: colours tell neighbours apart");
        if self.bars.iter().any(|bar| bar.job.is_none()) {
            out += &entry(&[DARK], "off or being switched");
        }
        out + &entry(&["#ffffff"], "idle") + "</div>"
    }
}

fn axes(out: &mut String, machines: u32, (from, end): (Time, Time), axis: &Axis) {
    let bottom = HEIGHT - BOTTOM;
    let length_s = (end - from).as_seconds().max(1e-6);
    for (tick, label) in &axis.ticks {
        let x = LEFT + (tick - from.as_seconds()) / length_s * (WIDTH - LEFT - 16.0);
        let _ = write!(
            out,
            "<path class=tick d=\"M{x:.1} {bottom}v4\"/><text class=x x=\"{x:.1}\" y=\"{}\">{label}\
             </text>",
            bottom + 17.0
        );
    }
    let step = |ticks: &[f64]| ticks.get(1).map_or(1.0, |second| second - ticks[0]);
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
         y=\"{}\">{}</text><text class=x transform=\"translate(14 {}) rotate(-90)\">machine\
         </text>",
        WIDTH - 16.0,
        f64::midpoint(LEFT, WIDTH),
        HEIGHT - 8.0,
        axis.name,
        f64::midpoint(TOP, bottom)
    );
}
