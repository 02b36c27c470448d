//! One HTML page of many simulations on systems of several resources, to be opened offline: the figures of the thesis's chapter 6 by
//! scheduler and allocator, and the stretches of users of `EnergyFairShare` (table I).

mod figures;
mod supply;
mod users;

use std::collections::BTreeSet;
use std::fmt::Write;

use charts::scale::grouped;
use charts::{STYLE, escaped};

use super::distributions::Distributions;
use super::stretches::UserStretch;
use super::supply::SupplyResults;
pub use users::UserRatios;

/// What there is beside the style of all reports.
const OWN_STYLE: &str = ".wide-figure{margin-bottom:1rem}figure>svg{font-family:system-ui,sans-serif}\
.points{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,22rem),1fr));gap:1.25rem 2rem}\
h3{font-size:1.05rem;margin:2rem 0 .25rem}p{max-width:60rem}details{margin:.75rem 0}summary{cursor:pointer;font-weight:600}\
nav ul{columns:2;padding-left:1.1rem}";

/// One simulation of several.
#[derive(Clone, Debug)]
pub struct ReportedRun<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// What it is compared within: workload, system and seed, in words.
    pub of: String,
    /// The order, the backfilling, options and what it was supplied with, in words.
    pub scheduler: String,
    /// The fit.
    pub fit: &'static str,
    /// The estimate.
    pub estimate: &'static str,
    /// Jobs that ended.
    pub jobs: u64,
    /// From the first start to the last end, s.
    pub makespan_s: f64,
    /// Its distributions.
    pub distributions: &'a Distributions,
    /// Its users by name.
    pub users: &'a [UserStretch],
    /// What came of prices, CO2, budgets and caps, where there were any.
    pub supply: Option<&'a SupplyResults>,
    /// Users whose energy was multiplied.
    pub changed_users: Vec<String>,
    /// The run that its stretches are compared with.
    pub baseline: usize,
    /// Jobs whose slowdown is 1 in every run of the same jobs.
    pub jobs_at_once: u64,
}

