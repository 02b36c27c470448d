//! What is asked for: arguments in Slurm's spelling, as the API's request.

use std::collections::{BTreeMap, HashSet};

use jiff::{Timestamp, ToSpan, Zoned};
use planner::decimal::{format_millionths, parse_millionths};
use planner::node_list;
use planner::quantity::MILLION;
use serde_json::{Map, Value, json};

use super::time::{in_words, instant, seconds};

/// A request for nodes.
#[derive(clap::Args)]
pub struct RequestArguments {
    /// How many nodes
    #[arg(short = 'N', long, value_name = "COUNT")]
    nodes: u32,
    /// How long: 90 (minutes), 1:30:00, 1-12:30 (days-hours:minutes), 90min, 1h30m or PT1H30M
    #[arg(short = 't', long, value_name = "LENGTH", value_parser = seconds)]
    time: i64,
    /// Not before: now, now+2hours, 22:00, tomorrow, 2026-11-22T08:00 (local) or with an offset
    #[arg(long, value_name = "INSTANT", default_value = "now")]
    begin: String,
    /// It must have begun by then [default: a day after --begin, unless there is --latest-end]
    #[arg(long, value_name = "INSTANT")]
    latest_start: Option<String>,
    /// It must have ended by then
    #[arg(long, value_name = "INSTANT")]
    latest_end: Option<String>,
    /// Another shape that would do, such as 16x45min; up to eight
    #[arg(long = "or", value_name = "COUNTxLENGTH", value_parser = shape)]
    alternatives: Vec<Value>,
    /// Expected utilisation of nodes that have no alpha of their own, from 0 to 1
    #[arg(long, value_name = "SHARE")]
    utilisation: Option<f64>,
    /// How slowly it may run where the site has slower states of nodes: 80% or 0.8 of full speed; it then takes longer
    #[arg(long, value_name = "SHARE", value_parser = speed)]
    slowest_speed: Option<f64>,
    /// How far from the best counts as equally good: with cost=2% or cost=0.02 the cleanest within 2 % of the cheapest
    #[arg(long, value_name = "CRITERION=SHARE", value_delimiter = ',', value_parser = tolerance)]
    tolerance: Vec<(String, f64)>,
    /// Only nodes of this partition
    #[arg(short = 'p', long)]
    partition: Option<String>,
    /// Only nodes with these features, such as nvme&a100
    #[arg(short = 'C', long, value_name = "FEATURE", value_delimiter = '&')]
    constraint: Vec<String>,
    /// Not these nodes, such as n7,rack[1-2]n[01-16]
    #[arg(short = 'x', long, value_name = "NODES", value_parser = names)]
    exclude: Vec<Names>,
    /// No other nodes than these, such as n7,rack[1-2]n[01-16]
    #[arg(short = 'w', long, value_name = "NODES", value_parser = names)]
    nodelist: Vec<Names>,
    /// The project that it is for [default: the only one that you are in]
    #[arg(short = 'A', long, visible_alias = "account")]
    project: Option<String>,
    /// What you call it, for reports: application=nemo; may be given several times. Without --utilisation,
    /// that of earlier runs of the application is expected
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = label)]
    labels: Vec<(String, String)>,
    /// Look at every second, not at the site's slots only
    #[arg(long)]
    exact: bool,
}

/// A label, such as `project=ocean`.
fn label(text: &str) -> Result<(String, String), String> {
    let label = text.split_once('=').filter(|(name, value)| !name.is_empty() && !value.is_empty());
    let (name, value) = label.ok_or("is no label such as project=ocean")?;
    Ok((name.to_owned(), value.to_owned()))
}

/// A share of full speed, `80%` or `0.8`.
pub(super) fn speed(text: &str) -> Result<f64, String> {
    let told = || "is not a share of full speed such as 80% or 0.8".to_owned();
    let (text, whole) = match text.strip_suffix('%') {
        Some(percent) => (percent.trim_end(), 100.0),
        None => (text, 1.0),
    };
    let share = text.parse::<f64>().map_err(|_| told())? / whole;
    Some(share).filter(|it| (0.0..=1.0).contains(it) && *it > 0.0).ok_or_else(told)
}

