//! Experiments as data: one setting, or a sweep of them.
//!
//! ```toml
//! name = "flexibility"
//! policies = ["asap_first", "cost_co2_energy"]
//! [parameters]            # any of `sesames::Parameters`
//! nodes = 1000
//! [files]                 # the user's own inputs
//! price_file = "tariff.csv"
//! [vary]                  # every combination is a cell of the sweep
//! max_delay_h = [1, 4, 24]
//! price_file = ["tariff.csv", "other.csv"]
//! ```

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::policy::Policy;
use crate::sesames::Parameters;
use crate::traces::TraceReading;

/// What is played. Names of parameters and files are checked by [`Experiment::variants`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Experiment {
    /// The report's title.
    pub name: String,
    /// What is compared.
    pub policies: Vec<Policy>,
    /// [`Parameters`] by name; their defaults otherwise.
    pub parameters: Map<String, Value>,
    /// [`Files`] by name; drawn otherwise.
    pub files: Map<String, Value>,
    /// Values of parameters or files of which every combination is played.
    pub vary: Map<String, Value>,
}

/// The user's own inputs: where they are, not what is in them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Files {
    /// Nodes: `name`, `idle_power_w`, `max_power_w`, `alpha`.
    pub nodes_file: Option<String>,
    /// Prices: `start`, `end`, `price_per_mwh`.
    pub price_file: Option<String>,
    /// Of the prices; EUR unless given.
    pub currency: Option<String>,
    /// CO2 intensities: `start`, `end`, `intensity_g_per_kwh`.
    pub co2_file: Option<String>,
    /// Power caps: `start`, `end`, `cap_w`.
    pub power_cap_file: Option<String>,
    /// Price forecasts: `issued_at`, `start`, `end`, `price_per_mwh`.
    pub price_forecast_file: Option<String>,
    /// CO2 forecasts: `issued_at`, `start`, `end`, `intensity_g_per_kwh`.
    pub co2_forecast_file: Option<String>,
    /// Requests: `nodes`, `duration_s`, `earliest_start`, `latest_start`, `utilisation`.
    pub requests_file: Option<String>,
    /// A workload trace in the Standard Workload Format, to derive requests from.
    pub swf_file: Option<String>,
    /// How the trace is read.
    #[serde(flatten)]
    pub swf: TraceReading,
}

/// One cell of the sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// What is varied, and its value here.
    pub varied: Vec<(String, Value)>,
    /// With the values of this cell.
    pub parameters: Parameters,
    /// With the values of this cell.
    pub files: Files,
}

/// The most cells of a sweep.
const MOST_CELLS: usize = 10_000;

/// What is wrong with an experiment.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExperimentError {
    /// No such parameter, or not a value of it.
    #[error("parameters: {0}")]
    Parameters(String),
    /// No such file, or not a path.
    #[error("files: {0}")]
    Files(String),
    /// Not a list of values.
    #[error("vary: {0} must be a list of at least one value")]
    Vary(String),
    /// Too many combinations.
    #[error("vary: there are more than {MOST_CELLS} combinations")]
    TooMany,
}

impl Default for Experiment {
    fn default() -> Self {
        Self {
            name: "A month under policies".to_owned(),
            policies: Policy::SESAMES.into(),
            parameters: Map::new(),
            files: Map::new(),
            vary: Map::new(),
        }
    }
}

impl Experiment {
    /// The cells of the sweep: the last name varied changes fastest.
    ///
    /// # Errors
    /// Names and values that are none.
    pub fn variants(&self) -> Result<Vec<Variant>, ExperimentError> {
        let mut combinations: Vec<Vec<(String, Value)>> = vec![Vec::new()];
        for (name, values) in &self.vary {
            let values = values.as_array().filter(|values| !values.is_empty());
            let values = values.ok_or_else(|| ExperimentError::Vary(name.clone()))?;
            if combinations.len() * values.len() > MOST_CELLS {
                return Err(ExperimentError::TooMany);
            }
            let with = |combination: &Vec<(String, Value)>, value: &Value| {
                let mut longer = combination.clone();
                longer.push((name.clone(), value.clone()));
                longer
            };
            combinations = combinations
                .iter()
                .flat_map(|combination| values.iter().map(move |value| with(combination, value)))
                .collect();
        }
        combinations.into_iter().map(|varied| self.variant(varied)).collect()
    }