/// The page of all runs, in their order.
pub fn html(title: &str, runs: &[ReportedRun<'_>]) -> String {
    let title = escaped(title);
    let mut out = format!(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport content=\"width=device-width\">\
         <title>{title}</title>\n<style>{STYLE}{OWN_STYLE}</style></head>\n<body><main><h1>{title}</h1>\n"
    );
    let groups = distinct(runs.iter().map(|run| run.of.clone()));
    let _ = writeln!(
        out,
        "<p class=lead>{} simulations of jobs on systems of several resources: {} schedulers (order and backfilling), {} fits and {} \
         estimates.</p>",
        grouped(&runs.len().to_string()),
        distinct(runs.iter().map(|run| run.scheduler.clone())).len(),
        distinct(runs.iter().map(|run| run.fit)).len(),
        distinct(runs.iter().map(|run| run.estimate)).len()
    );
    out += "<p>A box reaches from the first to the third quartile; its line is the median, the triangle the mean, and the thin line \
            goes from the least value to the greatest. Numbers are shown when the pointer rests on a box or a point. Formulas are those \
            of A. Netti's thesis, section 2.1.3.</p>\n";
    if groups.len() > 1 {
        out += "<nav><ul>";
        for (place, of) in groups.iter().enumerate() {
            let _ = write!(out, "<li><a href=\"#g{place}\">{}</a></li>", escaped(of));
        }
        out += "</ul></nav>\n";
    }
    for (place, of) in groups.iter().enumerate() {
        let own: Vec<&ReportedRun<'_>> = runs.iter().filter(|run| run.of == *of).collect();
        let _ = writeln!(out, "<h2 id=g{place}>{}</h2>", escaped(of));
        section(&mut out, &own);
    }
    out + "</main></body></html>\n"
}

/// The runs of the same jobs.
fn section(out: &mut String, runs: &[&ReportedRun<'_>]) {
    let (jobs, at_once) = runs.first().map_or((0, 0), |run| (run.jobs, run.jobs_at_once));
    let _ = writeln!(
        out,
        "<p>{} jobs, of which {} start at once in every run (their slowdown is always 1): slowdowns are shown without these, as in the \
         thesis.</p>",
        grouped(&jobs.to_string()),
        grouped(&at_once.to_string())
    );
    figures::all(out, runs);
    users::all(out, runs);
    supply::all(out, runs);
    table(out, runs);
}

/// A row for each run.
fn table(out: &mut String, runs: &[&ReportedRun<'_>]) {
    *out += "<h3>All runs</h3><p>Means; results.csv has everything.</p><div class=wide><table><thead><tr><th>run<th>scheduler<th>fit<th>\
             estimate<th>changed users<th>makespan, days<th>wait, min<th>slowdown<th>queue size, jobs<th>load, %<th>efficiency of allocations, \
             %</tr></thead><tbody>\n";
    for run in runs {
        let of = run.distributions;
        let _ = writeln!(
            out,
            "<tr><th>{}<td>{}<td>{}<td>{}<td>{}<td>{:.2}<td>{:.2}<td>{:.2}<td>{:.2}<td>{:.1}<td>{:.1}</tr>",
            run.number,
            escaped(&run.scheduler),
            run.fit,
            run.estimate,
            escaped(&run.changed_users.join(", ")),
            run.makespan_s / 86_400.0,
            of.waiting_time.mean / 60.0,
            of.slowdown.mean,
            of.queue_size.mean,
            of.load.mean * 100.0,
            of.allocation_efficiency.mean * 100.0
        );
    }
    *out += "</tbody></table></div>\n";
}

/// Values in the order of their first appearance, each once.
fn distinct<T: Ord + Clone>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    values.filter(|value| seen.insert(value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::distributions::Spread;
    use super::super::supply::CapResults;
    use super::*;

    fn spread(p50: f64) -> Spread {
        Spread { mean: p50, least: 1.0, p05: 1.0, p25: 1.0, p50, p75: p50, p95: p50, most: p50 }
    }

    #[test]
    fn the_page_has_each_figure_for_each_estimate() {
        let distributions = Distributions {
            slowdown: spread(8.0),
            queue_size: spread(20.0),
            allocation_efficiency: spread(1.0),
            slowdown_counts: vec![(1.0, 5), (8.0, 6)],
            ..Distributions::default()
        };
        let user = |name: &str, ratio| UserStretch {
            user: name.into(),
            jobs: 1,
            mean_stretch: 8.0,
            mean_ratio: Some(ratio),
        };
        let users = [user("ada", 0.5), user("<bob>", 2.0)];
        let cap = CapResults { max_expected_power_w: 1500.0, ..CapResults::default() };
        let supply = SupplyResults {
            jobs_cost: Some(12.5),
            jobs_shifted: 3,
            cap: Some(cap),
            ..SupplyResults::default()
        };
        let run = |number, scheduler: &str, estimate| ReportedRun {
            number,
            of: "trace & system".to_owned(),
            scheduler: scheduler.to_owned(),
            fit: "first_fit",
            estimate,
            jobs: 11,
            makespan_s: 86_400.0,
            distributions: &distributions,
            users: &users,
            supply: (number == 2).then_some(&supply),
            changed_users: if number == 3 { vec!["<bob>".to_owned()] } else { Vec::new() },
            baseline: 1,
            jobs_at_once: 2,
        };
        let runs = [run(1, "fcfs", "real"), run(2, "sjf", "real"), run(3, "fcfs", "walltime")];
        let page = html("A sweep", &runs);
        assert_eq!(page.matches("<figcaption>Slowdown, estimate ").count(), 2);
        assert_eq!(page.matches("<figcaption>Queue size, estimate ").count(), 2);
        assert!(page.contains("<h2 id=g0>trace &amp; system</h2>") && !page.contains("<bob>"));
        // Of 11 jobs two start at once in every run; 3 at 1 and 6 at 8 are left.
        assert!(page.contains("least 1.00, quartiles 1.00, 8.00, 8.00, most 8.00"), "{page}");
        assert!(page.contains("<td>2.000<td>0.500"), "the changed user, and the others");
        // Columns of which no run knows anything are left out, and so are runs without a supply.
        let head = "<th>run<th>scheduler<th>fit<th>estimate<th>cost of jobs<th>jobs shifted<th>most expected, kW</tr>";
        assert!(page.contains(head), "{page}");
        assert!(
            page.contains("<tr><th>2<td>sjf<td>first_fit<td>real<td>12.500<td>3<td>1.500</tr>")
        );
        assert_eq!(page.matches("<figcaption>Cost of jobs and waits").count(), 1);
    }
}
