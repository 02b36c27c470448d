//! How the site counts CO2, by its settings and its agendas.

use grid_feeds::feed::{Accounting, Kind, Quantity};
use planner::json::co2_accounting::Co2AccountingDocument;

use crate::config::Settings;
use crate::http::problem::Problem;
use crate::service::shared::SiteState;
use crate::service::shared::provenance::Co2Accounting;

/// How CO2 is counted in plans: as the settings say, else as the agenda in force does.
pub fn planned(settings: &Settings, state: &SiteState) -> Option<Co2AccountingDocument> {
    let stated = settings.feeds.agenda(Quantity::Co2).and_then(|rules| rules.kind);
    stated.and_then(document).or_else(|| state.co2_accounting())
}

/// How CO2 is counted that nothing is planned by; `None` where the settings name no sources of it.
pub fn other(settings: &Settings) -> Option<Co2AccountingDocument> {
    settings.feeds.other_co2().and_then(|it| document(it.kind))
}

/// Whether the intensities that a word asks for are those that nothing is planned by.
///
/// # Errors
/// The word is no accounting, or the site has no intensities of it.
pub fn is_other(word: &str, settings: &Settings, state: &SiteState) -> Result<bool, Problem> {
    if Accounting::from_word(word).is_none() {
        let message = "must be one of average, marginal";
        return Err(Problem::invalid_parameter("accounting", message));
    }
    let is_asked = |it: &Co2AccountingDocument| it.accounting == word;
    if other(settings).as_ref().is_some_and(is_asked) {
        return Ok(true);
    }
    if planned(settings, state).as_ref().is_some_and(is_asked) {
        return Ok(false);
    }
    Err(Problem::not_found(format_args!(
        "agenda of {word} CO2; name its sources as other in [agendas.co2]"
    )))
}

fn document(kind: Kind) -> Option<Co2AccountingDocument> {
    Co2Accounting::of(kind).map(Co2Accounting::document)
}
