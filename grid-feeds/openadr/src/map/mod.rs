//! From a program's events to what the supplier says: pure.
//!
//! Of events of one kind the one of the higher priority counts (0 is the highest, none the lowest),
//! at equal priority the one that was modified later. What an event leaves open the next one may
//! fill. An event that is no longer listed is cancelled: whoever asks again no longer finds it.
//!
//! What cannot be read hides nothing else. Where it would count, the time is in doubt: it is told,
//! and whoever uses a value there takes no less cautious one than before. What counts more and can
//! be read leaves no doubt.

mod agenda;
mod alert;
mod capacity;
mod descriptor;
mod overlay;
#[cfg(test)]
mod tests;
mod timing;
mod types;
mod unit;

use std::fmt;

use grid_feeds::feed::{Accounting, Factors, Kind, excerpt, scrub};
use planner::agenda::Agenda;
use planner::quantity::{CarbonIntensity, Currency, EnergyPrice, Power};
use planner::time::{Span, Timestamp};

use crate::wire::{Event, Program};

pub use alert::Alert;
pub use capacity::{Available, Grant};
pub use unit::Fee;

use agenda::Items;
use descriptor::Descriptors;
pub(crate) use types::commands;

/// The most parts of a kind that are listed as unreadable.
const MOST_TOLD: usize = 100;

/// What reading events depends on beside the events.
#[derive(Clone, Debug)]
pub struct EventReader<'a> {
    /// The time of reading.
    pub now: Timestamp,
    /// Events that repeat are laid out until here.
    pub until: Timestamp,
    /// The site's currency; that of prices whose events name none.
    pub currency: Currency,
    /// The targets that are ours; where there are none, all that the server lets us read is ours.
    pub targets: &'a [String],
}

/// What the supplier says by the events of a program.
#[derive(Clone, Debug)]
pub struct SupplierWord {
    /// The price of energy (`PRICE`).
    pub price: Heard<Agenda<EnergyPrice>>,
    /// The CO2 intensity of energy (`GHG`).
    pub co2: Heard<Agenda<CarbonIntensity>>,
    /// The most power that may be drawn (`IMPORT_CAPACITY_LIMIT`).
    pub limit: Heard<Agenda<Power>>,
    /// The contracted power (`IMPORT_CAPACITY_SUBSCRIPTION`).
    pub subscription: Heard<Agenda<Power>>,
    /// The lower of limit and subscription, wherever one of them is known.
    pub power_cap: Heard<Agenda<Power>>,
    /// The limit without end that has the lowest priority: what holds when contact is lost.
    pub safe_mode: Option<Power>,
    /// `IMPORT_CAPACITY_RESERVATION`: power granted beyond the subscription.
    pub grants: Heard<Vec<Grant>>,
    /// `IMPORT_CAPACITY_AVAILABLE`: power that may be asked for.
    pub available: Heard<Vec<Available>>,
    /// `ALERT_...` that are not over.
    pub alerts: Heard<Vec<Alert>>,
    /// What was left out or assumed, in words.
    pub notes: Vec<String>,
}

/// What was heard of a kind.
#[derive(Clone, Debug)]
pub struct Heard<T> {
    /// What can be read.
    pub said: T,
    /// When something would count that cannot be read, or may count.
    pub doubtful: Vec<Span>,
    /// What cannot be read.
    pub unread: Vec<Unread>,
}

/// A part of an event that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The event's name and id.
    pub event: String,
    /// Where in it; the first place of several.
    pub place: String,
    /// So many other places are wrong in the same way.
    pub more: usize,
    /// What is wrong there.
    pub message: String,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { event, place, more, message } = self;
        write!(f, "event {event}, {place}")?;
        if *more > 0 {
            write!(f, " and {more} more")?;
        }
        write!(f, ": {message}")
    }
}

impl Unread {
    /// Without secrets: the event's name, its id and what is quoted are the supplier's words.
    fn new(event: &Event, place: impl fmt::Display, message: impl fmt::Display) -> Self {
        let id = excerpt(&event.id);
        let event = match &event.name {
            Some(name) => format!("{:?} ({id})", excerpt(name)),
            None => id,
        };
        Self { event, place: place.to_string(), more: 0, message: scrub(&message.to_string()) }
    }

    /// Adds it to a list, in which what is wrong in many places is named once.
    fn note(self, all: &mut Vec<Self>) {
        match all.last_mut() {
            Some(last) if last.event == self.event && last.message == self.message => {
                last.more += usize::from(last.place != self.place);
            }
            _ => all.push(self),
        }
    }
}

impl SupplierWord {
    /// All that cannot be read, each once.
    pub fn unread(&self) -> Vec<&Unread> {
        let mut all: Vec<&Unread> = Vec::new();
        for unread in [
            &self.power_cap.unread,
            &self.grants.unread,
            &self.available.unread,
            &self.alerts.unread,
            &self.price.unread,
            &self.co2.unread,
        ] {
            // What may be anything is in several lists.
            for unread in unread.iter().take(MOST_TOLD) {
                if !all.contains(&unread) {
                    all.push(unread);
                }
            }
        }
        all
    }
}

