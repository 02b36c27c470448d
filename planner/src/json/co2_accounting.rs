//! Whose emissions figures of CO2 count, as documents name it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How figures of CO2 are counted. Figures that are counted in two ways do not add up.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Co2AccountingDocument {
    /// `average` (of all power stations that run, per energy produced) or `marginal` (of those that one more kWh would make
    /// run).
    #[cfg_attr(feature = "openapi", schema(example = "average"))]
    pub accounting: String,
    /// `direct` (of burning the fuel) or `life-cycle` (construction and fuel supply too); null where nobody said it.
    #[cfg_attr(feature = "openapi", schema(example = "direct"))]
    pub factors: Option<String>,
}

impl Co2AccountingDocument {
    /// What several figures have in common: `None` where one of them does not say its accounting, or where two differ;
    /// without factors where these differ.
    pub fn common<'a>(mut all: impl Iterator<Item = Option<&'a Self>>) -> Option<Self> {
        let mut common = all.next()??.clone();
        for it in all {
            let it = it?;
            if it.accounting != common.accounting {
                return None;
            }
            if it.factors != common.factors {
                common.factors = None;
            }
        }
        Some(common)
    }
}

impl fmt::Display for Co2AccountingDocument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.accounting)?;
        self.factors.iter().try_for_each(|factors| write!(f, ", {factors}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(accounting: &str, factors: Option<&str>) -> Co2AccountingDocument {
        let (accounting, factors) = (accounting.to_owned(), factors.map(str::to_owned));
        Co2AccountingDocument { accounting, factors }
    }

    #[test]
    fn figures_have_in_common_what_none_of_them_contradicts() {
        let direct = counted("average", Some("direct"));
        let whole = counted("average", Some("life-cycle"));
        let marginal = counted("marginal", Some("direct"));
        let common = |all: &[Option<&Co2AccountingDocument>]| {
            Co2AccountingDocument::common(all.iter().copied()).map(|it| it.to_string())
        };
        assert_eq!(common(&[Some(&direct), Some(&direct)]).as_deref(), Some("average, direct"));
        assert_eq!(common(&[Some(&direct), Some(&whole)]).as_deref(), Some("average"));
        assert_eq!(common(&[Some(&direct), Some(&marginal)]), None);
        assert_eq!(common(&[Some(&direct), None]), None);
        assert_eq!(common(&[]), None);
    }
}
