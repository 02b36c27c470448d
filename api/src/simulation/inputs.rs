//! A cell of an experiment: its tables read, its parameters made to fit them.

use std::fmt;
use std::sync::Arc;

use grid_feeds::table;
use planner::agenda::{Agenda, RateAgenda};
use planner::quantity::Currency;
use planner::request::Request;
use simulator::experiment::{Files, Variant};
use simulator::policy::Policy;
use simulator::sesames::{
    Cell, Forecast, Given, InputError, Inputs, Parameters, PriceSeries, SesamesError, Setting,
    Source, Uncovered,
};
use simulator::traces;

use super::forecasts;

/// Gives the text of a file by the name it has in the experiment, or says why it cannot.
pub type ReadText<'a> = dyn FnMut(&str) -> Result<String, String> + 'a;

/// A cell ready to be played.
#[derive(Debug)]
pub struct Prepared {
    /// The cell.
    pub cell: Cell,
    /// What a person should know of how its inputs were read.
    pub notes: Vec<String>,
}

/// What is wrong with a cell, in words that name the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadInput {
    /// Where the error is.
    pub place: Place,
    /// What is wrong.
    pub message: String,
}

/// Where in an experiment something is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A member of `files`.
    File(&'static str),
    /// In the file of this name.
    Text(String),
    /// A parameter.
    Parameter(&'static str),
    /// A place in a parameter that is a list, after it: `rights` and `rights/0/partition`.
    InParameter(&'static str, String),
    /// A request that was given by itself, from 0.
    Request(usize),
    /// The agendas that were given by themselves, or are the site's.
    Agendas,
    /// The policies.
    Policies,
    /// The experiment as a whole.
    Experiment,
}

impl fmt::Display for BadInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Text(name) => write!(f, "{name}, {}", self.message),
            _ => f.write_str(&self.message),
        }
    }
}

/// The cell of a variant, with what [`setting`] reads.
///
/// # Errors
/// Those of [`setting`], then those of [`Measured::cell`].
pub fn cell(
    variant: &Variant,
    policies: &[Policy],
    given: &Inputs,
    read: &mut ReadText<'_>,
) -> Result<Prepared, Vec<BadInput>> {
    setting(variant, policies, given, read)?.cell()
}

/// A cell whose inputs are read: how much it is can be told, and nothing has been drawn for it.
pub struct Measured<'a> {
    /// What would be played.
    pub setting: Setting,
    files: &'a Files,
    notes: Vec<String>,
}

impl Measured<'_> {
    /// Draws what is needed to judge the agendas that are given, and lays out the nodes.
    ///
    /// # Errors
    /// Agendas that do not cover the requests, nodes that are no cluster.
    pub fn cell(self) -> Result<Prepared, Vec<BadInput>> {
        let Self { setting, files, mut notes } = self;
        let cell = Cell::of(setting).map_err(|error| placed(&error, files))?;
        let uncovered = cell.uncovered().iter();
        notes.extend(uncovered.map(|it| format!("{}. {ALLOWED}", lacking(it, files))));
        Ok(Prepared { cell, notes })
    }
}

/// The inputs of a variant. What no file of it gives is as in `given`.
///
/// # Errors
/// All errors of the first kind that has any: unreadable files, parameters, inputs.
pub fn setting<'a>(
    variant: &'a Variant,
    policies: &[Policy],
    given: &Inputs,
    read: &mut ReadText<'_>,
) -> Result<Measured<'a>, Vec<BadInput>> {
    let mut reader = Reader { read, errors: Vec::new(), notes: Vec::new() };
    let mut parameters = variant.parameters.clone();
    let inputs = reader.inputs(&variant.files, given.clone(), &mut parameters);
    if !reader.errors.is_empty() {
        return Err(reader.errors);
    }
    let (files, notes) = (&variant.files, reader.notes);
    match Setting::new(parameters, inputs, policies.to_vec()) {
        Ok(setting) => Ok(Measured { setting, files, notes }),
        Err(error) => Err(placed(&error, files)),
    }
}

/// What to do where agendas do not cover the requests.
const WAY_OUT: &str = "give what covers them, or another start or fewer days, or allow it with \
     --allow-uncovered (allow_uncovered = true among the parameters): covered_share in the summary then \
     says how many are covered";
/// What happens then.
const ALLOWED: &str = "Such requests are placed where there is one, or not served: cost and CO2 are of \
     what was placed, and covered_share in the summary says how many requests are covered throughout";

/// An agenda that does not cover the requests, by its file's name where it has one.
fn lacking(uncovered: &Uncovered, files: &Files) -> String {
    let (_, file) = file_of(uncovered.agenda, files);
    let name = file.map_or_else(|| format!("agendas, {}", uncovered.agenda.word()), String::clone);
    format!("{name}: {uncovered}")
}

const fn file_of(agenda: Given, files: &Files) -> (&'static str, Option<&String>) {
    match agenda {
        Given::Price => ("price_file", files.price_file.as_ref()),
        Given::Co2 => ("co2_file", files.co2_file.as_ref()),
        Given::PowerCap => ("power_cap_file", files.power_cap_file.as_ref()),
    }
}

