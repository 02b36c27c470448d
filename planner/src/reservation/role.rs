//! What the owner of a token may do.

/// What the owner of a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Books nodes.
    User,
    /// Runs the cluster.
    Operator,
    /// Sends agendas and answers negotiations.
    Supplier,
}

impl Role {
    const ALL: [Self; 3] = [Self::User, Self::Operator, Self::Supplier];

    /// The word used in documents and tables.
    pub const fn word(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Operator => "operator",
            Self::Supplier => "supplier",
        }
    }

    /// The role of this word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }
}
