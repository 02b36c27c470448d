//! Rankings: the six orders of the three criteria.

use std::fmt;
use std::str::FromStr;
use std::sync::LazyLock;

use crate::criterion::{Criterion, Values};

/// An order of the criteria, most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ranking([Criterion; 3]);

/// The name of each ranking, in the order of [`Ranking::ALL`].
static NAMES: LazyLock<[String; 6]> =
    LazyLock::new(|| Ranking::ALL.map(|ranking| ranking.0.map(Criterion::word).join("_")));

/// Not one of the six.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a ranking: the words energy, cost and co2 once each, joined by underscores")]
pub struct RankingError;

impl Ranking {
    /// The six rankings, in the order of Algorithm 1.
    pub const ALL: [Self; 6] = {
        use Criterion::{Co2, Cost, Energy};
        [
            Self([Energy, Cost, Co2]),
            Self([Energy, Co2, Cost]),
            Self([Cost, Energy, Co2]),
            Self([Cost, Co2, Energy]),
            Self([Co2, Energy, Cost]),
            Self([Co2, Cost, Energy]),
        ]
    };

    /// The criteria, most important first.
    pub const fn criteria(self) -> [Criterion; 3] {
        self.0
    }

    /// The names of the six rankings, such as `cost_co2_energy`, in the order of [`Ranking::ALL`].
    pub fn names() -> impl ExactSizeIterator<Item = &'static str> {
        NAMES.iter().map(String::as_str)
    }

    /// What the lexicographic minimum compares.
    pub fn key(self, values: &Values) -> [i128; 3] {
        self.key_of(Criterion::ALL.map(|criterion| criterion.exact(values)))
    }

    /// What the lexicographic minimum compares of amounts in the order of [`Criterion::ALL`].
    pub fn key_of(self, amounts: [i128; 3]) -> [i128; 3] {
        self.0.map(|criterion| amounts[criterion as usize])
    }
}

impl fmt::Display for Ranking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.map(Criterion::word).join("_"))
    }
}

impl FromStr for Ranking {
    type Err = RankingError;
    fn from_str(text: &str) -> Result<Self, RankingError> {
        let named = Self::ALL.into_iter().zip(Self::names()).find(|(_, name)| *name == text);
        named.map(|(ranking, _)| ranking).ok_or(RankingError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_ranking_reads_back() {
        for ranking in Ranking::ALL {
            assert_eq!(ranking.to_string().parse(), Ok(ranking));
        }
        assert_eq!("cost_cost_co2".parse::<Ranking>(), Err(RankingError));
    }
}
