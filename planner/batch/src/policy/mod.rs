//! Policies: which waiting job starts when, and where.
//!
//! A policy is a combination of parts, one of each kind:
//!
//! * `order`: which waiting job is the first;
//! * `backfill`: who may start before it;
//! * `fit`: which machines jobs take;
//! * `gate`: what may start as far as power and energy go;
//! * `switching`: which machines are switched off and on.
//!
//! Each part declares its options in its own file. Some combinations have names ([`Policy`]); others are
//! said by their parts ([`Combination`]). `parts` makes schedulers of them: `core` plays strict queues
//! and EASY backfilling with every fit, gate and switching, `counting` the same where only the number
//! of machines counts, and `conservative` guarantees a start to every waiting job. `round_robin` has
//! no queue.
//!
//! A scheduler sees what was asked, never how long a job will run. It counts free machines by
//! itself; the kernel refuses what contradicts its own count.

mod backfill;
pub(crate) mod bits;
mod by_key;
mod combination;
mod conservative;
mod core;
mod counting;
mod fit;
mod gate;
mod help;
mod named;
mod options;
mod order;
mod part;
mod parts;
mod queue;
mod round_robin;
mod setting;
mod switching;

pub use backfill::BackfillPart;
pub use combination::{Allocation, Combination, PartNames, SaidParts};
pub use fit::FitPart;
pub use gate::GatePart;
pub use help::options_help;
pub use named::{Policy, PolicyError};
pub use options::{COMMON_OPTIONS, PolicyOption, nearest, no_option};
pub(crate) use options::{Options, option};
pub use order::OrderPart;
pub use part::{About, PartError, PartKind};
pub use parts::Parts;
pub use setting::Setting;
pub use switching::SwitchingPart;
