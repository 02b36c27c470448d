//! What CO2 rests on, in a sentence for people.

use planner::json::co2_accounting::Co2AccountingDocument;

use crate::http::v1::ledger::co2_sources::Co2SourceDocument;

/// Such as `CO2 by location: rte (average, direct, measured, 718.0 h, +-5 %); by market: certificates (+-2 %).`; `None` where nothing is
/// known.
pub fn sentence(sources: &[Co2SourceDocument]) -> Option<String> {
    let by = |method: &str| {
        let of = sources.iter().filter(|it| it.method == method).map(words);
        let of = of.collect::<Vec<_>>().join(", ");
        (!of.is_empty()).then(|| format!("by {method}: {of}"))
    };
    let told: Vec<String> = ["location", "market"].into_iter().filter_map(by).collect();
    (!told.is_empty()).then(|| format!("CO2 {}.", told.join("; ")))
}

/// Such as `Other CO2: marginal, direct.`; `None` where nothing is known of it.
pub fn other(accounting: Option<&Co2AccountingDocument>) -> Option<String> {
    accounting.map(|it| format!("Other CO2: {it}."))
}

fn words(it: &Co2SourceDocument) -> String {
    let source = if it.source.is_empty() { "the site" } else { &it.source };
    let mut said: Vec<String> = it.co2_accounting.iter().map(ToString::to_string).collect();
    if let Some(quality) = &it.quality {
        said.extend([quality.clone(), format!("{:.1} h", it.seconds as f64 / 3600.0)]);
    }
    said.push(match it.error {
        Some(error) => format!("+-{:.1} %", 100.0 * error),
        None => "error not stated".to_owned(),
    });
    format!("{source} ({})", said.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_are_told_with_their_errors() {
        let source = |method: &str, source: &str, quality: Option<&str>, error| Co2SourceDocument {
            method: method.to_owned(),
            source: source.to_owned(),
            quality: quality.map(str::to_owned),
            co2_accounting: None,
            seconds: 5400,
            error,
        };
        let counted = Co2AccountingDocument {
            accounting: "average".to_owned(),
            factors: Some("direct".to_owned()),
        };
        let measured = source("location", "rte", Some("measured"), None);
        let sources = [
            Co2SourceDocument { co2_accounting: Some(counted), ..measured },
            source("location", "", Some("forecast"), Some(0.2)),
            source("market", "certificates", None, Some(0.025)),
        ];
        let told = "CO2 by location: rte (average, direct, measured, 1.5 h, error not stated), the site (forecast, 1.5 h, +-20.0 %); \
            by market: certificates (+-2.5 %).";
        assert_eq!(sentence(&sources).as_deref(), Some(told));
        assert_eq!(sentence(&[]), None);
    }
}
