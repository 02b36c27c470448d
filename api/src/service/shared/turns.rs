//! Turns: what only so many may do at a time goes round among those who ask.
//!
//! A turn that becomes free goes to the party who waits and was served longest ago, so that whoever
//! asks for much waits for themselves, and others wait for about what is under way.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use super::{Access, CallerKind};

/// A caller who takes turns with others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// Whoever makes a booking: all other bookings wait for it, so it is served first.
    Booking,
    /// The service itself.
    Site,
    /// The one local user: there is no other.
    LocalUser,
    /// A user, by name.
    User(String),
}

/// How many turns there are at a time, and how many may wait.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    /// Turns at a time.
    pub at_a_time: usize,
    /// Of these, one user's.
    pub at_a_time_per_user: usize,
    /// Parties that wait.
    pub waiting: usize,
    /// Turns of one user, waiting or taken.
    pub per_user: usize,
}

/// How many have a turn, and how many wait for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnCounts {
    /// Turns that are taken.
    pub taken: usize,
    /// Those who wait.
    pub waiting: usize,
}

/// Why there is no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTurn {
    /// Too many wait.
    Full,
    /// Too many of this user's wait.
    FullForUser,
}

/// Turns, and those who wait for one.
#[derive(Debug)]
pub struct Turns {
    most: Most,
    queue: Mutex<Queue>,
}

#[derive(Debug, Default)]
struct Queue {
    last_ticket: u64,
    /// Parties with somebody waiting, in the order in which they came.
    parties: Vec<Party>,
    waiting: HashMap<Party, VecDeque<(u64, oneshot::Sender<()>)>>,
    taken: HashMap<Party, usize>,
    all_taken: usize,
    all_waiting: usize,
    /// When each was served last, as a number that grows; forgotten once nobody asks.
    served: HashMap<Party, u64>,
    last_served: u64,
}

/// A turn, until it goes out of scope.
#[derive(Debug)]
pub struct Turn {
    turns: Arc<Turns>,
    party: Party,
}

/// A place in the queue, given up when it goes out of scope.
struct Ticket {
    turns: Arc<Turns>,
    party: Party,
    number: u64,
    called: bool,
}

impl Party {
    /// For whom a caller's turns are counted.
    pub fn of(access: Access<'_>) -> Self {
        match access.kind {
            CallerKind::Site => Self::Site,
            CallerKind::LocalUser => Self::LocalUser,
            CallerKind::User | CallerKind::Operator => Self::User(access.owner.to_owned()),
        }
    }

    const fn is_user(&self) -> bool {
        matches!(self, Self::User(_))
    }
}

impl Turns {
    /// Nobody waits yet.
    pub fn new(most: Most) -> Arc<Self> {
        Arc::new(Self { most, queue: Mutex::default() })
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many turns are taken and waited for now.
    pub fn counts(&self) -> TurnCounts {
        let queue = self.queue();
        TurnCounts { taken: queue.all_taken, waiting: queue.all_waiting }
    }

    /// Waits for a turn.
    ///
    /// # Errors
    /// Where too many wait already.
    pub async fn take(self: &Arc<Self>, party: Party) -> Result<Turn, NoTurn> {
        let (ticket, called) = {
            let mut queue = self.queue();
            queue.admit(&party, self.most)?;
            self.enqueue(&mut queue, party)
        };
        Ok(self.turn_of(ticket, called).await)
    }

    /// Waits for a turn of the site itself, however many wait.
    pub async fn take_for_site(self: &Arc<Self>) -> Turn {
        let (ticket, called) = self.enqueue(&mut self.queue(), Party::Site);
        self.turn_of(ticket, called).await
    }

    fn enqueue(
        self: &Arc<Self>,
        queue: &mut Queue,
        party: Party,
    ) -> (Ticket, oneshot::Receiver<()>) {
        let (call, called) = oneshot::channel();
        let number = queue.enqueue(&party, call);
        queue.call(self.most);
        (Ticket { turns: Arc::clone(self), party, number, called: false }, called)
    }

    async fn turn_of(self: &Arc<Self>, mut ticket: Ticket, called: oneshot::Receiver<()>) -> Turn {
        // The other end is kept until it calls.
        let _ = called.await;
        ticket.called = true;
        Turn { turns: Arc::clone(self), party: ticket.party.clone() }
    }
}

impl Queue {
    /// Whether one more of a party may wait.
    fn admit(&self, party: &Party, most: Most) -> Result<(), NoTurn> {
        if party.is_user() {
            let waiting = self.waiting.get(party).map_or(0, VecDeque::len);
            let taken = self.taken.get(party).copied().unwrap_or_default();
            if waiting + taken >= most.per_user {
                return Err(NoTurn::FullForUser);
            }
        }
        let served_by_rule = matches!(party, Party::Booking | Party::Site);
        if self.all_waiting >= most.waiting && !served_by_rule {
            return Err(NoTurn::Full);
        }
        Ok(())
    }

    /// Puts one more of a party at the end; the number of its ticket.
    fn enqueue(&mut self, party: &Party, call: oneshot::Sender<()>) -> u64 {
        self.last_ticket += 1;
        let number = self.last_ticket;
        let own = self.waiting.entry(party.clone()).or_default();
        own.push_back((number, call));
        if own.len() == 1 {
            self.parties.push(party.clone());
        }
        self.all_waiting += 1;
        number
    }