impl EventReader<'_> {
    /// What events say; those of other programs and targets say nothing to us.
    pub fn word(&self, program: &Program, events: &[Event]) -> SupplierWord {
        let ranked = self.ranked(program, events);
        let descriptors = Descriptors::of(program);
        let mut notes = notes(&ranked);
        let mut with_overlaps = |items: Items, payload| {
            notes.extend(items.overlaps(&ranked, payload));
            items
        };
        let powers = |payload| {
            agenda::items(self, &descriptors, &ranked, payload, Kind::PowerCap, unit::power)
        };
        let price = Kind::Price { currency: self.currency };
        let of_price = |value, meaning: &_| unit::price(value, meaning, self.currency);
        let prices = agenda::items(self, &descriptors, &ranked, types::PRICE, price, of_price);
        let prices = with_overlaps(prices, types::PRICE);
        // Of which kind they are is the site's word; it has no part in how they are read.
        let co2 = Kind::Co2 { accounting: Accounting::Marginal, factors: Factors::Direct };
        let intensities =
            agenda::items(self, &descriptors, &ranked, types::GHG, co2, unit::intensity);
        let intensities = with_overlaps(intensities, types::GHG);
        let limits = with_overlaps(powers(types::LIMIT), types::LIMIT);
        let safe_mode = agenda::safe_mode(&limits.values);
        let limit = limits.heard(agenda::power);
        let subscription = with_overlaps(powers(types::SUBSCRIPTION), types::SUBSCRIPTION);
        let subscription = subscription.heard(agenda::power);
        SupplierWord {
            price: prices.heard(EnergyPrice::from_millionths_per_mwh),
            co2: intensities.heard(CarbonIntensity::from_millionths_g_per_kwh),
            power_cap: agenda::lower(&limit, &subscription),
            limit,
            subscription,
            safe_mode,
            grants: capacity::grants(self, &descriptors, &ranked),
            available: capacity::available(self, &descriptors, &ranked),
            alerts: alert::alerts(self, &ranked),
            notes,
        }
    }

    /// Our events, the one that counts least first. What cannot be read of that counts most.
    pub(crate) fn ranked<'e>(&self, program: &Program, events: &'e [Event]) -> Vec<&'e Event> {
        let ours = |event: &&Event| {
            let of_program = event.program_id.as_ref().ok().and_then(Option::as_ref);
            of_program.is_none_or(|id| *id == program.id) && self.is_ours(event)
        };
        // The highest is 0, none is below all numbers.
        let priority = |event: &Event| match event.priority {
            Err(_) => i64::MAX,
            Ok(Some(number)) => -i64::from(number),
            Ok(None) => i64::MIN,
        };
        let mut ranked: Vec<&Event> = events.iter().filter(ours).collect();
        ranked.sort_by(|one, other| {
            (priority(one).cmp(&priority(other)))
                .then_with(|| one.order().cmp(&other.order()))
                .then_with(|| one.id.cmp(&other.id))
        });
        // A page that shifted while it was read shows an event twice.
        ranked.dedup_by(|one, other| one.id == other.id);
        ranked
    }

    fn is_ours(&self, event: &Event) -> bool {
        let Ok(targets) = &event.targets else { return true };
        let ours = |target: &String| self.targets.contains(target);
        self.targets.is_empty() || targets.is_empty() || targets.iter().any(ours)
    }
}

/// What is assumed, and what is left out since it is not for this site's kind.
fn notes(ranked: &[&Event]) -> Vec<String> {
    // A start that every client should move by chance is kept: a plan has to hold for all.
    let randomized = ranked.iter().filter(|event| timing::is_randomized(event));
    let mut notes: Vec<String> = randomized
        .map(|event| format!("randomizeStart of event {} is not applied", event.id))
        .collect();
    let payloads = ranked.iter().flat_map(|event| event.intervals.iter().flatten());
    let words = payloads.flat_map(|it| it.payloads.iter().flatten());
    let words = words.filter_map(|it| it.kind.as_ref().ok()).filter(|word| !types::is_read(word));
    let mut words: Vec<&str> = words.map(String::as_str).collect();
    words.sort_unstable();
    words.dedup();
    if !words.is_empty() {
        notes.push(format!("payload types that are not read here: {}", words.join(", ")));
    }
    notes
}

/// Whether an event has an interval that has not ended; one that cannot be read has.
pub(crate) fn ends_after(event: &Event, now: Timestamp) -> bool {
    let reader = EventReader { now, until: now, currency: Currency::EUR, targets: &[] };
    let laid = timing::laid(&reader, event);
    let spans = laid.intervals.iter().map(|it| it.span).chain(laid.faults.iter().map(|it| it.span));
    spans.into_iter().any(|span| span.end() > now)
}
