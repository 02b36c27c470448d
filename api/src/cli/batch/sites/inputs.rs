//! What an experiment is played on, read from its document and the files that it names.

use std::path::Path;

use batch::sites::{
    Client, SiteRule, SiteTask, SitesDocument, SitesExperiment, WideNetwork, read_tasks,
};
use planner::time::Timestamp;

use super::super::files::{bad_input, open_unseen};
use super::super::nodes::Services;
use super::site_inputs::{Around, SiteInputs};
use crate::cli::Failure;

/// What the sites and clients of a document are made of.
pub struct SitesInputs {
    sites: Vec<SiteInputs>,
    links: WideNetwork,
    /// By client.
    tasks: Vec<Vec<SiteTask>>,
}

impl SitesInputs {
    /// Reads what a document names; files are named from `folder`.
    pub fn read(
        file: &Path,
        folder: &Path,
        document: &SitesDocument,
        origin: Option<Timestamp>,
        raw: bool,
        services: Services<'_>,
    ) -> Result<Self, Failure> {
        let around = Around { file, folder, origin, raw, services };
        let sites = document.sites.iter().map(|site| SiteInputs::read(around, site));
        let sites = sites.collect::<Result<Vec<_>, _>>()?;
        let links = WideNetwork::of(&document.links).map_err(|error| bad_input(file, error))?;
        let mut tasks = Vec::new();
        for client in &document.clients {
            let mut own: Vec<SiteTask> = match (&client.workload, &client.drawn) {
                (Some(name), _) => {
                    let path = folder.join(name);
                    read_tasks(open_unseen(&path)?).map_err(|error| bad_input(&path, error))?
                }
                (None, Some(drawn)) => drawn.tasks(),
                (None, None) => {
                    let numbered = (1..).zip(&client.tasks);
                    numbered.map(|(number, task)| task.task(number)).collect()
                }
            };
            own.sort_by_key(|task| task.submitted);
            if let Some(name) = twice(&own) {
                let what = format!("client {:?}: two tasks are named {name:?}", client.name);
                return Err(bad_input(file, what));
            }
            tasks.push(own);
        }
        let inputs = Self { sites, links, tasks };
        inputs.check_frontals(file, document)?;
        Ok(inputs)
    }

    /// Checks that data finds the frontals of sites with a network.
    fn check_frontals(&self, file: &Path, document: &SitesDocument) -> Result<(), Failure> {
        let data = |task: &SiteTask| task.input_bytes + task.output_bytes > 0.0;
        if !self.tasks.iter().flatten().any(data) {
            return Ok(());
        }
        for (site, inputs) in document.sites.iter().zip(&self.sites) {
            let Some(network) = &inputs.network else { continue };
            if let Err(error) = network.storage(Some(&site.frontal)) {
                let what = format!("site {:?}: {error}: frontal says which it is", site.name);
                return Err(bad_input(file, what));
            }
        }
        Ok(())
    }

    /// What is played.
    pub fn experiment<'a>(&'a self, document: &'a SitesDocument) -> SitesExperiment<'a> {
        let sites = document.sites.iter().zip(&self.sites);
        let number = |name: &String| document.sites.iter().position(|site| site.name == *name);
        let clients = document.clients.iter().zip(&self.tasks).map(|(client, tasks)| Client {
            name: &client.name,
            at: client.at.as_deref(),
            rule: client.rule,
            sites: match &client.sites {
                Some(names) => names.iter().filter_map(number).collect(),
                None => (0..document.sites.len()).collect(),
            },
            seed: client.seed,
            knows_run_times: client.knows_run_times,
            tasks,
        });
        SitesExperiment {
            sites: sites.map(|(site, inputs)| inputs.setup(site)).collect(),
            links: &self.links,
            clients: clients.collect(),
        }
    }
}

/// A name that two tasks have.
fn twice(tasks: &[SiteTask]) -> Option<&str> {
    let mut names: Vec<&str> = tasks.iter().map(|task| &*task.name).collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// Checks that sites know what the rules of their clients go by.
pub fn check_rules(experiment: &SitesExperiment<'_>) -> Result<(), Vec<String>> {
    let mut wrong = Vec::new();
    for client in &experiment.clients {
        for &site in &client.sites {
            let setup = &experiment.sites[site];
            let lacks = match client.rule {
                SiteRule::Cheapest if setup.tables.price.is_none() => "a price",
                SiteRule::Cleanest if setup.tables.co2.is_none() => "co2",
                SiteRule::Cheapest | SiteRule::Cleanest | SiteRule::LeastEnergy
                    if !setup.platform.has_draws() =>
                {
                    "a platform with idle_power_w and computing_power_w"
                }
                _ => continue,
            };
            let rule = client.rule.name();
            wrong.push(format!(
                "client {:?}: the rule {rule} needs {lacks} of site {:?}",
                client.name, setup.name
            ));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}
