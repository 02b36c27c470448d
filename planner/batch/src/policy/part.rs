//! What all kinds of parts have in common: a name, a meaning and options.

use super::options::PolicyOption;

/// What help texts and errors say of a part.
#[derive(Clone, Copy, Debug)]
pub struct About {
    /// The name of the part in arguments and results.
    pub name: &'static str,
    /// The rule of the part in a few words.
    pub meaning: &'static str,
    /// The options that come with the part.
    pub options: &'static [PolicyOption],
}

/// A kind of parts. A policy has one part of each kind.
pub trait PartKind: Sized + 'static {
    /// What arguments and messages call the kind.
    const KIND: &'static str;
    /// Every part of this kind; the first holds unless another is said.
    const ALL: &'static [&'static Self];

    /// What help texts and errors say of the part.
    fn about(&self) -> &About;

    /// The part of this name.
    ///
    /// # Errors
    /// There is none.
    fn named(name: &str) -> Result<&'static Self, PartError> {
        let all = || Self::ALL.iter().copied();
        all().find(|part| part.about().name == name).ok_or_else(|| {
            let names: Vec<&str> = all().map(|part| part.about().name).collect();
            PartError { kind: Self::KIND, names: names.join(", ") }
        })
    }
}

/// A name that no part of a kind has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is no {kind}: {names}")]
pub struct PartError {
    /// What the kind is called.
    kind: &'static str,
    /// The names that there are.
    names: String,
}
