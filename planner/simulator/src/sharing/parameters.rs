//! What a study of fair shares is played with.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use planner::fair_share::StandingWeights;
use planner::time::Timestamp;
use serde::{Deserialize, Serialize};

/// Settings of the study, with the defaults of `docs/SHARES.md`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SharingParameters {
    /// What all draws derive from.
    pub seed: u64,
    /// Months, each with its own draws.
    pub runs: u32,
    /// Days of a month.
    pub days: u32,
    /// When the month begins.
    #[serde(with = "start")]
    pub start: Timestamp,
    /// Users `u1`, `u2`, ..., with the same share each.
    pub users: u32,
    /// By how much of what others draw the nodes of a user draw.
    pub user_energy_factors: BTreeMap<String, f64>,
    /// Nodes of the cluster, all alike.
    pub nodes: u32,
    /// What a node draws at most, watts: what counts against the cap.
    pub node_max_w: u32,
    /// Requests of each user in a month.
    pub requests_per_user: u32,
    /// A request is of 1 to so many nodes.
    pub most_nodes: u32,
    /// And of 1 to so many hours.
    pub longest_h: u32,
    /// It is sent 0 to so many hours before it is to start.
    pub longest_lead_h: u32,
    /// It may start so many hours later than it is to.
    pub max_delay_h: u32,
    /// It has a priority of 0 to this, of 1000.
    pub highest_priority: u32,
    /// Its nodes draw between these per cent of the most, times the user's factor.
    pub draw_percent: [u32; 2],
    /// The cap, per cent of the most that all nodes draw.
    pub cap_percent: u32,
    /// How often in a month it is lowered.
    pub lowerings: u32,
    /// To what, per cent.
    pub lowered_percent: u32,
    /// For 1 to so many hours.
    pub longest_lowering_h: u32,
    /// How much the highest priority counts, 1000.
    pub priority_weight: u16,
    /// How much the best factor counts.
    pub factor_weight: u16,
    /// The dampings that are compared.
    pub dampings: Vec<f64>,
    /// The half-lives that are compared, days.
    pub half_lives_d: Vec<u32>,
}

impl Default for SharingParameters {
    fn default() -> Self {
        Self {
            seed: 1,
            runs: 200,
            days: 30,
            // 2013-01-01T00:00:00Z, as the month of the SESAMES paper.
            start: Timestamp::from_unix_seconds(1_356_998_400),
            users: 20,
            user_energy_factors: BTreeMap::from([("u7".to_owned(), 0.7), ("u14".to_owned(), 1.3)]),
            nodes: 64,
            node_max_w: 400,
            requests_per_user: 22,
            most_nodes: 12,
            longest_h: 24,
            longest_lead_h: 12,
            max_delay_h: 24,
            highest_priority: 200,
            draw_percent: [40, 75],
            cap_percent: 70,
            lowerings: 12,
            lowered_percent: 45,
            longest_lowering_h: 12,
            priority_weight: 1,
            factor_weight: 1,
            dampings: vec![0.5, 1.0, 2.0, 4.0],
            half_lives_d: vec![1, 7, 30],
        }
    }
}

/// A parameter that is out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name}: {problem}")]
pub struct SharingError {
    /// The parameter that is wrong.
    pub name: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

impl SharingParameters {
    /// What counts in who is served before whom.
    pub const fn weights(&self) -> StandingWeights {
        StandingWeights { priority: self.priority_weight, factor: self.factor_weight }
    }

    /// The names of the users, in their order.
    pub fn names(&self) -> impl Iterator<Item = String> + use<> {
        (1..=self.users).map(|number| format!("u{number}"))
    }

    /// By how much of what others draw each user draws.
    pub fn energy_factors(&self) -> Vec<f64> {
        let factor = |name: String| self.user_energy_factors.get(&name).copied().unwrap_or(1.0);
        self.names().map(factor).collect()
    }

