//! Files of measurements in parts that a service takes at a time. Nothing larger than a part is kept of a file.

use std::fmt;
use std::io::{BufRead, Read};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// Bytes after which a part of a table ends with its line: well below what the service takes.
const PART_BYTES: usize = 4 << 20;

/// Samples of a part of a JSON document.
const PART_SAMPLES: usize = 20_000;

/// A part of a file, which the service takes as a body.
#[derive(Debug, PartialEq, Eq)]
pub enum Part {
    /// Lines of a table, with its header.
    Csv {
        /// The lines.
        text: String,
        /// How many lines stand between header and part in the file.
        lines_before: u64,
    },
    /// Samples of a document.
    Json {
        /// The meter with these samples.
        body: Map<String, Value>,
        /// How many samples stand before them in the file.
        samples_before: u64,
    },
}

/// What stands before a part.
#[derive(Clone, Copy, Debug)]
pub enum Before {
    /// Lines.
    Lines(u64),
    /// Samples.
    Samples(u64),
}

/// Why a file has no further part.
#[derive(Debug, thiserror::Error)]
pub enum PartError {
    /// It cannot be read.
    #[error("cannot be read: {0}")]
    File(#[from] std::io::Error),
    /// It is not such a document.
    #[error("{0}")]
    Json(String),
}

impl Part {
    pub fn before(&self) -> Before {
        match self {
            Self::Csv { lines_before, .. } => Before::Lines(*lines_before),
            Self::Json { samples_before, .. } => Before::Samples(*samples_before),
        }
    }
}

impl Before {
    /// A place in a part, with which a text begins, as the place in the file.
    pub fn shifted(self, text: &str) -> String {
        let (words, before): (&[&str], u64) = match self {
            Self::Lines(before) => (&["line "], before),
            Self::Samples(before) => (&["/samples/", "samples/"], before),
        };
        let Some((word, rest)) = words.iter().find_map(|it| Some((it, text.strip_prefix(it)?)))
        else {
            return text.to_owned();
        };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        match rest[..digits].parse::<u64>() {
            Ok(place) => format!("{word}{}{}", place + before, &rest[digits..]),
            Err(_) => text.to_owned(),
        }
    }
}

/// Sends the parts of a table until nobody wants more. Names have no line breaks, so that parts may end with any line.
pub fn csv_parts(mut reader: impl BufRead, mut send: impl FnMut(Result<Part, PartError>) -> bool) {
    let mut header = String::new();
    if let Err(error) = reader.read_line(&mut header) {
        send(Err(error.into()));
        return;
    }
    let (mut lines_before, mut lines, mut text) = (0, 0, header.clone());
    loop {
        let ended = match reader.read_line(&mut text) {
            Ok(bytes) => bytes == 0,
            Err(error) => {
                send(Err(error.into()));
                return;
            }
        };
        if !ended {
            lines += 1;
        }
        // An empty table is sent too, so that its header is judged.
        if (ended && (lines > 0 || lines_before == 0)) || text.len() >= PART_BYTES {
            let part = std::mem::replace(&mut text, header.clone());
            if !send(Ok(Part::Csv { text: part, lines_before })) {
                return;
            }
            lines_before += lines;
            lines = 0;
        }
        if ended {
            return;
        }
    }
}

/// Sends the parts of a document until nobody wants more.
pub fn json_parts(reader: impl Read, mut send: impl FnMut(Result<Part, PartError>) -> bool) {
    let mut document = serde_json::Deserializer::from_reader(reader);
    let mut parts = JsonParts { meter: None, samples: Vec::new(), before: 0, send: &mut send };
    let read = document.deserialize_map(&mut parts).and_then(|()| document.end());
    if let Err(error) = read
        && !error.to_string().starts_with(NOBODY)
    {
        send(Err(PartError::Json(error.to_string())));
    }
}

/// Why reading ends where nobody wants more.
const NOBODY: &str = "nobody wants more";

/// A document on its way.
struct JsonParts<'s, S> {
    meter: Option<String>,
    samples: Vec<Box<RawValue>>,
    before: u64,
    send: &'s mut S,
}

impl<S: FnMut(Result<Part, PartError>) -> bool> JsonParts<'_, S> {
    fn send<E: Error>(&mut self) -> Result<(), E> {
        let samples = std::mem::take(&mut self.samples);
        let count = samples.len() as u64;
        let read = |raw: Box<RawValue>| serde_json::from_str(raw.get());
        let samples: Vec<Value> =
            samples.into_iter().map(read).collect::<Result<_, _>>().map_err(E::custom)?;
        let body = Map::from_iter([
            ("meter".to_owned(), json!(self.meter)),
            ("samples".to_owned(), Value::Array(samples)),
        ]);
        let part = Part::Json { body, samples_before: self.before };
        self.before += count;
        if (self.send)(Ok(part)) { Ok(()) } else { Err(E::custom(NOBODY)) }
    }
}

