//! A contract as it is written in the configuration.

use crate::provider::rte_tempo::{self, Colour};

/// A contract. Amounts are decimal texts in the currency per MWh.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// An IANA time zone such as `Europe/Paris`.
    pub time_zone: String,
    /// ISO 4217, such as `EUR`.
    pub currency: String,
    /// When a day of the contract begins, such as `06:00` for Tempo; `00:00` unless given.
    #[serde(default = "midnight")]
    pub day_starts_at: String,
    /// Whose legal holidays count as such.
    #[serde(default)]
    pub holidays: Holidays,
    /// Days that count as holidays too, such as `2026-12-24`.
    #[serde(default)]
    pub extra_holidays: Vec<String>,
    /// Network fees of rules that have none of their own.
    #[serde(default = "zero")]
    pub network_per_mwh: String,
    /// Taxes and levies.
    #[serde(default = "zero")]
    pub taxes_per_mwh: String,
    /// Value-added tax on all of it, in percent.
    #[serde(default = "zero")]
    pub vat_percent: String,
    /// The first that fits counts.
    pub rules: Vec<Rule>,
    /// Where the colours of days come from, for contracts that have them.
    pub colours: Option<rte_tempo::Settings>,
}

/// A price and when it holds; a condition that is not given fits always.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The band of the tariff that it is a part of, such as `peak`; other rules may be, too.
    pub band: Option<String>,
    /// On days of this colour.
    pub colour: Option<Colour>,
    /// On these days.
    pub days: Option<Days>,
    /// In these months, 1 to 12.
    #[serde(default)]
    pub months: Vec<i8>,
    /// From this time of the clock, such as `22:00` ...
    pub from: Option<String>,
    /// ... to this, perhaps of the next morning.
    pub to: Option<String>,
    /// The energy.
    pub energy_per_mwh: String,
    /// Network fees; those of the contract unless given.
    pub network_per_mwh: Option<String>,
}

/// Kinds of days.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Days {
    /// Monday to Friday, holidays excepted.
    Working,
    /// Saturday, Sunday and holidays.
    Free,
}

/// Whose legal holidays count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holidays {
    /// Nobody's.
    #[default]
    None,
    /// Those of France.
    France,
}

fn midnight() -> String {
    "00:00".to_owned()
}

fn zero() -> String {
    "0".to_owned()
}
