//! The idle energy that a booking avoids or causes, as an option of what offers count.
//!
//! A node that nobody has draws its idle power, or sleeps where that pays. A booking ends the idling while it lasts, and cuts
//! the gap that it is put into in two, which may be too short to sleep in. `docs/MODEL.md`, section 7, has the arithmetic.

use crate::power_plan::PowerRules;
use crate::time::Timestamp;

/// How a site counts the idle energy that a booking avoids or causes.
#[derive(Clone, Debug, PartialEq)]
pub struct IdleEnergy {
    /// Sleeps are counted up to here, at most [`LONGEST_HORIZON`](crate::power_plan::LONGEST_HORIZON) after now. A booking that
    /// begins here or later changes none.
    pub until: Timestamp,
    /// Which free nodes a booking takes.
    pub fit: Fit,
    /// How nodes are switched, when they may be and what a cycle costs. What couples nodes or days is not counted: nodes that
    /// are kept warm, and the most switches of a day.
    pub rules: PowerRules,
}

/// Which free nodes a booking takes where idle energy is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fit {
    /// Those that draw least, as without the option.
    #[default]
    LeastDraw,
    /// Those with the least energy, the idle energy counted; of equals those in the shortest gaps, so that long ones stay.
    LongGaps,
}

impl Fit {
    const ALL: [Self; 2] = [Self::LeastDraw, Self::LongGaps];

    /// The word in documents and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::LeastDraw => "least_draw",
            Self::LongGaps => "long_gaps",
        }
    }

    /// The fit of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|fit| fit.word() == word)
    }
}