pub(super) fn shape(text: &str) -> Result<Value, String> {
    let read = text.split_once('x').and_then(|(nodes, length)| {
        Some(json!({ "nodes": nodes.parse::<u32>().ok()?, "duration_s": seconds(length).ok()? }))
    });
    read.ok_or_else(|| "is not a count of nodes and a length of time such as 16x45min".to_owned())
}

/// Names of nodes that were a bracket list.
#[derive(Clone, Debug)]
pub(super) struct Names(Vec<String>);

pub(super) fn names(text: &str) -> Result<Names, String> {
    node_list::parse(text).map(Names).map_err(|error| error.to_string())
}

/// A criterion and a share of it, `cost=2%` or `cost=0.02`. A share of one or more without a percent sign
/// is more likely percent that lack it than a tolerance of hundreds of percent, so it is asked about.
pub(super) fn tolerance(text: &str) -> Result<(String, f64), String> {
    let told = || "is not a criterion and a share such as cost=2% or cost=0.02".to_owned();
    let (criterion, share) = text.split_once('=').ok_or_else(told)?;
    let percent = share.strip_suffix('%').map(str::trim_end);
    let read = parse_millionths(percent.unwrap_or(share)).map_err(|_| told())?;
    let millionths = match percent {
        Some(_) if read % 100 != 0 => {
            return Err("has more than 4 decimals of a percent".to_owned());
        }
        Some(_) => read / 100,
        None if read >= MILLION => {
            let percent = format_millionths(read.saturating_mul(100));
            return Err(format!(
                "{criterion}={share} is {percent} %; did you mean {criterion}={share}%, which is \
                 {criterion}={}? For {percent} % say {criterion}={percent}%",
                format_millionths(read / 100)
            ));
        }
        None => read,
    };
    let share = format_millionths(millionths).parse().map_err(|_| told())?;
    Ok((criterion.to_owned(), share))
}

impl RequestArguments {
    /// The body of a request, read at `now`.
    ///
    /// # Errors
    /// Each instant that is none, with its argument.
    pub fn body(&self, now: &Zoned) -> Result<Map<String, Value>, Vec<String>> {
        let mut errors = Vec::new();
        let mut read = |argument: &str, text: Option<&str>| {
            let read = text.map(|text| instant(text, now)).transpose();
            read.map_err(|error| errors.push(format!("--{argument}: {error}"))).ok().flatten()
        };
        let begin = read("begin", Some(&self.begin));
        let mut latest_start = read("latest-start", self.latest_start.as_deref());
        let latest_end = read("latest-end", self.latest_end.as_deref());
        if !errors.is_empty() {
            return Err(errors);
        }
        if self.latest_start.is_none() && self.latest_end.is_none() {
            latest_start = begin.and_then(|it| it.checked_add(24.hours()).ok());
        }
        let mut body = Map::new();
        let mut put = |name: &str, value: Option<Value>| {
            body.extend(value.map(|value| (name.to_owned(), value)));
        };
        put("nodes", Some(json!(self.nodes)));
        put("duration_s", Some(json!(self.time)));
        put("earliest_start", begin.map(told));
        put("latest_start", latest_start.map(told));
        put("latest_end", latest_end.map(told));
        put("alternatives", filled(&self.alternatives));
        put("utilisation", self.utilisation.map(|it| json!(it)));
        put("slowest_speed", self.slowest_speed.map(|it| json!(it)));
        let tolerances: Map<_, _> =
            self.tolerance.iter().map(|(criterion, it)| (criterion.clone(), json!(it))).collect();
        put("tolerance", (!tolerances.is_empty()).then(|| Value::Object(tolerances)));
        put("partition", self.partition.as_ref().map(|it| json!(it)));
        put("features", filled(&self.constraint));
        put("exclude", filled(&once(&self.exclude)));
        put("only", filled(&once(&self.nodelist)));
        put("project", self.project.as_ref().map(|it| json!(it)));
        let labels: BTreeMap<&str, &str> =
            self.labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        put("labels", (!labels.is_empty()).then(|| json!(labels)));
        put("search", self.exact.then(|| json!({ "mode": "exact" })));
        Ok(body)
    }

