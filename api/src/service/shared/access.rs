//! Who asks, and what they may see.

/// Who asks: sees and changes what is theirs, or everyone's.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The caller's name.
    pub owner: &'a str,
    /// What they may see, and what limits them.
    pub kind: CallerKind,
}

/// What somebody who asks is at the site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerKind {
    /// One of many, with what is theirs.
    User,
    /// They run the cluster: they see and change everyone's, and hold as much as they want.
    Operator,
    /// The only one there is, who may do everything; limits among users do not concern them.
    LocalUser,
    /// The service itself, on somebody's behalf.
    Site,
}

impl Access<'_> {
    /// Whether they run the cluster.
    pub const fn is_operator(&self) -> bool {
        matches!(self.kind, CallerKind::Operator | CallerKind::LocalUser)
    }

    /// Whether they may see and change what belongs to `owner`.
    pub fn permits(self, owner: &str) -> bool {
        self.is_operator() || owner == self.owner
    }
}
