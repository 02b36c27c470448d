//! Why a quota refuses a reservation.

use std::fmt;

use super::key::QuotaKey;
use super::limit::QuotaMeasure;
use super::rule::QuotaPeriod;
use crate::identity::QuotaAdjustmentId;
use crate::time::{Span, Timestamp};

/// Why a reservation would not keep the quotas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuotaRefusal {
    /// A limit would be exceeded.
    Exceeded(Box<QuotaExcess>),
    /// It would go on under other rules, and must not.
    Across {
        /// When the others come into force.
        at: Timestamp,
        /// What rules are called before; `None` where there are none.
        before: Option<Box<str>>,
        /// What rules are called after.
        after: Option<Box<str>>,
    },
}

/// A limit, and by what it would be exceeded. Node-hours are in node-seconds, budgets in their exact units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaExcess {
    /// What the rules are called.
    pub rules: Box<str>,
    /// Whom the rule is about.
    pub key: QuotaKey,
    /// The adjustment that the rule is of, where it is of one.
    pub adjustment: Option<QuotaAdjustmentId>,
    /// What it limits.
    pub measure: QuotaMeasure,
    /// The most that there may be.
    pub limit: i128,
    /// What others of the same key hold already.
    pub used: i128,
    /// What the reservation would add.
    pub asked: i128,
    /// What node-hours and budgets are added up over.
    pub per: Option<QuotaPeriod>,
    /// The time that counts.
    pub during: Span,
}

impl QuotaExcess {
    /// What is left of the limit: nothing where more is held than allowed, of budgets less than nothing.
    pub fn left(&self) -> i128 {
        self.measure.left(self.limit, self.used)
    }

    /// An amount of this measure as documents have it.
    pub fn in_units(&self, amount: i128) -> f64 {
        self.measure.in_units(amount)
    }
}

impl fmt::Display for QuotaRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exceeded(excess) => excess.fmt(f),
            Self::Across { at, before, after } => {
                let name = |rules: &Option<Box<str>>| match rules {
                    Some(name) => format!("rules {name:?}"),
                    None => "no rules".to_owned(),
                };
                write!(
                    f,
                    "a reservation must be over before other quotas come into force, and at {at} {} follow {}",
                    name(after),
                    name(before)
                )
            }
        }
    }
}

impl fmt::Display for QuotaExcess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rules, key, adjustment, measure, limit, used, asked, per, during } = self;
        let unit = match measure {
            QuotaMeasure::Nodes => "nodes",
            QuotaMeasure::Reservations => "reservations at a time",
            QuotaMeasure::NodeHours => "node-hours",
            QuotaMeasure::EnergyKwh => "kWh",
            QuotaMeasure::Cost => "in cost",
            QuotaMeasure::Co2Kg => "kg of CO2",
        };
        let amount = |amount: i128| self.in_units(amount);
        match adjustment {
            None => write!(f, "the quota {key} of the rules {rules:?}")?,
            Some(_) => write!(f, "the quota adjustment {key}")?,
        }
        write!(f, " allows {} {unit}", amount(*limit))?;
        match per {
            None | Some(QuotaPeriod::Fixed { .. }) => {}
            Some(per) => write!(f, " a {}", per.word())?,
        }
        let (used, left, asked) = (amount(*used), amount(self.left()), amount(*asked));
        write!(
            f,
            "; {used} are used from {during}, {left} are left, and {asked} more are asked for"
        )
    }
}
