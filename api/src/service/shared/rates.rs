//! Prices and CO2 intensities from what is stored of them: whole millionths of their unit.

use planner::agenda::{Agenda, AgendaError, Piece, RateAgenda};
use planner::quantity::Rate;
use planner::time::Span;

/// Why pieces are no agenda of prices or intensities.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum RatesError {
    /// A value beyond all prices and intensities.
    #[error("over {span} {millionths} millionths are stored, which no price or intensity can be")]
    Impossible {
        /// The time for which it would hold.
        span: Span,
        /// The value, millionths of its unit.
        millionths: i64,
    },
    /// Pieces that overlap.
    #[error(transparent)]
    Agenda(#[from] AgendaError),
}

/// An agenda of stored pieces with its integrals.
///
/// # Errors
/// A value that `rate` refuses; pieces that overlap.
pub fn rates<R: Rate>(
    pieces: impl IntoIterator<Item = Piece<i64>>,
    rate: fn(i64) -> Option<R>,
) -> Result<RateAgenda<R>, RatesError> {
    let read = |Piece { span, value: millionths }: Piece<i64>| {
        let value = rate(millionths).ok_or(RatesError::Impossible { span, millionths })?;
        Ok(Piece { span, value })
    };
    let pieces = pieces.into_iter().map(read).collect::<Result<Vec<_>, RatesError>>()?;
    Ok(RateAgenda::new(Agenda::new(pieces)?))
}

#[cfg(test)]
mod tests {
    use planner::quantity::{EnergyPrice, MAX_RATE_MILLIONTHS};
    use planner::time::Timestamp;

    use super::*;

    fn piece(start: i64, end: i64, value: i64) -> Piece<i64> {
        let at = Timestamp::from_unix_seconds;
        Piece { span: Span::new(at(start), at(end)).unwrap(), value }
    }

    #[test]
    fn values_that_no_rate_can_be_are_refused_and_not_left_out() {
        let rate = EnergyPrice::from_millionths_per_mwh;
        let possible = [piece(0, 10, MAX_RATE_MILLIONTHS), piece(10, 20, -MAX_RATE_MILLIONTHS)];
        let read = rates(possible, rate).unwrap();
        assert_eq!(read.agenda().pieces().len(), 2);
        let impossible = piece(20, 30, MAX_RATE_MILLIONTHS + 1);
        let refused = rates([possible[0], impossible], rate).unwrap_err();
        let (span, millionths) = (impossible.span, impossible.value);
        assert_eq!(refused, RatesError::Impossible { span, millionths });
        let overlapping = rates([possible[0], possible[0]], rate);
        assert!(matches!(overlapping, Err(RatesError::Agenda(_))));
    }
}
