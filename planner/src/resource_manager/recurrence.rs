//! Reservations that the resource manager makes again when they have ended, such as one for each day. It
//! shows the next of them only.

use super::ManagedReservation;
use crate::time::{Seconds, Span, Timestamp};

const HOUR: Seconds = Seconds::new(3600);
const DAY: Seconds = Seconds::new(86_400);

/// Of one reservation so many later occurrences are looked at, at the most ...
const OCCURRENCES: usize = 100;

/// ... that begin within so long of the next one.
const AHEAD: Seconds = Seconds::new(100 * 86_400);

/// The time zones of the world: how far they are behind UTC and ahead of it at the most.
const BEHIND: Seconds = Seconds::new(12 * 3600);
const AHEAD_OF_UTC: Seconds = Seconds::new(14 * 3600);

/// How often a reservation is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Recurrence {
    Hourly,
    Daily,
    /// From Monday to Friday.
    Weekdays,
    /// On Saturday and Sunday.
    Weekends,
    Weekly,
}

impl Recurrence {
    /// By what is special about a reservation; `None` where it is made once.
    fn of(reservation: &ManagedReservation) -> Option<Self> {
        reservation.flags.iter().find_map(|flag| match flag.as_str() {
            "HOURLY" => Some(Self::Hourly),
            "DAILY" => Some(Self::Daily),
            "WEEKDAY" => Some(Self::Weekdays),
            "WEEKEND" => Some(Self::Weekends),
            "WEEKLY" => Some(Self::Weekly),
            _ => None,
        })
    }

    const fn step(self) -> Seconds {
        match self {
            Self::Hourly => HOUR,
            Self::Daily | Self::Weekdays | Self::Weekends => DAY,
            Self::Weekly => Seconds::new(7 * DAY.get()),
        }
    }

    /// Whether one may begin then: on the days of the week that count, in any time zone, since that of the
    /// resource manager is not known.
    fn may_begin(self, start: Timestamp) -> bool {
        let mut days = [start - BEHIND, start, start + AHEAD_OF_UTC].map(is_weekend).into_iter();
        match self {
            Self::Hourly | Self::Daily | Self::Weekly => true,
            Self::Weekdays => days.any(|weekend| !weekend),
            Self::Weekends => days.any(|weekend| weekend),
        }
    }
}

/// Whether it is Saturday or Sunday, in UTC. The epoch began with a Thursday.
const fn is_weekend(instant: Timestamp) -> bool {
    let day = instant.as_unix_seconds().div_euclid(DAY.get());
    matches!((day + 3).rem_euclid(7), 5 | 6)
}

/// When a reservation will be made again, after the span that it has. Days have 24 hours here: beyond a
/// change to or from summer time the resource manager's begin an hour off.
pub(super) fn later_occurrences(reservation: &ManagedReservation) -> Vec<Span> {
    let Some(recurrence) = Recurrence::of(reservation) else { return Vec::new() };
    let (first, step) = (reservation.span, recurrence.step());
    let starts = (1_i64..).map(|count| first.start() + Seconds::new(count * step.get()));
    let near = starts.take_while(|start| *start <= first.start() + AHEAD);
    let begin = near.filter(|start| recurrence.may_begin(*start)).take(OCCURRENCES);
    begin.filter_map(|start| Span::starting(start, first.length())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::worked_example::{at, names, reservation};

    /// Two hours long, first on Wednesday 2026-11-25, 08:00 UTC.
    fn later(flag: &str) -> Vec<String> {
        let start = Timestamp::parse("2026-11-25T08:00:00Z").unwrap().as_unix_seconds();
        let mut first = reservation("maint", &["n1"], start, start + 7200);
        first.flags = names(&["SPEC_NODES", flag]);
        let later = later_occurrences(&first);
        assert!(later.iter().all(|it| it.length() == Seconds::new(7200)));
        later.iter().map(|it| it.start().to_string()).collect()
    }

    #[test]
    fn what_is_made_once_has_no_later_occurrence() {
        assert_eq!(later("MAINT"), [""; 0]);
    }

    #[test]
    fn hours_days_and_weeks_follow_each_other() {
        let ends = |flag| {
            let later = later(flag);
            (later[0].clone(), later.last().unwrap().clone(), later.len())
        };
        let told = |first: &str, last: &str, count| (first.to_owned(), last.to_owned(), count);
        // A hundred hours later.
        let hourly = told("2026-11-25T09:00:00Z", "2026-11-29T12:00:00Z", 100);
        assert_eq!(ends("HOURLY"), hourly);
        // A hundred days later; of weeks 14 begin within them.
        assert_eq!(ends("DAILY"), told("2026-11-26T08:00:00Z", "2027-03-05T08:00:00Z", 100));
        assert_eq!(ends("WEEKLY"), told("2026-12-02T08:00:00Z", "2027-03-03T08:00:00Z", 14));
    }

    /// At 08:00 UTC of a Saturday it is still Friday in the west; of a Monday it is still Sunday there.
    #[test]
    fn days_of_the_week_count_where_they_are_so_anywhere() {
        let days =
            |flag| later(flag).iter().take(6).map(|it| it[8..10].to_owned()).collect::<Vec<_>>();
        assert_eq!(days("WEEKDAY"), ["26", "27", "28", "30", "01", "02"], "not on Sunday 29");
        assert_eq!(days("WEEKEND"), ["28", "29", "30", "05", "06", "07"]);
    }

    #[test]
    fn the_epoch_began_with_a_thursday() {
        let weekend = (0..7).map(|day| is_weekend(at(day * 86_400))).collect::<Vec<_>>();
        assert_eq!(weekend, [false, false, true, true, false, false, false]);
    }
}
