//! How far a power action is.

/// How far a power action is. The words are those of the database and of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PowerActionState {
    /// Somebody with the right to it has yet to approve it.
    Proposed,
    /// It is approved, and has yet to be ordered.
    Waiting,
    /// It was ordered, and its effect has yet to be seen.
    Ordered,
    /// The node was seen to be as it ought to be.
    Done,
    /// The last order did not arrive, or its effect was not seen in time; another one follows later.
    Failed,
    /// Whoever had to approve it or to carry it out said no, and asking again does not help.
    Refused,
    /// It was ordered as often as allowed without effect, or came to be of no use.
    GivenUp,
}

impl PowerActionState {
    /// All of them, from the first to the last.
    pub const ALL: [Self; 7] = [
        Self::Proposed,
        Self::Waiting,
        Self::Ordered,
        Self::Done,
        Self::Failed,
        Self::Refused,
        Self::GivenUp,
    ];

    /// The word in documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Proposed => "proposed",
            Self::Waiting => "waiting",
            Self::Ordered => "ordered",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::GivenUp => "given_up",
        }
    }

    /// Whether nothing follows.
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Refused | Self::GivenUp)
    }

    /// Whether `next` may follow at once. What was only proposed is never ordered, and what is final stays.
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Proposed => matches!(next, Self::Waiting | Self::Refused | Self::GivenUp),
            // An order whose answer is lost leaves it failed at once.
            Self::Waiting | Self::Failed => !matches!(next, Self::Proposed | Self::Waiting),
            // An order is noted before it is given, and may be refused then.
            Self::Ordered => {
                matches!(next, Self::Done | Self::Failed | Self::Refused | Self::GivenUp)
            }
            Self::Done | Self::Refused | Self::GivenUp => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One row for each state, with all that may follow.
    #[test]
    fn states_follow_by_the_table() {
        use PowerActionState::{Done, Failed, GivenUp, Ordered, Proposed, Refused, Waiting};
        for (state, next) in [
            (Proposed, vec![Waiting, Refused, GivenUp]),
            (Waiting, vec![Ordered, Done, Failed, Refused, GivenUp]),
            (Ordered, vec![Done, Failed, Refused, GivenUp]),
            (Done, vec![]),
            (Failed, vec![Ordered, Done, Failed, Refused, GivenUp]),
            (Refused, vec![]),
            (GivenUp, vec![]),
        ] {
            let follow = PowerActionState::ALL.into_iter().filter(|it| state.may_become(*it));
            assert_eq!(follow.collect::<Vec<_>>(), next, "{state:?}");
            assert_eq!(state.is_final(), next.is_empty(), "{state:?}");
        }
    }
}
