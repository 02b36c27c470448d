//! What the ledger's CO2 rests on: who says the intensities, how well they know them, and by how much they may be off.

use std::collections::BTreeMap;

use planner::agenda::Quality;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::quantity::MILLION;
use planner::time::{Seconds, Span, Timestamp};
use storage::Quantity;

use super::{HOUR, LedgerService};
use crate::service::shared::provenance::{Co2Accounting, KnownPiece, ProvenanceError, known};
use crate::service::shared::{Fault, blocking};

/// One source of intensities, and how much of a time it says.
#[derive(Clone, Debug, PartialEq)]
pub struct Co2Source {
    /// How CO2 is counted with it.
    pub method: Co2Method,
    /// Who says it: a feed, `api`, or what the settings call the source of what the site bought; empty for what the site
    /// made itself.
    pub source: String,
    /// How well it is known; `None` by market, which the site states.
    pub quality: Option<Quality>,
    /// How it is counted; `None` by market, and where nobody said it.
    pub accounting: Option<Co2Accounting>,
    /// For how long of the time it says the intensity.
    pub length: Seconds,
    /// By how much of itself it may be off: by the bands of forecasts where they have some, else as the settings say;
    /// `None` where neither says it.
    pub error: Option<f64>,
}

/// The two methods of the GHG Protocol, Scope 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Co2Method {
    /// By the grid's intensity.
    Location,
    /// By what the site bought.
    Market,
}

impl Co2Method {
    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Location => "location",
            Self::Market => "market",
        }
    }
}

/// What pieces of a source say, of which some have a band.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    length_s: i64,
    /// Millionths x seconds of the values with a band, and of half of their bands.
    banded: i128,
    half_bands: i128,
}

/// How CO2 by location is counted by all of its sources; `None` where one does not say it, or two differ.
pub fn common_accounting(sources: &[Co2Source]) -> Option<Co2AccountingDocument> {
    let by_location = sources.iter().filter(|it| it.method == Co2Method::Location);
    let counted: Vec<_> =
        by_location.map(|it| it.accounting.map(Co2Accounting::document)).collect();
    Co2AccountingDocument::common(counted.iter().map(Option::as_ref))
}

impl LedgerService {
    /// How what was stated in a time counts CO2 by the accounting that the site does not plan by; `None` where nothing is known
    /// of it, or not all of it is counted in one way.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub(super) async fn other_accounting(
        &self,
        window: Span,
    ) -> Result<Option<Co2AccountingDocument>, Fault> {
        let said = self.shared.database.other_co2_accountings(window).await?;
        let counted: Vec<_> = said.iter().map(|it| other_accounting(it)).collect();
        Ok(Co2AccountingDocument::common(counted.iter().map(Option::as_ref)))
    }

    /// The sources of the intensities that are in force in a time, by location in the order of their names, then by market.
    ///
    /// # Errors
    /// The database cannot be reached, or what it keeps cannot be read.
    pub(super) async fn co2_sources(&self, window: Span) -> Result<Vec<Co2Source>, Fault> {
        let pieces = self.shared.database.proven_agenda(Quantity::Co2, window, None).await?;
        let settings = self.settings();
        let stated = settings.location_error;
        let found = blocking(move || Ok(by_location(&known(&pieces)?, window, stated))).await?;
        let mut sources = found.map_err(|error: ProvenanceError| Fault::internal(error))?;
        sources.extend(settings.market.as_ref().map(|market| Co2Source {
            method: Co2Method::Market,
            source: market.source.clone(),
            quality: None,
            accounting: None,
            length: window.length(),
            error: market.error,
        }));
        Ok(sources)
    }
}

/// How the words of a statement say that CO2 is counted.
pub fn other_accounting(words: &str) -> Option<Co2AccountingDocument> {
    Co2Accounting::of_words(Quantity::Co2, words).map(Co2Accounting::document)
}

/// The sources of pieces, as far as these lie in a window; `stated` is the error where there is no band.
fn by_location(pieces: &[KnownPiece], window: Span, stated: Option<f64>) -> Vec<Co2Source> {
    let mut said: BTreeMap<(&str, Quality, Option<Co2Accounting>), Said> = BTreeMap::new();
    for KnownPiece { piece, origin, band } in pieces {
        let Some(span) = piece.span.intersection(window) else { continue };
        let key = (origin.source.as_str(), origin.quality, origin.co2_accounting);
        let it = said.entry(key).or_default();
        let length_s = span.length().get();
        it.length_s += length_s;
        if let Some((low, high)) = band {
            it.banded += i128::from(piece.value.abs()) * i128::from(length_s);
            it.half_bands += i128::from(high - low) * i128::from(length_s) / 2;
        }
    }
    let source = |((source, quality, accounting), said): ((&str, _, _), Said)| {
        let by_bands = (said.banded > 0).then(|| millionths(said.half_bands, said.banded));
        Co2Source {
            method: Co2Method::Location,
            source: source.to_owned(),
            quality: Some(quality),
            accounting,
            length: Seconds::new(said.length_s),
            error: by_bands.or(stated),
        }
    };
    said.into_iter().map(source).collect()
}

