//! Coarser steps: some contracts stay hourly where the market has quarter-hours.

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Seconds, Span, Timestamp};

use super::{KnownValue, Series, ratio};

impl Series {
    /// The means over steps of `step` that begin at its multiples since the epoch, each with the
    /// least quality of its parts. A step that is not wholly known is a gap.
    ///
    /// # Errors
    /// None: steps follow each other.
    pub fn averaged(&self, step: Seconds) -> Result<Self, AgendaError> {
        let mut pieces: Vec<Piece<KnownValue>> = Vec::new();
        let mut next: Option<Timestamp> = None;
        for piece in self.agenda.pieces() {
            let ceiling = piece.span.start().ceil_to(step);
            let first = if ceiling == piece.span.start() { ceiling } else { ceiling - step };
            let mut start = next.map_or(first, |next| next.max(first));
            while let Some(span) = Span::starting(start, step).filter(|_| start < piece.span.end())
            {
                pieces.extend(mean(&self.agenda, span).map(|value| Piece { span, value }));
                start = span.end();
            }
            next = Some(start);
        }
        let agenda = Agenda::new(pieces)?;
        let notes = self.notes.clone();
        Ok(Self { kind: self.kind, issued_at: self.issued_at, agenda, notes })
    }
}

fn mean(agenda: &Agenda<KnownValue>, span: Span) -> Option<KnownValue> {
    if !agenda.covers(span) {
        return None;
    }
    let parts = agenda.overlapping(span);
    let quality = parts.iter().map(|part| part.value.quality).min()?;
    let weighted = |part: &Piece<KnownValue>| {
        let length = part.span.intersection(span)?.length().get();
        Some(i128::from(part.value.value) * i128::from(length))
    };
    let sum: i128 = parts.iter().filter_map(weighted).sum();
    Some(KnownValue { value: ratio(sum, span.length().get().into())?, quality })
}

#[cfg(test)]
mod tests {
    use planner::quantity::Currency;

    use super::*;
    use crate::feed::{Kind, Quality};

    /// Quarter-hours 10, 20, 30, 41 are an hour of 25.25; the second hour lacks a quarter.
    #[test]
    fn four_quarter_hours_are_an_hour_and_three_are_none() {
        let quarter = |(index, value): (i64, i64)| Piece {
            span: Span::starting(Timestamp::from_unix_seconds(index * 900), Seconds::new(900))
                .unwrap(),
            value: KnownValue {
                value: value * 1_000_000,
                quality: if index == 2 { Quality::Forecast } else { Quality::Measured },
            },
        };
        let quarters = [(0, 10), (1, 20), (2, 30), (3, 41), (4, 1), (5, 2), (7, 3), (8, 5)];
        let agenda = Agenda::new(quarters.into_iter().map(quarter).collect()).unwrap();
        let kind = Kind::Price { currency: Currency::EUR };
        let series = Series { kind, issued_at: None, agenda, notes: Vec::new() };
        let hours = series.averaged(Seconds::new(3600)).unwrap();
        let [hour] = hours.agenda.pieces() else { panic!("{:?}", hours.agenda) };
        assert_eq!(hour.value, KnownValue { value: 25_250_000, quality: Quality::Forecast });
        assert_eq!(hour.span.length(), Seconds::new(3600));
        assert_eq!(series.averaged(Seconds::new(900)).unwrap(), series);
    }
}
