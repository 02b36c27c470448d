//! Nothing: sqlx 0.8 comes with the OpenADR messages and is never asked for SQLite. The real crate
//! would hold the whole workspace to an old SQLite library (decision 11).
