//! The accounts of a site in a tree: groups, projects and the users in them.

use std::collections::HashMap;

use planner::fair_share::{Account, AccountError, PlannedUsage, Prospect, Prospects};
use planner::project::Projects;
use planner::time::Timestamp;

use crate::config::shares::{CountedUsage, GivenShare};
use crate::service::shared::{AccountKey, KeptStandings};

/// What was used, decayed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Used {
    /// Seconds of nodes.
    pub node_seconds: f64,
    /// Joules.
    pub energy_j: f64,
    /// What the energy cost, in the site's currency; what cost less than nothing counts nothing.
    pub cost: f64,
    /// Grams of CO2, by location.
    pub co2_g: f64,
}

impl Used {
    fn add(&mut self, more: Self) {
        self.node_seconds += more.node_seconds;
        self.energy_j += more.energy_j;
        self.cost += more.cost;
        self.co2_g += more.co2_g;
    }

    /// What of it counts.
    pub const fn counted(self, counts: CountedUsage) -> f64 {
        match counts {
            CountedUsage::Energy => self.energy_j,
            CountedUsage::NodeSeconds => self.node_seconds,
            CountedUsage::Cost => self.cost,
            CountedUsage::Co2 => self.co2_g,
        }
    }
}

/// How an account stands.
#[derive(Clone, Debug, PartialEq)]
pub struct AccountStanding {
    /// The group, project or user.
    pub account: String,
    /// What it is a part of; empty at the top.
    pub parent: String,
    /// Whether it is a user.
    pub is_user: bool,
    /// Its share of everything, from 0 to 1.
    pub share: f64,
    /// What it and all below it used, decayed.
    pub used: Used,
    /// What counts of it of what there was.
    pub normalised_usage: f64,
    /// From 0 to 1: the higher, the better it stands.
    pub factor: f64,
    /// What would change it.
    pub prospect: Prospect,
}

/// Accounts with what each used itself.
#[derive(Debug, Default)]
pub struct AccountTree {
    names: Vec<(String, String)>,
    is_user: Vec<bool>,
    accounts: Vec<Account>,
    used: Vec<Used>,
    /// The part of it that is planned, and until when.
    planned: Vec<(Used, Option<Timestamp>)>,
    /// By name and parent.
    places: HashMap<AccountKey, usize>,
    /// Of groups and projects, by name.
    projects: HashMap<String, usize>,
    given: HashMap<AccountKey, f64>,
    /// What each group and project is a part of.
    parents: HashMap<String, String>,
}

impl AccountTree {
    /// The accounts that are given shares; others are added with what they used, where the site's projects have them.
    pub fn new(given: &[GivenShare], projects: &Projects) -> Self {
        let key = |it: &GivenShare| (it.account.clone(), it.parent.clone());
        let by_name = given.iter().map(|it| (key(it), it.share)).collect();
        let parents = parents(given, projects);
        let mut tree = Self { given: by_name, parents, ..Self::default() };
        for it in given {
            let parent = tree.project(&it.parent);
            tree.place(&it.account, &it.parent, parent, false);
        }
        tree
    }

    /// Adds what a user used in a project; in none where that is empty.
    pub fn add(&mut self, user: &str, project: &str, more: Used) {
        let parent = self.project(project);
        let at = self.place(user, project, parent, true);
        self.used[at].add(more);
    }

    /// Adds what a user is to use in a project by a booking that ends then.
    pub fn add_planned(&mut self, user: &str, project: &str, more: Used, until: Timestamp) {
        self.add(user, project, more);
        let parent = self.project(project);
        let at = self.place(user, project, parent, true);
        let (planned, last) = &mut self.planned[at];
        planned.add(more);
        *last = (*last).max(Some(until));
    }

    /// The place of a project or group, with all that it is a part of; `None` where it is empty.
    fn project(&mut self, name: &str) -> Option<usize> {
        if name.is_empty() {
            return None;
        }
        if let Some(known) = self.projects.get(name) {
            return Some(*known);
        }
        let above = self.parents.get(name).cloned().unwrap_or_default();
        let parent = self.project(&above);
        let at = self.place(name, &above, parent, false);
        self.projects.insert(name.to_owned(), at);
        Some(at)
    }

