//! Whether an experiment can be played, and how much it is.
//!
//! Every cell is laid out once, as its worker will do: what passes cannot fail later for what was
//! asked. Before anything is drawn or laid out for a cell, its numbers are judged against the limits.

use planner::json::JsonError;
use planner::time::Seconds;
use serde_json::Value;
use simulator::experiment::Experiment;
use simulator::sesames::{Setting, Source};

use crate::simulation::document::{Document, MAX_NODES};
use crate::simulation::inputs::{self, BadInput, Measured, Place};

/// The most cells of a sweep.
const MAX_CELLS: u64 = 100;
/// The most runs of all cells: the journal has a row for each.
const MAX_RUNS: u64 = 10_000;
/// The most plans of a cell: its results, which have a row for each, are sent whole.
const MAX_PLANS_OF_CELL: u64 = 200_000;
/// The most plans of all cells.
const MAX_PLANS: u64 = 1_000_000;
/// The most slots from a month's start to the last end: drawn agendas have a piece for each.
const MAX_SLOTS: i64 = 1_000_000;

/// An experiment that can be played.
pub struct Checked {
    /// As it is stored.
    pub kept: String,
    /// How many cells.
    pub cells: u32,
    /// Runs of all cells.
    pub runs: u32,
    /// What a person should know of how its inputs were read, each once.
    pub notes: Vec<String>,
}

/// How much all cells are.
#[derive(Default)]
struct Size {
    runs: u64,
    plans: u64,
}

