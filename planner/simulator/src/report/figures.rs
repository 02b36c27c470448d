//! Which figures a report has.

use serde_json::Value;

use super::ReportedCell;
use super::chart::{Chart, Horizontal, Kind, Series};
use super::scale::readable;
use crate::policy::Policy;
use crate::sesames::{Measure, PolicySummary, Savings};
use crate::tables::CURVES;

/// The figures of one cell.
pub(super) fn of_cell(cell: &ReportedCell<'_>) -> String {
    let mut out = String::from(
        "<h2>What each policy saves</h2>\n<p>Policies do not place the same requests: one that places \
         more large ones has dearer reservations. The right figure compares like with like.</p>\n\
         <div class=figures>",
    );
    out += &savings(cell, "Savings of a reservation against asap_first", |all| {
        all.savings_vs_asap_first
    });
    out += &savings(cell, "The same, on requests that every policy placed", |all| {
        all.savings_on_common_requests
    });
    out += "</div><h2>The first run's first week</h2>\n<div class=figures>";
    out += &power(cell);
    let line = &cell.findings.first_run;
    let currency = cell.findings.summary.parameters.currency.code();
    out += &rate("Price of energy", &format!("{currency}/MWh"), &line.price);
    out += &rate("CO2 intensity of energy", "g/kWh", &line.co2);
    out += "</div><h2>As requests are placed</h2>\n<div class=figures>";
    for measure in CURVES {
        out += &growth(cell, measure);
    }
    out + "</div>"
}

fn savings(
    cell: &ReportedCell<'_>,
    title: &str,
    of: fn(&Savings) -> crate::sesames::Saved,
) -> String {
    let series = |(look, (policy, summary)): (usize, &(Policy, PolicySummary))| {
        let saved = of(summary.savings.as_ref()?);
        let half = summary.ci95.and_then(|ci95| ci95.savings).map(|savings| of(&savings));
        let values = [saved.energy_j, saved.cost, saved.co2_g];
        let halves = half.map_or([None; 3], |half| [half.energy_j, half.cost, half.co2_g]);
        let points =
            values.into_iter().zip(halves).enumerate().filter_map(|(group, (value, half))| {
                Some((group as f64, value? * 100.0, half.map(|half| half * 100.0)))
            });
        Some(Series { name: policy.to_string(), look, points: points.collect() })
    };
    let paired = cell.findings.summary.parameters.parameters.runs > 1;
    let policies = cell.findings.summary.policies.iter().enumerate();
    let others = policies.filter(|(_, (policy, _))| *policy != Policy::AsapFirst);
    Chart {
        title: title.to_owned(),
        x_label: if paired { "with 95 % confidence intervals, paired by run" } else { "" }
            .to_owned(),
        y_label: "saved, %".to_owned(),
        horizontal: Horizontal::Places(["energy", "cost", "CO2"].map(str::to_owned).into()),
        kind: Kind::Bars,
        from_zero: true,
        series: others.filter_map(series).collect(),
    }
    .figure()
}

/// A measure against the number of requests placed so far (paper, figure 5).
fn growth(cell: &ReportedCell<'_>, measure: Measure) -> String {
    let currency = cell.findings.summary.parameters.currency.code();
    let values = cell.findings.curves.iter().flat_map(|(_, points)| points);
    let most = values.filter_map(|point| point.get(measure)).fold(0.0, f64::max);
    let (by, unit) = readable(measure.unit(), most, currency);
    let series = cell.findings.curves.iter().enumerate().map(|(look, (policy, points))| Series {
        name: policy.to_string(),
        look,
        points: points
            .iter()
            .filter_map(|point| Some((f64::from(point.requests), point.get(measure)? / by, None)))
            .collect(),
    });
    Chart {
        title: capital(measure.label()),
        x_label: "requests placed so far".to_owned(),
        y_label: unit,
        horizontal: Horizontal::Numbers,
        kind: Kind::Lines,
        from_zero: true,
        series: series.collect(),
    }
    .figure()
}

fn power(cell: &ReportedCell<'_>) -> String {
    let line = &cell.findings.first_run;
    let all = || line.reserved_w.iter().map(|(_, steps)| steps).chain([&line.cap_w]);
    let most = all().flatten().map(|(_, watts)| *watts).fold(0.0, f64::max);
    let (by, unit) = readable("W", most, "");
    let names = line.reserved_w.iter().map(|(policy, _)| policy.to_string());
    // The cap has the last look, whatever the number of policies.
    let looks = (0..line.reserved_w.len()).chain([7]);
    let lines = names.chain(["power cap".to_owned()]).zip(looks).zip(all());
    let series = lines.map(|((name, look), steps)| Series {
        name,
        look,
        points: first_week(steps).map(|(day, watts)| (day, watts / by, None)).collect(),
    });
    Chart {
        title: "Reserved maximum power under the cap".to_owned(),
        x_label: "days".to_owned(),
        y_label: unit,
        horizontal: Horizontal::Numbers,
        kind: Kind::Steps,
        from_zero: true,
        series: series.collect(),
    }
    .figure()
}

/// As much of a step function as can be told apart.
fn first_week(steps: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> + '_ {
    steps.iter().copied().take_while(|(day, _)| *day <= 7.0)
}

fn rate(title: &str, unit: &str, steps: &[(f64, f64)]) -> String {
    let points = first_week(steps).map(|(day, value)| (day, value, None)).collect();
    Chart {
        title: title.to_owned(),
        x_label: "days".to_owned(),
        y_label: unit.to_owned(),
        horizontal: Horizontal::Numbers,
        kind: Kind::Steps,
        from_zero: true,
        series: vec![Series { name: title.to_lowercase(), look: 0, points }],
    }
    .figure()
}

