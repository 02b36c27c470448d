//! The book's row: how far the database is. Whatever writes the book counts there, and plans are judged
//! by it.

pub(crate) mod repository;
pub mod sql;

use crate::identity::EpochId;

/// How far the database is. Every transaction that writes counts in `changes`; the others are the
/// count at which their part last changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Marks {
    /// What a proposal must name: grows with what can make an earlier plan wrong.
    pub version: i64,
    /// Grows with every transaction that writes.
    pub changes: i64,
    /// When agendas were last put.
    #[sqlx(rename = "agendas_changed")]
    pub agendas: i64,
    /// When outages last changed.
    #[sqlx(rename = "outages_changed")]
    pub outages: i64,
    /// When tokens were last made or revoked.
    #[sqlx(rename = "tokens_changed")]
    pub tokens: i64,
    /// When grants of extra power last changed.
    #[sqlx(rename = "grants_changed")]
    pub grants: i64,
    /// When quota adjustments last changed.
    #[sqlx(rename = "quotas_changed")]
    pub quotas: i64,
    /// The newest epoch; none before the first nodes.
    pub epoch: Option<EpochId>,
}

/// The state of the database that a plan rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlanBasis {
    /// See [`Marks::version`].
    pub version: i64,
    /// See [`Marks::changes`].
    pub changes: i64,
}

impl From<Marks> for PlanBasis {
    fn from(Marks { version, changes, .. }: Marks) -> Self {
        Self { version, changes }
    }
}
