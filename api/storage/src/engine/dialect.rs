//! Where the engines differ. Everything else in the crate is written once.

use std::pin::Pin;

use serde_json::json;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments, Executor, Postgres, QueryBuilder, Sqlite};
use uuid::Uuid;

use crate::engine::gathering;
use crate::engine::rows::{BytesRow, NumbersRow, TextsRow};

/// How many values one statement may bind: SQLite takes 32,766, PostgreSQL 65,535.
pub(crate) const MAX_BOUND_VALUES: usize = 32_766;

/// How many rows one statement writes that is kept prepared.
const MOST_ROWS: usize = 64;

/// Rows in pieces of a power of two, so that the statements that write them are few, and stay prepared, however many rows
/// there are.
pub(crate) fn pieces<T>(mut rows: &[T]) -> impl Iterator<Item = &[T]> {
    std::iter::from_fn(move || {
        let power = rows.len().min(MOST_ROWS).checked_ilog2()?;
        let (piece, rest) = rows.split_at(1 << power);
        rows = rest;
        Some(piece)
    })
}

/// The end of statements that give nothing back.
pub(crate) type Done<'c> = Pin<Box<dyn Future<Output = Result<(), sqlx::Error>> + Send + 'c>>;

/// The rows of a query, all of them.
pub(crate) type Rows<'c, Row> =
    Pin<Box<dyn Future<Output = Result<Vec<Row>, sqlx::Error>> + Send + 'c>>;

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
    /// A statement that begins so and goes on with a table of three numbers a row.
    fn with_triples(begin: &'static str, rows: &[(i64, i64, i64)]) -> QueryBuilder<Self>;
    /// A statement that begins so and goes on with a table of a number that is the same in all rows, a number and
    /// bytes.
    fn with_bytes(begin: &'static str, first: i64, rows: Vec<BytesRow>) -> QueryBuilder<Self>;
    /// Adds a list of numbers, for one to be in.
    fn push_numbers(query: &mut QueryBuilder<Self>, numbers: Vec<i64>);
    /// Adds the condition that the column before it is one of these ids.
    fn push_among(query: &mut QueryBuilder<Self>, ids: &[Uuid]);
    /// Adds a list of texts, for one to be in; its column is `value`.
    fn push_texts(query: &mut QueryBuilder<Self>, texts: &[&str]);
    /// Adds a table of texts, with the position of each from 0 on; the columns are `place` and `value`.
    fn push_places(query: &mut QueryBuilder<Self>, texts: &[&str]);
    /// The rows of a query whose columns are `number` and `bytes`.
    fn fetch_bytes(
        connection: &mut Self::Connection,
        query: QueryBuilder<Self>,
    ) -> Rows<'_, BytesRow>;
    /// The rows of a query whose columns are `one`, `two`, `three` and `four`.
    fn fetch_numbers(
        connection: &mut Self::Connection,
        query: QueryBuilder<Self>,
    ) -> Rows<'_, NumbersRow>;
    /// The rows of a query whose columns are `one` to `six`.
    fn fetch_texts(
        connection: &mut Self::Connection,
        query: QueryBuilder<Self>,
    ) -> Rows<'_, TextsRow>;
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

    fn with_triples(begin: &'static str, rows: &[(i64, i64, i64)]) -> QueryBuilder<Self> {
        let mut values = SqliteArguments::default();
        for (one, two, three) in rows {
            for number in [one, two, three] {
                bind(&mut values, *number);
            }
        }
        QueryBuilder::with_arguments(table_of_threes(begin, rows.len()), values)
    }

    fn with_bytes(begin: &'static str, first: i64, rows: Vec<BytesRow>) -> QueryBuilder<Self> {
        let (mut values, count) = (SqliteArguments::default(), rows.len());
        for (number, bytes) in rows {
            bind(&mut values, first);
            bind(&mut values, number);
            bind(&mut values, bytes);
        }
        QueryBuilder::with_arguments(table_of_threes(begin, count), values)
    }

    // As JSON, so that however many there are the statement is the same.
    fn push_numbers(query: &mut QueryBuilder<Self>, numbers: Vec<i64>) {
        query.push("(SELECT value FROM json_each(").push_bind(json!(numbers).to_string());
        query.push("))");
    }

    fn push_among(query: &mut QueryBuilder<Self>, ids: &[Uuid]) {
        let texts: Vec<String> = ids.iter().map(|id| id.simple().to_string()).collect();
        query.push(" IN (SELECT unhex(value) FROM json_each(");
        query.push_bind(json!(texts).to_string()).push("))");
    }

    fn push_texts(query: &mut QueryBuilder<Self>, texts: &[&str]) {
        query.push("(SELECT value FROM json_each(").push_bind(json!(texts).to_string());
        query.push("))");
    }

    fn push_places(query: &mut QueryBuilder<Self>, texts: &[&str]) {
        query.push("(SELECT key AS place, value FROM json_each(");
        query.push_bind(json!(texts).to_string()).push("))");
    }

    fn fetch_bytes(
        connection: &mut Self::Connection,
        query: QueryBuilder<Self>,
    ) -> Rows<'_, BytesRow> {
        Box::pin(gathering::bytes_rows(connection, query))
    }

    fn fetch_numbers(
        connection: &mut Self::Connection,
        query: QueryBuilder<Self>,
    ) -> Rows<'_, NumbersRow> {
        Box::pin(gathering::numbers_rows(connection, query))
    }

    fn fetch_texts(
        connection: &mut Self::Connection,
        query: QueryBuilder<Self>,
    ) -> Rows<'_, TextsRow> {
        Box::pin(gathering::texts_rows(connection, query))
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
    fn with_triples(begin: &'static str, rows: &[(i64, i64, i64)]) -> QueryBuilder<Self> {
        let column = |number: fn(&(i64, i64, i64)) -> i64| rows.iter().map(number).collect();
        let [one, two, three]: [Vec<i64>; 3] =
            [column(|row| row.0), column(|row| row.1), column(|row| row.2)];
        let mut query = QueryBuilder::new(begin);
        query.push("SELECT * FROM unnest(").push_bind(one);
        query.push(", ").push_bind(two).push(", ").push_bind(three).push(")");
        query
    }

    fn with_bytes(begin: &'static str, first: i64, rows: Vec<BytesRow>) -> QueryBuilder<Self> {
        let (numbers, bytes): (Vec<i64>, Vec<Vec<u8>>) = rows.into_iter().unzip();
        let mut query = QueryBuilder::new(begin);
        query.push("SELECT ").push_bind(first).push("::BIGINT, * FROM unnest(");
        query.push_bind(numbers).push(", ").push_bind(bytes).push(")");
        query
    }

    fn push_numbers(query: &mut QueryBuilder<Self>, numbers: Vec<i64>) {
        query.push("(SELECT unnest(").push_bind(numbers).push("))");
    }

    fn push_among(query: &mut QueryBuilder<Self>, ids: &[Uuid]) {
        query.push(" = ANY(").push_bind(ids.to_vec()).push(")");
    }

    fn push_texts(query: &mut QueryBuilder<Self>, texts: &[&str]) {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        query.push("(SELECT value FROM unnest(").push_bind(texts).push(") AS given (value))");
    }

    fn push_places(query: &mut QueryBuilder<Self>, texts: &[&str]) {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        query.push("(SELECT counted - 1 AS place, value FROM unnest(").push_bind(texts);
        query.push(") WITH ORDINALITY AS given (value, counted))");
    }

    fn fetch_bytes(
        connection: &mut Self::Connection,
        mut query: QueryBuilder<Self>,
    ) -> Rows<'_, BytesRow> {
        Box::pin(async move { query.build_query_as().fetch_all(connection).await })
    }

    fn fetch_numbers(
        connection: &mut Self::Connection,
        mut query: QueryBuilder<Self>,
    ) -> Rows<'_, NumbersRow> {
        Box::pin(async move { query.build_query_as().fetch_all(connection).await })
    }

    fn fetch_texts(
        connection: &mut Self::Connection,
        mut query: QueryBuilder<Self>,
    ) -> Rows<'_, TextsRow> {
        Box::pin(async move { query.build_query_as().fetch_all(connection).await })
    }

    fn run<'c>(connection: &'c mut Self::Connection, statements: &'static str) -> Done<'c> {
        Box::pin(async move { connection.execute(statements).await.map(drop) })
    }
}