    fn variant(&self, varied: Vec<(String, Value)>) -> Result<Variant, ExperimentError> {
        let (mut parameters, mut files) = (self.parameters.clone(), self.files.clone());
        for (name, value) in &varied {
            let of = if is_of_files(name) { &mut files } else { &mut parameters };
            of.insert(name.clone(), value.clone());
        }
        if let Some(unknown) = unknown_parameter(&parameters) {
            return Err(ExperimentError::Parameters(unknown));
        }
        let parameters = serde_json::from_value(Value::Object(parameters))
            .map_err(|error| ExperimentError::Parameters(error.to_string()))?;
        let files = serde_json::from_value(Value::Object(files))
            .map_err(|error| ExperimentError::Files(error.to_string()))?;
        Ok(Variant { varied, parameters, files })
    }

    /// Sets a parameter or a file, whichever has this name.
    pub fn set(&mut self, name: &str, value: Value) {
        let of = if is_of_files(name) { &mut self.files } else { &mut self.parameters };
        of.insert(name.to_owned(), value);
    }
}

/// A name that no parameter has, with all names.
fn unknown_parameter(parameters: &Map<String, Value>) -> Option<String> {
    let names = Parameters::names();
    let unknown = parameters.keys().find(|name| !names.contains(name))?;
    Some(format!("unknown field `{unknown}`, expected one of `{}`", names.join("`, `")))
}

/// Whether a name is one of [`Files`]: such names end in `_file` or begin with `swf_`, and no
/// parameter's does.
fn is_of_files(name: &str) -> bool {
    name == "currency" || name.ends_with("_file") || name.starts_with("swf_")
}

impl Variant {
    /// What is varied, in words; empty for a single cell.
    pub fn name(&self) -> String {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let manager = &self.parameters.manager;
        let in_words = |name: &str| match name {
            "rights" => manager.rights.as_ref().map(ToString::to_string),
            "keep_warm_in" => manager.keep_warm_in.as_ref().map(ToString::to_string),
            _ => None,
        };
        let words = self.varied.iter().map(|(name, value)| {
            format!("{name}={}", in_words(name).unwrap_or_else(|| text(value)))
        });
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn experiment(document: Value) -> Experiment {
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn every_combination_is_a_cell() {
        let sweep = experiment(json!({
            "parameters": {"nodes": 10},
            "vary": {"max_delay_h": [1, 2.5], "price_file": ["a.csv", "b.csv"]},
        }));
        let variants = sweep.variants().unwrap();
        let names: Vec<String> = variants.iter().map(Variant::name).collect();
        assert_eq!(
            names,
            [
                "max_delay_h=1, price_file=a.csv",
                "max_delay_h=1, price_file=b.csv",
                "max_delay_h=2.5, price_file=a.csv",
                "max_delay_h=2.5, price_file=b.csv",
            ]
        );
        assert_eq!(variants[3].parameters.nodes, 10);
        assert!((variants[3].parameters.max_delay_h - 2.5).abs() < f64::EPSILON);
        assert_eq!(variants[3].files.price_file.as_deref(), Some("b.csv"));
        assert_eq!(Experiment::default().variants().unwrap().len(), 1);
    }

    #[test]
    fn rights_and_warm_nodes_are_told_in_few_words() {
        let window = json!({"from": "20:00", "to": "06:00", "zone": "UTC"});
        let sweep = experiment(json!({"vary": {
            "rights": [null, [], [{"partition": "batch", "level": "automatic", "windows": [window]},
                                  {"feature": "gpu", "level": "nothing"}]],
            "keep_warm_in": [[{"partition": "batch", "nodes": 2}, {"feature": "gpu", "nodes": 1}]],
        }}));
        let names: Vec<String> = sweep.variants().unwrap().iter().map(Variant::name).collect();
        let warm = "keep_warm_in=2 of batch; 1 of gpu";
        let rights = ["null", "none", "batch automatic in 1 window; gpu nothing"];
        assert_eq!(names, rights.map(|rights| format!("rights={rights}, {warm}")));
    }

    #[test]
    fn what_is_no_parameter_is_named() {
        let error = |document| experiment(document).variants().unwrap_err().to_string();
        assert!(
            error(json!({"parameters": {"node": 1}})).starts_with(
                "parameters: unknown field `node`, expected one of `nodes`, `requests`"
            )
        );
        assert!(error(json!({"parameters": {"keep": 1}})).contains("`most_switches_per_day`"));
        assert!(error(json!({"files": {"swf_file": 1}})).starts_with("files: invalid type"));
        assert!(error(json!({"vary": {"nodes": []}})).starts_with("vary: nodes must be a list"));
        assert!(error(json!({"vary": {"alpha_per": ["rack"]}})).contains("unknown variant `rack`"));
        assert!(serde_json::from_value::<Experiment>(json!({"polices": []})).is_err());
    }
}
