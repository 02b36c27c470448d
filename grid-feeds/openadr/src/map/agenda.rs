//! Prices, intensities and powers of events as agendas.

use grid_feeds::feed::Kind;
use planner::agenda::{Agenda, Piece};
use planner::quantity::Power;
use planner::time::{Span, Timestamp};
use rust_decimal::Decimal;

use super::descriptor::{Descriptors, Meaning};
use super::overlay::{Item, joined, overlaid};
use super::timing::{Timed, laid};
use super::{EventReader, Heard, Unread, types, unit};
use crate::wire::{Event, Part, Payload};

/// The values of a payload type, and what of it cannot be read.
#[derive(Default)]
pub(super) struct Items {
    /// In the exact unit of their kind, each with the rank of its event.
    pub values: Vec<Item<i64>>,
    /// Where something is said that cannot be read.
    doubts: Vec<Item<bool>>,
    unread: Vec<Unread>,
}

/// The values of a payload type; of intervals of one event that overlap the more cautious counts.
pub(super) fn items(
    reader: &EventReader<'_>,
    descriptors: &Descriptors<'_>,
    ranked: &[&Event],
    payload: &'static str,
    kind: Kind,
    exact: impl Fn(Decimal, &Meaning) -> Result<i64, String>,
) -> Items {
    let types = &[payload];
    let mut items = Items::default();
    for (rank, &event) in ranked.iter().enumerate().filter(|(_, event)| event.may_say(types)) {
        let laid = laid(reader, event);
        for fault in laid.faults.into_iter().filter(|fault| fault.concerns(types)) {
            items.doubt(rank, fault.span, fault.unread);
        }
        let meaning = event.sound().and_then(|()| descriptors.meaning(event, types));
        let value = |number: Decimal| {
            let value = exact(number, meaning.as_ref().map_err(Clone::clone)?)?;
            let possible = kind.admits(value).then_some(value);
            possible.ok_or_else(|| format!("{number} is no {kind}"))
        };
        for timed in &laid.intervals {
            let said = single(event, timed, types).and_then(|number| {
                number.map(value).transpose().map_err(|message| bad(event, timed, message))
            });
            if let Err(unread) = spelt(event, timed, payload) {
                items.doubt(rank, timed.span, unread);
            }
            match said {
                Ok(None) => {}
                Ok(Some(value)) => {
                    // At equal rank the more cautious is on top: the higher, but of caps the lower.
                    let caution = if kind == Kind::PowerCap { -value } else { value };
                    items.values.push(Item { span: timed.span, rank, caution, value });
                }
                Err(unread) => items.doubt(rank, timed.span, unread),
            }
        }
    }
    items
}

impl Items {
    fn doubt(&mut self, rank: usize, span: Span, unread: Unread) {
        self.doubts.push(Item { span, rank, caution: i64::MAX, value: true });
        unread.note(&mut self.unread);
    }

    /// Intervals of one event that overlap, in words.
    pub fn overlaps(&self, ranked: &[&Event], payload: &str) -> Vec<String> {
        let mut sorted: Vec<&Item<i64>> = self.values.iter().collect();
        sorted.sort_by_key(|item| (item.rank, item.span));
        let overlapping = sorted
            .windows(2)
            .filter(|pair| pair[0].rank == pair[1].rank && pair[0].span.overlaps(pair[1].span));
        let note = |pair: &[&Item<i64>]| {
            let (event, one, other) = (&ranked[pair[0].rank].id, pair[0].span, pair[1].span);
            format!(
                "event {event}: {payload} of {one} and {other} overlap; the more cautious counts"
            )
        };
        overlapping.map(note).collect()
    }

    /// The agenda of the values that count, each made by `value`. All values must be possible ones.
    pub fn heard<V: Copy>(self, value: impl Fn(i64) -> Option<V>) -> Heard<Agenda<V>> {
        let known = self.values.iter().map(|item| Item {
            span: item.span,
            rank: item.rank,
            caution: item.caution,
            value: false,
        });
        let all = known.chain(self.doubts).collect();
        let doubtful = overlaid(all).into_iter().filter(|piece| piece.value);
        let doubtful = joined(doubtful.map(|piece| piece.span));
        let piece =
            |piece: Piece<i64>| Some(Piece { span: piece.span, value: value(piece.value)? });
        let said = built(overlaid(self.values).into_iter().filter_map(piece).collect());
        Heard { said, doubtful, unread: self.unread }
    }
}

/// Pieces that follow one another.
fn built<V: Copy>(pieces: Vec<Piece<V>>) -> Agenda<V> {
    Agenda::new(pieces).unwrap_or_else(|_| unreachable!("pieces that were laid apart"))
}

