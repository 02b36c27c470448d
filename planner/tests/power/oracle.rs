//! Brute force: every pair of orders on a grid of instants, looked at piece by piece.

mod arrivals;
mod begun;

use planner::agenda::Agenda;
use planner::cap_scope::CapScope;
use planner::criterion::Criterion;
use planner::power_plan::{PlannedSleep, PowerPlan, PowerProblem, Right, RightLevel, Switching};
use planner::quantity::Rate;
use planner::time::{Span, Timestamp};

use begun::BegunAway;

/// What is compared: amounts by the site's ranking, in thousandths of exact units.
pub type Worth = [i128; 3];

/// Orders in milliseconds, and what they save.
#[derive(Clone, Copy, Debug)]
struct Option_ {
    off: i64,
    wake: i64,
    worth: Worth,
}

pub struct Oracle<'a> {
    problem: &'a PowerProblem,
    /// Node and gap, and all that a node may do in it and that pays.
    gaps: Vec<(u32, Span, Vec<Option_>)>,
}

/// The thousandths of joules and the like in a worth that is about one criterion.
pub fn worth(problem: &PowerProblem, key: Worth, criterion: Criterion) -> i128 {
    let place = problem.rank_by.criteria().position(|it| it == criterion).unwrap();
    key[place]
}

fn ms(at: Timestamp) -> i64 {
    at.as_unix_seconds() * 1000
}

fn plus(one: Worth, other: Worth) -> Worth {
    [0, 1, 2].map(|place| one[place] + other[place])
}

impl<'a> Oracle<'a> {
    pub fn new(problem: &'a PowerProblem) -> Self {
        let mut oracle = Self { problem, gaps: Vec::new() };
        for node in 0..problem.nodes.count() {
            for gap in oracle.gaps_of(node) {
                let options = oracle.options(node, gap);
                oracle.gaps.push((node, gap, options));
            }
        }
        oracle
    }

    fn is_free(&self, node: u32, second: i64) -> bool {
        let at = Timestamp::from_unix_seconds(second);
        let reserved = self.problem.reservations.iter().map(|it| (it.span, &it.nodes));
        let out = self.problem.outages.iter().map(|it| (it.span, &it.nodes));
        !reserved.chain(out).any(|(span, nodes)| span.contains(at) && nodes.contains(node))
    }

    fn seconds(&self) -> std::ops::Range<i64> {
        let horizon = self.problem.horizon;
        horizon.start().as_unix_seconds()..horizon.end().as_unix_seconds()
    }

    fn gaps_of(&self, node: u32) -> Vec<Span> {
        let mut gaps: Vec<Span> = Vec::new();
        for second in self.seconds().filter(|second| self.is_free(node, *second)) {
            let span = Span::new(
                Timestamp::from_unix_seconds(second),
                Timestamp::from_unix_seconds(second + 1),
            );
            let span = span.unwrap();
            match gaps.last_mut() {
                Some(last) if last.end() == span.start() => {
                    *last = Span::new(last.start(), span.end()).unwrap();
                }
                _ => gaps.push(span),
            }
        }
        gaps
    }

    /// Rights by the clock of UTC: the strictest of those in force.
    fn level(&self, node: u32, at_ms: i64) -> RightLevel {
        let second_of_day = at_ms.div_euclid(1000).rem_euclid(86_400);
        let seconds = |time: jiff::civil::Time| i64::from(time.hour()) * 3600;
        let in_force = |right: &&Right| {
            right.nodes.contains(node)
                && (right.windows.is_empty()
                    || right.windows.iter().any(|window| {
                        let (from, to) = (seconds(window.from), seconds(window.to));
                        if from < to {
                            (from..to).contains(&second_of_day)
                        } else {
                            second_of_day >= from || second_of_day < to
                        }
                    }))
        };
        let levels = self.problem.rights.iter().filter(in_force).map(|right| right.level);
        levels.min().unwrap_or(RightLevel::Nothing)
    }

