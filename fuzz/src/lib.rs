//! Parsers for the fuzzer. A target is a list of them. The first line of an input names the parser, and the rest is what it
//! is given, so that inputs go on meaning what they mean when parsers are added.
//!
//! | variable | what it says |
//! |---|---|
//! | `WATTBOOK_FUZZ_SEEDS` | a folder, into which a target writes the text of each of its parsers before it begins |

use std::path::Path;
use std::{env, fs};

use libfuzzer_sys::Corpus;

/// A parser, and a text that it takes.
pub struct FuzzedParser {
    name: String,
    seed: Vec<u8>,
    /// Whether it accepts what it is given; panics where it accepts nonsense.
    accepts: Box<dyn Fn(&[u8]) -> bool + Send + Sync>,
}

impl FuzzedParser {
    /// A parser of bytes.
    pub fn of_bytes(
        name: &str,
        seed: &[u8],
        accepts: impl Fn(&[u8]) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { name: name.to_owned(), seed: seed.to_vec(), accepts: Box::new(accepts) }
    }

    /// A parser of text. What is no UTF-8 never comes to it.
    pub fn of_text(
        name: &str,
        seed: &str,
        accepts: impl Fn(&str) -> bool + Send + Sync + 'static,
    ) -> Self {
        let accepts = move |bytes: &[u8]| str::from_utf8(bytes).is_ok_and(&accepts);
        Self::of_bytes(name, seed.as_bytes(), accepts)
    }
}

/// Gives an input to the parser that its first line names. Inputs that name none are not kept.
pub fn give(parsers: &[FuzzedParser], input: &[u8]) -> Corpus {
    let (name, given) = input.split_at(after_name(input));
    let name = name.strip_suffix(b"\n").unwrap_or_default();
    let Some(parser) = parsers.iter().find(|parser| parser.name.as_bytes() == name) else {
        return Corpus::Reject;
    };
    (parser.accepts)(given);
    Corpus::Keep
}

/// Changes an input behind its first line, which many changes would else break; how long it is then.
pub fn mutate(input: &mut [u8], size: usize, most: usize) -> usize {
    let from = after_name(&input[..size]);
    if most <= from {
        return size.min(most);
    }
    from + libfuzzer_sys::fuzzer_mutate(&mut input[from..], size - from, most - from)
}

/// Where the first line of an input has ended.
fn after_name(input: &[u8]) -> usize {
    input.iter().position(|byte| *byte == b'\n').map_or(0, |end| end + 1)
}

/// Writes the text of each parser as an input, where `WATTBOOK_FUZZ_SEEDS` names a folder.
///
/// # Panics
/// A parser refuses its own text, or the folder cannot be written.
pub fn write_seeds(parsers: &[FuzzedParser]) {
    let Some(folder) = env::var_os("WATTBOOK_FUZZ_SEEDS") else { return };
    let refused = parsers.iter().filter(|parser| !(parser.accepts)(&parser.seed));
    let refused: Vec<&str> = refused.map(|parser| parser.name.as_str()).collect();
    assert!(refused.is_empty(), "these refuse their own texts: {refused:?}");
    for FuzzedParser { name, seed, .. } in parsers {
        let input = [name.as_bytes(), b"\n", seed].concat();
        let file = Path::new(&folder).join(name.replace([' ', ',', '/'], "-"));
        fs::write(&file, input).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

/// A target of these parsers.
#[macro_export]
macro_rules! target {
    ($parsers:expr) => {
        static PARSERS: ::std::sync::LazyLock<Vec<$crate::FuzzedParser>> =
            ::std::sync::LazyLock::new(|| $parsers);

        ::libfuzzer_sys::fuzz_target!(
            init: $crate::write_seeds(&PARSERS),
            |input: &[u8]| -> ::libfuzzer_sys::Corpus { $crate::give(&PARSERS, input) }
        );

        ::libfuzzer_sys::fuzz_mutator!(|input: &mut [u8], size: usize, most: usize, _seed: u32| {
            $crate::mutate(input, size, most)
        });
    };
}
