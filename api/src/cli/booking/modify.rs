//! `wattbook modify`: another request for a reservation, from a terminal.

use clap::builder::PossibleValuesParser;
use jiff::Zoned;
use planner::preference::Preference;
use serde_json::{Map, Value, json};

use super::id_prefix::{IdPrefix, RESERVATIONS};
use super::request::{Names, filled, names, once, shape, speed, told, tolerance};
use super::server::ActingConnection;
use super::time::{in_words, instant, seconds};
use super::{Format, Output, answers, show_one};
use crate::cli::{Failure, block_on, tell};

/// Arguments of `wattbook modify`: what is not said stays as it is.
#[derive(clap::Args)]
pub struct Modify {
    /// The reservation, by its id or the beginning of it
    #[arg(value_parser = IdPrefix::parse)]
    id: IdPrefix,
    #[command(flatten)]
    changes: RequestChanges,
    /// Leave this field out of the request; may be given several times
    #[arg(long, value_name = "FIELD", value_delimiter = ',', value_parser = PossibleValuesParser::new(MAY_BE_LEFT_OUT))]
    without: Vec<String>,
    /// Take the best start by this ranking, or the compromise, where the reservation is confirmed [default: as its offer was chosen]
    #[arg(long, value_parser = PossibleValuesParser::new(Preference::names()))]
    ranking: Option<String>,
    #[command(flatten)]
    output: Output,
    #[command(flatten)]
    connection: ActingConnection,
}

/// The fields that a request need not have. Of the last two it needs one.
const MAY_BE_LEFT_OUT: [&str; 19] = [
    "alternatives",
    "utilisation",
    "utilisation_from",
    "slowest_speed",
    "tolerance",
    "partition",
    "features",
    "exclude",
    "only",
    "project",
    "labels",
    "search",
    "on_cap",
    "extra_power_fee_limit",
    "give_back",
    "priority",
    "note",
    "latest_start",
    "latest_end",
];