    /// Every pair of orders on a grid of half seconds, and a millisecond before each, since hours end there.
    fn options(&self, node: u32, gap: Span) -> Vec<Option_> {
        let Some(Switching { sleep, boot }) = self.problem.switching[node as usize] else {
            return Vec::new();
        };
        let length = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap();
        let (down, up) = (length(sleep.switching_off.time), length(sleep.switching_on.time));
        let lead = length(boot).max(up);
        let grid = || (ms(gap.start())..=ms(gap.end())).step_by(500).flat_map(|at| [at - 1, at]);
        let mut options = Vec::new();
        let Some(earliest) = self.earliest_off(node, gap) else { return options };
        for off in grid().filter(|at| *at >= earliest) {
            if self.level(node, off) == RightLevel::Nothing {
                continue;
            }
            for wake in grid().filter(|at| off + down <= *at && at + lead <= ms(gap.end())) {
                let Some(worth) = self.worth(node, off, wake) else { continue };
                if worth > [0; 3] {
                    options.push(Option_ { off, wake, worth });
                }
            }
        }
        options
    }

    /// What a sleep saves, in thousandths by criterion; `None` where a ranked criterion is not known.
    fn saves(&self, node: u32, off: i64, wake: i64) -> [Option<i128>; 3] {
        let Switching { sleep, .. } = self.problem.switching[node as usize].unwrap();
        let length = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap();
        let (down, up) = (length(sleep.switching_off.time), length(sleep.switching_on.time));
        let idle = self.problem.nodes.as_slice()[node as usize].idle();
        let parts = [
            (off, off + down, sleep.switching_off.power),
            (off + down, wake, sleep.off),
            (wake, wake + up, sleep.switching_on.power),
        ];
        let (wear, (probability, loss)) = (self.problem.wear, self.problem.failure);
        Criterion::ALL.map(|criterion| {
            let mut saved = -wear.thousandths(criterion).unwrap()
                - loss.thousandths(criterion).unwrap() * i128::from(probability) / 1_000_000;
            for (from, until, power) in parts {
                let lower = i128::from(idle.as_microwatts() - power.as_microwatts());
                let agendas = &self.problem.agendas;
                saved += lower
                    * match criterion {
                        Criterion::Energy => i128::from(until - from),
                        Criterion::Cost => integral(agendas.price.agenda(), from, until)?,
                        Criterion::Co2 => integral(agendas.co2.agenda(), from, until)?,
                    };
            }
            Some(saved)
        })
    }

    fn worth(&self, node: u32, off: i64, wake: i64) -> Option<Worth> {
        let saves = self.saves(node, off, wake);
        let mut worth = [0; 3];
        for (place, criterion) in self.problem.rank_by.criteria().enumerate() {
            worth[place] = saves[criterion as usize]?;
        }
        Some(worth)
    }

    pub fn worth_of(&self, plan: &PowerPlan) -> Worth {
        let worth =
            |it: &PlannedSleep| self.worth(it.node, it.times.off_ms, it.times.wake_ms).unwrap();
        plan.sleeps.iter().map(worth).fold([0; 3], plus)
    }

    /// The most that all nodes together are worth, each by itself, in the gaps that begin with the node up by a plan.
    pub fn best_of_each(&self, plan: &PowerPlan) -> Worth {
        let mut total = [0; 3];
        for node in 0..self.problem.nodes.count() {
            let own =
                self.gaps.iter().filter(|it| it.0 == node && self.begins_up(plan, node, it.1));
            let own: Vec<&Vec<Option_>> = own.map(|gap| &gap.2).collect();
            total = plus(total, self.best_from(&own, &mut Vec::new()));
        }
        total
    }

    /// The most that the gaps from one on are worth, after switching off on these days.
    fn best_from(&self, gaps: &[&Vec<Option_>], days: &mut Vec<i64>) -> Worth {
        let Some((options, rest)) = gaps.split_first() else { return [0; 3] };
        let mut best = self.best_from(rest, days);
        let mut best_of_day: Vec<(i64, Worth)> = Vec::new();
        for option in *options {
            let day = option.off.div_euclid(86_400_000);
            match best_of_day.iter_mut().find(|it| it.0 == day) {
                Some(known) => known.1 = known.1.max(option.worth),
                None => best_of_day.push((day, option.worth)),
            }
        }
        for (day, worth) in best_of_day {
            let most = self.problem.most_switches_per_day.map_or(usize::MAX, |most| most as usize);
            if days.iter().filter(|it| **it == day).count() < most {
                days.push(day);
                best = best.max(plus(worth, self.best_from(rest, days)));
                days.pop();
            }
        }
        best
    }

