//! Problems made by hand: decisions with their arithmetic, and corrupted decisions for the judge.

#![expect(clippy::unwrap_used, reason = "a test may panic wherever it is")]

mod build;
mod conditions;
mod corrupted_conditions;
mod corrupted_counts;
mod corrupted_rankings;
mod corrupted_starts;
mod idle;
mod paper;
mod replacement;
mod site;
mod slower;
mod worked;
