//! Where the engines differ. Everything else in the crate is written once.

use std::pin::Pin;

use serde_json::json;
use sqlx::{Executor, Postgres, QueryBuilder, Sqlite};

/// How many values one statement may bind: SQLite takes 32,766, PostgreSQL 65,535.
pub(crate) const MAX_BOUND_VALUES: usize = 32_766;

/// The end of statements that give nothing back.
pub(crate) type Done<'c> = Pin<Box<dyn Future<Output = Result<(), sqlx::Error>> + Send + 'c>>;

/// How an engine begins and ends transactions, and is given tables.
pub(crate) trait Dialect: sqlx::Database {
    /// Begins a transaction that will write.
    const BEGIN_WRITE: &'static str;
    /// Begins a transaction whose reads all see one state.
    const BEGIN_READ: &'static str;
    /// Makes a transaction permanent, or fails.
    const COMMIT: &'static str;
    /// Says inside a transaction that the next statement may be long in coming.
    const LONG_PAUSE: Option<&'static str>;
    /// Adds a table of three numbers a row.
    fn push_triples(query: &mut QueryBuilder<Self>, rows: &[(i64, i64, i64)]);
    /// Adds a list of numbers, for one to be in.
    fn push_numbers(query: &mut QueryBuilder<Self>, numbers: Vec<i64>);
    /// Adds a list of texts, for one to be in; its column is `value`.
    fn push_texts(query: &mut QueryBuilder<Self>, texts: &[&str]);
    /// Adds a table of a number that is the same in all rows, a number and bytes.
    fn push_blocks(query: &mut QueryBuilder<Self>, first: i64, rows: Vec<(i64, Vec<u8>)>);
    /// Executes statements as they stand, prepared for nobody.
    fn run<'c>(connection: &'c mut Self::Connection, statements: &'static str) -> Done<'c>;
}

impl Dialect for Sqlite {
    // A deferred transaction that turns from reading to writing fails at once when another one
    // wrote in between, whatever the busy timeout.
    const BEGIN_WRITE: &'static str = "BEGIN IMMEDIATE";
    const BEGIN_READ: &'static str = "BEGIN DEFERRED";
    const COMMIT: &'static str = "COMMIT";
    const LONG_PAUSE: Option<&'static str> = None;

    fn push_triples(query: &mut QueryBuilder<Self>, rows: &[(i64, i64, i64)]) {
        query.push_values(rows, |mut row, (one, two, three)| {
            row.push_bind(*one).push_bind(*two).push_bind(*three);
        });
    }

    // As JSON, so that however many there are the statement is the same.
    fn push_numbers(query: &mut QueryBuilder<Self>, numbers: Vec<i64>) {
        query.push("(SELECT value FROM json_each(").push_bind(json!(numbers).to_string());
        query.push("))");
    }

    fn push_texts(query: &mut QueryBuilder<Self>, texts: &[&str]) {
        query.push("(SELECT value FROM json_each(").push_bind(json!(texts).to_string());
        query.push("))");
    }

    fn push_blocks(query: &mut QueryBuilder<Self>, first: i64, rows: Vec<(i64, Vec<u8>)>) {
        query.push_values(rows, |mut row, (number, bytes)| {
            row.push_bind(first).push_bind(number).push_bind(bytes);
        });
    }

    fn run<'c>(connection: &'c mut Self::Connection, statements: &'static str) -> Done<'c> {
        Box::pin(async move { connection.execute(statements).await.map(drop) })
    }
}

impl Dialect for Postgres {
    const BEGIN_WRITE: &'static str = "BEGIN ISOLATION LEVEL READ COMMITTED";
    const BEGIN_READ: &'static str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
    // `COMMIT` alone rolls back a transaction in which a statement failed, and says that it did well.
    const COMMIT: &'static str = "SELECT; COMMIT";
    // The session's own is short, so that a process that froze does not hold the book.
    const LONG_PAUSE: Option<&'static str> =
        Some("SET LOCAL idle_in_transaction_session_timeout = '2min'");

    // Arrays, so that however many there are the statement is the same: with a text of its own for
    // each number of rows it would be parsed and planned each time, and kept beside all others.
    fn push_triples(query: &mut QueryBuilder<Self>, rows: &[(i64, i64, i64)]) {
        let column = |number: fn(&(i64, i64, i64)) -> i64| rows.iter().map(number).collect();
        let [one, two, three]: [Vec<i64>; 3] =
            [column(|row| row.0), column(|row| row.1), column(|row| row.2)];
        query.push("SELECT * FROM unnest(").push_bind(one);
        query.push(", ").push_bind(two).push(", ").push_bind(three).push(")");
    }

    fn push_numbers(query: &mut QueryBuilder<Self>, numbers: Vec<i64>) {
        query.push("(SELECT unnest(").push_bind(numbers).push("))");
    }

    fn push_texts(query: &mut QueryBuilder<Self>, texts: &[&str]) {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        query.push("(SELECT value FROM unnest(").push_bind(texts).push(") AS given (value))");
    }

    fn push_blocks(query: &mut QueryBuilder<Self>, first: i64, rows: Vec<(i64, Vec<u8>)>) {
        let (numbers, bytes): (Vec<i64>, Vec<Vec<u8>>) = rows.into_iter().unzip();
        query.push("SELECT ").push_bind(first).push("::BIGINT, * FROM unnest(");
        query.push_bind(numbers).push(", ").push_bind(bytes).push(")");
    }

    fn run<'c>(connection: &'c mut Self::Connection, statements: &'static str) -> Done<'c> {
        Box::pin(async move { connection.execute(statements).await.map(drop) })
    }
}
