//! Quotas: OAR's own examples, and a plain counter that goes second by second.
#![expect(clippy::unwrap_used, reason = "tests")]

mod budget_search;
mod budget_starts;
mod budgets;
mod calendar;
mod errors;
mod oar;
mod plain;
mod properties;
mod search;
mod usage;

use jiff::tz::TimeZone;
use planner::quota::{QuotaHolding, QuotaJudge, QuotaSubject, Quotas};
use planner::time::{Seconds, Span, Timestamp};

/// A Monday at midnight, 2026-11-23 UTC.
pub(crate) const MONDAY: i64 = 1_795_392_000;

pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_unix_seconds(second)
}

pub(crate) fn span(from: i64, to: i64) -> Span {
    Span::new(at(from), at(to)).unwrap()
}

pub(crate) fn subject(project: &str, job_type: &str, user: &str) -> QuotaSubject {
    QuotaSubject {
        partition: "".into(),
        project: project.into(),
        job_type: job_type.into(),
        user: user.into(),
    }
}

pub(crate) fn holding(subject: QuotaSubject, nodes: u32, span: Span) -> QuotaHolding {
    QuotaHolding { subject, alternatives: vec![(span, nodes)] }
}

/// The judge for somebody over a week from `from`, of a cluster of 32 nodes.
pub(crate) fn judge(
    quotas: &Quotas,
    subject: &QuotaSubject,
    held: &[QuotaHolding],
    from: i64,
) -> QuotaJudge {
    let horizon = span(from, from + 14 * 86_400);
    QuotaJudge::new(quotas, &TimeZone::UTC, subject, held, &|_| 32, horizon)
}

/// The first second from `from` on, of a week, at which somebody may begin.
pub(crate) fn first_start(
    quotas: &Quotas,
    subject: &QuotaSubject,
    held: &[QuotaHolding],
    (nodes, duration, from): (u32, i64, i64),
) -> Option<i64> {
    let window = (at(from), at(from + 7 * 86_400 - duration));
    let judge = judge(quotas, subject, held, from);
    let start = judge.next_start(nodes, Seconds::new(duration), window, None)?;
    Some(start.as_unix_seconds() - from)
}
