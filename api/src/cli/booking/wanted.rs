//! What is asked for: arguments in Slurm's spelling, as the API's request.

use jiff::{Timestamp, ToSpan, Zoned};
use serde_json::{Map, Value, json};

use super::time::{instant, seconds};

/// A request for nodes.
#[derive(clap::Args)]
pub struct Wanted {
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
    /// How hard nodes are driven, from 0 to 1, where they have no alpha of their own
    #[arg(long, value_name = "SHARE")]
    utilisation: Option<f64>,
    /// What is as good as the best, such as cost=0.02: within 2 % of the cheapest, the cleanest
    #[arg(long, value_name = "CRITERION=SHARE", value_delimiter = ',', value_parser = tolerance)]
    tolerance: Vec<(String, f64)>,
    /// Only nodes of this partition
    #[arg(short = 'p', long)]
    partition: Option<String>,
    /// Only nodes with these features, such as nvme&a100
    #[arg(short = 'C', long, value_name = "FEATURE", value_delimiter = '&')]
    constraint: Vec<String>,
    /// Not these nodes
    #[arg(short = 'x', long, value_name = "NODE", value_delimiter = ',')]
    exclude: Vec<String>,
    /// Look at every second, not at the site's slots only
    #[arg(long)]
    exact: bool,
}

fn shape(text: &str) -> Result<Value, String> {
    let read = text.split_once('x').and_then(|(nodes, length)| {
        Some(json!({ "nodes": nodes.parse::<u32>().ok()?, "duration_s": seconds(length).ok()? }))
    });
    read.ok_or_else(|| "is not a count of nodes and a length of time such as 16x45min".to_owned())
}

fn tolerance(text: &str) -> Result<(String, f64), String> {
    let read = text
        .split_once('=')
        .and_then(|(criterion, share)| Some((criterion.to_owned(), share.parse().ok()?)));
    read.ok_or_else(|| "is not a criterion and a share such as cost=0.02".to_owned())
}

impl Wanted {
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
        let tolerances: Map<_, _> =
            self.tolerance.iter().map(|(criterion, it)| (criterion.clone(), json!(it))).collect();
        put("tolerance", (!tolerances.is_empty()).then(|| Value::Object(tolerances)));
        put("partition", self.partition.as_ref().map(|it| json!(it)));
        put("features", filled(&self.constraint));
        put("exclude", filled(&self.exclude));
        put("search", self.exact.then(|| json!({ "mode": "exact" })));
        Ok(body)
    }
}

fn filled<T: serde::Serialize>(list: &[T]) -> Option<Value> {
    (!list.is_empty()).then(|| json!(list))
}

/// RFC 3339, whole seconds.
fn told(instant: Timestamp) -> Value {
    json!(Timestamp::from_second(instant.as_second()).unwrap_or(instant).to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        wanted: Wanted,
    }

    fn body(line: &str) -> Result<Value, Vec<String>> {
        let now: Zoned = "2026-11-21T15:30:10+01:00[Europe/Paris]".parse().unwrap();
        let line = Line::try_parse_from(line.split_whitespace()).unwrap();
        line.wanted.body(&now).map(Value::Object)
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
                    --utilisation 0.6 --tolerance cost=0.02,co2=0.1 -p gpu -C nvme&a100 -x n1,n2 --exact";
        let expected = json!({
            "nodes": 8, "duration_s": 7200, "earliest_start": "2026-11-21T21:00:00Z",
            "latest_end": "2026-11-22T23:00:00Z",
            "alternatives": [{ "nodes": 16, "duration_s": 2700 }],
            "utilisation": 0.6, "tolerance": { "cost": 0.02, "co2": 0.1 }, "partition": "gpu",
            "features": ["nvme", "a100"], "exclude": ["n1", "n2"], "search": { "mode": "exact" },
        });
        assert_eq!(body(line), Ok(expected));
    }

    #[test]
    fn every_instant_that_is_none_is_named() {
        let errors = body("quote -N 1 -t 60 --begin soon --latest-start later").unwrap_err();
        assert!(errors[0].starts_with("--begin: \"soon\" is not an instant"), "{errors:?}");
        assert!(errors[1].starts_with("--latest-start: \"later\""), "{errors:?}");
    }
}
