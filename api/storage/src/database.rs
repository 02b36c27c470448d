//! The handle, and how the nouns declare what it can do.

use std::sync::Arc;

use sqlx::{Postgres, Sqlite};

use crate::engine::connections::Connections;

/// A database of either engine; cheap to clone, and all clones share its connections.
#[derive(Clone, Debug)]
pub struct Database {
    pub(crate) opened: Opened,
}

/// The connections of the engine in use.
#[derive(Clone, Debug)]
pub(crate) enum Opened {
    /// To a SQLite file.
    Sqlite(Arc<Connections<Sqlite>>),
    /// To a PostgreSQL server.
    Postgres(Arc<Connections<Postgres>>),
}

impl Database {
    /// Closes all connections, of all clones.
    pub async fn close(&self) {
        match &self.opened {
            Opened::Sqlite(connections) => connections.close().await,
            Opened::Postgres(connections) => connections.close().await,
        }
    }
}

/// Declares the repository of a noun: methods of [`Database`], each written once for both engines.
///
/// ```text
/// repository!(
///     /// What is told of all these methods together.
///     impl Database for Outages {
///         /// Outages that have yet to end at `now`, by start.
///         ///
///         /// # Errors
///         /// Storage failed.
///         pub async fn outages(&self, now: Timestamp) -> Result<Vec<Outage>, StorageError> {
///             Self::upcoming(&mut *self.reader.acquire().await?, now).await
///         }
///     }
///
///     /// Parts of transactions.
///     impl Outages {
///         pub(crate) async fn upcoming(
///             connection: &mut Connection<Engine>,
///             now: Timestamp,
///         ) -> Result<Vec<Outage>, StorageError> { .. }
///     }
/// );
/// ```
///
/// `Outages<Engine>` is the repository of one engine, and in the bodies `Engine` is that engine and
/// `self` gives the fields and methods of [`Connections`]. Both blocks are compiled for each engine;
/// the methods of the first are methods of [`Database`] besides, which call those of the engine in
/// use. What another noun's transactions use is in the second block and `pub(crate)`; they call it
/// as `Outages::<Engine>::upcoming(connection, now)`. A second block is left out where there are no
/// parts.
///
/// The parentheses and the docs of both blocks are what makes `cargo fmt` format them.
macro_rules! repository {
    (
        $(#[$docs:meta])+
        impl Database for $noun:ident {
            $(
                $(#[$method_docs:meta])+
                $visibility:vis async fn $method:ident(
                    &$this:ident $(, $argument:ident: $type:ty)* $(,)?
                ) -> $answer:ty $body:block
            )+
        }
        $(
            $(#[$parts_docs:meta])+
            impl $parts_of:ident { $($parts:tt)* }
        )?
    ) => {
        $(#[$docs])+
        impl $crate::database::Database {
            $(
                $(#[$method_docs])+
                $visibility async fn $method(&self $(, $argument: $type)*) -> $answer {
                    let _call = $crate::calls::span(concat!("database ", stringify!($method)));
                    match &self.opened {
                        $crate::database::Opened::Sqlite(connections) => {
                            $noun(connections).$method($($argument),*).await
                        }
                        $crate::database::Opened::Postgres(connections) => {
                            let noun = $noun(connections);
                            // Boxed: else each method would have a copy of what notices silence.
                            let work = Box::pin(noun.$method($($argument),*));
                            $crate::engine::silence::unless_silent(connections.patience.as_deref(), work).await
                        }
                    }
                }
            )+
        }

        $(#[$docs])+
        pub(crate) struct $noun<'a, DB: $crate::engine::dialect::Dialect>(
            &'a $crate::engine::connections::Connections<DB>,
        );

        impl<DB: $crate::engine::dialect::Dialect> std::ops::Deref for $noun<'_, DB> {
            type Target = $crate::engine::connections::Connections<DB>;

            fn deref(&self) -> &Self::Target {
                self.0
            }
        }

        $crate::database::repository!(@of sqlx::Sqlite, $noun {
            $(async fn $method(&$this $(, $argument: $type)*) -> $answer $body)+
            $($($parts)*)?
        });
        $crate::database::repository!(@of sqlx::Postgres, $noun {
            $(async fn $method(&$this $(, $argument: $type)*) -> $answer $body)+
            $($($parts)*)?
        });
    };
    // What is compiled for one engine.
    (@of $engine:ty, $noun:ident { $($methods:tt)* }) => {
        const _: () = {
            type Engine = $engine;

            impl $noun<'_, Engine> {
                $($methods)*
            }
        };
    };
}
pub(crate) use repository;
