//! `GET /api/v1/reports`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::json::co2_accounting::Co2AccountingDocument;
use serde::{Deserialize, Serialize};
use storage::ReportKey;
use utoipa::{IntoParams, ToSchema};

use super::ledger::co2_sources::{Co2SourceDocument, common_accounting};
use super::ledger::window;
use crate::clock::Clock;
use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::http::query::{self, Parameters};
use crate::service::ledger::{LedgerService, LedgerWanted, Report, ReportLine, ReportWanted};

/// What is added up.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct ReportQuery {
    /// Rows that count in hours which begin here, RFC 3339, or later; a day before `to` unless given.
    pub from: Option<String>,
    /// And before here, RFC 3339; now unless given.
    pub to: Option<String>,
    /// By what, commas between: `user`, `project`, `partition`, `application`, `job`, `reservation`, `month`; all together
    /// unless given.
    pub by: Option<String>,
    /// Only this user's. Others than operators see their own anyway, and may name nobody else.
    pub user: Option<String>,
    /// Only this project's.
    pub project: Option<String>,
}

/// Rows of the ledger added up.
#[derive(Serialize, Deserialize, ToSchema)]
pub struct ReportDocument {
    /// RFC 3339.
    pub from: String,
    /// RFC 3339.
    pub to: String,
    /// By what.
    pub by: Vec<String>,
    /// The end of the newest hour that is stated, RFC 3339; null before there is one.
    pub stated_to: Option<String>,
    /// What CO2 rests on, by location and by market.
    #[serde(default)]
    pub co2_sources: Vec<Co2SourceDocument>,
    /// How CO2 by location is counted; null where that is not known, or where `co2_sources` differ in it.
    #[serde(default)]
    pub co2_accounting: Option<Co2AccountingDocument>,
    /// How `other_co2_kg` is counted, the accounting that the site does not plan by; null where nothing is known of it, or
    /// where not all of the time is counted in one way.
    #[serde(default)]
    pub other_co2_accounting: Option<Co2AccountingDocument>,
    /// By month, then by the other columns.
    pub rows: Vec<ReportRowDocument>,
}

/// A line of a report.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ReportRowDocument {
    /// Empty for what is nobody's: idle nodes and the facility. Absent unless it is by user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// Empty where none is named. Absent unless it is by project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// Empty for nodes in none. Absent unless it is by partition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partition: Option<String>,
    /// Empty where none is named. Absent unless it is by application.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub application: Option<String>,
    /// Such as `2026-03`, as the site's calendar has it. Absent unless it is by month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<String>,
    /// The job's cluster, as the settings name it; empty where they do not, and for what is no job. Absent unless it is by
    /// job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// The job's id in Slurm, such as `1234_7`; empty for what is no job. Absent unless it is by job.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_id: Option<String>,
    /// Its id as a number, which a task of an array has of its own. Absent unless it is by job and known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job_raw_id: Option<i64>,
    /// When it was submitted, RFC 3339: ids are used again in time. Absent unless it is by job and known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submitted: Option<String>,
    /// The reservation's id; empty for what is in none. Absent unless it is by reservation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reservation: Option<String>,
    /// Hours of nodes that were reserved.
    #[schema(example = 12.5)]
    pub node_hours_reserved: f64,
    /// Hours of nodes on which jobs ran; null where the site knows no jobs.
    pub node_hours_used: Option<f64>,
    /// Kilowatt-hours.
    pub energy_kwh: f64,
    /// The same in joules, whole, so that lines sum exactly.
    #[serde(default)]
    pub energy_j: i64,
    /// Of these the joules that were measured.
    #[serde(default)]
    pub measured_j: i64,
    /// Joules for which no CO2 intensity is known.
    #[serde(default)]
    pub unrated_j: i64,
    /// How much of the energy was measured, from 0 to 1; null where there is none.
    pub measured_share: Option<f64>,
    /// In the currency; null where no price is known.
    pub cost: Option<f64>,
    /// Of cost and savings.
    #[schema(example = "EUR")]
    pub currency: String,
    /// Kilograms of CO2 by the grid's intensity; null where it is not known.
    pub co2_location_kg: Option<f64>,
    /// Kilograms of CO2 by what the site bought; null where nothing is said of that.
    pub co2_market_kg: Option<f64>,
    /// Kilograms of CO2 by the accounting that the site does not plan by, without what has none; null where none is known.
    #[serde(default)]
    pub other_co2_kg: Option<f64>,
    /// Joules for which that is not known.
    #[serde(default)]
    pub other_unrated_j: i64,
    /// What the chosen offers save against starting as soon as possible; null where there are none.
    pub promised_saving_cost: Option<f64>,
    /// The same in kilograms of CO2.
    pub promised_saving_co2_kg: Option<f64>,
    /// What starting as soon as possible would have cost for this energy, less what it cost.
    pub measured_saving_cost: Option<f64>,
    /// The same in kilograms of CO2.
    pub measured_saving_co2_kg: Option<f64>,
    /// How far what offers predicted was from what was measured: the mean of `|predicted - measured| / measured` over
    /// reservations that ended and of whose energy nine tenths or more were measured; null without any.
    #[serde(default)]
    pub mean_error: Option<f64>,
    /// Litres of water, on site and at the supplier's, by the factors of the settings; null without these.
    #[serde(default)]
    pub water_l: Option<f64>,
    /// Kilograms of CO2 for making the nodes, by the factors of the settings; null without these.
    #[serde(default)]
    pub embodied_co2_kg: Option<f64>,
    /// Grams of CO2 for each node-hour that was reserved or that a job used outside of reservations: `co2_location_kg` and
    /// `embodied_co2_kg` over these (ISO/IEC 21031); null where one of them is not known.
    #[serde(default)]
    pub sci_g_per_node_hour: Option<f64>,
}

