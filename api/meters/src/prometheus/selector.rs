//! Whether a query only selects series.

/// Whether a query in PromQL is an instant vector selector alone: `name`, `name{...}` or `{...}`.
pub(super) fn is_selector(query: &str) -> bool {
    let query = query.trim();
    let is_first = |it: char| it.is_ascii_alphabetic() || it == '_' || it == ':';
    let end = query.find(|it: char| !(is_first(it) || it.is_ascii_digit())).unwrap_or(query.len());
    let (name, rest) = query.split_at(end);
    if !name.is_empty() && !name.starts_with(is_first) {
        return false;
    }
    match rest.trim_start().strip_prefix('{') {
        Some(matchers) => end_of(matchers).is_some_and(str::is_empty),
        None => rest.is_empty() && !name.is_empty(),
    }
}

/// What follows the closing brace; braces in texts do not count.
fn end_of(matchers: &str) -> Option<&str> {
    let mut characters = matchers.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '}' => return Some(&matchers[at + 1..]),
            '"' | '\'' | '`' => loop {
                match characters.next()?.1 {
                    '\\' if character != '`' => _ = characters.next()?,
                    end if end == character => break,
                    _ => {}
                }
            },
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selectors_are_names_with_or_without_matchers() {
        for query in [
            "power_watts",
            " node:power:sum ",
            r#"power_watts{job="ipmi",instance=~"n[0-9]+}.*"}"#,
            r#"power_watts {job="a\"}"}"#,
            r#"{__name__="power_watts"}"#,
            "power_watts{job=`}\\`}",
        ] {
            assert!(is_selector(query), "{query}");
        }
        for query in [
            "",
            "1",
            "rate(power_watts[5m])",
            "power_watts[5m]",
            "power_watts offset 5m",
            "power_watts * 2",
            "power_watts{job=\"a\"} * 2",
            "power_watts{job=\"a\"",
            "sum by (instance) (power_watts)",
            "9power",
        ] {
            assert!(!is_selector(query), "{query}");
        }
    }
}
