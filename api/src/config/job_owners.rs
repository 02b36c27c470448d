//! Whose jobs may run in the reservations of an owner, and which owner a user of the resource manager is:
//! `[slurm.owners.NAME]`.

use std::collections::{BTreeMap, BTreeSet};

/// Whose jobs may run in a reservation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobOwners {
    /// The users.
    pub users: BTreeSet<String>,
    /// The accounts.
    pub accounts: BTreeSet<String>,
}

impl JobOwners {
    /// These, and those of another. Slurm lets in whom both lists admit, so that a list that is empty, and admits
    /// everybody, stays empty.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        if !self.users.is_empty() {
            self.users.extend(others.users);
        }
        if !self.accounts.is_empty() {
            self.accounts.extend(others.accounts);
        }
        self
    }

    /// Whether a job of this user under this account may: where both are named, both must be.
    pub fn admit(&self, user: &str, account: &str) -> bool {
        (self.users.is_empty() || self.users.contains(user))
            && (self.accounts.is_empty() || self.accounts.contains(account))
    }
}

/// Whose jobs may run in the reservations of each owner; unless listed, those of the user of this name.
#[derive(Clone, Debug, Default)]
pub struct OwnerUsers(BTreeMap<String, JobOwners>);

impl OwnerUsers {
    /// The owners that are listed.
    pub const fn listed(&self) -> &BTreeMap<String, JobOwners> {
        &self.0
    }

    /// Whose jobs may run in the reservations of an owner.
    pub fn job_owners(&self, owner: &str) -> JobOwners {
        let alone = || JobOwners { users: [owner.to_owned()].into(), accounts: BTreeSet::new() };
        self.0.get(owner).cloned().unwrap_or_else(alone)
    }

    /// The owner who is this user: the one whose section names this user and no other, else the one of the user's name,
    /// unless the section of that one names other users only. `None` where nobody is for certain: where two sections name
    /// this user and no other, too.
    pub fn owner_of<'a>(&'a self, user: &'a str) -> Option<&'a str> {
        let is_alone = |it: &JobOwners| it.users.len() == 1 && it.users.contains(user);
        let mut named = self.0.iter().filter(|(_, it)| is_alone(it)).map(|(owner, _)| &**owner);
        match (named.next(), named.next()) {
            (Some(owner), None) => Some(owner),
            (Some(_), Some(_)) => None,
            (None, _) => {
                let own = self.job_owners(user).users;
                (own.is_empty() || own.contains(user)).then_some(user)
            }
        }
    }
}

impl FromIterator<(String, JobOwners)> for OwnerUsers {
    fn from_iter<I: IntoIterator<Item = (String, JobOwners)>>(owners: I) -> Self {
        Self(owners.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(list: &[&str]) -> BTreeSet<String> {
        list.iter().map(|&name| name.to_owned()).collect()
    }

    fn owners(list: &[(&str, &[&str], &[&str])]) -> OwnerUsers {
        let owner = |(owner, users, accounts): &(&str, &[&str], &[&str])| {
            let both = JobOwners { users: names(users), accounts: names(accounts) };
            ((*owner).to_owned(), both)
        };
        list.iter().map(owner).collect()
    }

    #[test]
    fn jobs_are_admitted_by_user_and_account() {
        let both = JobOwners { users: names(&["al"]), accounts: names(&["physics"]) };
        assert!(both.admit("al", "physics"));
        assert!(!both.admit("al", "") && !both.admit("bob", "physics"));
        let accounts = JobOwners { accounts: names(&["physics"]), ..JobOwners::default() };
        assert!(accounts.admit("bob", "physics") && !accounts.admit("bob", "chemistry"));
    }

    /// Where accounts alone are named, whoever is in them may already; a user more would shut them out.
    #[test]
    fn others_come_to_the_lists_that_are_there() {
        let of = |users: &[&str], accounts: &[&str]| JobOwners {
            users: names(users),
            accounts: names(accounts),
        };
        assert_eq!(of(&["al"], &[]).and(of(&["bob"], &[])), of(&["al", "bob"], &[]));
        assert_eq!(of(&[], &["physics"]).and(of(&["bob"], &[])), of(&[], &["physics"]));
        let both = of(&["al"], &["physics"]).and(of(&["bob"], &["ice"]));
        assert_eq!(both, of(&["al", "bob"], &["ice", "physics"]));
    }

    #[test]
    fn a_user_is_the_owner_whose_section_says_so_or_the_one_of_the_same_name() {
        let owners = owners(&[
            ("alice", &["al"], &[]),
            ("group", &["bob", "carol"], &[]),
            ("physics", &[], &["physics"]),
        ]);
        let of = |user| owners.owner_of(user);
        assert_eq!(of("al"), Some("alice"));
        assert_eq!(of("alice"), None, "the user of this name is somebody else");
        assert_eq!(of("bob"), Some("bob"), "what others of a group do is not the group's");
        assert_eq!([of("physics"), of("eve")], [Some("physics"), Some("eve")]);
    }

    #[test]
    fn a_user_whom_two_owners_claim_is_neither() {
        let owners = owners(&[("alice", &["al"], &[]), ("albert", &["al"], &["physics"])]);
        assert_eq!(owners.owner_of("al"), None);
    }
}
