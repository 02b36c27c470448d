//! The ranks of an application as they go through their traces: who waits for whom, and what is under way.
//!
//! Nothing here takes time by itself: what does is asked for ([`Order`]), and told once it is over.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::action::Action;
use super::application::ApplicationTrace;
use super::call::{Call, RequestName, Then};
use super::collective::Place;

/// A message below it leaves its sender at once, as if it were copied, bytes (`smpi/send-is-detached-thresh`).
const DETACHED_BYTES: f64 = 65_536.0;
/// What SMPI sends before each message, bytes.
const HEADER_BYTES: f64 = 16.0;

/// What is under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum UnderWay {
    /// What a rank does by itself.
    Rank(u32),
    /// A message.
    Message(u64),
}

/// What takes time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Timed {
    Compute { rank: u32, operations: f64 },
    Use { rank: u32, part: f64, operations: f64 },
    Sleep { seconds: f64 },
    Send { from: u32, to: u32, bytes: f64 },
}

/// What is to be begun.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Order {
    pub(super) of: UnderWay,
    pub(super) timed: Timed,
}

/// A message whose sender or receiver, or both, are known, until it is over.
#[derive(Debug, Default)]
struct Transfer {
    from: u32,
    to: u32,
    bytes: f64,
    /// Ranks that wait for it.
    waiting: Vec<u32>,
}

/// A message that one side knows of, and the other does not yet.
#[derive(Debug)]
struct Unmatched {
    /// The sender, or whom the receiver expects.
    from: Option<u32>,
    tag: Option<i64>,
    message: u64,
}

#[derive(Debug, Default)]
struct RankState {
    /// The next of its actions.
    next: usize,
    /// What it still does of the one before.
    calls: VecDeque<Call>,
    /// Its requests that it waits for by name.
    kept: Vec<(RequestName, u64)>,
    /// Its requests of a collective.
    joined: Vec<u64>,
    /// How many things it waits for.
    waits_for: usize,
    /// Messages to it that it has not asked for.
    unexpected: VecDeque<Unmatched>,
    /// Messages that it has asked for.
    expected: VecDeque<Unmatched>,
    over: bool,
}

/// All ranks.
#[derive(Debug)]
pub(super) struct Ranks {
    application: Arc<ApplicationTrace>,
    states: Vec<RankState>,
    messages: HashMap<u64, Transfer>,
    messages_begun: u64,
    orders: Vec<Order>,
    /// Ranks that can go on.
    ready: VecDeque<u32>,
}

impl Ranks {
    /// All at their first actions.
    pub(super) fn of(application: Arc<ApplicationTrace>) -> Self {
        let count = application.ranks();
        Self {
            states: (0..count).map(|_| RankState::default()).collect(),
            messages: HashMap::new(),
            messages_begun: 0,
            orders: Vec::new(),
            ready: (0..count).collect(),
            application,
        }
    }

    /// All go on as far as they can; what is begun by it.
    pub(super) fn go_on(&mut self) -> Vec<Order> {
        while let Some(rank) = self.ready.pop_front() {
            self.run(rank);
        }
        std::mem::take(&mut self.orders)
    }

    /// Something is over; [`go_on`](Self::go_on) is to be called next.
    pub(super) fn ended(&mut self, of: UnderWay) {
        match of {
            UnderWay::Rank(rank) => self.release(rank),
            UnderWay::Message(message) => {
                let over = self.messages.remove(&message);
                for rank in over.map(|over| over.waiting).unwrap_or_default() {
                    self.release(rank);
                }
            }
        }
    }

    /// Whether all have come to the ends of their traces.
    pub(super) fn over(&self) -> bool {
        self.states.iter().all(|rank| rank.over)
    }

    /// Whether a rank has come to the end of its trace.
    pub(super) fn rank_is_over(&self, rank: u32) -> bool {
        self.states[rank as usize].over
    }

