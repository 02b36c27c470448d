//! Texts of others without our secrets, in whatever spelling they repeat them: as sent, escaped for
//! URLs, JSON or HTML, or as Base64, such as that of an `Authorization` header.

use std::collections::VecDeque;
use std::sync::{PoisonError, RwLock};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Of what a supplier says about an error, this many characters are kept.
const MAX_MESSAGE: usize = 200;

/// Of a long error page, this many bytes are looked at. Acknowledgements are shorter.
const LONGEST_SAID: usize = 64 * 1024;

/// What stands for a secret.
const HIDDEN: &str = "***";

/// Base64 of less says too little to be told from words.
const SHORTEST_CORE: usize = 6;

/// Secrets of fewer bytes would hide parts of words everywhere.
const SHORTEST_KNOWN: usize = 4;

/// So many of the tokens got by secrets are known at most, the latest ones: they expire.
const MOST_GRANTED: usize = 32;

/// The secrets of this process. Logs and messages are the process's, and so is what must not be in
/// them: one supplier may repeat another one's token.
static KNOWN: RwLock<KnownSecrets> =
    RwLock::new(KnownSecrets { read: Vec::new(), granted: VecDeque::new() });

struct KnownSecrets {
    /// Those of the settings, for ever.
    read: Vec<Spellings>,
    /// The latest tokens got by them.
    granted: VecDeque<Spellings>,
}

/// A secret and the parts of Base64 texts that say it.
#[derive(Clone, PartialEq, Eq)]
struct Spellings {
    secret: Box<str>,
    cores: Vec<String>,
}

/// Hides a secret of the settings in all texts from now on.
pub(super) fn remember(secret: &str) {
    learn(secret, |known, spellings| known.read.push(spellings));
}

/// Hides a token that was got by a secret, until many newer ones have been.
pub(super) fn remember_granted(token: &str) {
    learn(token, |known, spellings| {
        if known.granted.len() == MOST_GRANTED {
            known.granted.pop_front();
        }
        known.granted.push_back(spellings);
    });
}

fn learn(secret: &str, keep: impl FnOnce(&mut KnownSecrets, Spellings)) {
    if secret.len() < SHORTEST_KNOWN {
        return;
    }
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    if known.all().all(|it| &*it.secret != secret) {
        keep(&mut known, Spellings::of(secret));
    }
}

impl KnownSecrets {
    fn all(&self) -> impl Iterator<Item = &Spellings> {
        self.read.iter().chain(&self.granted)
    }
}

/// `text` without any secret that this process has read or been given.
pub fn scrub(text: &str) -> String {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    let mut text = text.to_owned();
    for spellings in known.all() {
        if let Some(hidden) = spellings.hidden(&text) {
            text = hidden;
        }
    }
    text
}

/// The beginning of a text, by whole words, where it is long: error pages may be, and secrets are
/// looked for at every character.
pub(crate) fn beginning(text: &str) -> &str {
    let start = &text[..text.floor_char_boundary(LONGEST_SAID)];
    if start.len() == text.len() {
        return text;
    }
    start.rsplit_once(char::is_whitespace).map_or("", |(whole, _)| whole)
}

/// The beginning of a text on one line, without secrets and control characters.
pub fn excerpt(text: &str) -> String {
    // Before it is cut to a message, for half a secret is one too.
    let words = scrub(beginning(text)).split_whitespace().collect::<Vec<_>>().join(" ");
    let words: String = words.chars().filter(|character| !character.is_control()).collect();
    match words.char_indices().nth(MAX_MESSAGE) {
        Some((end, _)) => format!("{} ...", &words[..end]),
        None => words,
    }
}

/// `text` without one secret.
pub(super) fn without(secret: &str, text: &str) -> String {
    Spellings::of(secret).hidden(text).unwrap_or_else(|| text.to_owned())
}

impl Spellings {
    fn of(secret: &str) -> Self {
        let cores = (0..3).filter_map(|before| core(secret.as_bytes(), before));
        let urls = |core: String| [core.replace('+', "-").replace('/', "_"), core];
        let mut cores: Vec<String> = cores.flat_map(urls).collect();
        cores.dedup();
        Self { secret: secret.into(), cores }
    }

    /// `text` without the secret; `None` where it does not have it.
    fn hidden(&self, text: &str) -> Option<String> {
        if self.secret.is_empty() {
            return None;
        }
        let mut kept = String::with_capacity(text.len());
        let (mut from, mut at) = (0, 0);
        while let Some(next) = text[at..].chars().next() {
            match self.found(text, from, at) {
                Some((start, end)) => {
                    kept.push_str(&text[from..start]);
                    kept.push_str(HIDDEN);
                    (from, at) = (end, end);
                }
                None => at += next.len_utf8(),
            }
        }
        kept.push_str(&text[from..]);
        (from > 0).then_some(kept)
    }

    /// Where the secret is that is said at `at`, no earlier than `from`.
    fn found(&self, text: &str, from: usize, at: usize) -> Option<(usize, usize)> {
        let rest = &text.as_bytes()[at..];
        if let Some(length) = said(rest, self.secret.as_bytes()) {
            return Some((at, at + length));
        }
        let length = self.cores.iter().find_map(|core| said(rest, core.as_bytes()))?;
        // What is around it in Base64 says the ends of the secret, or who it belongs to.
        let digit = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
        let before = text.as_bytes()[from..at].iter().rev().take_while(digit).count();
        let after = text.as_bytes()[at + length..].iter().take_while(digit).count();
        Some((at - before, at + length + after))
    }
}