/// What is told by what.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ReportColumn {
    /// What rows have in common.
    Key(ReportKey),
    /// The month in which they count.
    Month,
}

impl ReportColumn {
    /// The column of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "user" => Self::Key(ReportKey::User),
            "project" => Self::Key(ReportKey::Project),
            "partition" => Self::Key(ReportKey::Partition),
            "application" => Self::Key(ReportKey::Application),
            "job" => Self::Key(ReportKey::Job),
            "reservation" => Self::Key(ReportKey::Reservation),
            "month" => Self::Month,
            _ => return None,
        })
    }

    /// The key of the database's.
    pub const fn key(self) -> Option<ReportKey> {
        match self {
            Self::Key(key) => Some(key),
            Self::Month => None,
        }
    }
}

/// Rows of the ledger added up by user, project, partition, application, job, reservation and month
///
/// For users, of what they ran and what ran in their reservations, and operators, of all.
#[utoipa::path(
    get,
    path = "/api/v1/reports",
    tag = "accounting",
    params(ReportQuery),
    responses(
        (status = OK, body = ReportDocument),
        (status = BAD_REQUEST, body = Problem),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_report(
    State(ledger): State<Arc<LedgerService>>,
    State(clock): State<Clock>,
    by: By,
    Parameters(parameters): Parameters<ReportQuery>,
) -> Result<(Option<Extension<AuditNote>>, Json<ReportDocument>), Problem> {
    let (from, to) = (parameters.from.as_deref(), parameters.to.as_deref());
    let window = window(from, to, clock.now())?;
    let columns = query::words("by", parameters.by.as_deref(), ReportColumn::from_word)?;
    let keys = columns.iter().filter_map(|it| it.key());
    let wanted = ReportWanted {
        rows: LedgerWanted {
            window,
            user: query::name("user", parameters.user)?,
            project: query::name("project", parameters.project)?,
        },
        by: keys.collect(),
        by_month: columns.contains(&ReportColumn::Month),
    };
    let note = by.caller.reads_of(wanted.rows.project.as_deref(), wanted.rows.user.as_deref());
    let keys = wanted.by.clone();
    let Report { lines, stated_to, cluster, co2_sources, other_co2_accounting } =
        ledger.report(by.caller.access(), wanted).await?;
    let by = parameters.by.iter().flat_map(|by| by.split(','));
    let co2_sources: Vec<Co2SourceDocument> = co2_sources.into_iter().map(Into::into).collect();
    let document = ReportDocument {
        from: window.start().to_string(),
        to: window.end().to_string(),
        by: by.map(|word| word.trim().to_owned()).collect(),
        stated_to: stated_to.map(|at| at.to_string()),
        co2_accounting: common_accounting(&co2_sources),
        co2_sources,
        other_co2_accounting,
        rows: lines.into_iter().map(|line| row_document(line, &keys, cluster.as_deref())).collect(),
    };
    Ok((note, Json(document)))
}

/// A line by these keys; `cluster` is that of every job.
pub fn row_document(
    line: ReportLine,
    by: &[ReportKey],
    cluster: Option<&str>,
) -> ReportRowDocument {
    let ReportLine { group, month, amounts, promised, measured, .. } = line;
    let cluster = cluster.filter(|_| !group.job.is_empty()).unwrap_or_default();
    let submission = group.submission.filter(|_| by.contains(&ReportKey::Job));
    let reservation = group.reservation.map(|id| id.to_string()).unwrap_or_default();
    let key = |key: ReportKey, said: String| by.contains(&key).then_some(said);
    let millionths = |amount: Option<i64>| amount.map(|it| it as f64 / 1e6);
    let thousandths = |amount: Option<i64>| amount.map(|it| it as f64 / 1e3);
    let energy_j = amounts.energy_j();
    let share = (energy_j != 0).then(|| parts(amounts.measured_j, energy_j));
    ReportRowDocument {
        user: key(ReportKey::User, group.user),
        project: key(ReportKey::Project, group.project),
        partition: key(ReportKey::Partition, group.partition),
        application: key(ReportKey::Application, group.application),
        month,
        cluster: key(ReportKey::Job, cluster.to_owned()),
        job_id: key(ReportKey::Job, group.job),
        job_raw_id: submission.and_then(|it| it.raw_id),
        submitted: submission.map(|it| it.at.to_string()),
        reservation: key(ReportKey::Reservation, reservation),
        node_hours_reserved: parts(line.reserved_s, 3600),
        node_hours_used: line.used_s.map(|used| parts(used, 3600)),
        energy_kwh: parts(energy_j, 3_600_000),
        energy_j,
        measured_j: amounts.measured_j,
        unrated_j: amounts.unrated_j,
        measured_share: share,
        cost: millionths(amounts.cost_millionths),
        currency: group.currency,
        co2_location_kg: millionths(amounts.co2_location_mg),
        co2_market_kg: millionths(amounts.co2_market_mg),
        other_co2_kg: millionths(amounts.other_co2_mg),
        other_unrated_j: amounts.other_unrated_j(),
        promised_saving_cost: millionths(promised.cost_millionths),
        promised_saving_co2_kg: millionths(promised.co2_mg),
        measured_saving_cost: millionths(measured.cost_millionths),
        measured_saving_co2_kg: millionths(measured.co2_mg),
        mean_error: millionths(line.mean_error_millionths),
        water_l: thousandths(line.water_ml),
        embodied_co2_kg: millionths(line.embodied_mg),
        sci_g_per_node_hour: thousandths(line.score_mg),
    }
}

/// `amount / unit` to six decimals, rounded half up.
fn parts(amount: i64, unit: i64) -> f64 {
    let (amount, unit) = (i128::from(amount) * 1_000_000, i128::from(unit));
    (2 * amount + unit).div_euclid(2 * unit) as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use planner::ledger::{Amounts, JobSubmission};
    use planner::time::Timestamp;
    use storage::ReportGroup;

    use super::*;
    use crate::service::ledger::LedgerSavings;

    fn line(job: &str, submission: Option<JobSubmission>) -> ReportLine {
        ReportLine {
            group: ReportGroup { job: job.to_owned(), submission, ..ReportGroup::default() },
            month: None,
            reserved_s: 0,
            used_s: None,
            amounts: Amounts::default(),
            promised: LedgerSavings::default(),
            measured: LedgerSavings::default(),
            mean_error_millionths: None,
            water_ml: None,
            embodied_mg: None,
            score_mg: None,
        }
    }

    #[test]
    fn jobs_are_told_with_the_cluster_and_their_submission() {
        let submission = JobSubmission { at: Timestamp::from_unix_seconds(0), raw_id: Some(10) };
        let told = |line, by: &[ReportKey]| {
            let row = serde_json::to_value(row_document(line, by, Some("alpha"))).unwrap();
            ["cluster", "job_id", "job_raw_id", "submitted"].map(|column| row.get(column).cloned())
        };
        let job = told(line("9_1", Some(submission)), &[ReportKey::Job]);
        let expected = ["alpha".into(), "9_1".into(), 10.into(), "1970-01-01T00:00:00Z".into()];
        assert_eq!(job, expected.map(Some));
        let idle = told(line("", None), &[ReportKey::Job]);
        assert_eq!(idle, [Some("".into()), Some("".into()), None, None]);
        assert_eq!(told(line("", None), &[ReportKey::User]), [const { None }; 4]);
    }
}
