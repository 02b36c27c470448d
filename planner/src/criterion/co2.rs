//! CO2 emitted (paper, section V, objective O3).

use super::Values;

pub(super) const WORD: &str = "co2";

pub(super) const fn exact(values: &Values) -> i128 {
    values.co2.as_exact()
}
