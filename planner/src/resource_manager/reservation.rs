//! Reservations in the resource manager, and how they are compared with ours.

use std::collections::BTreeSet;
use std::fmt;

use uuid::Uuid;

use crate::identity::ReservationId;
use crate::time::{Seconds, Span, Timestamp};

/// Clocks that differ by no more agree, so that a start that comes within so long is as good as passed.
pub const CLOCKS_AGREE: Seconds = Seconds::new(5);

/// What the names of our reservations begin with in the resource manager.
const PREFIX: &str = "wattbook-";

/// The name of a reservation in the resource manager.
pub fn reservation_name(id: ReservationId) -> String {
    format!("{PREFIX}{id}")
}

/// The reservation of ours that a name in the resource manager stands for; `None` for other people's.
pub fn reservation_id(name: &str) -> Option<ReservationId> {
    let id = name.strip_prefix(PREFIX)?;
    Uuid::try_parse(id).ok().map(ReservationId::new).filter(|it| it.to_string() == id)
}

/// A reservation as the resource manager has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManagedReservation {
    /// Its name, which is unique.
    pub name: String,
    /// Its nodes.
    pub nodes: BTreeSet<String>,
    /// From its start to its end.
    pub span: Span,
    /// Who may run jobs in it.
    pub users: BTreeSet<String>,
    /// The accounts whose jobs may run in it.
    pub accounts: BTreeSet<String>,
    /// What is special about it, in the resource manager's words, such as `MAINT`.
    pub flags: BTreeSet<String>,
}

/// A reservation as the resource manager ought to have it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WantedReservation {
    /// Its name: see [`reservation_name`].
    pub name: String,
    /// Its nodes.
    pub nodes: BTreeSet<String>,
    /// From its start to its end.
    pub span: Span,
    /// Who may run jobs in it.
    pub users: BTreeSet<String>,
    /// The accounts whose jobs may run in it.
    pub accounts: BTreeSet<String>,
}

/// How a managed reservation stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ManagedState {
    /// It has yet to be made, or to be changed.
    Waiting,
    /// The resource manager has it as it ought to be.
    InForce,
    /// The resource manager refused it, or has another one.
    Failed,
    /// Somebody removed it in the resource manager, and it is not made again.
    Lost,
    /// It has ended, and the resource manager has it no more.
    Removed,
}

impl ManagedState {
    /// All states.
    pub const ALL: [Self; 5] =
        [Self::Waiting, Self::InForce, Self::Failed, Self::Lost, Self::Removed];

    /// The word in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::InForce => "in_force",
            Self::Failed => "failed",
            Self::Lost => "lost",
            Self::Removed => "removed",
        }
    }

    /// The state of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.word() == word)
    }
}

/// One way in which what the resource manager has is not what it ought to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Nodes that it lacks, and nodes that it has beyond.
    Nodes {
        /// Wanted, and not in it.
        missing: BTreeSet<String>,
        /// In it, and not wanted.
        extra: BTreeSet<String>,
    },
    /// It begins at another instant.
    Start {
        /// When it ought to begin.
        wanted: Timestamp,
        /// When it begins.
        seen: Timestamp,
    },
    /// It ends at another instant.
    End {
        /// When it ought to end.
        wanted: Timestamp,
        /// When it ends.
        seen: Timestamp,
    },
    /// Others may run jobs in it.
    Users {
        /// Who ought to.
        wanted: BTreeSet<String>,
        /// Who may.
        seen: BTreeSet<String>,
    },
    /// Jobs of other accounts may run in it.
    Accounts {
        /// Whose ought to.
        wanted: BTreeSet<String>,
        /// Whose may.
        seen: BTreeSet<String>,
    },
}

impl fmt::Display for Difference {
    /// In words about the reservation, such as `it lacks n3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nodes { missing, extra } => {
                if !missing.is_empty() {
                    write!(f, "it lacks {}", listed(missing))?;
                }
                match (missing.is_empty(), extra.is_empty()) {
                    (_, true) => Ok(()),
                    (true, false) => write!(f, "it has {} beyond", listed(extra)),
                    (false, false) => write!(f, " and has {} beyond", listed(extra)),
                }
            }
            Self::Start { wanted, seen } => write!(f, "it begins at {seen} instead of {wanted}"),
            Self::End { wanted, seen } => write!(f, "it ends at {seen} instead of {wanted}"),
            Self::Users { wanted, seen } => {
                write!(f, "its users are {} instead of {}", listed(seen), listed(wanted))
            }
            Self::Accounts { wanted, seen } => {
                write!(f, "its accounts are {} instead of {}", listed(seen), listed(wanted))
            }
        }
    }
}

/// The most names that stand in a message.
const LISTED: usize = 8;

