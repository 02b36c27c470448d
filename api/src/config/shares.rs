//! Fair shares: `[shares]`. See `docs/SHARES.md`.

use std::collections::BTreeSet;

use anyhow::ensure;
use planner::fair_share::{Account, ByFactor, StandingWeights, fair_shares};
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
    /// Whether the settings have the section: else nobody is told how they stand before they book.
    pub told: bool,
    /// What a day so much older counts is half.
    pub half_life: Seconds,
    /// By how much usage above or below the share counts less: 1 is the plain rule.
    pub damping: f64,
    /// What is counted.
    pub counts: CountedUsage,
    /// Accounts that are given a share; all others have 1.
    pub accounts: Vec<GivenShare>,
    /// What shares decide; `None` where they decide nothing.
    pub decides: Option<ShareDecisions>,
}

/// What shares decide where people compete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareDecisions {
    /// What counts in who goes before whom.
    pub weights: StandingWeights,
    /// How long offers are held.
    pub hold: ByFactor,
    /// How far ahead of now a reservation may start; `None` where anybody books as far ahead as they want.
    pub ahead: Option<ByFactor>,
    /// For how long of the whole cluster one user's proposals may hold offers; `None` where it is the same for all.
    pub held: Option<ByFactor>,
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
    /// What energy cost, in the site's currency.
    Cost,
    /// Grams of CO2, by location.
    Co2,
}

impl CountedUsage {
    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Energy => "energy",
            Self::NodeSeconds => "node_seconds",
            Self::Cost => "cost",
            Self::Co2 => "co2",
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
    decides: Option<DecisionFields>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DecisionFields {
    priority_weight: Option<u16>,
    factor_weight: Option<u16>,
    hold_s: Option<[u32; 2]>,
    ahead_s: Option<[u32; 2]>,
    held_cluster_s: Option<[u32; 2]>,
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
    pub fn read(fields: Option<ShareFields>, hold: Seconds) -> anyhow::Result<Self> {
        let told = fields.is_some();
        let fields = fields.unwrap_or_default();
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
            told,
            half_life: Seconds::new(half_life.into()),
            damping,
            counts: fields.counts,
            accounts,
            decides: fields.decides.map(|fields| decisions(&fields, hold)).transpose()?,
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

fn decisions(fields: &DecisionFields, hold: Seconds) -> anyhow::Result<ShareDecisions> {
    let weight = |name: &str, weight: Option<u16>| {
        let weight = weight.unwrap_or(1);
        ensure!(weight <= 1000, "decides.{name} must be at most 1000");
        Ok(weight)
    };
    let priority = weight("priority_weight", fields.priority_weight)?;
    let factor = weight("factor_weight", fields.factor_weight)?;
    let by_factor = |name: &str, pair: Option<[u32; 2]>| {
        let Some([worst, best]) = pair else { return Ok(None) };
        ensure!(
            (1..=best).contains(&worst),
            "decides.{name} must be two numbers of seconds: of who stands worst, and not less of who stands best"
        );
        let (worst, best) = (Seconds::new(worst.into()), Seconds::new(best.into()));
        Ok(Some(ByFactor { worst, best }))
    };
    Ok(ShareDecisions {
        weights: StandingWeights { priority, factor },
        hold: by_factor("hold_s", fields.hold_s)?.unwrap_or(ByFactor { worst: hold, best: hold }),
        ahead: by_factor("ahead_s", fields.ahead_s)?,
        held: by_factor("held_cluster_s", fields.held_cluster_s)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> anyhow::Result<FairShares> {
        FairShares::read(Some(toml::from_str(text).unwrap()), Seconds::new(900))
    }

    #[test]
    fn shares_decide_what_the_site_says_and_else_nothing() {
        assert_eq!(read("").unwrap().decides, None);
        let decides = read("[decides]").unwrap().decides.unwrap();
        assert_eq!(decides.weights, StandingWeights { priority: 1, factor: 1 });
        let hold = ByFactor { worst: Seconds::new(900), best: Seconds::new(900) };
        assert_eq!((decides.hold, decides.ahead, decides.held), (hold, None, None));
        let decides = read("[decides]\nahead_s = [86400, 604800]\nfactor_weight = 0").unwrap();
        let decides = decides.decides.unwrap();
        assert_eq!((decides.weights.factor, decides.ahead.unwrap().worst.get()), (0, 86_400));
        for (text, named) in [
            ("[decides]\nhold_s = [900, 60]", "decides.hold_s"),
            ("[decides]\nahead_s = [0, 60]", "decides.ahead_s"),
            ("[decides]\npriority_weight = 1001", "decides.priority_weight"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn usage_is_energy_with_a_half_life_of_a_week_unless_said() {
        let shares = read("").unwrap();
        assert_eq!((shares.half_life.get(), shares.days()), (604_800, 71));
        assert_eq!((shares.damping, shares.counts), (1.0, CountedUsage::Energy));
        for counts in [CountedUsage::NodeSeconds, CountedUsage::Cost, CountedUsage::Co2] {
            let said = read(&format!("counts = \"{}\"", counts.word())).unwrap();
            assert_eq!((said.counts, said.told), (counts, true));
        }
        assert!(!FairShares::read(None, Seconds::new(900)).unwrap().told);
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
