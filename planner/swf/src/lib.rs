//! The Standard Workload Format, version 2.2, line by line.
//!
//! Header lines begin with `;` and say `Key: value`; every other line is a job of 18 numbers between
//! white space, `-1` for what is unknown. Taken as well, since published traces have them: fields
//! missing at the end of a line (unknown), fractions, empty lines, header lines among the jobs, a
//! byte order mark, line ends of other systems. Memory: one line and the header.

use std::io::{self, BufRead};

/// How many fields a job has.
const FIELDS: usize = 18;

/// The fields of a job, in the order of the format. Times in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// 1: the job's number.
    Job,
    /// 2: when it was submitted, since the trace's start.
    SubmitS,
    /// 3: how long it waited.
    WaitS,
    /// 4: how long it ran.
    RunS,
    /// 5: the processors that it got.
    AllocatedProcessors,
    /// 6: processor time used, mean over processors.
    AverageCpuS,
    /// 7: memory used, mean over processors.
    UsedMemoryKb,
    /// 8: the processors that it asked for.
    RequestedProcessors,
    /// 9: the time that it asked for.
    RequestedS,
    /// 10: the memory that it asked for, a processor.
    RequestedMemoryKb,
    /// 11: 1 completed, 0 failed, 5 cancelled, 2 to 4 parts of a job.
    Status,
    /// 12: who submitted it.
    User,
    /// 13: the group of who submitted it.
    Group,
    /// 14: the program that it ran.
    Executable,
    /// 15: the queue that it was submitted to.
    Queue,
    /// 16: the part of the machine that it was submitted to.
    Partition,
    /// 17: the job that it waited for.
    PrecedingJob,
    /// 18: time between that job's end and its submission.
    ThinkS,
}

/// One job as it stands in the trace.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The line of the trace on which it stands, from 1.
    pub line: u64,
    /// Whether the line goes on behind the last field of the format: [`Reader::further`].
    pub goes_on: bool,
    fields: [f64; FIELDS],
}

impl Record {
    /// A field as it stands; `-1` where it is missing.
    pub const fn value(&self, field: Field) -> f64 {
        self.fields[field as usize]
    }

    /// Has a field say something else.
    pub const fn set(&mut self, field: Field, value: f64) {
        self.fields[field as usize] = value;
    }

    /// A field that says something: above nothing.
    pub fn known(&self, field: Field) -> Option<f64> {
        Some(self.value(field)).filter(|value| *value > 0.0)
    }
}

/// What the header lines say, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    entries: Vec<(String, String)>,
}

impl Header {
    /// The first value of `key`, whatever its case.
    pub fn get(&self, key: &str) -> Option<&str> {
        let named = |(name, _): &&(String, String)| name.eq_ignore_ascii_case(key);
        self.entries.iter().find(named).map(|(_, value)| value.as_str())
    }

    /// The first whole number above nothing that `key` has.
    pub fn number(&self, key: &str) -> Option<u64> {
        let first = self.get(key)?.split_ascii_whitespace().next()?;
        first.trim_end_matches(',').parse().ok().filter(|number| *number > 0)
    }

    /// All entries.
    pub fn entries(&self) -> &[(String, String)] {
        &self.entries
    }
}

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SwfError {
    /// A field of a job is not a number.
    #[error("line {line}, field {field}: {text:?} is not a number")]
    NotANumber {
        /// The line, from 1.
        line: u64,
        /// The field, from 1.
        field: usize,
        /// What stands there, at most 40 characters.
        text: String,
    },
    /// The source failed while the line was read.
    #[error("line {line}: {error}")]
    Unreadable {
        /// The line, from 1.
        line: u64,
        /// What the source said.
        error: io::Error,
    },
}

/// Reads a trace job by job.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    header: Header,
    line: u64,
    text: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    /// Reads `source` from where it stands.
    pub fn new(source: R) -> Self {
        Self { source, header: Header::default(), line: 0, text: Vec::new() }
    }

    /// The header lines met so far.
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// The line read last, as it stands.
    pub fn text(&self) -> &[u8] {
        self.text.trim_ascii_end()
    }

    /// What stands on the line read last behind the last field of the format, such as field 19.
    pub fn further(&self) -> impl Iterator<Item = &[u8]> {
        words(self.text()).skip(FIELDS)
    }

    /// The next job; `None` at the end.
    ///
    /// # Errors
    /// A field that is not a number, with its line; a source that fails.
    pub fn next_record(&mut self) -> Result<Option<Record>, SwfError> {
        loop {
            self.text.clear();
            self.line += 1;
            let read = self.source.read_until(b'\n', &mut self.text);
            match read {
                Ok(0) => return Ok(None),
                Ok(_) => {}
                Err(error) => return Err(SwfError::Unreadable { line: self.line, error }),
            }
            let text = self.text.trim_ascii();
            let text = if self.line == 1 {
                text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
            } else {
                text
            };
            match text.first() {
                None => {}
                Some(b';') => self.header.entries.extend(entry(text)),
                Some(_) => return record(self.line, text).map(Some),
            }
        }
    }
}

