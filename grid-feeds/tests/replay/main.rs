//! Every client over real sockets against the replay supplier, with every fault.

#![expect(clippy::unwrap_used, reason = "a test may panic wherever it is")]

mod ahead;
mod america;
mod faults;
mod hostile;
mod inputs;
mod italy;
mod pacific;
mod soak;
mod truthful;
mod world;
