//! How accounts stand, as it was found last, for whoever decides by it or tells it.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use planner::fair_share::{AdviceRules, Prospect, Prospects, ShareFactor, UsagePeriods};
use planner::time::{Seconds, Timestamp};

/// How users stand in their projects; nothing until it is first found.
#[derive(Debug, Default)]
pub struct ShareFactors(RwLock<Option<Arc<KeptStandings>>>);

/// An account and what it is a part of, empty at the top.
pub type AccountKey = (String, String);

/// How all accounts stand, with the sums that it follows from.
#[derive(Debug, Default)]
pub struct KeptStandings {
    /// The positions of accounts.
    pub places: HashMap<AccountKey, usize>,
    /// The positions of groups and projects.
    pub projects: HashMap<String, usize>,
    /// What each group and project is a part of.
    pub parents: HashMap<String, String>,
    /// What accounts are given by the settings.
    pub given: HashMap<AccountKey, f64>,
    /// By position.
    pub prospects: Prospects,
    /// Until when usage is what was measured or estimated; `None` for now.
    pub known_to: Option<Timestamp>,
    /// Days, with what they count.
    pub periods: UsagePeriods,
    /// After so many days usage counts next to nothing.
    pub most_days: u32,
}

impl ShareFactors {
    /// Replaces all.
    pub fn post(&self, kept: KeptStandings) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(kept));
    }

    /// What was found last.
    pub fn kept(&self) -> Option<Arc<KeptStandings>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// How a user stands in a project, empty for none: the best until it is first found.
    pub fn of(&self, user: &str, project: &str) -> ShareFactor {
        let kept = self.kept();
        kept.map_or(ShareFactor::BEST, |it| ShareFactor::nearest(it.of(user, project).factor()))
    }
}

impl KeptStandings {
    /// How a user stands in a project, empty for none, and what would change it. Who used nothing yet stands as the new member
    /// of the project that they would be. `O(depth)` of the tree.
    pub fn of(&self, user: &str, project: &str) -> Prospect {
        let key = |name: &str, above: &str| (name.to_owned(), above.to_owned());
        let known = self.places.get(&key(user, project));
        if let Some(known) = known.and_then(|&at| self.prospects.of(at)) {
            return known;
        }
        let given =
            |name: &str, above: &str| self.given.get(&key(name, above)).copied().unwrap_or(1.0);
        let mut new = vec![given(user, project)];
        let mut name = project;
        let below = loop {
            if name.is_empty() {
                break None;
            }
            if let Some(&at) = self.projects.get(name) {
                break Some(at);
            }
            let above = self.parents.get(name).map_or("", String::as_str);
            new.push(given(name, above));
            name = above;
        };
        self.prospects.of_new(below, new.into_iter().rev())
    }

    /// What advice rests on at an instant.
    pub const fn rules(&self, now: Timestamp) -> AdviceRules {
        AdviceRules {
            now,
            known_to: match self.known_to {
                Some(to) => to,
                None => now,
            },
            periods: self.periods,
            most_days: self.most_days,
        }
    }
}

/// The length of the periods of which usage is summed.
pub const DAY: Seconds = Seconds::new(86_400);

#[cfg(test)]
mod tests {
    use planner::fair_share::{Account, PlannedUsage};

    use super::*;

    /// The ocean used its half of 100 by ada alone: 50. eve, who used nothing, would be one of two in it: her share is a
    /// quarter, and half of what the ocean used counts for her, 0.25: 2^-1. So it does for a project in the ocean that nobody
    /// used. In no project she would be one of three at the top, and has used nothing.
    #[test]
    fn who_used_nothing_stands_as_a_new_member() {
        let account = |parent, used| Account { parent, share: 1.0, used };
        let accounts = [account(None, 0.0), account(Some(0), 50.0), account(None, 0.0)];
        let none = [PlannedUsage::default(); 3];
        let pair = |name: &str, above: &str| (name.to_owned(), above.to_owned());
        let kept = KeptStandings {
            places: HashMap::from([(pair("ocean", ""), 0), (pair("ada", "ocean"), 1)]),
            projects: HashMap::from([("ocean".to_owned(), 0), ("physics".to_owned(), 2)]),
            parents: HashMap::from([("ice".to_owned(), "ocean".to_owned())]),
            prospects: Prospects::new(&accounts, &none, 100.0, 1.0).unwrap().0,
            ..KeptStandings::default()
        };
        let factors = ShareFactors::default();
        assert_eq!(factors.of("eve", "ocean"), ShareFactor::BEST);
        factors.post(kept);
        let of = |user, project| factors.of(user, project).as_f64();
        assert_eq!((of("eve", "ocean"), of("eve", "ice"), of("eve", "")), (0.5, 0.5, 1.0));
        // Of ada the whole half counts, of a share of a half.
        assert!((of("ada", "ocean") - 0.5).abs() < f64::EPSILON);
    }

    /// A thousand users of a hundred projects each: what is told of one takes no longer than with few.
    #[test]
    fn of_many_accounts_one_is_found_at_once() {
        let accounts = (0..100).map(|_| Account { parent: None, share: 1.0, used: 0.0 });
        let users =
            (0..100_000).map(|it| Account { parent: Some(it % 100), share: 1.0, used: it as f64 });
        let accounts: Vec<Account> = accounts.chain(users).collect();
        let none = vec![PlannedUsage::default(); accounts.len()];
        let pair = |it: usize| (format!("u{it}"), format!("p{}", it % 100));
        let kept = KeptStandings {
            places: (0..100_000).map(|it| (pair(it), 100 + it)).collect(),
            projects: (0..100).map(|it| (format!("p{it}"), it)).collect(),
            prospects: Prospects::new(&accounts, &none, 1e9, 1.0).unwrap().0,
            ..KeptStandings::default()
        };
        let hundred = |first: usize| {
            let began = std::time::Instant::now();
            for it in first..first + 100 {
                let (user, project) = pair(it * 97);
                let told = kept.of(&user, &project);
                assert!(told.factor_with(1e6) < told.factor());
                assert!(kept.of("new", &project).factor_with(1e6) < 1.0);
            }
            began.elapsed()
        };
        // 200 look-ups of 50 us would be 10 ms. Of ten times the shortest is what they take and not what others do.
        let shortest = (0..10).map(|it| hundred(it * 100)).min().unwrap();
        assert!(shortest.as_millis() < 10, "{shortest:?}");
    }
}
