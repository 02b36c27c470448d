//! One HTML page of a batch simulation that can be opened offline: figures and the summary. It is
//! collected while jobs end, in bounded memory.

mod axis;
mod course;
mod gantt;
mod several_sites;

use std::fmt::Write;
use std::io;

use charts::scale::{grouped, readable};
use charts::{Chart, Horizontal, Kind, STYLE, Series, escaped};
use planner::node_set::NodeSet;
use planner::time::Timestamp;

use crate::energy::MeterReading;
use crate::job::Job;
use crate::kernel::{Entering, Observer, Played};
use crate::quantity::watts;
use crate::scheduler::RefusalReason;
use crate::summary::Summary;
use crate::time::Time;
use axis::Axis;
use course::Course;
use gantt::Gantt;
pub use several_sites::sites_page;

/// What part of the simulation the figures are of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReportPart {
    /// The instant at which the part begins.
    pub from: Time,
    /// The instant at which the part ends.
    pub until: Time,
}

impl Default for ReportPart {
    fn default() -> Self {
        Self { from: Time::ZERO, until: Time::FOREVER }
    }
}

/// What the page shows, while it happens.
#[derive(Debug)]
pub struct Collector {
    part: ReportPart,
    gantt: Gantt,
    computing: Course,
    waiting: Course,
    off: Course,
    power: Course,
    read: Time,
    end: Time,
    /// Machines off or being switched off, and since when they are so many.
    off_now: (u32, Time),
}

impl Collector {
    /// A collector that was told nothing yet; its figures will be of this part.
    pub fn new(part: ReportPart) -> Self {
        let course = || Course::of(part.from, part.until);
        Self {
            part,
            gantt: Gantt::of(part.from, part.until),
            computing: course(),
            waiting: course(),
            off: course(),
            power: course(),
            read: Time::ZERO,
            end: Time::ZERO,
            off_now: (0, Time::ZERO),
        }
    }

    fn off(&mut self, now: Time, count: u32) {
        let (before, since) = self.off_now;
        self.off.add(since, now, f64::from(before));
        self.off_now = (count, now);
    }

    /// The page of a simulation, which began at `zero` by the clock where that is known.
    pub fn html(self, title: &str, summary: &Summary, zero: Option<Timestamp>) -> String {
        let title = escaped(title);
        let body = self.body(summary, zero);
        begin(&title) + &body + "</main></body></html>\n"
    }

    /// What the page says and shows of the simulation.
    fn body(mut self, summary: &Summary, zero: Option<Timestamp>) -> String {
        let machines = summary.nb_computing_machines;
        self.off(self.end, self.off_now.0);
        let zero = zero.filter(|zero| dates(*zero, self.end));
        let mut out = format!(
            "<p class=lead>{} jobs on {} machines. A job waits {:.1} min in the mean; machines \
             compute {:.1} % of the time.{}</p>\n",
            grouped(&summary.nb_jobs.to_string()),
            grouped(&machines.to_string()),
            summary.mean_waiting_time / 60.0,
            summary.utilisation * 100.0,
            self.told_part(zero)
        );
        out += &std::mem::replace(&mut self.gantt, Gantt::of(Time::ZERO, Time::ZERO))
            .figure(machines, self.end, zero);
        out += "<div class=figures>";
        out += &self.figures(zero);
        out += "</div><h2>Summary</h2><p>Of the whole simulation.</p><dl>";
        out += &facts(summary);
        out + "</dl>"
    }

    /// What the figures are of, where that is not everything.
    fn told_part(&self, zero: Option<Timestamp>) -> String {
        let ReportPart { from, until } = self.part;
        let at = |time: Time| match zero {
            Some(zero) => after(zero, time).to_string(),
            None => format!("{time} s"),
        };
        let times = format!("from {} to {}", at(from), at(until.min(self.end)));
        match (self.part == ReportPart::default(), zero) {
            (true, None) => String::new(),
            (true, Some(_)) => format!(" It lasts {times}."),
            _ => format!(" Figures are of the part {times}."),
        }
    }

