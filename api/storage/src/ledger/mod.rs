//! The ledger: what was stated of each hour, and what such statements rest on.

mod bill;
mod report;
mod repository;
mod row;
mod sources;
pub mod sql;

use planner::agenda::Piece;
use planner::identity::ReservationId;
use planner::ledger::{Amounts, Holder, JobSubmission, LedgerRow, Party};
use planner::node_set::NodeSet;
use planner::quantity::{Currency, Power};
use planner::resource_manager::ManagedJob;
use planner::time::{Span, Timestamp};

use crate::identity::EpochId;
use crate::power_actions::PowerAction;
use crate::power_states::NodePowerState;

/// What is stated of an hour.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStatement {
    /// The start of the hour.
    pub hour: Timestamp,
    /// How many statements of the hour there were before: the first has the number 0.
    pub number: u32,
    /// The start of the hour in which its rows count: the hour itself, unless its month is closed.
    pub counted: Timestamp,
    /// When it is stated.
    pub stated: Timestamp,
    /// Of all costs.
    pub currency: Currency,
    /// How CO2 is counted by the accounting that the site does not plan by, in words; `None` where nothing is known of it.
    pub other_co2_accounting: Option<String>,
    /// The rows; of a correction the differences.
    pub rows: Vec<LedgerRow>,
}

/// A row as it is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerRecord {
    /// Later ones are greater.
    pub id: i64,
    /// The start of the hour in which it counts.
    pub counted: Timestamp,
    /// The start of the hour that it corrects; `None` for the first statement of an hour.
    pub correction_of: Option<Timestamp>,
    /// Of its cost.
    pub currency: Currency,
    /// How its statement counts CO2 by the accounting that the site does not plan by; `None` where nothing is known of it, and
    /// where not asked for.
    pub other_co2_accounting: Option<String>,
    /// Whose it is, and how much.
    pub row: LedgerRow,
}

/// Which rows; everything absent lets all pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerFilter {
    /// Those that count in hours which begin in this span.
    pub window: Span,
    /// Those of this user, as who ran the job or as who made the reservation. Jobs outside of reservations are of their
    /// owner alone, whatever their user is called.
    pub of: Option<String>,
    /// Those of this user.
    pub user: Option<String>,
    /// Those of this project.
    pub project: Option<String>,
}

/// What the rows of a holder amount to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerGroup {
    /// Which rows.
    pub holder: Holder,
    /// Of the cost.
    pub currency: Currency,
    /// The sums; of nodes there is none.
    pub amounts: Amounts,
}

/// By what rows are added up for reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportKey {
    /// The user.
    User,
    /// The project.
    Project,
    /// The application.
    Application,
    /// The partition.
    Partition,
    /// The job, by its id and submission.
    Job,
    /// The reservation.
    Reservation,
}

impl ReportKey {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::User,
        Self::Project,
        Self::Application,
        Self::Partition,
        Self::Job,
        Self::Reservation,
    ];

    /// The columns of rows that have it.
    pub(crate) const fn columns(self) -> &'static str {
        match self {
            Self::User => "user_name",
            Self::Project => "project",
            Self::Application => "application",
            Self::Partition => "partition_name",
            Self::Job => "job_id, job_raw_id, job_submitted_s",
            Self::Reservation => "reservation_id",
        }
    }

    /// The columns as they are read where rows are, and where they are not, added up by it.
    pub(crate) const fn read(self, is_asked: bool) -> &'static str {
        match (self, is_asked) {
            (Self::Reservation, true) => "reservation_id AS of_reservation",
            (_, true) => self.columns(),
            (Self::User, false) => "'' AS user_name",
            (Self::Project, false) => "'' AS project",
            (Self::Application, false) => "'' AS application",
            (Self::Partition, false) => "'' AS partition_name",
            (Self::Job, false) => "'' AS job_id, NULL AS job_raw_id, NULL AS job_submitted_s",
            (Self::Reservation, false) => "NULL AS of_reservation",
        }
    }
}

/// What some rows have in common, by the keys of a report: what is not asked for is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReportGroup {
    /// The user.
    pub user: String,
    /// The project.
    pub project: String,
    /// The application.
    pub application: String,
    /// The partition.
    pub partition: String,
    /// The job's id; empty for what is no job.
    pub job: String,
    /// Which of the jobs with this id it is, where that was noted.
    pub submission: Option<JobSubmission>,
    /// The reservation; `None` also for what is in none.
    pub reservation: Option<ReservationId>,
    /// Of the cost, three letters.
    pub currency: String,
}

