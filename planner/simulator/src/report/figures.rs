//! Which figures a report has.

use serde_json::Value;

use super::ReportedCell;
use crate::policy::Policy;
use crate::sesames::{CURVE_MEASURES, Measure, PolicySummary, Saved};
use charts::scale::readable;
use charts::{Chart, Horizontal, Kind, Series, escaped};

/// The figures of one cell.
pub(super) fn of_cell(cell: &ReportedCell<'_>) -> String {
    let mut out = String::from(
        "<h2>What each policy saves against asap_first</h2>\n<p>Left, like is compared with like: the \
         requests that both served, in total. Right, the mean reservation of all that each placed: a \
         policy that places more large ones has dearer reservations. Both on one scale.</p>\n\
         <div class=figures>",
    );
    out += &Chart::figures_on_one_scale(&[of_same_requests(cell), of_a_reservation(cell)]);
    out += "</div><h2>The first run's first week</h2>\n<div class=figures>";
    out += &power(cell);
    let line = &cell.findings.first_run;
    let currency = cell.findings.summary.parameters.currency.code();
    out += &rate("Price of energy", &format!("{currency}/MWh"), &line.price);
    out += &rate("CO2 intensity of energy", "g/kWh", &line.co2);
    out += "</div><h2>A reservation on average, as requests are placed</h2>\n<div class=figures>";
    for measure in CURVE_MEASURES {
        out += &growth(cell, measure);
    }
    out + "</div>"
}

/// A part and its interval, of energy, cost and CO2.
type Parts = [(Option<f64>, Option<[f64; 2]>); 3];

fn of_same_requests(cell: &ReportedCell<'_>) -> Chart {
    let label = cell.findings.summary.intervals.words();
    savings(cell, "Saved on the requests that both served", &label, |_, summary| {
        same_requests(summary)
    })
}

/// What is saved on the requests that both served.
fn same_requests(summary: &PolicySummary) -> Option<Parts> {
    let same = summary.same_requests?;
    let (saved, ends) = (same.saved, same.saved_ci95);
    Some([(saved.energy_j, ends.energy_j), (saved.cost, ends.cost), (saved.co2_g, ends.co2_g)])
}

fn of_a_reservation(cell: &ReportedCell<'_>) -> Chart {
    let paired = cell.findings.summary.parameters.parameters.runs > 1;
    let label = if paired { "with 95 % confidence intervals, paired by run" } else { "" };
    savings(cell, "Saved of the mean reservation", label, |policy, summary| {
        let saved = summary.savings.filter(|_| policy != Policy::AsapFirst)?.savings_vs_asap_first;
        let halves = summary.ci95.and_then(|ci95| ci95.savings);
        let halves = halves.map(|halves| halves.savings_vs_asap_first);
        let part = |of: fn(&Saved) -> Option<f64>| {
            let value = of(&saved);
            (value, ends(value, halves.as_ref().and_then(of)))
        };
        Some([part(|it| it.energy_j), part(|it| it.cost), part(|it| it.co2_g)])
    })
}

/// A value's interval by half of its width.
fn ends(value: Option<f64>, half: Option<f64>) -> Option<[f64; 2]> {
    value.zip(half).map(|(value, half)| [value - half, value + half])
}

fn savings(
    cell: &ReportedCell<'_>,
    title: &str,
    label: &str,
    of: impl Fn(Policy, &PolicySummary) -> Option<Parts>,
) -> Chart {
    let series = |(look, (policy, summary)): (usize, &(Policy, PolicySummary))| {
        let percent = |part: f64| part * 100.0;
        let points = of(*policy, summary)?.into_iter().enumerate();
        let points = points.filter_map(|(group, (value, ends))| {
            Some((group as f64, percent(value?), ends.map(|ends| ends.map(percent))))
        });
        Some(Series { name: policy.to_string(), look, points: points.collect() })
    };
    let policies = cell.findings.summary.policies.iter().enumerate();
    Chart {
        title: title.to_owned(),
        x_label: label.to_owned(),
        y_label: "saved, %".to_owned(),
        horizontal: Horizontal::Places(["energy", "cost", "CO2"].map(str::to_owned).into()),
        kind: Kind::Bars,
        from_zero: true,
        series: policies.filter_map(series).collect(),
    }
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

/// What is shown of a sweep against what is varied.
const OF_SWEEP: [Measure; 4] = [
    Measure::StartLagS,
    Measure::Occupancy,
    Measure::UnsuccessfulNodes,
    Measure::UnsuccessfulPowerCap,
];

/// The figures of a sweep: every measure against the first name varied, once for each combination of
/// the others.
pub(super) fn of_sweep(cells: &[ReportedCell<'_>]) -> String {
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
    let mut out = format!("<h2>{}</h2>\n<div class=figures>", escaped(&title));
    let names = ["Energy", "Cost", "CO2"].into_iter().enumerate();
    let saved: Vec<Chart> = names
        .map(|(column, name)| {
            let title = format!("{name} saved on the requests that both served");
            against(cells, varied, &title, "", |summary| {
                let (value, ends) = same_requests(summary)?[column];
                Some((value?, ends))
            })
        })
        .collect();
    out += &Chart::figures_on_one_scale(&saved);
    for measure in OF_SWEEP {
        let chart = against(cells, varied, &capital(measure.label()), measure.unit(), |summary| {
            let value = summary.means.get(measure)?;
            let half = summary.ci95.and_then(|ci95| ci95.means.get(measure));
            Some((value, ends(Some(value), half)))
        });
        out += &chart.figure();
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
    value: impl Fn(&PolicySummary) -> Option<(f64, Option<[f64; 2]>)>,
) -> Chart {
    let all = cells.iter().flat_map(|cell| &cell.findings.summary.policies);
    let values = all.filter_map(|(_, summary)| value(summary));
    let most = values.map(|(value, _)| value.abs());
    let (by, unit) = readable(unit, most.fold(0.0, f64::max), "");
    let series = policies(cells).into_iter().enumerate().map(|(look, policy)| {
        let points = cells.iter().enumerate().filter_map(|(place, cell)| {
            let (mean, ends) = value(cell.findings.summary.policy(policy)?)?;
            // Beside each other, so that intervals do not hide each other.
            let place = place as f64 + (look as f64 - 1.5) * 0.05;
            Some((place, mean / by, ends.map(|ends| ends.map(|end| end / by))))
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
}

/// What waiting buys: the cost saved against the start lag, one point for each value.
fn trade_off(cells: &[&ReportedCell<'_>], varied: &str) -> String {
    let series = policies(cells).into_iter().enumerate().map(|(look, policy)| {
        let point = |cell: &&ReportedCell<'_>| {
            let summary = cell.findings.summary.policy(policy)?;
            let lag_h = summary.means.get(Measure::StartLagS)? / 3600.0;
            Some((lag_h, summary.same_requests?.saved.cost? * 100.0, None))
        };
        let points = cells.iter().filter_map(point).collect();
        Series { name: policy.to_string(), look, points }
    });
    Chart {
        title: format!("What waiting buys, one point for each {varied}"),
        x_label: "start lag, h".to_owned(),
        y_label: "cost saved on the same requests, %".to_owned(),
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
