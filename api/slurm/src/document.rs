//! The JSON of slurmrestd in the spellings of all its versions: numbers plain or as
//! `{set, infinite, number}`, words as a list or as text with commas.

use planner::node_list;
use planner::resource_manager::ManagerError;
use planner::time::{Seconds, Timestamp};
use serde::{Deserialize, Deserializer};

/// A document of slurmrestd: its items, and what it says about itself.
#[derive(Debug, Deserialize)]
pub(crate) struct Document<T> {
    /// Whatever was asked for.
    #[serde(alias = "nodes", alias = "reservations", alias = "jobs", default = "Vec::new")]
    pub items: Vec<T>,
    #[serde(default, deserialize_with = "complaints")]
    pub errors: Vec<Complaint>,
    #[serde(default)]
    pub meta: Option<Meta>,
    /// The controller's clock at the answer; zero where it was not asked.
    #[serde(default)]
    pub last_update: Number,
    /// Statistics of the controller, which tell its clock.
    #[serde(default)]
    pub statistics: Option<Statistics>,
    /// What became of each job that was to be cancelled.
    #[serde(default)]
    pub status: Vec<CancelledJob>,
}

/// An entry of `errors`.
#[derive(Debug, Deserialize)]
pub(crate) struct Complaint {
    #[serde(default)]
    pub error: Option<String>,
    #[serde(default)]
    pub description: Option<String>,
    /// Some operations of v0.0.38 call it `errno`.
    #[serde(default, alias = "errno")]
    pub error_number: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Meta {
    #[serde(default, alias = "Slurm")]
    pub slurm: Option<Release>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Release {
    #[serde(default)]
    pub release: Option<String>,
    /// From v0.0.41 on.
    #[serde(default)]
    pub cluster: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Statistics {
    #[serde(default)]
    pub req_time: Number,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CancelledJob {
    #[serde(default)]
    pub error: Option<CancelError>,
}

#[derive(Debug, Deserialize)]
pub(crate) struct CancelError {
    #[serde(default)]
    pub code: i64,
    #[serde(default)]
    pub message: String,
}

/// A number that may be missing or infinite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Number {
    #[default]
    Unset,
    Infinite,
    Is(i64),
}

/// How slurmrestd writes a [`Number`].
#[derive(Deserialize)]
#[serde(untagged)]
enum Spelling {
    Plain(i64),
    Object {
        #[serde(default)]
        set: bool,
        #[serde(default)]
        infinite: bool,
        #[serde(default)]
        number: f64,
    },
    Real(f64),
    Nothing(()),
}

/// What Slurm writes for "infinite" and "no value" where a number is plain.
const INFINITE: i64 = 0xffff_ffff;
const NO_VALUE: i64 = 0xffff_fffe;

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[expect(clippy::cast_possible_truncation, reason = "seconds and counts, saturated")]
        let whole = |real: f64| Self::Is(real as i64);
        Ok(match Spelling::deserialize(deserializer)? {
            Spelling::Plain(INFINITE) | Spelling::Object { infinite: true, .. } => Self::Infinite,
            Spelling::Plain(NO_VALUE)
            | Spelling::Object { set: false, .. }
            | Spelling::Nothing(()) => Self::Unset,
            Spelling::Plain(number) => Self::Is(number),
            Spelling::Object { number, .. } | Spelling::Real(number) => whole(number),
        })
    }
}

impl Number {
    /// The number where it is above zero: Slurm writes zero for instants and amounts that it does not have.
    pub fn positive(self) -> Option<i64> {
        match self {
            Self::Is(number) if number > 0 => Some(number),
            _ => None,
        }
    }

    /// The number where there is one and it is an amount: zero or above.
    pub fn amount(self) -> Option<i64> {
        match self {
            Self::Is(number) if number >= 0 => Some(number),
            _ => None,
        }
    }

    /// The instant, where there is one; later than the calendar goes there is none.
    pub fn instant(self) -> Option<Timestamp> {
        self.positive().map(Timestamp::from_unix_seconds).filter(|it| *it <= Timestamp::MAX)
    }

    /// The length of so many minutes, where there is one.
    pub fn minutes(self) -> Option<Seconds> {
        self.positive().and_then(|minutes| minutes.checked_mul(60)).map(Seconds::new)
    }
}

/// Words: a list of texts, or one text with commas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Words(pub Vec<String>);

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            List(Vec<String>),
            Text(String),
            Nothing(()),
        }
        let words = match Written::deserialize(deserializer)? {
            Written::List(words) => words,
            Written::Text(text) => text.split(',').map(str::to_owned).collect(),
            Written::Nothing(()) => Vec::new(),
        };
        let words = words.into_iter().map(|it| it.trim().to_owned()).filter(|it| !it.is_empty());
        Ok(Self(words.collect()))
    }
}

impl Words {
    /// Whether one of these words is among them, in any case.
    pub fn has_any(&self, words: &[&str]) -> bool {
        self.0.iter().any(|it| words.iter().any(|word| it.eq_ignore_ascii_case(word)))
    }
}

/// What is complained of. 26.05 says "No error", 0, where one reservation was asked for and there are none.
fn complaints<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Complaint>, D::Error> {
    let complaints = Option::<Vec<Complaint>>::deserialize(deserializer)?.unwrap_or_default();
    Ok(complaints.into_iter().filter(|it| it.error_number != Some(0)).collect())
}

/// A text that may be null.
pub(crate) fn text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}

/// The nodes of a list of Slurm at `place`; none where the list is empty.
pub(crate) fn node_names(list: &str, place: &str) -> Result<Vec<String>, ManagerError> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    node_list::parse(list).map_err(|error| ManagerError::Unreadable(format!("{place}: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn numbers_are_plain_or_objects() {
        for (text, read) in [
            ("7", Number::Is(7)),
            ("-1", Number::Is(-1)),
            ("32.0", Number::Is(32)),
            ("4294967295", Number::Infinite),
            ("4294967294", Number::Unset),
            ("null", Number::Unset),
            (r#"{"set":true,"infinite":false,"number":7}"#, Number::Is(7)),
            (r#"{"set":true,"infinite":false,"number":32.0}"#, Number::Is(32)),
            (r#"{"set":false,"infinite":true,"number":0}"#, Number::Infinite),
            (r#"{"set":false,"infinite":false,"number":0}"#, Number::Unset),
        ] {
            assert_eq!(number(text), read, "{text}");
        }
        assert!(serde_json::from_str::<Number>(r#""soon""#).is_err());
        assert_eq!((number("0").positive(), number("5").positive()), (None, Some(5)));
    }

    /// 253,402,300,799 s end the year 9999; a minute more than 2^63 s / 60 has no length in seconds.
    #[test]
    fn instants_and_lengths_that_cannot_be_are_none() {
        assert_eq!(number("253402300799").instant(), Some(Timestamp::MAX));
        assert_eq!(number("253402300800").instant(), None);
        assert_eq!(number("90").minutes(), Some(Seconds::new(5400)));
        assert_eq!(number("153722867280912931").minutes(), None);
    }

    #[test]
    fn words_are_lists_or_texts_with_commas() {
        for (text, read) in [
            (r#"["IDLE","DRAIN"]"#, vec!["IDLE", "DRAIN"]),
            (r#""root, nobody""#, vec!["root", "nobody"]),
            (r#""""#, vec![]),
            ("null", vec![]),
            ("[]", vec![]),
        ] {
            assert_eq!(serde_json::from_str::<Words>(text).unwrap().0, read, "{text}");
        }
    }
}