/// What the rows of a group amount to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportSum {
    /// Which rows.
    pub group: ReportGroup,
    /// Seconds of nodes that were reserved, whether jobs ran on them or not.
    pub reserved_s: i64,
    /// Seconds of nodes on which jobs ran.
    pub used_s: i64,
    /// Seconds of nodes on which jobs ran outside of reservations.
    pub outside_s: i64,
    /// Joules of the facility; all others are nodes'.
    pub facility_j: i64,
    /// The sums; of nodes there is none.
    pub amounts: Amounts,
}

/// What a user used in a project on a day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DayUsage {
    /// How many days it is older than the newest.
    pub age_days: u32,
    /// Who ran the jobs, or reserved the nodes.
    pub user: String,
    /// The project; empty where none is named.
    pub project: String,
    /// Seconds of nodes.
    pub node_s: i64,
    /// Joules.
    pub energy_j: i64,
    /// What its energy cost in the currency that was asked for, as far as its price is known, millionths.
    pub cost_millionths: i64,
    /// What it emitted by location, as far as that is known, mg.
    pub co2_location_mg: i64,
}

/// What the rows of a group and a reservation amount to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportPart {
    /// Which rows.
    pub group: ReportGroup,
    /// The reservation.
    pub reservation: ReservationId,
    /// Joules.
    pub energy_j: i64,
    /// Millionths of the currency; `None` where a part of the energy has no price.
    pub cost_millionths: Option<i64>,
    /// Milligrams by the grid's intensity; `None` where it is not known of a part.
    pub co2_location_mg: Option<i64>,
}

/// The joules of all rows of a reservation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WholeEnergy {
    /// What was measured.
    pub measured_j: i64,
    /// What was estimated.
    pub estimated_j: i64,
}

/// What rows of a bill have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct BillGroup {
    /// What they are about.
    pub holder: Holder,
    /// The reservation whose nodes they were.
    pub reservation: Option<ReservationId>,
    /// The user who ran jobs, or reserved the nodes.
    pub user: String,
    /// The project.
    pub project: String,
}

impl From<Party> for BillGroup {
    fn from(party: Party) -> Self {
        let Party { holder, reservation, user, project, .. } = party;
        Self { holder, reservation, user, project }
    }
}

/// What the rows of a bill's group amount to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillSum {
    /// Which rows.
    pub group: BillGroup,
    /// The sums; of nodes and by quarter-hour there are none.
    pub amounts: Amounts,
}

impl LedgerFilter {
    /// Whether rows of a party pass, whenever they count.
    pub fn admits(&self, party: &Party) -> bool {
        let is = |asked: &Option<String>, said: &str| asked.as_ref().is_none_or(|it| it == said);
        let outside = party.holder == Holder::Job && party.reservation.is_none();
        (is(&self.of, &party.owner) || (is(&self.of, &party.user) && !outside))
            && is(&self.user, &party.user)
            && is(&self.project, &party.project)
    }
}

/// What a statement rests on, as one state of the database.
#[derive(Clone, Debug)]
pub struct LedgerSources {
    /// The calibration epochs that were in force in the window, each with when it began, in order.
    pub epochs: Vec<(EpochId, Timestamp)>,
    /// Who had which nodes.
    pub held: Vec<HeldNodes>,
    /// The jobs that ran, each with its reservation; `None` for those outside of reservations.
    pub jobs: Vec<(Option<ReservationId>, ManagedJob)>,
    /// Nodes that were being switched on.
    pub switched: Vec<PowerAction>,
    /// When nodes were on, off and on their way, by node and in time order.
    pub powers: Vec<NodePowerState>,
    /// Prices in force, whole millionths of the currency a megawatt-hour.
    pub price: Vec<Piece<i64>>,
    /// CO2 intensities in force, whole millionths of a gram a kilowatt-hour.
    pub co2: Vec<Piece<i64>>,
}

/// Nodes that a reservation had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeldNodes {
    /// The reservation.
    pub reservation: ReservationId,
    /// Whose it is.
    pub owner: String,
    /// Its request, as JSON.
    pub request: String,
    /// Whether the resource manager had it, so that its jobs are known.
    pub managed: bool,
    /// The epoch whose ranks these are.
    pub epoch: EpochId,
    /// When it had them.
    pub span: Span,
    /// The nodes, as ranks in the epoch's draw order.
    pub ranks: NodeSet,
    /// What each of them draws in the mean, where they are in a slower state.
    pub slowed_draw: Option<Power>,
}
