//! A report as a page that can be printed: everything that it needs is inside.

use std::fmt::Write;

use charts::{STYLE, escaped};

use super::line::{PrintedReport, PrintedRow, key_columns, key_texts, stated, texts};
use crate::http::v1::reports::ReportRowDocument;

/// What columns are called for people, with their units; those of amounts, in their order.
const HEADINGS: [&str; 17] = [
    "Node-hours reserved",
    "Node-hours used",
    "Energy, kWh",
    "Measured",
    "Cost",
    "Currency",
    "CO2 by the grid, kg",
    "CO2 by what was bought, kg",
    "Saved cost, promised",
    "Saved CO2, promised, kg",
    "Saved cost, measured",
    "Saved CO2, measured, kg",
    "Mean error of predictions",
    "Water, l",
    "CO2 of making the nodes, kg",
    "SCI, g a node-hour",
    "Other CO2, kg",
];

/// Wide tables are printed across.
const PRINT: &str = "@page { size: A4 landscape; margin: 12mm } \
    @media print { body { font-size: 9pt } tr { break-inside: avoid } } \
    td, th { text-align: right } td.key, th.key { text-align: left }";

/// The page.
pub fn page(report: &PrintedReport) -> String {
    let title = format!("Energy, cost and CO2 from {} to {}", report.from, report.to);
    let mut out = format!(
        "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport \
         content=\"width=device-width\"><title>{title}</title>\n<style>{STYLE}{PRINT}</style></head>\n\
         <body><main><h1>{title}</h1>\n",
        title = escaped(&title),
    );
    let _ = writeln!(out, "<p class=lead>{} {}</p>", lead(report), escaped(&stated(report)));
    out += &bars(report);
    out += "<table><thead><tr>";
    for key in key_columns(&report.by) {
        let _ = write!(out, "<th class=key>{}</th>", escaped(key));
    }
    for heading in HEADINGS {
        let _ = write!(out, "<th>{heading}</th>");
    }
    for name in &report.beside {
        let _ = write!(out, "<th class=key>{}</th>", escaped(name));
    }
    out += "</tr></thead><tbody>\n";
    for row in &report.rows {
        out += &line(&report.by, row);
    }
    out += "</tbody></table>\n";
    out += NOTES;
    out + "</main></body></html>\n"
}

const NOTES: &str = "<p>Lines without a user are what is nobody's: nodes that are idle, off or being switched, and the \
    facility. Saved is against starting as soon as possible: as the offers promised, and for the energy that was \
    really consumed. CO2 by the grid and by what was bought are the two methods of the GHG Protocol, Scope 2. Where a \
    field is empty, it is not known. The SCI (ISO/IEC 21031) is the CO2 by the grid and of making the nodes for each \
    node-hour that was reserved or that a job used outside of reservations. Other CO2 is by the grid, too, by the \
    accounting that the site does not plan by: marginal where CO2 by the grid is average, and the other way round.</p>\n";

/// Everything in a sentence, for each currency.
fn lead(report: &PrintedReport) -> String {
    let rows = || report.rows.iter().filter(|shown| shown.in_ledger).map(|shown| &shown.row);
    let sum = |of: fn(&ReportRowDocument) -> Option<f64>| rows().filter_map(of).sum::<f64>();
    let energy = sum(|row| Some(row.energy_kwh));
    let mut told = format!("{energy:.1} kWh");
    let mut currencies: Vec<&str> = rows().map(|row| row.currency.as_str()).collect();
    currencies.sort_unstable();
    currencies.dedup();
    for currency in currencies {
        let rows = rows().filter(|row| row.currency == currency);
        let cost: f64 = rows.filter_map(|row| row.cost).sum();
        let _ = write!(told, ", {cost:.2} {}", escaped(currency));
    }
    let co2 = sum(|row| row.co2_location_kg);
    let saved = sum(|row| row.measured_saving_co2_kg);
    let _ = write!(
        told,
        ", {co2:.1} kg of CO2 by the grid: {saved:.1} kg less than if everything had begun as soon as possible."
    );
    told
}

/// So many lines have a bar, those with the most energy.
const MOST_BARS: usize = 12;

/// Pixels of a bar's line, before bars, of the longest bar, and behind it.
const BAR: (f64, f64, f64, f64) = (22.0, 260.0, 420.0, 120.0);