    /// Calls who is next, as long as there are turns.
    fn call(&mut self, most: Most) {
        while self.all_taken < most.at_a_time {
            let may = |party: &&Party| {
                let taken = self.taken.get(party).copied().unwrap_or_default();
                !party.is_user() || taken < most.at_a_time_per_user
            };
            let served = |party: &&Party| {
                let last = self.served.get(party).copied().unwrap_or_default();
                (**party != Party::Booking, last)
            };
            let Some(next) = self.parties.iter().filter(may).min_by_key(served).cloned() else {
                return;
            };
            let Some((_, call)) = self.waiting.get_mut(&next).and_then(VecDeque::pop_front) else {
                return;
            };
            self.left(&next);
            *self.taken.entry(next.clone()).or_default() += 1;
            self.all_taken += 1;
            self.last_served += 1;
            self.served.insert(next, self.last_served);
            // Who does not want it any more gives it back.
            let _ = call.send(());
        }
    }

    /// One of the party's has left the queue.
    fn left(&mut self, party: &Party) {
        self.all_waiting -= 1;
        if self.waiting.get(party).is_some_and(VecDeque::is_empty) {
            self.waiting.remove(party);
            self.parties.retain(|it| it != party);
        }
    }

    fn give_back(&mut self, party: &Party, most: Most) {
        self.all_taken -= 1;
        if let Some(taken) = self.taken.get_mut(party) {
            *taken -= 1;
            if *taken == 0 {
                self.taken.remove(party);
            }
        }
        self.call(most);
        if self.all_taken == 0 {
            self.served.clear();
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.turns.queue().give_back(&self.party, self.turns.most);
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.called {
            return;
        }
        let mut queue = self.turns.queue();
        let own = queue.waiting.get_mut(&self.party);
        let place = own.and_then(|own| {
            let place = own.iter().position(|(number, _)| *number == self.number)?;
            own.remove(place)
        });
        match place {
            Some(_) => queue.left(&self.party),
            // It was called and did not hear it.
            None => queue.give_back(&self.party, self.turns.most),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;

    use futures_util::FutureExt;

    use super::*;

    type Waits = Pin<Box<dyn Future<Output = Result<Turn, NoTurn>>>>;

    fn turns(at_a_time: usize) -> Arc<Turns> {
        let at_a_time_per_user = (at_a_time - 1).max(1);
        Turns::new(Most { at_a_time, at_a_time_per_user, waiting: 6, per_user: 4 })
    }

    fn user(name: &str) -> Party {
        Party::User(name.to_owned())
    }

    /// Asks, and takes its place in the queue.
    fn ask(turns: &Arc<Turns>, party: Party) -> (Waits, Option<Result<Turn, NoTurn>>) {
        let turns = Arc::clone(turns);
        let mut waits: Waits = Box::pin(async move { turns.take(party).await });
        let now = waits.as_mut().now_or_never();
        (waits, now)
    }

    fn called(waits: &mut Waits) -> Option<Turn> {
        waits.as_mut().now_or_never().map(|turn| turn.unwrap())
    }

    #[test]
    fn one_who_asks_for_much_waits_for_themselves() {
        let turns = turns(1);
        let (_, first) = ask(&turns, user("ada"));
        let mut adas: Vec<Waits> = (0..3).map(|_| ask(&turns, user("ada")).0).collect();
        let mut bobs = ask(&turns, user("bob")).0;
        let mut booking = ask(&turns, Party::Booking).0;
        assert!(called(&mut bobs).is_none() && called(&mut booking).is_none());
        drop(first);
        let turn = called(&mut booking).unwrap();
        assert!(called(&mut bobs).is_none());
        drop(turn);
        let turn = called(&mut bobs).unwrap();
        assert!(called(&mut adas[0]).is_none());
        let mut bob_again = ask(&turns, user("bob")).0;
        drop(turn);
        let turn = called(&mut adas[0]).unwrap();
        drop(turn);
        let turn = called(&mut bob_again).unwrap();
        assert!(called(&mut adas[1]).is_none());
        drop(turn);
        assert!(called(&mut adas[1]).is_some());
    }

    #[test]
    fn one_user_never_has_all_turns_but_the_local_user_has() {
        let turns = turns(3);
        let own: Vec<_> = (0..3).map(|_| ask(&turns, user("ada"))).collect();
        assert_eq!(own.iter().filter(|(_, now)| now.is_some()).count(), 2);
        assert!(ask(&turns, user("bob")).1.is_some());
        drop(own);
        let local: Vec<_> = (0..3).map(|_| ask(&turns, Party::LocalUser)).collect();
        assert!(local.iter().all(|(_, now)| now.is_some()));
    }

    #[test]
    fn too_many_are_refused() {
        let turns = turns(1);
        let _own: Vec<_> = (0..4).map(|_| ask(&turns, user("ada"))).collect();
        let refused = |party| ask(&turns, party).1.and_then(Result::err);
        assert_eq!(refused(user("ada")), Some(NoTurn::FullForUser));
        let _more: Vec<_> = (0..3).map(|_| ask(&turns, Party::LocalUser)).collect();
        assert_eq!(refused(user("bob")), Some(NoTurn::Full));
        assert_eq!(refused(Party::Site), None);
    }

    #[test]
    fn who_goes_away_gives_up_place_and_turn() {
        let turns = turns(1);
        let (_, first) = ask(&turns, user("ada"));
        let gone = ask(&turns, user("ada")).0;
        let unheard = ask(&turns, user("bob")).0;
        let mut last = ask(&turns, user("cid")).0;
        assert_eq!(turns.counts(), TurnCounts { taken: 1, waiting: 3 });
        drop(gone);
        drop(first);
        assert!(called(&mut last).is_none(), "it is bob's turn");
        drop(unheard);
        drop(called(&mut last).unwrap());
        assert_eq!(turns.counts(), TurnCounts { taken: 0, waiting: 0 });
        let queue = turns.queue();
        assert!(queue.taken.is_empty() && queue.waiting.is_empty() && queue.served.is_empty());
    }
}
