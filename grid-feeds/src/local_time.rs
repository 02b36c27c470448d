//! Civil time of a zone: tariffs and habits follow the clock on the wall, agendas do not.
//!
//! The rules come with the program, so that they are the same on every machine. A local day has 23
//! hours when summer time begins and 25 when it ends.

use jiff::civil::{Date, DateTime, Weekday};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone, TimeZoneDatabase};
use planner::time::Timestamp;

/// The time zone in which local times are meant.
#[derive(Clone, Debug)]
pub(crate) struct LocalTime(TimeZone);

/// An hour of a local day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LocalHour {
    /// The day of the week.
    pub weekday: Weekday,
    /// 0 to 23.
    pub hour: i8,
}

impl LocalTime {
    /// Europe/Paris.
    ///
    /// # Errors
    /// Only if the bundled time zones lack it.
    pub fn paris() -> Result<Self, jiff::Error> {
        Self::named("Europe/Paris")
    }

    /// The zone of an IANA name such as `Europe/Berlin`.
    ///
    /// # Errors
    /// Where the bundled time zones lack it.
    pub fn named(zone: &str) -> Result<Self, jiff::Error> {
        TimeZoneDatabase::bundled().get(zone).map(Self)
    }

    /// The first instant of `date`.
    ///
    /// # Errors
    /// Beyond the year 9999.
    pub fn day_start(&self, date: Date) -> Result<Timestamp, jiff::Error> {
        self.instant(date, 0)
    }

    /// The instant at which the clock shows `local`: the first where it does so twice, the one
    /// after the gap where it never does.
    ///
    /// # Errors
    /// Beyond the year 9999.
    pub fn civil_instant(&self, local: DateTime) -> Result<Timestamp, jiff::Error> {
        let local = local.to_zoned(self.0.clone())?;
        Ok(Timestamp::from_unix_seconds(local.timestamp().as_second()))
    }

    /// The instants at which the clock shows `local`: two where it does so twice, none where it never does.
    ///
    /// # Errors
    /// Beyond the year 9999.
    pub fn civil_instants(&self, local: DateTime) -> Result<Vec<Timestamp>, jiff::Error> {
        let offsets = match self.0.to_ambiguous_timestamp(local).offset() {
            AmbiguousOffset::Unambiguous { offset } => vec![offset],
            AmbiguousOffset::Gap { .. } => Vec::new(),
            AmbiguousOffset::Fold { before, after } => vec![before, after],
        };
        let instant = |offset: Offset| {
            Ok(Timestamp::from_unix_seconds(offset.to_timestamp(local)?.as_second()))
        };
        offsets.into_iter().map(instant).collect()
    }

    /// The first instant of `date` as RFC 3339 with the offset of the zone.
    ///
    /// # Errors
    /// Beyond the year 9999.
    pub fn rfc_3339(&self, date: Date) -> Result<String, jiff::Error> {
        let local = date.to_zoned(self.0.clone())?;
        Ok(local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string())
    }

    /// What the clock shows at `instant`.
    ///
    /// # Errors
    /// Beyond the year 9999.
    pub fn civil(&self, instant: Timestamp) -> Result<DateTime, jiff::Error> {
        Ok(self.zoned(instant)?.datetime())
    }

    /// The local date at `instant`.
    ///
    /// # Errors
    /// Beyond the year 9999.
    pub fn date(&self, instant: Timestamp) -> Result<Date, jiff::Error> {
        Ok(self.zoned(instant)?.date())
    }

    /// The local hour at `instant`; one hour of the year comes twice and one never.
    ///
    /// # Errors
    /// Beyond the year 9999.
    pub fn hour(&self, instant: Timestamp) -> Result<LocalHour, jiff::Error> {
        let local = self.zoned(instant)?;
        Ok(LocalHour { weekday: local.weekday(), hour: local.hour() })
    }

    /// The instant at which the clock shows the full `hour` of `date`: the first where it does so
    /// twice, the one after the gap where it never does.
    ///
    /// # Errors
    /// Beyond the year 9999.
    pub fn instant(&self, date: Date, hour: i8) -> Result<Timestamp, jiff::Error> {
        self.civil_instant(date.at(hour, 0, 0, 0))
    }

    fn zoned(&self, instant: Timestamp) -> Result<jiff::Zoned, jiff::Error> {
        let instant = jiff::Timestamp::from_second(instant.as_unix_seconds())?;
        Ok(instant.to_zoned(self.0.clone()))
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    #[test]
    fn the_day_summer_time_begins_has_23_hours_and_the_day_it_ends_25() {
        let paris = LocalTime::paris().unwrap();
        let hours = |day: Date| {
            let next = paris.instant(day.tomorrow().unwrap(), 0).unwrap();
            (next - paris.instant(day, 0).unwrap()).get() / 3600
        };
        assert_eq!(hours(date(2026, 3, 28)), 24);
        assert_eq!(hours(date(2026, 3, 29)), 23);
        assert_eq!(hours(date(2026, 10, 25)), 25);
    }

    #[test]
    fn midnight_in_paris_is_before_midnight_utc() {
        let paris = LocalTime::paris().unwrap();
        assert_eq!(paris.instant(date(2026, 1, 1), 0).unwrap(), at("2025-12-31T23:00:00Z"));
        assert_eq!(paris.instant(date(2026, 7, 1), 6).unwrap(), at("2026-07-01T04:00:00Z"));
        assert_eq!(paris.date(at("2026-06-30T22:00:00Z")).unwrap(), date(2026, 7, 1));
    }

    #[test]
    fn two_oclock_comes_twice_in_autumn_and_never_in_spring() {
        let paris = LocalTime::paris().unwrap();
        let hour = |text| paris.hour(at(text)).unwrap().hour;
        assert_eq!([hour("2026-10-25T00:00:00Z"), hour("2026-10-25T01:00:00Z")], [2, 2]);
        assert_eq!([hour("2026-03-29T00:00:00Z"), hour("2026-03-29T01:00:00Z")], [1, 3]);
        assert_eq!(paris.instant(date(2026, 3, 29), 2).unwrap(), at("2026-03-29T01:00:00Z"));
    }
}