/// Names for a message: the first few, and how many others there are.
pub fn listed(names: &BTreeSet<String>) -> String {
    let first: Vec<&str> = names.iter().take(LISTED).map(String::as_str).collect();
    match names.len() - first.len() {
        0 if first.is_empty() => "none".to_owned(),
        0 => first.join(", "),
        others => format!("{} and {others} others", first.join(", ")),
    }
}

/// How what is seen differs from what is wanted at `now`, node by node; empty where it does not. Starts
/// that have passed, or are about to, are not compared: reservations that are made after their start begin
/// when they are made, by the resource manager's clock.
pub fn differences(
    wanted: &WantedReservation,
    seen: &ManagedReservation,
    now: Timestamp,
) -> Vec<Difference> {
    let mut found = Vec::new();
    if wanted.nodes != seen.nodes {
        found.push(Difference::Nodes {
            missing: wanted.nodes.difference(&seen.nodes).cloned().collect(),
            extra: seen.nodes.difference(&wanted.nodes).cloned().collect(),
        });
    }
    let (starts, seen_start) = (wanted.span.start(), seen.span.start());
    if starts != seen_start && starts.max(seen_start) > now + CLOCKS_AGREE {
        found.push(Difference::Start { wanted: starts, seen: seen_start });
    }
    if wanted.span.end() != seen.span.end() {
        found.push(Difference::End { wanted: wanted.span.end(), seen: seen.span.end() });
    }
    if wanted.users != seen.users {
        found.push(Difference::Users { wanted: wanted.users.clone(), seen: seen.users.clone() });
    }
    if wanted.accounts != seen.accounts {
        found.push(Difference::Accounts {
            wanted: wanted.accounts.clone(),
            seen: seen.accounts.clone(),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resource_manager::worked_example::{at, names, reservation, wanted};

    #[test]
    fn names_stand_for_ids() {
        let id = "01a2b3c4-0000-7000-8000-000000000001";
        let id = ReservationId::new(Uuid::parse_str(id).unwrap());
        let name = reservation_name(id);
        assert_eq!(name, "wattbook-01a2b3c4-0000-7000-8000-000000000001");
        assert_eq!(reservation_id(&name), Some(id));
        for other in ["maint", "wattbook-", "wattbook-7", &name.to_uppercase(), &format!("x{name}")]
        {
            assert_eq!(reservation_id(other), None, "{other}");
        }
    }

    #[test]
    fn reservations_are_compared_node_by_node() {
        let ours = wanted("a", &["n1", "n2", "n3"], 100, 200);
        let told = |seen: &ManagedReservation, now| {
            let found = differences(&ours, seen, at(now));
            found.iter().map(Difference::to_string).collect::<Vec<_>>()
        };
        assert_eq!(told(&reservation("a", &["n3", "n2", "n1"], 100, 200), 50), [""; 0]);
        assert_eq!(told(&reservation("a", &["n1"], 100, 200), 50), ["it lacks n2, n3"]);
        let more = reservation("a", &["n1", "n2", "n3", "n4"], 100, 200);
        assert_eq!(told(&more, 50), ["it has n4 beyond"]);
        let others = reservation("a", &["n1", "n2", "n5"], 100, 200);
        assert_eq!(told(&others, 50), ["it lacks n3 and has n5 beyond"]);
        let mut nobody = reservation("a", &["n1", "n2", "n3"], 100, 200);
        nobody.users.clear();
        nobody.accounts = names(&["physics"]);
        assert_eq!(
            told(&nobody, 50),
            ["its users are none instead of alice", "its accounts are physics instead of none"]
        );
    }

    /// Wanted from 100. Once both starts have passed, or are 5 s ahead, when it began is no difference.
    #[test]
    fn starts_that_have_passed_or_are_about_to_are_not_compared() {
        let ours = wanted("a", &["n1"], 100, 200);
        let late = reservation("a", &["n1"], 130, 200);
        assert_eq!(differences(&ours, &late, at(130)), []);
        assert_eq!(differences(&ours, &late, at(125)), [], "made by a clock that is ahead");
        let early = reservation("a", &["n1"], 60, 200);
        assert_eq!(differences(&ours, &early, at(95)), []);
        assert_ne!(differences(&ours, &early, at(94)), []);
        let [Difference::Start { wanted, seen }] = differences(&ours, &late, at(124))[..] else {
            panic!("no difference of starts");
        };
        assert_eq!((wanted, seen), (at(100), at(130)));
    }

    #[test]
    fn of_many_names_the_first_are_told() {
        let many: BTreeSet<String> = (10..22).map(|number| format!("n{number}")).collect();
        assert_eq!(listed(&many), "n10, n11, n12, n13, n14, n15, n16, n17 and 4 others");
    }
}