fn placed(error: &SesamesError, files: &Files) -> Vec<BadInput> {
    let bad = |place: Place, message: String| BadInput { place, message };
    match error {
        SesamesError::Parameters(errors) => errors
            .iter()
            .map(|error| bad(Place::Parameter(error.parameter()), error.to_string()))
            .collect(),
        SesamesError::Inputs(errors) => {
            let own = files.requests_file.is_none() && files.swf_file.is_none();
            let place = |error: &InputError| match *error {
                InputError::Request { number, .. }
                | InputError::Filter { number, .. }
                | InputError::FilterOfDrawn { number }
                | InputError::NoStart { number }
                | InputError::TooManyStarts { number }
                | InputError::TooFar { number }
                    if own =>
                {
                    Place::Request(number - 1)
                }
                _ => match error.place_in_parameter() {
                    Some((name, place)) => Place::InParameter(name, place),
                    None => Place::Experiment,
                },
            };
            errors.iter().map(|error| bad(place(error), error.to_string())).collect()
        }
        SesamesError::Uncovered(all) => {
            let place = |uncovered: &Uncovered| match file_of(uncovered.agenda, files) {
                (member, Some(_)) => Place::File(member),
                (_, None) => Place::Agendas,
            };
            let message = |it: &Uncovered| format!("{}: {WAY_OUT}", lacking(it, files));
            all.iter().map(|it| bad(place(it), message(it))).collect()
        }
        SesamesError::Policies => vec![bad(Place::Policies, error.to_string())],
        error => vec![bad(Place::Experiment, error.to_string())],
    }
}

/// Reads tables, noting all errors with the table's name.
struct Reader<'a, 'b> {
    read: &'a mut ReadText<'b>,
    errors: Vec<BadInput>,
    notes: Vec<String>,
}

impl Reader<'_, '_> {
    fn inputs(&mut self, files: &Files, given: Inputs, parameters: &mut Parameters) -> Inputs {
        let mut inputs = given;
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        if let Some(nodes) = self.table("nodes_file", files.nodes_file.as_ref(), table::nodes) {
            inputs.nodes = Source::Given(Arc::new(nodes));
        }
        if let Source::Given(nodes) = &inputs.nodes {
            parameters.nodes = nodes.count();
        }
        let currency = self.currency(files);
        if let Some(price) =
            self.table("price_file", files.price_file.as_ref(), table::price_agenda)
        {
            inputs.tariff = Source::Given(PriceSeries { currency, price: RateAgenda::new(price) });
        }
        if let Source::Given(tariff) = &mut inputs.tariff {
            tariff.currency = currency;
        }
        if let Some(co2) = self.table("co2_file", files.co2_file.as_ref(), table::co2_agenda) {
            inputs.co2 = Source::Given(RateAgenda::new(co2));
        }
        let cap = files.power_cap_file.as_ref();
        if let Some(cap) = self.table("power_cap_file", cap, table::power_cap_agenda) {
            inputs.power_cap = Source::Given(Some(cap));
        }
        let requests = files.requests_file.as_ref();
        if let Some(requests) = self.table("requests_file", requests, table::requests) {
            inputs.requests = Source::Given(requests);
        }
        if let Some(requests) = self.trace(files, parameters) {
            inputs.requests = Source::Given(requests);
        }
        if let Source::Given(requests) = &inputs.requests {
            parameters.requests = count(requests.len());
        }
        let price = files.price_forecast_file.as_ref();
        let price = self.forecasts("price_forecast_file", price, table::price_agenda);
        inputs.price_forecasts.extend(price);
        let co2 = files.co2_forecast_file.as_ref();
        let co2 = self.forecasts("co2_forecast_file", co2, table::co2_agenda);
        inputs.co2_forecasts.extend(co2);
        inputs
    }

    /// Requests derived from a workload trace, where there is one.
    fn trace(&mut self, files: &Files, parameters: &Parameters) -> Option<Vec<Request>> {
        let trace = self.table("swf_file", files.swf_file.as_ref(), traces::jobs)?;
        let derived = traces::requests(&trace, files.swf, parameters);
        let (unknown, too_large) = (derived.unknown, derived.too_large);
        if unknown + too_large > 0 {
            self.notes.push(format!(
                "left out of the trace: {unknown} jobs without processors or duration, \
                 {too_large} of more nodes than there are"
            ));
        }
        if derived.requests.is_empty() {
            let message = format!(
                "swf_file: no job of known size was submitted in the {} days from day {} of the \
                 trace on; swf_first_day names another",
                parameters.days, files.swf.swf_first_day
            );
            self.errors.push(BadInput { place: Place::File("swf_file"), message });
        }
        Some(derived.requests)
    }

    fn currency(&mut self, files: &Files) -> Currency {
        match files.currency.as_deref().map(Currency::parse) {
            None => Currency::EUR,
            Some(Ok(currency)) => currency,
            Some(Err(error)) => {
                let message = format!("currency {error}");
                self.errors.push(BadInput { place: Place::File("currency"), message });
                Currency::EUR
            }
        }
    }

    fn forecasts<R>(
        &mut self,
        file: &'static str,
        name: Option<&String>,
        agenda: fn(&str) -> Result<Agenda<R>, Vec<table::TableError>>,
    ) -> Vec<Forecast<R>> {
        self.table(file, name, |text| forecasts::read(text, agenda)).unwrap_or_default()
    }

    fn table<T, E: fmt::Display>(
        &mut self,
        file: &'static str,
        name: Option<&String>,
        table: impl FnOnce(&str) -> Result<T, Vec<E>>,
    ) -> Option<T> {
        let name = name?;
        match (self.read)(name) {
            Err(error) => {
                let message = format!("cannot read {name}: {error}");
                self.errors.push(BadInput { place: Place::File(file), message });
            }
            Ok(text) => match table(&text) {
                Ok(value) => return Some(value),
                Err(found) => self.errors.extend(found.iter().map(|error| BadInput {
                    place: Place::Text(name.clone()),
                    message: error.to_string(),
                })),
            },
        }
        None
    }
}
