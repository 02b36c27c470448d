//! Power beyond the subscription: granted, and to be had.
//!
//! An event of grants is the whole list of those that are not over, old and new. Where two events
//! grant over one span, the one that counts more replaces the other there; grants of one event add
//! up. So nothing is granted twice. A grant that cannot be read grants nothing, and neither do those
//! that it may replace.

use planner::quantity::Power;
use planner::time::{Span, Timestamp};

use super::agenda::{bad, single};
use super::descriptor::Descriptors;
use super::timing::{laid, modified};
use super::types::{AVAILABLE, AVAILABLE_PRICE, GRANT, GRANT_FEE};
use super::unit::{self, Fee};
use super::{EventReader, Heard, Unread};
use crate::wire::Event;

/// Power granted beyond the subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The event's id and the interval's number; and the part's, where other grants replace the
    /// middle.
    pub id: String,
    /// The time for which it is granted.
    pub span: Span,
    /// The power beyond the subscription.
    pub power: Power,
    /// What it costs for each kW over its whole span; `None` where the supplier does not say.
    pub fee: Option<Fee>,
    /// When the supplier said so.
    pub modified: Timestamp,
}

/// Power that may be asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Available {
    /// The event's id and the interval's number.
    pub id: String,
    /// The time for which it may be asked for.
    pub span: Span,
    /// The power beyond what is granted.
    pub power: Power,
    /// What it would cost for each kW over its whole span.
    pub price: Option<Fee>,
}

/// The spellings of a capacity and of its price, the standard's first.
struct Spelling {
    capacity: &'static [&'static str],
    price: &'static [&'static str],
}

/// What an event says of a capacity.
#[derive(Default)]
struct Listed {
    priced: Vec<Priced>,
    /// The spans about which something is said that cannot be read.
    doubts: Vec<Span>,
    unread: Vec<Unread>,
}

/// A power with its price.
struct Priced {
    interval: i64,
    span: Span,
    power: Power,
    price: Option<Fee>,
}

/// The grants in force and to come.
pub(super) fn grants(
    reader: &EventReader<'_>,
    descriptors: &Descriptors<'_>,
    ranked: &[&Event],
) -> Heard<Vec<Grant>> {
    let spelling = Spelling { capacity: &GRANT, price: &GRANT_FEE };
    let mut heard = Heard { said: Vec::new(), doubtful: Vec::new(), unread: Vec::new() };
    let mut taken: Vec<Span> = Vec::new();
    for event in ranked.iter().rev().filter(|event| event.may_say(spelling.capacity)) {
        let Listed { priced, doubts, unread } = listed(reader, descriptors, event, &spelling);
        let mut spans = doubts.clone();
        for priced in priced {
            spans.push(priced.span);
            let parts = without(priced.span, &taken);
            let cut = parts.len() > 1;
            heard.said.extend(parts.into_iter().enumerate().map(|(part, span)| Grant {
                id: if cut {
                    format!("{}/{}/{part}", event.id, priced.interval)
                } else {
                    format!("{}/{}", event.id, priced.interval)
                },
                span,
                power: priced.power,
                fee: priced.price,
                modified: modified(event),
            }));
        }
        taken.extend(spans);
        heard.doubtful.extend(doubts);
        heard.unread.extend(unread);
    }
    let grants = &mut heard.said;
    grants.retain(|grant| grant.span.end() > reader.now && grant.power > Power::ZERO);
    grants.sort_by(|one, other| one.span.cmp(&other.span).then_with(|| one.id.cmp(&other.id)));
    heard
}

/// What may be asked for now or later. Each event is an offer of its own.
pub(super) fn available(
    reader: &EventReader<'_>,
    descriptors: &Descriptors<'_>,
    ranked: &[&Event],
) -> Heard<Vec<Available>> {
    let spelling = Spelling { capacity: &AVAILABLE, price: &AVAILABLE_PRICE };
    let mut heard = Heard { said: Vec::new(), doubtful: Vec::new(), unread: Vec::new() };
    for event in ranked.iter().filter(|event| event.may_say(spelling.capacity)) {
        let Listed { priced, doubts, unread } = listed(reader, descriptors, event, &spelling);
        heard.said.extend(priced.into_iter().map(|Priced { interval, span, power, price }| {
            let id = format!("{}/{interval}", event.id);
            Available { id, span, power, price }
        }));
        heard.doubtful.extend(doubts);
        heard.unread.extend(unread);
    }
    let offers = &mut heard.said;
    offers.retain(|offer| offer.span.end() > reader.now && offer.power > Power::ZERO);
    offers.sort_by(|one, other| one.span.cmp(&other.span).then_with(|| one.id.cmp(&other.id)));
    heard
}

fn listed(
    reader: &EventReader<'_>,
    descriptors: &Descriptors<'_>,
    event: &Event,
    spelling: &Spelling,
) -> Listed {
    let power_means = event.sound().and_then(|()| descriptors.meaning(event, spelling.capacity));
    let price_means = descriptors.meaning(event, spelling.price);
    let laid = laid(reader, event);
    let mut listed = Listed::default();
    for fault in laid.faults.into_iter().filter(|fault| fault.concerns(spelling.capacity)) {
        listed.doubts.push(fault.span);
        fault.unread.note(&mut listed.unread);
    }
    for timed in laid.intervals {
        let words = |message: String| bad(event, &timed, message);
        let read = || {
            let Some(power) = single(event, &timed, spelling.capacity)? else { return Ok(None) };
            let means = power_means.as_ref().map_err(|message| words(message.clone()))?;
            let microwatts = unit::power(power, means).map_err(words)?;
            if !grid_feeds::feed::Kind::PowerCap.admits(microwatts) {
                return Err(words(format!("{power} is no power")));
            }
            let price = single(event, &timed, spelling.price)?.map(|price| {
                let means = price_means.as_ref().map_err(Clone::clone)?;
                unit::fee(price, means, reader.currency)
            });
            let price = price.transpose().map_err(words)?;
            let power = Power::from_microwatts(microwatts);
            Ok(Some(Priced { interval: timed.id, span: timed.span, power, price }))
        };
        match read() {
            Ok(priced) => listed.priced.extend(priced),
            Err(unread) => {
                listed.doubts.push(timed.span);
                unread.note(&mut listed.unread);
            }
        }
    }
    listed
}

/// What `taken` leaves of a span, in time order.
fn without(span: Span, taken: &[Span]) -> Vec<Span> {
    let mut left = vec![span];
    for other in taken {
        let parts = left.into_iter().flat_map(|part| {
            let before = Span::new(part.start(), part.end().min(other.start()));
            let after = Span::new(part.start().max(other.end()), part.end());
            before.into_iter().chain(after)
        });
        left = parts.collect();
    }
    left.sort_unstable();
    left
}
