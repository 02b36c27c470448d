//! Rules, and which of them concerns whom.

use jiff::civil::DateTime;

use super::key::{QuotaKey, QuotaSubject};
use super::limit::{QuotaLimit, QuotaMeasure};
use crate::identity::QuotaAdjustmentId;

/// What some may have at most.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaRule {
    /// Whom it is about.
    pub key: QuotaKey,
    /// Nodes at an instant; `None` where this rule does not say, and a less specific one may.
    pub nodes: Option<QuotaLimit>,
    /// Reservations at an instant.
    pub reservations: Option<QuotaLimit>,
    /// Nodes times hours.
    pub node_hours: Option<QuotaLimit>,
    /// Energy, cost and CO2.
    pub budgets: RuleBudgets,
    /// What node-hours and budgets are added up over; of node-hours `None` for the time of the reservation that is asked
    /// for, as OAR does. Budgets always have one.
    pub per: Option<QuotaPeriod>,
    /// The adjustment that it is of, where it is of one.
    pub adjustment: Option<QuotaAdjustmentId>,
}

/// What a rule says of energy, cost and CO2; `None` where it does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RuleBudgets {
    /// Energy in kWh.
    pub energy_kwh: Option<QuotaLimit>,
    /// Cost in the site's currency.
    pub cost: Option<QuotaLimit>,
    /// CO2 in kg.
    pub co2_kg: Option<QuotaLimit>,
    /// Whether what is part of the project counts too, and is bound by it beside its own budgets.
    pub with_below: bool,
}

/// A period of the site's calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuotaPeriod {
    /// From midnight to midnight.
    Day,
    /// From Monday to Sunday.
    Week,
    /// From the first to the last of the month.
    Month,
    /// Three months, the first of which is January, April, July or October.
    Quarter,
    /// From January to December.
    Year,
    /// Once, from one time of the site's clock to another.
    Fixed {
        /// Its beginning.
        from: DateTime,
        /// Its end.
        to: DateTime,
    },
}

/// Rules that are in force together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotaRules {
    /// What they are called together.
    pub name: Box<str>,
    /// The rules.
    pub rules: Vec<QuotaRule>,
}

impl QuotaPeriod {
    /// The word in documents and settings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Quarter => "quarter",
            Self::Year => "year",
            Self::Fixed { .. } => "fixed",
        }
    }

    /// The recurring period of that word.
    ///
    /// # Errors
    /// What it must be, in words.
    pub fn parse(word: &str) -> Result<Self, &'static str> {
        match word {
            "day" => Ok(Self::Day),
            "week" => Ok(Self::Week),
            "month" => Ok(Self::Month),
            "quarter" => Ok(Self::Quarter),
            "year" => Ok(Self::Year),
            _ => Err("must be \"day\", \"week\", \"month\", \"quarter\" or \"year\""),
        }
    }
}

impl QuotaRule {
    /// What it says of a measure, where it says something.
    pub const fn limit(&self, measure: QuotaMeasure) -> Option<QuotaLimit> {
        match measure {
            QuotaMeasure::Nodes => self.nodes,
            QuotaMeasure::Reservations => self.reservations,
            QuotaMeasure::NodeHours => self.node_hours,
            QuotaMeasure::EnergyKwh => self.budgets.energy_kwh,
            QuotaMeasure::Cost => self.budgets.cost,
            QuotaMeasure::Co2Kg => self.budgets.co2_kg,
        }
    }

    /// Whether it says something of one of these measures.
    pub fn says_of(&self, measures: &[QuotaMeasure]) -> bool {
        measures.iter().any(|measure| self.limit(*measure).is_some())
    }

    /// What it says wrong together, though each part is right: of which member, or of the whole, in words.
    pub fn contradiction(&self) -> Option<(Option<&'static str>, &'static str)> {
        let has_budgets = self.says_of(&QuotaMeasure::OF_BUDGETS);
        if !self.says_of(&QuotaMeasure::ALL) {
            let told =
                "says nothing; give nodes, reservations, node_hours, energy_kwh, cost or co2_kg";
            return Some((None, told));
        }
        let is_of_all = |it: &&QuotaMeasure| self.limit(**it).is_some_and(QuotaLimit::is_of_all);
        if let Some(measure) = QuotaMeasure::OF_BUDGETS.iter().find(is_of_all) {
            return Some((Some(measure.word()), "is a number, or -1; nodes have no part in it"));
        }
        if has_budgets && self.per.is_none() {
            return Some((None, "budgets need per, or from and to"));
        }
        if self.budgets.with_below && !has_budgets {
            let told = "is of budgets, energy_kwh, cost or co2_kg, and there are none";
            return Some((Some("with_below"), told));
        }
        if self.per.is_some() && !has_budgets && self.node_hours.is_none() {
            let told = "is what node_hours and budgets are added up over, and there are none";
            return Some((Some("per"), told));
        }
        None
    }

    /// The higher one says: an adjustment goes before all other rules, then what is more specific.
    pub(super) fn precedence(&self) -> (bool, [u8; 4]) {
        (self.adjustment.is_some(), self.key.specificity())
    }
}

impl QuotaRules {
    /// The rule that says how much of a measure a subject may have: of those that concern it and say so, the most
    /// specific one, adjustments before others and the newest of those that are equally specific; `None` where no rule says
    /// so, which is no limit.
    pub fn applying(&self, subject: &QuotaSubject, measure: QuotaMeasure) -> Option<&QuotaRule> {
        let says = |rule: &&QuotaRule| rule.limit(measure).is_some() && rule.key.concerns(subject);
        self.rules.iter().filter(says).max_by_key(|rule| rule.precedence())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(key: &str, nodes: &str) -> QuotaRule {
        QuotaRule {
            key: QuotaKey::parse(key).unwrap(),
            nodes: Some(QuotaLimit::parse(nodes).unwrap()),
            reservations: None,
            node_hours: None,
            budgets: RuleBudgets::default(),
            per: None,
            adjustment: None,
        }
    }

    /// Part by part a name goes before `/`, and `/` before `*`: john's own 150 instead of everybody's 120, and a project
    /// before a user since it stands before it in the key.
    #[test]
    fn the_most_specific_rule_says() {
        let rules = ["*,*,*,*", "*,*,*,john", "*,*,*,/", "*,ocean,*,*", "*,/,*,john"];
        let rules = QuotaRules {
            name: "default".into(),
            rules: rules.iter().map(|key| rule(key, "1")).collect(),
        };
        let says = |project: &str, user: &str| {
            let subject = QuotaSubject {
                project: project.into(),
                user: user.into(),
                ..QuotaSubject::default()
            };
            rules.applying(&subject, QuotaMeasure::Nodes).unwrap().key.to_string()
        };
        assert_eq!(says("ocean", "john"), "*,ocean,*,*");
        assert_eq!(says("ice", "john"), "*,/,*,john");
        assert_eq!(says("ice", "ada"), "*,*,*,/");
        let subject = QuotaSubject::default();
        assert_eq!(rules.applying(&subject, QuotaMeasure::Reservations), None);
    }
}
