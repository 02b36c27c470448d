//! What the ledger's CO2 rests on: who says the intensities, how well they know them, and by how much they may be off.

use std::collections::BTreeMap;

use planner::agenda::Quality;
use planner::quantity::MILLION;
use planner::time::{Seconds, Span};
use storage::Quantity;

use super::LedgerService;
use crate::service::shared::provenance::{KnownPiece, ProvenanceError, known};
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

impl LedgerService {
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
            length: window.length(),
            error: market.error,
        }));
        Ok(sources)
    }
}

/// The sources of pieces, as far as these lie in a window; `stated` is the error where there is no band.
fn by_location(pieces: &[KnownPiece], window: Span, stated: Option<f64>) -> Vec<Co2Source> {
    let mut said: BTreeMap<(&str, Quality), Said> = BTreeMap::new();
    for KnownPiece { piece, origin, band } in pieces {
        let Some(span) = piece.span.intersection(window) else { continue };
        let it = said.entry((&origin.source, origin.quality)).or_default();
        let length_s = span.length().get();
        it.length_s += length_s;
        if let Some((low, high)) = band {
            it.banded += i128::from(piece.value.abs()) * i128::from(length_s);
            it.half_bands += i128::from(high - low) * i128::from(length_s) / 2;
        }
    }
    let source = |((source, quality), said): ((&str, Quality), Said)| {
        let by_bands = (said.banded > 0).then(|| millionths(said.half_bands, said.banded));
        Co2Source {
            method: Co2Method::Location,
            source: source.to_owned(),
            quality: Some(quality),
            length: Seconds::new(said.length_s),
            error: by_bands.or(stated),
        }
    };
    said.into_iter().map(source).collect()
}

/// A share to millionths.
fn millionths(part: i128, whole: i128) -> f64 {
    (part * i128::from(MILLION) / whole) as f64 / MILLION as f64
}

#[cfg(test)]
mod tests {
    use planner::agenda::Piece;
    use planner::time::Timestamp;

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
        };
        KnownPiece { piece: Piece { span, value }, origin, band }
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
