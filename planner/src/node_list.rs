//! Lists of node names as Slurm writes them: `n1,n[08-11,20],rack[1-2]n[1-4]`.
//!
//! Brackets hold numbers and ranges of them; a number keeps the width that the range's first one is
//! written with. Several brackets in a name stand for every combination, the last changing first. Lists are
//! written with one pair of brackets for each beginning of names.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

/// How many names a list may stand for.
pub const MAX_NAMES: usize = 1_000_000;

/// How long all names of a list may be together, bytes.
const MAX_BYTES: usize = 64 << 20;

/// How many pairs of brackets a name may have: Slurm itself knows one for each dimension of a network.
const MAX_BRACKETS: usize = 32;

/// What is wrong with a list, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}, at character {character} of {list:?}")]
pub struct NodeListError {
    what: String,
    /// Counted from one.
    character: usize,
    /// The list, its beginning where it is long.
    list: String,
}

/// The names that a list stands for, in its order, each once.
///
/// # Errors
/// The first thing that cannot be read, with its place; lists that stand for more than
/// [`MAX_NAMES`] names.
pub fn parse(text: &str) -> Result<Vec<String>, NodeListError> {
    let told = |(at, what): Wrong| NodeListError {
        what,
        character: text[..at].chars().count() + 1,
        list: text.chars().take(60).collect(),
    };
    let names = patterns(text).map_err(told)?;
    let (mut count, mut bytes) = (0_usize, 0_usize);
    for Pattern { at, parts } in &names {
        let of_this = parts.iter().map(Part::count).fold(1, usize::saturating_mul);
        let longest: usize = parts.iter().map(Part::longest).sum();
        count = count.saturating_add(of_this);
        bytes = bytes.saturating_add(of_this.saturating_mul(longest));
        if count > MAX_NAMES || bytes > MAX_BYTES {
            return Err(told((*at, format!("more than {MAX_NAMES} names or 64 MiB of them"))));
        }
    }
    let mut all = Vec::with_capacity(count);
    for Pattern { parts, .. } in &names {
        expand(parts, &mut String::new(), &mut all);
    }
    let mut seen = HashSet::with_capacity(all.len());
    let first: Vec<bool> = all.iter().map(|name| seen.insert(name.as_str())).collect();
    let mut first = first.into_iter();
    all.retain(|_| first.next().unwrap_or_default());
    Ok(all)
}

/// The byte at which something is wrong, and what.
type Wrong = (usize, String);

/// One name of a list, its brackets not yet expanded.
struct Pattern<'a> {
    at: usize,
    parts: Vec<Part<'a>>,
}

enum Part<'a> {
    Text(&'a str),
    Numbers(Vec<Range>),
}

struct Range {
    first: u64,
    last: u64,
    width: usize,
}

impl Part<'_> {
    /// How many texts it stands for.
    fn count(&self) -> usize {
        match self {
            Self::Text(_) => 1,
            Self::Numbers(ranges) => ranges
                .iter()
                .map(|it| usize::try_from(it.last - it.first).unwrap_or(usize::MAX))
                .fold(0, |sum: usize, more| sum.saturating_add(more).saturating_add(1)),
        }
    }

    /// The length of its longest text, bytes.
    fn longest(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Numbers(ranges) => ranges.iter().map(|it| it.width.max(18)).max().unwrap_or(0),
        }
    }
}

/// The names between commas that stand in no brackets.
fn patterns(text: &str) -> Result<Vec<Pattern<'_>>, Wrong> {
    let mut names = Vec::new();
    let (mut begin, mut open) = (0, None);
    for (at, character) in text.char_indices().chain([(text.len(), ',')]) {
        match (character, open) {
            (',', None) => {
                names.push(pattern(text, begin, at)?);
                begin = at + 1;
            }
            ('[', None) => open = Some(at),
            ('[', Some(_)) => return Err((at, "a bracket inside brackets".to_owned())),
            (']', None) => return Err((at, "a closing bracket that none opens".to_owned())),
            (']', Some(_)) => open = None,
            _ => {}
        }
    }
    match open {
        Some(at) => Err((at, "a bracket that is not closed".to_owned())),
        None => Ok(names),
    }
}

