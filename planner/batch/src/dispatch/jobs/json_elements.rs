//! Elements of an array in JSON, one by one: a document of many jobs is not held in memory.

use std::io::{BufRead, ErrorKind};

use super::UnitJobError;

/// Elements of the array under a key of a document, of a document that is an array, or documents one after another.
#[derive(Debug)]
pub(super) struct JsonElements<R> {
    source: R,
    /// From 1.
    line: u64,
    key: &'static str,
    place: Place,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    /// Nothing is read yet.
    Before,
    /// Within the array.
    Within,
    /// Between documents of which each is an element.
    Documents,
    /// All is read.
    After,
}

impl<R: BufRead> JsonElements<R> {
    /// The elements of the array under `key`, or of the document itself.
    pub const fn new(source: R, key: &'static str) -> Self {
        Self { source, line: 1, key, place: Place::Before }
    }

    /// The text of the next element, and the line on which it begins.
    ///
    /// # Errors
    /// A document that ends early or has no such array, with the line.
    pub fn next_element(&mut self) -> Result<Option<(u64, Vec<u8>)>, UnitJobError> {
        if self.place == Place::Before
            && let Some(first) = self.open()?
        {
            return Ok(Some(first));
        }
        if self.place == Place::After {
            return Ok(None);
        }
        let next = self.skip_between()?;
        let line = self.line;
        let mut text = Vec::new();
        match (next, self.place) {
            (Some(b']'), Place::Within) | (None, Place::Documents) => {
                self.place = Place::After;
                Ok(None)
            }
            (None, _) => Err(self.wrong("the document ends within its jobs")),
            (Some(_), _) => {
                self.value(&mut text)?;
                Ok(Some((line, text)))
            }
        }
    }

    /// Goes to the first element. Where the first document is one itself, it is given.
    fn open(&mut self) -> Result<Option<(u64, Vec<u8>)>, UnitJobError> {
        let first = self.skip_between()?;
        let line = self.line;
        if first == Some(b'[') {
            self.take()?;
            self.place = Place::Within;
            return Ok(None);
        }
        if first != Some(b'{') {
            return Err(self.wrong("there is no document"));
        }
        let mut whole = vec![b'{'];
        self.take()?;
        loop {
            match self.skip_between()? {
                Some(b'}') => {
                    self.take()?;
                    whole.push(b'}');
                    self.place = Place::Documents;
                    return Ok(Some((line, whole)));
                }
                Some(b'"') => {}
                _ => return Err(self.wrong("a key is missing")),
            }
            if whole.len() > 1 {
                whole.push(b',');
            }
            let at = whole.len();
            self.value(&mut whole)?;
            let is_wanted = whole[at..].trim_ascii() == format!("\"{}\"", self.key).as_bytes();
            if self.skip_between()? != Some(b':') {
                return Err(self.wrong("a colon is missing"));
            }
            self.take()?;
            whole.push(b':');
            if self.skip_between()? == Some(b'[') && is_wanted {
                self.take()?;
                self.place = Place::Within;
                return Ok(None);
            }
            self.value(&mut whole)?;
        }
    }

    /// Reads a value as it stands.
    fn value(&mut self, text: &mut Vec<u8>) -> Result<(), UnitJobError> {
        let (mut depth, mut is_text, mut is_escaped) = (0_u32, false, false);
        loop {
            let Some(byte) = self.peek()? else {
                return if depth == 0 && !is_text {
                    Ok(())
                } else {
                    Err(self.wrong("the document ends early"))
                };
            };
            let ends = matches!(byte, b',' | b']' | b'}' | b':') || byte.is_ascii_whitespace();
            if depth == 0 && !is_text && ends {
                return Ok(());
            }
            self.take()?;
            text.push(byte);
            match byte {
                _ if is_escaped => is_escaped = false,
                b'\\' if is_text => is_escaped = true,
                b'"' => is_text = !is_text,
                _ if is_text => continue,
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => continue,
            }
            if depth == 0 && !is_text && !is_escaped {
                return Ok(());
            }
        }
    }

    /// What comes after spaces and commas.
    fn skip_between(&mut self) -> Result<Option<u8>, UnitJobError> {
        while let Some(byte) = self.peek()? {
            if !byte.is_ascii_whitespace() && byte != b',' {
                return Ok(Some(byte));
            }
            self.take()?;
        }
        Ok(None)
    }

    fn peek(&mut self) -> Result<Option<u8>, UnitJobError> {
        loop {
            match self.source.fill_buf() {
                Ok(bytes) => return Ok(bytes.first().copied()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let what = error.to_string();
                    return Err(UnitJobError::Table { line: self.line, what });
                }
            }
        }
    }

    fn take(&mut self) -> Result<(), UnitJobError> {
        self.line += u64::from(self.peek()? == Some(b'\n'));
        self.source.consume(1);
        Ok(())
    }

    fn wrong(&self, what: &str) -> UnitJobError {
        UnitJobError::Table { line: self.line, what: what.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Result<Vec<(u64, Value)>, String> {
        let mut elements = JsonElements::new(text.as_bytes(), "jobs");
        let mut all = Vec::new();
        while let Some((line, text)) = elements.next_element().map_err(|error| error.to_string())? {
            all.push((line, serde_json::from_slice(&text).map_err(|error| error.to_string())?));
        }
        Ok(all)
    }

    #[test]
    fn elements_have_the_lines_on_which_they_begin() {
        let jobs = "[\n{\"a\": \"]}\\\"\"},\n\n{\"b\": [1, {}]}\n]";
        let expected = [(2, json!({"a": "]}\""})), (4, json!({"b": [1, {}]}))];
        assert_eq!(read(jobs).unwrap(), expected);
        let within = format!(
            "{{\"meta\": {{\"jobs\": [1]}}, \"n\": 1.5, \"jobs\": {jobs}, \"errors\": []}}"
        );
        assert_eq!(read(&within).unwrap(), expected);
        let lines = read("{\"a\": 1, \"c\": \"x\"}\n{\"b\": 2}\n").unwrap();
        assert_eq!(lines, [(1, json!({"a": 1, "c": "x"})), (2, json!({"b": 2}))]);
        assert_eq!(read("[]").unwrap(), []);
    }

    #[test]
    fn documents_that_end_early_are_told() {
        for (text, told) in [
            ("", "line 1: there is no document"),
            ("[1,\n{\"a\": ", "line 2: the document ends early"),
            ("[{},\n", "line 2: the document ends within its jobs"),
            ("{\"jobs\" [", "line 1: a colon is missing"),
            ("{1: 2}", "line 1: a key is missing"),
        ] {
            assert_eq!(read(text).unwrap_err(), told);
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[\\PC\"\\\\\\]}\n]{0,8}".prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(3, 20, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"]{0,3}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Whatever the elements are, they are those that a reader of whole documents finds.
        #[test]
        fn elements_are_those_of_the_whole_document(all in prop::collection::vec(value(), 0..6)) {
            for text in [
                serde_json::to_string(&all).unwrap(),
                serde_json::to_string_pretty(&json!({"meta": [], "jobs": all, "more": 1})).unwrap(),
            ] {
                let read: Vec<Value> = read(&text).unwrap().into_iter().map(|(_, it)| it).collect();
                prop_assert_eq!(&read, &all);
            }
        }
    }
}
