//! Nodes of reservations in a slower state are limited in their power while these last, and as they were before afterwards.
//!
//! What a node's limit ought to be follows from the book; what it was made to be stands in the power actions. A limit is
//! planned shortly before its reservation begins, and given once nobody else has the node. It is lifted when the reservation
//! ends, is cancelled or gets another node in its place. Where another slowed reservation follows, its limit takes the
//! place of the one before, and the limit before both is what is lifted to.

use std::collections::{BTreeMap, BTreeSet};

use planner::book::Booking;
use planner::identity::ReservationId;
use planner::node_set::NodeSet;
use planner::power_action::{NodeUse, PowerActionState, PowerChange};
use planner::quantity::Power;
use planner::slower_states::SlowerState;
use planner::time::{Seconds, Timestamp};
use storage::{LogWhat, NewPowerAction, Outage, PowerAction, PowerActionChange};
use uuid::Uuid;

use super::known_limits::WantedLimit;
use super::limiter::read_limits;
use super::look::Turn;
use super::{PowerManagementError, PowerManagementService};
use crate::config::power::PowerSettings;

/// Who asks for limits: the log has no name for it.
const RESERVATION: &str = "reservation";

/// A limit that was not lifted is lifted anew after so long.
const AGAIN: Seconds = Seconds::new(3600);

/// How long a limit may be tried to be lifted.
const DAY: Seconds = Seconds::new(86_400);

/// Limits are planned a turn and so long before their reservation begins.
const MARGIN: Seconds = Seconds::new(30);

/// Names nodes that are withheld, since their limit was not lifted.
const LIMIT: &str = "limit ";

impl PowerManagementService {
    /// Plans limits of reservations that begin soon, has those lifted that nobody wants any more, and gives up those whose
    /// reservation does not have the node any more.
    pub(super) async fn plan_limits(
        &self,
        turn: &mut Turn<'_>,
    ) -> Result<(), PowerManagementError> {
        if !turn.settings.limits_power() {
            return Ok(());
        }
        let (wanted, next) = self.wanted_limits(turn).await?;
        let newest = self.shared.database.newest_limits().await?;
        turn.limits.wanted = wanted;
        turn.limits.newest = newest.into_iter().map(|it| (it.node.clone(), it)).collect();
        self.memo().next_limit = next;
        let over = turn.open.iter().filter(|it| matches!(it.change, PowerChange::Limit(_)));
        let over = over.filter(|it| !turn.limits.is_wanted(it)).map(|it| given_up(it, turn.now));
        self.shared.database.put_power_actions(&over.collect::<Vec<_>>(), turn.now).await?;
        let mut planned = self.new_limits(turn).await?;
        planned.extend(turn.lifts());
        self.shared.database.plan_power_actions(&planned, turn.now).await?;
        Ok(())
    }

    /// Reads the limits of the nodes that are to be limited or unlimited, and of those that could not be.
    pub(super) async fn read_limits(&self, turn: &mut Turn<'_>) {
        let due = turn.open.iter().filter(|it| it.change.is_limit() && it.due <= turn.now);
        let mut asked: BTreeSet<String> = due.map(|it| it.node.clone()).collect();
        asked.extend(turn.lasting().filter_map(not_lifted).map(str::to_owned));
        if asked.is_empty() {
            return;
        }
        let asked: Vec<String> = asked.into_iter().collect();
        turn.limits.readings = read_limits(turn.settings, &asked, self.shared.now()).await;
    }

    /// The limits of confirmed reservations in slower states that last now or begin soon, and when the next begins or ends.
    async fn wanted_limits(
        &self,
        turn: &Turn<'_>,
    ) -> Result<(BTreeMap<String, WantedLimit>, Option<Timestamp>), PowerManagementError> {
        let (certain, _) = turn.state.certain_and_held();
        let slowed = certain.into_iter().filter(|it| it.counted_slowed().is_some());
        let slowed: Vec<&Booking> = slowed.filter(|it| it.span.end() > turn.now).collect();
        let ahead = ahead(turn.settings);
        let edges = slowed.iter().flat_map(|it| [it.span.start() - ahead, it.span.end()]);
        let next = edges.filter(|edge| *edge > turn.now).min();
        let mut wanted: BTreeMap<String, WantedLimit> = BTreeMap::new();
        for booking in slowed.into_iter().filter(|it| it.span.start() - ahead <= turn.now) {
            let Some(reservation) = Uuid::parse_str(&booking.id).ok().map(ReservationId::new)
            else {
                continue;
            };
            let Some(state) = self.slower_state(reservation).await? else { continue };
            for (ordinal, limit) in turn.limits_in(&state, &booking.ranks) {
                let name = turn.state.cluster.nodes.name(ordinal).into_owned();
                let limit = WantedLimit { reservation, span: booking.span, limit, ordinal };
                let kept = wanted.entry(name).or_insert_with(|| limit.clone());
                if limit.span.start() < kept.span.start() {
                    *kept = limit;
                }
            }
        }
        Ok((wanted, next))
    }

    /// The slower state in which a reservation runs.
    async fn slower_state(
        &self,
        id: ReservationId,
    ) -> Result<Option<SlowerState>, PowerManagementError> {
        let stored = self.shared.database.reservation(id).await?;
        let offer = stored.as_ref().and_then(|it| it.chosen_offer());
        Ok(offer.and_then(|it| Some(it.terms.slowing.as_ref()?.state.clone())))
    }

