//! With whom a reservation is shared, and what they may do with it.

/// What somebody with whom a reservation is shared may do with it: each may what those before may, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SharedRight {
    /// See it.
    See,
    /// Run jobs in it.
    Use,
    /// Change it as its owner does. They neither share it with others nor give it away.
    Act,
}

impl SharedRight {
    /// All of them, the least first.
    pub const ALL: [Self; 3] = [Self::See, Self::Use, Self::Act];

    /// The word used in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::See => "see",
            Self::Use => "use",
            Self::Act => "act",
        }
    }

    /// The right of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|right| right.word() == word)
    }
}

/// Somebody with whom a reservation is shared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Receiver {
    /// A user, by name.
    User(String),
    /// All who are in a project, by its name.
    Project(String),
}

impl Receiver {
    /// The name of the user or the project.
    pub fn name(&self) -> &str {
        match self {
            Self::User(name) | Self::Project(name) => name,
        }
    }

    /// Whether it is a project.
    pub const fn is_project(&self) -> bool {
        matches!(self, Self::Project(_))
    }
}

/// That a reservation is shared with somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedWith {
    /// With whom.
    pub receiver: Receiver,
    /// What they may do.
    pub may: SharedRight,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_are_read_as_they_are_written_and_grow() {
        for right in SharedRight::ALL {
            assert_eq!(SharedRight::from_word(right.word()), Some(right));
        }
        assert_eq!(SharedRight::from_word("own"), None);
        assert!(SharedRight::See < SharedRight::Use && SharedRight::Use < SharedRight::Act);
    }
}
