//! Records, in the answers of both versions of the interface.

use serde::Deserialize;

use crate::feed::Number;

/// Version 2.1 has `results`, version 1 `records`.
#[derive(Debug, Deserialize)]
pub struct Answer {
    /// How many there are in all, version 2.1.
    pub total_count: Option<usize>,
    /// Version 2.1.
    pub results: Option<Vec<Record>>,
    /// Version 1.
    pub records: Option<Vec<Wrapped>>,
}

/// A record of version 1.
#[derive(Debug, Deserialize)]
pub struct Wrapped {
    /// Of which data set.
    pub datasetid: Option<String>,
    /// The record.
    pub fields: Record,
}

/// A quarter-hour or half-hour; what is unknown is absent.
#[derive(Debug, Deserialize)]
pub struct Record {
    /// `France`.
    pub perimetre: Option<String>,
    /// A region, in data sets of regions.
    pub libelle_region: Option<String>,
    /// The start, with the offset of Paris.
    pub date_heure: Option<String>,
    /// Real time, consolidated or definitive.
    pub nature: Option<String>,
    /// g/kWh, a number or a string of one.
    pub(crate) taux_co2: Option<Number>,
}
