//! Emission factors of kinds of generation, in grams of CO2 equivalent per kWh.
//!
//! The figures are those of the Electricity Maps open-source configuration (`config/defaults.yaml`
//! of electricitymaps-contrib), which takes the life-cycle medians of IPCC AR5 WG III, Annex III,
//! Table A.III.2, for all but oil, and their part of direct emissions. They are the same for all
//! zones: a zone's own power stations differ by some tens of percent.

use crate::feed::Factors;

/// What a kind of generation counts as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// Emits so many g/kWh.
    Generation(i64),
    /// Gives back what was generated before: not counted.
    Storage,
}

/// The factor of a `psrType`; `None` for an unknown one.
pub(super) fn factor(code: &str, factors: Factors) -> Option<Source> {
    let (direct, lifecycle) = match code {
        // Biomass, waste.
        "B01" | "B17" => (0, 230),
        // Brown coal, hard coal, oil shale, peat.
        "B02" | "B05" | "B07" | "B08" => (760, 820),
        // Coal-derived gas, natural gas.
        "B03" | "B04" => (370, 490),
        // Oil.
        "B06" => (406, 650),
        // Geothermal.
        "B09" => (0, 38),
        // Pumped storage, other storage.
        "B10" | "B25" => return Some(Source::Storage),
        // Run-of-river, reservoir.
        "B11" | "B12" => (0, 24),
        // Nuclear.
        "B14" => (0, 12),
        // Solar.
        "B16" => (0, 45),
        // Wind, off shore and on shore.
        "B18" | "B19" => (0, 11),
        // Marine, other renewable, other: unknown.
        "B13" | "B15" | "B20" => (575, 700),
        _ => return None,
    };
    Some(Source::Generation(match factors {
        Factors::Direct => direct,
        Factors::Lifecycle => lifecycle,
    }))
}
