//! Lists, page by page.

/// Shortens what was found to a page; where the next one starts, if more was found.
pub fn cut_page<T, I>(found: &mut Vec<T>, limit: u16, id: impl Fn(&T) -> I) -> Option<I> {
    let more = found.len() > usize::from(limit);
    found.truncate(limit.into());
    found.last().filter(|_| more).map(id)
}
