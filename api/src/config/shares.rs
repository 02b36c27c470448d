//! Fair shares: `[shares]`. See `docs/SHARES.md`.

use std::collections::BTreeSet;

use anyhow::ensure;
use planner::fair_share::{Account, fair_shares};
use planner::node::{NAME_RULE, is_name};
use planner::time::Seconds;
use serde::Deserialize;

const DAY: Seconds = Seconds::new(86_400);

/// No more accounts have a share of their own.
const MOST_ACCOUNTS: usize = 10_000;

/// A half-life is no longer than this.
const LONGEST_HALF_LIFE: u32 = 366 * 86_400;

/// How accounts share the cluster.
#[derive(Clone, Debug)]
pub struct FairShares {
    /// What a day so much older counts is half.
    pub half_life: Seconds,
    /// By how much usage above or below the share counts less: 1 is the plain rule.
    pub damping: f64,
    /// What is counted.
    pub counts: CountedUsage,
    /// Accounts that are given a share; all others have 1.
    pub accounts: Vec<GivenShare>,
}

/// What usage is counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountedUsage {
    /// Joules.
    #[default]
    Energy,
    /// Seconds of nodes.
    NodeSeconds,
}

impl CountedUsage {
    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::NodeSeconds => "node_seconds",
        }
    }
}

/// A project, a group of projects, or a user within a project, and what it is given.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenShare {
    /// The name of the project, group or user.
    pub account: String,
    /// The project or group that it is a part of; empty at the top.
    pub parent: String,
    /// In relation to others with the same parent.
    pub share: f64,
}

/// What the file says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareFields {
    half_life_s: Option<u32>,
    damping: Option<f64>,
    #[serde(default)]
    counts: CountedUsage,
    #[serde(default)]
    accounts: Vec<AccountFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AccountFields {
    account: String,
    #[serde(default)]
    parent: String,
    share: f64,
}

impl FairShares {
    /// Reads the section.
    ///
    /// # Errors
    /// A value out of range, or an account that cannot be one, by name.
    pub fn read(fields: ShareFields) -> anyhow::Result<Self> {
        let half_life = fields.half_life_s.unwrap_or(7 * 86_400);
        ensure!(
            (3600..=LONGEST_HALF_LIFE).contains(&half_life),
            "half_life_s must lie between 3600 and {LONGEST_HALF_LIFE}"
        );
        let damping = fields.damping.unwrap_or(1.0);
        ensure!((0.01..=100.0).contains(&damping), "damping must lie between 0.01 and 100");
        ensure!(fields.accounts.len() <= MOST_ACCOUNTS, "accounts must be at most {MOST_ACCOUNTS}");
        let mut seen = BTreeSet::new();
        let mut accounts = Vec::with_capacity(fields.accounts.len());
        for AccountFields { account, parent, share } in fields.accounts {
            ensure!(is_name(&account), "account {account:?}: the name {NAME_RULE}");
            ensure!(
                parent.is_empty() || is_name(&parent),
                "account {account:?}: parent {parent:?} {NAME_RULE}"
            );
            ensure!(
                (0.0..=1e9).contains(&share),
                "account {account:?}: share must lie between 0 and 1000000000"
            );
            ensure!(
                seen.insert((account.clone(), parent.clone())),
                "account {account:?} is there twice"
            );
            accounts.push(GivenShare { account, parent, share });
        }
        let shares = Self {
            half_life: Seconds::new(half_life.into()),
            damping,
            counts: fields.counts,
            accounts,
        };
        shares.check_tree()?;
        Ok(shares)
    }

    /// The days of which usage counts: older ones count less than a thousandth.
    pub fn days(&self) -> u32 {
        let days = (10 * self.half_life.get()).div_euclid(DAY.get()) + 1;
        u32::try_from(days).unwrap_or(u32::MAX)
    }

    fn check_tree(&self) -> anyhow::Result<()> {
        let place = |name: &str| self.accounts.iter().position(|it| it.account == name);
        let of = |it: &GivenShare| Account {
            parent: place(&it.parent).filter(|_| !it.parent.is_empty()),
            share: it.share,
            used: 0.0,
        };
        let accounts: Vec<Account> = self.accounts.iter().map(of).collect();
        if let Err(error) = fair_shares(&accounts, 1.0, 1.0) {
            let (planner::fair_share::AccountError::Circle(at)
            | planner::fair_share::AccountError::NoParent(at)) = error;
            anyhow::bail!("account {:?} is a part of itself", self.accounts[at].account);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<FairShares> {
        FairShares::read(toml::from_str(text).unwrap())
    }

    #[test]
    fn usage_is_energy_with_a_half_life_of_a_week_unless_said() {
        let shares = read("").unwrap();
        assert_eq!((shares.half_life.get(), shares.days()), (604_800, 71));
        assert_eq!((shares.damping, shares.counts), (1.0, CountedUsage::Energy));
    }

    #[test]
    fn what_cannot_be_is_named() {
        let account = |fields: &str| format!("[[accounts]]\n{fields}\n");
        let circle = account("account = \"a\"\nparent = \"b\"\nshare = 1")
            + &account("account = \"b\"\nparent = \"a\"\nshare = 1");
        let twice = account("account = \"a\"\nshare = 1").repeat(2);
        for (text, named) in [
            ("half_life_s = 60".to_owned(), "half_life_s"),
            ("damping = 0.0".to_owned(), "damping"),
            (account("account = \"a\"\nshare = -1"), "share"),
            (account("account = \"\"\nshare = 1"), "the name"),
            (circle, "\"a\" is a part of itself"),
            (twice, "\"a\" is there twice"),
        ] {
            let error = format!("{:#}", read(&text).unwrap_err());
            assert!(error.contains(named), "{error}");
        }
    }
}
