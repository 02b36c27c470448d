//! Why nothing is booked, as problems.

use axum::http::StatusCode;

use planner::identity::QuotaAdjustmentId;
use planner::quota::{QuotaExcess, QuotaRefusal};
use planner::time::Timestamp;
use serde::Serialize;

use super::Problem;
use crate::service::booking::{BookingError, NextStart, QuoteError, RefusedByQuota};

/// What a refusal by quota says beside the decision.
#[derive(Serialize)]
struct QuotaMembers {
    #[serde(flatten)]
    refusal: RefusalMembers,
    /// Left out where it was not looked for.
    #[serde(skip_serializing_if = "NextStart::is_not_sought")]
    next_start: NextStart,
}

/// Why a quota refuses.
#[derive(Serialize)]
#[serde(untagged)]
enum RefusalMembers {
    Exceeded(ExceededMembers),
    Across(AcrossMembers),
}

/// Rules that would follow each other in a reservation; null where there are none.
#[derive(Serialize)]
struct AcrossMembers {
    rules: Option<String>,
    rules_after: Option<String>,
    /// When they change.
    from: Timestamp,
}

/// A limit and what is held of it.
#[derive(Serialize)]
struct ExceededMembers {
    rules: String,
    rule: String,
    /// Left out where the rule is of the settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    adjustment: Option<QuotaAdjustmentId>,
    measure: &'static str,
    limit: f64,
    used: f64,
    left: f64,
    asked: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    per: Option<&'static str>,
    from: Timestamp,
    to: Timestamp,
}

/// What a refusal of a swap says beside its words.
#[derive(Serialize)]
struct SwapMembers {
    /// Null where no others will be free.
    free_from: Option<Timestamp>,
}

impl QuotaMembers {
    fn new(refused: &RefusedByQuota) -> Self {
        let refusal = match &refused.refusal {
            QuotaRefusal::Exceeded(excess) => {
                RefusalMembers::Exceeded(ExceededMembers::new(excess))
            }
            QuotaRefusal::Across { at, before, after } => RefusalMembers::Across(AcrossMembers {
                rules: before.as_deref().map(str::to_owned),
                rules_after: after.as_deref().map(str::to_owned),
                from: *at,
            }),
        };
        Self { refusal, next_start: refused.next_start }
    }
}

impl ExceededMembers {
    fn new(excess: &QuotaExcess) -> Self {
        let amount = |amount| excess.in_units(amount);
        Self {
            rules: excess.rules.to_string(),
            rule: excess.key.to_string(),
            adjustment: excess.adjustment,
            measure: excess.measure.word(),
            limit: amount(excess.limit),
            used: amount(excess.used),
            left: amount(excess.left()),
            asked: amount(excess.asked),
            per: excess.per.map(planner::quota::QuotaPeriod::word),
            from: excess.during.start(),
            to: excess.during.end(),
        }
    }
}

impl From<QuoteError> for Problem {
    fn from(error: QuoteError) -> Self {
        match error {
            QuoteError::Invalid(errors) => Self::contradicting_all(errors),
            QuoteError::Planning(error) => error.into(),
            QuoteError::Fault(fault) => fault.into(),
        }
    }
}

impl Problem {
    /// Why nodes of a reservation are not swapped.
    fn not_swapped(error: &BookingError) -> Self {
        match error {
            BookingError::NotSwapped(refusal) => {
                let problem = Self::conflict("no_other_nodes", "No other nodes are free", error);
                problem.with(&SwapMembers { free_from: refusal.free_from }).at("/nodes")
            }
            BookingError::JobsOnNodes { .. } => {
                Self::conflict("has_jobs", "Jobs run on them", error).at("/nodes")
            }
            _ => Self::conflict("nothing_to_swap", "None is out of service", error),
        }
    }
}

