//! What was stated, for those who ask.

use planner::ledger::Amounts;
use planner::quantity::Currency;
use planner::time::{Span, Timestamp};
use storage::{LedgerFilter, LedgerGroup, LedgerRecord};

use super::access::visible;
use super::{HOUR, LedgerError, LedgerService};
use crate::service::shared::{Access, Fault, cut_page};

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
        Ok(LedgerPage { rows, next })
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
        let groups = database.ledger_groups(&filter).await.map_err(Fault::from)?;
        let newest = database.newest_stated_hour().await.map_err(Fault::from)?;
        let mut totals: Vec<(Currency, Amounts)> = Vec::new();
        for LedgerGroup { currency, amounts, .. } in &groups {
            match totals.iter_mut().find(|(known, _)| known == currency) {
                Some((_, sum)) => *sum = sum.plus(*amounts),
                None => totals.push((*currency, *amounts)),
            }
        }
        Ok(LedgerTotals { groups, totals, stated_to: newest.map(|hour| hour + HOUR) })
    }
}

fn filter(access: Access<'_>, wanted: LedgerWanted) -> Result<LedgerFilter, LedgerError> {
    let of = visible(access, wanted.user.as_deref())?;
    let LedgerWanted { window, user, project } = wanted;
    Ok(LedgerFilter { window, of, user, project })
}
