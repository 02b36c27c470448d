//! Kinds of generation by their codes (ENTSO-E's code list `PsrType`).

use crate::provider::generation::Fuel;

/// The fuel of a `psrType`; `None` for an unknown one.
pub(super) fn fuel(code: &str) -> Option<Fuel> {
    Some(match code {
        // Biomass, waste.
        "B01" | "B17" => Fuel::Biomass,
        // Brown coal, hard coal, oil shale, peat.
        "B02" | "B05" | "B07" | "B08" => Fuel::Coal,
        // Coal-derived gas, natural gas.
        "B03" | "B04" => Fuel::Gas,
        "B06" => Fuel::Oil,
        "B09" => Fuel::Geothermal,
        // Pumped storage, other storage.
        "B10" | "B25" => Fuel::Storage,
        // Run-of-river, reservoir.
        "B11" | "B12" => Fuel::Hydro,
        "B14" => Fuel::Nuclear,
        "B16" => Fuel::Solar,
        // Off shore, on shore.
        "B18" | "B19" => Fuel::Wind,
        // Marine, other renewable, other.
        "B13" | "B15" | "B20" => Fuel::Unknown,
        _ => return None,
    })
}
