//! `wattbook quota check`: what a file of quotas means, or everything that is wrong with it.

use std::path::Path;

use planner::quota::{
    AcrossRules, QuotaMeasure, QuotaPeriod, QuotaRule, QuotaRules, Quotas, RecurringQuota,
    WEEKDAYS, clock,
};

use crate::cli::{Failure, print};
use crate::config::quotas::{TariffBands, read_quotas};

/// Reads a file and says what it means.
pub(super) fn run(file: &Path) -> Result<(), Failure> {
    let named = |error: String| format!("{}: {error}", file.display());
    let quotas = read_quotas(file, &TariffBands::default())
        .map_err(|errors| Failure::BadInput(errors.into_iter().map(named).collect()))?;
    for line in meaning(&quotas) {
        print(line)?;
    }
    Ok(())
}

/// What quotas mean, line by line.
fn meaning(quotas: &Quotas) -> Vec<String> {
    let mut lines: Vec<String> = quotas.sets.iter().flat_map(rules).collect();
    let name = |place: usize| format!("rules {:?}", quotas.sets[place].name);
    for it in &quotas.calendar.once {
        let why = if it.why.is_empty() { String::new() } else { format!(" ({})", it.why) };
        lines.push(format!("{} to {}: {}{why}", it.from, it.to, name(it.rules)));
    }
    for it in &quotas.calendar.recurring {
        lines.push(format!("{}: {}", when(it), name(it.rules)));
    }
    let rest = match quotas.calendar.otherwise {
        Some(place) => format!("otherwise: {}", name(place)),
        None if quotas.calendar.recurring.is_empty() => "otherwise: no limits".to_owned(),
        None => "every hour of the week has rules".to_owned(),
    };
    lines.push(rest);
    lines.push(match quotas.across {
        AcrossRules::Refuse => {
            "a reservation must be over before other rules come into force".to_owned()
        }
        AcrossRules::EachPart => {
            "each part of a reservation must keep the rules in force then".to_owned()
        }
    });
    lines
}

fn rules(rules: &QuotaRules) -> Vec<String> {
    let mut lines = vec![format!("rules {:?}: {} in all", rules.name, rules.rules.len())];
    lines.extend(rules.rules.iter().map(|rule| format!("  {}: {}", rule.key, limits(rule))));
    lines
}

fn limits(rule: &QuotaRule) -> String {
    let limit = |measure: QuotaMeasure| {
        let adds_up = measure == QuotaMeasure::NodeHours || measure.is_of_budgets();
        let per = match rule.per.filter(|_| adds_up) {
            None => String::new(),
            Some(QuotaPeriod::Fixed { from, to }) => format!(" from {from} to {to}"),
            Some(per) => format!(" a {}", per.word()),
        };
        let limit = rule.limit(measure)?;
        Some(match limit.to_string().as_str() {
            "-1" => format!("{} unlimited", measure.word()),
            most if measure.is_of_budgets() && rule.budgets.with_below => {
                format!("{} at most {most}{per} with what is below", measure.word())
            }
            most => format!("{} at most {most}{per}", measure.word()),
        })
    };
    QuotaMeasure::ALL.into_iter().filter_map(limit).collect::<Vec<_>>().join(", ")
}

/// When a period recurs, in words.
fn when(period: &RecurringQuota) -> String {
    let mut words = vec![format!("{} to {}", clock(period.from_s), clock(period.to_s))];
    let chosen = |all: &[bool], name: &dyn Fn(usize) -> String| {
        let places = all.iter().enumerate().filter(|(_, on)| **on).map(|(place, _)| name(place));
        places.collect::<Vec<_>>().join(",")
    };
    let number = |place: usize| (place + 1).to_string();
    if period.weekdays.contains(&false) {
        words.push(chosen(&period.weekdays, &|place| WEEKDAYS[place].to_owned()));
    }
    if period.days.contains(&false) {
        words.push(format!("days {}", chosen(&period.days, &number)));
    }
    if period.months.contains(&false) {
        words.push(format!("months {}", chosen(&period.months, &number)));
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use planner::json::oar_quotas::read_oar_quotas;

    use super::*;

    #[test]
    fn a_file_is_told_in_words() {
        let text = r#"{
            "periodical": [["* * * *", "night"], ["08:00-19:00 mon-fri * *", "day"]],
            "oneshot": [["2026-12-24 18:00", "2027-01-02 08:00", "night", "closed"]],
            "night": {"*,*,*,/": [-1, 4, "2*ALL"]},
            "day": {"*,*,*,john": 100}
        }"#;
        let told = meaning(&read_oar_quotas(text).unwrap());
        assert_eq!(
            told,
            [
                "rules \"night\": 1 in all",
                "  *,*,*,/: nodes unlimited, reservations at most 4, node_hours at most 2*ALL",
                "rules \"day\": 1 in all",
                "  *,*,*,john: nodes at most 100, reservations unlimited, node_hours unlimited",
                "2026-12-24T18:00:00 to 2027-01-02T08:00:00: rules \"night\" (closed)",
                "08:00 to 19:00, mon,tue,wed,thu,fri: rules \"day\"",
                "otherwise: rules \"night\"",
                "a reservation must be over before other rules come into force",
            ]
        );
    }
}
