//! Fair shares: jobs of who used least of what is theirs go first (Georgiou, Glesser, Rzadca and Trystram 2015), by
//! [`planner::fair_share`], as the service has it.
//!
//! A job counts when it ends: the seconds of what it used of the shared resource, its joules, or both. What was used counts half
//! after each half-life. Without a damping the order is by usage over share, as in the paper's simulations (IV-A), and for both
//! together each is divided by the largest now and added up. With `damping` it is by the factor of equation 4, likewise.

mod flat;

use std::collections::BTreeMap;

use planner::fair_share::{Account, FairShare, fair_shares};

use flat::FlatUsage;

use super::{OrderSetting, QueueOrder, UnitOrderPart, Used, Waiting};
use crate::dispatch::unit::UnitRequests;
use crate::policy::{About, Options, PolicyOption, option};
use crate::time::Time;

const OPTIONS: &[PolicyOption] = &[
    option(
        "half_life_s",
        "604800",
        "after how long what was used counts half; never: always all of it",
    ),
    option(
        "damping",
        "none",
        "orders by equation 4 with this damping; without it by usage over share",
    ),
    option("share_resource", "cores, else the first", "of what seconds are shared"),
];

/// By seconds of processors.
pub(super) const FAIR_SHARE: UnitOrderPart = UnitOrderPart {
    about: About {
        name: "fairshare",
        meaning: "who used least processor time of what is theirs first",
        options: OPTIONS,
    },
    build: |setting, options| Box::new(ShareOrder::new(setting, options, &[Counted::Seconds])),
};

/// By energy.
pub(super) const ENERGY_FAIR_SHARE: UnitOrderPart = UnitOrderPart {
    about: About {
        name: "energy_fairshare",
        meaning: "who used least energy of what is theirs first",
        options: OPTIONS,
    },
    build: |setting, options| Box::new(ShareOrder::new(setting, options, &[Counted::Joules])),
};

/// By both.
pub(super) const BOTH: UnitOrderPart = UnitOrderPart {
    about: About {
        name: "fairshare_energy_fairshare",
        meaning: "by both, each divided by the largest now",
        options: OPTIONS,
    },
    build: |setting, options| {
        Box::new(ShareOrder::new(setting, options, &[Counted::Seconds, Counted::Joules]))
    },
};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    Seconds,
    Joules,
}

/// Who is given which share: accounts in a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SharesFile {
    names: BTreeMap<Box<str>, usize>,
    accounts: Vec<Account>,
}

/// Why a file gives no shares.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct SharesError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong there.
    pub what: String,
}

impl SharesFile {
    /// Reads a table `account,share` with the column `parent`, where accounts make a tree; users are accounts by their names.
    ///
    /// # Errors
    /// What is no such table; a parent that is not there; accounts in a circle.
    pub fn parse(text: &str) -> Result<Self, SharesError> {
        let mut reader =
            csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let fault = |error: &csv::Error| SharesError {
            line: error.position().map_or(1, csv::Position::line),
            what: error.to_string(),
        };
        let header = reader.headers().map_err(|error| fault(&error))?.clone();
        let place = |name: &str| header.iter().position(|it| it == name);
        let (Some(account), Some(share)) = (place("account"), place("share")) else {
            let what = "the columns must be account, share and, in a tree, parent".to_owned();
            return Err(SharesError { line: 1, what });
        };
        let parent = place("parent");
        let (mut file, mut parents) = (Self::default(), Vec::new());
        for record in reader.records() {
            let record = record.map_err(|error| fault(&error))?;
            let line = record.position().map_or(0, csv::Position::line);
            let wrong = |what: String| SharesError { line, what };
            let share: f64 = record[share]
                .parse()
                .ok()
                .filter(|share: &f64| share.is_finite() && *share >= 0.0)
                .ok_or_else(|| wrong(format!("{:?} is no share from 0 on", &record[share])))?;
            let before = file.names.insert(record[account].into(), file.accounts.len());
            if before.is_some() {
                return Err(wrong(format!("the account {} is there already", &record[account])));
            }
            file.accounts.push(Account { parent: None, share, used: 0.0 });
            let parent = parent.map(|place| record[place].to_owned()).filter(|it| !it.is_empty());
            parents.push((line, parent));
        }
        for (at, (line, parent)) in parents.iter().enumerate() {
            let Some(parent) = parent else { continue };
            let found = file.names.get(parent.as_str()).copied();
            let what = format!("there is no account {parent}");
            file.accounts[at].parent = Some(found.ok_or(SharesError { line: *line, what })?);
        }
        if let Err(error) = fair_shares(&file.accounts, 1.0, 1.0) {
            return Err(SharesError { line: 1, what: error.to_string() });
        }
        Ok(file)
    }
}

