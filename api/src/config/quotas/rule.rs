//! Rules of quotas, as they are written.

use planner::node::is_name;
use planner::quota::{
    QuotaKey, QuotaLimit, QuotaMeasure, QuotaPeriod, QuotaRule, RuleBudgets, date_and_time,
};
use serde::Deserialize;

use super::{Wrong, all};

/// A rule; its numbers are read as decimals.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleFields {
    #[serde(default = "all")]
    partition: String,
    #[serde(default = "all")]
    project: String,
    #[serde(default = "all")]
    job_type: String,
    #[serde(default = "all")]
    user: String,
    nodes: Option<toml::Value>,
    reservations: Option<toml::Value>,
    node_hours: Option<toml::Value>,
    energy_kwh: Option<toml::Value>,
    cost: Option<toml::Value>,
    co2_kg: Option<toml::Value>,
    #[serde(default)]
    with_below: bool,
    per: Option<String>,
    from: Option<String>,
    to: Option<String>,
}

/// Whether a rule with the same key says something of the same measure.
pub(super) fn says_twice(before: &[QuotaRule], rule: &QuotaRule) -> bool {
    let both = |other: &QuotaRule, measure| {
        other.limit(measure).is_some() && rule.limit(measure).is_some()
    };
    let says = |other: &QuotaRule| QuotaMeasure::ALL.iter().any(|it| both(other, *it));
    before.iter().any(|other| other.key == rule.key && says(other))
}

impl RuleFields {
    pub(super) fn rule(&self, wrong: &mut Wrong, place: &str) -> Option<QuotaRule> {
        let Self { partition, project, job_type, user, .. } = self;
        for (name, value) in
            [("partition", partition), ("project", project), ("job_type", job_type), ("user", user)]
        {
            if !is_name(value) {
                wrong.0.push(format!("{place}.{name}: is no name, nor * nor /"));
            }
        }
        let key = wrong.accept(place, QuotaKey::of(partition, project, job_type, user));
        let before = wrong.0.len();
        let mut limit = |name: &str, value: &Option<toml::Value>| {
            let value = value.as_ref()?;
            wrong.accept(&format!("{place}.{name}"), QuotaLimit::parse(&text(value)))
        };
        let nodes = limit("nodes", &self.nodes);
        let reservations = limit("reservations", &self.reservations);
        let node_hours = limit("node_hours", &self.node_hours);
        let budgets = RuleBudgets {
            energy_kwh: limit("energy_kwh", &self.energy_kwh),
            cost: limit("cost", &self.cost),
            co2_kg: limit("co2_kg", &self.co2_kg),
            with_below: self.with_below,
        };
        let per = self.period(wrong, place);
        let (key, adjustment) = (key?, None);
        let rule = QuotaRule { key, nodes, reservations, node_hours, budgets, per, adjustment };
        if wrong.0.len() == before
            && let Some((member, told)) = rule.contradiction()
        {
            let member = member.map(|it| format!(".{it}")).unwrap_or_default();
            wrong.0.push(format!("{place}{member}: {told}"));
        }
        Some(rule)
    }

    /// What node-hours and budgets are added up over.
    fn period(&self, wrong: &mut Wrong, place: &str) -> Option<QuotaPeriod> {
        let at = |text: &String| date_and_time(text);
        match (&self.per, &self.from, &self.to) {
            (None, Some(from), Some(to)) => {
                let from = wrong.accept(&format!("{place}.from"), at(from));
                let to = wrong.accept(&format!("{place}.to"), at(to));
                let (from, to) = from.zip(to)?;
                if to <= from {
                    wrong.0.push(format!("{place}.to: must be after from"));
                }
                Some(QuotaPeriod::Fixed { from, to })
            }
            (per, None, None) => {
                let per = per.as_deref().map(QuotaPeriod::parse).transpose();
                wrong.accept(&format!("{place}.per"), per).flatten()
            }
            _ => {
                wrong.0.push(format!("{place}: from and to go together, and without per"));
                None
            }
        }
    }
}

/// A number or text as a limit is written.
fn text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
