//! Power beyond the subscription: granted, and to be had.
//!
//! An event of grants is the whole list of those that are not over, old and new. Where two events
//! grant over one span, the one that counts more replaces the other there; grants of one event add
//! up. So nothing is granted twice.

use openleadr_wire::event::{Event, EventType};
use planner::quantity::Power;
use planner::time::{Span, Timestamp};

use super::agenda::{bad, mentions, single};
use super::descriptor::Descriptors;
use super::timing::{modified, timed};
use super::unit::{self, Fee};
use super::{MapError, Reader};

/// Power granted beyond the subscription.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The event's id and the interval's number; and the part's, where other grants replace the
    /// middle.
    pub id: String,
    /// When.
    pub span: Span,
    /// How much beyond the subscription.
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
    /// When.
    pub span: Span,
    /// How much beyond what is granted.
    pub power: Power,
    /// What it would cost for each kW over its whole span.
    pub price: Option<Fee>,
}

/// The spellings of a capacity and of its price, the standard's first.
struct Spelling {
    capacity: Vec<EventType>,
    price: Vec<EventType>,
}

/// A power with its price.
struct Priced {
    interval: i32,
    span: Span,
    power: Power,
    price: Option<Fee>,
}

/// The grants in force and to come.
///
/// # Errors
/// Names the event and the interval that cannot be read.
pub(super) fn grants(
    reader: &Reader<'_>,
    descriptors: &Descriptors<'_>,
    ranked: &[&Event],
) -> Result<Vec<Grant>, MapError> {
    let spelling = Spelling {
        capacity: vec![
            EventType::ImportCapacityReservation,
            EventType::Private("IMPORT_RESERVATION_CAPACITY".to_owned()),
        ],
        price: vec![
            EventType::ImportCapacityReservationFee,
            EventType::Private("IMPORT_RESERVATION_FEE".to_owned()),
        ],
    };
    let mut grants = Vec::new();
    let mut taken: Vec<Span> = Vec::new();
    for event in ranked.iter().rev().filter(|event| mentions(event, &spelling.capacity)) {
        let mut spans = Vec::new();
        for priced in priced(reader, descriptors, event, &spelling)? {
            spans.push(priced.span);
            let parts = without(priced.span, &taken);
            let cut = parts.len() > 1;
            grants.extend(parts.into_iter().enumerate().map(|(part, span)| Grant {
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
    }
    grants.retain(|grant| grant.span.end() > reader.now && grant.power > Power::ZERO);
    grants.sort_by(|one, other| one.span.cmp(&other.span).then_with(|| one.id.cmp(&other.id)));
    Ok(grants)
}

/// What may be asked for now or later. Each event is an offer of its own.
///
/// # Errors
/// Names the event and the interval that cannot be read.
pub(super) fn available(
    reader: &Reader<'_>,
    descriptors: &Descriptors<'_>,
    ranked: &[&Event],
) -> Result<Vec<Available>, MapError> {
    let spelling = Spelling {
        capacity: vec![EventType::ImportCapacityAvailable],
        price: vec![
            EventType::ImportCapacityAvailablePrice,
            EventType::Private("IMPORT_CAPACITY_AVAILABLE_FEE".to_owned()),
        ],
    };
    let mut all = Vec::new();
    for event in ranked.iter().filter(|event| mentions(event, &spelling.capacity)) {
        let offers = priced(reader, descriptors, event, &spelling)?;
        all.extend(offers.into_iter().map(|Priced { interval, span, power, price }| {
            let id = format!("{}/{interval}", event.id);
            Available { id, span, power, price }
        }));
    }
    all.retain(|offer| offer.span.end() > reader.now && offer.power > Power::ZERO);
    all.sort_by(|one, other| one.span.cmp(&other.span).then_with(|| one.id.cmp(&other.id)));
    Ok(all)
}

fn priced(
    reader: &Reader<'_>,
    descriptors: &Descriptors<'_>,
    event: &Event,
    spelling: &Spelling,
) -> Result<Vec<Priced>, MapError> {
    let power_means = descriptors.meaning(event, &spelling.capacity);
    let price_means = descriptors.meaning(event, &spelling.price);
    let mut all = Vec::new();
    for timed in timed(reader, event)? {
        let Some(power) = single(event, &timed, &spelling.capacity)? else { continue };
        let power = unit::power(power, &power_means).and_then(|microwatts| {
            let possible = grid_feeds::feed::Kind::PowerCap.admits(microwatts);
            possible.then_some(microwatts).ok_or_else(|| format!("{power} is no power"))
        });
        let power = power.map_err(|message| bad(event, &timed, message))?;
        let price = single(event, &timed, &spelling.price)?
            .map(|price| unit::fee(price, &price_means, reader.currency))
            .transpose()
            .map_err(|message| bad(event, &timed, message))?;
        let power = Power::from_microwatts(power);
        all.push(Priced { interval: timed.id, span: timed.span, power, price });
    }
    Ok(all)
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
