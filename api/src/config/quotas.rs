//! Quotas: `[quotas]`. See `docs/QUOTAS.md`.

mod bands;
mod period;
mod rule;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, ensure};
use jiff::tz::TimeZone;
use planner::json::oar_quotas::read_oar_quotas;
use planner::node::Nodes;
use planner::quota::{
    AcrossRules, OnceQuota, QuotaAdjustment, QuotaCalendar, QuotaMeasure, QuotaPeriod, QuotaRule,
    QuotaRules, Quotas, RecurringQuota, date_and_time,
};
use serde::Deserialize;

use period::PeriodFields;
use rule::{RuleFields, says_twice};

pub use bands::TariffBands;

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
struct ExceptionFields {
    from: String,
    to: String,
    rules: String,
    #[serde(default)]
    why: String,
}

fn all() -> String {
    "*".to_owned()
}

impl SiteQuotas {
    /// These quotas with adjustments, which are in the order in which they were made.
    #[must_use]
    pub fn adjusted(&self, adjustments: Vec<QuotaAdjustment>) -> Self {
        let quotas = Quotas { adjustments, ..self.quotas.clone() };
        Self { quotas, zone: self.zone.clone() }
    }

    /// The periods that node-hours and budgets are added up over.
    pub fn periods(&self) -> Vec<QuotaPeriod> {
        self.rules().filter_map(|rule| rule.per).collect()
    }

    /// Whether there are budgets of energy, cost or CO2.
    pub fn has_budgets(&self) -> bool {
        self.rules().any(|rule| rule.says_of(&QuotaMeasure::OF_BUDGETS))
    }

    /// All rules, whenever they are in force.
    fn rules(&self) -> impl Iterator<Item = &QuotaRule> {
        let adjusted = self.quotas.adjustments.iter().map(QuotaAdjustment::rule);
        self.quotas.sets.iter().flat_map(|set| &set.rules).chain(adjusted)
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
    /// Reads the section; the clock is that of the zone, or of UTC, and periods may name bands.
    ///
    /// # Errors
    /// Every error of the section or the file that it names.
    pub fn read(
        fields: Option<QuotaFields>,
        zone: Option<&str>,
        bands: &TariffBands,
    ) -> anyhow::Result<Self> {
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
                read_quotas(&path, bands)
                    .map_err(|errors| anyhow!(errors.join("; ")))
                    .with_context(context)?
            }
            None => fields.quotas(bands).map_err(|errors| anyhow!(errors.join("; ")))?,
        };
        quotas.across = across.unwrap_or(quotas.across);
        Ok(Self { quotas: Some(Arc::new(SiteQuotas { quotas, zone })), operators })
    }
}

