//! Documents as YAML, to be read by people too.

use serde_json::Value;

/// Words that some readers of YAML take for something else than text.
const NOT_TEXT: [&str; 8] = ["true", "false", "yes", "no", "on", "off", "null", "y"];

/// A document in block style, one line for each value.
pub fn block(value: &Value) -> String {
    lines(value).into_iter().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn lines(value: &Value) -> Vec<String> {
    match value {
        Value::Object(fields) if !fields.is_empty() => fields.iter().flat_map(field).collect(),
        Value::Array(items) if !items.is_empty() => items.iter().flat_map(item).collect(),
        Value::String(text) if is_plain(text) => vec![text.clone()],
        Value::String(text) if is_literal(text) => {
            let begin = std::iter::once("|").chain(text.lines());
            begin.map(str::to_owned).collect()
        }
        // JSON is YAML.
        other => vec![other.to_string()],
    }
}

fn field((name, value): (&String, &Value)) -> Vec<String> {
    let below = lines(value);
    let is_nested = match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    let (first, rest) = if is_nested {
        (format!("{name}:"), below.as_slice())
    } else {
        (format!("{name}: {}", below[0]), &below[1..])
    };
    std::iter::once(first).chain(rest.iter().map(|line| format!("  {line}"))).collect()
}

fn item(value: &Value) -> Vec<String> {
    let begin = |(at, line): (usize, String)| {
        if at == 0 { format!("- {line}") } else { format!("  {line}") }
    };
    lines(value).into_iter().enumerate().map(begin).collect()
}

/// Whether text needs no quotes.
fn is_plain(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '/')
        && text.chars().all(|it| it.is_ascii_alphanumeric() || "-_./".contains(it))
        && !NOT_TEXT.contains(&text.to_ascii_lowercase().as_str())
        && !text.eq_ignore_ascii_case("n")
}

/// Whether text can stand as its lines are.
fn is_literal(text: &str) -> bool {
    text.ends_with('\n')
        && !text.ends_with("\n\n")
        && !text.starts_with(char::is_whitespace)
        && !text.contains(" \n")
        && text.chars().all(|it| it == '\n' || it.is_ascii_graphic() || it == ' ')
}
