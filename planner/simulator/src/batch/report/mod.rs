//! One HTML page of a batch simulation that can be opened offline: figures and the summary. It is
//! collected while jobs end, in bounded memory.

mod course;
mod gantt;

use std::fmt::Write;
use std::io;

use planner::node_set::NodeSet;

use super::energy::Reading;
use super::job::Job;
use super::kernel::{Entering, Observer, Played};
use super::summary::Summary;
use super::time::Time;
use crate::report::STYLE;
use crate::report::chart::{Chart, Horizontal, Kind, Series, escaped};
use crate::report::scale::{grouped, readable};
use course::Course;
use gantt::{Gantt, unit};

/// What the page shows, while it happens.
#[derive(Debug, Default)]
pub struct Collector {
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
    fn off(&mut self, now: Time, count: u32) {
        let (before, since) = self.off_now;
        self.off.add(since, now, f64::from(before));
        self.off_now = (count, now);
    }

    /// The page of a simulation.
    pub fn html(mut self, title: &str, summary: &Summary) -> String {
        let machines = summary.nb_computing_machines;
        self.off(self.end, self.off_now.0);
        let title = escaped(title);
        let mut out = format!(
            "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport \
             content=\"width=device-width\"><title>{title}</title>\n<style>{STYLE}\
             .gantt{{margin-bottom:1.5rem}}</style></head>\n<body><main><h1>{title}</h1>\n"
        );
        let _ = writeln!(
            out,
            "<p class=lead>{} jobs on {} machines. A job waits {:.1} min in the mean; machines \
             compute {:.1} % of the time.</p>",
            grouped(&summary.nb_jobs.to_string()),
            grouped(&machines.to_string()),
            summary.mean_waiting_time / 60.0,
            summary.utilisation * 100.0
        );
        let (by, time) = unit(self.end);
        let switched = self.off.means().iter().any(|(_, mean)| *mean > 0.0);
        out += &self.gantt.figure(machines, self.end);
        out += "<div class=figures>";
        let mut lines = vec![("computing", &self.computing)];
        if switched {
            lines.push(("off or being switched off", &self.off));
        }
        let figure = |title: &str, y_label: &str, lines: &[(&str, &Course)], scale: f64| {
            let series = lines.iter().enumerate().map(|(look, (name, course))| {
                let point = |(at, mean): (f64, f64)| (at / by, mean / scale, None);
                let points = course.means().into_iter().map(point).collect();
                Series { name: (*name).to_owned(), look, points }
            });
            Chart {
                title: title.to_owned(),
                x_label: time.to_owned(),
                y_label: y_label.to_owned(),
                horizontal: Horizontal::Numbers,
                kind: Kind::Steps,
                from_zero: true,
                series: series.collect(),
            }
            .figure()
        };
        out += &figure("Machines at work", "machines", &lines, 1.0);
        out += &figure("Jobs waiting", "jobs", &[("waiting", &self.waiting)], 1.0);
        let most = self.power.means().iter().map(|(_, mean)| *mean).fold(0.0, f64::max);
        let (scale, watts) = readable("W", most, "");
        out += &figure("Power of all machines", &watts, &[("power", &self.power)], scale);
        out += "</div><h2>Summary</h2><dl>";
        out += &facts(summary);
        out + "</dl></main></body></html>\n"
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
        let _ = write!(out, "<div><dt>{}</dt><dd>{}</dd></div>", escaped(name), escaped(&text));
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

    fn refused(&mut self, _: &Job) -> io::Result<()> {
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

    fn metered(&mut self, reading: &Reading) -> io::Result<()> {
        if let Some(mean_w) = reading.mean_w {
            self.power.add(self.read, reading.now, mean_w);
            self.read = reading.now;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::job::{JobId, Work};
    use crate::batch::kernel::{Entered, JobEnd};
    use crate::batch::summary::{TAU, Tally};

    /// One job on machines 0 and 2 from 10 s to 40 s, submitted at 0; machine 1 is off from 20 s on.
    #[test]
    fn the_page_shows_jobs_and_machines() {
        let (mut collector, mut tally) = (Collector::default(), Tally::new(TAU));
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
        let html = collector.html("a & b", &tally.summary(3));
        assert!(html.contains("<h1>a &amp; b</h1>"));
        assert_eq!(html.matches("<title>job &lt;x&gt;</title>").count(), 2);
        assert_eq!(html.matches("<title>off</title>").count(), 1);
        // Half of the width of the machines' 1038 points after 20 of 40 s.
        assert!(html.contains("<rect x=\"585.00\" y=\"130.67\" width=\"519.00\""), "{html}");
        for figure in ["Machines at work", "Jobs waiting"] {
            assert!(html.contains(&format!("<figcaption>{figure}</figcaption>")));
        }
        assert!(!html.contains("Power of all machines"), "nobody knows it");
        assert!(html.contains("<dt>mean_waiting_time</dt><dd>10</dd>"));
    }
}
