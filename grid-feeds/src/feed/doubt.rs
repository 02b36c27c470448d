//! What of an answer could not be read, and what becomes of the time that it is about.

use planner::agenda::{Agenda, AgendaError, Piece};
use planner::time::{Span, Timestamp};

use super::{KnownValue, Quality, Series};

/// Of what could not be read, so many parts are told.
const TOLD: usize = 5;

/// The part of an answer that could not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Doubt {
    /// What, where and why, one by one; empty where all was read.
    pub words: Vec<String>,
    /// When it would count, in time order, without overlap.
    pub spans: Vec<Span>,
}

impl Doubt {
    /// All of it in a sentence or more, with what becomes of it; `None` where all was read.
    pub fn told(&self) -> Option<String> {
        if self.words.is_empty() {
            return None;
        }
        let shown = self.words.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>();
        let mut text = format!("could not be read: {}", shown.join("; "));
        if self.words.len() > TOLD {
            text = format!("{text}; and {} more", self.words.len() - TOLD);
        }
        let spans = self.spans.iter().take(TOLD).map(ToString::to_string).collect::<Vec<_>>();
        if !spans.is_empty() {
            let more = if self.spans.len() > TOLD { ", ..." } else { "" };
            text = format!(
                "{text}. Until the supplier mends or cancels it, nothing is taken for better than \
                 before in {}{more}",
                spans.join(", ")
            );
        }
        Some(text)
    }
}

impl Series {
    /// Lets values of doubtful spans become no better than they were. From `now` on the most cautious
    /// counts of what can be read, what was said before (`held`) and `bound`; what is past stays as
    /// it was said. Of what nothing is known remains a gap.
    ///
    /// # Errors
    /// Spans that overlap.
    pub fn hold_back(
        &mut self,
        doubtful: &[Span],
        held: &Agenda<KnownValue>,
        bound: Option<i64>,
        now: Timestamp,
    ) -> Result<(), AgendaError> {
        if doubtful.is_empty() {
            return Ok(());
        }
        let mut pieces = self.outside(doubtful);
        for &span in doubtful {
            let mut inside: Vec<Piece<KnownValue>> = Vec::new();
            for span in parts(span, &[&self.agenda, held], now) {
                let (read, before) = (self.agenda.at(span.start()), held.at(span.start()));
                let known = if span.start() < now {
                    before.or(read)
                } else {
                    let values = [read, before].into_iter().flatten().map(|known| known.value);
                    let value =
                        values.chain(bound).reduce(|one, other| self.kind.cautious(one, other));
                    value.map(|value| KnownValue { value, quality: Quality::Forecast })
                };
                let Some(value) = known else { continue };
                match inside.last_mut() {
                    Some(last) if last.span.end() == span.start() && last.value == value => {
                        last.span = Span::new(last.span.start(), span.end()).unwrap_or(last.span);
                    }
                    _ => inside.push(Piece { span, value }),
                }
            }
            pieces.extend(inside);
        }
        pieces.sort_unstable_by_key(|piece| piece.span);
        self.agenda = Agenda::new(pieces)?;
        Ok(())
    }

    /// The pieces between doubtful spans.
    fn outside(&self, doubtful: &[Span]) -> Vec<Piece<KnownValue>> {
        let starts = [Timestamp::MIN].into_iter().chain(doubtful.iter().map(|span| span.end()));
        let ends = doubtful.iter().map(|span| span.start()).chain([Timestamp::MAX]);
        let between = starts.zip(ends).filter_map(|(start, end)| Span::new(start, end));
        let pieces = between.flat_map(|span| {
            let pieces = self.agenda.overlapping(span).iter();
            pieces.filter_map(move |piece| {
                let span = piece.span.intersection(span)?;
                Some(Piece { span, value: piece.value })
            })
        });
        pieces.collect()
    }
}

/// A span cut wherever an agenda may change, and now.
fn parts(span: Span, agendas: &[&Agenda<KnownValue>], now: Timestamp) -> Vec<Span> {
    let mut edges = vec![span.start(), span.end()];
    edges.extend(Some(now).filter(|now| span.contains(*now)));
    for agenda in agendas {
        let inside = agenda.overlapping(span).iter().filter_map(|it| it.span.intersection(span));
        edges.extend(inside.flat_map(|it| [it.start(), it.end()]));
    }
    edges.sort_unstable();
    edges.dedup();
    edges.windows(2).filter_map(|edge| Span::new(edge[0], edge[1])).collect()
}

