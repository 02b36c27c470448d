//! Machines that are neighbours and were always treated alike, so that sets of many machines are few bits.

use std::ops::Range;

use planner::node_set::NodeSet;

/// Ranges of machines, each with a number that is its bit in words.
#[derive(Debug)]
pub struct Atoms {
    /// By number.
    ranges: Vec<Range<u32>>,
    /// The numbers in the order of their machines.
    order: Vec<usize>,
    /// The first machines in that order.
    starts: Vec<u32>,
}

impl Atoms {
    /// All of so many machines are alike.
    pub fn new(machines: u32) -> Self {
        let all = 0..machines;
        Self { ranges: vec![all], order: vec![0], starts: vec![0] }
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.ranges.len()
    }

    /// How many machines are of the atoms in a word.
    pub fn count(&self, word: usize, mut bits: u64) -> u32 {
        let mut count = 0;
        while bits != 0 {
            let range = &self.ranges[word * 64 + bits.trailing_zeros() as usize];
            count += range.end - range.start;
            bits &= bits - 1;
        }
        count
    }

    /// The machines of words of bits.
    pub fn set(&self, words: &[u64]) -> NodeSet {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for &atom in self.order.iter().filter(|atom| has(words, **atom)) {
            let range = &self.ranges[atom];
            match ranges.last_mut() {
                Some(last) if last.end == range.start => last.end = range.end,
                _ => ranges.push(range.clone()),
            }
        }
        NodeSet::from_ranges(ranges)
    }

    /// The numbers of the atoms of a set, which has all machines of each.
    pub fn of<'a>(&'a self, set: &'a NodeSet) -> impl Iterator<Item = usize> + 'a {
        set.ranges().iter().flat_map(move |range| {
            let first = self.at(range.start);
            let inside = move |atom: &&usize| self.ranges[**atom].start < range.end;
            self.order[first..].iter().take_while(inside).copied()
        })
    }

    /// The place in the order of the atom that has a machine.
    fn at(&self, machine: u32) -> usize {
        self.starts.partition_point(|start| *start <= machine) - 1
    }

    /// Cuts an atom in two where one begins before `machine` and ends after it; the new one is the last by
    /// number. Which one was cut.
    pub fn cut(&mut self, machine: u32) -> Option<usize> {
        let place = self.at(machine);
        let atom = self.order[place];
        let Range { start, end } = self.ranges[atom];
        if start == machine || machine >= end {
            return None;
        }
        self.ranges[atom] = start..machine;
        self.order.insert(place + 1, self.ranges.len());
        self.starts.insert(place + 1, machine);
        self.ranges.push(machine..end);
        Some(atom)
    }

    /// Joins neighbours that are alike in all of `rows`; the numbers are in the order of the machines then. For
    /// each new atom the old number of one that it has.
    pub fn join<'a>(&mut self, rows: impl Iterator<Item = &'a [u64]>) -> Vec<usize> {
        let mut differ = vec![false; self.order.len()];
        for row in rows {
            for (index, pair) in self.order.windows(2).enumerate() {
                differ[index + 1] |= has(row, pair[0]) != has(row, pair[1]);
            }
        }
        let (mut ranges, mut kept): (Vec<Range<u32>>, Vec<usize>) = (Vec::new(), Vec::new());
        for (&atom, differs) in self.order.iter().zip(differ) {
            let range = self.ranges[atom].clone();
            if let Some(last) = ranges.last_mut().filter(|_| !differs) {
                last.end = range.end;
            } else {
                ranges.push(range);
                kept.push(atom);
            }
        }
        self.order = (0..ranges.len()).collect();
        self.starts = ranges.iter().map(|range| range.start).collect();
        self.ranges = ranges;
        kept
    }
}

/// Whether words have a bit.
pub fn has(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 == 1
}