/// Microwatts as power.
#[expect(clippy::unnecessary_wraps, reason = "the signature of all quantities")]
pub(super) fn power(microwatts: i64) -> Option<Power> {
    Some(Power::from_microwatts(microwatts))
}

/// Of the limits without end the one of the lowest rank.
pub(super) fn safe_mode(limits: &[Item<i64>]) -> Option<Power> {
    let endless = limits.iter().filter(|item| item.span.end() == Timestamp::MAX);
    endless.min_by_key(|item| item.rank).map(|item| Power::from_microwatts(item.value))
}

/// The lower of two agendas, or that which is known. What is in doubt in one of them is in doubt.
pub(super) fn lower(
    one: &Heard<Agenda<Power>>,
    other: &Heard<Agenda<Power>>,
) -> Heard<Agenda<Power>> {
    let doubts = one.doubtful.iter().chain(&other.doubtful);
    let doubts = doubts.map(|&span| Item { span, rank: 0, caution: 0, value: true });
    let doubtful = joined(overlaid(doubts.collect()).into_iter().map(|piece| piece.span));
    let mut unread = one.unread.clone();
    // What may be anything is in both.
    unread.extend(other.unread.iter().filter(|it| !one.unread.contains(it)).cloned());
    Heard { said: lower_agenda(&one.said, &other.said), doubtful, unread }
}

fn lower_agenda(one: &Agenda<Power>, other: &Agenda<Power>) -> Agenda<Power> {
    let all = || one.pieces().iter().chain(other.pieces());
    let starts = all().map(|piece| piece.span.start());
    let mut edges: Vec<Timestamp> = starts.chain(all().map(|piece| piece.span.end())).collect();
    edges.sort_unstable();
    edges.dedup();
    let known = edges.windows(2).filter_map(|edge| {
        let span = Span::new(edge[0], edge[1])?;
        let value = match (one.at(span.start()), other.at(span.start())) {
            (Some(one), Some(other)) => one.min(other),
            (one, other) => one.or(other)?,
        };
        Some(Piece { span, value })
    });
    let mut pieces: Vec<Piece<Power>> = Vec::new();
    for piece in known {
        match pieces.last_mut() {
            Some(last) if last.span.end() == piece.span.start() && last.value == piece.value => {
                let longer = Span::new(last.span.start(), piece.span.end());
                last.span = longer.unwrap_or(last.span);
            }
            _ => pieces.push(piece),
        }
    }
    built(pieces)
}

/// The one number of these types in an interval; `None` where it has none of them.
///
/// # Errors
/// Two payloads, no or two values, no number.
pub(super) fn single(
    event: &Event,
    timed: &Timed<'_>,
    types: &[&str],
) -> Result<Option<Decimal>, Unread> {
    let of_types = |payload: &&Payload| payload.is_of(types);
    let mut found = timed.payloads.iter().filter(of_types);
    let Some(payload) = found.next() else { return Ok(None) };
    if found.next().is_some() {
        return Err(bad(event, timed, "has a type twice"));
    }
    let values = payload.values.as_ref().map_err(|message| bad(event, timed, message))?;
    let [value] = values.as_slice() else {
        return Err(bad(event, timed, format!("has {} values, not one", values.len())));
    };
    let number = unit::number(value).ok_or_else(|| bad(event, timed, "has no number"))?;
    Ok(Some(number))
}

/// That no payload of an interval seems to be of a type and is spelt otherwise.
fn spelt(event: &Event, timed: &Timed<'_>, payload: &'static str) -> Result<(), Unread> {
    let words = timed.payloads.iter().filter_map(|it| it.kind.as_ref().ok());
    let mut meant = words.filter(|word| types::resembles(word, payload));
    meant.next().map_or(Ok(()), |word| {
        let message = format!("{word:?} is no payload type of OpenADR; is it meant for {payload}?");
        Err(bad(event, timed, message))
    })
}

impl Event {
    /// That nothing of it is unreadable that decides whether and before which others it counts.
    pub(super) fn sound(&self) -> Part<()> {
        self.program_id.as_ref().map_err(Clone::clone)?;
        self.targets.as_ref().map_err(Clone::clone)?;
        self.priority.as_ref().map_err(Clone::clone)?;
        self.modified.as_ref().map_err(Clone::clone)?;
        Ok(())
    }
}

/// What of an interval cannot be read.
pub(super) fn bad(event: &Event, timed: &Timed<'_>, message: impl std::fmt::Display) -> Unread {
    Unread::new(event, format!("interval {}", timed.id), message)
}
