//! What mails say: what happened, when, on which nodes, what it takes, and what to do.

use std::fmt::Write as _;

use jiff::tz::TimeZone;
use planner::reservation::Reservation;
use planner::time::{Span, Timestamp};
use storage::NotificationKind;

use crate::config::Settings;
use crate::service::shared::reservation_text::{amounts, one_line, shown_offer, title};

/// What a mail says of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EventText {
    /// Which users are told.
    pub(super) kind: NotificationKind,
    /// The beginning of the subject.
    subject: &'static str,
    /// What happened.
    happened: &'static str,
    /// What to do about it.
    to_do: &'static str,
    /// Whether the reservation's notice says more.
    has_notice: bool,
}

/// What is said of an event of a reservation that is in a state now; `None` where nobody is told.
pub(super) fn of_event(kind: &str, state: &str) -> Option<EventText> {
    let what = kind.strip_prefix("reservation.")?;
    match (what, state) {
        ("withdrawn", "rejected") => of_end("withdrawn"),
        _ => of_offers(what).or_else(|| of_change(what)).or_else(|| of_end(what)),
    }
}

/// What is said of offers that are held.
fn of_offers(what: &str) -> Option<EventText> {
    use NotificationKind::Offered;
    let to_do = "Choose one before the hold ends, by `wattbook choose ID` or on the page.";
    Some(match what {
        "proposed" => EventText::new(
            Offered,
            "Offered",
            "Offers are held for you. The earliest is:",
            to_do,
        ),
        "withdrawn" => EventText::new(
            Offered,
            "Offers withdrawn",
            "Some of the offers that were held for you are not possible any more. The earliest of the others is:",
            to_do,
        )
        .and_notice(),
        _ => return None,
    })
}

/// What is said of a reservation that is chosen, or other than it was.
fn of_change(what: &str) -> Option<EventText> {
    use NotificationKind::{Confirmed, Degraded, Moved};
    Some(match what {
        "confirmed" => EventText::new(
            Confirmed,
            "Confirmed",
            "Your reservation is confirmed.",
            "Nothing. Should you not need it, `wattbook cancel ID` gives the nodes back.",
        ),
        "nodes_replaced" => EventText::new(
            Moved,
            "Other nodes",
            "Other nodes took the place of some of your reservation's.",
            "Look at the list of nodes if your job names some.",
        )
        .and_notice(),
        "extended" | "modified" | "nodes_released" => EventText::new(
            Moved,
            "Changed",
            "Your reservation was changed.",
            "Look at its start, its end and its nodes.",
        ),
        "acted_for" => EventText::new(
            Moved,
            "Done for you",
            "Somebody who may acted for you with this reservation.",
            "Nothing, if you asked for it. `wattbook show ID` says how it stands.",
        ),
        "transferred" => EventText::new(
            Moved,
            "Transferred",
            "The reservation has another owner.",
            "Nothing. `wattbook show ID` says whose it is, to whom may see it.",
        ),
        "shared" => EventText::new(
            Moved,
            "Shared",
            "With whom the reservation is shared was changed.",
            "Nothing. `wattbook show ID` says with whom it is shared, and what they may do.",
        ),
        "unshared" => EventText::new(
            Moved,
            "Shared no more",
            "The reservation is shared with fewer than before.",
            "Nothing. `wattbook show ID` says with whom it is shared, to whom may see it.",
        ),
        "degraded" => EventText::new(
            Degraded,
            "Degraded",
            "What was promised of your reservation no longer holds.",
            "`wattbook show ID` says how it stands.",
        )
        .and_notice(),
        "restored" => EventText::new(
            Degraded,
            "Restored",
            "What was promised of your reservation holds again.",
            "Nothing.",
        ),
        _ => return None,
    })
}

/// What is said of a reservation that has ended.
fn of_end(what: &str) -> Option<EventText> {
    use NotificationKind::Ended;
    let ask_again = "Ask again by `wattbook reserve`.";
    Some(match what {
        "completed" => EventText::new(
            Ended,
            "Ended",
            "Your reservation has ended.",
            "Nothing. `wattbook report` says what it took, once it is measured.",
        ),
        "cancelled" => EventText::new(
            Ended,
            "Cancelled",
            "Your reservation was cancelled. Its nodes are not yours any more.",
            "Ask again by `wattbook reserve` if it was not you.",
        ),
        "expired" => EventText::new(
            Ended,
            "Expired",
            "None of the offers that were held for you was chosen in time.",
            ask_again,
        ),
        "withdrawn" => EventText::new(
            Ended,
            "Rejected",
            "None of the offers that were held for you is possible any more.",
            ask_again,
        )
        .and_notice(),
        "failed" | "rejected" => EventText::new(
            Ended,
            "Not possible",
            "Your reservation was ended: the site cannot keep it.",
            ask_again,
        )
        .and_notice(),
        _ => return None,
    })
}

/// What is said before a reservation begins.
pub(super) const BEGINS_SOON: EventText = EventText::new(
    NotificationKind::BeginsSoon,
    "Begins soon",
    "Your reservation begins soon.",
    "See that your job is ready. Should you not need the nodes, `wattbook cancel ID` gives them back.",
);

impl EventText {
    const fn new(
        kind: NotificationKind,
        subject: &'static str,
        happened: &'static str,
        to_do: &'static str,
    ) -> Self {
        Self { kind, subject, happened, to_do, has_notice: false }
    }

    /// This text, to which the reservation's notice is added.
    const fn and_notice(self) -> Self {
        Self { has_notice: true, ..self }
    }