/// What is shown of a grid against what is varied.
const OF_GRID: [Measure; 4] = [
    Measure::StartLagS,
    Measure::Occupancy,
    Measure::UnsuccessfulNodes,
    Measure::UnsuccessfulPowerCap,
];

/// The figures of a grid: every measure against the first name varied, once for each combination of
/// the others.
pub(super) fn of_grid(cells: &[ReportedCell<'_>]) -> String {
    let mut out = String::new();
    let mut shown: Vec<&[(String, Value)]> = Vec::new();
    for cell in cells {
        let Some((_, others)) = cell.variant.varied.split_first() else { continue };
        if shown.contains(&others) {
            continue;
        }
        shown.push(others);
        let slice: Vec<&ReportedCell<'_>> = cells
            .iter()
            .filter(|cell| cell.variant.varied.split_first().is_some_and(|(_, of)| of == others))
            .collect();
        out += &of_slice(&slice, others);
    }
    out
}

fn of_slice(cells: &[&ReportedCell<'_>], others: &[(String, Value)]) -> String {
    let Some((varied, _)) = cells.first().and_then(|cell| cell.variant.varied.first()) else {
        return String::new();
    };
    let words = others.iter().map(|(name, value)| format!(", {name} = {}", text(value)));
    let title = format!("What changes with {varied}{}", words.collect::<String>());
    let mut out = format!("<h2>{}</h2>\n<div class=figures>", super::chart::escaped(&title));
    for (column, name) in ["Energy", "Cost", "CO2"].into_iter().enumerate() {
        let of = |savings: Option<Savings>| {
            let saved = savings?.savings_vs_asap_first;
            [saved.energy_j, saved.cost, saved.co2_g][column]
        };
        let value = |policy: Policy, summary: &PolicySummary| {
            // Against itself it saves nothing, which says nothing.
            let saved = of(summary.savings).filter(|_| policy != Policy::AsapFirst)?;
            Some((saved, summary.ci95.and_then(|ci95| of(ci95.savings))))
        };
        out += &against(cells, varied, &format!("{name} saved of a reservation"), "", value);
    }
    for measure in OF_GRID {
        let value = |_, summary: &PolicySummary| {
            let half = summary.ci95.and_then(|ci95| ci95.means.get(measure));
            Some((summary.means.get(measure)?, half))
        };
        out += &against(cells, varied, &capital(measure.label()), measure.unit(), value);
    }
    out += &trade_off(cells, varied);
    out + "</div>"
}

/// A value of each policy against the values of what is varied, evenly spaced as they were listed.
fn against(
    cells: &[&ReportedCell<'_>],
    varied: &str,
    title: &str,
    unit: &str,
    value: impl Fn(Policy, &PolicySummary) -> Option<(f64, Option<f64>)>,
) -> String {
    let all = cells.iter().flat_map(|cell| &cell.findings.summary.policies);
    let values = all.filter_map(|(policy, summary)| value(*policy, summary));
    let most = values.map(|(value, _)| value.abs());
    let (by, unit) = readable(unit, most.fold(0.0, f64::max), "");
    let series = policies(cells).into_iter().enumerate().map(|(look, policy)| {
        let points = cells.iter().enumerate().filter_map(|(place, cell)| {
            let (mean, half) = value(policy, cell.findings.summary.policy(policy)?)?;
            // Beside each other, so that intervals do not hide each other.
            let place = place as f64 + (look as f64 - 1.5) * 0.05;
            Some((place, mean / by, half.map(|half| half / by)))
        });
        Series { name: policy.to_string(), look, points: points.collect() }
    });
    let place =
        |cell: &&ReportedCell<'_>| cell.variant.varied.first().map(|(_, value)| text(value));
    let named = cells.iter().map(|cell| place(cell).unwrap_or_default());
    Chart {
        title: title.to_owned(),
        x_label: varied.to_owned(),
        y_label: unit,
        horizontal: Horizontal::Places(named.collect()),
        kind: Kind::Marked,
        from_zero: true,
        series: series.collect(),
    }
    .figure()
}

/// What waiting buys: the cost saved against the start lag, one point for each value.
fn trade_off(cells: &[&ReportedCell<'_>], varied: &str) -> String {
    let series = policies(cells).into_iter().enumerate().map(|(look, policy)| {
        let point = |cell: &&ReportedCell<'_>| {
            let summary = cell.findings.summary.policy(policy)?;
            let lag_h = summary.means.get(Measure::StartLagS)? / 3600.0;
            Some((lag_h, summary.savings?.savings_vs_asap_first.cost? * 100.0, None))
        };
        let points = cells.iter().filter_map(point).collect();
        Series { name: policy.to_string(), look, points }
    });
    Chart {
        title: format!("What waiting buys, one point for each {varied}"),
        x_label: "start lag, h".to_owned(),
        y_label: "cost saved, %".to_owned(),
        horizontal: Horizontal::Numbers,
        kind: Kind::Marked,
        from_zero: true,
        series: series.collect(),
    }
    .figure()
}

fn policies(cells: &[&ReportedCell<'_>]) -> Vec<Policy> {
    let first = cells.first().map(|cell| &cell.findings.summary.policies);
    first.into_iter().flatten().map(|(policy, _)| *policy).collect()
}

/// A value as people write it; of a path its file.
pub(super) fn text(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    text.rsplit('/').next().unwrap_or_default().to_owned()
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