    /// Machines, queue and power over time.
    fn figures(&self, zero: Option<Timestamp>) -> String {
        let end = self.end.min(self.part.until);
        let axis = Axis::of(self.part.from, end, zero, 6.0);
        let mut lines = vec![("computing", &self.computing)];
        if self.off.means(end).iter().any(|(_, mean)| *mean > 0.0) {
            lines.push(("off or being switched off", &self.off));
        }
        let figure = |title: &str, y_label: &str, lines: &[(&str, &Course)], scale: f64| {
            let series = lines.iter().enumerate().map(|(look, (name, course))| {
                let point = |(at, mean): (f64, f64)| (at, mean / scale, None);
                let points = course.means(end).into_iter().map(point).collect();
                Series { name: (*name).to_owned(), look, points }
            });
            Chart {
                title: title.to_owned(),
                x_label: axis.name.to_owned(),
                y_label: y_label.to_owned(),
                horizontal: Horizontal::Named(axis.ticks.clone()),
                kind: Kind::Steps,
                from_zero: true,
                series: series.collect(),
            }
            .figure()
        };
        let mut out = figure("Machines at work", "machines", &lines, 1.0);
        out += &figure("Jobs waiting", "jobs", &[("waiting", &self.waiting)], 1.0);
        let most = self.power.means(end).iter().map(|(_, mean)| *mean).fold(0.0, f64::max);
        let (scale, watts) = readable("W", most, "");
        out + &figure("Power of all machines", &watts, &[("power", &self.power)], scale)
    }
}

/// The begin of a page, up to its title.
fn begin(title: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport \
         content=\"width=device-width\"><title>{title}</title>\n<style>{STYLE}\
         .gantt{{margin-bottom:1.5rem}}</style></head>\n<body><main><h1>{title}</h1>\n"
    )
}

/// So long after an instant, to the second.
fn after(zero: Timestamp, time: Time) -> Timestamp {
    Timestamp::from_unix_seconds(zero.as_unix_seconds() + time.as_micros().div_euclid(1_000_000))
}

/// Whether all instants from `zero` to `end` after it have dates.
fn dates(zero: Timestamp, end: Time) -> bool {
    let all = Timestamp::MIN..=Timestamp::MAX;
    all.contains(&zero) && all.contains(&after(zero, end))
}

/// The unit of a key of the summary.
fn unit_of(name: &str) -> &'static str {
    match name {
        "makespan"
        | "bounded_slowdown_tau"
        | "scheduling_time"
        | "simulation_time"
        | "waiting_time_quantiles"
        | "turnaround_time_quantiles" => " s",
        "consumed_joules" | "energy_by_state" => " J",
        "energy_cost" => " in the price table's currency",
        "energy_co2_g" => " g",
        "success_rate" | "utilisation" => " of 1",
        name if name.starts_with("time_") => " machine-s",
        name if name.ends_with("_time") => " s",
        name if name.starts_with("nb_jobs") => " jobs",
        "nb_computing_machines" | "nb_machine_switches" => " machines",
        "nb_grouped_switches" => " orders",
        name if name.contains("slowdown") => " times",
        _ => "",
    }
}

/// Every key of the summary, as `summary.json` has it.
fn facts(summary: &Summary) -> String {
    let mut out = String::new();
    let value = serde_json::to_value(summary).unwrap_or_default();
    for (name, value) in value.as_object().into_iter().flatten() {
        let text = match value {
            serde_json::Value::Null => continue,
            serde_json::Value::String(text) => text.clone(),
            serde_json::Value::Object(several) => {
                let each = several.iter().map(|(name, value)| format!("{name} {}", short(value)));
                each.collect::<Vec<_>>().join(", ")
            }
            other => short(other),
        };
        let _ = write!(
            out,
            "<div><dt>{}</dt><dd>{}</dd></div>",
            escaped(name),
            escaped(&text) + unit_of(name)
        );
    }
    out
}