    /// How many nodes for how long, as it was understood: `2 nodes for 2 hours, or 16 nodes for 45 minutes`.
    pub fn in_words(&self) -> String {
        let others = self
            .alternatives
            .iter()
            .filter_map(|it| Some((it["nodes"].as_u64()?, it["duration_s"].as_i64()?)));
        let all: Vec<String> = std::iter::once((u64::from(self.nodes), self.time))
            .chain(others)
            .map(|(nodes, time)| {
                format!("{nodes} node{} for {}", if nodes == 1 { "" } else { "s" }, in_words(time))
            })
            .collect();
        all.join(", or ")
    }
}

/// All names of some lists, each once.
pub(super) fn once(lists: &[Names]) -> Vec<&String> {
    let mut seen = HashSet::new();
    lists.iter().flat_map(|Names(names)| names).filter(|name| seen.insert(name.as_str())).collect()
}

pub(super) fn filled<T: serde::Serialize>(list: &[T]) -> Option<Value> {
    (!list.is_empty()).then(|| json!(list))
}

/// RFC 3339, whole seconds.
pub fn told(instant: Timestamp) -> Value {
    json!(Timestamp::from_second(instant.as_second()).unwrap_or(instant).to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        request: RequestArguments,
    }

    fn body(line: &str) -> Result<Value, Vec<String>> {
        let now: Zoned = "2026-11-21T15:30:10+01:00[Europe/Paris]".parse().unwrap();
        let line = Line::try_parse_from(line.split_whitespace()).unwrap();
        line.request.body(&now).map(Value::Object)
    }

    #[test]
    fn a_short_line_asks_for_the_coming_day() {
        let expected = json!({
            "nodes": 8, "duration_s": 7200,
            "earliest_start": "2026-11-21T14:30:10Z", "latest_start": "2026-11-22T14:30:10Z",
        });
        assert_eq!(body("quote -N 8 -t 2:00:00"), Ok(expected));
    }

    #[test]
    fn every_field_of_a_request_can_be_said() {
        let line = "quote -N 8 -t 2h --begin 22:00 --latest-end 2026-11-23 --or 16x45min \
                    --utilisation 0.6 --slowest-speed 80% --tolerance cost=2%,co2=0.1 -p gpu -C nvme&a100 -x n1,n[08-09] -x n1,n2 \
                    -w n[3-4],n3 --exact";
        let expected = json!({
            "nodes": 8, "duration_s": 7200, "earliest_start": "2026-11-21T21:00:00Z",
            "latest_end": "2026-11-22T23:00:00Z",
            "alternatives": [{ "nodes": 16, "duration_s": 2700 }],
            "utilisation": 0.6, "slowest_speed": 0.8, "tolerance": { "cost": 0.02, "co2": 0.1 }, "partition": "gpu",
            "features": ["nvme", "a100"], "exclude": ["n1", "n08", "n09", "n2"],
            "only": ["n3", "n4"], "search": { "mode": "exact" },
        });
        assert_eq!(body(line), Ok(expected));
    }

    #[test]
    fn shares_are_percent_with_a_sign_and_asked_about_from_one_on_without() {
        for (text, share) in [
            ("cost=0.02", 0.02),
            ("cost=2%", 0.02),
            ("cost=1.1 %", 0.011),
            ("cost=200%", 2.0),
            ("cost=0", 0.0),
        ] {
            assert_eq!(tolerance(text), Ok(("cost".to_owned(), share)), "{text}");
        }
        let told = tolerance("cost=2").unwrap_err();
        assert_eq!(
            told,
            "cost=2 is 200 %; did you mean cost=2%, which is cost=0.02? For 200 % say cost=200%"
        );
        assert!(tolerance("co2=1").is_err());
        for text in ["cost", "cost=", "cost=%", "cost=two", "cost=0.00001%"] {
            assert!(tolerance(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_list_of_nodes_that_cannot_be_read_says_where() {
        let read = Line::try_parse_from(["quote", "-N", "1", "-t", "60", "-x", "n[1-"]);
        let told = read.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(told.contains("a bracket that is not closed, at character 2"), "{told}");
    }

    #[test]
    fn every_instant_that_is_none_is_named() {
        let errors = body("quote -N 1 -t 60 --begin soon --latest-start later").unwrap_err();
        assert!(errors[0].starts_with("--begin: \"soon\" is not an instant"), "{errors:?}");
        assert!(errors[1].starts_with("--latest-start: \"later\""), "{errors:?}");
    }
}
