//! Parts of long work, which any machine can play: its pieces are dealt to the parts in turn.

use std::fmt;
use std::str::FromStr;

use super::tell;

/// Which part.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct PartArguments {
    /// Play only a part, such as 3/8, on a machine of its own with the same --out; once all parts are played, the same
    /// command without --part plays what is missing and writes the results. Who counts from 0 says 2+1/8
    #[arg(long, value_name = "I/N", requires = "out", conflicts_with = "force")]
    pub part: Option<Part>,
}

/// One of several parts, numbered from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    number: usize,
    of: usize,
}

impl Part {
    /// Whether it plays this piece, numbered from 0.
    pub const fn has(self, piece: usize) -> bool {
        piece % self.of == self.number - 1
    }

    /// The name of the file that keeps what it has finished: no other part writes it.
    pub fn journal(self) -> String {
        format!("unfinished-{}-of-{}.jsonl", self.number, self.of)
    }

    /// The part whose journal has this name.
    fn of_journal(name: &str) -> Option<Self> {
        let numbers = name.strip_prefix("unfinished-")?.strip_suffix(".jsonl")?;
        numbers.replace("-of-", "/").parse().ok()
    }

    /// Says which parts have not finished all of theirs, by their journals and how many of `pieces` each has finished.
    pub fn tell_left<'a>(journals: impl Iterator<Item = (&'a str, usize)>, pieces: usize) {
        let known: Vec<(Self, usize)> = journals
            .filter_map(|(name, finished)| Some((Self::of_journal(name)?, finished)))
            .collect();
        let Some((Self { of, .. }, _)) = known.first().copied() else { return };
        for number in 1..=of {
            let part = Self { number, of };
            let all = (0..pieces).filter(|piece| part.has(*piece)).count();
            let finished = known.iter().find(|it| it.0 == part).map_or(0, |it| it.1);
            if finished < all {
                tell(format_args!(
                    "part {part} has finished {finished} of {all}; the others are played now"
                ));
            }
        }
    }

    /// Says that it is played, and how the results come of it.
    pub fn tell_played(self, target: &impl fmt::Display) {
        tell(format_args!(
            "part {self} is played; once all are, the same command without --part writes the results to {target}"
        ));
    }
}

/// Whether a file of this name keeps what a part has finished.
pub fn is_journal(name: &str) -> bool {
    Part::of_journal(name).is_some()
}

impl FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let part = text.split_once('/').and_then(|(number, of)| {
            let of = of.parse().ok()?;
            let number = match number.strip_suffix("+1") {
                Some(index) => index.parse::<usize>().ok()?.checked_add(1)?,
                None => number.parse().ok()?,
            };
            (1..=of).contains(&number).then_some(Self { number, of })
        });
        part.ok_or_else(|| "must be a part and how many there are, such as 3/8".to_owned())
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_has_one_part() {
        let parts = ["1/3", "2/3", "3/3"].map(|text| text.parse::<Part>().unwrap());
        for piece in 0..10 {
            assert_eq!(parts.iter().filter(|part| part.has(piece)).count(), 1, "{piece}");
        }
        assert_eq!("0+1/3".parse(), Ok(parts[0]));
        for wrong in ["0/3", "4/3", "3+1/3", "+1/3", "3", "a/b", "1/0", ""] {
            assert!(wrong.parse::<Part>().is_err(), "{wrong}");
        }
        assert!(is_journal(&parts[1].journal()));
        assert!(!is_journal("unfinished.jsonl") && !is_journal("unfinished-x-of-2.jsonl"));
    }
}
