//! Colours by day, from the interface with an account and from the public page.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The answer with an account.
#[derive(Debug, Deserialize)]
pub struct Calendars {
    /// One calendar, or a list of them.
    pub tempo_like_calendars: OneOrMany,
}

/// Both shapes are about.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// An object.
    One(Calendar),
    /// A list.
    Many(Vec<Calendar>),
}

/// Days, the newest first.
#[derive(Debug, Deserialize)]
pub struct Calendar {
    /// The days.
    #[serde(default)]
    pub values: Vec<Day>,
}

/// A day from midnight to midnight.
#[derive(Debug, Deserialize)]
pub struct Day {
    /// Midnight in Paris.
    pub start_date: String,
    /// `BLUE`, `WHITE` or `RED`; absent on one day of 2022.
    pub value: Option<String>,
    /// The colour was decided without the usual data.
    #[serde(default)]
    pub fallback: Option<bool>,
    /// When it was announced.
    pub updated_date: Option<String>,
}

/// The public page: colours by date, empty or `0` where there is none yet.
#[derive(Debug, Deserialize)]
pub struct Season {
    /// By `YYYY-MM-DD`.
    pub values: BTreeMap<String, String>,
}

/// The answer of the token's address.
#[derive(Deserialize)]
pub struct Token {
    /// To be sent with each request.
    pub access_token: String,
    /// Seconds.
    pub expires_in: i64,
}
