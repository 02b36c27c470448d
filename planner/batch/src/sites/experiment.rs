//! What is played with several sites, and why it may not be.

use std::convert::Infallible;
use std::io;

use network::platform::HostId;

use super::record::SiteTaskRecord;
use super::rule::SiteRule;
use super::site::SiteSetup;
use super::tasks::SiteTask;
use super::wide_network::WideNetwork;
use crate::job::JobId;
use crate::kernel::SimulationError;
use crate::time::Time;

/// Who submits tasks.
#[derive(Clone, Debug)]
pub struct Client<'a> {
    /// Its name.
    pub name: &'a str,
    /// The site at whose frontal it is; otherwise links of its name reach it.
    pub at: Option<&'a str>,
    /// How it chooses a site.
    pub rule: SiteRule,
    /// The sites that it may choose, in its order.
    pub sites: Vec<usize>,
    /// What its random choices begin from.
    pub seed: u64,
    /// Whether it knows how long its tasks run, and need not take them to last as long as their walltimes.
    pub knows_run_times: bool,
    /// Its tasks, in the order of submission.
    pub tasks: &'a [SiteTask],
}

/// What is played.
#[derive(Clone, Debug)]
pub struct SitesExperiment<'a> {
    /// The sites.
    pub sites: Vec<SiteSetup<'a>>,
    /// The links between them and clients.
    pub links: &'a WideNetwork,
    /// The clients.
    pub clients: Vec<Client<'a>>,
}

/// Why several sites were not played to their end.
#[derive(Debug, thiserror::Error)]
pub enum SitesError {
    /// The options of a site's policy are wrong, or it lacks what the policy needs.
    #[error("site {site:?}: {}", .errors.join("; "))]
    Options {
        /// The site.
        site: Box<str>,
        /// What is wrong.
        errors: Vec<String>,
    },
    /// No link leads from a client to a site that it may choose.
    #[error("client {client:?} cannot reach site {site:?}: no [[links]] lead there")]
    Unreachable {
        /// The client.
        client: Box<str>,
        /// The site.
        site: Box<str>,
    },
    /// A site could not go on.
    #[error("site {site:?}: {error}")]
    Site {
        /// The site.
        site: Box<str>,
        /// What went wrong there.
        error: SimulationError<Infallible>,
    },
    /// An output failed.
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
    /// Jobs wait, and nothing else happens.
    #[error("at {now} s jobs wait at {}, nothing runs, and no site starts any", .sites.join(", "))]
    Stuck {
        /// The instant at which everything stands still.
        now: Time,
        /// The sites at which they wait.
        sites: Vec<String>,
    },
}

/// All tasks in the order of submission; those of one instant in the order of their clients.
pub(super) fn submissions<'a>(
    experiment: &SitesExperiment<'a>,
) -> (Vec<SiteTaskRecord>, Vec<&'a SiteTask>) {
    let mut all: Vec<(usize, &SiteTask)> = Vec::new();
    for (number, client) in experiment.clients.iter().enumerate() {
        all.extend(client.tasks.iter().map(|task| (number, task)));
    }
    all.sort_by_key(|(_, task)| task.submitted);
    let record = |(client, task): &(usize, &SiteTask)| SiteTaskRecord {
        id: JobId::Name(format!("{}!{}", experiment.clients[*client].name, task.name).into()),
        client: Some(*client),
        site: None,
        submitted: task.submitted,
        nodes: task.nodes,
        walltime: task.walltime,
        queued: None,
        input_end: None,
        end: None,
        output_end: None,
    };
    (all.iter().map(record).collect(), all.into_iter().map(|(_, task)| task).collect())
}

/// The way from each client to each site; none where data takes no time.
pub(super) fn ways(
    experiment: &SitesExperiment<'_>,
) -> Result<Vec<Vec<Option<[HostId; 2]>>>, SitesError> {
    let links = experiment.links;
    let mut all = Vec::new();
    for (number, client) in experiment.clients.iter().enumerate() {
        let mut ways = vec![None; experiment.sites.len()];
        let others =
            client.sites.iter().filter(|site| client.at != Some(experiment.sites[**site].name));
        for &site in others.filter(|_| links.has_links()) {
            let ends = [client.at.unwrap_or(client.name), experiment.sites[site].name];
            let [Some(from), Some(to)] = ends.map(|name| links.point(name)) else {
                return Err(unreachable(experiment, number, site));
            };
            links.alone([from, to], 1.0).map_err(|_| unreachable(experiment, number, site))?;
            ways[site] = Some([from, to]);
        }
        all.push(ways);
    }
    Ok(all)
}

pub(super) fn unreachable(
    experiment: &SitesExperiment<'_>,
    client: usize,
    site: usize,
) -> SitesError {
    SitesError::Unreachable {
        client: experiment.clients[client].name.into(),
        site: experiment.sites[site].name.into(),
    }
}
