//! Reservations as iCalendar (RFC 5545), with the refresh interval of RFC 7986.

use std::fmt::Write as _;

use chrono::{DateTime, Utc};
use icalendar::{Calendar, Component, Event, Property};
use planner::reservation::{Reservation, ReservationState};
use planner::time::Timestamp;

use super::is_cancelled;
use crate::config::Settings;
use crate::service::shared::reservation_text::{amounts, one_line, shown_offer, title};

/// How often programs are to read the feed anew.
const REFRESH: &str = "PT15M";

/// A feed that is being written.
pub(super) struct FeedDocument<'a> {
    calendar: Calendar,
    settings: &'a Settings,
    now: Timestamp,
}

impl<'a> FeedDocument<'a> {
    /// A feed without events.
    pub(super) fn new(settings: &'a Settings, now: Timestamp) -> Self {
        let mut calendar = Calendar::empty();
        // The crate escapes only properties that it knows.
        let location = settings.location.replace(['\\', ',', ';'], " ");
        let name = one_line(&format!("Wattbook {location}"));
        let refresh =
            Property::new("REFRESH-INTERVAL", REFRESH).add_parameter("VALUE", "DURATION").done();
        for property in [
            Property::new("VERSION", "2.0"),
            Property::new("PRODID", "-//Wattbook//Reservations//EN"),
            Property::new("CALSCALE", "GREGORIAN"),
            Property::new("NAME", name.clone()),
            Property::new("X-WR-CALNAME", name),
            refresh,
            Property::new("X-PUBLISHED-TTL", REFRESH),
        ] {
            calendar.append_property(property);
        }
        Self { calendar, settings, now }
    }

    /// Adds a reservation that last changed at an instant. One without an offer has no time, and is left out.
    pub(super) fn push(&mut self, reservation: &Reservation, changed: Timestamp) {
        let Some(offer) = shown_offer(reservation) else { return };
        let chosen = reservation.chosen.map(|(_, span)| span);
        let span = chosen.unwrap_or(offer.terms.span);
        let state = reservation.state_at(self.now);
        let mut event = Event::new();
        for (name, value) in [
            ("UID", format!("{}@wattbook", reservation.id)),
            ("SEQUENCE", reservation.row_version.to_string()),
            ("DTSTAMP", utc(changed)),
            ("LAST-MODIFIED", utc(changed)),
            ("CREATED", utc(reservation.created)),
            ("DTSTART", utc(span.start())),
            ("DTEND", utc(span.end())),
            ("STATUS", status(state).to_owned()),
            ("SUMMARY", summary(reservation, state)),
            ("DESCRIPTION", description(reservation, state)),
            // Nobody sits beside the nodes meanwhile.
            ("TRANSP", "TRANSPARENT".to_owned()),
        ] {
            event.append_property(Property::new(name, value));
        }
        if let Some(address) = self.settings.page_of(reservation.id) {
            event.append_property(Property::new("URL", address));
        }
        self.calendar.push(event.done());
    }

    /// The whole feed.
    pub(super) fn text(&self) -> String {
        self.calendar.to_string()
    }
}

/// What is told of a reservation beside its line.
fn description(reservation: &Reservation, state: ReservationState) -> String {
    let mut text = match state {
        ReservationState::Proposed => format!(
            "Offered: {} to choose from. The nodes are held until {}; choose by then. This is the earliest.\n",
            counted_offers(reservation.offers.len()),
            reservation.expires
        ),
        _ => format!("State: {}\n", state.word().replace('_', " ")),
    };
    if let Some(offer) = shown_offer(reservation) {
        text += &amounts(reservation, &offer.terms);
    }
    if let Some(notice) = &reservation.notice {
        _ = writeln!(text, "{} {}", one_line(&notice.detail), one_line(&notice.way_out));
    }
    _ = write!(text, "Reservation: {}", reservation.id);
    text
}

/// A line for the calendar, with a word where something is special.
fn summary(reservation: &Reservation, state: ReservationState) -> String {
    let title = title(reservation);
    match state {
        ReservationState::Proposed => format!("{title} (offered)"),
        _ if reservation.degraded && !state.is_final() => format!("{title} (degraded)"),
        _ => title,
    }
}

const fn status(state: ReservationState) -> &'static str {
    match state {
        ReservationState::Proposed | ReservationState::AwaitingSupplier => "TENTATIVE",
        _ if is_cancelled(state) => "CANCELLED",
        _ => "CONFIRMED",
    }
}

fn counted_offers(count: usize) -> String {
    if count == 1 { "1 offer".to_owned() } else { format!("{count} offers") }
}

/// An instant as iCalendar writes it, such as `20260301T120000Z`.
fn utc(instant: Timestamp) -> String {
    let instant = DateTime::<Utc>::from_timestamp(instant.as_unix_seconds(), 0);
    instant.unwrap_or_default().format("%Y%m%dT%H%M%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_written_as_the_format_wants() {
        let instant = Timestamp::parse("2026-03-01T12:00:07Z").unwrap();
        assert_eq!(utc(instant), "20260301T120007Z");
    }

    #[test]
    fn what_takes_place_is_confirmed_and_what_does_not_is_cancelled() {
        for state in ReservationState::ALL {
            let expected = match state.word() {
                "proposed" | "awaiting_supplier" => "TENTATIVE",
                "confirmed" | "active" | "completed" => "CONFIRMED",
                _ => "CANCELLED",
            };
            assert_eq!(status(state), expected, "{state:?}");
        }
    }
}
