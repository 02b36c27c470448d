//! Fuels by their codes.

use crate::provider::generation::Fuel;

/// The fuel of a code; `None` for one that is not known.
pub(super) fn fuel(code: &str) -> Option<Fuel> {
    Some(match code {
        "BIO" => Fuel::Biomass,
        "COL" => Fuel::Coal,
        "NG" => Fuel::Gas,
        "OIL" => Fuel::Oil,
        "GEO" => Fuel::Geothermal,
        // Some authorities tell it less what pumps draw.
        "WAT" => Fuel::Hydro,
        "NUC" => Fuel::Nuclear,
        // Without batteries of its own, with them.
        "SUN" | "SNB" => Fuel::Solar,
        "WND" | "WNB" => Fuel::Wind,
        // Batteries, pumped storage, other storage, storage of an unknown kind.
        "BAT" | "PS" | "OES" | "UES" => Fuel::Storage,
        "OTH" | "UNK" => Fuel::Unknown,
        _ => return None,
    })
}
