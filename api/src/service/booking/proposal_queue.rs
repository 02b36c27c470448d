//! Proposals that wait to be made, and which of them are made together next.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use planner::identity::ReservationId;
use planner::reservation::Reservation;
use tokio::sync::oneshot;

use super::draft::AtMost;
use super::standing::AccountShare;
use super::{BookingError, BookingRequest};
use crate::service::shared::{CallerKind, IdempotencyKey, Party};

/// What is to be proposed, and for whom.
#[derive(Clone)]
pub(super) struct Asked {
    pub(super) owner: String,
    pub(super) kind: CallerKind,
    pub(super) request: BookingRequest,
    pub(super) key: Option<IdempotencyKey>,
    /// What one of the offers must cost or emit at most.
    pub(super) at_most: Option<AtMost>,
    pub(super) share: Option<AccountShare>,
}

/// What became of a proposal.
#[derive(Debug)]
pub enum Proposed {
    /// A new reservation, as it is stored.
    New(Box<Reservation>),
    /// The key was used before for the same request: the reservation made then.
    Before(ReservationId),
}

impl Proposed {
    /// The reservation that answers the request.
    pub fn id(&self) -> ReservationId {
        match self {
            Self::New(reservation) => reservation.id,
            Self::Before(id) => *id,
        }
    }
}

/// The status of the answer to a proposal: 201.
pub(super) const PROPOSED: u16 = 201;

/// How whoever waits is told what became of it.
type Answer = oneshot::Sender<Result<Proposed, BookingError>>;

/// An owner and their idempotency key.
type OwnedKey = (String, String);

/// Proposals that wait to be made.
#[derive(Debug)]
pub(super) struct ProposalQueue<Asked>(Mutex<Queue<Asked>>);

#[derive(Debug)]
struct Queue<Asked> {
    last_number: u64,
    /// Those that were put back may be behind younger ones.
    waiting: Vec<Waiting<Asked>>,
}

/// A proposal that waits to be made.
#[derive(Debug)]
pub(super) struct Waiting<Asked> {
    number: u64,
    party: Party,
    key: Option<OwnedKey>,
    pub(super) asked: Asked,
    pub(super) answer: Answer,
}

/// A place in the queue, given up when it goes out of scope.
pub(super) struct Place<'a, Asked> {
    queue: &'a ProposalQueue<Asked>,
    number: u64,
}

impl<Asked> Place<'_, Asked> {
    pub(super) const fn number(&self) -> u64 {
        self.number
    }
}

impl<Asked> Drop for Place<'_, Asked> {
    fn drop(&mut self) {
        self.queue.lock().waiting.retain(|it| it.number != self.number);
    }
}

impl<Asked> Default for ProposalQueue<Asked> {
    fn default() -> Self {
        Self(Mutex::new(Queue { last_number: 0, waiting: Vec::new() }))
    }
}

impl<Asked> ProposalQueue<Asked> {
    fn lock(&self) -> MutexGuard<'_, Queue<Asked>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place at the end.
    pub(super) fn enqueue(
        &self,
        (party, key): (Party, Option<OwnedKey>),
        asked: Asked,
        answer: Answer,
    ) -> Place<'_, Asked> {
        let mut queue = self.lock();
        queue.last_number += 1;
        let number = queue.last_number;
        queue.waiting.push(Waiting { number, party, key, asked, answer });
        Place { queue: self, number }
    }

    /// The proposals that are made next, at most so many, in the order in which they came: the one whose turn it is, and of
    /// the others the first of each party, then the second of each, and so on. No two have the same key. `O(n log n)`.
    pub(super) fn next(&self, first: u64, most: usize) -> Vec<Waiting<Asked>> {
        let mut queue = self.lock();
        // Who went away while theirs was put back wants nothing.
        queue.waiting.retain(|it| !it.answer.is_closed());
        queue.waiting.sort_unstable_by_key(|it| it.number);
        let (mut of_party, mut keys) = (HashMap::new(), HashSet::new());
        let mut order: Vec<(bool, usize, u64)> = Vec::with_capacity(queue.waiting.len());
        for waiting in &queue.waiting {
            let before: &mut usize = of_party.entry(&waiting.party).or_default();
            order.push((waiting.number != first, *before, waiting.number));
            *before += 1;
        }
        order.sort_unstable();
        let next: HashSet<u64> = order.iter().take(most).map(|(.., number)| *number).collect();
        // The answer to the first with a key is the answer to all: the others find it in their turn.
        let of_first = queue.waiting.iter().find(|it| it.number == first);
        keys.extend(of_first.and_then(|it| it.key.clone()));
        let is_next = |it: &mut Waiting<Asked>| {
            let is_new = it.key.as_ref().is_none_or(|key| keys.insert(key.clone()));
            next.contains(&it.number) && (it.number == first || is_new)
        };
        queue.waiting.extract_if(.., is_next).collect()
    }

    /// Puts proposals back that were not come to.
    pub(super) fn put_back(&self, proposals: impl IntoIterator<Item = Waiting<Asked>>) {
        self.lock().waiting.extend(proposals);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Asker {
        queue: ProposalQueue<u32>,
        places: Vec<u64>,
        answers: Vec<oneshot::Receiver<Result<Proposed, BookingError>>>,
    }

    impl Asker {
        /// Puts one into the queue that is left alone.
        fn ask(&mut self, user: &str, key: Option<&str>, asked: u32) {
            let (answer, answered) = oneshot::channel();
            let key = key.map(|key| (user.to_owned(), key.to_owned()));
            let place = self.queue.enqueue((Party::User(user.to_owned()), key), asked, answer);
            self.places.push(place.number());
            std::mem::forget(place);
            self.answers.push(answered);
        }

        fn next(&self, first: usize, most: usize) -> Vec<u32> {
            self.queue.next(self.places[first], most).iter().map(|it| it.asked).collect()
        }
    }

    fn asker() -> Asker {
        Asker { queue: ProposalQueue::default(), places: Vec::new(), answers: Vec::new() }
    }

    #[test]
    fn one_who_asks_for_much_is_not_made_before_others() {
        let mut asker = asker();
        for asked in 0..4 {
            asker.ask("ada", None, asked);
        }
        asker.ask("ben", None, 10);
        asker.ask("cyd", None, 20);
        asker.ask("ben", None, 11);
        // The one whose turn it is, then the first of each: 0, 10 and 20.
        assert_eq!(asker.next(3, 4), [0, 3, 10, 20]);
        assert_eq!(asker.next(1, 64), [1, 2, 11]);
        assert_eq!(asker.next(1, 64), Vec::<u32>::new());
    }

    #[test]
    fn what_is_put_back_keeps_its_place() {
        let mut asker = asker();
        for asked in 0..3 {
            asker.ask("ada", None, asked);
        }
        let mut taken = asker.queue.next(asker.places[0], 2);
        asker.queue.put_back(taken.drain(1..));
        assert_eq!(asker.next(1, 64), [1, 2]);
    }

    #[test]
    fn requests_with_one_key_are_made_one_after_another() {
        let mut asker = asker();
        asker.ask("ada", Some("k"), 0);
        asker.ask("ada", Some("k"), 1);
        asker.ask("ben", Some("k"), 2);
        assert_eq!(asker.next(1, 64), [1, 2]);
        assert_eq!(asker.next(0, 64), [0]);
    }

    #[test]
    fn who_goes_away_leaves_the_queue() {
        let queue = ProposalQueue::default();
        let place = queue.enqueue((Party::LocalUser, None), 0, oneshot::channel().0);
        let number = place.number();
        drop(place);
        assert!(queue.next(number, 64).is_empty());
    }
}
