//! Shares: how much of something all have at a time, and each user.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Access;

/// Of what there is only so much.
#[derive(Debug)]
pub struct Shares {
    most: usize,
    most_per_user: usize,
    taken: Mutex<TakenShares>,
}

#[derive(Debug, Default)]
struct TakenShares {
    all: usize,
    by_user: HashMap<String, usize>,
}

/// What somebody has of it, until it goes out of scope.
#[derive(Debug)]
pub struct Share {
    shares: Arc<Shares>,
    owner: String,
    /// Whether the user's own limit counts.
    limited: bool,
    amount: usize,
}

/// Why there is no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// All is taken.
    All,
    /// The user has as much as one may have.
    User,
}

impl Shares {
    /// Nobody has any yet.
    pub fn new(most: usize, most_per_user: usize) -> Arc<Self> {
        Arc::new(Self { most, most_per_user, taken: Mutex::default() })
    }

    fn taken(&self) -> MutexGuard<'_, TakenShares> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An empty share of a caller.
    pub fn share(self: &Arc<Self>, access: Access<'_>, limited: bool) -> Share {
        let owner = access.owner.to_owned();
        Share { shares: Arc::clone(self), owner, limited, amount: 0 }
    }
}

impl Share {
    /// Takes more.
    ///
    /// # Errors
    /// Where there is no more for the user or for all; the share stays as it is.
    pub fn grow(&mut self, more: usize) -> Result<(), Exceeded> {
        let mut taken = self.shares.taken();
        let own = taken.by_user.get(&self.owner).copied().unwrap_or_default();
        if self.limited && own + more > self.shares.most_per_user {
            return Err(Exceeded::User);
        }
        if taken.all + more > self.shares.most {
            return Err(Exceeded::All);
        }
        taken.all += more;
        taken.by_user.insert(self.owner.clone(), own + more);
        drop(taken);
        self.amount += more;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.shares.taken();
        taken.all -= self.amount;
        if let Some(own) = taken.by_user.get_mut(&self.owner) {
            *own -= self.amount;
            if *own == 0 {
                taken.by_user.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::CallerKind;
    use super::*;

    #[test]
    fn one_user_has_a_part_and_all_have_the_whole() {
        let shares = Shares::new(10, 6);
        let of = |owner, limited| shares.share(Access { owner, kind: CallerKind::User }, limited);
        let (mut ada, mut ada_too, mut bob) = (of("ada", true), of("ada", true), of("bob", true));
        assert_eq!(ada.grow(4), Ok(()));
        assert_eq!(ada_too.grow(3), Err(Exceeded::User));
        assert_eq!(ada_too.grow(2), Ok(()));
        assert_eq!(bob.grow(5), Err(Exceeded::All));
        drop(ada);
        assert_eq!(bob.grow(5), Ok(()));
        let mut olga = of("olga", false);
        assert_eq!(olga.grow(3), Ok(()));
        drop((ada_too, bob));
        assert_eq!(olga.grow(7), Ok(()), "who is not limited may have all");
        drop(olga);
        assert!(shares.taken().all == 0 && shares.taken().by_user.is_empty());
    }
}
