//! Quota adjustments: rules that operators make for a time.

use planner::identity::QuotaAdjustmentId;
use planner::quota::{QuotaLimit, QuotaPeriod, QuotaRule};
use planner::time::Timestamp;
use storage::{QuotaAdjustmentFilter, StoredQuotaAdjustment};
use uuid::Uuid;

use super::{QuotaError, QuotaService};
use crate::service::shared::cut_page;

/// How often a change is tried where others change the same adjustment.
const TRIES: usize = 3;

/// An adjustment to be.
#[derive(Clone, Debug)]
pub struct NewQuotaAdjustment {
    /// The rule.
    pub rule: QuotaRule,
    /// When it comes into force; now unless given.
    pub from: Option<Timestamp>,
    /// When it ends, if that is known.
    pub to: Option<Timestamp>,
    /// In words, for people.
    pub reason: String,
}

/// What is to change of an adjustment; `None` where it stays, and `Some(None)` where nothing is said any more.
#[derive(Clone, Debug, Default)]
pub struct QuotaAdjustmentPatch {
    /// Another end.
    pub to: Option<Option<Timestamp>>,
    /// Another reason.
    pub reason: Option<String>,
    /// Other limits, in the order of [`planner::quota::QuotaMeasure::ALL`].
    pub limits: [Option<Option<QuotaLimit>>; 6],
    /// Whether budgets have what is below.
    pub with_below: Option<bool>,
    /// What node-hours and budgets are added up over.
    pub per: Option<Option<QuotaPeriod>>,
}

/// An adjustment as it was and is.
pub struct ChangedQuotaAdjustment {
    /// As it was.
    pub before: StoredQuotaAdjustment,
    /// As it is.
    pub after: StoredQuotaAdjustment,
}

impl QuotaAdjustmentPatch {
    fn of(&self, stored: &StoredQuotaAdjustment) -> StoredQuotaAdjustment {
        let mut new = stored.clone();
        new.to = self.to.unwrap_or(stored.to);
        new.reason = self.reason.clone().unwrap_or(new.reason);
        let (rule, mut budgets) = (&mut new.rule, stored.rule.budgets);
        let places = [
            &mut rule.nodes,
            &mut rule.reservations,
            &mut rule.node_hours,
            &mut budgets.energy_kwh,
            &mut budgets.cost,
            &mut budgets.co2_kg,
        ];
        for (place, limit) in places.into_iter().zip(self.limits) {
            *place = limit.unwrap_or(*place);
        }
        budgets.with_below = self.with_below.unwrap_or(budgets.with_below);
        rule.budgets = budgets;
        rule.per = self.per.unwrap_or(rule.per);
        new
    }
}

impl QuotaService {
    /// Adjusts quotas from now on, or from a later instant.
    ///
    /// # Errors
    /// `NoQuotas`; `Invalid` where it would be over, or its rule contradicts itself.
    pub async fn adjust(
        &self,
        made_by: &str,
        new: NewQuotaAdjustment,
    ) -> Result<StoredQuotaAdjustment, QuotaError> {
        if self.shared.settings.quotas.quotas.is_none() {
            return Err(QuotaError::NoQuotas);
        }
        let now = self.shared.now();
        let from = new.from.unwrap_or(now);
        if from < now {
            return Err(invalid("from is past; leave it out for now"));
        }
        let id = QuotaAdjustmentId::new(Uuid::now_v7());
        let stored = StoredQuotaAdjustment {
            id,
            made_by: made_by.to_owned(),
            reason: new.reason,
            created: now,
            row_version: 1,
            from,
            to: new.to,
            rule: QuotaRule { adjustment: Some(id), ..new.rule },
        };
        check(&stored, now)?;
        self.shared.database.create_quota_adjustment(&stored).await?;
        Ok(stored)
    }

    /// Changes an adjustment that has yet to end.
    ///
    /// # Errors
    /// `NoAdjustment`; `Ended`; `Invalid` as [`Self::adjust`]; `Changed` where others change it too.
    pub async fn change_adjustment(
        &self,
        id: QuotaAdjustmentId,
        patch: &QuotaAdjustmentPatch,
    ) -> Result<ChangedQuotaAdjustment, QuotaError> {
        for _ in 0..TRIES {
            let now = self.shared.now();
            let before = self.adjustment(id).await?;
            if before.to.is_some_and(|to| to <= now) {
                return Err(QuotaError::Ended(id));
            }
            let after = patch.of(&before);
            check(&after, now)?;
            if self.shared.database.change_quota_adjustment(&after, now).await? {
                let row_version = after.row_version + 1;
                let after = StoredQuotaAdjustment { row_version, ..after };
                return Ok(ChangedQuotaAdjustment { before, after });
            }
        }
        Err(QuotaError::Changed)
    }

    /// Ends an adjustment now; one that has yet to begin is taken back, and one that has ended stays as it is.
    ///
    /// # Errors
    /// `NoAdjustment`.
    pub async fn end_adjustment(
        &self,
        id: QuotaAdjustmentId,
    ) -> Result<ChangedQuotaAdjustment, QuotaError> {
        let before = self.adjustment(id).await?;
        let ended = self.shared.database.end_quota_adjustment(id, self.shared.now()).await?;
        let after = ended.ok_or(QuotaError::NoAdjustment(id))?;
        Ok(ChangedQuotaAdjustment { before, after })
    }

    /// Adjustments in the order in which they were made, after a cursor: those that have yet to end, all, or those in force
    /// at an instant; the next cursor where there are more than `limit`.
    ///
    /// # Errors
    /// The database cannot be used.
    pub async fn adjustments(
        &self,
        (with_ended, at): (bool, Option<Timestamp>),
        after: Option<QuotaAdjustmentId>,
        limit: u16,
    ) -> Result<(Vec<StoredQuotaAdjustment>, Option<QuotaAdjustmentId>), QuotaError> {
        let filter = match at {
            Some(at) => QuotaAdjustmentFilter::InForceAt(at),
            None if with_ended => QuotaAdjustmentFilter::All,
            None => QuotaAdjustmentFilter::EndingAfter(self.shared.now()),
        };
        let mut all = self.shared.database.quota_adjustments(filter, after, limit + 1).await?;
        let next = cut_page(&mut all, limit, |it| it.id);
        Ok((all, next))
    }

    async fn adjustment(&self, id: QuotaAdjustmentId) -> Result<StoredQuotaAdjustment, QuotaError> {
        let found = self.shared.database.quota_adjustment(id).await?;
        found.ok_or(QuotaError::NoAdjustment(id))
    }
}

fn check(stored: &StoredQuotaAdjustment, now: Timestamp) -> Result<(), QuotaError> {
    if stored.to.is_some_and(|to| to <= stored.from) {
        return Err(invalid("to must be after from"));
    }
    if stored.to.is_some_and(|to| to <= now) {
        return Err(invalid("to is past; to end an adjustment now, end it"));
    }
    match stored.rule.contradiction() {
        Some((member, told)) => Err(invalid(&format!("{} {told}", member.unwrap_or("the rule")))),
        None => Ok(()),
    }
}

fn invalid(told: &str) -> QuotaError {
    QuotaError::Invalid(vec![told.to_owned()])
}
