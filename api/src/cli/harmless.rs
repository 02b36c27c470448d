//! Text for terminals: names and reasons come from services, feeds and files, and a terminal obeys the control characters
//! in them (it moves, hides, recolours, answers). They are written as `\u001b`, which in JSON means the same character.

use std::io::{self, IsTerminal, Write};

/// The first byte of the UTF-8 of U+0080 to U+00BF, of which the first half are control characters.
const LEAD: u8 = 0xc2;

/// A writer of UTF-8 in whose text no control character but the tab and the end of a line is left.
pub struct Harmless<W> {
    inner: W,
    /// Whether the lead of a character that may be a control character waits for what follows it.
    holds_lead: bool,
}

impl<W> Harmless<W> {
    pub const fn new(inner: W) -> Self {
        Self { inner, holds_lead: false }
    }

    /// The next bytes as they are written.
    fn tamed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut tamed = Vec::with_capacity(bytes.len() + 1);
        for &byte in bytes {
            let follows_lead = std::mem::take(&mut self.holds_lead);
            let is_control = match byte {
                0x80..=0x9f => follows_lead,
                b'\n' | b'\t' => false,
                byte => byte.is_ascii_control(),
            };
            if follows_lead && !is_control {
                tamed.push(LEAD);
            }
            if is_control {
                tamed.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
            } else if byte == LEAD {
                self.holds_lead = true;
            } else {
                tamed.push(byte);
            }
        }
        tamed
    }
}

impl<W: Write> Write for Harmless<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let tamed = self.tamed(bytes);
        self.inner.write_all(&tamed)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A text in which no control character but the tab and the end of a line is left.
pub fn harmless(text: &str) -> String {
    String::from_utf8_lossy(&Harmless::new(()).tamed(text.as_bytes())).into_owned()
}

/// Standard output for data: as it is to files and programs, harmless to a terminal.
pub fn standard_output() -> Box<dyn Write + Send> {
    let out = io::stdout();
    if out.is_terminal() { Box::new(Harmless::new(out)) } else { Box::new(out) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pieces: &[&[u8]]) -> String {
        let mut harmless = Harmless::new(Vec::new());
        for piece in pieces {
            harmless.write_all(piece).unwrap();
        }
        String::from_utf8(harmless.inner).unwrap()
    }

    #[test]
    fn no_control_character_reaches_a_terminal() {
        let title = "n1\u{1b}]0;root\u{7}\u{9b}2Jé\u{a0}\r\u{8}\u{7f}\tends\n";
        let expected = "n1\\u001b]0;root\\u0007\\u009b2Jé\u{a0}\\u000d\\u0008\\u007f\tends\n";
        assert_eq!(written(&[title.as_bytes()]), expected);
        let bytes: Vec<&[u8]> = title.as_bytes().chunks(1).collect();
        assert_eq!(written(&bytes), expected, "in pieces");
        assert_eq!(written(&["€ Ω \u{10348} \u{c2}".as_bytes()]), "€ Ω \u{10348} \u{c2}");
    }

    #[test]
    fn json_means_the_same() {
        let name = serde_json::json!({"name": "n1\u{9b}2J\u{7f}"});
        let read: serde_json::Value =
            serde_json::from_str(&written(&[name.to_string().as_bytes()])).unwrap();
        assert_eq!(read, name);
    }
}
