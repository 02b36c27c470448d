//! The bill of a month: energy by the agenda as the ledger has it, demand charges and fixed parts, and who caused how
//! much of them.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use planner::bill::{DemandCharge, DemandPeak, demand_shares};
use planner::ledger::{Holder, LedgerRow, Party, known_sum};
use planner::metering::QuarterHour;
use planner::quantity::Currency;
use planner::time::{Seconds, Span, Timestamp};
use storage::{BillGroup, BillSum, LedgerFilter};

use super::access::visible;
use super::months::month_named;
use super::{HOUR, LedgerError, LedgerService, QUARTER};
use crate::config::billing::FixedCharge;
use crate::service::shared::{Access, Fault};

/// Which bill is asked for.
#[derive(Clone, Debug)]
pub struct BillWanted {
    /// The month's name, such as `2026-03`; `None` for the one that is now.
    pub month: Option<String>,
    /// Only this user's lines.
    pub user: Option<String>,
    /// Only this project's lines.
    pub project: Option<String>,
}

/// The bill of a month.
pub struct Bill {
    /// The month's name.
    pub month: String,
    /// Its hours.
    pub window: Span,
    /// The end of the newest hour that was stated; `None` before there is one.
    pub stated_to: Option<Timestamp>,
    /// Of every amount.
    pub currency: Currency,
    /// What was charged for the highest quarter-hours.
    pub demand: Vec<BilledDemand>,
    /// What is charged each month; none for those who see only what is theirs.
    pub fixed: Vec<FixedCharge>,
    /// What falls to whom, in the order of holders and users.
    pub lines: Vec<BillLine>,
}

/// What was charged for a highest quarter-hour.
pub struct BilledDemand {
    /// The charge.
    pub charge: DemandCharge,
    /// The quarter-hour with what all drew in it; `None` where nothing was drawn in any that counts.
    pub peak: Option<DemandPeak>,
    /// Millionths of the currency that fall to the bill's lines: the whole charge, where all lines are told.
    pub cost_millionths: i64,
}

/// What falls to rows of a holder, reservation, user and project.
pub struct BillLine {
    /// Which rows.
    pub group: BillGroup,
    /// Joules.
    pub energy_j: i64,
    /// Millionths of the currency for the energy; `None` where no price is known.
    pub energy_cost_millionths: Option<i64>,
    /// Millionths of the currency: its parts of the demand charges.
    pub demand_cost_millionths: i64,
}

impl LedgerService {
    /// The bill of a month.
    ///
    /// # Errors
    /// The name is no month's; the lines are another user's; the database cannot be reached.
    pub async fn bill(&self, access: Access<'_>, wanted: BillWanted) -> Result<Bill, LedgerError> {
        let (settings, database) = (&self.shared.settings, &self.shared.database);
        let of = visible(access, wanted.user.as_deref(), wanted.project.as_deref())?;
        let zone = settings.time_zone.as_deref().unwrap_or("UTC");
        let zone = TimeZone::get(zone).map_err(Fault::internal)?;
        let month = wanted.month.unwrap_or_else(|| name_of(self.shared.now(), &zone));
        let window = month_named(&month, &zone).ok_or(LedgerError::NoMonth)?;
        let sees_all = access.is_operator();
        let filter = LedgerFilter { window, of, user: wanted.user, project: wanted.project };
        let sums = database.bill_sums(&filter, settings.currency).await.map_err(Fault::from)?;
        let mut lines = BTreeMap::new();
        for BillSum { group, amounts } in sums {
            let line = lines.entry(merged(group)).or_insert((0, None, 0));
            line.0 += amounts.energy_j();
            line.1 = known_sum(line.1, amounts.cost_millionths);
        }
        let mut demand = Vec::with_capacity(settings.billing.demand.len());
        let quarters = self.drawn(window).await?;
        for charge in &settings.billing.demand {
            let peak = charge.peak(quarters.iter().copied(), &zone);
            let mut cost_millionths = 0;
            for (party, share) in self.caused(charge, peak).await? {
                if filter.admits(&party) {
                    lines.entry(merged(party.into())).or_insert((0, None, 0)).2 += share;
                    cost_millionths += share;
                }
            }
            demand.push(BilledDemand { charge: charge.clone(), peak, cost_millionths });
        }
        let newest = database.newest_stated_hour().await.map_err(Fault::from)?;
        let line = |(group, (energy_j, energy_cost_millionths, demand_cost_millionths))| BillLine {
            group,
            energy_j,
            energy_cost_millionths,
            demand_cost_millionths,
        };
        Ok(Bill {
            month,
            window,
            stated_to: newest.map(|hour| hour + HOUR),
            currency: settings.currency,
            demand,
            fixed: if sees_all { settings.billing.fixed.clone() } else { Vec::new() },
            lines: lines.into_iter().map(line).collect(),
        })
    }

    /// What everything drew in each quarter-hour of a window, in time order.
    async fn drawn(&self, window: Span) -> Result<Vec<(QuarterHour, i64)>, Fault> {
        if self.shared.settings.billing.demand.is_empty() {
            return Ok(Vec::new());
        }
        let hours = self.shared.database.stated_quarters(window).await?;
        let quarters = hours.into_iter().flat_map(|(hour, quarters)| {
            let start =
                move |index: i64| QuarterHour::of(hour + Seconds::new(index * QUARTER.get()));
            (0..).zip(quarters).map(move |(index, energy_j)| (start(index), energy_j))
        });
        Ok(quarters.collect())
    }

    /// Who drew in a charge's quarter-hour, each with the part of the charge.
    async fn caused(
        &self,
        charge: &DemandCharge,
        peak: Option<DemandPeak>,
    ) -> Result<Vec<(Party, i64)>, Fault> {
        let Some(peak) = peak else { return Ok(Vec::new()) };
        let start = peak.quarter.start().as_unix_seconds();
        let hour = Timestamp::from_unix_seconds(start - start.rem_euclid(HOUR.get()));
        let quarter = usize::try_from((start - hour.as_unix_seconds()) / QUARTER.get());
        let quarter = quarter.map_err(Fault::internal)?;
        let mut drawn: BTreeMap<Party, i64> = BTreeMap::new();
        for LedgerRow { party, amounts } in
            self.shared.database.rows_counted_in_their_hour(hour).await?
        {
            *drawn.entry(party).or_default() += amounts.quarters_j[quarter];
        }
        let energies: Vec<i64> = drawn.values().copied().collect();
        let shares = demand_shares(charge.amount(peak), &energies);
        Ok(drawn.into_keys().zip(shares).filter(|(_, share)| *share != 0).collect())
    }
}

/// Jobs that ran in a reservation are told with it.
fn merged(group: BillGroup) -> BillGroup {
    let holder = if group.reservation.is_some() { Holder::Reservation } else { group.holder };
    BillGroup { holder, ..group }
}

/// The name of the month in which an instant lies.
fn name_of(instant: Timestamp, zone: &TimeZone) -> String {
    let local = jiff::Timestamp::from_second(instant.as_unix_seconds());
    local.map(|it| it.to_zoned(zone.clone()).strftime("%Y-%m").to_string()).unwrap_or_default()
}
