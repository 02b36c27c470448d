//! `GET /api/v1/power`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use planner::quantity::Power;
use planner::time::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

use crate::http::audit::AuditNote;
use crate::http::by::By;
use crate::http::problem::Problem;
use crate::service::live_power::{LivePower, LivePowerService, NodesPower};

/// Power now.
#[derive(Serialize, ToSchema)]
pub struct PowerDocument {
    /// RFC 3339.
    #[schema(value_type = String, format = DateTime)]
    pub at: Timestamp,
    /// What counts against the cap now: the maximum power of reserved nodes, and the idle power of all others where the
    /// cap limits all nodes. Watts.
    pub reserved_power_w: f64,
    /// The cap in force; null where none is known. Watts.
    pub cap_w: Option<f64>,
    /// What the site's meter says; null where there is none with a fresh sample. Watts.
    pub site_power_w: Option<f64>,
    /// All nodes.
    pub cluster: NodesPowerDocument,
    /// Since when nodes draw more than planned for longer than the site allows; null where they do not. RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub above_plan_since: Option<Timestamp>,
    /// Partitions, by name.
    pub partitions: Vec<PartitionPowerDocument>,
    /// Reservations that last now; of users, their own.
    pub reservations: Vec<ReservationPowerDocument>,
}

/// Power of some nodes, now.
#[derive(Serialize, ToSchema)]
pub struct NodesPowerDocument {
    /// How many nodes.
    pub nodes: u32,
    /// How many of them have a sample that is no older than its meter's longest gap.
    pub measured_nodes: u32,
    /// What these draw together; null where there are none. Watts.
    pub measured_power_w: Option<f64>,
    /// What was planned of these. Watts.
    pub planned_of_measured_w: f64,
    /// What was planned of all: of a node its share of its reservation's mean power, else its idle power. Watts.
    pub planned_power_w: f64,
}

/// Power of a partition's nodes.
#[derive(Serialize, ToSchema)]
pub struct PartitionPowerDocument {
    /// The partition.
    pub partition: String,
    /// Its nodes.
    #[serde(flatten)]
    pub power: NodesPowerDocument,
}

/// Power of a reservation's nodes.
#[derive(Serialize, ToSchema)]
pub struct ReservationPowerDocument {
    /// Its id.
    pub reservation_id: String,
    /// Whose it is.
    pub owner: String,
    /// Its nodes.
    #[serde(flatten)]
    pub power: NodesPowerDocument,
    /// Since when these draw more than planned for longer than the site allows; null where they do not. RFC 3339.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub above_plan_since: Option<Timestamp>,
}

impl From<&LivePower> for PowerDocument {
    fn from(it: &LivePower) -> Self {
        let partition = |(name, power): &(String, NodesPower)| PartitionPowerDocument {
            partition: name.clone(),
            power: power.into(),
        };
        let reservations = it.reservations.iter().map(|it| ReservationPowerDocument {
            reservation_id: it.id.to_string(),
            owner: it.owner.clone(),
            power: (&it.power).into(),
            above_plan_since: it.above_plan_since,
        });
        Self {
            at: it.at,
            reserved_power_w: it.reserved.as_watts(),
            cap_w: it.cap.map(Power::as_watts),
            site_power_w: it.site.map(Power::as_watts),
            cluster: (&it.cluster).into(),
            above_plan_since: it.above_plan_since,
            partitions: it.partitions.iter().map(partition).collect(),
            reservations: reservations.collect(),
        }
    }
}

impl From<&NodesPower> for NodesPowerDocument {
    fn from(it: &NodesPower) -> Self {
        Self {
            nodes: it.nodes,
            measured_nodes: it.measured_nodes,
            measured_power_w: (it.measured_nodes > 0).then(|| it.measured.as_watts()),
            planned_of_measured_w: it.planned_of_measured.as_watts(),
            planned_power_w: it.planned.as_watts(),
        }
    }
}

/// Power now against what was planned and the cap
///
/// For users and operators; users see their own reservations.
#[utoipa::path(
    get,
    path = "/api/v1/power",
    tag = "metering",
    responses(
        (status = OK, body = PowerDocument),
        (status = UNAUTHORIZED, body = Problem),
        (status = FORBIDDEN, body = Problem),
    ),
)]
pub async fn get_power(
    State(live): State<Arc<LivePowerService>>,
    by: By,
) -> Result<(Option<Extension<AuditNote>>, Json<PowerDocument>), Problem> {
    let power = live.power(by.caller.access()).await?;
    Ok((by.caller.reads(None), Json(PowerDocument::from(&power))))
}
