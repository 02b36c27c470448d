//! Rows of SQLite, many at once.
//!
//! The driver hands each row from its own thread to ours, which takes longer than to find a small one. So SQLite gathers
//! rows into one text, which comes as one row. Where texts are among them it is JSON. Else columns have a space between
//! them and rows a comma, bytes are hexadecimal digits, and what is missing is nothing.

use sqlx::{AssertSqlSafe, Execute, QueryBuilder, Sqlite, SqliteConnection};

use crate::engine::rows::{BytesRow, NumbersRow, TextsRow};

/// What no hexadecimal digit is worth.
const NO_DIGIT: u8 = 0xff;

/// What each byte is worth as a hexadecimal digit.
const DIGITS: [u8; 256] = digits();

/// The rows of a query whose columns are `number` and `bytes`.
pub(crate) async fn bytes_rows(
    connection: &mut SqliteConnection,
    query: QueryBuilder<Sqlite>,
) -> Result<Vec<BytesRow>, sqlx::Error> {
    let text = gathered(connection, query, "group_concat(number || ' ' || hex(bytes))").await?;
    rows(&text, bytes_row)
}

/// The rows of a query whose columns are `one`, `two`, `three` and `four`.
pub(crate) async fn numbers_rows(
    connection: &mut SqliteConnection,
    query: QueryBuilder<Sqlite>,
) -> Result<Vec<NumbersRow>, sqlx::Error> {
    let all =
        "group_concat(one || ' ' || two || ' ' || ifnull(three, '') || ' ' || ifnull(four, ''))";
    let text = gathered(connection, query, all).await?;
    rows(&text, numbers_row)
}

/// The rows of a query whose columns are `one` to `six`.
pub(crate) async fn texts_rows(
    connection: &mut SqliteConnection,
    query: QueryBuilder<Sqlite>,
) -> Result<Vec<TextsRow>, sqlx::Error> {
    let all = "json_group_array(json_array(one, two, three, four, five, six))";
    let text = gathered(connection, query, all).await?;
    serde_json::from_str(&text).map_err(|error| sqlx::Error::Decode(error.into()))
}

/// What gathers the rows of a query.
async fn gathered(
    connection: &mut SqliteConnection,
    mut query: QueryBuilder<Sqlite>,
    all: &'static str,
) -> Result<String, sqlx::Error> {
    let arguments = query.build().take_arguments().map_err(sqlx::Error::Encode)?;
    let inner = query.into_string();
    let query = AssertSqlSafe(format!("SELECT {all} FROM ({inner})"));
    let query = sqlx::query_scalar_with(query, arguments.unwrap_or_default());
    let text: Option<String> = query.fetch_one(connection).await?;
    Ok(text.unwrap_or_default())
}

/// The rows of a text; an error where one is not what SQLite gathers.
fn rows<Row>(text: &str, row: impl Fn(&str) -> Option<Row>) -> Result<Vec<Row>, sqlx::Error> {
    let rows = text.split_terminator(',').map(row).collect::<Option<Vec<Row>>>();
    rows.ok_or_else(|| sqlx::Error::Decode("rows were gathered that cannot be read".into()))
}

fn bytes_row(text: &str) -> Option<BytesRow> {
    let (number, digits) = text.split_once(' ')?;
    Some((number.parse().ok()?, bytes(digits)?))
}

fn numbers_row(text: &str) -> Option<NumbersRow> {
    let number = |word: &str| match word {
        "" => Some(None),
        word => word.parse().ok().map(Some),
    };
    let mut words = text.split(' ').map(number);
    let mut next = || words.next().flatten();
    Some((next()??, next()??, next()?, next()?))
}

/// Bytes from two digits each.
fn bytes(digits: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let worth = |digit: u8| DIGITS[usize::from(digit)];
    let mut wrong = !rest.is_empty();
    let byte = |[high, low]: &[u8; 2]| {
        let (high, low) = (worth(*high), worth(*low));
        wrong |= high == NO_DIGIT || low == NO_DIGIT;
        high << 4 | low & 0x0f
    };
    let bytes = pairs.iter().map(byte).collect();
    (!wrong).then_some(bytes)
}

const fn digits() -> [u8; 256] {
    let mut worth = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < 16 {
        worth[b"0123456789ABCDEF"[digit as usize] as usize] = digit;
        digit += 1;
    }
    worth
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_from_what_sqlite_gathers() {
        assert_eq!(rows("", bytes_row).unwrap(), []);
        let read = rows("7 00FF1A,-8 ,9 A0", bytes_row).unwrap();
        assert_eq!(read, [(7, vec![0x00, 0xff, 0x1a]), (-8, vec![]), (9, vec![0xa0])]);
        let read = rows("0 5  ,1 6 -7 8", numbers_row).unwrap();
        assert_eq!(read, [(0, 5, None, None), (1, 6, Some(-7), Some(8))]);
    }

    #[test]
    fn what_sqlite_does_not_gather_is_refused() {
        for text in ["7", "x 00", "7 0", "7 0G", "7 00,,8 00"] {
            assert!(rows(text, bytes_row).is_err(), "{text}");
        }
        for text in ["1 2 3", " 2 3 4", "1 2 x 4"] {
            assert!(rows(text, numbers_row).is_err(), "{text}");
        }
    }
}