impl<'de, S: FnMut(Result<Part, PartError>) -> bool> Visitor<'de> for &mut JsonParts<'_, S> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object with meter and samples")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut any = false;
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "meter" => self.meter = Some(map.next_value()?),
                "samples" if self.meter.is_none() => {
                    return Err(A::Error::custom("meter must stand before samples"));
                }
                "samples" => {
                    any = true;
                    map.next_value_seed(Samples(self))?;
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    let message = format!("{key} is not a known field; known are meter, samples");
                    return Err(A::Error::custom(message));
                }
            }
        }
        if any { Ok(()) } else { Err(A::Error::custom("samples is missing")) }
    }
}

/// The array of samples.
struct Samples<'p, 's, S>(&'p mut JsonParts<'s, S>);

impl<'de, S: FnMut(Result<Part, PartError>) -> bool> DeserializeSeed<'de> for Samples<'_, '_, S> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, S: FnMut(Result<Part, PartError>) -> bool> Visitor<'de> for Samples<'_, '_, S> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array of samples")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        while let Some(sample) = sequence.next_element::<Box<RawValue>>()? {
            self.0.samples.push(sample);
            if self.0.samples.len() == PART_SAMPLES {
                self.0.send()?;
            }
        }
        if self.0.samples.is_empty() && self.0.before > 0 { Ok(()) } else { self.0.send() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(text: &str) -> Vec<(String, u64)> {
        let mut found = Vec::new();
        csv_parts(text.as_bytes(), |part| {
            if let Part::Csv { text, lines_before } = part.unwrap() {
                found.push((text, lines_before));
            }
            true
        });
        found
    }

    fn json_of(text: &str) -> (Vec<(usize, u64)>, Option<String>) {
        let (mut found, mut failed) = (Vec::new(), None);
        json_parts(text.as_bytes(), |part| {
            match part {
                Ok(Part::Json { body, samples_before }) => {
                    assert_eq!(body["meter"], "m");
                    found.push((body["samples"].as_array().unwrap().len(), samples_before));
                }
                Ok(part) => panic!("{part:?}"),
                Err(error) => failed = Some(error.to_string()),
            }
            true
        });
        (found, failed)
    }

    #[test]
    fn parts_of_a_table_have_its_header_and_together_all_of_its_lines() {
        assert_eq!(csv("a,b\n1,2\n3,4"), [("a,b\n1,2\n3,4".to_owned(), 0)]);
        assert_eq!(csv("a,b\n"), [("a,b\n".to_owned(), 0)]);
        let line = "x".repeat(1 << 20);
        let text = format!("a,b\n{line}\n{line}\n{line}\n{line}\n{line}\n");
        let parts = csv(&text);
        assert_eq!(parts.iter().map(|it| it.1).collect::<Vec<_>>(), [0, 4]);
        assert!(parts.iter().all(|(text, _)| text.starts_with("a,b\nx")));
        assert_eq!(parts[1].0, format!("a,b\n{line}\n"));
    }

    #[test]
    fn parts_of_a_document_have_its_meter_and_together_all_of_its_samples() {
        let samples = vec!["1"; 45_000].join(",");
        let (parts, failed) = json_of(&format!(r#"{{"meter": "m", "samples": [{samples}]}}"#));
        assert_eq!((parts, failed), (vec![(20_000, 0), (20_000, 20_000), (5_000, 40_000)], None));
        assert_eq!(json_of(r#"{"meter": "m", "samples": []}"#), (vec![(0, 0)], None));
        for (text, said) in [
            (r#"{"samples": [], "meter": "m"}"#, "meter must stand before samples"),
            (r#"{"meter": "m"}"#, "samples is missing"),
            (r#"{"meter": "m", "unit": 1}"#, "unit is not a known field"),
            (r#"{"meter": "m", "samples": [1"#, "EOF"),
            ("[]", "an object with meter and samples"),
        ] {
            let (_, failed) = json_of(text);
            assert!(failed.as_ref().is_some_and(|it| it.contains(said)), "{text}: {failed:?}");
        }
    }

    #[test]
    fn reading_ends_where_nobody_wants_more() {
        let mut parts = 0;
        let text = format!(r#"{{"meter": "m", "samples": [{}]}}"#, vec!["1"; 45_000].join(","));
        json_parts(text.as_bytes(), |part| {
            assert!(part.is_ok());
            parts += 1;
            false
        });
        assert_eq!(parts, 1);
    }

    #[test]
    fn places_in_a_part_become_places_in_the_file() {
        assert_eq!(Before::Lines(100).shifted("line 2, at: is late"), "line 102, at: is late");
        assert_eq!(Before::Samples(100).shifted("/samples/2/at"), "/samples/102/at");
        assert_eq!(Before::Samples(100).shifted("samples/2: no"), "samples/102: no");
        assert_eq!(Before::Lines(100).shifted("the body is empty"), "the body is empty");
    }
}
