//! One turn: what is, what ought to be, and the steps from the one to the other.

use std::collections::{BTreeSet, HashMap};

use planner::power_action::PowerReading;
use planner::time::{Seconds, Timestamp};
use storage::{PowerActionChange, Withheld};
use tokio_util::sync::CancellationToken;

use super::look::Turn;
use super::plan::SitePlan;
use super::switch::Switch;
use super::{PowerManagementError, PowerManagementService};
use crate::config::power::PowerSettings;
use crate::service::resource_manager::known_powers::{KnownPowers, changed_powers};
use crate::service::shared::{Fault, PlanningError};

impl PowerManagementService {
    /// Does what there is to do now.
    pub(super) async fn take_turn(
        &self,
        settings: &PowerSettings,
        switch: &Switch,
        stop: &CancellationToken,
    ) -> Result<(), PowerManagementError> {
        let mut turn = self.look(settings, switch).await?;
        turn.last_seen = self.note_powers(&turn).await?;
        let planned = self.plan_sleeps(&turn, stop).await?;
        self.propose(&turn, &planned).await?;
        self.plan_waking(&turn, &planned).await?;
        self.plan_limits(&mut turn).await?;
        turn.open = self.open_actions(settings).await?;
        self.read_limits(&mut turn).await;
        let failed = self.follow(&turn).await?;
        let (failed, changes): (Vec<Withheld>, Vec<PowerActionChange>) =
            failed.into_iter().map(|it| (it.withheld, it.change)).unzip();
        self.withhold(&turn, &failed).await?;
        self.put(&turn, &changes).await
    }

    /// Notes since when nodes are on and off, so that the ledger knows, where no resource manager's poll does: what they were
    /// when they were last seen.
    async fn note_powers(&self, turn: &Turn<'_>) -> Result<KnownPowers, PowerManagementError> {
        if turn.settings.driver.is_resource_manager() {
            return Ok(KnownPowers::new());
        }
        let noted = self.memo().powers.clone();
        let mut known = if let Some(known) = noted {
            known
        } else {
            let stored = self.shared.database.newest_power_states().await?;
            stored.into_iter().map(|it| (it.node.into_boxed_str(), it.power)).collect()
        };
        let seen = turn.readings.powers().filter_map(|(node, reading)| match reading {
            PowerReading::Seen(power) => Some((node, *power)),
            PowerReading::Limited(_) | PowerReading::Unknown(_) => None,
        });
        let changed = changed_powers(&known, seen, turn.now);
        if !changed.is_empty() {
            self.shared.database.note_power_states(&changed).await?;
        }
        known.extend(changed.into_iter().map(|it| (it.node.into_boxed_str(), it.power)));
        self.memo().powers = Some(known.clone());
        Ok(known)
    }

    /// Plans sleeps off the async threads; stopped when the service is.
    async fn plan_sleeps(
        &self,
        turn: &Turn<'_>,
        stop: &CancellationToken,
    ) -> Result<SitePlan, PowerManagementError> {
        let switched_today = self.switched_today(turn).await?;
        let Some(problem) = turn.problem() else { return Ok(SitePlan::default()) };
        let stop = stop.clone();
        let planned = tokio::task::spawn_blocking(move || {
            planner::power_plan::plan_power(&problem, &|| stop.is_cancelled())
        });
        let planned = planned.await.map_err(Fault::internal)?;
        let planned = planned.map_err(|_| PlanningError::TimeLimit)?;
        Ok(turn.site_plan(&planned, &switched_today))
    }

    /// How often nodes were ordered off today (UTC), where the rules bound that.
    async fn switched_today(
        &self,
        turn: &Turn<'_>,
    ) -> Result<HashMap<String, u32>, PowerManagementError> {
        if turn.rules.most_switches_per_day.is_none() {
            return Ok(HashMap::new());
        }
        let names: Vec<String> = turn.nodes.values().map(|it| it.name.clone()).collect();
        let midnight = turn.now.as_unix_seconds().div_euclid(86_400) * 86_400;
        let from = Timestamp::from_unix_seconds(midnight);
        let to = turn.now + Seconds::ONE;
        Ok(self.shared.database.switched_off_on(&names, from, to).await?)
    }

    /// Puts nodes out of service that were given up, and keeps those that were and did not come since.
    async fn withhold(
        &self,
        turn: &Turn<'_>,
        failed: &[Withheld],
    ) -> Result<(), PowerManagementError> {
        let Some(epoch) =
            turn.state.epoch().filter(|_| !turn.settings.driver.is_resource_manager())
        else {
            return Ok(());
        };
        let found: BTreeSet<&str> = failed.iter().map(|it| it.key.as_str()).collect();
        let remain =
            turn.withheld_before().into_iter().filter(|it| !found.contains(it.key.as_str()));
        let list: Vec<Withheld> = remain.chain(failed.iter().cloned()).collect();
        let counts = self.shared.database.put_withheld(epoch, turn.now, &list).await?;
        if counts.newly_withheld {
            self.shared.dialogue_bell.notify_one();
        }
        Ok(())
    }
}
