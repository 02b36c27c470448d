//! The month as it comes: what becomes known, the orders that are due, and what becomes of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::sync::Arc;

use planner::agenda::Agendas;
use planner::book::{BookedSpan, Outage};
use planner::node_set::NodeSet;
use planner::power_plan::{KeepWarm, RightLevel};
use planner::search::Cancelled;
use planner::time::{Span, Timestamp};

use super::PowerMonth;
use super::boots::BootDraws;
use super::course::{ManagerCounts, NodeHold, PlayedPower};
use super::orders::{DAY_MS, Doing, NodeUnderOrders, SwitchingTimes, millis, second_after};
use super::plan::PowerKnowledge;

/// What happens at an instant, in the order in which it is done: first what nodes have come to, then what becomes known, then
/// orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    /// A node has switched, or is repaired.
    Switched(u32),
    /// A booking becomes known, by position.
    Booked(usize),
    /// A node may be switched off again, on another day.
    AnotherDay(u32),
    /// Whether enough nodes will be warm.
    Warm,
    /// A node is ordered to wake.
    Wake(u32),
    /// A node is ordered to switch off.
    Off(u32),
}

/// A month that is being played.
pub(super) struct Play<'a> {
    pub month: &'a PowerMonth,
    pub nodes: Vec<NodeUnderOrders>,
    pub counts: ManagerCounts,
    /// Nodes whose bookings or service changed since the last plan.
    pub changed: BTreeSet<u32>,
    times: Vec<Option<SwitchingTimes>>,
    due: BinaryHeap<Reverse<(i64, Due)>>,
    /// Whether nodes depend on each other: some stay warm, or there is a cap.
    coupled: bool,
    boots: BootDraws,
    believed: &'a dyn Fn(Timestamp) -> Option<Agendas>,
    is_cancelled: &'a dyn Fn() -> bool,
}

