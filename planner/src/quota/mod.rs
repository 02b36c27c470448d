//! Quotas: how much users and projects may hold, by the calendar.
//!
//! The semantics are OAR's: a rule has a key `queue,project,job_type,user`, where a queue is a partition, a job type the
//! label `job_type` and a resource a node; of the rules that concern a reservation the most specific one says
//! ([`QuotaRules::applying`]). It limits nodes and reservations at each instant, and nodes times hours over the
//! reservation's time. Which rules are in force follows the site's clock ([`QuotaCalendar`]).
//!
//! Budgets of energy, cost and CO2 over periods are counted by [`BudgetHolding`]s: what reservations plan, and what was measured
//! in its place.
//!
//! Operators adjust quotas while the service runs: a [`QuotaAdjustment`] is a rule that goes before those of the calendar for a time.
//!
//! Beside OAR's file ([`json::oar_quotas`](crate::json::oar_quotas)) there is a form of our own, which knows days of the month, months, and node-hours by day,
//! week or month. Everything that decides is in whole nodes and seconds.

mod adjustment;
mod budget;
mod budget_judge;
mod budget_limits;
mod budget_starts;
mod budget_usage;
mod calendar;
mod counting;
mod judge;
mod key;
mod limit;
mod rule;
mod spelling;
mod starts;
mod usage;
mod verdict;

pub use adjustment::QuotaAdjustment;
pub use budget::{BudgetHolding, BudgetSubject, BudgetUse, MeasuredHour, planned_uses, settled};
pub(crate) use budget_limits::KnownStart;
pub use budget_starts::{BudgetStart, StartAmounts};
pub use budget_usage::budget_standings;
pub use calendar::{
    Holidays, OnceQuota, QuotaCalendar, QuotaPiece, RecurringQuota, WEEKDAYS, clock,
};
pub use counting::QuotaHolding;
pub use judge::{NodesOf, QuotaJudge};
pub use key::{QuotaKey, QuotaPart, QuotaSubject};
pub use limit::{QuotaAmount, QuotaLimit, QuotaMeasure};
pub use rule::{QuotaPeriod, QuotaRule, QuotaRules, RuleBudgets};
pub use spelling::{
    clock_text, date_and_time, day_list, days_of_month, hours_of_day, months_of_year,
};
pub use starts::AllowedStarts;
pub use usage::{QuotaAmounts, QuotaStanding, standings};
pub use verdict::{QuotaExcess, QuotaRefusal};

/// What follows where a reservation would go on under other rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcrossRules {
    /// It is refused, as OAR does.
    Refuse,
    /// Each part must keep the rules that are in force then.
    EachPart,
}

/// All quotas of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Rules, those together that are in force together.
    pub sets: Vec<QuotaRules>,
    /// When which are in force.
    pub calendar: QuotaCalendar,
    /// What follows where a reservation would go on under other rules of the calendar.
    pub across: AcrossRules,
    /// Rules that go before these for a time, by when they were made. A reservation may go on where one begins or ends,
    /// and each part keeps what is in force then.
    pub adjustments: Vec<QuotaAdjustment>,
}