impl From<BookingError> for Problem {
    fn from(error: BookingError) -> Self {
        match error {
            BookingError::NoReservation(id) => Self::not_found(format!("reservation {id}")),
            BookingError::NotTheirs { .. } => {
                Self::new(StatusCode::FORBIDDEN, "forbidden", "Not permitted", error.to_string())
            }
            BookingError::Forbidden(forbidden) => (*forbidden).into(),
            BookingError::NotInProject { .. } => {
                let title = "Not in the project";
                Self::new(StatusCode::FORBIDDEN, "not_in_project", title, error.to_string())
                    .at("/project")
            }
            BookingError::OwnerNotInProject { .. } => {
                let (status, title) = (StatusCode::UNPROCESSABLE_ENTITY, "Not in the project");
                Self::new(status, "not_in_project", title, error.to_string()).at("/owner")
            }
            BookingError::NoProject { .. } => {
                let (status, title) = (StatusCode::UNPROCESSABLE_ENTITY, "For which project?");
                Self::new(status, "project_needed", title, error.to_string()).at("/project")
            }
            BookingError::TooFarAhead { .. } => {
                let (status, title) = (StatusCode::UNPROCESSABLE_ENTITY, "Too far ahead");
                Self::new(status, "too_far_ahead", title, error.to_string()).at("/latest_start")
            }
            BookingError::NoGain { .. } => Self::conflict("no_gain", "Not worth moving", &error),
            BookingError::Impossible(ref decision) | BookingError::NotNegotiated(ref decision) => {
                let (status, title) =
                    (StatusCode::UNPROCESSABLE_ENTITY, "The reservation is not possible");
                let problem = Self::new(status, "impossible", title, error.to_string());
                problem.with(decision.as_ref())
            }
            BookingError::Quota(ref refused, ref decision) => {
                let (status, title) =
                    (StatusCode::UNPROCESSABLE_ENTITY, "A quota would be exceeded");
                let problem = Self::new(status, "quota", title, error.to_string());
                let problem = match decision {
                    Some(decision) => problem.with(decision.as_ref()),
                    None => problem,
                };
                problem.with(&QuotaMembers::new(refused))
            }
            BookingError::NotExtended(ref refusal, pointer) => {
                let (status, title) =
                    (StatusCode::UNPROCESSABLE_ENTITY, "The extension is not possible");
                let problem = Self::new(status, "impossible", title, error.to_string());
                problem.with(refusal.as_ref()).at(pointer)
            }
            BookingError::InvalidRequest(errors) => Self::invalid_json(errors),
            BookingError::PriorityIsForOperators => {
                let status = StatusCode::FORBIDDEN;
                Self::new(status, "forbidden", "Not permitted", error.to_string())
            }
            BookingError::UnknownOwner(_) => {
                let (status, title) = (StatusCode::UNPROCESSABLE_ENTITY, "Nobody of this name");
                Self::new(status, "unknown_owner", title, error.to_string()).at("/owner")
            }
            BookingError::OffersExpired(ref decision) => {
                Self::conflict("offers_expired", "The offers have expired", &error)
                    .with(decision.as_ref())
            }
            BookingError::OfferChanged { ref decision, .. } => {
                let title = "The offer is not what was expected";
                let problem = Self::conflict("offer_changed", title, &error);
                match decision {
                    Some(decision) => problem.with(decision.as_ref()),
                    None => problem,
                }
            }
            BookingError::BookChanged => Self::book_changed(&error),
            BookingError::HasJobs { .. } => {
                Self::conflict("has_jobs", "Jobs run or wait in it", &error)
            }
            BookingError::WrongState { .. } => {
                Self::conflict("wrong_state", "Not in this state", &error)
            }
            BookingError::NotSwapped(_)
            | BookingError::NothingToSwap
            | BookingError::JobsOnNodes { .. } => Self::not_swapped(&error),
            BookingError::UnknownOffer => {
                let (status, title) = (StatusCode::UNPROCESSABLE_ENTITY, "No such offer");
                Self::new(status, "unknown_offer", title, error.to_string())
            }
            BookingError::VersionMismatch => {
                let (status, title) =
                    (StatusCode::PRECONDITION_FAILED, "Changed since it was read");
                Self::new(status, "version_mismatch", title, error.to_string())
            }
            BookingError::TooManyHolds { retry_after_s, .. } => {
                Self::too_many("too_many_holds", "Too much is held", &error, retry_after_s)
                    .of_limit("holds_per_user")
            }
            BookingError::TooMuchHeld { retry_after_s, .. } => {
                Self::too_many("too_many_holds", "Too much is held", &error, retry_after_s)
                    .of_limit("held_cluster_hours_per_user")
            }
            BookingError::Key(error) => error.into(),
            BookingError::Quote(error) => error.into(),
            BookingError::Fault(fault) => fault.into(),
        }
    }
}
