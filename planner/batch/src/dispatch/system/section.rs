//! Tables of a TOML document as they are read: values with their lines, and what is wrong with them.

use planner::quantity::Power;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::SystemFault;
use crate::time::Time;

/// The document being read.
pub(super) struct Lines<'a> {
    text: &'a str,
    pub faults: Vec<SystemFault>,
}

impl<'a> Lines<'a> {
    pub const fn new(text: &'a str) -> Self {
        Self { text, faults: Vec::new() }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, at: usize) -> usize {
        1 + self.text.bytes().take(at).filter(|byte| *byte == b'\n').count()
    }

    pub fn wrong(&mut self, line: usize, what: impl Into<String>) {
        self.faults.push(SystemFault { line, what: what.into() });
    }
}

/// A value of a table.
pub(super) struct Entry<'a, 'i> {
    pub name: &'a str,
    pub line: usize,
    pub value: &'a DeValue<'i>,
}

/// A table of the document, of which entries are taken one by one.
pub(super) struct Section<'a, 'i> {
    /// What messages call it.
    pub title: String,
    pub line: usize,
    /// In the order of the document.
    entries: Vec<Entry<'a, 'i>>,
}

impl<'a, 'i> Section<'a, 'i> {
    pub fn of(
        lines: &Lines<'_>,
        title: impl Into<String>,
        at: usize,
        table: &'a DeTable<'i>,
    ) -> Self {
        let mut placed: Vec<(usize, Entry<'a, 'i>)> = table
            .iter()
            .map(|(name, value)| {
                let at = name.span().start;
                (at, Entry { name: name.get_ref(), line: lines.line(at), value: value.get_ref() })
            })
            .collect();
        placed.sort_by_key(|(at, _)| *at);
        let entries = placed.into_iter().map(|(_, entry)| entry).collect();
        Self { title: title.into(), line: lines.line(at), entries }
    }

    /// Takes the entry of a name.
    pub fn take(&mut self, name: &str) -> Option<Entry<'a, 'i>> {
        let place = self.entries.iter().position(|entry| entry.name == name)?;
        Some(self.entries.remove(place))
    }

    /// Takes what is left.
    pub fn rest(&mut self) -> Vec<Entry<'a, 'i>> {
        std::mem::take(&mut self.entries)
    }

    /// Says of everything that is left that nobody knows it.
    pub fn finish(mut self, lines: &mut Lines<'_>, known: &str) {
        for entry in self.rest() {
            lines
                .wrong(entry.line, format!("{} has no {}; it has {known}", self.title, entry.name));
        }
    }

    /// Takes a table within this one.
    pub fn table(&mut self, lines: &mut Lines<'_>, name: &str) -> Option<Section<'a, 'i>> {
        let entry = self.take(name)?;
        entry.section(lines, &format!("{}.{name}", self.title))
    }

    /// Takes tables of one name: `[[name]]`.
    pub fn tables(&mut self, lines: &mut Lines<'_>, name: &str) -> Vec<Section<'a, 'i>> {
        let Some(entry) = self.take(name) else { return Vec::new() };
        let DeValue::Array(all) = entry.value else {
            lines.wrong(entry.line, format!("{name} must be tables: [[{name}]]"));
            return Vec::new();
        };
        let mut sections = Vec::new();
        for one in all {
            let at = one.span().start;
            match one.get_ref() {
                DeValue::Table(table) => sections.push(Section::of(lines, name, at, table)),
                _ => lines.wrong(lines.line(at), format!("{name} must be tables: [[{name}]]")),
            }
        }
        sections
    }

    /// Takes a whole number.
    pub fn whole(&mut self, lines: &mut Lines<'_>, name: &str) -> Option<u32> {
        self.take(name)?.whole(lines)
    }

    /// Takes a number of at least `least`.
    pub fn number(&mut self, lines: &mut Lines<'_>, name: &str, least: f64) -> Option<f64> {
        self.take(name)?.number(lines, least)
    }

    /// Takes a power.
    pub fn power(&mut self, lines: &mut Lines<'_>, name: &str) -> Option<Power> {
        let entry = self.take(name)?;
        let power = Power::from_watts(entry.number(lines, 0.0)?);
        if power.is_none() {
            lines.wrong(entry.line, format!("{name} is more than can be said in W"));
        }
        power
    }

