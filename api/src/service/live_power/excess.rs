//! Draw above plan: nodes of a reservation, or all of them, that draw more than was planned for longer than the site says.
//!
//! One process looks, by a lease. What lasts is noted, so that another process goes on with it; nothing is written
//! while nothing changes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use planner::identity::ReservationId;
use planner::metering::{Excess, ExcessNews, ExcessRule};
use planner::time::Timestamp;
use serde_json::{Map, Value, json};
use storage::{NewEvent, PowerExcess};
use tokio_util::sync::CancellationToken;

use super::{LivePower, LivePowerService, NodesPower};
use crate::service::shared::Fault;

/// The lease of the process that looks for draw above plan.
pub const LEASE: &str = "power_excess";

/// How often it looks.
pub const LOOK: Duration = Duration::from_secs(10);

impl LivePowerService {
    /// Looks for draw above plan, until told to stop.
    pub async fn watch_excesses(self: Arc<Self>, stop: CancellationToken) {
        if self.shared.settings.metering.meters.is_empty() {
            return;
        }
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(LOOK) => {}
            }
            if !self.shared.leases.holds(LEASE) {
                continue;
            }
            let looked = tokio::select! {
                () = stop.cancelled() => return,
                looked = self.shared.leases.while_held(LEASE, self.look_for_excesses()) => looked,
            };
            if let Some(Err(error)) = looked {
                let error = format!("{:#}", anyhow::Error::from(error));
                tracing::warn!(error, "could not compare power with what was planned");
            }
        }
    }

    async fn look_for_excesses(&self) -> Result<(), Fault> {
        let power = self.power_of_all().await?;
        let before = self.shared.database.power_excesses().await?;
        let (after, events) = look(self.shared.settings.metering.excess, &before, &power);
        if after != before {
            self.shared.database.put_power_excesses(&after, &events, power.at).await?;
        }
        Ok(())
    }
}

/// All draw above plan that lasts after a look, by reservation, and what is told of it.
fn look(
    rule: ExcessRule,
    before: &[PowerExcess],
    power: &LivePower,
) -> (Vec<PowerExcess>, Vec<NewEvent>) {
    let known: HashMap<Option<ReservationId>, Excess> =
        before.iter().map(|it| (it.reservation_id, it.excess)).collect();
    let of_all = (None, None, &power.cluster);
    let of_reservations =
        power.reservations.iter().map(|it| (Some(it.id), Some(&*it.owner), &it.power));
    let (mut after, mut events) = (Vec::new(), Vec::new());
    for (reservation_id, owner, drawn) in std::iter::once(of_all).chain(of_reservations) {
        let before = known.get(&reservation_id).copied();
        let measured = drawn.measured_nodes > 0;
        let is_above = measured.then(|| rule.is_above(drawn.measured, drawn.planned_of_measured));
        let (excess, news) = rule.look(before, power.at, is_above);
        after.extend(excess.map(|excess| PowerExcess { reservation_id, excess }));
        let since = before.or(excess).map(|it| it.since);
        if let Some((news, since)) = news.zip(since) {
            let event = event(news, reservation_id, since, drawn);
            events.push(match owner {
                Some(owner) => event.of(owner),
                None => event,
            });
        }
    }
    after.sort_by_key(|it| it.reservation_id.map(ReservationId::as_uuid));
    (after, events)
}

fn event(
    news: ExcessNews,
    reservation_id: Option<ReservationId>,
    since: Timestamp,
    drawn: &NodesPower,
) -> NewEvent {
    let mut data = Map::new();
    if let Some(id) = reservation_id {
        data.insert("reservation_id".to_owned(), json!(id.to_string()));
    }
    data.insert("since".to_owned(), json!(since));
    data.insert("measured_nodes".to_owned(), json!(drawn.measured_nodes));
    data.insert("measured_power_w".to_owned(), json!(drawn.measured.as_watts()));
    data.insert("planned_power_w".to_owned(), json!(drawn.planned_of_measured.as_watts()));
    let kind = match news {
        ExcessNews::Exceeded => "power.exceeded",
        ExcessNews::WithinPlan => "power.within_plan",
    };
    NewEvent::new(kind, Value::Object(data))
}
