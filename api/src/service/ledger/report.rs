//! Reports: rows of the ledger added up by user, project, partition, application, job, reservation and month, and what
//! was saved.
//!
//! What a reservation saved is told twice. As promised: what its chosen offer saves against starting as soon
//! as possible, a part for the rows in proportion to their energy. As measured: what that other start would
//! have cost by the offer for the energy that the rows have, less what they cost.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use planner::identity::ReservationId;
use planner::json::co2_accounting::Co2AccountingDocument;
use planner::ledger::{Amounts, carbon_intensity_score};
use planner::recalibration::ErrorSums;
use planner::time::Timestamp;
use storage::{LedgerFilter, ReportGroup, ReportKey, ReportSum};

use super::access::visible;
use super::months::months;
use super::promise::{LedgerSavings, Promise};
use super::read::LedgerWanted;
use super::{Co2Source, HOUR, LedgerError, LedgerService};
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
    /// The mean error of the energy that offers predicted without its sign, in millionths of what was measured; `None`
    /// where no reservation that ended was measured.
    pub mean_error_millionths: Option<i64>,
    /// Millilitres of water; `None` where the site gives no factors.
    pub water_ml: Option<i64>,
    /// Milligrams of CO2 for making the nodes; `None` where the site gives no factors.
    pub embodied_mg: Option<i64>,
    /// Milligrams of CO2 for a node-hour that was reserved, or that a job used outside of reservations, by ISO/IEC 21031;
    /// `None` where one of its parts is not known.
    pub score_mg: Option<i64>,
}

/// A report.
pub struct Report {
    /// By month, then by group.
    pub lines: Vec<ReportLine>,
    /// The end of the newest hour that was stated; `None` before there is one.
    pub stated_to: Option<Timestamp>,
    /// The cluster of every job, as the settings name it.
    pub cluster: Option<String>,
    /// What CO2 rests on.
    pub co2_sources: Vec<Co2Source>,
    /// How CO2 is counted by the accounting that the site does not plan by.
    pub other_co2_accounting: Option<Co2AccountingDocument>,
}

/// Milligrams of CO2 for a node-hour that was reserved, of the grid and of making the nodes; `None` where one of its parts
/// is not known.
pub fn score_mg(amounts: &Amounts, embodied_mg: Option<i64>, reserved_s: i64) -> Option<i64> {
    let operational_mg = amounts.co2_location_mg.filter(|_| amounts.unrated_j == 0);
    carbon_intensity_score(operational_mg?, embodied_mg?, reserved_s)
}

/// What offers promised for the rows of a group, and what came of it.
#[derive(Clone, Copy, Debug, Default)]
struct Promised {
    saved: LedgerSavings,
    really_saved: LedgerSavings,
    error: ErrorSums,
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
        let of = visible(access, wanted.rows.user.as_deref(), wanted.rows.project.as_deref())?;
        let LedgerWanted { window: whole, user, project } = wanted.rows;
        let zone = self.shared.settings.time_zone.as_deref().unwrap_or("UTC");
        let windows = if wanted.by_month {
            months(whole, zone).map_err(Fault::internal)?
        } else {
            vec![(None, whole)]
        };
        let mut lines = Vec::new();
        for (month, window) in windows {
            let filter = LedgerFilter {
                window,
                of: of.clone(),
                user: user.clone(),
                project: project.clone(),
            };
            let promises = self.promises(&filter, &wanted.by).await?;
            let sums = self.shared.database.report_sums(&filter, &wanted.by).await;
            for sum in sums.map_err(Fault::from)? {
                let of_group = promises.get(&sum.group).copied().unwrap_or_default();
                lines.push(self.line(sum, of_group, month.clone()));
            }
        }
        let newest = self.shared.database.newest_stated_hour().await.map_err(Fault::from)?;
        let manager = self.shared.settings.manager.as_ref();
        let cluster = manager.and_then(|manager| manager.cluster.clone());
        Ok(Report {
            lines,
            stated_to: newest.map(|hour| hour + HOUR),
            cluster,
            co2_sources: self.co2_sources(whole).await?,
            other_co2_accounting: self.other_accounting(whole).await?,
        })
    }

    fn line(&self, sum: ReportSum, promised: Promised, month: Option<String>) -> ReportLine {
        let ReportSum { group, reserved_s, used_s, outside_s, facility_j, amounts } = sum;
        let (settings, energy_j) = (self.settings(), amounts.energy_j());
        let nodes_j = energy_j - facility_j;
        let embodied_mg = settings.embodied.map(|it| it.milligrams(amounts.node_s));
        ReportLine {
            group,
            month,
            reserved_s,
            used_s: self.shared.settings.manager.is_some().then_some(used_s),
            amounts,
            promised: promised.saved,
            measured: promised.really_saved,
            mean_error_millionths: promised.error.error().mean_absolute,
            water_ml: settings.water.map(|it| it.millilitres(nodes_j, energy_j)),
            embodied_mg,
            score_mg: score_mg(&amounts, embodied_mg, reserved_s + outside_s),
        }
    }

    /// What offers promised for the rows of each group, and what came of it.
    async fn promises(
        &self,
        filter: &LedgerFilter,
        by: &[ReportKey],
    ) -> Result<BTreeMap<ReportGroup, Promised>, Fault> {
        let (database, now) = (&self.shared.database, self.shared.now());
        let parts = database.report_parts(filter, by).await?;
        let ids: BTreeSet<ReservationId> = parts.iter().map(|part| part.reservation).collect();
        let ids: Vec<ReservationId> = ids.into_iter().collect();
        let stored = database.promises_in_ledger(&ids, now).await?;
        let by_reservation: HashMap<ReservationId, Promise> = stored
            .iter()
            .filter_map(|(promise, whole)| {
                Some((promise.reservation, Promise::of(promise, *whole)?))
            })
            .collect();
        let mut promised: BTreeMap<ReportGroup, Promised> = BTreeMap::new();
        for part in parts {
            let Some(promise) = by_reservation.get(&part.reservation) else { continue };
            let (saved, really_saved) = (promise.promised(&part), promise.measured(&part));
            let sum = promised.entry(part.group).or_default();
            sum.saved = sum.saved.plus(saved);
            sum.really_saved = sum.really_saved.plus(really_saved);
            promise.add_error(&mut sum.error);
        }
        Ok(promised)
    }
}
