//! Quotas: `[quotas]`. See `docs/QUOTAS.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, ensure};
use jiff::tz::TimeZone;
use planner::json::oar_quotas::read_oar_quotas;
use planner::node::{Nodes, is_name};
use planner::quota::{
    AcrossRules, OnceQuota, QuotaCalendar, QuotaKey, QuotaLimit, QuotaPeriod, QuotaRule,
    QuotaRules, Quotas, RecurringQuota, date_and_time, day_list, days_of_month, hours_of_day,
    months_of_year,
};
use serde::Deserialize;

/// The rules that are in force where no period is.
const DEFAULT: &str = "default";

/// What users and projects may hold.
#[derive(Clone, Debug, Default)]
pub struct QuotaSettings {
    /// The quotas; `None` where there are none.
    pub quotas: Option<Arc<SiteQuotas>>,
    /// Whether they concern operators and the local user too.
    pub operators: bool,
}

/// Quotas by the site's clock.
#[derive(Clone, Debug)]
pub struct SiteQuotas {
    /// The quotas.
    pub quotas: Quotas,
    /// The zone of the clock.
    pub zone: TimeZone,
}

/// What the settings say, or a file of our own.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuotaFields {
    file: Option<PathBuf>,
    operators: Option<bool>,
    across_rules: Option<String>,
    #[serde(default)]
    periods: Vec<PeriodFields>,
    #[serde(default)]
    exceptions: Vec<ExceptionFields>,
    #[serde(default)]
    rules: BTreeMap<String, Vec<RuleFields>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PeriodFields {
    #[serde(default = "all")]
    hours: String,
    #[serde(default = "all")]
    weekdays: String,
    #[serde(default = "all")]
    days: String,
    #[serde(default = "all")]
    months: String,
    rules: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ExceptionFields {
    from: String,
    to: String,
    rules: String,
    #[serde(default)]
    why: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RuleFields {
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
    per: Option<String>,
}

fn all() -> String {
    "*".to_owned()
}

impl SiteQuotas {
    /// The periods that node-hours are added up over.
    pub fn periods(&self) -> Vec<QuotaPeriod> {
        let rules = self.quotas.sets.iter().flat_map(|set| &set.rules);
        rules.filter_map(|rule| rule.per).collect()
    }

    /// The number of nodes of a partition; of all where its name is empty.
    pub fn nodes_of(nodes: &Nodes, partition: &str) -> u32 {
        if partition.is_empty() {
            return nodes.count();
        }
        let labels = nodes.labels();
        let is_in = |kind: &&u32| {
            labels.kinds()[**kind as usize].partitions.iter().any(|name| **name == *partition)
        };
        u32::try_from(labels.kind_of().iter().filter(is_in).count()).unwrap_or(u32::MAX)
    }
}

impl QuotaSettings {
    /// Reads the section; the clock is that of the zone, or of UTC.
    ///
    /// # Errors
    /// Every error of the section or the file that it names.
    pub fn read(fields: Option<QuotaFields>, zone: Option<&str>) -> anyhow::Result<Self> {
        let Some(mut fields) = fields else { return Ok(Self::default()) };
        let zone = TimeZone::get(zone.unwrap_or("UTC"))?;
        let operators = fields.operators.take().unwrap_or_default();
        let across = fields.across_rules.as_deref().map(across_rules).transpose();
        let across = across.map_err(|error| anyhow!("across_rules {error}"))?;
        let mut quotas = match fields.file.take() {
            Some(path) => {
                ensure!(
                    fields.is_empty(),
                    "file is there, and so are rules of the settings' own; leave out one of them"
                );
                let context = || format!("file {}", path.display());
                read_quotas(&path)
                    .map_err(|errors| anyhow!(errors.join("; ")))
                    .with_context(context)?
            }
            None => fields.quotas().map_err(|errors| anyhow!(errors.join("; ")))?,
        };
        quotas.across = across.unwrap_or(quotas.across);
        Ok(Self { quotas: Some(Arc::new(SiteQuotas { quotas, zone })), operators })
    }
}

/// Reads a file of quotas: one of our own where its name ends in `.toml`, else OAR's.
///
/// # Errors
/// Every error, with its place.
pub fn read_quotas(path: &Path) -> Result<Quotas, Vec<String>> {
    let text = std::fs::read_to_string(path).map_err(|error| vec![error.to_string()])?;
    if path.extension().is_none_or(|it| !it.eq_ignore_ascii_case("toml")) {
        let told = |errors: Vec<planner::json::JsonError>| {
            errors.iter().map(ToString::to_string).collect()
        };
        return read_oar_quotas(&text).map_err(told);
    }
    let fields: QuotaFields = toml::from_str(&text).map_err(|error| vec![error.to_string()])?;
    if fields.file.is_some() || fields.operators.is_some() {
        return Err(vec!["file and operators belong in the settings, not here".to_owned()]);
    }
    fields.quotas()
}

fn across_rules(word: &str) -> Result<AcrossRules, &'static str> {
    match word {
        "refuse" => Ok(AcrossRules::Refuse),
        "each_part" => Ok(AcrossRules::EachPart),
        _ => Err("must be \"refuse\" or \"each_part\""),
    }
}

/// What was found wrong.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn accept<T, E: std::fmt::Display>(&mut self, place: &str, read: Result<T, E>) -> Option<T> {
        read.map_err(|error| self.0.push(format!("{place}: {error}"))).ok()
    }
}

