//! What is wrong with a document.

use std::fmt;

/// Something that is wrong with a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemFault {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub what: String,
}

/// Everything that is wrong with a document, in the order of lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SystemError(pub Vec<SystemFault>);

impl std::error::Error for SystemError {}

impl fmt::Display for SystemFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.what)
    }
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&all.join("; "))
    }
}
