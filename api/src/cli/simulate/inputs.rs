//! The user's own files as inputs of a cell.

use std::collections::BTreeMap;
use std::fs;

use grid_feeds::table::{self, TableError};
use planner::agenda::{Agenda, RateAgenda};
use planner::quantity::Currency;
use sha2::{Digest, Sha256};
use simulator::experiment::{Files, Variant};
use simulator::policy::Policy;
use simulator::sesames::{Cell, Forecast, Inputs, Parameters, SesamesError, Source, Tariff};
use simulator::swf;

use super::forecasts;
use crate::cli::Failure;

/// What was read: a digest of each file, by path.
pub type Digests = BTreeMap<String, String>;

/// Reads files, noting all errors with the file's name.
struct Reader<'a> {
    digests: &'a mut Digests,
    errors: Vec<String>,
}

/// The cell of a variant: its files read, its parameters made to fit them.
pub fn cell(
    variant: &Variant,
    policies: &[Policy],
    digests: &mut Digests,
) -> Result<Cell, Failure> {
    let mut reader = Reader { digests, errors: Vec::new() };
    let mut parameters = variant.parameters.clone();
    let inputs = reader.inputs(&variant.files, &mut parameters);
    if !reader.errors.is_empty() {
        return Err(Failure::BadInput(reader.errors));
    }
    Cell::new(parameters, inputs, policies.to_vec()).map_err(|error| match error {
        SesamesError::Parameters(errors) => bad_input(&errors),
        SesamesError::Inputs(errors) => bad_input(&errors),
        error => bad_input(&[error]),
    })
}

fn bad_input<E: std::fmt::Display>(errors: &[E]) -> Failure {
    Failure::BadInput(errors.iter().map(E::to_string).collect())
}

impl Reader<'_> {
    fn inputs(&mut self, files: &Files, parameters: &mut Parameters) -> Inputs {
        let mut inputs = Inputs::default();
        let count = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        if let Some(nodes) = self.table(files.nodes_file.as_ref(), table::nodes) {
            parameters.nodes = count(nodes.as_slice().len());
            inputs.nodes = Source::Given(nodes.as_slice().to_vec());
        }
        let currency = self.currency(files);
        if let Some(price) = self.table(files.price_file.as_ref(), table::price_agenda) {
            inputs.tariff = Source::Given(Tariff { currency, price: RateAgenda::new(price) });
        }
        if let Some(co2) = self.table(files.co2_file.as_ref(), table::co2_agenda) {
            inputs.co2 = Source::Given(RateAgenda::new(co2));
        }
        if let Some(cap) = self.table(files.power_cap_file.as_ref(), table::power_cap_agenda) {
            inputs.power_cap = Source::Given(Some(cap));
        }
        if let Some(requests) = self.table(files.requests_file.as_ref(), table::requests) {
            inputs.requests = Source::Given(requests);
        }
        if let Some(trace) = self.table(files.swf_file.as_ref(), swf::jobs) {
            let derived = swf::requests(&trace, files.swf, parameters);
            let (unknown, too_large) = (derived.unknown, derived.too_large);
            if unknown + too_large > 0 {
                eprintln!(
                    "left out of the trace: {unknown} jobs without processors or duration, \
                     {too_large} of more nodes than there are"
                );
            }
            if derived.requests.is_empty() {
                self.errors.push(format!(
                    "swf_file: no job of known size was submitted in the {} days from day {} of \
                     the trace on; swf_first_day names another",
                    parameters.days, files.swf.swf_first_day
                ));
            }
            inputs.requests = Source::Given(derived.requests);
        }
        if let Source::Given(requests) = &inputs.requests {
            parameters.requests = count(requests.len());
        }
        let price = files.price_forecast_file.as_ref();
        inputs.price_forecasts = self.forecasts(price, table::price_agenda);
        let co2 = files.co2_forecast_file.as_ref();
        inputs.co2_forecasts = self.forecasts(co2, table::co2_agenda);
        inputs
    }

    fn currency(&mut self, files: &Files) -> Currency {
        match files.currency.as_deref().map(Currency::parse) {
            None => Currency::EUR,
            Some(Ok(currency)) => currency,
            Some(Err(error)) => {
                self.errors.push(format!("currency {error}"));
                Currency::EUR
            }
        }
    }

    fn forecasts<R>(
        &mut self,
        path: Option<&String>,
        agenda: fn(&str) -> Result<Agenda<R>, Vec<TableError>>,
    ) -> Vec<Forecast<R>> {
        self.table(path, |text| forecasts::read(text, agenda)).unwrap_or_default()
    }

    fn table<T, E: std::fmt::Display>(
        &mut self,
        path: Option<&String>,
        table: impl FnOnce(&str) -> Result<T, Vec<E>>,
    ) -> Option<T> {
        let path = path?;
        match fs::read_to_string(path) {
            Err(error) => self.errors.push(format!("cannot read {path}: {error}")),
            Ok(text) => {
                self.digests.insert(path.clone(), hex::encode(Sha256::digest(&text)));
                match table(&text) {
                    Ok(value) => return Some(value),
                    Err(found) => {
                        self.errors.extend(found.iter().map(|error| format!("{path}, {error}")));
                    }
                }
            }
        }
        None
    }
}
