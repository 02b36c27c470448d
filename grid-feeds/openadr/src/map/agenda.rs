//! Prices, intensities and powers of events as agendas.

use grid_feeds::feed::Kind;
use openleadr_wire::event::{Event, EventType, EventValuesMap};
use planner::agenda::{Agenda, Piece};
use planner::quantity::Power;
use planner::time::{Span, Timestamp};
use rust_decimal::Decimal;

use super::descriptor::{Descriptors, Meaning};
use super::overlay::{Item, overlaid};
use super::timing::{Timed, timed};
use super::{MapError, Reader, unit};

/// The values of a payload type in the exact unit of their kind, each with the rank of its event.
///
/// # Errors
/// Names the event and the interval that cannot be read.
pub(super) fn items(
    reader: &Reader<'_>,
    descriptors: &Descriptors<'_>,
    ranked: &[&Event],
    payload: &EventType,
    kind: Kind,
    exact: impl Fn(Decimal, &Meaning) -> Result<i64, String>,
) -> Result<Vec<Item<i64>>, MapError> {
    let types = std::slice::from_ref(payload);
    let mut items = Vec::new();
    for (rank, &event) in ranked.iter().enumerate().filter(|(_, event)| mentions(event, types)) {
        let meaning = descriptors.meaning(event, types);
        let before = items.len();
        for timed in timed(reader, event)? {
            let Some(number) = single(event, &timed, types)? else { continue };
            let value = exact(number, &meaning).and_then(|value| {
                let possible = kind.admits(value).then_some(value);
                possible.ok_or_else(|| format!("{number} is no {kind}"))
            });
            let value = value.map_err(|message| bad(event, &timed, message))?;
            items.push(Item { span: timed.span, rank, value });
        }
        items[before..].sort_by_key(|item| item.span);
        let overlap = items[before..].windows(2).find(|pair| pair[0].span.overlaps(pair[1].span));
        if let Some([one, other]) = overlap {
            let message = format!("{} and {} overlap", one.span, other.span);
            return Err(MapError::new(event, "intervals", message));
        }
    }
    Ok(items)
}

/// An agenda of what is on top; all values are possible ones.
pub(super) fn agenda<V: Copy>(
    items: Vec<Item<i64>>,
    value: impl Fn(i64) -> Option<V>,
) -> Agenda<V> {
    let piece = |piece: Piece<i64>| Some(Piece { span: piece.span, value: value(piece.value)? });
    built(overlaid(items).into_iter().filter_map(piece).collect())
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

/// The lower of two agendas, or that which is known.
pub(super) fn lower(one: &Agenda<Power>, other: &Agenda<Power>) -> Agenda<Power> {
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

/// Whether an event has a payload of any of these types.
pub(super) fn mentions(event: &Event, types: &[EventType]) -> bool {
    let intervals = event.content.intervals.iter().flatten();
    intervals.flat_map(|it| &it.payloads).any(|payload| types.contains(&payload.value_type))
}

/// The one number of these types in an interval; `None` where it has none of them.
///
/// # Errors
/// Two payloads, no or two values, no number.
pub(super) fn single(
    event: &Event,
    timed: &Timed<'_>,
    types: &[EventType],
) -> Result<Option<Decimal>, MapError> {
    let of_types = |payload: &&EventValuesMap| types.contains(&payload.value_type);
    let mut found = timed.payloads.iter().filter(of_types);
    let Some(payload) = found.next() else { return Ok(None) };
    if found.next().is_some() {
        return Err(bad(event, timed, "has a type twice"));
    }
    let [value] = payload.values.as_slice() else {
        return Err(bad(event, timed, format!("has {} values, not one", payload.values.len())));
    };
    let number = unit::number(value).ok_or_else(|| bad(event, timed, "has no number"))?;
    Ok(Some(number))
}

/// An error of an interval.
pub(super) fn bad(event: &Event, timed: &Timed<'_>, message: impl std::fmt::Display) -> MapError {
    MapError::new(event, format!("interval {}", timed.id), message)
}
