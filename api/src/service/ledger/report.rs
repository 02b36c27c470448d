//! Reports: rows of the ledger added up by user, project, partition, application and month, and what was saved.
//!
//! What a reservation saved is told twice. As promised: what its chosen offer saves against starting as soon
//! as possible, a part for the rows in proportion to their energy. As measured: what that other start would
//! have cost by the offer for the energy that the rows have, less what they cost.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jiff::tz::TimeZone;
use planner::identity::ReservationId;
use planner::ledger::Amounts;
use planner::reservation::Reservation;
use planner::time::{Span, Timestamp};
use storage::{LedgerFilter, ReportGroup, ReportKey, ReportPart, ReportSum};

use super::access::visible;
use super::read::LedgerWanted;
use super::{HOUR, LedgerError, LedgerService};
use crate::service::shared::{Access, Fault};

/// What is added up.
#[derive(Clone, Debug)]
pub struct ReportWanted {
    /// Which rows.
    pub rows: LedgerWanted,
    /// By what.
    pub by: Vec<ReportKey>,
    /// Whether by month, too, as the site's calendar has them.
    pub by_month: bool,
}

/// A line of a report.
#[derive(Clone, Debug)]
pub struct ReportLine {
    /// Which rows.
    pub group: ReportGroup,
    /// The month, such as `2026-03`; `None` where it is not asked for.
    pub month: Option<String>,
    /// Seconds of nodes that were reserved, whether jobs ran on them or not.
    pub reserved_s: i64,
    /// Seconds of nodes on which jobs ran; `None` where the site knows no jobs.
    pub used_s: Option<i64>,
    /// The sums.
    pub amounts: Amounts,
    /// What was saved, as promised.
    pub promised: LedgerSavings,
    /// What was saved, as measured.
    pub measured: LedgerSavings,
}

/// What was saved against starting as soon as possible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LedgerSavings {
    /// Millionths of the currency; `None` where it cannot be said of any reservation.
    pub cost_millionths: Option<i64>,
    /// Milligrams by the grid's intensity; `None` where it cannot be said of any reservation.
    pub co2_mg: Option<i64>,
}

/// A report.
pub struct Report {
    /// By month, then by group.
    pub lines: Vec<ReportLine>,
    /// The end of the newest hour that was stated; `None` before there is one.
    pub stated_to: Option<Timestamp>,
}

/// What a reservation's offer promised, in whole units, and how much its rows have.
struct Promise {
    /// Joules of the offer.
    energy_j: i128,
    /// Millionths of the currency that it costs and saves.
    cost: (i128, i128),
    /// Milligrams that it emits and saves.
    co2: (i128, i128),
    /// Joules of all its rows.
    whole_j: i128,
}

impl LedgerService {
    /// Rows added up.
    ///
    /// # Errors
    /// They are another user's; the database cannot be reached.
    pub async fn report(
        &self,
        access: Access<'_>,
        wanted: ReportWanted,
    ) -> Result<Report, LedgerError> {
        let of = visible(access, wanted.rows.user.as_deref())?;
        let LedgerWanted { window, user, project } = wanted.rows;
        let zone = self.shared.settings.time_zone.as_deref().unwrap_or("UTC");
        let windows = if wanted.by_month {
            months(window, zone).map_err(Fault::internal)?
        } else {
            vec![(None, window)]
        };
        let knows_jobs = self.shared.settings.manager.is_some();
        let mut lines = Vec::new();
        for (month, window) in windows {
            let filter = LedgerFilter {
                window,
                of: of.clone(),
                user: user.clone(),
                project: project.clone(),
            };
            let saved = self.saved(&filter, &wanted.by).await?;
            let sums = self.shared.database.report_sums(&filter, &wanted.by).await;
            lines.extend(sums.map_err(Fault::from)?.into_iter().map(|sum| {
                let ReportSum { group, reserved_s, used_s, amounts } = sum;
                let (promised, measured) = saved.get(&group).copied().unwrap_or_default();
                let (used_s, month) = (knows_jobs.then_some(used_s), month.clone());
                ReportLine { group, month, reserved_s, used_s, amounts, promised, measured }
            }));
        }
        let newest = self.shared.database.newest_stated_hour().await.map_err(Fault::from)?;
        Ok(Report { lines, stated_to: newest.map(|hour| hour + HOUR) })
    }

    /// What was saved, by group: as promised and as measured.
    async fn saved(
        &self,
        filter: &LedgerFilter,
        by: &[ReportKey],
    ) -> Result<BTreeMap<ReportGroup, (LedgerSavings, LedgerSavings)>, Fault> {
        let database = &self.shared.database;
        let parts = database.report_parts(filter, by).await?;
        let ids: BTreeSet<ReservationId> = parts.iter().map(|part| part.reservation).collect();
        let ids: Vec<ReservationId> = ids.into_iter().collect();
        let stored = database.reservations_in_ledger(&ids).await?;
        let by_reservation: HashMap<ReservationId, Promise> = stored
            .iter()
            .filter_map(|(reservation, whole)| {
                Some((reservation.id, Promise::of(reservation, *whole)?))
            })
            .collect();
        let mut saved: BTreeMap<ReportGroup, (LedgerSavings, LedgerSavings)> = BTreeMap::new();
        for part in parts {
            let Some(promise) = by_reservation.get(&part.reservation) else { continue };
            let (promised, measured) = (promise.promised(&part), promise.measured(&part));
            let sum = saved.entry(part.group).or_default();
            *sum = (sum.0.plus(promised), sum.1.plus(measured));
        }
        Ok(saved)
    }
}