/// The text of a statement that begins so and goes on with a table of three values a row. They have no numbers: the
/// driver looks each of those up among all before it, so that a statement of thousands would take their square.
fn table_of_threes(begin: &str, rows: usize) -> String {
    const ROW: &str = "(?, ?, ?)";
    let mut text = String::with_capacity(begin.len() + 8 + rows * (ROW.len() + 2));
    text.push_str(begin);
    text.push_str("VALUES ");
    for row in 0..rows {
        text.push_str(if row == 0 { "" } else { ", " });
        text.push_str(ROW);
    }
    text
}

/// Adds a value; numbers and bytes are always taken.
fn bind<'v, T>(values: &mut SqliteArguments, value: T)
where
    T: sqlx::Encode<'v, Sqlite> + sqlx::Type<Sqlite>,
{
    if let Err(error) = values.add(value) {
        unreachable!("a number or bytes: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_in_pieces_of_powers_of_two() {
        let lengths = |count: usize| pieces(&vec![(); count]).map(<[()]>::len).collect::<Vec<_>>();
        assert_eq!(lengths(0), Vec::<usize>::new());
        assert_eq!(lengths(1), [1]);
        // 203 = 3 times 64, and 11 = 8 + 2 + 1.
        assert_eq!(lengths(203), [64, 64, 64, 8, 2, 1]);
    }
}