    /// Takes a time.
    pub fn time(&mut self, lines: &mut Lines<'_>, name: &str) -> Option<Time> {
        let entry = self.take(name)?;
        let time = Time::from_seconds_f64(entry.number(lines, 0.0)?);
        if time.is_none() {
            lines.wrong(entry.line, format!("{name} is longer than can be simulated"));
        }
        time
    }

    /// Takes a text that says something.
    pub fn text(&mut self, lines: &mut Lines<'_>, name: &str) -> Option<&'a str> {
        let entry = self.take(name)?;
        match entry.value {
            DeValue::String(text) if !text.is_empty() => Some(text),
            _ => {
                lines.wrong(entry.line, format!("{name} must be a text that says something"));
                None
            }
        }
    }

    /// Takes yes or no.
    pub fn flag(&mut self, lines: &mut Lines<'_>, name: &str) -> Option<bool> {
        let entry = self.take(name)?;
        if let DeValue::Boolean(flag) = entry.value {
            return Some(*flag);
        }
        lines.wrong(entry.line, format!("{name} must be true or false"));
        None
    }

    /// Says that something is missing here.
    pub fn missing(&self, lines: &mut Lines<'_>, what: &str) {
        lines.wrong(self.line, format!("{} must say {what}", self.title));
    }
}

impl<'a, 'i> Entry<'a, 'i> {
    /// The entry as a table.
    pub fn section(&self, lines: &mut Lines<'_>, title: &str) -> Option<Section<'a, 'i>> {
        if let DeValue::Table(table) = self.value {
            let section = Section::of(lines, title, 0, table);
            return Some(Section { line: self.line, ..section });
        }
        lines.wrong(self.line, format!("{} must be a table", self.name));
        None
    }

    /// The entry as a whole number.
    pub fn whole(&self, lines: &mut Lines<'_>) -> Option<u32> {
        let number = match self.value {
            DeValue::Integer(number) => u32::from_str_radix(number.as_str(), number.radix()).ok(),
            _ => None,
        };
        if number.is_none() {
            let what = format!("{} must be a whole number from 0 to {}", self.name, u32::MAX);
            lines.wrong(self.line, what);
        }
        number
    }

    /// The entry as a number of at least `least`.
    pub fn number(&self, lines: &mut Lines<'_>, least: f64) -> Option<f64> {
        let number = number(self.value).filter(|it| it.is_finite() && *it >= least);
        if number.is_none() {
            lines.wrong(self.line, format!("{} must be a number from {least} on", self.name));
        }
        number
    }

    /// The entry as a list of names: letters, digits, dots, dashes and underscores.
    pub fn names(&self, lines: &mut Lines<'_>) -> Vec<&'a str> {
        let letter = |it: char| it.is_alphanumeric() || ['.', '-', '_'].contains(&it);
        let name = |one: &'a Spanned<DeValue<'i>>| match one.get_ref() {
            DeValue::String(name) if !name.is_empty() && name.chars().all(letter) => Some(&**name),
            _ => None,
        };
        let names: Option<Vec<&str>> = match self.value {
            DeValue::Array(all) => all.iter().map(name).collect(),
            _ => None,
        };
        names.unwrap_or_else(|| {
            let what = "must be a list of names of letters, digits, dots, dashes and underscores";
            lines.wrong(self.line, format!("{} {what}", self.name));
            Vec::new()
        })
    }

    /// The entry as pairs of numbers.
    pub fn pairs(&self, lines: &mut Lines<'_>) -> Vec<(f64, f64)> {
        let pair = |one: &Spanned<DeValue<'i>>| match one.get_ref() {
            DeValue::Array(both) => match both.iter().as_slice() {
                [first, second] => number(first.get_ref()).zip(number(second.get_ref())),
                _ => None,
            },
            _ => None,
        };
        let pairs: Option<Vec<(f64, f64)>> = match self.value {
            DeValue::Array(all) => all.iter().map(pair).collect(),
            _ => None,
        };
        pairs.unwrap_or_else(|| {
            lines.wrong(
                self.line,
                format!("{} must be pairs such as [[0, 1.3], [20e6, 1.05]]", self.name),
            );
            Vec::new()
        })
    }
}

fn number(value: &DeValue<'_>) -> Option<f64> {
    match value {
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().parse().ok(),
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => None,
    }
}
