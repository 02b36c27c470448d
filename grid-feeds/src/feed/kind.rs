//! Kinds of agendas: what never mixes.

use std::fmt;

use planner::quantity::{Currency, MAX_POWER_MICROWATTS, MAX_RATE_MILLIONTHS};

/// What an agenda is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantity {
    /// Price of energy.
    Price,
    /// CO2 intensity of energy.
    Co2,
    /// Cap of the site's power.
    PowerCap,
}

/// Whose emissions an intensity counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Accounting {
    /// Of all power stations running, per energy produced.
    Average,
    /// Of the power stations that one more kWh would make run.
    Marginal,
}

/// Which emissions of a power station an intensity counts; of the whole life cycle unless said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Factors {
    /// Of burning the fuel.
    Direct,
    /// Of the whole life cycle, construction and fuel supply included.
    #[default]
    #[serde(alias = "life-cycle")]
    Lifecycle,
}

/// Quantity and unit of an agenda; agendas of different kinds never mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Millionths of the currency per MWh; may be negative.
    Price {
        /// Of the prices.
        currency: Currency,
    },
    /// Millionths of a gram per kWh.
    Co2 {
        /// Average or marginal.
        accounting: Accounting,
        /// Direct or life cycle.
        factors: Factors,
    },
    /// Microwatts.
    PowerCap,
}

impl Quantity {
    /// The word in documents, paths and configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Price => "price",
            Self::Co2 => "co2",
            Self::PowerCap => "power-cap",
        }
    }
}

impl Accounting {
    /// The word in documents and configuration.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Average => "average",
            Self::Marginal => "marginal",
        }
    }

    /// The accounting of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Average, Self::Marginal].into_iter().find(|it| it.word() == word)
    }

    /// Marginal of average, and average of marginal.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Average => Self::Marginal,
            Self::Marginal => Self::Average,
        }
    }
}

impl Factors {
    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Lifecycle => "life-cycle",
        }
    }

    /// The factors of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Direct, Self::Lifecycle].into_iter().find(|it| it.word() == word)
    }
}

impl Kind {
    /// The quantity that values of this kind measure.
    pub const fn quantity(self) -> Quantity {
        match self {
            Self::Price { .. } => Quantity::Price,
            Self::Co2 { .. } => Quantity::Co2,
            Self::PowerCap => Quantity::PowerCap,
        }
    }

    /// Whether values can be negative.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::Price { .. })
    }

    /// Whether a value can be one at all, in the exact unit.
    pub const fn admits(self, value: i64) -> bool {
        match self {
            Self::Price { .. } => -MAX_RATE_MILLIONTHS <= value && value <= MAX_RATE_MILLIONTHS,
            Self::Co2 { .. } => 0 <= value && value <= MAX_RATE_MILLIONTHS,
            Self::PowerCap => 0 <= value && value <= MAX_POWER_MICROWATTS,
        }
    }

    /// The value to reckon with where two are said of one span: the dearer, the dirtier, the
    /// lower cap.
    pub fn cautious(self, one: i64, other: i64) -> i64 {
        match self {
            Self::Price { .. } | Self::Co2 { .. } => one.max(other),
            Self::PowerCap => one.min(other),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Price { currency } => write!(f, "price in {currency}/MWh"),
            Self::Co2 { accounting, factors } => {
                write!(f, "{} {} CO2 in g/kWh", accounting.word(), factors.word())
            }
            Self::PowerCap => f.write_str("power cap in W"),
        }
    }
}
