//! Rows of quota adjustments, and their way into the domain and back.

use planner::identity::QuotaAdjustmentId;
use planner::quota::{
    QuotaKey, QuotaLimit, QuotaMeasure, QuotaPeriod, QuotaRule, RuleBudgets, clock_text,
    date_and_time,
};
use planner::time::Timestamp;
use sqlx::FromRow;
use uuid::Uuid;

use crate::error::StorageError;
use crate::quota_adjustments::StoredQuotaAdjustment;
use crate::row::{RowPlace, instant};

#[derive(FromRow)]
pub(crate) struct QuotaAdjustmentRow {
    #[sqlx(try_from = "Uuid")]
    id: QuotaAdjustmentId,
    made_by: String,
    reason: String,
    created_s: i64,
    row_version: i64,
    from_s: i64,
    to_s: Option<i64>,
    partition: String,
    project: String,
    job_type: String,
    user_name: String,
    nodes: Option<String>,
    reservations: Option<String>,
    node_hours: Option<String>,
    energy_kwh: Option<String>,
    cost: Option<String>,
    co2_kg: Option<String>,
    with_below: bool,
    per: Option<String>,
    period_from: Option<String>,
    period_to: Option<String>,
}

/// What node-hours and budgets are added up over, as columns have it: the word, and the ends of what counts once.
pub(crate) struct PeriodText {
    pub(crate) per: Option<&'static str>,
    pub(crate) from: Option<String>,
    pub(crate) to: Option<String>,
}

impl PeriodText {
    pub(crate) fn of(rule: &QuotaRule) -> Self {
        let ends = match rule.per {
            Some(QuotaPeriod::Fixed { from, to }) => Some((clock_text(from), clock_text(to))),
            _ => None,
        };
        let (from, to) = ends.unzip();
        Self { per: rule.per.map(QuotaPeriod::word), from, to }
    }
}

/// A limit as columns have it.
pub(crate) fn limit_text(rule: &QuotaRule, measure: QuotaMeasure) -> Option<String> {
    rule.limit(measure).map(|limit| limit.to_string())
}

impl QuotaAdjustmentRow {
    fn rule(&self, place: &RowPlace<QuotaAdjustmentId>) -> Result<QuotaRule, StorageError> {
        let Self { partition, project, job_type, user_name, .. } = self;
        let key = QuotaKey::of(partition, project, job_type, user_name);
        let limit = |column, text: &Option<String>| {
            let read = |text: &String| place.readable(column, QuotaLimit::parse(text).ok());
            text.as_ref().map(read).transpose()
        };
        Ok(QuotaRule {
            key: place.readable("partition", key.ok())?,
            nodes: limit("nodes", &self.nodes)?,
            reservations: limit("reservations", &self.reservations)?,
            node_hours: limit("node_hours", &self.node_hours)?,
            budgets: RuleBudgets {
                energy_kwh: limit("energy_kwh", &self.energy_kwh)?,
                cost: limit("cost", &self.cost)?,
                co2_kg: limit("co2_kg", &self.co2_kg)?,
                with_below: self.with_below,
            },
            per: self.period(place)?,
            adjustment: Some(self.id),
        })
    }

    fn period(
        &self,
        place: &RowPlace<QuotaAdjustmentId>,
    ) -> Result<Option<QuotaPeriod>, StorageError> {
        let at = |column, text: &str| place.readable(column, date_and_time(text).ok());
        if let (Some(from), Some(to)) = (&self.period_from, &self.period_to) {
            let (from, to) = (at("period_from", from)?, at("period_to", to)?);
            return Ok(Some(QuotaPeriod::Fixed { from, to }));
        }
        let read = |word: &String| place.word("per", word, |it| QuotaPeriod::parse(it).ok());
        self.per.as_ref().map(read).transpose()
    }
}

impl TryFrom<QuotaAdjustmentRow> for StoredQuotaAdjustment {
    type Error = StorageError;
    fn try_from(row: QuotaAdjustmentRow) -> Result<Self, StorageError> {
        let place = RowPlace { table: "quota_adjustments", row: row.id };
        Ok(Self {
            rule: row.rule(&place)?,
            id: row.id,
            made_by: row.made_by,
            reason: row.reason,
            created: Timestamp::from_unix_seconds(row.created_s),
            row_version: row.row_version,
            from: Timestamp::from_unix_seconds(row.from_s),
            to: instant(row.to_s),
        })
    }
}
