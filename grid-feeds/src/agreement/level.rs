//! Values of different lengths, made comparable.

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::Seconds;

use super::overlay::Overlay;
use crate::feed::{KnownValue, ratio};

/// A longer piece says of what follows that it is the same, and no mean.
const LONGEST: Seconds = Seconds::new(3600);

/// Agendas in which shorter pieces are means wherever another has one longer piece of at most an hour:
/// a price of an hour is the mean of its quarter-hours, and does not disagree with each of them.
/// `O(a p log p)` for `p` pieces of `a` agendas.
pub(super) fn levelled(
    agendas: &[Agenda<KnownValue>],
) -> Result<Vec<Agenda<KnownValue>>, AgendaError> {
    let mut longer: Vec<Piece<KnownValue>> =
        agendas.iter().flat_map(Agenda::pieces).copied().collect();
    longer.retain(|piece| piece.span.length() <= LONGEST);
    // What is put last lies on top.
    longer.sort_by_key(|piece| piece.span.length());
    let level = |agenda: &Agenda<KnownValue>| {
        let mut overlay = Overlay::new();
        for piece in agenda.pieces() {
            overlay.fill(*piece);
        }
        for piece in &longer {
            if let Some(value) = mean_of_parts(agenda, piece) {
                overlay.cover(Piece { span: piece.span, value });
            }
        }
        overlay.into_agenda()
    };
    agendas.iter().map(level).collect()
}

/// The mean over a piece, where an agenda has several pieces in place of it and no gap.
fn mean_of_parts(agenda: &Agenda<KnownValue>, piece: &Piece<KnownValue>) -> Option<KnownValue> {
    let parts = agenda.overlapping(piece.span);
    if parts.len() < 2 || !agenda.covers(piece.span) {
        return None;
    }
    let weighted = |part: &Piece<KnownValue>| {
        let seconds = part.span.intersection(piece.span).map_or(0, |it| it.length().get());
        i128::from(part.value.value) * i128::from(seconds)
    };
    let sum: i128 = parts.iter().map(weighted).sum();
    let value = ratio(sum, piece.span.length().get().into())?;
    let quality = parts.iter().map(|part| part.value.quality).min()?;
    Some(KnownValue { value, quality })
}
