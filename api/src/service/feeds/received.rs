//! Between what feeds say and what is stored.

use grid_feeds::feed::{Accounting, Doubt, Factors, Kind, KnownValue, Revision, Series};
use planner::agenda::{Agenda, AgendaError, Piece};
use planner::quantity::Currency;
use planner::time::Timestamp;
use storage::{FeedRevision, FeedValue, NewFeedRevision};

use crate::config::feeds::API_SOURCE;
use crate::service::shared::stored_quantity;

/// Before the name that whoever put an agenda gave its source; no id of a feed has a slash.
pub(super) const PUT: &str = "api/";

/// A revision to be kept, received at `now`.
pub fn stored(revision: &Revision, now: Timestamp) -> NewFeedRevision {
    let series = &revision.series;
    let piece = |piece: &Piece<KnownValue>| Piece {
        span: piece.span,
        value: FeedValue { value: piece.value.value, quality: piece.value.quality },
    };
    NewFeedRevision {
        feed: revision.source.to_string(),
        quantity: stored_quantity(series.kind.quantity()),
        zone: revision.zone.to_string(),
        kind: series.kind.to_string(),
        issued: series.issued_at,
        received: now,
        notes: series.notes.clone(),
        pieces: series.agenda.pieces().iter().map(piece).collect(),
    }
}

/// A stored revision of a known kind, with its receipt.
///
/// # Errors
/// Pieces that overlap.
pub(super) fn revived(
    kept: FeedRevision,
    kind: Kind,
) -> Result<(Revision, Timestamp), AgendaError> {
    let piece = |piece: &Piece<FeedValue>| Piece {
        span: piece.span,
        value: KnownValue { value: piece.value.value, quality: piece.value.quality },
    };
    let agenda = Agenda::new(kept.pieces.iter().map(piece).collect())?;
    let (issued_at, notes) = (kept.meta.issued, kept.meta.notes);
    let series = Series { kind, issued_at, agenda, notes };
    let source = match kept.meta.feed.as_str() {
        API_SOURCE => format!("{PUT}{}", kept.meta.zone),
        feed => feed.to_owned(),
    };
    let (source, zone) = (source.into(), kept.meta.zone.into());
    let doubt = Doubt::default();
    Ok((Revision { source, zone, series, doubt, validator: None }, kept.meta.received))
}

/// The kind that a text names, as [`Kind`] writes it.
pub(super) fn kind_of(text: &str, currency: Currency) -> Option<Kind> {
    let co2 = [Accounting::Average, Accounting::Marginal].into_iter().flat_map(|accounting| {
        [Factors::Direct, Factors::Lifecycle].map(|factors| Kind::Co2 { accounting, factors })
    });
    let mut kinds = co2.chain([Kind::Price { currency }, Kind::PowerCap]);
    kinds.find(|kind| kind.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_by_its_words() {
        let direct = Kind::Co2 { accounting: Accounting::Average, factors: Factors::Direct };
        for kind in [direct, Kind::PowerCap, Kind::Price { currency: Currency::EUR }] {
            assert_eq!(kind_of(&kind.to_string(), Currency::EUR), Some(kind));
        }
        let pounds = Kind::Price { currency: Currency::parse("GBP").unwrap() };
        assert_eq!(kind_of(&pounds.to_string(), Currency::EUR), None);
    }
}
