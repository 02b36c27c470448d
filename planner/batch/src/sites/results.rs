//! What came of an experiment with several sites.

use std::collections::BTreeMap;

use network::platform::{LOOPBACK_NAME, Link};
use network::tasks::LinkTotals;
use planner::quantity::Energy;
use serde::Serialize;

use super::experiment::SitesExperiment;
use super::record::SiteTaskRecord;
use super::rule::SiteRule;
use super::site::Site;
use crate::kernel::JobEnd;
use crate::policy::PartNames;
use crate::summary::Summary;
use crate::time::Time;

/// What came of all sites and clients.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SitesResults {
    /// By client, in the order of the experiment.
    pub clients: Vec<ClientResults>,
    /// By site, in the order of the experiment.
    pub sites: Vec<SiteResults>,
    /// Each task and each job of a site's own users, in the order of submission.
    #[serde(skip)]
    pub records: Vec<SiteTaskRecord>,
    /// What went over each link between clients and sites.
    pub links: Vec<WideLinkUse>,
}

/// What came of a client's tasks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClientResults {
    /// The client.
    pub client: String,
    /// The rule by which it chose.
    pub rule: &'static str,
    /// Its tasks.
    pub tasks: u64,
    /// Tasks of these that no site holds, or that a site refused.
    pub refused: u64,
    /// Tasks of these that reached their walltime.
    pub killed: u64,
    /// From submission to the output's return, in the mean.
    pub mean_flow_s: f64,
    /// The longest of these.
    pub max_flow_s: f64,
    /// From the arrival at the frontal to the start, in the mean.
    pub mean_waiting_time_s: f64,
    /// What the data's ways took between client and frontal, there and back, in the mean.
    pub mean_transfer_time_s: f64,
    /// From the first submission to the last output's return.
    pub makespan_s: f64,
    /// Energy of the tasks' machines while they had them, J, where all of it is known.
    pub energy_j: Option<f64>,
    /// What it cost, where all of it is known.
    pub energy_cost: Option<f64>,
    /// What it emitted, g, where all of it is known.
    pub energy_co2_g: Option<f64>,
    /// How many tasks each site got.
    pub tasks_by_site: BTreeMap<String, u64>,
}

/// What came of a site.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SiteResults {
    /// The site.
    pub site: String,
    /// Its policy.
    pub policy: &'static str,
    /// The parts of the policy, where any was said.
    #[serde(flatten)]
    pub parts: Option<PartNames>,
    /// Results over all of its jobs; a task waits from its arrival at the frontal on.
    #[serde(flatten)]
    pub summary: Summary,
}

/// What went over a link between clients and sites.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WideLinkUse {
    /// Its name; of a link with separate directions each has one.
    pub link: String,
    /// Bytes of all tasks.
    pub bytes: f64,
    /// How long anything went over it.
    pub busy_time_s: f64,
    /// The mean part of its bandwidth that was used until the end.
    pub mean_load: f64,
}

impl SitesResults {
    pub(super) fn of(
        experiment: &SitesExperiment<'_>,
        mut records: Vec<SiteTaskRecord>,
        sites: &[Site<'_>],
        totals: &[LinkTotals],
        end: Time,
    ) -> Self {
        records.sort_by_key(|record| record.submitted);
        let clients = 0..experiment.clients.len();
        let clients = clients.map(|client| of_client(experiment, client, &records)).collect();
        let site = |site: &Site<'_>| SiteResults {
            site: site.setup.name.to_owned(),
            policy: site.setup.policy.name(),
            parts: site.setup.policy.part_names(),
            summary: site.tally.summary(site.setup.platform.machines()),
        };
        let elapsed_s = end.as_seconds();
        // What a host has to itself is not written in the experiment, and nothing goes over it.
        let written = |(link, _): &(&Link, &LinkTotals)| &*link.name != LOOPBACK_NAME;
        let links = experiment.links.network().links().iter().zip(totals).filter(written);
        let link = |(link, totals): (&Link, &LinkTotals)| WideLinkUse {
            link: link.name.to_string(),
            bytes: totals.bytes,
            busy_time_s: totals.busy_s,
            mean_load: if elapsed_s > 0.0 { totals.load_s / elapsed_s } else { 0.0 },
        };
        Self {
            clients,
            sites: sites.iter().map(site).collect(),
            links: links.map(link).collect(),
            records,
        }
    }
}

/// The mean of what there are `count` of; nothing of none.
fn mean(sum: f64, count: u64) -> f64 {
    if count > 0 { sum / count as f64 } else { 0.0 }
}

fn of_client(
    experiment: &SitesExperiment<'_>,
    number: usize,
    records: &[SiteTaskRecord],
) -> ClientResults {
    let client = &experiment.clients[number];
    let mut results = ClientResults {
        client: client.name.to_owned(),
        rule: client.rule.name(),
        tasks: 0,
        refused: 0,
        killed: 0,
        mean_flow_s: 0.0,
        max_flow_s: 0.0,
        mean_waiting_time_s: 0.0,
        mean_transfer_time_s: 0.0,
        makespan_s: 0.0,
        energy_j: Some(0.0),
        energy_cost: Some(0.0),
        energy_co2_g: Some(0.0),
        tasks_by_site: BTreeMap::new(),
    };
    let (mut flow_s, mut waited_s, mut sent_s, mut ended) = (0.0, 0.0, 0.0, 0);
    let (mut first, mut last) = (None, Time::ZERO);
    for record in records.iter().filter(|record| record.client == Some(number)) {
        results.tasks += 1;
        first.get_or_insert(record.submitted);
        let ends = (&record.end, record.queued, record.output_end);
        let (Some(end), Some(queued), Some(back)) = ends else {
            results.refused += 1;
            continue;
        };
        ended += 1;
        last = last.max(back);
        results.killed += u64::from(matches!(end.end, JobEnd::Walltime | JobEnd::Killed));
        flow_s += (back - record.submitted).as_seconds();
        results.max_flow_s = results.max_flow_s.max((back - record.submitted).as_seconds());
        waited_s += (end.started - queued).as_seconds();
        sent_s += ((queued - record.submitted) + (back - end.finished)).as_seconds();
        let energy_j = end.energy.map(Energy::as_joules);
        let sums = [
            (&mut results.energy_j, energy_j),
            (&mut results.energy_cost, end.cost),
            (&mut results.energy_co2_g, end.co2_g),
        ];
        for (sum, more) in sums {
            *sum = sum.zip(more).map(|(sum, more)| sum + more);
        }
        if let Some(site) = record.site {
            let name = experiment.sites[site].name.to_owned();
            *results.tasks_by_site.entry(name).or_default() += 1;
        }
    }
    results.mean_flow_s = mean(flow_s, ended);
    results.mean_waiting_time_s = mean(waited_s, ended);
    results.mean_transfer_time_s = mean(sent_s, ended);
    results.makespan_s = first.map_or(0.0, |first| (last.max(first) - first).as_seconds());
    results
}

impl SiteRule {
    /// Its name in experiments and results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::RoundRobin => "round_robin",
            Self::EarliestStart => "earliest_start",
            Self::MinimumCompletionTime => "minimum_completion_time",
            Self::LeastFlow => "least_flow",
            Self::Cheapest => "cheapest",
            Self::Cleanest => "cleanest",
            Self::LeastEnergy => "least_energy",
        }
    }
}
