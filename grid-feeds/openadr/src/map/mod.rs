//! From a program's events to what the supplier says: pure.
//!
//! Of events of one kind the one of the higher priority counts (0 is the highest, none the lowest),
//! at equal priority the one that was modified later. What an event leaves open the next one may
//! fill. An event that is no longer listed is cancelled: whoever asks again no longer finds it.
//!
//! A kind with an event that cannot be read is refused as a whole, by event and place: half a list
//! of limits may be worse than none. Other kinds stand.

mod agenda;
mod alert;
mod capacity;
mod descriptor;
mod overlay;
#[cfg(test)]
mod tests;
mod timing;
mod unit;

use std::fmt;

use grid_feeds::feed::{Accounting, Factors, FeedError, Kind};
use openleadr_wire::event::{Event, EventType};
use openleadr_wire::program::Program;
use planner::agenda::Agenda;
use planner::quantity::{CarbonIntensity, Currency, EnergyPrice, Power};
use planner::time::Timestamp;

pub use alert::Alert;
pub use capacity::{Available, Grant};
pub use unit::Fee;

use descriptor::Descriptors;
pub(crate) use timing::end;

/// What reading events depends on beside the events.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    /// The time of reading.
    pub now: Timestamp,
    /// Events that repeat are laid out until here.
    pub until: Timestamp,
    /// Of the site; that of prices where none is said.
    pub currency: Currency,
    /// Those that are ours; where none are given, what the server lets us read is ours.
    pub targets: &'a [String],
}

/// What the supplier says by the events of a program.
#[derive(Clone, Debug)]
pub struct SupplierWord {
    /// `PRICE`.
    pub price: Result<Agenda<EnergyPrice>, MapError>,
    /// `GHG`.
    pub co2: Result<Agenda<CarbonIntensity>, MapError>,
    /// `IMPORT_CAPACITY_LIMIT`.
    pub limit: Result<Agenda<Power>, MapError>,
    /// `IMPORT_CAPACITY_SUBSCRIPTION`: the contracted power.
    pub subscription: Result<Agenda<Power>, MapError>,
    /// The lower of limit and subscription, wherever one of them is known.
    pub power_cap: Result<Agenda<Power>, MapError>,
    /// The limit without end that has the lowest priority: what holds when contact is lost.
    pub safe_mode: Option<Power>,
    /// `IMPORT_CAPACITY_RESERVATION`: power granted beyond the subscription.
    pub grants: Result<Vec<Grant>, MapError>,
    /// `IMPORT_CAPACITY_AVAILABLE`: power that may be asked for.
    pub available: Result<Vec<Available>, MapError>,
    /// `ALERT_...` that are not over.
    pub alerts: Vec<Alert>,
    /// What was left out or assumed, in words.
    pub notes: Vec<String>,
}

/// Why the events of a kind cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("event {event}, {place}: {message}")]
pub struct MapError {
    /// Its name and id.
    pub event: String,
    /// Where in it.
    pub place: String,
    /// What is wrong there.
    pub message: String,
}

impl From<MapError> for FeedError {
    fn from(error: MapError) -> Self {
        let place = format!("event {}, {}", error.event, error.place);
        Self::Payload { place, message: error.message }
    }
}

impl MapError {
    fn new(event: &Event, place: impl fmt::Display, message: impl fmt::Display) -> Self {
        let id = event.id.as_str();
        let event = match &event.content.event_name {
            Some(name) => format!("{name:?} ({id})"),
            None => id.to_owned(),
        };
        Self { event, place: place.to_string(), message: message.to_string() }
    }
}

impl Reader<'_> {
    /// What events say; those of other programs and targets say nothing to us.
    pub fn word(&self, program: &Program, events: &[Event]) -> SupplierWord {
        let mut notes = Vec::new();
        let ranked = self.ranked(program, events);
        let descriptors = Descriptors::of(program);
        let powers = |payload| {
            agenda::items(self, &descriptors, &ranked, &payload, Kind::PowerCap, unit::power)
        };
        let price = Kind::Price { currency: self.currency };
        let prices = agenda::items(
            self,
            &descriptors,
            &ranked,
            &EventType::Price,
            price,
            |value, meaning| unit::price(value, meaning, self.currency),
        );
        // Of which kind they are is the site's word; it has no part in how they are read.
        let co2 = Kind::Co2 { accounting: Accounting::Marginal, factors: Factors::Direct };
        let intensities =
            agenda::items(self, &descriptors, &ranked, &EventType::GHG, co2, unit::intensity);
        let limits = powers(EventType::ImportCapacityLimit);
        let safe_mode = limits.as_ref().ok().and_then(|limits| agenda::safe_mode(limits));
        let as_powers = |items| agenda::agenda(items, agenda::power);
        let limit = limits.map(as_powers);
        let subscription = powers(EventType::ImportCapacitySubscription).map(as_powers);
        let power_cap = match (&limit, &subscription) {
            (Ok(limit), Ok(subscription)) => Ok(agenda::lower(limit, subscription)),
            (Err(error), _) | (_, Err(error)) => Err(error.clone()),
        };
        // A start that every client should move by chance is kept: a plan has to hold for all.
        let randomized = ranked.iter().filter(|event| timing::is_randomized(event));
        notes.extend(
            randomized.map(|event| format!("randomizeStart of event {} is not applied", event.id)),
        );
        SupplierWord {
            price: prices.map(|items| agenda::agenda(items, EnergyPrice::from_millionths_per_mwh)),
            co2: intensities
                .map(|items| agenda::agenda(items, CarbonIntensity::from_millionths_g_per_kwh)),
            limit,
            subscription,
            power_cap,
            safe_mode,
            grants: capacity::grants(self, &descriptors, &ranked),
            available: capacity::available(self, &descriptors, &ranked),
            alerts: alert::alerts(self, &ranked, &mut notes),
            notes,
        }
    }

    /// Our events, the one that counts least first.
    pub(crate) fn ranked<'e>(&self, program: &Program, events: &'e [Event]) -> Vec<&'e Event> {
        let ours = |event: &&Event| event.content.program_id == program.id && self.is_ours(event);
        let mut ranked: Vec<&Event> = events.iter().filter(ours).collect();
        ranked.sort_by(|one, other| {
            (one.content.priority.cmp(&other.content.priority))
                .then(one.modification_date_time.cmp(&other.modification_date_time))
                .then(one.created_date_time.cmp(&other.created_date_time))
                .then(one.id.as_str().cmp(other.id.as_str()))
        });
        // A page that shifted while it was read shows an event twice.
        ranked.dedup_by(|one, other| one.id == other.id);
        ranked
    }

    fn is_ours(&self, event: &Event) -> bool {
        let targets = &event.content.targets;
        let ours = |target: &str| self.targets.iter().any(|wanted| wanted == target);
        self.targets.is_empty()
            || targets.is_empty()
            || targets.iter().any(|target| ours(target.as_str()))
    }
}

/// Whether an event has an interval that has not ended; one that cannot be read has.
pub(crate) fn ends_after(event: &Event, now: Timestamp) -> bool {
    let (currency, targets) = (Currency::EUR, &[]);
    let reader = Reader { now, until: now, currency, targets };
    timing::timed(&reader, event)
        .map_or(true, |intervals| intervals.iter().any(|timed| timed.span.end() > now))
}