    /// A rank that is not at the end of its trace, and the place of the action that it is at.
    pub(super) fn stuck(&self) -> Option<(u32, usize)> {
        let stuck = (0..).zip(&self.states).find(|(_, state)| !state.over);
        stuck.map(|(rank, state)| (rank, state.next.saturating_sub(1)))
    }

    /// Actions that are begun, of all ranks.
    pub(super) fn actions_begun(&self) -> usize {
        self.states.iter().map(|rank| rank.next).sum()
    }

    /// One thing less to wait for.
    fn release(&mut self, rank: u32) {
        let state = &mut self.states[rank as usize];
        state.waits_for -= 1;
        if state.waits_for == 0 {
            self.ready.push_back(rank);
        }
    }

    /// A rank does one thing, and is the last in turn then, if it can go on: as `SimGrid` lets its actors take turns.
    fn run(&mut self, rank: u32) {
        let call = loop {
            if let Some(call) = self.states[rank as usize].calls.pop_front() {
                break call;
            }
            if !self.next_action(rank) {
                return;
            }
        };
        self.call(rank, call);
        if self.states[rank as usize].waits_for == 0 {
            self.ready.push_back(rank);
        }
    }

    /// Goes to a rank's next action, if there is one.
    fn next_action(&mut self, rank: u32) -> bool {
        let application = Arc::clone(&self.application);
        let ranks = application.ranks();
        let state = &mut self.states[rank as usize];
        let Some(action) = application.action(rank, state.next) else {
            // Whatever is still under way is waited for.
            let kept: Vec<u64> = state.kept.drain(..).map(|(_, message)| message).collect();
            self.wait_for(rank, kept);
            let state = &mut self.states[rank as usize];
            state.over = state.waits_for == 0;
            return false;
        };
        state.next += 1;
        match single(action) {
            Some(call) => state.calls.push_back(call),
            None => state.calls.extend(Place { rank, ranks }.calls(action)),
        }
        true
    }

    fn call(&mut self, rank: u32, call: Call) {
        match call {
            Call::Compute(operations) => {
                self.begin(rank, operations, Timed::Compute { rank, operations });
            }
            Call::Use { part, operations } => {
                self.begin(rank, operations, Timed::Use { rank, part, operations });
            }
            Call::Sleep(seconds) => self.begin(rank, seconds, Timed::Sleep { seconds }),
            Call::Send { to, tag, bytes, then } => self.send(rank, to, tag, bytes, then),
            Call::Receive { from, tag, then } => self.receive(rank, from, tag, then),
            Call::Wait(name) => {
                let kept = &mut self.states[rank as usize].kept;
                let place = kept.iter().position(|(of, _)| of.is(name));
                let message = place.map(|place| kept.remove(place).1);
                self.wait_for(rank, message.into_iter().collect());
            }
            Call::Test(name) => {
                let Self { states, messages, .. } = self;
                let kept = &mut states[rank as usize].kept;
                let place = kept.iter().position(|(of, _)| of.is(name));
                if let Some(place) = place.filter(|place| !messages.contains_key(&kept[*place].1)) {
                    kept.remove(place);
                }
            }
            Call::WaitAll => {
                let kept = std::mem::take(&mut self.states[rank as usize].kept);
                self.wait_for(rank, kept.into_iter().map(|(_, message)| message).collect());
            }
            Call::Join => {
                let joined = std::mem::take(&mut self.states[rank as usize].joined);
                self.wait_for(rank, joined);
            }
        }
    }

    /// A rank does something by itself; what is of no amount is over at once.
    fn begin(&mut self, rank: u32, amount: f64, timed: Timed) {
        if amount > 0.0 {
            self.states[rank as usize].waits_for += 1;
            self.orders.push(Order { of: UnderWay::Rank(rank), timed });
        }
    }

