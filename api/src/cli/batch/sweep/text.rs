//! The file of a sweep as it is read: values with their lines, and what is wrong with them.

use std::collections::BTreeMap;
use std::path::Path;

use toml::{Spanned, Value};

/// Values of options by name.
pub type Entries = BTreeMap<Spanned<String>, Spanned<Value>>;

/// The most combinations.
pub const MOST: usize = 100_000;

/// The file being read.
pub struct Text<'a> {
    pub path: &'a Path,
    pub content: String,
    pub errors: Vec<String>,
}

impl Text<'_> {
    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> usize {
        1 + self.content.bytes().take(at).filter(|byte| *byte == b'\n').count()
    }

    pub fn wrong(&mut self, line: usize, what: impl std::fmt::Display) {
        self.errors.push(place(self.path, line, what));
    }
}

/// An error at a line of the file.
pub fn place(path: &Path, line: usize, what: impl std::fmt::Display) -> String {
    format!("{}: line {line}: {what}", path.display())
}

/// A value or a list of them.
pub fn parsed<T>(
    text: &mut Text<'_>,
    name: &str,
    values: &Spanned<Value>,
    parse: impl Fn(&str) -> Result<T, String>,
) -> Vec<T> {
    let line = text.line(values.span().start);
    let several = match values.get_ref() {
        Value::Array(several) => several.as_slice(),
        one => std::slice::from_ref(one),
    };
    if several.is_empty() {
        text.wrong(line, format!("{name}: there must be at least one value"));
    }
    let mut found = Vec::new();
    for value in several {
        let value = match value {
            Value::String(value) => value.clone(),
            Value::Integer(value) => value.to_string(),
            Value::Float(value) => value.to_string(),
            Value::Boolean(value) => value.to_string(),
            other => {
                text.wrong(line, format!("{name}: {other} is neither text nor number"));
                continue;
            }
        };
        match parse(&value) {
            Ok(value) => found.push(value),
            Err(error) => text.wrong(line, format!("{name}: {value:?} {error}")),
        }
    }
    found
}