    /// The subject and the text of a mail to a user about a reservation, which may be another's and shared with them.
    pub(super) fn mail(
        self,
        to: &str,
        reservation: &Reservation,
        settings: &Settings,
    ) -> (String, String) {
        let title = title(reservation);
        let zone = settings.time_zone.as_deref();
        let offer = shown_offer(reservation);
        let chosen = reservation.chosen.map(|(_, span)| span);
        let span = chosen.or_else(|| offer.map(|offer| offer.terms.span));
        let mut subject = format!("Wattbook: {}: {title}", self.subject);
        if let Some(span) = span {
            _ = write!(subject, ", {}", utc(span.start()));
        }
        let mut body = format!("{}\n\nWhat: {title}\n", self.happened);
        if to != reservation.owner && !reservation.shared_with.is_empty() {
            _ = writeln!(body, "Whose: {}'s, shared with you", one_line(&reservation.owner));
        }
        if let Some(span) = span {
            body += &times(span, zone);
        }
        if let Some(offer) = offer {
            body += &amounts(reservation, &offer.terms);
        }
        if chosen.is_none() && self.kind == NotificationKind::Offered {
            _ = writeln!(body, "Held until: {}", when(reservation.expires, zone));
        }
        _ = writeln!(body, "Reservation: {}", reservation.id);
        if let Some(address) = settings.page_of(reservation.id) {
            _ = writeln!(body, "See: {address}");
        }
        if let Some(notice) = reservation.notice.as_ref().filter(|_| self.has_notice) {
            _ = writeln!(
                body,
                "\nWhy: {}\n{}",
                one_line(&notice.detail),
                one_line(&notice.way_out)
            );
        }
        let to_do = self.to_do.replace("ID", &reservation.id.to_string());
        _ = writeln!(body, "\nWhat to do: {to_do}");
        (one_line(&subject), body + &foot(self.kind))
    }
}

/// Why somebody gets a mail, and how that ends.
pub(super) fn foot(kind: NotificationKind) -> String {
    format!(
        "\n-- \nYou asked to be told ({}). `wattbook notify set` changes that, `wattbook notify off` ends it.\n",
        kind.word()
    )
}

/// The text of the mail that confirms an address.
pub(super) fn of_code(owner: &str, code: &str) -> String {
    format!(
        "The Wattbook user {} wants to be told of reservations at this address.\n\n\
         The code is {code}. It counts for an hour.\n\n\
         What to do: if that is you, enter `wattbook notify confirm {code}`. If not, do nothing: no further mail \
         comes then.\n",
        one_line(owner)
    )
}

/// The start and end of a span, a line each.
fn times(span: Span, zone: Option<&str>) -> String {
    format!("Start: {}\nEnd: {}\n", when(span.start(), zone), when(span.end(), zone))
}

/// An instant in UTC and, where the site says by which it lives, its time zone.
///
/// Worked example: 12:00 UTC of 1 March is 13:00 in Paris, which is an hour ahead in winter.
pub(super) fn when(instant: Timestamp, zone: Option<&str>) -> String {
    let in_utc = utc(instant);
    let local = zone.filter(|zone| *zone != "UTC").and_then(|name| {
        let zone = TimeZone::get(name).ok()?;
        let instant = jiff::Timestamp::from_second(instant.as_unix_seconds()).ok()?;
        let local = instant.to_zoned(zone).strftime("%Y-%m-%d %H:%M").to_string();
        Some(format!("{in_utc} ({local} {name})"))
    });
    local.unwrap_or(in_utc)
}

/// An instant such as `2026-03-01 12:00 UTC`.
fn utc(instant: Timestamp) -> String {
    let text = instant.to_string();
    let text = text.trim_end_matches('Z').replace('T', " ");
    format!("{} UTC", text.strip_suffix(":00").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use storage::EVENT_KINDS;

    use super::*;

    #[test]
    fn instants_are_told_in_utc_and_in_the_site_s_zone() {
        let noon = Timestamp::parse("2026-03-01T12:00:00Z").unwrap();
        assert_eq!(when(noon, None), "2026-03-01 12:00 UTC");
        assert_eq!(when(noon, Some("UTC")), "2026-03-01 12:00 UTC");
        let told = "2026-03-01 12:00 UTC (2026-03-01 13:00 Europe/Paris)";
        assert_eq!(when(noon, Some("Europe/Paris")), told);
        let odd = Timestamp::parse("2026-03-01T12:00:07Z").unwrap();
        assert_eq!(when(odd, None), "2026-03-01 12:00:07 UTC");
    }

    /// A new kind of event of reservations must be told, or named here.
    #[test]
    fn every_event_of_a_reservation_is_told_but_those_that_ask_nothing_of_its_owner() {
        let untold = ["reservation.active", "reservation.awaiting_supplier"];
        for kind in EVENT_KINDS.iter().filter(|kind| kind.starts_with("reservation.")) {
            assert_eq!(of_event(kind, "confirmed").is_none(), untold.contains(kind), "{kind}");
        }
        assert_eq!(of_event("agenda.revised", ""), None);
    }

    #[test]
    fn offers_that_are_all_withdrawn_end_a_reservation() {
        let kind = |state| of_event("reservation.withdrawn", state).map(|text| text.kind);
        assert_eq!(kind("proposed"), Some(NotificationKind::Offered));
        assert_eq!(kind("rejected"), Some(NotificationKind::Ended));
    }
}
