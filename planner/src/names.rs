//! The names of many nodes: one text with their ends, and a table that finds a node by its name.
//!
//! A million names of ten characters take some 30 MB, where a boxed string and a map's entry for
//! each take four times as much.

use std::fmt;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use hashbrown::HashTable;

/// Hashes names with fixed keys: operators choose the names, so nobody gains by making them collide.
type Hasher = BuildHasherDefault<DefaultHasher>;

/// Different names in input order.
#[derive(Clone)]
pub struct NameList {
    text: String,
    /// Where each name ends in the text; it begins where the one before ends.
    ends: Vec<usize>,
    /// The ordinals by the hash of their names.
    ordinals: HashTable<u32>,
}

/// A name that stands at two positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Duplicate {
    /// The first position of the name.
    pub first: u32,
    /// The second position of the name.
    pub second: u32,
}

impl NameList {
    /// The names that end at `ends` in `text`, which must be sorted character boundaries.
    ///
    /// # Errors
    /// The first name that stands there a second time.
    pub fn new(text: String, ends: Vec<usize>) -> Result<Self, Duplicate> {
        let mut names = Self { text, ends, ordinals: HashTable::new() };
        let mut ordinals = HashTable::with_capacity(names.ends.len());
        let hash = |ordinal: &u32| Hasher::default().hash_one(names.get(*ordinal));
        for second in 0..u32::try_from(names.ends.len()).unwrap_or(u32::MAX) {
            let name = names.get(second);
            let found = ordinals.find(hash(&second), |&first| names.get(first) == name);
            if let Some(&first) = found {
                return Err(Duplicate { first, second });
            }
            ordinals.insert_unique(hash(&second), second, hash);
        }
        names.ordinals = ordinals;
        Ok(names)
    }

    /// The names, in the order in which they are given.
    ///
    /// # Errors
    /// The first name that is given a second time.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self, Duplicate> {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for name in names {
            text.push_str(name);
            ends.push(text.len());
        }
        Self::new(text, ends)
    }

    /// The name at an ordinal.
    pub fn get(&self, ordinal: u32) -> &str {
        let index = ordinal as usize;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[index]]
    }

    /// The ordinal of a name. Constant time.
    pub fn ordinal(&self, name: &str) -> Option<u32> {
        let hash = Hasher::default().hash_one(name);
        self.ordinals.find(hash, |&ordinal| self.get(ordinal) == name).copied()
    }
}

impl Eq for NameList {}

impl PartialEq for NameList {
    fn eq(&self, other: &Self) -> bool {
        (&self.text, &self.ends) == (&other.text, &other.ends)
    }
}

impl fmt::Debug for NameList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ordinals = 0..u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        f.debug_list().entries(ordinals.map(|ordinal| self.get(ordinal))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_every_name_and_no_other() {
        let names = NameList::of(["a", "ab", "", "ü b"]).unwrap();
        for (ordinal, name) in (0..).zip(["a", "ab", "", "ü b"]) {
            assert_eq!((names.get(ordinal), names.ordinal(name)), (name, Some(ordinal)));
        }
        assert_eq!(names.ordinal("b"), None);
    }

    #[test]
    fn names_both_places_of_a_duplicate() {
        let duplicate = NameList::of(["a", "b", "c", "b"]).unwrap_err();
        assert_eq!(duplicate, Duplicate { first: 1, second: 3 });
    }
}
