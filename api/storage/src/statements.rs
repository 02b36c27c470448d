//! How SQL statements are declared.
//!
//! Parameters are `$1`, `$2`, ...; their order is that of the columns or of the sentence that
//! documents the statement. Constants that end in `_BULK` or `_WHERE` are beginnings that
//! `sqlx::QueryBuilder` completes. Columns that several statements of a file have are a macro of it,
//! which `concat!` puts into them.

/// Declares statements and lists them in `ALL`.
macro_rules! statements {
    ($($(#[$docs:meta])* $name:ident = $sql:expr;)*) => {
        $($(#[$docs])* pub const $name: &str = $sql;)*

        /// The statements of this module with their names.
        pub const ALL: &[(&str, &str)] = &[$((stringify!($name), $name)),*];
    };
}
pub(crate) use statements;
