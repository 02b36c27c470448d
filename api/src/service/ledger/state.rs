//! Hours are stated, and stated anew.

use planner::ledger::{StatedJobs, corrections, counted_in};
use planner::time::{Seconds, Span, Timestamp};
use storage::NewStatement;

use super::months::month_of;
use super::sources::{HourRows, OtherIntensities};
use super::{DAY, HOUR, LedgerService, Memo};
use crate::service::shared::Fault;
use crate::service::shared::provenance::Co2Accounting;

impl LedgerService {
    /// Does what there is to do now.
    pub(super) async fn take_turn(&self) -> Result<(), Fault> {
        let Some(newest) = self.state_due().await? else { return Ok(()) };
        self.follow_agendas(newest).await?;
        self.look_again(newest).await
    }

    /// States the hours whose time has come, the oldest first; the newest that is stated.
    async fn state_due(&self) -> Result<Option<Timestamp>, Fault> {
        let database = &self.shared.database;
        let mut newest = database.newest_stated_hour().await?;
        let next = match newest {
            Some(newest) => Some(newest + HOUR),
            None => self.first_hour().await?,
        };
        let Some(mut next) = next else { return Ok(None) };
        while next + HOUR + self.settings().delay <= self.shared.now() {
            let known = self.other_co2(next, next).await?;
            let stated = StatedJobs::default();
            let HourRows { rows, other_co2 } = self.rows_of(next, stated, &known).await?;
            let statement = NewStatement {
                hour: next,
                number: 0,
                counted: next,
                stated: self.shared.now(),
                currency: self.shared.settings.currency,
                other_co2_accounting: other_co2.map(Co2Accounting::words),
                rows,
            };
            // Where another process was first, it has the lease now.
            if !database.put_statement(&statement).await? {
                break;
            }
            metrics::counter!("wattbook_ledger_hours_total").increment(1);
            newest = Some(next);
            next = next + HOUR;
        }
        Ok(newest)
    }

    /// The hour with which the ledger begins: that of the first nodes, and not too long ago.
    async fn first_hour(&self) -> Result<Option<Timestamp>, Fault> {
        let first = self.shared.database.first_epoch().await?;
        let back = self.shared.now() - self.settings().begin_back;
        Ok(first.map(|first| hour_of(first.max(back))))
    }

    /// States hours anew that revised prices and intensities concern.
    async fn follow_agendas(&self, newest: Timestamp) -> Result<(), Fault> {
        let database = &self.shared.database;
        let Some((revision, revised)) = database.revised_for_ledger(newest + HOUR).await? else {
            return Ok(());
        };
        if let Some(revised) = revised {
            let from = hour_of(revised.start());
            self.state_anew(Span::new(from, revised.end())).await?;
        }
        Ok(database.put_ledger_mark(revision).await?)
    }

    /// Looks again, once for each hour that is stated, at the hours of the last days and at those, however old, of which
    /// measurements changed.
    async fn look_again(&self, newest: Timestamp) -> Result<(), Fault> {
        if self.memo().looked_again == Some(newest) {
            return Ok(());
        }
        let from = hour_of(newest - self.settings().look_again).max(Timestamp::MIN);
        let late = self.shared.database.changed_hours().await?;
        self.state_anew(Span::new(from, newest)).await?;
        for (hour, changes) in late {
            if hour < from {
                let other_co2 = self.other_co2(hour, hour).await?;
                self.state_hour_anew(hour, &other_co2).await?;
            }
            self.shared.database.forget_changed_hour(hour, changes).await?;
        }
        self.remember(Memo { looked_again: Some(newest) });
        Ok(())
    }

    /// States the hours anew that begin in a span, where they are not as they were stated. What is known of the
    /// accounting that the site does not plan by is read a day at a time, since the prices of a whole year may be revised at once.
    async fn state_anew(&self, span: Option<Span>) -> Result<(), Fault> {
        let Some(span) = span else { return Ok(()) };
        let hours = self.shared.database.stated_hours(span).await?;
        let day = |hour: &Timestamp| hour.as_unix_seconds().div_euclid(DAY.get());
        for hours in hours.chunk_by(|one, next| day(one) == day(next)) {
            let Some((first, last)) = hours.first().zip(hours.last()) else { continue };
            let other_co2 = self.other_co2(*first, *last).await?;
            for &hour in hours {
                self.state_hour_anew(hour, &other_co2).await?;
            }
        }
        Ok(())
    }

    /// States an hour anew, where it is not as it was stated, and what it rests on is all kept.
    async fn state_hour_anew(
        &self,
        hour: Timestamp,
        other_co2: &OtherIntensities,
    ) -> Result<(), Fault> {
        let database = &self.shared.database;
        if hour < database.sealed_until().await? {
            return Ok(());
        }
        let (number, before) = database.stated_of_hour(hour).await?;
        let mut known = self.rows_of(hour, StatedJobs::of(&before), other_co2).await?;
        let now = self.shared.now();
        let counted = counted_in(hour, self.open_from(now)?);
        if counted != hour && !before.iter().any(|row| row.amounts.other_co2_mg.is_some()) {
            known = known.without_other_co2();
        }
        let rows = corrections(before, known.rows);
        if rows.is_empty() {
            return Ok(());
        }
        let statement = NewStatement {
            hour,
            number,
            counted,
            stated: now,
            currency: self.shared.settings.currency,
            other_co2_accounting: known.other_co2.map(Co2Accounting::words),
            rows,
        };
        if database.put_statement(&statement).await? {
            metrics::counter!("wattbook_ledger_corrections_total").increment(1);
            tracing::info!(%hour, number, rows = statement.rows.len(), "an hour is stated anew");
        }
        Ok(())
    }

    /// How long ago the newest hour ended that is stated, or the first one began; `None` where there were never nodes.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn newest_hour_age(&self) -> Result<Option<Seconds>, Fault> {
        let stated_until = match self.shared.database.newest_stated_hour().await? {
            Some(newest) => Some(newest + HOUR),
            None => self.first_hour().await?,
        };
        Ok(stated_until.map(|until| self.shared.now() - until))
    }

    /// Hours before this instant were stated, their month is closed, and they are no longer looked at again each hour: what
    /// they rest on may be pruned. `None` before the ledger begins.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn settled_until(&self) -> Result<Option<Timestamp>, Fault> {
        let Some(newest) = self.shared.database.newest_stated_hour().await? else {
            return Ok(None);
        };
        let now = self.shared.now();
        let settings = &self.shared.settings;
        let looked_at = now - settings.ledger.look_again.max(settings.metering.keep_samples);
        let settled = (newest + HOUR).min(looked_at).min(self.open_from(now)?);
        Ok(Some(hour_of(settled.max(Timestamp::MIN))))
    }

    /// The first hour of the first month that is not closed, months as the site's calendar has them.
    fn open_from(&self, now: Timestamp) -> Result<Timestamp, Fault> {
        let zone = self.shared.settings.time_zone.as_deref().unwrap_or("UTC");
        month_of(now - self.settings().month_closes_after, zone).map_err(Fault::internal)
    }
}

/// The start of the hour in which an instant lies.
fn hour_of(instant: Timestamp) -> Timestamp {
    let next = instant.ceil_to(HOUR);
    if next == instant { next } else { next - HOUR }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_those_of_utc() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        assert_eq!(hour_of(at("2026-03-11T12:59:59Z")), at("2026-03-11T12:00:00Z"));
        assert_eq!(hour_of(at("2026-03-11T12:00:00Z")), at("2026-03-11T12:00:00Z"));
    }
}