#[cfg(test)]
mod tests {
    use planner::quantity::Currency;

    use super::*;
    use crate::feed::Kind;

    fn at(hour: i64) -> Timestamp {
        Timestamp::from_unix_seconds(hour * 3600)
    }

    fn agenda(pieces: &[(i64, i64, i64)]) -> Agenda<KnownValue> {
        let piece = |&(start, end, value): &(i64, i64, i64)| Piece {
            span: Span::new(at(start), at(end)).unwrap(),
            value: KnownValue { value, quality: Quality::Measured },
        };
        Agenda::new(pieces.iter().map(piece).collect()).unwrap()
    }

    fn held_back(
        kind: Kind,
        read: &[(i64, i64, i64)],
        doubtful: (i64, i64),
        held: &[(i64, i64, i64)],
        bound: Option<i64>,
    ) -> Vec<(i64, i64, i64)> {
        let (agenda, held) = (agenda(read), agenda(held));
        let mut series = Series { kind, issued_at: None, agenda, notes: Vec::new() };
        let doubtful = [Span::new(at(doubtful.0), at(doubtful.1)).unwrap()];
        series.hold_back(&doubtful, &held, bound, at(10)).unwrap();
        let once = series.clone();
        assert_eq!(series.agenda.pieces().len(), once.agenda.pieces().len());
        // Held as it is now it is no news.
        let now_held = series.agenda.clone();
        series.agenda = super::tests::agenda(read);
        series.hold_back(&doubtful, &now_held, bound, at(11)).unwrap();
        assert!(!series.is_news(&now_held), "{:?}", series.agenda);
        let hours = |at: Timestamp| at.as_unix_seconds() / 3600;
        let pieces = once.agenda.pieces().iter();
        pieces.map(|it| (hours(it.span.start()), hours(it.span.end()), it.value.value)).collect()
    }

    /// By hand: 50 was held until 14, 90 after; 70 is read until 16; 60 is the safe mode.
    #[test]
    fn a_doubtful_cap_may_fall_and_not_rise() {
        let (read, held) = ([(0, 16, 70)], [(0, 14, 50), (14, 20, 90)]);
        let cap = |bound| held_back(Kind::PowerCap, &read, (12, 18), &held, bound);
        assert_eq!(cap(None), [(0, 12, 70), (12, 14, 50), (14, 16, 70), (16, 18, 90)]);
        assert_eq!(cap(Some(60)), [(0, 12, 70), (12, 14, 50), (14, 18, 60)]);
        let nothing = held_back(Kind::PowerCap, &[], (12, 18), &[], Some(60));
        assert_eq!(nothing, [(12, 18, 60)], "the safe mode where nothing else is known");
        assert_eq!(held_back(Kind::PowerCap, &[], (12, 18), &[], None), []);
    }

    #[test]
    fn a_doubtful_price_may_rise_and_not_fall() {
        let price = Kind::Price { currency: Currency::EUR };
        let (read, held) = ([(0, 16, 70)], [(0, 14, 50), (14, 20, 90)]);
        assert_eq!(
            held_back(price, &read, (12, 18), &held, None),
            [(0, 12, 70), (12, 14, 70), (14, 18, 90)]
        );
    }

    #[test]
    fn the_past_stays_as_it_was_said() {
        let past = held_back(Kind::PowerCap, &[(0, 20, 70)], (5, 12), &[(0, 8, 80)], Some(60));
        assert_eq!(past, [(0, 5, 70), (5, 8, 80), (8, 10, 70), (10, 12, 60), (12, 20, 70)]);
    }

    #[test]
    fn what_could_not_be_read_is_told_with_what_becomes_of_it() {
        assert_eq!(Doubt::default().told(), None);
        let spans = vec![Span::new(at(0), at(1)).unwrap()];
        let words = (0..7).map(|number| format!("event {number}")).collect();
        let told = Doubt { words, spans }.told().unwrap();
        assert!(told.starts_with("could not be read: event 0; ") && told.contains("and 2 more"));
        assert!(told.ends_with("1970-01-01T00:00:00Z to 1970-01-01T01:00:00Z"), "{told}");
    }
}