    fn send(&mut self, rank: u32, to: u32, tag: i64, bytes: f64, then: Then) {
        let fits = |of: &Unmatched| {
            let any_tag = of.tag.is_none() && tag >= 0;
            of.from.is_none_or(|from| from == rank) && (any_tag || of.tag == Some(tag))
        };
        let expected = &mut self.states[to as usize].expected;
        let place = expected.iter().position(fits);
        let matched = place.and_then(|place| expected.remove(place));
        let message = matched.as_ref().map_or_else(|| self.new_message(), |of| of.message);
        let transfer = self.messages.entry(message).or_default();
        (transfer.from, transfer.to, transfer.bytes) = (rank, to, bytes);
        if bytes >= DETACHED_BYTES {
            let name = RequestName { from: Some(rank), to, tag: Some(tag) };
            self.request(rank, name, message, then);
        }
        if matched.is_some() {
            self.transfer(message);
        } else {
            let unmatched = Unmatched { from: Some(rank), tag: Some(tag), message };
            self.states[to as usize].unexpected.push_back(unmatched);
        }
    }

    fn receive(&mut self, rank: u32, from: Option<u32>, tag: Option<i64>, then: Then) {
        let fits = |of: &Unmatched| {
            let any_tag = tag.is_none() && of.tag >= Some(0);
            (from.is_none() || of.from == from) && (any_tag || of.tag == tag)
        };
        let unexpected = &mut self.states[rank as usize].unexpected;
        let place = unexpected.iter().position(fits);
        let matched = place.and_then(|place| unexpected.remove(place));
        let message = matched.as_ref().map_or_else(|| self.new_message(), |of| of.message);
        self.messages.entry(message).or_default();
        self.request(rank, RequestName { from, to: rank, tag }, message, then);
        if matched.is_some() {
            self.transfer(message);
        } else {
            self.states[rank as usize].expected.push_back(Unmatched { from, tag, message });
        }
    }

    const fn new_message(&mut self) -> u64 {
        self.messages_begun += 1;
        self.messages_begun
    }

    /// A rank has a request.
    fn request(&mut self, rank: u32, name: RequestName, message: u64, then: Then) {
        match then {
            Then::Block => self.wait_for(rank, vec![message]),
            Then::Keep => self.states[rank as usize].kept.push((name, message)),
            Then::Join => self.states[rank as usize].joined.push(message),
        }
    }

    /// Both sides know a message: it goes.
    fn transfer(&mut self, message: u64) {
        let Some(&Transfer { from, to, bytes, .. }) = self.messages.get(&message) else { return };
        let timed = Timed::Send { from, to, bytes: bytes + HEADER_BYTES };
        self.orders.push(Order { of: UnderWay::Message(message), timed });
    }

    /// A rank waits until these messages are over.
    fn wait_for(&mut self, rank: u32, messages: Vec<u64>) {
        for message in messages {
            if let Some(transfer) = self.messages.get_mut(&message) {
                transfer.waiting.push(rank);
                self.states[rank as usize].waits_for += 1;
            }
        }
    }
}

/// The call that an action is, if it is no collective.
fn single(action: &Action) -> Option<Call> {
    let then = |at_once| if at_once { Then::Keep } else { Then::Block };
    let name = |from, to, tag| RequestName { from, to, tag: Some(tag) };
    Some(match *action {
        Action::Compute(operations) => Call::Compute(operations),
        Action::Use { part, operations } => Call::Use { part, operations },
        Action::Sleep(seconds) => Call::Sleep(seconds),
        Action::Send { to, tag, bytes, at_once } => {
            Call::Send { to, tag, bytes, then: then(at_once) }
        }
        Action::Receive { from, tag, at_once } => Call::Receive { from, tag, then: then(at_once) },
        Action::Wait { from, to, tag } => Call::Wait(name(from, to, tag)),
        Action::Test { from, to, tag } => Call::Test(name(from, to, tag)),
        Action::WaitAll => Call::WaitAll,
        _ => return None,
    })
}
