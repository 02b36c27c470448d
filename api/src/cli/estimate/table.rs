//! Estimates for people.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use planner::json::estimate::{
    BestIntervalDocument, CheckpointDocument, LeastDocument, OperationEstimateDocument,
    VersionDocument,
};

use crate::cli::print;

/// Prints what versions take, the best intervals of checkpoints, and what is left out.
pub(super) fn print_estimates(document: &OperationEstimateDocument) -> anyhow::Result<()> {
    print(versions(document))?;
    if let Some(work) = &document.work {
        print(format_args!(
            "Without checkpoints and failures the work takes {} s and {} J.",
            number(work.time_s),
            number(work.energy_j),
        ))?;
    }
    let checkpoints: Vec<_> = document
        .versions
        .iter()
        .filter_map(|it| Some((it.version.as_str(), it.checkpoint.as_ref()?)))
        .collect();
    if !checkpoints.is_empty() {
        print(format_args!(
            "\nSeconds between checkpoints that are best\n{}",
            intervals(&checkpoints)
        ))?;
    }
    for it in &document.left_out {
        print(format_args!("Left out: {} {}.", it.version, it.because))?;
    }
    Ok(())
}

fn versions(document: &OperationEstimateDocument) -> Table {
    let currency = document.rates.currency.as_deref().unwrap_or_default();
    let cost = format!("COST {currency}");
    let mut table = Table::new();
    let mut header = vec!["VERSION", "TIME S", "ENERGY J", cost.trim_end(), "CO2 G"];
    let checkpoints = document.versions.iter().any(|it| it.checkpoint.is_some());
    if checkpoints {
        header.extend(["INTERVAL S", "ONE S", "ONE J", "FAILURES"]);
    }
    let amounts = header.len() - 1;
    header.push("LEAST");
    table.load_style(NOTHING).set_header(header);
    for column in table.column_iter_mut().skip(1).take(amounts) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    for version in &document.versions {
        let VersionDocument { time_s, energy_j, cost, co2_g, .. } = version;
        let mut row = vec![
            version.version.clone(),
            number(*time_s),
            number(*energy_j),
            known(*cost),
            known(*co2_g),
        ];
        if let Some(it) = &version.checkpoint {
            row.extend([it.interval_s, it.one.time_s, it.one.energy_j, it.failures].map(number));
        }
        row.push(least(&document.least, &version.version));
        table.add_row(row);
    }
    table
}

/// The measures by which a version takes the least.
fn least(least: &LeastDocument, version: &str) -> String {
    let measures = [
        ("time", &least.time),
        ("energy", &least.energy),
        ("cost", &least.cost),
        ("CO2", &least.co2),
    ];
    let named = measures.into_iter().filter(|(_, name)| name.as_deref() == Some(version));
    named.map(|(measure, _)| measure).collect::<Vec<_>>().join(", ")
}

fn intervals(checkpoints: &[(&str, &CheckpointDocument)]) -> Table {
    let mut table = Table::new();
    table.load_style(NOTHING).set_header([
        "VERSION",
        "BY TIME",
        "BY ENERGY",
        "BY COST",
        "BY CO2",
        "YOUNG",
        "DALY",
    ]);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    let seconds =
        |best: &Option<BestIntervalDocument>| known(best.as_ref().map(|it| it.interval_s));
    for (version, CheckpointDocument { best, young_s, daly_s, .. }) in checkpoints {
        table.add_row([
            (*version).to_owned(),
            seconds(&best.time),
            seconds(&best.energy),
            seconds(&best.cost),
            seconds(&best.co2),
            number(*young_s),
            number(*daly_s),
        ]);
    }
    table
}

fn known(value: Option<f64>) -> String {
    value.map_or_else(|| "-".to_owned(), number)
}

/// A number with five digits that count, or all before the decimal point.
fn number(value: f64) -> String {
    let size = value.abs();
    let decimals = (0..12).find(|decimals| size * 10_f64.powi(*decimals) >= 1e4);
    match decimals {
        _ if size == 0.0 => "0".to_owned(),
        Some(decimals) => format!("{value:.*}", usize::try_from(decimals).unwrap_or_default()),
        None => format!("{value:.4e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_five_digits() {
        let written = [0.0, 1_468_400.2, 12_345.6, 1_234.56, 0.010_011, 0.000_000_25, 1e-12];
        let expected =
            ["0", "1468400", "12346", "1234.6", "0.010011", "0.00000025000", "1.0000e-12"];
        assert_eq!(written.map(number), expected);
    }
}