impl QuotaFields {
    fn is_empty(&self) -> bool {
        self.periods.is_empty() && self.exceptions.is_empty() && self.rules.is_empty()
    }

    fn quotas(&self) -> Result<Quotas, Vec<String>> {
        let mut wrong = Wrong::default();
        let across = self.across_rules.as_deref().map(across_rules).transpose();
        let across = wrong.accept("across_rules", across).flatten();
        let mut sets = Vec::new();
        for (name, rules) in &self.rules {
            let place = |index| format!("rules.{name}[{index}]");
            let mut read = Vec::new();
            for (index, fields) in rules.iter().enumerate() {
                let rule = fields.rule(&mut wrong, &place(index));
                if rule.as_ref().is_some_and(|rule| says_twice(&read, rule)) {
                    wrong
                        .0
                        .push(format!("{}: another rule with the same key says so", place(index)));
                }
                read.extend(rule);
            }
            sets.push(QuotaRules { name: name.as_str().into(), rules: read });
        }
        if sets.is_empty() {
            wrong.0.push("rules is missing: what the quotas are".to_owned());
        }
        let calendar = self.calendar(&mut wrong);
        if wrong.0.is_empty()
            && let Some(gap) = calendar.gap()
        {
            wrong.0.push(format!(
                "periods: there are no rules {gap}; rules named {DEFAULT:?} fill gaps"
            ));
        }
        let across = across.unwrap_or(AcrossRules::EachPart);
        if wrong.0.is_empty() { Ok(Quotas { sets, calendar, across }) } else { Err(wrong.0) }
    }

    fn calendar(&self, wrong: &mut Wrong) -> QuotaCalendar {
        let names: Vec<&str> = self.rules.keys().map(String::as_str).collect();
        let of = |name: &str| {
            let place = names.iter().position(|known| *known == name);
            place.ok_or_else(|| format!("there are no rules {name:?}"))
        };
        let mut calendar =
            QuotaCalendar { otherwise: of(DEFAULT).ok(), ..QuotaCalendar::default() };
        for (index, fields) in self.periods.iter().enumerate() {
            let place = |name: &str| format!("periods[{index}].{name}");
            let hours = wrong.accept(&place("hours"), hours_of_day(&fields.hours));
            let weekdays = wrong.accept(&place("weekdays"), day_list(&fields.weekdays));
            let days = wrong.accept(&place("days"), days_of_month(&fields.days));
            let months = wrong.accept(&place("months"), months_of_year(&fields.months));
            let rules = wrong.accept(&place("rules"), of(&fields.rules));
            if let (Some((from_s, to_s)), Some(weekdays), Some(days), Some(months), Some(rules)) =
                (hours, weekdays, days, months, rules)
            {
                let period = RecurringQuota { from_s, to_s, weekdays, days, months, rules };
                calendar.recurring.push(period);
            }
        }
        for (index, fields) in self.exceptions.iter().enumerate() {
            let place = |name: &str| format!("exceptions[{index}].{name}");
            let from = wrong.accept(&place("from"), date_and_time(&fields.from));
            let to = wrong.accept(&place("to"), date_and_time(&fields.to));
            let rules = wrong.accept(&place("rules"), of(&fields.rules));
            let Some(((from, to), rules)) = from.zip(to).zip(rules) else { continue };
            if to <= from {
                wrong.0.push(format!("{}: must be after from", place("to")));
            }
            calendar.once.push(OnceQuota { from, to, why: fields.why.as_str().into(), rules });
        }
        calendar
    }
}

