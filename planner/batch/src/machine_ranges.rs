//! Machines as Batsim writes them: numbers and ranges between spaces, such as `0-3 7`.

use std::ops::Range;

use planner::node_set::NodeSet;

/// Reads ranges of machines.
///
/// # Errors
/// What is neither a machine nor a range of machines.
pub fn read(text: &str) -> Result<Vec<Range<u32>>, String> {
    let range = |word: &str| {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
        (first <= last).then_some(first..last.checked_add(1)?)
    };
    let wrong = |word: &str| format!("{word:?} is not a machine or a range of machines");
    text.split_whitespace().map(|word| range(word).ok_or_else(|| wrong(word))).collect()
}

/// Reads machines, each of which is named once.
///
/// # Errors
/// Those of [`read`]; machines that are named twice.
pub fn read_each_once(text: &str) -> Result<NodeSet, String> {
    let ranges = read(text)?;
    let named: u64 = ranges.iter().map(|range| u64::from(range.end - range.start)).sum();
    let machines = NodeSet::from_ranges(ranges);
    let once = u64::from(machines.count()) == named;
    once.then_some(machines).ok_or_else(|| format!("{text:?} names a machine twice"))
}

/// Machines as text.
pub fn text(machines: &NodeSet) -> String {
    let mut row = Vec::new();
    write(&mut row, machines);
    String::from_utf8(row).unwrap_or_default()
}

/// Adds machines to a row of a table.
pub fn write(row: &mut Vec<u8>, machines: &NodeSet) {
    let mut number = itoa::Buffer::new();
    for (index, range) in machines.ranges().iter().enumerate() {
        if index > 0 {
            row.push(b' ');
        }
        row.extend_from_slice(number.format(range.start).as_bytes());
        if range.end - range.start > 1 {
            row.push(b'-');
            row.extend_from_slice(number.format(range.end - 1).as_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_read_as_they_are_written() {
        for written in ["", "0", "0-3 5", "2 4 6-9"] {
            assert_eq!(text(&read_each_once(written).unwrap()), written);
        }
        assert_eq!(text(&read_each_once("5 0-1 2").unwrap()), "0-2 5");
        for wrong in ["3-1", "a", "1,2", "-1", "1-", "4294967295"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(read_each_once("1 0-2").unwrap_err(), "\"1 0-2\" names a machine twice");
    }
}