/// What was used, of which half counts after each half-life.
#[derive(Clone, Copy, Debug, Default)]
struct Usage {
    amount: f64,
    at: Time,
}

/// A number that orders as a measure from 0 on does.
fn ordered(measure: f64) -> i64 {
    i64::try_from(measure.to_bits()).unwrap_or(0)
}

#[derive(Debug)]
struct ShareOrder {
    half_life: Option<Time>,
    damping: Option<f64>,
    resource: usize,
    counted: Vec<Counted>,
    /// What there is to use in a second of each that is counted.
    per_second: [f64; 2],
    names: BTreeMap<Box<str>, usize>,
    accounts: Vec<Account>,
    /// The account of each user.
    account_of: Vec<usize>,
    /// By account: seconds and joules.
    usage: Vec<[Usage; 2]>,
    /// Where usage over shares orders, and nobody is part of a group.
    flat: Option<FlatUsage>,
    /// The rank of each user; equal where they stand equal.
    ranks: Vec<i64>,
    changed: bool,
}

impl ShareOrder {
    fn new(setting: &OrderSetting<'_>, options: &mut Options<'_>, counted: &[Counted]) -> Self {
        let system = setting.system;
        let half_life = options.time_or_never("half_life_s", Some(Time::from_seconds(604_800)));
        let damping = options.number("damping", f64::MIN_POSITIVE, 1e9);
        let named = options.text("share_resource").map(|name| {
            system.resources.iter().position(|it| **it == *name).unwrap_or_else(|| {
                let names = system.resources.join(", ");
                options.wrong(format!("share_resource: nodes have no {name}; they have {names}"));
                0
            })
        });
        let cores = || system.place_of("cores").unwrap_or(0);
        let resource = named.unwrap_or_else(cores);
        let seconds = system.totals()[resource] as f64;
        let full_w = |it: &crate::dispatch::system::NodeType| {
            let drawn =
                it.draw.as_ref().map(|draw| draw.at(&it.amounts, it.amounts.iter().copied()));
            drawn.map(|power| power.as_watts() * f64::from(it.count))
        };
        let joules: Option<f64> = system.types.iter().map(full_w).sum();
        let SharesFile { names, accounts } = setting.shares.cloned().unwrap_or_default();
        let half_life = half_life.filter(|it| *it > Time::ZERO);
        let is_flat = damping.is_none() && accounts.iter().all(|it| it.parent.is_none());
        Self {
            half_life,
            damping,
            resource,
            counted: counted.to_vec(),
            per_second: [seconds, joules.unwrap_or(seconds)],
            names,
            usage: vec![[Usage::default(); 2]; accounts.len()],
            accounts,
            flat: is_flat.then(|| FlatUsage::new(half_life)),
            account_of: Vec::new(),
            ranks: Vec::new(),
            changed: true,
        }
    }

    /// What a length of time ago counts of what counts now.
    fn weight(&self, age: Time) -> f64 {
        self.half_life.map_or(1.0, |half_life| (-age.as_seconds() / half_life.as_seconds()).exp2())
    }

    /// How accounts stand by seconds or joules.
    fn standing(&mut self, counted: Counted, now: Time, damping: f64) -> Vec<FairShare> {
        let place = counted as usize;
        for at in 0..self.accounts.len() {
            let Usage { amount, at: since } = self.usage[at][place];
            self.accounts[at].used = amount * self.weight(now - since);
        }
        // The integral of what there is to use, decayed.
        let seconds = self.half_life.map_or(now.as_seconds(), |half_life| {
            half_life.as_seconds() / std::f64::consts::LN_2 * (1.0 - self.weight(now))
        });
        let available = self.per_second[place] * seconds;
        // The tree was checked when it was read, and users are added at its top.
        fair_shares(&self.accounts, available, damping).unwrap_or_default()
    }

