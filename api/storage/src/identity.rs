//! Ids as types, so that an offer's id is never taken for a reservation's.

use std::fmt;

use uuid::Uuid;

macro_rules! uuid_identity {
    ($(#[$docs:meta])* $name:ident) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
        #[sqlx(transparent)]
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

macro_rules! serial_identity {
    ($(#[$docs:meta])* $name:ident) => {
        $(#[$docs])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, sqlx::Type)]
        #[sqlx(transparent)]
        pub struct $name(i64);

        impl $name {
            /// The number.
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl From<i64> for $name {
            fn from(number: i64) -> Self {
                Self(number)
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
    /// Which API token.
    TokenId
}
uuid_identity! {
    /// Who signs in at an issuer.
    PersonId
}
uuid_identity! {
    /// Which series of reservations. Lists are ordered by it, so it should be a UUID of version 7.
    SeriesId
}
uuid_identity! {
    /// Which simulation. Lists are ordered by it, so it should be a UUID of version 7.
    SimulationId
}
uuid_identity! {
    /// Who plays a simulation: another one for each time that one is taken.
    WorkerId
}
uuid_identity! {
    /// Which reservation at another site. Lists are ordered by it, so it should be a UUID of version 7.
    SiteReservationId
}
serial_identity! {
    /// Which message of a negotiation; later ones are greater.
    MessageId
}
serial_identity! {
    /// Which calibration epoch; later ones are greater.
    EpochId
}
serial_identity! {
    /// Which revision of an agenda; later ones are greater.
    RevisionId
}
serial_identity! {
    /// Which revision of a feed; later ones are greater.
    FeedRevisionId
}
serial_identity! {
    /// Which power action; later ones are greater.
    PowerActionId
}
serial_identity! {
    /// Which event; later ones are greater.
    EventId
}
