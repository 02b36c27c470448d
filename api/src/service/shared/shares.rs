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
        self.share_of(access.owner, limited)
    }

    /// An empty share of who counts as one under a name.
    pub fn share_of(self: &Arc<Self>, name: &str, limited: bool) -> Share {
        Share { shares: Arc::clone(self), owner: name.to_owned(), limited, amount: 0 }
    }
}

impl Share {
    /// Takes more. A share that is refused gives back what it has at once: of two that grow side by
    /// side beyond what there is, the refusal of one leaves room for the other.
    ///
    /// # Errors
    /// Where there is no more for the user or for all; the share is empty then.
    pub fn grow(&mut self, more: usize) -> Result<(), Exceeded> {
        let mut taken = self.shares.taken();
        let own = taken.by_user.get(&self.owner).copied().unwrap_or_default();
        let exceeded = if self.limited && own + more > self.shares.most_per_user {
            Exceeded::User
        } else if taken.all + more > self.shares.most {
            Exceeded::All
        } else {
            taken.all += more;
            taken.by_user.insert(self.owner.clone(), own + more);
            drop(taken);
            self.amount += more;
            return Ok(());
        };
        taken.give_back(&self.owner, self.amount);
        drop(taken);
        self.amount = 0;
        Err(exceeded)
    }
}

impl TakenShares {
    fn give_back(&mut self, owner: &str, amount: usize) {
        self.all -= amount;
        if let Some(own) = self.by_user.get_mut(owner) {
            *own -= amount;
            if *own == 0 {
                self.by_user.remove(owner);
            }
        }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.shares.taken().give_back(&self.owner, self.amount);
    }
}

#[cfg(test)]
mod tests {
    use super::super::CallerKind;
    use super::*;

    #[test]
    fn one_user_has_a_part_and_all_have_the_whole() {
        let shares = Shares::new(10, 6);
        let of = |owner, limited| shares.share(Access::of(owner, CallerKind::User), limited);
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

    #[test]
    fn a_share_that_is_refused_leaves_its_room_to_the_others() {
        let shares = Shares::new(10, 6);
        let of = |owner| shares.share(Access::of(owner, CallerKind::User), true);
        let (mut one, mut other, mut bob) = (of("ada"), of("ada"), of("bob"));
        assert_eq!((one.grow(3), other.grow(3)), (Ok(()), Ok(())));
        assert_eq!(other.grow(1), Err(Exceeded::User));
        assert_eq!(one.grow(3), Ok(()), "what the other had is free at once");
        assert_eq!(bob.grow(4), Ok(()));
        assert_eq!(bob.grow(1), Err(Exceeded::All));
        assert_eq!(shares.taken().all, 6);
        drop((one, other, bob));
        assert!(shares.taken().all == 0 && shares.taken().by_user.is_empty());
    }
}
