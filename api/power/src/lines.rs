//! What programs print of each node: lines of `NAME: WORDS`.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use bmc::program::Output;
use grid_feeds::feed::excerpt;

use crate::error::PowerError;

/// The words by name. A name that has several different lines has none: nobody knows which of them is true.
pub(crate) fn by_name(printed: &str) -> HashMap<&str, Result<&str, PowerError>> {
    let mut named: HashMap<&str, Result<&str, PowerError>> = HashMap::new();
    for line in printed.lines() {
        let Some((name, words)) = line.split_once(": ") else { continue };
        let (name, words) = (name.trim(), words.trim());
        match named.get(name) {
            Some(Ok(before)) if *before != words => {
                let both = format!("both {:?} and {:?}", excerpt(before), excerpt(words));
                named.insert(name, Err(PowerError::Unreadable(format!("{name} is {both}"))));
            }
            Some(_) => {}
            None => _ = named.insert(name, Ok(words)),
        }
    }
    named
}

/// Why a program printed nothing of a name.
pub(crate) fn silence(output: &Output, timeout: Duration) -> String {
    if output.took_too_long {
        return format!("the run took longer than {} s", timeout.as_secs());
    }
    let mut seen = HashSet::new();
    let complaints = output.complaints.lines().filter(|line| seen.insert(*line));
    match excerpt(&complaints.collect::<Vec<_>>().join("; ")) {
        said if said.is_empty() => "nothing was printed of it".to_owned(),
        said => format!("nothing was printed of it; the program says {said:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_has_its_words_unless_they_contradict_each_other() {
        let named = by_name("n1: on\nn2:  off \nrubbish\nn1: on\nn2: on\nn3: unknown: why\n");
        assert_eq!(named["n1"], Ok("on"));
        assert!(named["n2"].as_ref().is_err_and(|it| it.to_string().contains("both")));
        assert_eq!(named["n3"], Ok("unknown: why"));
        assert_eq!(named.len(), 3);
    }
}
