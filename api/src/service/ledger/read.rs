//! What was stated, for those who ask.

use planner::json::co2_accounting::Co2AccountingDocument;
use planner::ledger::{Amounts, Holder};
use planner::quantity::Currency;
use planner::time::{Span, Timestamp};
use storage::{LedgerFilter, LedgerGroup, LedgerRecord, Quantity};

use super::access::visible;
use super::co2_sources::of_hours;
use super::{Co2Source, HOUR, LedgerError, LedgerService};
use crate::service::shared::provenance::{ProvenanceError, known};
use crate::service::shared::{Access, Fault, blocking, cut_page};

/// Which rows are asked for.
#[derive(Clone, Debug)]
pub struct LedgerWanted {
    /// Those that count in hours which begin in this span.
    pub window: Span,
    /// Only this user's.
    pub user: Option<String>,
    /// Only this project's.
    pub project: Option<String>,
}

/// A page of rows.
pub struct LedgerPage {
    /// By the hour in which they count.
    pub rows: Vec<LedgerRecord>,
    /// How the intensities are counted that are in force now in the hour that each row is about; not those by which it was
    /// stated.
    pub accountings: Vec<Option<Co2AccountingDocument>>,
    /// The hour and the id after which the next page starts.
    pub next: Option<(Timestamp, i64)>,
}

/// What rows amount to.
pub struct LedgerTotals {
    /// By holder and currency.
    pub groups: Vec<LedgerGroup>,
    /// All together, by currency.
    pub totals: Vec<(Currency, Amounts)>,
    /// The end of the newest hour that was stated; `None` before there is one.
    pub stated_to: Option<Timestamp>,
    /// All energy over that of the nodes, for those who see everything; `None` where the site does not say where its
    /// nodes are measured, or nothing is known of the facility.
    pub pue: Option<Pue>,
    /// What CO2 rests on.
    pub co2_sources: Vec<Co2Source>,
    /// How CO2 is counted by the accounting that the site does not plan by.
    pub other_co2_accounting: Option<Co2AccountingDocument>,
}

/// All energy of a site over that of its nodes (ISO/IEC 30134-2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pue {
    /// The ratio.
    pub ratio: f64,
    /// Where the energy of the nodes is measured, 1 to 3.
    pub category: u8,
    /// The hours that it is of.
    pub period: Span,
}

impl LedgerService {
    /// A page of rows, after a row of an hour.
    ///
    /// # Errors
    /// They are another user's; the database cannot be reached.
    pub async fn rows(
        &self,
        access: Access<'_>,
        wanted: LedgerWanted,
        after: Option<(Timestamp, i64)>,
        limit: u16,
    ) -> Result<LedgerPage, LedgerError> {
        let filter = filter(access, wanted)?;
        let found = self.shared.database.ledger_rows(&filter, after, limit + 1).await;
        let mut rows = found.map_err(Fault::from)?;
        let next = cut_page(&mut rows, limit, |row| (row.counted, row.id));
        let accountings = self.accountings(&rows).await?;
        Ok(LedgerPage { rows, accountings, next })
    }

    async fn accountings(
        &self,
        rows: &[LedgerRecord],
    ) -> Result<Vec<Option<Co2AccountingDocument>>, Fault> {
        let hours: Vec<Timestamp> =
            rows.iter().map(|row| row.correction_of.unwrap_or(row.counted)).collect();
        let ends = hours.iter().min().zip(hours.iter().max());
        let hull = ends.and_then(|(first, last)| Span::new(*first, *last + HOUR));
        let Some(hull) = hull else { return Ok(Vec::new()) };
        let pieces = self.shared.database.proven_agenda(Quantity::Co2, hull, None).await?;
        let counted = blocking(move || Ok(of_hours(&known(&pieces)?, hours.into_iter()))).await?;
        counted.map_err(|error: ProvenanceError| Fault::internal(error))
    }

    /// What rows amount to.
    ///
    /// # Errors
    /// They are another user's; the database cannot be reached.
    pub async fn totals(
        &self,
        access: Access<'_>,
        wanted: LedgerWanted,
    ) -> Result<LedgerTotals, LedgerError> {
        let filter = filter(access, wanted)?;
        let database = &self.shared.database;
        let sees_all = filter.of.is_none() && filter.user.is_none() && filter.project.is_none();
        let groups = database.ledger_groups(&filter).await.map_err(Fault::from)?;
        let newest = database.newest_stated_hour().await.map_err(Fault::from)?;
        let mut totals: Vec<(Currency, Amounts)> = Vec::new();
        for LedgerGroup { currency, amounts, .. } in &groups {
            match totals.iter_mut().find(|(known, _)| known == currency) {
                Some((_, sum)) => *sum = sum.plus(*amounts),
                None => totals.push((*currency, *amounts)),
            }
        }
        let stated_to = newest.map(|hour| hour + HOUR);
        let period =
            stated_to.and_then(|to| Span::new(filter.window.start(), filter.window.end().min(to)));
        let category = self.settings().pue_category.filter(|_| sees_all);
        let pue = category.zip(period).and_then(|(category, period)| {
            Some(Pue { ratio: energy_ratio(&groups)?, category, period })
        });
        let co2_sources = self.co2_sources(filter.window).await?;
        let other_co2_accounting = self.other_accounting(filter.window).await?;
        Ok(LedgerTotals { groups, totals, stated_to, pue, co2_sources, other_co2_accounting })
    }
}

/// All energy over that of the nodes; `None` without energy of the facility or of nodes.
fn energy_ratio(groups: &[LedgerGroup]) -> Option<f64> {
    let of = |is_facility: bool| {
        let own = groups.iter().filter(|it| (it.holder == Holder::Facility) == is_facility);
        own.map(|it| it.amounts.energy_j()).sum::<i64>()
    };
    let (facility, nodes) = (of(true), of(false));
    (facility > 0 && nodes > 0).then(|| (facility + nodes) as f64 / nodes as f64)
}

fn filter(access: Access<'_>, wanted: LedgerWanted) -> Result<LedgerFilter, LedgerError> {
    let of = visible(access, wanted.user.as_deref(), wanted.project.as_deref())?;
    let LedgerWanted { window, user, project } = wanted;
    Ok(LedgerFilter { window, of, user, project })
}