/// How the CO2 of each hour is counted by pieces; `None` where they differ in it, and where it is not known.
pub(super) fn of_hours(
    pieces: &[KnownPiece],
    hours: impl Iterator<Item = Timestamp>,
) -> Vec<Option<Co2AccountingDocument>> {
    let of_hour = |hour: Timestamp| {
        let span = Span::starting(hour, HOUR)?;
        let first = pieces.partition_point(|it| it.piece.span.end() <= span.start());
        let within = pieces[first..].iter().take_while(|it| it.piece.span.start() < span.end());
        let counted: Vec<_> =
            within.map(|it| it.origin.co2_accounting.map(Co2Accounting::document)).collect();
        Co2AccountingDocument::common(counted.iter().map(Option::as_ref))
    };
    hours.map(of_hour).collect()
}

/// A share to millionths.
fn millionths(part: i128, whole: i128) -> f64 {
    (part * i128::from(MILLION) / whole) as f64 / MILLION as f64
}

#[cfg(test)]
mod tests {
    use planner::agenda::Piece;

    use super::*;
    use crate::service::shared::provenance::{Origin, OriginKind};

    fn piece(
        hours: (i64, i64),
        value: i64,
        source: &str,
        quality: Quality,
        band: Option<(i64, i64)>,
    ) -> KnownPiece {
        let at = |hour: i64| Timestamp::from_unix_seconds(hour * 3600);
        let span = Span::new(at(hours.0), at(hours.1)).unwrap();
        let origin = Origin {
            source: source.to_owned(),
            kind: OriginKind::Fresh,
            quality,
            issued: None,
            received: None,
            co2_accounting: None,
        };
        KnownPiece { piece: Piece { span, value }, origin, band }
    }

    /// Hours 0 and 1 are average, hours 2 and 3 marginal; nothing is known of hour 5. A piece of an hour and a half counts in
    /// two hours: hour 1 is of both.
    #[test]
    fn an_hour_is_counted_as_all_of_its_pieces_are() {
        use grid_feeds::feed::{Accounting, Factors};

        let at = |minute: i64| Timestamp::from_unix_seconds(minute * 60);
        let counted = |minutes: (i64, i64), accounting| {
            let mut it = piece((0, 1), 1, "a", Quality::Measured, None);
            it.piece.span = Span::new(at(minutes.0), at(minutes.1)).unwrap();
            it.origin.co2_accounting =
                Some(Co2Accounting { accounting, factors: Some(Factors::Direct) });
            it
        };
        let pieces = [
            counted((0, 90), Accounting::Average),
            counted((90, 180), Accounting::Marginal),
            counted((180, 240), Accounting::Marginal),
        ];
        let told = of_hours(&pieces, [0, 60, 120, 180, 300].into_iter().map(at));
        let told: Vec<_> =
            told.iter().map(|it| it.as_ref().map(|it| it.accounting.as_str())).collect();
        let (average, marginal) = (Some("average"), Some("marginal"));
        assert_eq!(told, [average, None, marginal, marginal, None]);
    }

    /// From hour 1 to hour 10 the grid's operator measured for 3 hours, of which one lies before the window. A forecast of
    /// 100 g/kWh within 80 to 120 for 2 hours, and of 50 within 45 to 65 for 4, may be off by (20 x 2 + 10 x 4) of
    /// (100 x 2 + 50 x 4): a fifth.
    #[test]
    fn a_source_may_be_off_by_half_of_its_bands_and_else_as_the_site_says() {
        const GRAM: i64 = 1_000_000;
        let pieces = [
            piece((0, 3), 40 * GRAM, "rte", Quality::Measured, None),
            piece((3, 5), 100 * GRAM, "rte", Quality::Forecast, Some((80 * GRAM, 120 * GRAM))),
            piece((5, 9), 50 * GRAM, "rte", Quality::Forecast, Some((45 * GRAM, 65 * GRAM))),
        ];
        let at = |hour: i64| Timestamp::from_unix_seconds(hour * 3600);
        let window = Span::new(at(1), at(10)).unwrap();
        let told = |stated| {
            by_location(&pieces, window, stated)
                .into_iter()
                .map(|it| (it.quality.unwrap(), it.length.get() / 3600, it.error))
                .collect::<Vec<_>>()
        };
        assert_eq!(
            told(Some(0.05)),
            [(Quality::Forecast, 6, Some(0.2)), (Quality::Measured, 2, Some(0.05))]
        );
        assert_eq!(told(None)[1], (Quality::Measured, 2, None));
    }
}