/// The key and the value of a header line that has both.
fn entry(line: &[u8]) -> Option<(String, String)> {
    let line = String::from_utf8_lossy(line);
    let (key, value) = line.trim_start_matches(';').split_once(':')?;
    Some((key.trim().to_owned(), value.trim().to_owned()))
}

fn record(line: u64, text: &[u8]) -> Result<Record, SwfError> {
    let mut fields = [-1.0; FIELDS];
    let mut words = words(text);
    for ((place, field), word) in fields.iter_mut().enumerate().zip(words.by_ref()) {
        *field = number(word).ok_or_else(|| SwfError::NotANumber {
            line,
            field: place + 1,
            text: String::from_utf8_lossy(word).chars().take(40).collect(),
        })?;
    }
    let goes_on = words.next().is_some();
    Ok(Record { line, goes_on, fields })
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// Nearly all numbers of traces are a few digits: those are read at once.
fn number(word: &[u8]) -> Option<f64> {
    let (sign, digits) = match word.strip_prefix(b"-") {
        Some(digits) => (-1.0, digits),
        None => (1.0, word),
    };
    if (1..=15).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit) {
        let whole = digits.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        return Some(sign * whole as f64);
    }
    let value: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    value.is_finite().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRACE: &str = "\u{feff}; Version: 2.2
;Computer: made up: twice
;  MaxProcs:  8

1 0 5 100 4 -1 -1 4 200 1 1 11 12 13 14 15 16 17.5\r
\t 2 -30.25 1
; MaxNodes: 9
";

    #[test]
    #[expect(clippy::float_cmp, reason = "as they stand in the text")]
    fn headers_all_fields_and_short_lines_are_read() {
        let mut reader = Reader::new(TRACE.as_bytes());
        let first = reader.next_record().unwrap().unwrap();
        assert_eq!(first.line, 5);
        assert_eq!(first.value(Field::WaitS), 5.0);
        assert_eq!(first.value(Field::PrecedingJob), 16.0);
        assert_eq!(first.value(Field::ThinkS), 17.5);
        assert_eq!(first.known(Field::AverageCpuS), None);
        let second = reader.next_record().unwrap().unwrap();
        assert_eq!(second.value(Field::SubmitS), -30.25);
        assert_eq!(second.value(Field::RunS), -1.0);
        assert!(!first.goes_on && !second.goes_on);
        assert_eq!(reader.next_record().unwrap(), None);
        assert_eq!(reader.header().get("maxprocs"), Some("8"));
        assert_eq!(reader.header().get("Computer"), Some("made up: twice"));
        assert_eq!(
            (reader.header().number("MaxProcs"), reader.header().number("Computer")),
            (Some(8), None)
        );
        assert_eq!(reader.header().entries().len(), 4);
    }

    /// The words behind 18 numbers need not be numbers.
    #[test]
    fn lines_may_go_on() {
        let text = format!("{} 8 -1 a:excl:2x4\n{}\n", "1 ".repeat(18), "2 ".repeat(18));
        let mut reader = Reader::new(text.as_bytes());
        assert!(reader.next_record().unwrap().unwrap().goes_on);
        let further: Vec<&[u8]> = reader.further().collect();
        assert_eq!(further, [&b"8"[..], b"-1", b"a:excl:2x4"]);
        assert!(!reader.next_record().unwrap().unwrap().goes_on);
        assert_eq!(reader.further().count(), 0);
    }

    #[test]
    fn what_is_no_number_is_named_with_its_line() {
        let mut reader = Reader::new("; fine\n1 0 1\n2 zero 1\n".as_bytes());
        assert!(reader.next_record().unwrap().is_some());
        let error = reader.next_record().unwrap_err();
        assert_eq!(error.to_string(), r#"line 3, field 2: "zero" is not a number"#);
        for odd in ["nan", "inf", "--1", "-", "1e999"] {
            let line = format!("1 {odd}\n");
            assert!(Reader::new(line.as_bytes()).next_record().is_err(), "{odd}");
        }
    }
}