/// Says in a merge patch that fields are left out.
pub(super) fn leave_out(
    fields: &[String],
    body: &mut Map<String, Value>,
) -> Result<(), Vec<String>> {
    let mut errors = Vec::new();
    for field in fields {
        match body.insert(field.clone(), Value::Null) {
            None | Some(Value::Null) => {}
            Some(_) => errors.push(format!("--without {field}: it is given another value, too")),
        }
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// What is to change of a request.
#[derive(clap::Args)]
pub(super) struct RequestChanges {
    /// How many nodes
    #[arg(short = 'N', long, value_name = "COUNT")]
    nodes: Option<u32>,
    /// How long: 90 (minutes), 1:30:00, 1-12:30 (days-hours:minutes), 90min, 1h30m or PT1H30M
    #[arg(short = 't', long, value_name = "LENGTH", value_parser = seconds)]
    time: Option<i64>,
    /// Not before: now, now+2hours, 22:00, tomorrow, 2026-11-22T08:00 (local) or with an offset
    #[arg(long, value_name = "INSTANT")]
    begin: Option<String>,
    /// It must have begun by then
    #[arg(long, value_name = "INSTANT")]
    latest_start: Option<String>,
    /// It must have ended by then
    #[arg(long, value_name = "INSTANT")]
    latest_end: Option<String>,
    /// Another shape that would do, such as 16x45min, instead of those that it has; up to eight
    #[arg(long = "or", value_name = "COUNTxLENGTH", value_parser = shape)]
    alternatives: Vec<Value>,
    /// Expected utilisation of nodes that have no alpha of their own, from 0 to 1
    #[arg(long, value_name = "SHARE")]
    utilisation: Option<f64>,
    /// How slowly it may run where the site has slower states of nodes: 80% or 0.8 of full speed
    #[arg(long, value_name = "SHARE", value_parser = speed)]
    slowest_speed: Option<f64>,
    /// How far from the best counts as equally good: cost=2% or cost=0.02
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
    /// The project that it is for
    #[arg(short = 'A', long, visible_alias = "account")]
    project: Option<String>,
    /// What you call it: run=7; run= leaves it out; may be given several times
    #[arg(long = "label", value_name = "NAME=VALUE", value_parser = changed_label)]
    labels: Vec<(String, Option<String>)>,
    /// Look at every second, not at the site's slots only
    #[arg(long)]
    exact: bool,
    /// Give the nodes back some time after the last of its jobs in Slurm has ended
    #[arg(long)]
    give_back: bool,
    /// Priority when the cap is lowered, 0 to 1000; a higher one is for operators to give
    #[arg(long)]
    priority: Option<u32>,
    /// What you note about it; an empty text leaves it out
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
}

/// A label, such as `run=7`, or `run=` for none.
fn changed_label(text: &str) -> Result<(String, Option<String>), String> {
    let label = text.split_once('=').filter(|(name, _)| !name.is_empty());
    let (name, value) = label.ok_or("is no label such as run=7")?;
    Ok((name.to_owned(), (!value.is_empty()).then(|| value.to_owned())))
}

impl RequestChanges {
    /// The merge patch of the request, read at `now`.
    pub(super) fn body(&self, now: &Zoned) -> Result<Map<String, Value>, Vec<String>> {
        let mut errors = Vec::new();
        let mut read = |argument: &str, text: Option<&str>| {
            let read = text.map(|text| instant(text, now)).transpose();
            let read = read.map_err(|error| errors.push(format!("--{argument}: {error}")));
            read.ok().flatten().map(told)
        };
        let begin = read("begin", self.begin.as_deref());
        let latest_start = read("latest-start", self.latest_start.as_deref());
        let latest_end = read("latest-end", self.latest_end.as_deref());
        if !errors.is_empty() {
            return Err(errors);
        }
        let members = |it: Map<String, Value>| (!it.is_empty()).then_some(Value::Object(it));
        let tolerances = self.tolerance.iter().map(|(name, share)| (name.clone(), json!(share)));
        let labels = self.labels.iter().map(|(name, value)| (name.clone(), json!(value)));
        let fields = [
            ("nodes", self.nodes.map(|it| json!(it))),
            ("duration_s", self.time.map(|it| json!(it))),
            ("earliest_start", begin),
            ("latest_start", latest_start),
            ("latest_end", latest_end),
            ("alternatives", filled(&self.alternatives)),
            ("utilisation", self.utilisation.map(|it| json!(it))),
            ("slowest_speed", self.slowest_speed.map(|it| json!(it))),
            ("tolerance", members(tolerances.collect())),
            ("partition", self.partition.as_ref().map(|it| json!(it))),
            ("features", filled(&self.constraint)),
            ("exclude", filled(&once(&self.exclude))),
            ("only", filled(&once(&self.nodelist))),
            ("labels", members(labels.collect())),
            ("project", self.project.as_ref().map(|it| json!(it))),
            ("search", self.exact.then(|| json!({ "mode": "exact" }))),
            ("give_back", self.give_back.then(|| json!("jobs_ended"))),
            ("priority", self.priority.map(|it| json!(it))),
            ("note", self.note.as_ref().map(|it| json!(Some(it).filter(|it| !it.is_empty())))),
        ];
        let said = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Ok(said.collect())
    }
}

/// Changes the request of a reservation.
pub fn modify(arguments: &Modify) -> Result<(), Failure> {
    let mut body = arguments.changes.body(&answers::now()?).map_err(Failure::BadInput)?;
    leave_out(&arguments.without, &mut body).map_err(Failure::BadInput)?;
    body.extend(arguments.ranking.as_ref().map(|it| ("ranking".to_owned(), json!(it))));
    if body.is_empty() {
        let told = "there is nothing to change; wattbook modify --help lists what can be";
        return Err(Failure::BadInput(vec![told.to_owned()]));
    }
    block_on(async {
        let server = arguments.connection.open()?;
        let id = arguments.id.find(&server, &RESERVATIONS).await?;
        let answer: Value = server.patch(&format!("reservations/{id}"), body).await?;
        let shown = show_one(&answer, arguments.output.format);
        if let (Format::Table, Some(time)) = (arguments.output.format, arguments.changes.time) {
            tell(format_args!("Asked for: {}.", in_words(time)));
        }
        shown
    })
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        changes: RequestChanges,
    }

    #[test]
    fn a_field_is_left_out_unless_it_gets_another_value() {
        let fields = ["partition".to_owned(), "only".to_owned()];
        let mut body = Map::from_iter([("nodes".to_owned(), json!(4))]);
        assert_eq!(leave_out(&fields, &mut body), Ok(()));
        assert_eq!(Value::Object(body), json!({ "nodes": 4, "partition": null, "only": null }));
        let mut body = Map::from_iter([("only".to_owned(), json!(["n1"]))]);
        let told = vec!["--without only: it is given another value, too".to_owned()];
        assert_eq!(leave_out(&fields, &mut body), Err(told));
    }

    #[test]
    fn what_is_said_is_changed_and_nothing_else() {
        let now: Zoned = "2026-11-21T15:30:10+01:00[Europe/Paris]".parse().unwrap();
        let body = |line: &str| {
            let line = Line::try_parse_from(line.split_whitespace()).unwrap();
            line.changes.body(&now).map(Value::Object)
        };
        assert_eq!(body("modify"), Ok(json!({})));
        let line = "modify -N 4 -t 1h --begin 22:00 --or 16x45min --tolerance cost=2% -x n[1-2] \
                    --label project=ocean --label user= --exact --give-back";
        let expected = json!({
            "nodes": 4, "duration_s": 3600, "earliest_start": "2026-11-21T21:00:00Z",
            "alternatives": [{ "nodes": 16, "duration_s": 2700 }], "tolerance": { "cost": 0.02 },
            "exclude": ["n1", "n2"], "labels": { "project": "ocean", "user": null },
            "search": { "mode": "exact" }, "give_back": "jobs_ended",
        });
        assert_eq!(body(line), Ok(expected));
        let errors = body("modify --begin soon").unwrap_err();
        assert!(errors[0].starts_with("--begin: \"soon\" is not an instant"), "{errors:?}");
    }
}