    /// The most that sleeps are worth that hold every rule, with orders at whole seconds, where nodes that were off are woken
    /// as a plan says.
    pub fn best_together(&self, plan: &PowerPlan) -> Worth {
        let whole = |it: &&Option_| it.off % 1000 == 0 && it.wake % 1000 == 0;
        let mut gaps: Vec<(u32, Vec<Option_>)> = self
            .gaps
            .iter()
            .filter(|(node, gap, _)| self.begins_up(plan, *node, *gap))
            .map(|(node, _, options)| (*node, options.iter().filter(whole).copied().collect()))
            .collect();
        for (_, options) in &mut gaps {
            options.sort_by_key(|option| std::cmp::Reverse(option.worth));
        }
        let mut best = [0; 3];
        self.search(&gaps, &self.begun_away(plan), &mut Vec::new(), [0; 3], &mut best);
        best
    }

    fn search(
        &self,
        gaps: &[(u32, Vec<Option_>)],
        woken: &[BegunAway],
        taken: &mut Vec<(u32, i64, i64)>,
        worth: Worth,
        best: &mut Worth,
    ) {
        let most = gaps.iter().filter_map(|gap| gap.1.first()).map(|it| it.worth).fold(worth, plus);
        if most <= *best {
            return;
        }
        let Some(((node, options), rest)) = gaps.split_first() else {
            *best = worth;
            return;
        };
        for option in options {
            taken.push((*node, option.off, option.wake));
            // What breaks a rule breaks it with more sleeps, too: all of them only take.
            if self.holds(taken, woken) {
                self.search(rest, woken, taken, plus(worth, option.worth), best);
            }
            taken.pop();
        }
        self.search(rest, woken, taken, worth, best);
    }

    /// Whether sleeps hold the rules that couple nodes, and the number of switches of a day.
    fn holds(&self, sleeps: &[(u32, i64, i64)], woken: &[BegunAway]) -> bool {
        let problem = self.problem;
        let day = |off: i64| off.div_euclid(86_400_000);
        let often = |&(node, off, _): &(u32, i64, i64)| {
            sleeps.iter().filter(|it| it.0 == node && day(it.1) == day(off)).count()
        };
        let most = problem.most_switches_per_day.map_or(usize::MAX, |most| most as usize);
        sleeps.iter().all(|it| often(it) <= most)
            && self.seconds().all(|second| self.holds_in(second, sleeps, woken))
    }

    fn holds_in(&self, second: i64, sleeps: &[(u32, i64, i64)], woken: &[BegunAway]) -> bool {
        let problem = self.problem;
        let (begin, end) = (second * 1000, second * 1000 + 1000);
        let length = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap();
        let switching = |node: u32| problem.switching[node as usize].unwrap();
        let is_away = |node: u32| {
            sleeps.iter().any(|&(asleep, off, wake)| {
                let Switching { sleep, boot } = switching(asleep);
                let up = wake + length(boot).max(length(sleep.switching_on.time));
                asleep == node && off < end && begin < up
            })
        };
        let warm = problem.keep_warm.iter().all(|rule| {
            let free = || rule.among.positions().filter(|node| self.is_free(*node, second));
            let away = free().filter(|node| is_away(*node)).count();
            let off = woken.iter().filter(|it| it.from < end && begin < it.up);
            let off: Vec<&BegunAway> =
                off.filter(|it| free().any(|node| node == it.node)).collect();
            let is_short = free().count() - away < rule.nodes as usize + off.len();
            // Where there is a cap, a node may have to wait before it is woken.
            let must_wait = problem.agendas.power_cap.is_some();
            !is_short || away == 0 && (must_wait || !Self::could_be_up(&off, second))
        });
        let at = Timestamp::from_unix_seconds(second);
        let cap = problem.agendas.power_cap.as_ref().and_then(|cap| cap.at(at));
        let Some(cap) = cap else { return warm };
        let mut power = 0;
        for node in 0..problem.nodes.count() {
            let own = &problem.nodes.as_slice()[node as usize];
            let is_reserved = problem
                .reservations
                .iter()
                .any(|it| it.span.contains(at) && it.nodes.contains(node));
            power += match problem.cap_scope {
                _ if is_reserved => own.max().as_microwatts(),
                CapScope::AllNodes => own.idle().as_microwatts(),
                CapScope::ReservedNodes => 0,
            };
        }
        let mut extra = 0;
        for &(node, off, wake) in sleeps {
            let Switching { sleep, .. } = switching(node);
            let base = match problem.cap_scope {
                CapScope::AllNodes => {
                    problem.nodes.as_slice()[node as usize].idle().as_microwatts()
                }
                CapScope::ReservedNodes => 0,
            };
            for (start, transition) in [(off, sleep.switching_off), (wake, sleep.switching_on)] {
                if start < end && begin < start + length(transition.time) {
                    extra += (transition.power.as_microwatts() - base).max(0);
                }
            }
        }
        let is_switching = extra > 0;
        let mut is_waking = false;
        for it in woken {
            let Switching { sleep, .. } = switching(it.node);
            let on = length(sleep.switching_on.time);
            if it.wake.is_some_and(|wake| wake < end && begin < wake + on) {
                let base = match problem.cap_scope {
                    CapScope::AllNodes => problem.nodes.as_slice()[it.node as usize].idle(),
                    CapScope::ReservedNodes => planner::quantity::Power::ZERO,
                };
                let own = (sleep.switching_on.power - base).as_microwatts().max(0);
                extra += if it.exceeds_cap && !is_switching { 0 } else { own };
                is_waking |= own > 0 && !it.exceeds_cap;
            }
        }
        let is_bound = is_switching || is_waking;
        warm && (!is_bound || power + extra <= cap.as_microwatts())
    }

