//! What a turn rests on: rules, nodes, what was read of them, and what is open.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use planner::power_action::{NodeUse, PowerChange};
use planner::power_plan::PowerRules;
use planner::resource_manager::{NodePower, WakeTimes};
use planner::time::{Seconds, Timestamp};
use storage::PowerAction;

use super::known_limits::Limits;
use super::switch::{Readings, Switch};
use super::{PowerManagementError, PowerManagementService};
use crate::config::power::PowerSettings;
use crate::service::resource_manager::known_powers::KnownPowers;
use crate::service::shared::SiteState;

/// What this process did last, so that nothing is done twice in vain. Nothing rests on it.
#[derive(Debug, Default)]
pub(super) struct Memo {
    /// What the last turn could not do.
    pub trouble: Option<String>,
    /// The power of nodes as it was noted last; `None` before it was read.
    pub powers: Option<KnownPowers>,
    /// Since when nodes are known to be up and used by nobody, by name. A new process has yet to find out.
    pub idle_since: HashMap<String, Timestamp>,
    /// When the next reservation in a slower state begins or ends.
    pub next_limit: Option<Timestamp>,
    /// The nodes that would not switch off, by name, and until when they are left alone. A new process tries them once more.
    pub stubborn: HashMap<String, Timestamp>,
}

/// What a turn knows.
pub(super) struct Turn<'a> {
    pub settings: &'a PowerSettings,
    pub switch: &'a Switch,
    pub now: Timestamp,
    pub state: Arc<SiteState>,
    pub rules: Arc<PowerRules>,
    /// The nodes that can be switched, by ordinal.
    pub nodes: BTreeMap<u32, ManagedPower>,
    /// Which of them are not switched off until when, by name.
    pub holds: BTreeMap<String, Timestamp>,
    /// What was read of them.
    pub readings: Readings,
    /// What nodes were when they were last seen.
    pub last_seen: KnownPowers,
    /// The nodes that would not switch off lately, by name.
    pub stubborn: HashSet<String>,
    /// Since when they are known to be up and used by nobody, by ordinal.
    pub idle_since: BTreeMap<u32, Timestamp>,
    /// The power actions that are not final, without those of the resource manager.
    pub open: Vec<PowerAction>,
    /// What is known of power limits.
    pub limits: Limits,
}

/// A node whose power is managed.
#[derive(Clone, Debug)]
pub(super) struct ManagedPower {
    pub name: String,
    /// When it is woken and given up.
    pub times: WakeTimes,
}

impl PowerManagementService {
    /// Reads all that a turn rests on.
    pub(super) async fn look<'a>(
        &self,
        settings: &'a PowerSettings,
        switch: &'a Switch,
    ) -> Result<Turn<'a>, PowerManagementError> {
        let now = self.shared.now();
        self.shared.advance(now).await?;
        let state = self.shared.state().await?;
        let rules = Arc::new(Self::rules(settings, &state)?);
        let open = self.open_actions(settings).await?;
        let nodes = self.managed(settings, &state, &rules).await?;
        let names: Vec<String> = nodes.values().map(|it| it.name.clone()).collect();
        let readings = switch.read(&names, self.shared.now()).await?;
        let holds = self.shared.database.power_holds(now).await?;
        let holds = holds.into_iter().map(|it| (it.node, it.until)).collect();
        let stubborn = self.stubborn(now);
        let (idle_since, last_seen) = (BTreeMap::new(), KnownPowers::new());
        let mut turn = Turn {
            settings,
            switch,
            now,
            state,
            rules,
            nodes,
            holds,
            readings,
            last_seen,
            stubborn,
            idle_since,
            open,
            limits: Limits::default(),
        };
        turn.idle_since = self.note_idle(&turn);
        Ok(turn)
    }

    /// Notes since when nodes are up and used by nobody.
    fn note_idle(&self, turn: &Turn<'_>) -> BTreeMap<u32, Timestamp> {
        let mut memo = self.memo();
        let taken = turn.taken_now();
        let idle = turn.nodes.iter().filter(|(node, it)| {
            turn.readings.power(&it.name).is(NodePower::On)
                && turn.readings.used(&it.name) == NodeUse::Free
                && !taken.contains(**node)
        });
        let since: BTreeMap<u32, Timestamp> = idle
            .map(|(node, it)| (*node, memo.idle_since.get(&it.name).copied().unwrap_or(turn.now)))
            .collect();
        let named = since.iter().map(|(node, since)| (turn.nodes[node].name.clone(), *since));
        memo.idle_since = named.collect();
        since
    }

    /// The nodes that would not switch off lately.
    fn stubborn(&self, now: Timestamp) -> HashSet<String> {
        let mut memo = self.memo();
        memo.stubborn.retain(|_, until| *until > now);
        memo.stubborn.keys().cloned().collect()
    }

    /// The site's rules for the nodes there are.
    pub(super) fn rules(
        settings: &PowerSettings,
        state: &SiteState,
    ) -> Result<PowerRules, PowerManagementError> {
        settings.rules(Some(&state.cluster.nodes)).map_err(|errors| {
            let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
            PowerManagementError::Rules(errors.join("; "))
        })
    }

    /// The actions that are not final. Those by which the resource manager wakes nodes for reservations are its own.
    pub(super) async fn open_actions(
        &self,
        settings: &PowerSettings,
    ) -> Result<Vec<PowerAction>, PowerManagementError> {
        let open = self.shared.database.open_power_actions().await?;
        let is_managers = |it: &PowerAction| {
            let wakes = it.change == PowerChange::On && it.reservation_id.is_some();
            settings.driver.is_resource_manager() && wakes
        };
        Ok(open.into_iter().filter(|it| !is_managers(it)).collect())
    }

    /// The nodes of which the rules say how they are switched, with their boot times.
    async fn managed(
        &self,
        settings: &PowerSettings,
        state: &SiteState,
        rules: &PowerRules,
    ) -> Result<BTreeMap<u32, ManagedPower>, PowerManagementError> {
        let switched = (0..).zip(&rules.switching).filter_map(|(node, it)| Some((node, (*it)?)));
        let boots: Vec<(u32, String, Seconds)> = switched
            .map(|(node, it)| {
                let boot = i64::try_from(it.boot.as_millis().div_ceil(1000)).unwrap_or(i64::MAX);
                (node, state.cluster.nodes.name(node).into_owned(), Seconds::new(boot))
            })
            .collect();
        let names: Vec<String> = boots.iter().map(|it| it.1.clone()).collect();
        let measured = self.shared.database.boot_times(&names).await?;
        // Who wakes nodes for reservations must not find them too early for the plan, which would have them sleep again.
        let waking = self.shared.settings.manager.as_ref();
        let longest = waking.and_then(|it| it.boot).unwrap_or(Seconds::new(0));
        let every = waking.map_or(settings.every, |it| it.poll.max(settings.every));
        let every = Seconds::new(i64::try_from(every.as_secs()).unwrap_or(i64::MAX));
        let managed = boots.into_iter().map(|(node, name, boot)| {
            let boot = boot.max(longest);
            let last = measured.get(&name).map_or(&[][..], Vec::as_slice);
            let times = WakeTimes::new(last, boot, every);
            (node, ManagedPower { name, times })
        });
        Ok(managed.collect())
    }
}