/// Exact amounts of money in a millionth of the currency, and of CO2 in a milligram.
const EXACT: i128 = 3_600_000_000_000_000;

impl Promise {
    /// `None` where no offer was chosen, or it promised no energy.
    fn of(reservation: &Reservation, whole_j: i64) -> Option<Self> {
        let terms = &reservation.chosen_offer()?.terms;
        let energy_j = terms.values.energy.as_microjoules() / 1_000_000;
        let (values, saves) = (&terms.values, &terms.saves);
        (energy_j > 0).then(|| Self {
            energy_j,
            cost: (values.cost.as_exact() / EXACT, saves.cost.as_exact() / EXACT),
            co2: (values.co2.as_exact() / EXACT, saves.co2.as_exact() / EXACT),
            whole_j: whole_j.into(),
        })
    }

    /// The part of what was promised that falls to a part of the rows.
    fn promised(&self, part: &ReportPart) -> LedgerSavings {
        let of = |saved: i128| {
            let share = saved.checked_mul(part.energy_j.into())?.checked_div(self.whole_j)?;
            i64::try_from(share).ok()
        };
        LedgerSavings { cost_millionths: of(self.cost.1), co2_mg: of(self.co2.1) }
    }

    /// What starting as soon as possible would have taken for this energy, less what was taken.
    fn measured(&self, part: &ReportPart) -> LedgerSavings {
        let of = |(taken, saved): (i128, i128), really: Option<i64>| {
            let other = (taken + saved).checked_mul(part.energy_j.into())? / self.energy_j;
            i64::try_from(other - i128::from(really?)).ok()
        };
        LedgerSavings {
            cost_millionths: of(self.cost, part.cost_millionths),
            co2_mg: of(self.co2, part.co2_location_mg),
        }
    }
}

impl LedgerSavings {
    /// Both together. What cannot be said of one is nothing beside what can be said of the other.
    fn plus(self, other: Self) -> Self {
        let both = |one: Option<i64>, other: Option<i64>| match (one, other) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
        Self {
            cost_millionths: both(self.cost_millionths, other.cost_millionths),
            co2_mg: both(self.co2_mg, other.co2_mg),
        }
    }
}

/// The months of a window, by name, each with the part of it that lies in the window.
fn months(window: Span, zone: &str) -> Result<Vec<(Option<String>, Span)>, jiff::Error> {
    let zone = TimeZone::get(zone)?;
    let first = jiff::Timestamp::from_second(window.start().as_unix_seconds())?;
    let mut month = first.to_zoned(zone).first_of_month()?.start_of_day()?;
    let mut months = Vec::new();
    let instant = |zoned: &jiff::Zoned| {
        Timestamp::from_unix_seconds(zoned.timestamp().as_second()).ceil_to(HOUR)
    };
    while instant(&month) < window.end() {
        let next = month.checked_add(jiff::Span::new().months(1))?.start_of_day()?;
        let part = Span::new(instant(&month), instant(&next));
        let part = part.and_then(|it| it.intersection(window));
        months.extend(part.map(|part| (Some(month.strftime("%Y-%m").to_string()), part)));
        month = next;
    }
    Ok(months)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(energy_j: i64, cost: i64) -> ReportPart {
        let nothing = String::new;
        let group = ReportGroup {
            user: nothing(),
            project: nothing(),
            application: nothing(),
            partition: nothing(),
            currency: "EUR".to_owned(),
        };
        let reservation = ReservationId::new(uuid::Uuid::nil());
        let (cost_millionths, co2_location_mg) = (Some(cost), None);
        ReportPart { group, reservation, energy_j, cost_millionths, co2_location_mg }
    }

    /// An offer of 1000 J for 80 saves 20 of the 100 that starting at once would have cost. Its rows have 500 J,
    /// of which this part has 200 J for 15. Promised: 20 x 200 / 500 = 8. Measured: starting at once would have cost
    /// 100 x 200 / 1000 = 20 for 200 J, less 15 are 5. Of CO2 nothing is known that was emitted.
    #[test]
    fn savings_are_told_as_promised_and_as_measured() {
        let promise = Promise { energy_j: 1000, cost: (80, 20), co2: (40, -10), whole_j: 500 };
        let part = part(200, 15);
        let promised = LedgerSavings { cost_millionths: Some(8), co2_mg: Some(-4) };
        assert_eq!(promise.promised(&part), promised);
        let measured = LedgerSavings { cost_millionths: Some(5), co2_mg: None };
        assert_eq!(promise.measured(&part), measured);
        assert_eq!(promised.plus(measured).cost_millionths, Some(13));
    }

    /// From the middle of February to the beginning of March in Paris, where March begins at 23:00 UTC.
    #[test]
    fn months_are_those_of_the_sites_calendar() {
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let window = Span::new(at("2026-02-14T00:00:00Z"), at("2026-03-01T05:00:00Z")).unwrap();
        let march = at("2026-02-28T23:00:00Z");
        let expected = [
            (Some("2026-02".to_owned()), Span::new(window.start(), march).unwrap()),
            (Some("2026-03".to_owned()), Span::new(march, window.end()).unwrap()),
        ];
        assert_eq!(months(window, "Europe/Paris").unwrap(), expected);
    }
}
