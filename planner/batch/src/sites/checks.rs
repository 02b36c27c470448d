//! What is wrong with a document of an experiment.

use super::document::{
    ClientSection, DrawnSection, LoadSection, PlatformSource, SiteSection, SitesDocument,
    add_frontal,
};

/// What is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct SitesDocumentError(pub Vec<String>);

impl SitesDocument {
    /// Reads a document.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn parse(text: &str) -> Result<Self, SitesDocumentError> {
        let mut document: Self =
            toml::from_str(text).map_err(|error| SitesDocumentError(vec![error.to_string()]))?;
        let mut wrong = Vec::new();
        document.check_names(&mut wrong);
        for site in &document.sites {
            let place = |what: &str| format!("site {:?}: {what}", site.name);
            check_site(site, &mut |what| wrong.push(place(what)));
        }
        for client in &document.clients {
            document.check_client(client, &mut wrong);
        }
        for (number, link) in (1..).zip(&document.links) {
            let good = |value: f64| value.is_finite() && value >= 0.0;
            if !(good(link.bandwidth_bytes_per_s)
                && link.bandwidth_bytes_per_s > 0.0
                && good(link.latency_s))
            {
                wrong.push(format!(
                    "link {number}: bandwidth_bytes_per_s must be above 0, and latency_s from 0 on"
                ));
            }
            if link.between[0] == link.between[1] {
                wrong.push(format!("link {number}: both ends are {:?}", link.between[0]));
            }
        }
        if !wrong.is_empty() {
            return Err(SitesDocumentError(wrong));
        }
        for site in &mut document.sites {
            if let Some(PlatformSource::Here(platform)) = &mut site.platform
                && let Some(section) = &mut platform.network
            {
                add_frontal(section, &site.frontal);
            }
        }
        Ok(document)
    }

    fn check_names(&self, wrong: &mut Vec<String>) {
        let sites = self.sites.iter().map(|site| &site.name);
        let names: Vec<&String> =
            sites.chain(self.clients.iter().map(|client| &client.name)).collect();
        for (place, name) in names.iter().enumerate() {
            if name.is_empty() || name.contains(['/', '\\', '!', '\n']) || name.starts_with('.') {
                let rule = "a name is not empty, does not begin with a dot, and has no /, \\ or !";
                wrong.push(format!("{name:?}: {rule}"));
            }
            if names[..place].contains(name) {
                wrong.push(format!("{name:?} is the name of two sites or clients"));
            }
        }
        if self.sites.is_empty() {
            wrong.push("there is no [[sites]]".to_owned());
        }
    }

    fn check_client(&self, client: &ClientSection, wrong: &mut Vec<String>) {
        let mut say = |what: String| wrong.push(format!("client {:?}: {what}", client.name));
        let there = |name: &String| self.sites.iter().any(|site| site.name == *name);
        for name in client.sites.iter().flatten().chain(&client.at) {
            if !there(name) {
                say(format!("{name:?} is no site"));
            }
        }
        if client.sites.as_ref().is_some_and(Vec::is_empty) {
            say("sites is empty".to_owned());
        }
        let sources = [client.workload.is_some(), client.drawn.is_some(), !client.tasks.is_empty()];
        if sources.iter().filter(|source| **source).count() != 1 {
            say("its tasks are either a workload, drawn, or [[clients.tasks]]".to_owned());
        }
        if let Some(drawn) = &client.drawn {
            drawn.check(&mut |what| say(what.to_owned()));
        }
        for (number, task) in (1..).zip(&client.tasks) {
            let times = [Some(task.submission_time_s), Some(task.run_time_s), task.walltime_s];
            let sizes = [Some(task.input_bytes), Some(task.output_bytes)];
            let good = |value: &f64| value.is_finite() && (0.0..1e12).contains(value);
            let bytes = |value: &f64| value.is_finite() && *value >= 0.0;
            if task.nodes == 0
                || !times.iter().flatten().all(good)
                || !sizes.iter().flatten().all(bytes)
            {
                say(format!("task {number}: nodes are from 1 on, times and bytes from 0 on"));
            }
        }
    }
}

