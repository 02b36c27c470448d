//! Financial cost (paper, section V, objective O2).

use super::Values;

pub(super) const WORD: &str = "cost";

pub(super) const fn exact(values: &Values) -> i128 {
    values.cost.as_exact()
}
