//! The name that a series is of: from a label, by a pattern where there is one.

use std::collections::BTreeMap;

use regex::{Regex, RegexBuilder};

/// A pattern's program takes no more memory.
const MOST_PATTERN_BYTES: usize = 1 << 20;

/// How the labels of a series name what it measures.
#[derive(Clone, Debug)]
pub struct NameRule(Rule);

#[derive(Clone, Debug)]
enum Rule {
    Fixed(String),
    Label { label: String, pattern: Option<Regex> },
}

impl NameRule {
    /// The name is the value of `label` without a port, or what the first group of `pattern` matches in it; the
    /// whole match where it has no group.
    ///
    /// # Errors
    /// A pattern that is no regular expression, in words.
    pub fn new(label: &str, pattern: Option<&str>) -> Result<Self, String> {
        let compiled = |text| RegexBuilder::new(text).size_limit(MOST_PATTERN_BYTES).build();
        let pattern = pattern.map(compiled).transpose().map_err(|error| error.to_string())?;
        Ok(Self(Rule::Label { label: label.to_owned(), pattern }))
    }

    /// Every series is of this name.
    pub fn fixed(name: &str) -> Self {
        Self(Rule::Fixed(name.to_owned()))
    }

    /// The name that a series with these labels is of.
    ///
    /// # Errors
    /// What is missing, in words.
    pub fn name<'s>(&'s self, labels: &'s BTreeMap<String, String>) -> Result<&'s str, String> {
        let (label, pattern) = match &self.0 {
            Rule::Fixed(name) => return Ok(name),
            Rule::Label { label, pattern } => (label, pattern),
        };
        let value = labels.get(label).filter(|it| !it.is_empty());
        let value = value.ok_or_else(|| format!("has no label {label:?}"))?;
        let Some(pattern) = pattern else { return Ok(without_port(value)) };
        let found = pattern.captures(value).and_then(|it| it.get(1).or_else(|| it.get(0)));
        let found = found.map(|it| it.as_str()).filter(|it| !it.is_empty());
        found.ok_or_else(|| format!("has the label {label:?}, which the pattern does not fit"))
    }
}

/// `host` of `host:9100`, and of `[::1]:9100` the address.
fn without_port(value: &str) -> &str {
    if let Some((address, _)) = value.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return address;
    }
    match value.rsplit_once(':') {
        Some((host, port))
            if !host.contains(':')
                && !port.is_empty()
                && port.bytes().all(|it| it.is_ascii_digit()) =>
        {
            host
        }
        _ => value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(label: &str, pattern: Option<&str>, value: &str) -> Result<String, String> {
        let rule = NameRule::new(label, pattern)?;
        let labels = [("instance".to_owned(), value.to_owned())].into();
        rule.name(&labels).map(str::to_owned)
    }

    #[test]
    fn a_name_is_a_label_without_its_port_or_what_a_pattern_finds() {
        for (pattern, value, found) in [
            (None, "n1:9100", "n1"),
            (None, "n1.example.org", "n1.example.org"),
            (None, "[fe80::1]:9100", "fe80::1"),
            (None, "fe80::1", "fe80::1"),
            (None, "n1:", "n1:"),
            (Some("^([^.:]+)-bmc"), "n1-bmc.example.org:9290", "n1"),
            (Some("^[^.]+"), "n1.example.org", "n1"),
        ] {
            assert_eq!(name("instance", pattern, value).as_deref(), Ok(found), "{value}");
        }
    }

    #[test]
    fn what_is_missing_is_said() {
        let missing = name("hostname", None, "n1:9100").unwrap_err();
        assert!(missing.contains("hostname"), "{missing}");
        let unfit = name("instance", Some("^bmc-(.+)"), "n1").unwrap_err();
        assert!(unfit.contains("pattern"), "{unfit}");
        assert!(name("instance", None, "").is_err());
        assert_eq!(NameRule::fixed("Lyon").name(&BTreeMap::new()), Ok("Lyon"));
        assert!(NameRule::new("instance", Some("(")).is_err());
        assert!(NameRule::new("instance", Some(r"\w{10000}{10000}")).is_err());
    }
}