/// A number with as many decimals as matter.
fn short(value: &serde_json::Value) -> String {
    match value.as_f64() {
        Some(number) if value.is_f64() => {
            let text = format!("{number:.3}");
            grouped(text.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => grouped(&value.to_string()),
    }
}

impl Observer for Collector {
    fn started(&mut self, now: Time, job: &Job, _: &NodeSet) -> io::Result<()> {
        self.waiting.add(job.submitted, now, 1.0);
        Ok(())
    }

    fn played(&mut self, played: &Played<'_>) -> io::Result<()> {
        self.end = self.end.max(played.finished);
        self.computing.add(played.started, played.finished, f64::from(played.job.nodes));
        self.gantt.played(played);
        Ok(())
    }

    fn refused(&mut self, _: &Job, _: Option<RefusalReason>) -> io::Result<()> {
        Ok(())
    }

    fn entered(&mut self, entering: &Entering<'_>) -> io::Result<()> {
        use super::kernel::Entered;
        let count = entering.machines.count();
        match entering.state {
            Entered::SwitchingOff => self.off(entering.now, self.off_now.0 + count),
            Entered::SwitchingOn => self.off(entering.now, self.off_now.0 - count),
            _ => {}
        }
        self.gantt.entered(entering);
        Ok(())
    }

    fn metered(&mut self, reading: &MeterReading) -> io::Result<()> {
        if let Some(drawn) = reading.drawn {
            self.power.add(self.read, reading.now, watts(drawn));
            self.read = reading.now;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{JobId, Work};
    use crate::kernel::{Entered, JobEnd};
    use crate::summary::{TAU, Tally};

    /// One job on machines 0 and 2 from 10 s to 40 s, submitted at 0; machine 1 is off from 20 s on.
    #[test]
    fn the_page_shows_jobs_and_machines() {
        let (mut collector, mut tally) = (Collector::new(ReportPart::default()), Tally::new(TAU));
        let job = Job {
            utilisation: None,
            id: JobId::Name("<x>".into()),
            profile: None,
            submitted: Time::ZERO,
            nodes: 2,
            work: Work::Delay(Time::from_seconds(30)),
            walltime: None,
        };
        let machines = &NodeSet::from_positions([0, 2]);
        let (started, finished) = (Time::from_seconds(10), Time::from_seconds(40));
        collector.started(started, &job, machines).unwrap();
        let (now, dark) = (Time::from_seconds(20), NodeSet::from_positions([1]));
        let state = Entered::SwitchingOff;
        collector.entered(&Entering { now, machines: &dark, state }).unwrap();
        let (end, metadata, energy) = (JobEnd::Success, "", None);
        let played = Played { job: &job, started, finished, machines, end, metadata, energy };
        collector.played(&played).unwrap();
        tally.played(&played).unwrap();
        let html = collector.html("a & b", &tally.summary(3), None);
        assert!(html.contains("<h1>a &amp; b</h1>"));
        assert_eq!(html.matches("<title>job &lt;x&gt;</title>").count(), 2);
        assert_eq!(html.matches("<title>off or being switched</title>").count(), 1);
        // Half of the width of the machines' 1038 points after 20 of 40 s.
        assert!(html.contains("<rect x=\"585.00\" y=\"130.67\" width=\"519.00\""), "{html}");
        for figure in ["Machines at work", "Jobs waiting"] {
            assert!(html.contains(&format!("<figcaption>{figure}</figcaption>")));
        }
        assert!(html.contains("</svg>off or being switched</span>"), "a legend");
        assert!(!html.contains("Power of all machines"), "nobody knows it");
        assert!(html.contains("<dt>mean_waiting_time</dt><dd>10 s</dd>"));
    }

    /// Ten thousand jobs of a minute, one after another; only those of the second hour are shown, by the clock.
    #[test]
    fn a_part_is_shown_with_its_dates() {
        let hour = |hours: i64| Time::from_seconds(3600 * hours);
        let page = |part: ReportPart| {
            let (mut collector, mut tally) = (Collector::new(part), Tally::new(TAU));
            for number in 0..10_000 {
                let submitted = Time::from_seconds(60 * number);
                let (id, work) = (JobId::Number(number), Work::Delay(Time::from_seconds(60)));
                let (profile, utilisation, walltime) = (None, None, None);
                let job = Job { id, profile, submitted, nodes: 1, work, utilisation, walltime };
                let (finished, machines) =
                    (submitted + Time::from_seconds(60), &NodeSet::from_positions([0]));
                let (started, end, metadata, energy) = (submitted, JobEnd::Success, "", None);
                let played =
                    Played { job: &job, started, finished, machines, end, metadata, energy };
                collector.played(&played).unwrap();
                tally.played(&played).unwrap();
            }
            let zero = Timestamp::parse("2000-04-30T12:00:00Z").unwrap();
            collector.html("many", &tally.summary(1), Some(zero))
        };
        let all = page(ReportPart::default());
        assert!(
            all.contains("the first 6000 that ended of 10\u{202f}000 (--report-from"),
            "says what is left out"
        );
        assert!(all.contains(">2000-05-01</text>") && all.contains(">UTC</text>"), "dates");
        assert!(all.contains(" It lasts from 2000-04-30T12:00:00Z to 2000-05-07T10:40:00Z."));
        let part = page(ReportPart { from: hour(1), until: hour(2) });
        assert_eq!(part.matches("<title>job ").count(), 60);
        assert!(part.contains("<title>job 60</title>") && part.contains("<title>job 119</title>"));
        assert!(part.contains("<figcaption>Jobs on machines</figcaption>"));
        assert!(part.contains(">04-30 13:15</text>"), "times of the day");
        assert!(part.contains("the part from 2000-04-30T13:00:00Z to 2000-04-30T14:00:00Z."));
    }
}
