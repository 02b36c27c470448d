//! A number of machines: which ones is settled when a job starts.

use super::FitPart;
use super::set::Lowest;
use crate::policy::part::About;

/// So many machines are promised; a job starts on the lowest that are free.
pub const FIT: FitPart = FitPart {
    about: About { name: "count", meaning: "a number of machines is reserved", options: &[] },
    counts: true,
    build: |_, _| Box::new(Lowest),
};