/// Checks all cells. `O(cells * nodes)` and the size of the tables for each cell.
///
/// # Errors
/// Every error, each once and with its place.
pub fn check(document: &Document) -> Result<Checked, Vec<JsonError>> {
    let mut errors = Vec::new();
    let mut notes = Vec::new();
    let mut size = Size::default();
    // Whether names and labels of nodes matter.
    let mut filtered = false;
    let experiment = &document.experiment;
    let lengths = experiment.vary.values().map(|values| values.as_array().map_or(1, Vec::len));
    let cells = lengths.fold(1_u64, |cells, length| cells.saturating_mul(length as u64));
    if cells > MAX_CELLS {
        return Err(vec![at("/vary", format!("must have at most {MAX_CELLS} combinations"))]);
    }
    let variants = experiment.variants().map_err(|error| vec![at("", error.to_string())])?;
    let given = document.inputs();
    let mut read = |name: &str| document.table(name);
    for variant in &variants {
        if variant.parameters.nodes > MAX_NODES {
            let place = pointer(experiment, &Place::Parameter("nodes"));
            note(&mut errors, at(place, format!("must be at most {MAX_NODES}")));
            continue;
        }
        let measured = inputs::setting(variant, &experiment.policies, &given, &mut read);
        if let Ok(Measured { setting, .. }) = &measured
            && let Source::Given(requests) = &setting.inputs().requests
        {
            filtered |= requests.iter().any(|request| !request.filter.is_empty());
        }
        let prepared = match measured {
            Ok(measured) if !size.takes(experiment, &measured.setting, &mut errors) => continue,
            Ok(measured) => measured.cell(),
            Err(found) => Err(found),
        };
        match prepared {
            Err(found) => {
                for bad in found {
                    note(&mut errors, placed(experiment, bad));
                }
            }
            Ok(prepared) => {
                for text in prepared.notes {
                    note(&mut notes, text);
                }
            }
        }
    }
    size.judge(&mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let kept = document.kept(filtered).map_err(|error| vec![at("", error.to_string())])?;
    let whole = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    Ok(Checked { kept, cells: whole(cells), runs: whole(size.runs), notes })
}

/// Notes what was not noted yet.
fn note<T: PartialEq>(all: &mut Vec<T>, one: T) {
    if !all.contains(&one) {
        all.push(one);
    }
}

impl Size {
    /// Counts a cell. Whether it may be laid out: it is within every limit, and so are all up to it.
    fn takes(
        &mut self,
        experiment: &Experiment,
        setting: &Setting,
        errors: &mut Vec<JsonError>,
    ) -> bool {
        let (parameters, plans) = (setting.parameters(), setting.plans());
        let is_of_nodes = parameters.nodes <= MAX_NODES;
        if !is_of_nodes {
            note(errors, at("", format!("there must be at most {MAX_NODES} nodes")));
        }
        let is_of_slots = slots(setting) <= MAX_SLOTS;
        if !is_of_slots {
            let place = pointer(experiment, &Place::Parameter("slot_s"));
            let message =
                format!("must be so long that there are at most {MAX_SLOTS} slots to the last end");
            note(errors, at(place, message));
        }
        let is_of_plans = plans <= MAX_PLANS_OF_CELL;
        if !is_of_plans {
            let message = format!(
                "there are {plans} plans (requests times policies, in all runs) in a cell, of at most \
                 {MAX_PLANS_OF_CELL}"
            );
            note(errors, at("", message));
        }
        self.runs = self.runs.saturating_add(parameters.runs.into());
        self.plans = self.plans.saturating_add(plans);
        let is_of_all = self.runs <= MAX_RUNS && self.plans <= MAX_PLANS;
        is_of_nodes && is_of_slots && is_of_plans && is_of_all
    }

    fn judge(&self, errors: &mut Vec<JsonError>) {
        if self.runs > MAX_RUNS {
            let message =
                format!("there are {} runs in all cells, of at most {MAX_RUNS}", self.runs);
            errors.push(at("", message));
        }
        if self.plans > MAX_PLANS {
            errors.push(at(
                "",
                format!("there are {} plans in all cells, of at most {MAX_PLANS}", self.plans),
            ));
        }
    }
}

/// From the month's start to the last instant that a request can touch, in slots.
fn slots(setting: &Setting) -> i64 {
    let parameters = setting.parameters();
    let horizon = parameters.horizon();
    let ends = match &setting.inputs().requests {
        Source::Drawn => None,
        Source::Given(requests) => {
            requests.iter().filter_map(|request| Some(request.reach()?.end())).max()
        }
    };
    let end = ends.map_or(horizon.end(), |end| end.max(horizon.end()));
    let length: Seconds = end - horizon.start();
    length.get() / i64::from(parameters.slot_s.max(1))
}

fn at(pointer: impl Into<String>, message: String) -> JsonError {
    JsonError { pointer: pointer.into(), message }
}

fn placed(experiment: &Experiment, bad: BadInput) -> JsonError {
    at(pointer(experiment, &bad.place), bad.message)
}

/// Where in the document that is.
fn pointer(experiment: &Experiment, place: &Place) -> String {
    let varied = |name: &str| matches!(experiment.vary.get(name), Some(Value::Array(_)));
    match place {
        Place::File(name) | Place::Parameter(name) | Place::InParameter(name, _)
            if varied(name) =>
        {
            format!("/vary/{name}")
        }
        Place::File(name) => format!("/files/{name}"),
        Place::Parameter(name) => format!("/parameters/{name}"),
        Place::InParameter(_, place) => format!("/parameters/{place}"),
        Place::Text(name) => {
            format!("/tables/{}", name.replace('~', "~0").replace('/', "~1"))
        }
        Place::Request(index) => format!("/requests/{index}"),
        Place::Agendas => "/agendas".to_owned(),
        Place::Policies => "/policies".to_owned(),
        Place::Experiment => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        let checked = check(&Document::read(text).unwrap());
        checked.err().unwrap_or_default().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_too_much_is_refused_with_the_limit() {
        let of = |text: &str| errors(text).concat();
        let hundred_and_one: Vec<u32> = (0..101).collect();
        let sweep = format!(r#"{{"vary": {{"seed": {hundred_and_one:?}}}}}"#);
        assert_eq!(of(&sweep), "/vary: must have at most 100 combinations");
        assert_eq!(
            of(r#"{"parameters": {"nodes": 1000001}}"#),
            "/parameters/nodes: must be at most 1000000"
        );
        let runs = of(r#"{"parameters": {"nodes": 1, "runs": 10001, "requests": 1}}"#);
        assert!(runs.contains("10001 runs in all cells, of at most 10000"), "{runs}");
        // 6 cells of 50 runs, 1000 requests and 4 policies: 1.2 million.
        let plans = of(r#"{"parameters": {"nodes": 1, "runs": 50, "requests": 1000},
                           "vary": {"max_delay_h": [1, 2, 3, 4, 5, 6]}}"#);
        assert!(plans.contains("1200000 plans in all cells"), "{plans}");
        let plans = of(r#"{"parameters": {"nodes": 1, "runs": 51, "requests": 1000}}"#);
        assert!(plans.contains("204000 plans (requests times"), "{plans}");
        // Ten years by the second.
        let slots = of(r#"{"parameters": {"nodes": 1, "days": 3660, "slot_s": 1}}"#);
        assert!(slots.starts_with("/parameters/slot_s: must be so long"), "{slots}");
    }

    /// With a table of prices all requests are drawn, to judge whether the table covers them: 4e9
    /// runs would take days, and 4e9 requests 400 GB.
    #[test]
    fn what_is_too_much_is_refused_before_anything_is_drawn_for_it() {
        let table = r#""files": {"price_file": "p.csv"}, "tables": {"p.csv":
            "start,end,price_per_mwh\n2013-01-01T00:00:00Z,2014-01-01T00:00:00Z,1\n"}"#;
        let of = |parameters: &str| {
            let began = std::time::Instant::now();
            let told = errors(&format!(r#"{{"parameters": {{{parameters}}}, {table}}}"#)).join(" ");
            assert!(began.elapsed() < std::time::Duration::from_secs(20), "{parameters}");
            told
        };
        let runs = of(r#""nodes": 1, "requests": 1, "runs": 4000000000"#);
        assert!(runs.contains("4000000000 runs in all cells"), "{runs}");
        let requests = of(r#""nodes": 1, "requests": 4000000000, "runs": 1"#);
        assert!(requests.contains("16000000000 plans (requests times"), "{requests}");
        let slots = of(r#""nodes": 1, "days": 3660, "slot_s": 1, "flow": "poisson""#);
        assert!(slots.contains("/parameters/slot_s: must be so long"), "{slots}");
        let both = of(r#""nodes": 1, "requests": 4294967295, "runs": 4294967295"#);
        assert!(both.contains("of at most 200000"), "{both}");
    }

    #[test]
    fn errors_of_all_cells_are_told_once_and_in_their_place() {
        let text = r#"{
            "parameters": {"days": 0, "slot_s": 7},
            "vary": {"max_delay_h": [1, -1], "price_file": ["a/b.csv"]},
            "tables": {"a/b.csv": "start,end,price_per_mwh\nnow,then,1\n"}
        }"#;
        let of_table = errors(text);
        assert!(of_table[0].starts_with("/tables/a~1b.csv: line 2, start"), "{of_table:?}");
        let good = text.replace("now,then,1\\n", "");
        let pointers: Vec<String> =
            errors(&good).iter().map(|error| error.split(':').next().unwrap().to_owned()).collect();
        assert_eq!(pointers, ["/parameters/days", "/parameters/slot_s", "/vary/max_delay_h"]);
        let late = r#"{"requests": [{"nodes": 1, "duration_s": 60,
            "earliest_start": "2000-01-01T00:00:00Z", "latest_start": "2000-01-01T00:00:00Z"}]}"#;
        assert!(errors(late)[0].starts_with("/requests/0: request 1: "), "{:?}", errors(late));
    }

    #[test]
    fn a_sweep_is_counted() {
        let text = r#"{"parameters": {"nodes": 4, "runs": 3, "requests": 2},
                       "vary": {"max_delay_h": [1, 2], "alpha_known": [true, false]}}"#;
        let checked = check(&Document::read(text).unwrap()).unwrap();
        assert_eq!((checked.cells, checked.runs), (4, 12));
    }
}