    /// Whether a plan is one: every gap is in it once, each sleep is in its gap, permitted and told as it is, and all hold
    /// the rules together.
    pub fn check(&self, plan: &PowerPlan) {
        let mut told: Vec<(u32, Span)> = plan.sleeps.iter().map(|it| (it.node, it.gap)).collect();
        told.extend(plan.refused.iter().map(|it| (it.node, it.gap)));
        told.extend(plan.wakings.iter().filter_map(|it| Some((it.node, it.gap?))));
        told.sort_unstable();
        let gaps: Vec<(u32, Span)> = self.gaps.iter().map(|gap| (gap.0, gap.1)).collect();
        assert_eq!(told, gaps, "every gap once");
        for sleep in &plan.sleeps {
            self.check_sleep(sleep);
            assert!(self.begins_up(plan, sleep.node, sleep.gap), "{sleep:?}");
        }
        let sleeps: Vec<(u32, i64, i64)> =
            plan.sleeps.iter().map(|it| (it.node, it.times.off_ms, it.times.wake_ms)).collect();
        assert!(self.holds(&sleeps, &self.begun_away(plan)), "{plan:?}");
    }

    fn check_sleep(&self, it: &PlannedSleep) {
        let Switching { sleep, boot } = self.problem.switching[it.node as usize].unwrap();
        let length = |time: std::time::Duration| i64::try_from(time.as_millis()).unwrap();
        let (off, wake) = (it.times.off_ms, it.times.wake_ms);
        let lead = length(boot).max(length(sleep.switching_on.time));
        assert!(ms(it.gap.start()) <= off && wake + lead <= ms(it.gap.end()), "{it:?}");
        assert!(off + length(sleep.switching_off.time) <= wake, "{it:?}");
        assert_eq!(it.level, self.level(it.node, off));
        assert_ne!(it.level, RightLevel::Nothing, "{it:?}");
        let saves = Criterion::ALL.map(|criterion| it.saves.thousandths(criterion));
        assert_eq!(saves, self.saves(it.node, off, wake), "{it:?}");
        assert!(self.worth(it.node, off, wake).unwrap() > [0; 3], "{it:?}");
    }
}

/// The integral of a rate over milliseconds, piece by piece; `None` where it is not known throughout.
fn integral<R: Rate>(agenda: &Agenda<R>, from: i64, until: i64) -> Option<i128> {
    let (mut sum, mut known) = (0, 0);
    for piece in agenda.pieces() {
        let both = ms(piece.span.end()).min(until) - ms(piece.span.start()).max(from);
        sum += i128::from(piece.value.as_millionths()) * i128::from(both.max(0));
        known += both.max(0);
    }
    (known == (until - from).max(0)).then_some(sum)
}