    /// Limits that were never planned for their reservation.
    async fn new_limits(
        &self,
        turn: &Turn<'_>,
    ) -> Result<Vec<NewPowerAction>, PowerManagementError> {
        let mut planned: BTreeMap<ReservationId, _> = BTreeMap::new();
        let mut new = Vec::new();
        for (node, it) in &turn.limits.wanted {
            let known = match planned.entry(it.reservation) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(vacant) => {
                    vacant.insert(self.shared.database.nodes_limited_for(it.reservation).await?)
                }
            };
            if known.contains(node) {
                continue;
            }
            let change = PowerChange::Limit(it.limit);
            let action = NewPowerAction::due_now(node, change, RESERVATION, turn.now);
            let (reservation_id, until) = (Some(it.reservation), Some(it.span.end()));
            new.push(NewPowerAction { reservation_id, until, ..action });
        }
        Ok(new)
    }
}

impl Turn<'_> {
    /// The limits of nodes in a slower state, by ordinal; none of nodes whose state the settings do not know any more.
    fn limits_in(&self, state: &SlowerState, ranks: &NodeSet) -> Vec<(u32, Power)> {
        let states = &self.rules.slower_states;
        let place = states.states().iter().position(|it| it.name == state.name);
        let Some(place) = place else {
            tracing::warn!(
                state = &*state.name,
                "a reserved slower state is not in the settings: its nodes are not limited"
            );
            return Vec::new();
        };
        let ordinals = self.state.cluster.reference.ordinals(ranks);
        let limit = |ordinal| Some((ordinal, states.powers(place, ordinal)?.limit?));
        ordinals.positions().filter_map(limit).collect()
    }

    /// Limits to be lifted: nobody wants them any more, or it was in vain some time ago.
    fn lifts(&self) -> Vec<NewPowerAction> {
        let lift = |it: &PowerAction| {
            let change = match it.change {
                PowerChange::Limit(_) if self.keeps_limit(it) => return None,
                PowerChange::Limit(_) => PowerChange::Lift(it.former_limit),
                lift if is_in_vain(it) && it.since + AGAIN <= self.now => lift,
                _ => return None,
            };
            let action = NewPowerAction::due_now(&it.node, change, RESERVATION, self.now);
            let until = Some(self.now + DAY);
            Some(NewPowerAction { reservation_id: it.reservation_id, until, ..action })
        };
        self.limits.newest.values().filter_map(lift).collect()
    }

    /// Whether a limit is wanted by its reservation, or another one takes its place at once.
    fn keeps_limit(&self, action: &PowerAction) -> bool {
        let Some(wanted) = self.limits.wanted.get(&action.node) else { return false };
        self.limits.is_wanted(action) || !self.is_taken_before(wanted)
    }

    /// Whether somebody else has a node before the reservation begins that wants it limited.
    fn is_taken_before(&self, wanted: &WantedLimit) -> bool {
        self.now < wanted.span.start() && self.taken_now().contains(wanted.ordinal)
    }

    /// Whether a node may not be limited yet. Lifting a limit disturbs nobody.
    pub fn used_before_limit(&self, action: &PowerAction) -> NodeUse {
        let wanted = self.limits.wanted.get(&action.node);
        let wanted = wanted.filter(|_| matches!(action.change, PowerChange::Limit(_)));
        let Some(wanted) = wanted.filter(|it| self.now < it.span.start()) else {
            return NodeUse::Free;
        };
        if self.taken_now().contains(wanted.ordinal) {
            let start = wanted.span.start();
            return NodeUse::InUse(format!(
                "somebody has it until its reservation begins at {start}"
            ));
        }
        self.readings.used(&action.node)
    }

    /// Whether an outage is about a node that is still limited.
    pub fn is_limited_yet(&self, outage: &Outage) -> bool {
        not_lifted(outage).is_some_and(|node| {
            let newest = self.limits.newest.get(node);
            newest.is_some_and(|it| !it.change.is_reached(&self.limits.reading(node)))
        })
    }
}

/// Names a node that is withheld, since its limit was not lifted.
pub(super) fn limit_key(node: &str) -> String {
    format!("{LIMIT}{node}")
}

/// Until when such a node is withheld at the most, unless that is found again: it is tried anew before.
pub(super) fn limited_until(now: Timestamp) -> Timestamp {
    now + AGAIN + AGAIN
}

/// The node that an outage is about, where its limit was not lifted.
fn not_lifted(outage: &Outage) -> Option<&str> {
    outage.managed_key.as_deref()?.strip_prefix(LIMIT)
}

/// How long before a reservation its limits are planned.
fn ahead(settings: &PowerSettings) -> Seconds {
    Seconds::new(i64::try_from(settings.every.as_secs()).unwrap_or(i64::MAX)) + MARGIN
}

fn is_in_vain(action: &PowerAction) -> bool {
    matches!(action.state, PowerActionState::GivenUp | PowerActionState::Refused)
}

fn given_up(action: &PowerAction, now: Timestamp) -> PowerActionChange {
    let action = PowerAction {
        state: PowerActionState::GivenUp,
        because: Some("its reservation does not have the node any more".to_owned()),
        since: now,
        ..action.clone()
    };
    PowerActionChange { action, what: LogWhat::GivenUp, by: None }
}
