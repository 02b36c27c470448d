//! The numbers by which the series are named.

use jiff::civil::Date;

use crate::provider::generation::Fuel;

/// The series of prices, by bidding zone.
const PRICES: [(&str, u32); 15] = [
    ("AT", 4170),
    ("BE", 4996),
    ("CH", 259),
    ("CZ", 261),
    ("DE-LU", 4169),
    ("DK1", 252),
    ("DK2", 253),
    ("FR", 254),
    ("HU", 262),
    ("IT-North", 255),
    ("NL", 256),
    ("NO2", 4997),
    ("PL", 257),
    ("SE4", 258),
    ("SI", 260),
];

/// What Germany generates, by kind. What pumped storage gives back was generated before.
const GENERATION: [(u32, Fuel); 10] = [
    // Brown coal, hard coal.
    (1223, Fuel::Coal),
    (4069, Fuel::Coal),
    // Off shore, on shore.
    (1225, Fuel::Wind),
    (4067, Fuel::Wind),
    (1226, Fuel::Hydro),
    // Other conventional power: gas of coal and of refineries, oil, waste.
    (1227, Fuel::Unknown),
    // Other renewable power: heat of the earth, gas of landfills, sewage and mines.
    (1228, Fuel::Unknown),
    (4066, Fuel::Biomass),
    (4068, Fuel::Solar),
    (4071, Fuel::Gas),
];

/// Nuclear power.
pub(super) const NUCLEAR: u32 = 1224;

/// From this day on Germany has no nuclear power, and SMARD no files of it in the weeks that follow.
pub(super) const NO_NUCLEAR_FROM: Date = jiff::civil::date(2023, 4, 16);

/// How many kinds of generation there are, nuclear power included.
pub(super) const KINDS: usize = GENERATION.len() + 1;

/// The series of a zone's prices.
pub(super) fn of_zone(zone: &str) -> Option<u32> {
    PRICES.iter().find(|(name, _)| *name == zone).map(|(_, filter)| *filter)
}

/// The zones whose prices there are, for messages.
pub(super) fn zones() -> String {
    PRICES.map(|(zone, _)| zone).join(", ")
}

/// The series of generation in a week that begins on `monday`.
pub(super) fn generation(monday: Date) -> impl Iterator<Item = u32> {
    let nuclear = (monday < NO_NUCLEAR_FROM).then_some(NUCLEAR);
    GENERATION.into_iter().map(|(filter, _)| filter).chain(nuclear)
}

/// What a series of generation is made of.
pub(super) fn fuel(filter: u32) -> Fuel {
    let listed = GENERATION.into_iter().find(|(listed, _)| *listed == filter);
    match listed {
        Some((_, fuel)) => fuel,
        None if filter == NUCLEAR => Fuel::Nuclear,
        None => Fuel::Unknown,
    }
}