/// The name in `text[begin..end]`, whose brackets are closed.
fn pattern(text: &str, begin: usize, end: usize) -> Result<Pattern<'_>, Wrong> {
    let name = text[begin..end].trim();
    if name.is_empty() {
        return Err((begin, "a node's name is missing".to_owned()));
    }
    let at = end - text[begin..end].trim_start().len();
    let mut parts = Vec::new();
    let (mut rest, mut place) = (name, at);
    while let Some((before, after)) = rest.split_once('[') {
        let (inside, behind) = after.split_once(']').unwrap_or((after, ""));
        let inside_at = place + before.len() + 1;
        if parts.len() >= 2 * MAX_BRACKETS {
            let what = format!("more than {MAX_BRACKETS} pairs of brackets in a name");
            return Err((inside_at - 1, what));
        }
        parts.push(Part::Text(before));
        parts.push(Part::Numbers(ranges(inside, inside_at)?));
        (rest, place) = (behind, inside_at + inside.len() + 1);
    }
    parts.push(Part::Text(rest));
    Ok(Pattern { at, parts })
}

/// What stands in brackets, from byte `at` on.
fn ranges(inside: &str, mut at: usize) -> Result<Vec<Range>, Wrong> {
    let mut read = Vec::new();
    for piece in inside.split(',') {
        let (low, high) = piece.split_once('-').unwrap_or((piece, piece));
        let (first, last) = (number(low, at)?, number(high, at + piece.len() - high.len())?);
        if last < first {
            return Err((at, format!("the range {piece} runs backwards")));
        }
        read.push(Range { first, last, width: low.len() });
        at += piece.len() + 1;
    }
    Ok(read)
}

fn number(digits: &str, at: usize) -> Result<u64, Wrong> {
    if digits.is_empty() {
        return Err((at, "a number is missing".to_owned()));
    }
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err((at, format!("{digits:?} is not a number")));
    }
    let read = digits.parse().ok().filter(|_| digits.len() <= 18);
    read.ok_or_else(|| (at, format!("{digits} has more than 18 digits")))
}

/// Adds the names that begin with `name` and go on with `parts`.
fn expand(parts: &[Part<'_>], name: &mut String, all: &mut Vec<String>) {
    let Some((part, rest)) = parts.split_first() else {
        all.push(name.clone());
        return;
    };
    let length = name.len();
    match part {
        Part::Text(text) => {
            name.push_str(text);
            expand(rest, name, all);
            name.truncate(length);
        }
        Part::Numbers(ranges) => {
            for Range { first, last, width } in ranges {
                for number in *first..=*last {
                    // Writing to a string cannot fail.
                    let _ = write!(name, "{number:0width$}");
                    expand(rest, name, all);
                    name.truncate(length);
                }
            }
        }
    }
}

/// The list that stands for these names, as short as Slurm writes it: the numbers at the ends of names that
/// begin alike in one pair of brackets, in the order of the first names. [`parse`] reads the same names
/// from it where they have no commas, brackets or spaces.
pub fn format<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut order: Vec<&str> = Vec::new();
    let mut numbered: HashMap<&str, Vec<(u64, usize)>> = HashMap::new();
    let mut written: Vec<String> = Vec::new();
    for name in names {
        let (stem, digits) =
            name.split_at(name.trim_end_matches(|it: char| it.is_ascii_digit()).len());
        match number(digits, 0) {
            Ok(number) => {
                let numbers = numbered.entry(stem).or_insert_with(|| {
                    order.push(stem);
                    Vec::new()
                });
                numbers.push((number, digits.len()));
            }
            Err(_) => written.push(name.to_owned()),
        }
    }
    for stem in order {
        let numbers = numbered.remove(stem).unwrap_or_default();
        let (text, is_one) = joined(numbers);
        written.push(if is_one { format!("{stem}{text}") } else { format!("{stem}[{text}]") });
    }
    written.join(",")
}

/// Numbers with their widths as ranges, and whether it is a single number.
fn joined(mut numbers: Vec<(u64, usize)>) -> (String, bool) {
    numbers.sort_unstable();
    numbers.dedup();
    let mut ranges: Vec<Range> = Vec::new();
    for (number, width) in &numbers {
        // A range goes on with the width of its first number: 8, 9, 10 and 08, 09, 10, but not 08, 9.
        match ranges.last_mut() {
            Some(range)
                if range.last + 1 == *number && range.width.max(digits(*number)) == *width =>
            {
                range.last = *number;
            }
            _ => ranges.push(Range { first: *number, last: *number, width: *width }),
        }
    }
    let texts = ranges.iter().map(|Range { first, last, width }| {
        if first == last {
            format!("{first:0width$}")
        } else {
            format!("{first:0width$}-{last:0width$}")
        }
    });
    (texts.collect::<Vec<_>>().join(","), numbers.len() == 1)
}