/// Reads a file of quotas: one of our own where its name ends in `.toml`, else OAR's.
///
/// # Errors
/// Every error, with its place.
pub fn read_quotas(path: &Path, bands: &TariffBands) -> Result<Quotas, Vec<String>> {
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
    fields.quotas(bands)
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

    fn quotas(&self, bands: &TariffBands) -> Result<Quotas, Vec<String>> {
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
        let calendar = self.calendar(bands, &mut wrong);
        if wrong.0.is_empty()
            && let Some(gap) = calendar.gap()
        {
            wrong.0.push(format!(
                "periods: there are no rules {gap}; rules named {DEFAULT:?} fill gaps"
            ));
        }
        let across = across.unwrap_or(AcrossRules::EachPart);
        let adjustments = Vec::new();
        if !wrong.0.is_empty() {
            return Err(wrong.0);
        }
        Ok(Quotas { sets, calendar, across, adjustments })
    }

    fn calendar(&self, bands: &TariffBands, wrong: &mut Wrong) -> QuotaCalendar {
        let names: Vec<&str> = self.rules.keys().map(String::as_str).collect();
        let of = |name: &str| {
            let place = names.iter().position(|known| *known == name);
            place.ok_or_else(|| format!("there are no rules {name:?}"))
        };
        let mut calendar =
            QuotaCalendar { otherwise: of(DEFAULT).ok(), ..QuotaCalendar::default() };
        for (index, fields) in self.periods.iter().enumerate() {
            let place = |name: &str| format!("periods[{index}].{name}");
            let rules = wrong.accept(&place("rules"), of(&fields.rules));
            let times = fields.when(bands, &place, wrong);
            let Some((rules, times)) = rules.zip(times) else { continue };
            let with_rules = |it: RecurringQuota| RecurringQuota { rules, ..it };
            calendar.recurring.extend(times.into_iter().map(with_rules));
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

#[cfg(test)]
mod tests {
    use planner::bill::{DemandCharge, DemandWindow};
    use planner::quota::QuotaSubject;

    use super::*;

    /// A band from 22:00 to 06:00 in November.
    fn bands() -> TariffBands {
        let clock = |hour| jiff::civil::Time::new(hour, 0, 0, 0).unwrap();
        let window = DemandWindow {
            weekdays: Vec::new(),
            months: vec![11],
            hours: Some((clock(22), clock(6))),
        };
        let charge =
            DemandCharge { name: "night".into(), per_kw_millionths: 1, windows: vec![window] };
        TariffBands::of(&[charge], [], None).unwrap()
    }

    fn read(text: &str) -> Result<Quotas, Vec<String>> {
        toml::from_str::<QuotaFields>(text).unwrap().quotas(&bands())
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
    fn budgets_and_bands_are_read() {
        let quotas = read(
            "[[periods]]\ntariff = \"night\"\nrules = \"night\"\n\
             [[rules.night]]\nnodes = 4\n\
             [[rules.default]]\nproject = \"ocean\"\ncost = 100.5\nenergy_kwh = 20\nper = \"quarter\"\nwith_below = true\n\
             [[rules.default]]\nuser = \"/\"\nco2_kg = 3\nfrom = \"2026-10-01 00:00\"\nto = \"2027-03-31 00:00\"\n",
        );
        let quotas = quotas.unwrap();
        let at = |text: &str| {
            let place = quotas.calendar.at(date_and_time(text).unwrap()).unwrap();
            &*quotas.sets[place].name
        };
        for (text, name) in [
            ("2026-11-02 05:59", "night"),
            ("2026-11-02 06:00", "default"),
            ("2026-11-02 22:00", "night"),
            ("2026-12-02 22:00", "default"),
        ] {
            assert_eq!(at(text), name, "{text}");
        }
        let [ocean, each] = quotas.sets[0].rules.as_slice() else { panic!("{quotas:?}") };
        assert_eq!(ocean.per, Some(QuotaPeriod::Quarter));
        assert!(ocean.budgets.with_below && !each.budgets.with_below);
        assert_eq!(ocean.budgets.cost.unwrap().to_string(), "100.5");
        assert!(matches!(each.per, Some(QuotaPeriod::Fixed { .. })));
    }

    #[test]
    fn what_budgets_cannot_be_is_named() {
        let errors = read(
            "[[periods]]\ntariff = \"day\"\nhours = \"09:00-10:00\"\nrules = \"default\"\n\
             [[rules.default]]\ncost = 1\n[[rules.default]]\nuser = \"/\"\ncost = \"ALL\"\nper = \"day\"\n\
             [[rules.default]]\nuser = \"ada\"\nnodes = 1\nwith_below = true\n\
             [[rules.default]]\nuser = \"bob\"\ncost = 1\nper = \"day\"\nfrom = \"2026-10-01 00:00\"\n",
        );
        let errors = errors.unwrap_err();
        for place in [
            "periods[0].tariff: says when",
            "periods[0].tariff: there is no demand charge and no band of a contract \"day\"; there are \"night\"",
            "rules.default[0]: budgets need per",
            "rules.default[1].cost: ",
            "rules.default[2].with_below: ",
            "rules.default[3]: from and to",
        ] {
            assert!(errors.iter().any(|error| error.starts_with(place)), "{place} {errors:?}");
        }
    }

    #[test]
    fn every_error_is_named() {
        let errors = read(
            "[[periods]]\nhours = \"9-19\"\nmonths = \"juni\"\nrules = \"night\"\n\
             [[rules.day]]\nnodes = \"many\"\n[[rules.day]]\nuser = \"/\"\n\
             [[rules.day]]\njob_type = \"/\"\nnodes = 1\nper = \"decade\"\n",
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
