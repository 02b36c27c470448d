//! Lists that servers give in pages.

use std::collections::HashSet;

use crate::error::VenError;

/// Servers give no more at once.
pub(crate) const PAGE: usize = 50;

/// A list is read up to so many pages.
const MOST_PAGES: usize = 200;

/// A list as far as it was read. One that shifts meanwhile shows some items twice; a server that
/// ignores where to begin brings nothing new at last.
pub(crate) struct Pages<T> {
    all: Vec<T>,
    seen: HashSet<String>,
    read: usize,
    complete: bool,
}

impl<T> Pages<T> {
    /// Nothing is read yet.
    pub fn new() -> Self {
        Self { all: Vec::new(), seen: HashSet::new(), read: 0, complete: false }
    }

    /// How many to skip when asking for the next page; `None` at the end.
    ///
    /// # Errors
    /// A list without end.
    pub fn next(&self) -> Result<Option<usize>, VenError> {
        if self.complete {
            return Ok(None);
        }
        if self.read >= MOST_PAGES {
            let message = format!("has more than {} items", MOST_PAGES * PAGE);
            return Err(VenError::payload("the list", message));
        }
        Ok(Some(self.read * PAGE))
    }

    /// Adds a page.
    pub fn add(&mut self, page: impl IntoIterator<Item = T>, id: impl Fn(&T) -> String) {
        let (mut length, mut news) = (0, 0);
        for item in page {
            length += 1;
            if self.seen.insert(id(&item)) {
                news += 1;
                self.all.push(item);
            }
        }
        self.read += 1;
        self.complete = length < PAGE || news == 0;
    }

    /// What was read.
    pub fn into_all(self) -> Vec<T> {
        self.all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_ends_with_a_short_page_or_one_without_news() {
        let add = |pages: &mut Pages<usize>, items: std::ops::Range<usize>| {
            assert!(pages.next().unwrap().is_some());
            pages.add(items, ToString::to_string);
        };
        let mut pages = Pages::new();
        add(&mut pages, 0..50);
        assert_eq!(pages.next().unwrap(), Some(50));
        add(&mut pages, 48..98);
        add(&mut pages, 98..100);
        assert!(pages.next().unwrap().is_none());
        assert_eq!(pages.into_all(), (0..100).collect::<Vec<_>>());
        let mut same = Pages::new();
        add(&mut same, 0..50);
        add(&mut same, 0..50);
        assert!(same.next().unwrap().is_none(), "the server ignores where to begin");
    }

    #[test]
    fn a_list_without_end_is_an_error() {
        let mut pages = Pages::new();
        for page in 0..MOST_PAGES {
            pages.add(page * PAGE..(page + 1) * PAGE, ToString::to_string);
        }
        assert!(pages.next().is_err());
    }
}