/// The digits of Base64 that say nothing but `secret` where it follows `before` bytes, in threes.
fn core(secret: &[u8], before: usize) -> Option<String> {
    let bytes = [&[0; 2][..before], secret].concat();
    let (first, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
    let core = STANDARD_NO_PAD.encode(&bytes).get(first..end)?.to_owned();
    (core.len() >= SHORTEST_CORE).then_some(core)
}

/// How long the beginning of `text` is that says `secret`; `None` where it does not.
fn said(text: &[u8], secret: &[u8]) -> Option<usize> {
    // A percent sign of the secret may be one of an escape or stand for itself.
    spelt(text, secret, true).or_else(|| spelt(text, secret, false))
}

fn spelt(text: &[u8], secret: &[u8], escapes_first: bool) -> Option<usize> {
    let (mut read, mut told) = (0, 0);
    while told < secret.len() {
        let (rest, wanted) = (&text[read..], &secret[told..]);
        let raw = || (rest.first()? == wanted.first()?).then_some((1, 1));
        let (length, bytes) = if escapes_first {
            escape(rest, wanted).or_else(raw)
        } else {
            raw().or_else(|| escape(rest, wanted))
        }?;
        (read, told) = (read + length, told + bytes);
    }
    Some(read)
}

/// The length of an escape at the beginning of `text` that says the next bytes of a secret, and of
/// these.
fn escape(text: &[u8], wanted: &[u8]) -> Option<(usize, usize)> {
    let says = |length: usize, character: char| {
        let mut buffer = [0; 4];
        let bytes = character.encode_utf8(&mut buffer).as_bytes();
        wanted.starts_with(bytes).then_some((length, bytes.len()))
    };
    match text.first()? {
        b'%' => {
            let byte = u8::try_from(number(text.get(1..3)?, 16)?).ok()?;
            (wanted.first() == Some(&byte)).then_some((3, 1))
        }
        b'+' => says(1, ' '),
        b'\\' if text.get(1) == Some(&b'u') => says(6, code(number(text.get(2..6)?, 16)?)?),
        b'\\' => says(2, char::from(*text.get(1)?)),
        b'&' => {
            let end = text.iter().take(10).position(|byte| *byte == b';')?;
            let character = match &text[1..end] {
                b"amp" => '&',
                b"lt" => '<',
                b"gt" => '>',
                b"quot" => '"',
                b"apos" => '\'',
                [b'#', b'x' | b'X', digits @ ..] => code(number(digits, 16)?)?,
                [b'#', digits @ ..] => code(number(digits, 10)?)?,
                _ => return None,
            };
            says(end + 1, character)
        }
        _ => None,
    }
}

fn number(digits: &[u8], radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u32::from_str_radix(digits, radix).ok()
}

fn code(number: u32) -> Option<char> {
    char::from_u32(number)
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "p%ss \"w/rd\"&+é=1";

    #[test]
    fn every_spelling_of_a_secret_is_hidden() {
        let json = serde_json::to_string(SECRET).unwrap();
        let spellings = [
            SECRET,
            "p%25ss%20%22w%2Frd%22%26%2B%C3%A9%3D1",
            "p%25ss+%22w%2frd%22%26%2b%c3%a9%3d1",
            json.trim_matches('"'),
            r#"p%ss \"w\/rd\"\u0026+\u00e9=1"#,
            "p%ss &quot;w/rd&#34;&amp;+&#xE9;=1",
        ];
        for spelling in spellings {
            let text = format!("bad token {spelling}, é");
            assert_eq!(without(SECRET, &text), "bad token ***, é", "{spelling}");
        }
        assert_eq!(without(SECRET, "p%ss \"w"), "p%ss \"w");
    }

    #[test]
    fn base64_of_a_secret_is_hidden_wherever_it_stands_in_it() {
        for user in ["", "u:", "us:", "use:", "somebody@example.org:"] {
            let both = format!("{user}{SECRET}");
            for text in [STANDARD.encode(&both), URL_SAFE_NO_PAD.encode(&both)] {
                let hidden = without(SECRET, &format!("authorization: Basic {text}."));
                assert_eq!(hidden, "authorization: Basic ***.", "{user}");
            }
        }
    }

    #[test]
    fn secrets_that_were_read_are_hidden_in_every_text() {
        remember("known-t0ken-of-one");
        remember("ab");
        assert_eq!(scrub("ab: known-t0ken-of-one%20"), "ab: ***%20");
        assert_eq!(scrub("nothing"), "nothing");
    }

    #[test]
    fn secrets_of_the_settings_are_hidden_however_many_tokens_follow() {
        remember("of-the-settings");
        (0..300).for_each(|nth| remember_granted(&format!("granted-{nth:03}-token")));
        assert_eq!(scrub("of-the-settings, granted-299-token"), "***, ***");
    }

    proptest! {
        #[test]
        fn no_text_panics_and_a_secret_is_gone(before in ".*", secret in ".{1,12}", after in ".*") {
            let hidden = without(&secret, &format!("{before}{secret}{after}"));
            prop_assert!(hidden.contains(HIDDEN));
        }
    }

    #[test]
    fn of_a_long_text_whole_words_are_looked_at() {
        let page = format!("{} {}", "a".repeat(LONGEST_SAID - 3), "secret".repeat(9));
        assert_eq!(beginning(&page).len(), LONGEST_SAID - 3);
        assert_eq!(beginning("short secret"), "short secret");
        assert_eq!(excerpt(&"é".repeat(300)).chars().count(), MAX_MESSAGE + 4);
    }
}