/// Plays a month under the manager. `believed` tells what is known of agendas at an instant, where that is not what comes true.
///
/// # Errors
/// [`Cancelled`] soon after `is_cancelled` says so.
pub fn play(
    month: &PowerMonth,
    boots: BootDraws,
    believed: &dyn Fn(Timestamp) -> Option<Agendas>,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<PlayedPower, Cancelled> {
    let mut play = Play {
        month,
        nodes: month.nodes_at_start(),
        counts: ManagerCounts::default(),
        changed: (0..month.nodes.count()).collect(),
        times: month.switching.iter().map(|it| it.as_ref().map(SwitchingTimes::of)).collect(),
        due: BinaryHeap::new(),
        coupled: month.rules.keeps_warm() || month.agendas.power_cap.is_some(),
        boots,
        believed,
        is_cancelled,
    };
    let start = millis(month.month.start());
    for (place, booking) in month.bookings.iter().enumerate() {
        play.at(millis(booking.known_from).max(start), Due::Booked(place));
    }
    play.all()?;
    let nodes = play.nodes.into_iter().map(|node| node.course).collect();
    Ok(PlayedPower { nodes, counts: play.counts })
}

impl Play<'_> {
    fn at(&mut self, ms: i64, due: Due) {
        self.due.push(Reverse((ms, due)));
    }

    /// From instant to instant to the end of the month.
    fn all(&mut self) -> Result<(), Cancelled> {
        let (start, end) = (millis(self.month.month.start()), millis(self.month.month.end()));
        let is_booked_at_start =
            |due: Option<&Reverse<(i64, Due)>>| due.is_some_and(|it| it.0.0 <= start);
        if !is_booked_at_start(self.due.peek()) {
            self.plan(start)?;
        }
        while let Some(Reverse((now, due))) = self.due.pop() {
            if now >= end {
                break;
            }
            match due {
                Due::Switched(node) => self.switched(now, node)?,
                Due::Booked(booking) => self.booked(now, booking)?,
                Due::AnotherDay(node) => {
                    self.changed.insert(node);
                    self.plan(now)?;
                }
                Due::Warm => self.keep_warm(now)?,
                Due::Wake(node) => self.wake(now, node),
                Due::Off(node) => self.switch_off(now, node),
            }
        }
        Ok(())
    }

    /// Everything that becomes known at an instant, before anything is planned.
    fn booked(&mut self, now: i64, first: usize) -> Result<(), Cancelled> {
        let mut next = Some(first);
        while let Some(place) = next {
            let booking = &self.month.bookings[place];
            let hold = NodeHold { span: booking.span, booking: place };
            for node in booking.nodes.positions() {
                self.assign(now, node, hold);
            }
            self.look_after_warm(now, booking.span);
            next = match self.due.peek() {
                Some(&Reverse((at, Due::Booked(place)))) if at == now => {
                    self.due.pop();
                    Some(place)
                }
                _ => None,
            };
        }
        self.plan(now)
    }

    /// Nodes that stay warm are looked after before the span takes some of them.
    fn look_after_warm(&mut self, now: i64, span: Span) {
        if self.month.rules.keeps_warm() {
            let from = millis(span.start()) - self.longest_lead_ms();
            self.at(from.max(now), Due::Warm);
        }
    }

    pub(super) fn wake_by(&mut self, now: i64, node: u32, wanted_ms: i64) {
        if let Some(wake) = self.nodes[node as usize].wake_by(now, wanted_ms) {
            self.at(wake, Due::Wake(node));
        }
    }

    fn wake(&mut self, now: i64, node: u32) {
        let Some(times) = self.times[node as usize] else { return };
        let own = &mut self.nodes[node as usize];
        if own.doing != (Doing::Off { wake: now }) {
            return;
        }
        let boot = self.boots.boot(node, own.boots, times.on);
        own.boots += 1;
        let by = now + times.lead;
        // A failure is known once the node should have been up.
        let until = if boot.fails { by.max(now + boot.length_ms) } else { now + boot.length_ms };
        own.change(now, Doing::SwitchingOn { until, by, fails: boot.fails });
        self.at(until, Due::Switched(node));
    }

    fn switch_off(&mut self, now: i64, node: u32) {
        let Some(times) = self.times[node as usize] else { return };
        let most = self.month.rules.most_switches_per_day;
        let own = &mut self.nodes[node as usize];
        if own.sleeps.front().is_none_or(|it| it.off_ms != now) {
            return;
        }
        if own.doing != Doing::Up {
            // It came late, and is not up yet: it stays on in this gap.
            own.sleeps.pop_front();
            return self.next_sleep(node);
        }
        if !own.may_switch_off(now, most) {
            own.sleeps.clear();
            self.at((now.div_euclid(DAY_MS) + 1) * DAY_MS, Due::AnotherDay(node));
            return;
        }
        let Some(sleep) = own.sleeps.pop_front() else { return };
        own.count_switch(now);
        self.counts.sleeps += 1;
        let until = now + times.off;
        own.change(now, Doing::SwitchingOff { until, wake: sleep.wake_ms });
        self.at(until, Due::Switched(node));
        self.at(sleep.wake_ms, Due::Wake(node));
        self.next_sleep(node);
    }

    fn next_sleep(&mut self, node: u32) {
        if let Some(sleep) = self.nodes[node as usize].sleeps.front() {
            self.at(sleep.off_ms, Due::Off(node));
        }
    }

    fn switched(&mut self, now: i64, node: u32) -> Result<(), Cancelled> {
        let own = &mut self.nodes[node as usize];
        match own.doing {
            Doing::SwitchingOff { until, wake } if until == now => {
                own.change(now, Doing::Off { wake });
            }
            Doing::SwitchingOn { until, by, fails: false } if until == now => {
                own.change(now, Doing::Up);
                if until > by {
                    self.changed.insert(node);
                    return self.plan(now);
                }
            }
            Doing::SwitchingOn { until, fails: true, .. } if until == now => {
                return self.failed(now, node);
            }
            Doing::OutOfService { until } if until == now => {
                own.change(now, Doing::Up);
                self.changed.insert(node);
                return self.plan(now);
            }
            _ => {}
        }
        Ok(())
    }

    /// A node did not come back: it is out of service, and others take its place.
    fn failed(&mut self, now: i64, node: u32) -> Result<(), Cancelled> {
        self.counts.boot_failures += 1;
        let from = second_after(now);
        let out = Span::starting(from, self.month.repair);
        let until = out.map_or(now + 1, |out| millis(out.end()));
        let own = &mut self.nodes[node as usize];
        own.change(now, Doing::OutOfService { until });
        own.sleeps.clear();
        self.at(until, Due::Switched(node));
        if let Some(out) = out {
            self.hand_over(now, node, out);
            self.look_after_warm(now, out);
        }
        self.plan(now)
    }

    /// Wakes as many nodes as are missing of those that stay warm, those first whose sleep saves least.
    fn keep_warm(&mut self, now: i64) -> Result<(), Cancelled> {
        let (month, mut woken) = (self.month, BTreeSet::new());
        for rule in &month.rules.keep_warm {
            let missing = self.missing_warm(now, rule, &woken);
            for &node in &missing {
                self.wake_by(now, node, now);
                self.wake(now, node);
            }
            woken.extend(missing);
        }
        if woken.is_empty() {
            return Ok(());
        }
        self.changed.extend(0..self.month.nodes.count());
        self.plan(now)
    }

    /// The nodes that are to be woken for a rule, where others were woken just now.
    fn missing_warm(&self, now: i64, rule: &KeepWarm, woken: &BTreeSet<u32>) -> Vec<u32> {
        let at_ms = now + self.longest_lead_ms();
        let at = second_after(at_ms);
        let free = || {
            let of_rule = (0_u32..).zip(&self.nodes).filter(|it| rule.among.contains(it.0));
            of_rule.filter(|(_, node)| !node.is_held_at(at))
        };
        let warm = free().filter(|(place, node)| {
            woken.contains(place) || node.is_up_at(at_ms, self.lead_ms(*place))
        });
        let missing = (rule.nodes as usize).saturating_sub(warm.count());
        let sleeps = |node: &NodeUnderOrders| {
            matches!(node.doing, Doing::Off { .. } | Doing::SwitchingOff { .. })
        };
        let sleeping = free().filter(|(place, node)| sleeps(node) && !woken.contains(place));
        let mut sleeping: Vec<u32> = sleeping.map(|it| it.0).collect();
        sleeping.sort_by_key(|node| self.saved_by_sleep(*node));
        sleeping.truncate(missing);
        sleeping
    }

    /// The microwatts by which a node draws less while it is off.
    fn saved_by_sleep(&self, node: u32) -> i64 {
        let off = self.month.switching[node as usize].map(|it| it.sleep.off.as_microwatts());
        let idle = self.month.nodes.as_slice()[node as usize].idle().as_microwatts();
        idle - off.unwrap_or(idle)
    }

    pub(super) fn lead_ms(&self, node: u32) -> i64 {
        self.times[node as usize].map_or(0, |times| times.lead)
    }

    fn longest_lead_ms(&self) -> i64 {
        self.times.iter().flatten().map(|times| times.lead).max().unwrap_or(0)
    }

    /// Plans the nodes that changed, or all where they depend on each other, with what is known now.
    fn plan(&mut self, now: i64) -> Result<(), Cancelled> {
        let from = second_after(now);
        let changed = std::mem::take(&mut self.changed);
        let Some(horizon) = Span::new(from, self.month.month.end()) else { return Ok(()) };
        let is_planned = |node: u32| self.coupled || changed.contains(&node);
        let switching = (0_u32..).zip(&self.month.switching);
        let switching = switching.map(|(node, it)| it.filter(|_| is_planned(node))).collect();
        let known = (self.believed)(from).unwrap_or_else(|| self.month.agendas.clone());
        let knowledge = PowerKnowledge {
            horizon,
            agendas: known,
            reservations: self.reservations(from),
            away: self.away(horizon),
            keep_warm: self.month.rules.keep_warm.clone(),
            switching,
        };
        let plan = knowledge.plan(self.month, self.is_cancelled)?;
        let planned: Vec<u32> = if self.coupled {
            (0..self.month.nodes.count()).collect()
        } else {
            changed.into_iter().collect()
        };
        for &node in &planned {
            self.nodes[node as usize].sleeps.clear();
        }
        for sleep in plan.sleeps.iter().filter(|sleep| sleep.level == RightLevel::Automatic) {
            self.nodes[sleep.node as usize].sleeps.push_back(sleep.times);
        }
        for node in planned {
            self.next_sleep(node);
        }
        Ok(())
    }

    /// Who holds which nodes from an instant on.
    fn reservations(&self, from: Timestamp) -> Vec<BookedSpan> {
        let mut held: BTreeMap<(Span, usize), Vec<u32>> = BTreeMap::new();
        for (node, own) in (0_u32..).zip(&self.nodes) {
            let holds = own.course.holds.iter().rev();
            for hold in holds.take_while(|hold| hold.span.end() > from) {
                held.entry((hold.span, hold.booking)).or_default().push(node);
            }
        }
        // Entries of one id would be alternatives; parts of a booking are not.
        let booked = |(place, ((span, _), nodes)): (usize, ((Span, usize), Vec<u32>))| BookedSpan {
            id: Arc::from(place.to_string()),
            span,
            nodes: NodeSet::from_positions(nodes),
        };
        held.into_iter().enumerate().map(booked).collect()
    }

    /// The time in which nodes are not up already: a node that sleeps does so until it is held, or to the end.
    fn away(&self, horizon: Span) -> Vec<Outage> {
        let from = horizon.start();
        let away = |(node, own): (u32, &NodeUnderOrders)| {
            let until = match own.doing {
                Doing::Up => return None,
                Doing::SwitchingOff { wake, .. } | Doing::Off { wake } => {
                    let next = own.next_hold(from).unwrap_or(horizon.end());
                    next.max(second_after(wake + self.lead_ms(node)))
                }
                Doing::SwitchingOn { by, .. } => second_after(by),
                Doing::OutOfService { until } => second_after(until),
            };
            let span = Span::new(from, until.min(horizon.end()))?;
            Some(Outage { span, nodes: NodeSet::from_positions([node]) })
        };
        (0_u32..).zip(&self.nodes).filter_map(away).collect()
    }
}
