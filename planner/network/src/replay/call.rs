//! What ranks do in the end, point to point: an action is one such call, and a collective several.

/// The tag of messages of collectives; those of traces are 0 or more.
pub(super) const COLLECTIVE: i64 = -1;

/// What a rank does once it has a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// It waits until the request is done.
    Block,
    /// It goes on, and waits for the request by its name later.
    Keep,
    /// It goes on, and waits for all of them at the next [`Call::Join`].
    Join,
}

/// A thing that a rank does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Call {
    Compute(f64),
    Use { part: f64, operations: f64 },
    Sleep(f64),
    Send { to: u32, tag: i64, bytes: f64, then: Then },
    Receive { from: Option<u32>, tag: Option<i64>, then: Then },
    Wait(RequestName),
    WaitAll,
    Test(RequestName),
    Join,
}

/// By what a trace names a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RequestName {
    pub(super) from: Option<u32>,
    pub(super) to: u32,
    pub(super) tag: Option<i64>,
}

impl RequestName {
    /// Whether a request of this name is what another names, which knows the tag, and the sender unless it may be any.
    pub(super) fn is(self, other: Self) -> bool {
        let same = |own: Option<i64>, of: Option<i64>| own.is_none() || own == of;
        let from = |name: Self| name.from.map(i64::from);
        let sender = other.from.is_none() || same(from(self), from(other));
        self.to == other.to && sender && same(self.tag, other.tag)
    }
}