/// The energy of the lines that have the most, as bars; nothing where there is but one line.
fn bars(report: &PrintedReport) -> String {
    let mut rows: Vec<&ReportRowDocument> =
        report.rows.iter().map(|shown| &shown.row).filter(|row| row.energy_kwh > 0.0).collect();
    rows.sort_by(|one, other| other.energy_kwh.total_cmp(&one.energy_kwh));
    let (all, Some(most)) = (rows.len(), rows.first().map(|row| row.energy_kwh)) else {
        return String::new();
    };
    if all < 2 {
        return String::new();
    }
    rows.truncate(MOST_BARS);
    let (height, left, longest, right) = BAR;
    let (width, high) = (left + longest + right, height * rows.len() as f64);
    let mut out = format!(
        "<figure><figcaption>Energy in kWh: {} of {all} lines</figcaption>\n\
         <svg viewBox=\"0 0 {width} {high}\" width=\"{width}\" role=img aria-label=\"Energy by line\">",
        rows.len()
    );
    for (index, row) in rows.iter().enumerate() {
        let (top, length) = (height * index as f64, longest * row.energy_kwh / most);
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{base}\" text-anchor=end font-size=12>{}</text>\
             <rect x=\"{left}\" y=\"{}\" width=\"{length:.1}\" height=\"{}\" fill=\"#0b6b55\"/>\
             <text x=\"{:.1}\" y=\"{base}\" font-size=12>{:.1}</text>",
            left - 8.0,
            escaped(&named(&report.by, row)),
            top + 3.0,
            height - 6.0,
            left + length + 6.0,
            row.energy_kwh,
            base = top + 15.0,
        );
    }
    out + "</svg></figure>\n"
}

/// What a line is of, in words, at most 40 characters.
fn named(by: &[String], row: &ReportRowDocument) -> String {
    let cells = key_texts(by, row);
    let said: Vec<&str> = cells.iter().map(String::as_str).filter(|it| !it.is_empty()).collect();
    let said = if said.is_empty() { "nobody".to_owned() } else { said.join(", ") };
    said.chars().take(40).collect()
}

fn line(by: &[String], row: &PrintedRow) -> String {
    let mut out = "<tr>".to_owned();
    let cells = texts(by, row, |number| format!("{number:.2}"));
    let keys = key_columns(by).len();
    for (index, cell) in cells.iter().enumerate() {
        let is_amount = (keys..keys + HEADINGS.len()).contains(&index);
        let class = if is_amount { "" } else { " class=key" };
        let _ = write!(out, "<td{class}>{}</td>", escaped(cell));
    }
    out + "</tr>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::v1::reports::ReportDocument;

    fn report(user: &str) -> PrintedReport {
        let row = serde_json::json!({
            "user": user, "node_hours_reserved": 3.0, "node_hours_used": null, "energy_kwh": 0.45,
            "measured_share": 0.0, "cost": 0.0324, "currency": "EUR", "co2_location_kg": 0.162,
            "co2_market_kg": null, "promised_saving_cost": 0.01, "promised_saving_co2_kg": 0.0,
            "measured_saving_cost": null, "measured_saving_co2_kg": null,
        });
        let mut nobody = row.clone();
        nobody["user"] = "".into();
        nobody["energy_kwh"] = 0.225.into();
        let report = serde_json::json!({
            "from": "2026-03-01T00:00:00Z", "to": "2026-04-01T00:00:00Z", "by": ["user"],
            "stated_to": null, "rows": [row, nobody],
        });
        PrintedReport::from(serde_json::from_value::<ReportDocument>(report).unwrap())
    }

    #[test]
    fn a_page_holds_all_it_needs_and_escapes_names() {
        let page = page(&report("<script>ada"));
        assert!(page.contains("&lt;script&gt;ada") && !page.contains("<script"));
        assert!(!page.contains("http"), "it asks nobody for anything");
        assert!(page.contains("0.7 kWh, 0.06 EUR"), "{page}");
        assert_eq!(page.matches("<td").count(), 2 * 18);
    }

    /// Nobody's bar is half as long as the other, which is the longest.
    #[test]
    fn lines_have_bars_by_their_energy() {
        let page = page(&report("ada"));
        assert!(page.contains(">ada</text>") && page.contains(">nobody</text>"), "{page}");
        assert!(page.contains("width=\"420.0\"") && page.contains("width=\"210.0\""), "{page}");
        let mut one = report("ada");
        one.rows.truncate(1);
        assert!(!super::page(&one).contains("<svg"));
    }
}