fn check_site(site: &SiteSection, say: &mut dyn FnMut(&str)) {
    if site.machines.is_some() == site.platform.is_some() {
        say("it has either machines or a platform");
    }
    if site.machines == Some(0) || site.machines.is_some_and(|machines| machines > 10_000_000) {
        say("machines are from 1 to 10000000");
    }
    if site.network.is_some() && site.platform.is_some() {
        say("the network of a platform is written in the platform");
    }
    if site.queues == 0 {
        say("queues are from 1 on");
    }
    if !(site.speed.is_finite() && site.speed > 0.0) {
        say("speed must be above 0");
    }
    if let Some(LoadSection::Drawn(drawn)) = &site.load {
        drawn.check(say);
        if !(drawn.input_bytes.is_empty() && drawn.output_bytes.is_empty()) {
            say(
                "jobs of its own users bring no data: input_bytes and output_bytes are for clients",
            );
        }
    }
}

impl DrawnSection {
    fn check(&self, say: &mut dyn FnMut(&str)) {
        if !(self.mean_gap_s.is_finite() && self.mean_gap_s > 0.0 && self.mean_gap_s < 1e9) {
            say("mean_gap_s must be above 0");
        }
        if self.nodes[0] == 0 || self.nodes[0] > self.nodes[1] {
            say("nodes are [least, most] from 1 on");
        }
        if self.run_time_s[0] > self.run_time_s[1] {
            say("run_time_s is [shortest, longest]");
        }
        let [least, most] = self.walltime_factor;
        if !(least > 0.0 && least <= most && most < 1e6) {
            say("walltime_factor is [least, most], above 0");
        }
        let sizes = self.input_bytes.iter().chain(&self.output_bytes);
        if !sizes.into_iter().all(|bytes| bytes.is_finite() && *bytes >= 0.0) {
            say("input_bytes and output_bytes are from 0 on");
        }
        if self.queues == 0 {
            say("queues are from 1 on");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_wrong_is_named() {
        let text = r#"
            [[sites]]
            name = "a"
            queues = 0
            [[sites]]
            name = "a"
            machines = 2
            [[links]]
            between = ["a", "a"]
            bandwidth_bytes_per_s = 0
            [[clients]]
            name = "x/y"
            rule = "random"
            sites = ["b"]
        "#;
        let SitesDocumentError(errors) = SitesDocument::parse(text).unwrap_err();
        let expected = [
            "\"a\" is the name of two sites or clients",
            "\"x/y\": a name is not empty, does not begin with a dot, and has no /, \\ or !",
            "site \"a\": it has either machines or a platform",
            "site \"a\": queues are from 1 on",
            "client \"x/y\": \"b\" is no site",
            "client \"x/y\": its tasks are either a workload, drawn, or [[clients.tasks]]",
            "link 1: bandwidth_bytes_per_s must be above 0, and latency_s from 0 on",
            "link 1: both ends are \"a\"",
        ];
        assert_eq!(errors, expected);
    }

    #[test]
    fn an_unknown_rule_is_told_with_those_there_are() {
        let text =
            "[[sites]]\nname = \"a\"\nmachines = 1\n[[clients]]\nname = \"c\"\nrule = \"best\"\n";
        let error = SitesDocument::parse(text).unwrap_err().to_string();
        assert!(error.contains("earliest_start") && error.contains("line 6"), "{error}");
    }

    #[test]
    fn a_network_without_a_frontal_gets_one() {
        let text = "[[sites]]\nname = \"a\"\n[[sites.platform.machines]]\ncount = 2\n\
                    [sites.platform.network]\nbandwidth_bytes_per_s = 1e6\n";
        let document = SitesDocument::parse(text).unwrap();
        let Some(PlatformSource::Here(platform)) = &document.sites[0].platform else { panic!() };
        assert_eq!(platform.network.as_ref().unwrap().storages[0].name, "frontal");
    }
}