    fn place(&mut self, name: &str, above: &str, parent: Option<usize>, is_user: bool) -> usize {
        let key = (name.to_owned(), above.to_owned());
        if let Some(&known) = self.places.get(&key) {
            self.is_user[known] |= is_user;
            return known;
        }
        let share = self.given.get(&key).copied().unwrap_or(1.0);
        let at = self.accounts.len();
        self.accounts.push(Account { parent, share, used: 0.0 });
        self.names.push(key.clone());
        self.is_user.push(is_user);
        self.used.push(Used::default());
        self.planned.push((Used::default(), None));
        self.places.insert(key, at);
        at
    }

    /// How all stand, each after its parent, by names, and what that follows from, to be kept. Of what is kept it is left to
    /// the caller to say when usage was known and what days count.
    ///
    /// # Errors
    /// They make no tree.
    pub fn standings(
        mut self,
        counts: CountedUsage,
        available: f64,
        damping: f64,
    ) -> Result<(Vec<AccountStanding>, KeptStandings), AccountError> {
        for (account, used) in self.accounts.iter_mut().zip(&self.used) {
            account.used = used.counted(counts);
        }
        let planned = self.planned.iter();
        let planned: Vec<PlannedUsage> = planned
            .map(|&(used, until)| PlannedUsage { used: used.counted(counts), until })
            .collect();
        let (prospects, told) = Prospects::new(&self.accounts, &planned, available, damping)?;
        // A parent is always placed before what is below it.
        for at in (0..self.accounts.len()).rev() {
            if let Some(parent) = self.accounts[at].parent {
                let below = self.used[at];
                self.used[parent].add(below);
            }
        }
        let mut by_path: Vec<(Vec<&str>, usize)> =
            (0..self.accounts.len()).map(|at| (self.path(at), at)).collect();
        by_path.sort_unstable();
        let standing = |(_, at): &(Vec<&str>, usize)| {
            let (account, parent) = self.names[*at].clone();
            Some(AccountStanding {
                account,
                parent,
                is_user: self.is_user[*at],
                share: told[*at].share,
                used: self.used[*at],
                normalised_usage: told[*at].effective_usage,
                factor: told[*at].factor,
                prospect: prospects.of(*at)?,
            })
        };
        let standings = by_path.iter().filter_map(standing).collect();
        let Self { places, projects, parents, given, .. } = self;
        let kept = KeptStandings {
            places,
            projects,
            parents,
            given,
            prospects,
            ..KeptStandings::default()
        };
        Ok((standings, kept))
    }

    /// The names from the top to an account.
    fn path(&self, at: usize) -> Vec<&str> {
        let mut path = vec![self.names[at].0.as_str()];
        let mut above = self.accounts[at].parent;
        while let Some(parent) = above {
            path.push(&self.names[parent].0);
            above = self.accounts[parent].parent;
        }
        path.reverse();
        path
    }
}

