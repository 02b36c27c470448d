//! `wattbook batch run --grid-experiment`: several batch systems, and clients that choose among them.

mod inputs;
mod outputs;
mod site_inputs;

use std::path::Path;

use batch::sites::{SitesDocument, SitesError, SitesResults, play_sites};
use planner::time::Timestamp;

use super::arguments::Arguments;
use super::files::{self, bad_input};
use super::nodes::Services;
use crate::cli::{Failure, out};
use inputs::{SitesInputs, check_rules};
use outputs::SitesOutputs;

/// Plays an experiment.
pub fn run(arguments: &Arguments, file: &Path) -> Result<(), Failure> {
    arguments.options()?;
    let text = files::text(file).map_err(|error| bad_input(file, error))?;
    let document = SitesDocument::parse(&text).map_err(|error| several(file, error.0))?;
    let origin = document.origin.as_deref().map(Timestamp::parse).transpose();
    let origin = origin.map_err(|error| bad_input(file, format!("origin {error}")))?;
    let token = arguments.identity.token()?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let services = Services::Asked(token.as_ref());
    let inputs = SitesInputs::read(file, folder, &document, origin, arguments.raw, services)?;
    let experiment = inputs.experiment(&document);
    check_rules(&experiment).map_err(|errors| several(file, errors))?;
    let part = arguments.part(origin)?;
    if let Some(folder) = &arguments.out {
        out::check(&folder.into(), arguments.force)?;
    }
    let mut outputs =
        SitesOutputs::create(arguments.out.as_deref(), &arguments.format, &experiment, part)?;
    let played = play_sites(&experiment, outputs.observers());
    let results = played.map_err(|error| match error {
        SitesError::Output(error) => error.into(),
        error => bad_input(file, error),
    })?;
    if !arguments.supplier.allow_uncovered {
        check_coverage(file, &results)?;
    }
    let text = serde_json::to_string_pretty(&results)?;
    let Some(folder) = arguments.out.as_ref() else { return Ok(crate::cli::print(text)?) };
    if arguments.force {
        out::clear(&folder.into())?;
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    outputs.finish(&experiment, &results, &text, (&name, origin))?;
    out::tell_written(&folder.into());
    Ok(())
}

/// Several errors of one file.
fn several(file: &Path, errors: Vec<String>) -> Failure {
    let with_file = |error: String| format!("{}: {error}", file.display());
    Failure::BadInput(errors.into_iter().map(with_file).collect())
}

/// Checks that the agendas of all sites cover what was played.
fn check_coverage(file: &Path, results: &SitesResults) -> Result<(), Failure> {
    let mut lacking = Vec::new();
    for site in &results.sites {
        let shares = [
            ("price", site.summary.energy_cost_covered_share),
            ("co2", site.summary.energy_co2_covered_share),
        ];
        for (table, share) in shares {
            if let Some(share) = share.filter(|share| *share < 1.0) {
                lacking.push(format!(
                    "site {:?}: {table} covers only {:.3} % of the energy until its last job ended; a longer table, or \
                     --allow-uncovered",
                    site.site,
                    share * 100.0
                ));
            }
        }
    }
    if lacking.is_empty() { Ok(()) } else { Err(several(file, lacking)) }
}
