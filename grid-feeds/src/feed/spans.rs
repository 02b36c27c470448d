//! Whether an answer is about the time that was asked for.

use planner::agenda::{Agenda, Piece};
use planner::time::{Seconds, Span};

use super::{FeedError, KnownValue, Series};

/// Suppliers round what is asked for to whole days of their own.
const ROUNDED: Seconds = Seconds::new(2 * 86_400);

impl Series {
    /// The series without what lies days away from what was asked for, which is noted.
    ///
    /// # Errors
    /// Where nothing of it touches the span asked for.
    pub(crate) fn asked_for(mut self, window: Span) -> Result<Self, FeedError> {
        let Some(said) = self.span() else { return Ok(self) };
        if self.agenda.overlapping(window).is_empty() {
            let asked = format!("values of {window}");
            let came = format!("values of {said}");
            return Err(FeedError::mismatch("the answer", asked, &came, "the clock"));
        }
        let near = Span::new(window.start() - ROUNDED, window.end() + ROUNDED).unwrap_or(window);
        let all = self.agenda.pieces();
        let kept: Vec<Piece<KnownValue>> =
            all.iter().copied().filter(|piece| piece.span.overlaps(near)).collect();
        let far = all.len() - kept.len();
        if far > 0 {
            self.notes.push(format!("{far} values far from the span asked for are left out"));
            self.agenda =
                Agenda::new(kept).map_err(|error| FeedError::payload("the agenda", error))?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use planner::quantity::Currency;
    use planner::time::Timestamp;

    use super::*;
    use crate::feed::{Kind, Quality};

    #[test]
    fn another_time_is_refused_and_what_is_far_away_left_out() {
        let day = |day: i64| {
            let at = Timestamp::from_unix_seconds(day * 86_400);
            Span::starting(at, Seconds::new(86_400)).unwrap()
        };
        let series = |days: &[i64]| {
            let value = KnownValue { value: 1, quality: Quality::Measured };
            let piece = |&it: &i64| Piece { span: day(it), value };
            let agenda = Agenda::new(days.iter().map(piece).collect()).unwrap();
            let kind = Kind::Price { currency: Currency::EUR };
            Series { kind, issued_at: None, agenda, notes: Vec::new() }
        };
        let kept = series(&[2, 8, 9, 10, 11, 12, 400]).asked_for(day(10)).unwrap();
        assert_eq!(kept.agenda.pieces().len(), 5);
        assert_eq!(kept.notes, ["2 values far from the span asked for are left out"]);
        let error = series(&[8, 9, 12]).asked_for(day(10)).unwrap_err();
        assert!(error.to_string().contains("1970-01-11"), "{error}");
        assert!(error.to_string().contains("1970-01-09"), "{error}");
    }
}
