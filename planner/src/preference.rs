//! By what one of several offers is chosen.

use std::fmt;
use std::str::FromStr;

use crate::ranking::Ranking;

/// By what one of several offers is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preference {
    /// It wins this ranking.
    Ranking(Ranking),
    /// It gives up least of what is best: see [`compromise`](crate::compromise).
    Compromise,
}

/// Neither a ranking nor the compromise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "is not a ranking: the words energy, cost and co2 once each, joined by underscores, or compromise"
)]
pub struct PreferenceError;

/// The name of the compromise.
pub const COMPROMISE: &str = "compromise";

impl Preference {
    /// The names of the six rankings, and `compromise`.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Ranking::names().chain([COMPROMISE])
    }
}

impl Default for Preference {
    /// The first of the rankings.
    fn default() -> Self {
        Self::Ranking(Ranking::ALL[0])
    }
}

impl fmt::Display for Preference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ranking(ranking) => ranking.fmt(f),
            Self::Compromise => f.write_str(COMPROMISE),
        }
    }
}

impl FromStr for Preference {
    type Err = PreferenceError;
    fn from_str(text: &str) -> Result<Self, PreferenceError> {
        if text == COMPROMISE {
            return Ok(Self::Compromise);
        }
        text.parse().map(Self::Ranking).map_err(|_| PreferenceError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_preference_reads_back() {
        for name in Preference::names() {
            assert_eq!(name.parse().map(|it: Preference| it.to_string()), Ok(name.to_owned()));
        }
        assert_eq!("compromises".parse::<Preference>(), Err(PreferenceError));
    }
}