    /// What is out of range, all of it.
    pub fn errors(&self) -> Vec<SharingError> {
        let mut errors = Vec::new();
        let mut whole = |name, value: u32, range: RangeInclusive<u32>| {
            if !range.contains(&value) {
                let problem = format!("must lie between {} and {}", range.start(), range.end());
                errors.push(SharingError { name, problem });
            }
        };
        whole("runs", self.runs, 2..=1000);
        whole("days", self.days, 1..=366);
        whole("users", self.users, 2..=1000);
        whole("nodes", self.nodes, 1..=100_000);
        whole("node_max_w", self.node_max_w, 1..=100_000);
        whole("requests_per_user", self.requests_per_user, 1..=1000);
        whole("most_nodes", self.most_nodes, 1..=self.nodes.max(1));
        whole("longest_h", self.longest_h, 1..=720);
        whole("longest_lead_h", self.longest_lead_h, 0..=720);
        whole("max_delay_h", self.max_delay_h, 1..=720);
        whole("highest_priority", self.highest_priority, 0..=1000);
        whole("draw_percent", self.draw_percent[1], self.draw_percent[0].max(1)..=100);
        whole("cap_percent", self.cap_percent, 1..=100);
        whole("lowerings", self.lowerings, 0..=1000);
        whole("lowered_percent", self.lowered_percent, 0..=self.cap_percent);
        whole("longest_lowering_h", self.longest_lowering_h, 1..=720);
        whole("priority_weight", self.priority_weight.into(), 0..=1000);
        whole("factor_weight", self.factor_weight.into(), 0..=1000);
        let mut wrong = |name, problem: String| errors.push(SharingError { name, problem });
        if self.dampings.is_empty() || self.dampings.iter().any(|it| !(0.01..=100.0).contains(it)) {
            wrong("dampings", "must be at least one, each between 0.01 and 100".to_owned());
        }
        if self.half_lives_d.is_empty()
            || self.half_lives_d.iter().any(|it| !(1..=366).contains(it))
        {
            wrong("half_lives_d", "must be at least one, each between 1 and 366".to_owned());
        }
        let names: Vec<String> = self.names().take(1000).collect();
        let most = 100.0 / f64::from(self.draw_percent[1].max(1));
        for (name, factor) in &self.user_energy_factors {
            if !names.contains(name) {
                wrong("user_energy_factors", format!("{name} is none of u1 to u{}", self.users));
            }
            if !(factor.is_finite() && *factor > 0.0 && *factor <= most) {
                let problem = format!(
                    "{name}: must lie above 0 and be at most {most:.3}, or its nodes draw more than they can"
                );
                wrong("user_energy_factors", problem);
            }
        }
        if self.user_energy_factors.is_empty() {
            wrong("user_energy_factors", "must name a user".to_owned());
        }
        errors
    }
}

/// Instants as RFC 3339.
mod start {
    use planner::time::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de};

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(super) fn serialize<S: Serializer>(at: &Timestamp, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(at)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Timestamp, D::Error> {
        let text = String::deserialize(from)?;
        Timestamp::parse(&text).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_out_of_range_is_named() {
        assert_eq!(SharingParameters::default().errors(), []);
        let named = |edit: fn(&mut SharingParameters)| {
            let mut parameters = SharingParameters::default();
            edit(&mut parameters);
            parameters.errors().iter().map(|it| it.name).collect::<Vec<_>>()
        };
        assert_eq!(named(|it| it.runs = 1), ["runs"]);
        assert_eq!(named(|it| it.dampings.clear()), ["dampings"]);
        assert_eq!(named(|it| it.half_lives_d = vec![0]), ["half_lives_d"]);
        assert_eq!(named(|it| it.lowered_percent = 71), ["lowered_percent"]);
        assert_eq!(named(|it| it.users = 7), ["user_energy_factors"]);
        // 75 % of the most times 1.34 is more than a node can draw.
        let more = |it: &mut SharingParameters| {
            it.user_energy_factors.insert("u1".to_owned(), 1.34);
        };
        assert_eq!(named(more), ["user_energy_factors"]);
    }
}