/// What each group and project is a part of: as shares are given, and else as the site's projects are. What would be a part
/// of itself by both together is at the top.
fn parents(given: &[GivenShare], projects: &Projects) -> HashMap<String, String> {
    let said = given.iter().map(|it| (it.account.as_str(), it.parent.as_str()));
    let said: HashMap<&str, &str> = said.collect();
    let above = |name: &str| {
        let kept = || projects.get(name)?.parent.as_deref();
        said.get(name).copied().or_else(kept).filter(|parent| !parent.is_empty())
    };
    let most = given.len() + projects.iter().count();
    let is_circle = |name: &str| {
        std::iter::successors(above(name), |it| above(it)).take(most).any(|it| it == name)
    };
    let names = said.keys().copied().chain(projects.iter().map(|(name, _)| name));
    let names = names.filter(|name| !is_circle(name));
    names.filter_map(|name| Some((name.to_owned(), above(name)?.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    use planner::project::ProjectEdit;

    use super::*;

    fn projects(all: &[(&str, Option<&str>)]) -> Projects {
        all.iter().fold(Projects::default(), |projects, (name, parent)| {
            let (name, parent) = ((*name).to_owned(), parent.map(str::to_owned));
            projects.after(&ProjectEdit::Put { name, parent }).unwrap()
        })
    }

    /// Ice is a part of physics as the site keeps projects; of the ocean the settings say otherwise. Together with
    /// physics as a part of ice, ice would be a part of itself.
    #[test]
    fn projects_have_their_places_unless_shares_give_them_others() {
        let kept = projects(&[("physics", None), ("ice", Some("physics")), ("ocean", Some("ice"))]);
        let told = |given: &[GivenShare]| {
            let mut all: Vec<_> = parents(given, &kept).into_iter().collect();
            all.sort();
            all
        };
        let pair = |name: &str, parent: &str| (name.to_owned(), parent.to_owned());
        assert_eq!(told(&[]), [pair("ice", "physics"), pair("ocean", "ice")]);
        let elsewhere = [given("ocean", "science", 1.0)];
        assert_eq!(told(&elsewhere), [pair("ice", "physics"), pair("ocean", "science")]);
        assert_eq!(told(&[given("physics", "ice", 1.0)]), [pair("ocean", "ice")]);
    }

    fn given(account: &str, parent: &str, share: f64) -> GivenShare {
        GivenShare { account: account.to_owned(), parent: parent.to_owned(), share }
    }

    fn used(energy_j: f64) -> Used {
        Used { node_seconds: 1.0, energy_j, ..Used::default() }
    }

    /// The science group has three parts of four, and in it the ocean alone is known; ada has two parts of three of the
    /// ocean, bob one. eve is in no project, and has the fourth part. Of 1000 J ada used 100, bob 50, eve 200:
    /// ada's share is 0.75 x 2 / 3 = 0.5; her effective usage 0.1 + (0.15 - 0.1) x 2 / 3 = 0.1333, and her factor
    /// 2^(-0.1333 / 0.5). eve has 2^(-0.2 / 0.25).
    #[test]
    fn users_share_what_is_their_projects() {
        let shares =
            [given("ocean", "science", 7.0), given("science", "", 3.0), given("ada", "ocean", 2.0)];
        let mut tree = AccountTree::new(&shares, &Projects::default());
        tree.add("ada", "ocean", used(60.0));
        tree.add("eve", "", used(200.0));
        tree.add("bob", "ocean", used(50.0));
        tree.add("ada", "ocean", used(40.0));
        let (told, kept) = tree.standings(CountedUsage::Energy, 1000.0, 1.0).unwrap();
        let names: Vec<[&str; 2]> = told.iter().map(|it| [&*it.account, &*it.parent]).collect();
        let expected = [
            ["eve", ""],
            ["science", ""],
            ["ocean", "science"],
            ["ada", "ocean"],
            ["bob", "ocean"],
        ];
        assert_eq!(names, expected);
        let (eve, ocean, ada) = (&told[0], &told[2], &told[3]);
        assert_eq!((ada.share, ada.used.energy_j, ocean.used.energy_j), (0.5, 100.0, 150.0));
        assert!((ada.normalised_usage - 0.4 / 3.0).abs() < 1e-12, "{ada:?}");
        assert!((ada.factor - (-0.8_f64 / 3.0).exp2()).abs() < 1e-12);
        assert!((eve.factor - (-0.8_f64).exp2()).abs() < 1e-12);
        assert!(eve.is_user && !ocean.is_user);
        assert_eq!((kept.of("ada", "ocean"), kept.of("eve", "")), (ada.prospect, eve.prospect));
    }

    /// Of 100 EUR the one used 20 and books for 10, the other nothing: 0.3 of what there was, with a half of everything
    /// 2^-0.6. In grams it used 5 and books 15 of 100: 2^-0.4.
    #[test]
    fn what_counts_may_be_money_or_co2() {
        let amounts = |cost, co2_g| Used { cost, co2_g, ..Used::default() };
        for (counts, exponent) in [(CountedUsage::Cost, -0.6_f64), (CountedUsage::Co2, -0.4)] {
            let mut tree = AccountTree::new(&[given("eve", "", 1.0)], &Projects::default());
            tree.add("ada", "", amounts(20.0, 5.0));
            let until = Timestamp::from_unix_seconds(3600);
            tree.add_planned("ada", "", amounts(10.0, 15.0), until);
            let (told, kept) = tree.standings(counts, 100.0, 1.0).unwrap();
            let ada = told.iter().find(|it| it.account == "ada").unwrap();
            assert_eq!((ada.used.cost, ada.used.co2_g), (30.0, 20.0));
            assert!((ada.factor - exponent.exp2()).abs() < 1e-12, "{ada:?}");
            assert!((kept.of("ada", "").factor() - ada.factor).abs() < 1e-12);
        }
    }
}
