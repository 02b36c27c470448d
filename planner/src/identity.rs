//! Ids as types, so that an offer's id is never taken for a reservation's.

use std::fmt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// Declares an id that is a UUID.
macro_rules! uuid_identity {
    ($(#[$docs:meta])* $name:ident) => {
        $(#[$docs])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
        )]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// The id with this UUID; version 7 where ids are to sort by time.
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The UUID.
            pub const fn as_uuid(self) -> Uuid {
                self.0
            }
        }

        impl From<Uuid> for $name {
            fn from(uuid: Uuid) -> Self {
                Self(uuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

uuid_identity! {
    /// The id of a reservation. Lists are ordered by it, so it should be a UUID of version 7.
    ReservationId
}
uuid_identity! {
    /// The id of an offer.
    OfferId
}
uuid_identity! {
    /// The id of an outage.
    OutageId
}
uuid_identity! {
    /// The id of a quota adjustment. Later ones sort after earlier ones, so it should be a UUID of version 7.
    QuotaAdjustmentId
}
uuid_identity! {
    /// The id of a negotiation. Lists are ordered by it, so it should be a UUID of version 7.
    NegotiationId
}
uuid_identity! {
    /// The id of a grant of extra power.
    GrantId
}
