//! Networks of platforms, and parallel tasks that share them.
//!
//! Pure: no IO, no clock, no global randomness.
//!
//! * [`platform`]: hosts, links, and the zones that routes are reckoned from.
//! * [`replay`]: applications whose ranks compute, send and receive.
//! * [`xml`]: what `SimGrid`'s users write.
//! * [`tasks`]: tasks that compute and communicate, over time.
//!
//! Units: bytes a second, seconds, operations a second.
//!
//! Sources: the Batsim thesis (M. Poquet, *Simulation approach for resource management*), 4.3 to 4.5; `SimGrid`'s
//! platform reference, version 4.1 of its format.

mod loads;
mod parts;
pub mod platform;
pub mod replay;
mod sharing;
pub mod tasks;
pub mod xml;
mod zones;
