//! The rules by which a client chooses a site.

use std::cmp::Ordering;

use planner::quantity::Energy;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use serde::Deserialize;

use crate::time::Time;

/// How a client chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SiteRule {
    /// Any site, all equally likely.
    Random,
    /// The sites in turn.
    RoundRobin,
    /// Where it would start first.
    EarliestStart,
    /// Where it would end first.
    MinimumCompletionTime,
    /// Where its output would be back first.
    LeastFlow,
    /// Where the energy of its machines would cost least.
    Cheapest,
    /// Where the energy of its machines would emit least CO2.
    Cleanest,
    /// Where its machines would draw least energy.
    LeastEnergy,
}

/// What a site expects of a task.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct SiteAnswer {
    pub site: usize,
    /// The start.
    pub start: Time,
    /// The end of the job.
    pub end: Time,
    /// When its output is at its client.
    pub output_end: Time,
    /// Of its machines, where that is known.
    pub energy: Option<Energy>,
    /// What the energy costs.
    pub cost: Option<f64>,
    /// What the energy emits.
    pub co2_g: Option<f64>,
}

/// What a client remembers between its choices.
#[derive(Debug)]
pub(super) struct Chooser {
    pub rule: SiteRule,
    /// The sites that it may choose, in its order.
    pub sites: Vec<usize>,
    pub random: ChaCha8Rng,
    /// The place of the next site in turn.
    pub next: usize,
}

impl SiteRule {
    /// Whether sites are asked.
    const fn asks(self) -> bool {
        !matches!(self, Self::Random | Self::RoundRobin)
    }

    /// Which of two answers is better.
    fn compare(self, one: &SiteAnswer, other: &SiteAnswer) -> Ordering {
        let least = |one: Option<f64>, other: Option<f64>| {
            one.unwrap_or(f64::INFINITY).total_cmp(&other.unwrap_or(f64::INFINITY))
        };
        let by_rule = match self {
            Self::Random | Self::RoundRobin => Ordering::Equal,
            Self::EarliestStart => one.start.cmp(&other.start),
            Self::MinimumCompletionTime => one.end.cmp(&other.end),
            Self::LeastFlow => one.output_end.cmp(&other.output_end),
            Self::Cheapest => least(one.cost, other.cost),
            Self::Cleanest => least(one.co2_g, other.co2_g),
            Self::LeastEnergy => one.energy.cmp(&other.energy),
        };
        by_rule.then(one.output_end.cmp(&other.output_end))
    }
}

impl Chooser {
    /// The site of a task: of those that can hold it, as `holds` says, by what they answer to `ask`; none where none can.
    /// Of equal answers that with the earlier output counts, then the first of the client's sites.
    pub fn choose(
        &mut self,
        holds: impl Fn(usize) -> bool,
        ask: impl Fn(usize) -> Option<SiteAnswer>,
    ) -> Option<usize> {
        let able: Vec<usize> = self.sites.iter().copied().filter(|site| holds(*site)).collect();
        if self.rule.asks() && able.len() > 1 {
            let answers = able.iter().filter_map(|site| ask(*site));
            let best = answers.reduce(|best, answer| {
                if self.rule.compare(&answer, &best).is_lt() { answer } else { best }
            });
            return best.map(|answer| answer.site).or(able.first().copied());
        }
        match self.rule {
            SiteRule::Random if !able.is_empty() => {
                Some(able[self.random.random_range(0..able.len())])
            }
            SiteRule::RoundRobin => {
                let count = self.sites.len();
                let turn = (0..count).map(|turn| (self.next + turn) % count);
                let place = turn.into_iter().find(|place| holds(self.sites[*place]))?;
                self.next = (place + 1) % count;
                Some(self.sites[place])
            }
            _ => able.first().copied(),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn chooser(rule: SiteRule) -> Chooser {
        Chooser { rule, sites: vec![0, 1, 2], random: ChaCha8Rng::seed_from_u64(1), next: 0 }
    }

    fn answer(
        site: usize,
        [start, end, output_end]: [i64; 3],
        cost: f64,
        co2_g: f64,
    ) -> SiteAnswer {
        let [start, end, output_end] = [start, end, output_end].map(Time::from_seconds);
        let energy = Some(Energy::from_microjoules(i128::try_from(site).unwrap_or_default()));
        SiteAnswer { site, start, end, output_end, energy, cost: Some(cost), co2_g: Some(co2_g) }
    }

    /// Site 0 starts first, site 1 ends first, site 2 has its output back first; 1 is the cheapest, 2 the cleanest, 0 draws least.
    #[test]
    fn each_rule_has_its_own_site() {
        let answers = [
            answer(0, [10, 90, 95], 3.0, 5.0),
            answer(1, [20, 70, 92], 1.0, 4.0),
            answer(2, [30, 80, 91], 2.0, 1.0),
        ];
        let chosen = |rule| chooser(rule).choose(|_| true, |site| Some(answers[site]));
        let expected = [
            (SiteRule::EarliestStart, 0),
            (SiteRule::MinimumCompletionTime, 1),
            (SiteRule::LeastFlow, 2),
            (SiteRule::Cheapest, 1),
            (SiteRule::Cleanest, 2),
            (SiteRule::LeastEnergy, 0),
        ];
        for (rule, site) in expected {
            assert_eq!(chosen(rule), Some(site), "{rule:?}");
        }
    }

    /// Both start at 10 s: the output of site 1 is back earlier. All the same: the first.
    #[test]
    fn ties_go_to_the_earlier_output_and_then_to_the_first() {
        let answers = [answer(0, [10, 90, 95], 1.0, 1.0), answer(1, [10, 70, 92], 1.0, 1.0)];
        let mut two = Chooser { sites: vec![0, 1], ..chooser(SiteRule::EarliestStart) };
        assert_eq!(two.choose(|_| true, |site| Some(answers[site])), Some(1));
        let same = |site| Some(SiteAnswer { site, ..answers[0] });
        assert_eq!(two.choose(|_| true, same), Some(0));
    }

    #[test]
    fn sites_in_turn_leave_out_those_that_cannot_hold_the_task() {
        let mut turns = chooser(SiteRule::RoundRobin);
        let mut choose = |holds: [bool; 3]| turns.choose(|site| holds[site], |_| None);
        assert_eq!(choose([true; 3]), Some(0));
        assert_eq!(choose([true, false, true]), Some(2));
        assert_eq!(choose([true; 3]), Some(0));
        assert_eq!(choose([false; 3]), None);
        assert_eq!(choose([true; 3]), Some(1));
    }

    /// 300 draws of three sites: each 100 times, within five standard deviations of 8.2.
    #[test]
    fn random_choices_are_equally_likely() {
        let mut random = chooser(SiteRule::Random);
        let mut counts = [0; 3];
        for _ in 0..300 {
            counts[random.choose(|_| true, |_| None).unwrap()] += 1;
        }
        assert!(counts.iter().all(|count| (59..=141).contains(count)), "{counts:?}");
        assert_eq!(random.choose(|site| site == 1, |_| None), Some(1));
    }
}