/// Whether a rule with the same key says something of the same measure.
fn says_twice(before: &[QuotaRule], rule: &QuotaRule) -> bool {
    before.iter().any(|other| {
        other.key == rule.key
            && ((other.nodes.is_some() && rule.nodes.is_some())
                || (other.reservations.is_some() && rule.reservations.is_some())
                || (other.node_hours.is_some() && rule.node_hours.is_some()))
    })
}

impl RuleFields {
    fn rule(&self, wrong: &mut Wrong, place: &str) -> Option<QuotaRule> {
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
        let per = self.per.as_deref().map(QuotaPeriod::parse).transpose();
        let per = wrong.accept(&format!("{place}.per"), per).flatten();
        if [nodes, reservations, node_hours] == [None; 3] && wrong.0.len() == before {
            wrong.0.push(format!("{place}: says nothing; give nodes, reservations or node_hours"));
        }
        if per.is_some() && self.node_hours.is_none() {
            wrong.0.push(format!(
                "{place}.per: is what node_hours are added up over, and there are none"
            ));
        }
        Some(QuotaRule { key: key?, nodes, reservations, node_hours, per })
    }
}

/// A number or text as a limit is written.
fn text(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use planner::quota::{QuotaMeasure, QuotaSubject};

    use super::*;

    fn read(text: &str) -> Result<Quotas, Vec<String>> {
        toml::from_str::<QuotaFields>(text).unwrap().quotas()
    }

    #[test]
    fn rules_by_hours_days_and_months_are_read() {
        let quotas = read(
            "[[periods]]\nhours = \"09:00-19:00\"\nweekdays = \"mon-fri\"\nmonths = \"jun-aug\"\nrules = \"summer\"\n\
             [[periods]]\ndays = \"1-3\"\nrules = \"summer\"\n\
             [[rules.default]]\nuser = \"/\"\nnodes = 16\nnode_hours = \"2*ALL\"\nper = \"week\"\n\
             [[rules.summer]]\nproject = \"ocean\"\nreservations = 2\n",
        );
        let quotas = quotas.unwrap();
        assert_eq!(quotas.across, AcrossRules::EachPart);
        let at = |text: &str| {
            let place = quotas.calendar.at(date_and_time(text).unwrap()).unwrap();
            &*quotas.sets[place].name
        };
        // A Monday in June, a Monday in May, the second of May.
        assert_eq!(at("2026-06-08 09:00"), "summer");
        assert_eq!(at("2026-05-11 09:00"), "default");
        assert_eq!(at("2026-05-02 23:59"), "summer");
        let subject = QuotaSubject::default();
        let rule = quotas.sets[0].applying(&subject, QuotaMeasure::NodeHours).unwrap();
        assert_eq!(
            (rule.per, rule.node_hours.unwrap().to_string()),
            (Some(QuotaPeriod::Week), "2*ALL".into())
        );
    }

    #[test]
    fn every_error_is_named() {
        let errors = read(
            "[[periods]]\nhours = \"9-19\"\nmonths = \"juni\"\nrules = \"night\"\n\
             [[rules.day]]\nnodes = \"many\"\n[[rules.day]]\nuser = \"/\"\n\
             [[rules.day]]\njob_type = \"/\"\nnodes = 1\nper = \"year\"\n",
        );
        let errors = errors.unwrap_err();
        for place in [
            "rules.day[0].nodes: ",
            "rules.day[1]: says nothing",
            "rules.day[2]: the job type",
            "rules.day[2].per: ",
            "periods[0].hours: ",
            "periods[0].months: ",
            "periods[0].rules: there are no rules \"night\"",
        ] {
            assert!(errors.iter().any(|error| error.starts_with(place)), "{place} {errors:?}");
        }
    }

    #[test]
    fn a_time_without_rules_is_named() {
        let day = "[[rules.day]]\nnodes = 1\n";
        let weekdays = format!("[[periods]]\nweekdays = \"mon-fri\"\nrules = \"day\"\n{day}");
        let told = read(&weekdays).unwrap_err();
        assert!(told[0].starts_with("periods: there are no rules on sat from 00:00"), "{told:?}");
        let months = format!("[[periods]]\nmonths = \"feb-dec\"\nrules = \"day\"\n{day}");
        let told = read(&months).unwrap_err();
        assert!(told[0].contains("on a mon that is jan 1 from 00:00 to 24:00"), "{told:?}");
    }
}