    /// What sorts accounts: the least goes first.
    fn measures(&mut self, now: Time) -> Vec<f64> {
        let damping = self.damping;
        let mut sums = vec![0.0; self.accounts.len()];
        for counted in self.counted.clone() {
            let stands = self.standing(counted, now, damping.unwrap_or(1.0));
            let of = |it: &FairShare| match damping {
                Some(_) => it.factor,
                None if it.effective_usage <= 0.0 => 0.0,
                None => it.effective_usage / it.share,
            };
            let values: Vec<f64> = stands.iter().map(of).collect();
            let finite = values.iter().copied().filter(|it| it.is_finite());
            let largest = finite.fold(0.0, f64::max);
            let scale = if self.counted.len() > 1 && largest > 0.0 { largest } else { 1.0 };
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum += value / scale;
            }
        }
        if damping.is_some() {
            for sum in &mut sums {
                *sum = -*sum;
            }
        }
        sums
    }
}

impl QueueOrder for ShareOrder {
    fn prepare(&mut self, now: Time) -> bool {
        // While nobody's usage changes all of it decays alike, and only sums of factors may change their order.
        let sums = self.damping.is_some() && self.counted.len() > 1;
        if !std::mem::take(&mut self.changed) && !sums {
            return false;
        }
        if let Some(flat) = &self.flat {
            let by_account: Vec<i64> = flat.measures(&self.counted).map(ordered).collect();
            let of = |at: &usize| by_account.get(*at).copied().unwrap_or(0);
            self.ranks.clear();
            self.ranks.extend(self.account_of.iter().map(of));
            return true;
        }
        let measures = self.measures(now);
        let mut sorted: Vec<(f64, usize)> =
            self.account_of.iter().enumerate().map(|(user, &at)| (measures[at], user)).collect();
        sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
        let before = std::mem::replace(&mut self.ranks, vec![0; self.account_of.len()]);
        let (mut rank, mut last) = (0, f64::NEG_INFINITY);
        for (measure, user) in sorted {
            if measure > last {
                (rank, last) = (rank + 1, measure);
            }
            self.ranks[user] = rank;
        }
        before != self.ranks
    }

    fn rank(&self, job: &Waiting, _: &UnitRequests, _: Time) -> (i64, i64) {
        (self.ranks.get(job.user as usize).copied().unwrap_or(0), 0)
    }

    fn changes(&self) -> bool {
        true
    }

    fn user(&mut self, name: &str) {
        let new = self.accounts.len();
        let at = *self.names.entry(name.into()).or_insert(new);
        if at == new {
            self.accounts.push(Account { parent: None, share: 1.0, used: 0.0 });
            self.usage.push([Usage::default(); 2]);
        }
        self.account_of.push(at);
        self.changed = true;
    }

    fn ended(&mut self, now: Time, used: Used) {
        let Some(&at) = self.account_of.get(used.user as usize) else { return };
        for (place, more) in [used.seconds, used.joules].into_iter().enumerate() {
            let Usage { amount, at: since } = self.usage[at][place];
            let amount = amount * self.weight(now - since) + more;
            self.usage[at][place] = Usage { amount, at: now };
        }
        if let Some(flat) = &mut self.flat {
            flat.changed(at, &self.usage, |at| self.accounts[at].share);
        }
        self.changed = true;
    }

    fn shares(&self) -> Option<usize> {
        Some(self.resource)
    }

    fn factors(&mut self, now: Time) -> Vec<f64> {
        let (damping, counted) = (self.damping.unwrap_or(1.0), self.counted.clone());
        let mut factors = vec![0.0; self.account_of.len()];
        let part = 1.0 / counted.len().max(1) as f64;
        for counted in counted {
            let stands = self.standing(counted, now, damping);
            for (factor, at) in factors.iter_mut().zip(&self.account_of) {
                *factor += stands[*at].factor * part;
            }
        }
        factors
    }
}

#[cfg(test)]
mod tests;
