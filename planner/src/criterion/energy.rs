//! Energy in microjoules (paper, section V, objective O1).

use super::Values;

pub(super) const WORD: &str = "energy";

pub(super) const fn exact(values: &Values) -> i128 {
    values.energy.as_microjoules()
}