/// How many digits a number has.
fn digits(number: u64) -> usize {
    number.checked_ilog10().map_or(1, |power| power as usize + 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_stand_for_themselves_and_brackets_for_numbers() {
        for (text, names) in [
            ("n1", "n1"),
            ("n1,n3", "n1 n3"),
            (" n1, n3 ", "n1 n3"),
            ("n[1-3]", "n1 n2 n3"),
            ("n[08-11]", "n08 n09 n10 n11"),
            ("n[1,3,010-012]", "n1 n3 n010 n011 n012"),
            ("n[998-1001]", "n998 n999 n1000 n1001"),
            ("rack[1-2]n[1-2]", "rack1n1 rack1n2 rack2n1 rack2n2"),
            ("n[1-2]-ib", "n1-ib n2-ib"),
            ("[1-2]", "1 2"),
            ("n[7-7]", "n7"),
            ("gpu-1,ü[1-2],gpu-1,n[1-2,2-3]", "gpu-1 ü1 ü2 n1 n2 n3"),
        ] {
            let expected: Vec<_> = names.split(' ').map(str::to_owned).collect();
            assert_eq!(parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        for (text, what) in [
            ("", "a node's name is missing, at character 1 of \"\""),
            ("n1,,n2", "a node's name is missing, at character 4 of \"n1,,n2\""),
            ("n1,", "a node's name is missing, at character 4 of"),
            ("n[1-3", "a bracket that is not closed, at character 2 of"),
            ("ü[1-3]]", "a closing bracket that none opens, at character 7 of"),
            ("n[1-[2]]", "a bracket inside brackets, at character 5 of"),
            ("n[]", "a number is missing, at character 3 of"),
            ("n[1-]", "a number is missing, at character 5 of"),
            ("n[1,]", "a number is missing, at character 5 of"),
            ("n1, m[1,a-3]", "\"a\" is not a number, at character 9 of"),
            ("n[1--3]", "\"-3\" is not a number, at character 5 of"),
            ("a[1-2]b[9-3]", "the range 9-3 runs backwards, at character 9 of"),
            ("n[1-1000000000000000000]", "1000000000000000000 has more than 18 digits, at"),
        ] {
            let told = parse(text).unwrap_err().to_string();
            assert!(told.starts_with(what), "{told}");
        }
    }

    /// Names are put together bracket by bracket, each inside the one before: very many would end the stack.
    #[test]
    fn a_name_has_not_very_many_brackets() {
        assert_eq!(parse(&"[1]".repeat(32)), Ok(vec!["1".repeat(32)]));
        let told = parse(&format!("n1,{}", "[1]".repeat(100_000))).unwrap_err().to_string();
        // 3 characters before it, and 32 pairs of 3.
        assert!(told.starts_with("more than 32 pairs of brackets in a name, at character 100 of"));
    }

    /// A list of a few characters must not fill the memory.
    #[test]
    fn as_many_names_as_may_be_and_no_more() {
        assert_eq!(parse("n[1-1000000]").unwrap().len(), MAX_NAMES);
        let long = "n".repeat(100_000);
        for text in [
            "n[1-1000001]",
            "n0,n[1-1000000]",
            "n[1-1001]m[1-1000]",
            "n[0-999999999999999999]x[0-999999999999999999]",
            &format!("{long}[1-1000]"),
        ] {
            let told = parse(text).unwrap_err().to_string();
            assert!(told.starts_with("more than 1000000 names"), "{told}");
        }
    }

    #[test]
    fn names_are_written_as_slurm_writes_them() {
        for (names, text) in [
            ("", ""),
            ("n1", "n1"),
            ("n1 n2 n3 n5", "n[1-3,5]"),
            ("n10 n2 n1 n11", "n[1-2,10-11]"),
            ("n8 n9 n10", "n[8-10]"),
            ("n08 n09 n10 n11", "n[08-11]"),
            ("n08 n9", "n[08,9]"),
            ("n1 n01 n2 n02", "n[1,01,2,02]"),
            ("n00 n01 n0", "n[0,00-01]"),
            ("n7 n7", "n7"),
            ("rack1n1 rack1n2 rack2n1", "rack1n[1-2],rack2n1"),
            ("login n1-ib n2-ib n4 n3", "login,n1-ib,n2-ib,n[3-4]"),
            ("1 2", "[1-2]"),
            ("n1234567890123456789", "n1234567890123456789"),
        ] {
            assert_eq!(format(names.split_whitespace()), text, "{names}");
        }
    }

    proptest! {
        /// Names of few stems and short padded numbers, so that many stand beside each other.
        #[test]
        fn what_is_written_is_read_again(
            names in prop::collection::btree_set("(n|rack[1-2]n|gpu-)(0{0,2}[0-9]{1,2}|x)(-ib)?", 1..60)
        ) {
            let text = format(names.iter().map(String::as_str));
            let read: BTreeSet<_> = parse(&text).unwrap().into_iter().collect();
            prop_assert_eq!(&read, &names);
            prop_assert_eq!(parse(&text).unwrap().len(), names.len(), "each once");
        }
    }
}
